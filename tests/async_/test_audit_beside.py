"""The rows beside a log changed behind felix's back, one at a time: the audit names the table's row."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from club import an_honest_year
from felix_async.audit.audit import Finding
from felix_async.audit.database import look_at_whole
from felix_async.audit.received import says
from felix_cli.audit_workers import audit_one
from felix_events.store.sqlite import SqliteReader


@dataclass(frozen=True)
class Year:
    """A database, the game in it that is over, and the one that goes on."""

    path: Path
    over: str
    on: str


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Year:
    path = tmp_path_factory.mktemp("beside") / "felix.db"
    return Year(path, *an_honest_year(path))


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
    "OTHERS": "FROM inbox JOIN inbox_bytes USING (mail_id) WHERE mail_id = 9",
}
"""What stands in the statements below for these."""
FOUND = {
    # the inbox
    "inbox.mail_id": "UPDATE inbox SET mail_id = 9999 WHERE MAIL",
    "inbox.received_at": "UPDATE inbox SET received_at = '2027-01-01T00:00:00.000000Z' WHERE MAIL",
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
        statement = statement.replace(word, rows)
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
    (version,) = connection.execute("SELECT version FROM made").fetchone()
    assert any(finding.version in (0, version) for finding in found)


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
