"""The rows beside a log changed behind felix's back, one at a time: the audit names the table's row."""

from __future__ import annotations

import re
import sqlite3
from base64 import encodebytes
from collections.abc import Callable, Iterator
from dataclasses import replace
from email import message_from_bytes, policy

import pytest

from club import Year, an_honest_year
from felix_async.audit.audit import Finding
from felix_async.audit.database import look_at_whole
from felix_async.audit.evidence import Evidence, evidence_of, exported
from felix_async.audit.received import says
from felix_cli.audit_workers import audit_one
from felix_events.store.packing import keep_bytes
from felix_events.store.sqlite import SqliteReader

pytestmark = pytest.mark.slow


@pytest.fixture
def year() -> Year:
    return an_honest_year()


@pytest.fixture
def connection(year: Year) -> Iterator[sqlite3.Connection]:
    """Plain SQLite, in a transaction that is undone after the test."""
    connection = sqlite3.connect(year.path, isolation_level=None)
    connection.execute("BEGIN")
    yield connection
    connection.execute("ROLLBACK")
    connection.close()


def findings(connection: sqlite3.Connection, game_id: str) -> list[Finding]:
    reader = SqliteReader(connection)
    return [*audit_one(reader, game_id).findings, *look_at_whole(reader, "felix.db").findings]


def test_an_honest_database_is_sound_and_all_of_it_is_looked_at(
    connection: sqlite3.Connection, year: Year
) -> None:
    reader = SqliteReader(connection)
    assert len(reader.logs()) == 4
    for game_id in reader.logs():
        report = audit_one(reader, game_id)
        assert report.findings == []
        not_checked = report.not_checked.get("database", "mails to an address without a token: 1")
        assert not_checked == "mails to an address without a token: 1"
    assert look_at_whole(reader, "felix.db").findings == []


MADE = """CREATE TEMP TABLE made AS SELECT game_id, version,
    json_extract(CAST(private_record AS TEXT), '$.cause') AS cause FROM events
    WHERE game_id = ? AND version > 40 AND instr(private_record, '"line":"BID') ORDER BY version LIMIT 1"""
"""A step that a mail made."""
ROWS = {
    "MAIL": "mail_id = (SELECT mail_id FROM inbox WHERE key = (SELECT substr(cause, 1, 64) FROM made))",
    "COMMAND": "command_id = (SELECT cause FROM made)",
    "TURN": "notice_id = (SELECT max(notice_id) FROM notices WHERE kind = 'turn' AND GAMES)",
    "LETTER": "letter_id = (SELECT max(letter_id) FROM notices WHERE kind = 'turn' AND GAMES)",
    "TOLD": "GAMES AND said = 0 AND letter_id ="
    " (SELECT max(letter_id) FROM tidings WHERE GAMES AND said = 0)",
    "SAID": "GAMES AND version = (SELECT min(version) FROM sayings WHERE GAMES)",
    "GAMES": "game_id = 'GAME'",
    "OTHERS": "FROM inbox JOIN inbox_bytes USING (mail_id) WHERE mail_id = 9",
}
"""What stands in the statements below for these."""
FOUND = {
    # the inbox
    "inbox.mail_id": "UPDATE inbox SET mail_id = 9999 WHERE MAIL",
    "inbox.received_at": "UPDATE inbox SET received_at = '2027-01-01T00:00:00.000000Z' WHERE MAIL",
    "inbox.received_at, long ago": "UPDATE inbox SET received_at = '2020-01-01T00:00:00.000000Z' WHERE MAIL",
    "inbox.recipient": "UPDATE inbox SET recipient = (SELECT recipient OTHERS) WHERE MAIL",
    "inbox.sha256": "UPDATE inbox SET sha256 = hex(zeroblob(32)) WHERE MAIL",
    "inbox.state": "UPDATE inbox SET state = 'ignored' WHERE MAIL",
    "inbox.key": "UPDATE inbox SET key = hex(zeroblob(32)) WHERE MAIL",
    "inbox.player_id": "UPDATE inbox SET player_id = 'p-eve' WHERE MAIL",
    "inbox, a row gone": "DELETE FROM inbox WHERE MAIL",
    "inbox_bytes.mail_id": "UPDATE inbox_bytes SET mail_id = 9999 WHERE MAIL",
    "inbox_bytes.size": "UPDATE inbox_bytes SET size = size + 1 WHERE MAIL",
    "inbox_bytes.dictionary": "UPDATE inbox_bytes SET dictionary = 1 WHERE MAIL",
    "inbox_bytes.data": "UPDATE inbox_bytes SET (size, data) = (SELECT size, data OTHERS) WHERE MAIL",
    # what felix owed and sent
    "notices.version": "UPDATE notices SET version = 5000 WHERE TURN",
    "notices.seat": "UPDATE notices SET seat = 5 WHERE TURN",
    "notices.turn": "UPDATE notices SET turn = turn + 40 WHERE TURN",
    "notices.settled": "UPDATE notices SET settled = 0 WHERE TURN",
    "notices.letter_id": "UPDATE notices SET letter_id = 99999 WHERE TURN",
    "tidings.version": "UPDATE tidings SET version = 5000 WHERE TOLD",
    "tidings.said": "UPDATE tidings SET said = 1 WHERE TOLD",
    "letters.game_id": "UPDATE letters SET game_id = 'zzzzz' WHERE LETTER",
    "letters.seat": "UPDATE letters SET seat = seat + 1 WHERE LETTER",
    "letters.recipient": "UPDATE letters SET recipient = 'eve@players.test' WHERE LETTER",
    "letters.recipient, a part": "UPDATE letters SET recipient = 'test' WHERE LETTER",
    "letters.message_id": "UPDATE letters SET message_id = '<x@felix.test>' WHERE LETTER",
    "letters, a row gone": "DELETE FROM letters WHERE LETTER",
    "letter_bytes.size": "UPDATE letter_bytes SET size = size + 1 WHERE LETTER",
    "letter_bytes.dictionary": "UPDATE letter_bytes SET dictionary = 1 WHERE LETTER",
    "letter_bytes.data": "UPDATE letter_bytes SET (size, data) = (SELECT size, data FROM letter_bytes"
    " WHERE letter_id = 9) WHERE LETTER",
    # the table and its people
    "games.kind, imported": "UPDATE games SET kind = 'imported' WHERE GAMES",
    "games.kind, simulated": "UPDATE games SET kind = 'simulated' WHERE GAMES",
    "games.created_at": "UPDATE games SET created_at = '2027-01-01T00:00:00.000000Z' WHERE GAMES",
    "games.seed": "UPDATE games SET seed = NULL WHERE GAMES",
    "games.opened_by": "UPDATE games SET opened_by = 1 WHERE GAMES",
    "seats.seat": "UPDATE seats SET seat = 4 WHERE GAMES AND seat = 0",
    "seats.player_id": "UPDATE seats SET player_id = 'p-eve' WHERE GAMES AND seat = 0",
    "seats, a row gone": "DELETE FROM seats WHERE GAMES AND seat = 0",
    "former, a row more": "INSERT INTO former VALUES ('GAME', 1, 41, 'p-eve', 'Eve', 77)",
    "sayings.seat": "UPDATE sayings SET seat = seat + 1 WHERE SAID",
    "sayings.version": "UPDATE sayings SET version = -1 WHERE SAID",
    "sayings.salt": "UPDATE sayings SET salt = zeroblob(40) WHERE SAID",
    "sayings, a row gone": "DELETE FROM sayings WHERE SAID",
    "due, a row more": "INSERT INTO due VALUES ('GAME', 0, 'deadline', 3, '2026-12-01T00:00:00.000000Z')",
    # the commands
    "commands.command_id": "UPDATE commands SET command_id = command_id || 'x' WHERE COMMAND",
    "commands.game_id": "UPDATE commands SET game_id = 'zzzzz' WHERE COMMAND",
    "commands.outcome, its version": "UPDATE commands SET outcome = json_set(outcome, '$.version', 5000)"
    " WHERE COMMAND",
    "commands.outcome, its events": "UPDATE commands SET outcome = json_set(outcome, '$.events', 0)"
    " WHERE COMMAND",
    "commands.outcome, no JSON": "UPDATE commands SET outcome = '{' WHERE COMMAND",
    "commands.outcome, a refusal": "UPDATE commands SET outcome = json_set(outcome, '$.code', 'bid/low')"
    " WHERE COMMAND",
    "commands, a row gone": "DELETE FROM commands WHERE COMMAND",
    "commands, a row more": """INSERT INTO commands VALUES
        ('zz/0', 'GAME', '{"game_id":"GAME","version":50,"events":1}')""",
}
"""What is changed, and how."""


def change(connection: sqlite3.Connection, game_id: str, statement: str) -> int:
    """Change a row of a game, or one of the step that is `made`; the number of rows."""
    connection.execute(MADE, (game_id,))
    for word, rows in {**ROWS, "GAME": game_id}.items():
        statement = re.sub(rf"\b{word}\b", rows, statement)
    return connection.execute(statement).rowcount


@pytest.mark.parametrize("what", FOUND)
@pytest.mark.parametrize("is_over", [True, False])
def test_a_change_of_one_row_is_found(
    connection: sqlite3.Connection, year: Year, what: str, is_over: bool
) -> None:
    game_id = year.over if is_over else year.on
    assert change(connection, game_id, FOUND[what]) == 1
    found = findings(connection, game_id)
    assert {finding.check for finding in found} == {"database"}


ONLY_RUNNING = {
    "due.seat": "UPDATE due SET seat = 1 - seat WHERE RUNS",
    "due.kind": "UPDATE due SET kind = 'silence' WHERE RUNS",
    "due.turn": "UPDATE due SET turn = turn + 1 WHERE RUNS",
    "due.due_at": "UPDATE due SET due_at = '2027-01-01T00:00:00.000000Z' WHERE RUNS",
    "due, a row gone": "DELETE FROM due WHERE RUNS",
}
ONLY_OVER = {
    "former.seat": "UPDATE former SET seat = 0 WHERE GAMES",
    "former.version": "UPDATE former SET version = version + 1 WHERE GAMES",
    "former.player_id": "UPDATE former SET player_id = 'p-eve' WHERE GAMES",
    "former, a row gone": "DELETE FROM former WHERE GAMES",
    "notices.kind": "UPDATE notices SET kind = 'result' WHERE TURN",
}


@pytest.mark.parametrize("what", ONLY_RUNNING)
def test_a_change_of_what_is_due_is_found(connection: sqlite3.Connection, year: Year, what: str) -> None:
    (seat, *_), *_ = connection.execute(
        "SELECT seat FROM due WHERE game_id = ? AND kind = 'deadline'", (year.on,)
    ).fetchall()
    rows = f"GAMES AND kind = 'deadline' AND seat = {seat}"
    assert change(connection, year.on, ONLY_RUNNING[what].replace("RUNS", rows)) == 1
    assert {finding.check for finding in findings(connection, year.on)} == {"database"}


def test_that_the_deadlines_of_a_game_in_trouble_are_not_checked_is_said(
    connection: sqlite3.Connection, year: Year
) -> None:
    connection.execute("INSERT INTO troubles VALUES (?, '2026-12-01T00:00:00.000000Z', 'x')", (year.on,))
    not_checked = audit_one(SqliteReader(connection), year.on).not_checked["database"]
    assert "deadlines of a game in trouble: 1" in not_checked


@pytest.mark.parametrize("what", ONLY_OVER)
def test_a_change_beside_a_game_that_is_over_is_found(
    connection: sqlite3.Connection, year: Year, what: str
) -> None:
    game_id = year.on if what == "notices.kind" else year.over
    assert change(connection, game_id, ONLY_OVER[what]) == 1
    assert {finding.check for finding in findings(connection, game_id)} == {"database"}


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER events_no_update",
        "DROP INDEX inbox_key",
        "CREATE TRIGGER mine AFTER INSERT ON events BEGIN SELECT 1; END",
        "ALTER TABLE games ADD COLUMN mine TEXT",
    ],
)
def test_a_database_that_is_made_otherwise_is_found(connection: sqlite3.Connection, statement: str) -> None:
    connection.execute(statement)
    (finding,) = look_at_whole(SqliteReader(connection), "felix.db").findings
    assert finding.expected.endswith("as felix makes it")


def test_rows_that_lead_nowhere_are_found(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM inbox WHERE mail_id = 9")
    (finding,) = look_at_whole(SqliteReader(connection), "felix.db").findings
    assert str(finding) == "database: expected rows that are there (inbox_bytes -> inbox), found none"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda log: replace(log, bodies=log.bodies[:9], private_records={}), id="its beginning"),
        pytest.param(lambda log: replace(log, private_records={}), id="without its records"),
        pytest.param(lambda log: replace(log, seat_logs={}), id="without the logs of seats"),
    ],
)
def test_the_log_in_the_news_of_the_end_is_this_one(
    connection: sqlite3.Connection, year: Year, change: Callable[[Evidence], Evidence]
) -> None:
    (letter_id,) = connection.execute(
        "SELECT max(letter_id) FROM notices WHERE kind = 'result' AND game_id = ?", (year.over,)
    ).fetchone()
    reader = SqliteReader(connection)
    letter = reader.letter(letter_id)
    assert letter is not None
    message = message_from_bytes(letter.raw, policy=policy.default)
    evidence = evidence_of(reader, year.over)
    assert evidence is not None
    other = exported(change(evidence), ["Anna", "Ben", "Cara", "Hanna"], "Alpha", is_over=True)
    next(message.iter_attachments()).set_payload(encodebytes(other).decode())
    keep_bytes(connection.execute, "letter_bytes", letter_id, message.as_bytes())
    expected = f"letter {letter_id} with this log attached"
    assert expected in {one.expected for one in findings(connection, year.over)}


def test_a_letter_of_parts_within_parts_is_a_finding(connection: sqlite3.Connection, year: Year) -> None:
    (letter_id,) = connection.execute(
        "SELECT max(letter_id) FROM notices WHERE kind = 'result' AND game_id = ?", (year.over,)
    ).fetchone()
    parts = (f'Content-Type: multipart/mixed; boundary="b{one}"\n\n--b{one}\n' for one in range(3000))
    keep_bytes(connection.execute, "letter_bytes", letter_id, "".join(parts).encode())
    expected = [finding.expected for finding in findings(connection, year.over)]
    assert "rows of the database that can be read (post)" in expected


def test_of_a_running_game_a_finding_tells_nothing_but_which_mail(
    connection: sqlite3.Connection, year: Year
) -> None:
    change(connection, year.on, FOUND["inbox_bytes.data"])
    (finding,) = findings(connection, year.on)
    assert re.fullmatch(r"mail \d+ with the bytes that its hash is of", finding.expected)
    assert finding.found == "others"


def test_a_line_is_read_as_felix_reads_it_and_not_in_a_quote() -> None:
    raw = b"Subject: Re\r\n\r\nBID 3\r\n\r\n> BID 4\r\n> to bid 4 mice\r\n"
    assert says(raw, "BID 3")
    assert not says(raw, "BID 4")
    assert says(b"Subject: x\r\nContent-Type: text/html\r\n\r\n<p>I <b>bid</b> 3</p>", "I bid 3")


def test_an_order_may_stand_on_lines_that_are_apart() -> None:
    raw = b"Subject: Re\r\n\r\nPASS\r\n\r\nHave fun.\r\n\r\nNEXT 3\r\n\r\n> NEXT 5\r\n"
    assert says(raw, "PASS; NEXT 3")
    assert not says(raw, "PASS; NEXT 5")
