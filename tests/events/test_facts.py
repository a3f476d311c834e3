"""Facts that an older felix kept among the commands, or in notes, have columns and tables of their own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from events.older import an_old_database
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import GameRow, Letter
from felix_events.store.sqlite import SqliteStore

AT, LATER = "2026-01-02T03:04:05Z", "2026-01-02T05:00:00Z"
COMMANDS = {
    "<m1@players.test>/1": "k7m2p",
    "rematch/k7m2p": "rrrrr",
    "rematch/k7m2p/2": "sssss",
    "unkeyed/3": "k7m2p",
    "alert/4": "k7m2p",
    "bounce/5": "k7m2p",
    "bounce/k7m2p/2/0a1b": "k7m2p",
    "forgotten/p-anna": "k7m2p",
    "forgotten/p-ben": "k7m2p",
    f"clock/k7m2p/outage/{AT}": "k7m2p",
    f"clock/k7m2p/back/{AT}": "k7m2p",
}
OUTCOMES = {
    "forgotten/p-anna": '[6, "notice 9"]',
    f"clock/k7m2p/outage/{AT}": f'{{"until":"{LATER}"}}',
    f"clock/k7m2p/back/{AT}": f'{{"now":"{LATER}"}}',
    "forgotten/p-ben": "damaged",
}
BY_MAIL = [
    (1, b'{"type":"game_created","data":{}}', b'{"cause":"x","channel":"mail"}'),
    (2, b'{"type":"host_named","data":{"seat":3}}', None),
]
BY_DESK = [(1, b'{"type":"game_created","data":{}}', b'{"channel":"desk"}'), BY_MAIL[1]]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """What an older database says once it is brought up to date."""
    path = tmp_path / "felix.db"
    an_old_database(path, rows=8)
    SqliteStore.open_to_write(path).close()
    with closing(sqlite3.connect(path)) as raw:
        for column in ("rematch_of", "opened_by"):
            raw.execute("DROP INDEX IF EXISTS games_rematch")
            raw.execute(f"ALTER TABLE games DROP COLUMN {column}")
        for table, column in (
            ("inbox", "retried"),
            ("held", "keyless"),
            ("letters", "maybe_arrived"),
            ("letters", "alerted"),
        ):
            raw.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        for table in ("bounces", "leftovers", "made_good"):
            raw.execute(f"DROP TABLE {table}")
        raw.execute("DELETE FROM _sqlite_migrations WHERE name LIKE 'm012%'")
        for game_id, log in {"k7m2p": BY_DESK, "rrrrr": BY_MAIL, "sssss": []}.items():
            raw.execute(
                "INSERT INTO games (game_id, table_name, kind, created_at, state, size)"
                " VALUES (?, '', 'played', ?, 'ended', 0)",
                (game_id, AT),
            )
            rows = [(game_id, version, body, b"", record) for version, body, record in log]
            raw.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
        kept = [(name, game_id, OUTCOMES.get(name, "{}")) for name, game_id in COMMANDS.items()]
        raw.executemany("INSERT INTO commands VALUES (?, ?, ?)", kept)
        raw.execute(
            "UPDATE inbox SET note = 'to be dealt with once more, says the operator' WHERE mail_id = 2"
        )
        raw.execute("UPDATE letters SET note = 'may have arrived: 451' WHERE letter_id = 3")
        raw.execute(
            "INSERT INTO held (mail_id, player_id, sender) VALUES (3, 'p-anna', 'a'), (4, 'p-anna', 'a')"
        )
        raw.execute(
            "INSERT INTO notices VALUES (9, 'k7m2p', 1, 0, 'turn', '', 1, ?, '{}', 0, 8)",
            (AT,),
        )
        raw.commit()
    with closing(SqliteStore.open_to_write(path)) as store, store.read() as reader:
        yield reader


def test_a_rematch_says_of_which_game(reader: Reader) -> None:
    assert [row.game_id for row in reader.rematches("k7m2p")] == ["rrrrr", "sssss"]
    assert reader.rematches("") == []


def test_a_table_that_was_opened_by_mail_says_so(reader: Reader) -> None:
    assert {row.game_id: row.opened_by for row in reader.games()} == {
        "k7m2p": None,
        "rrrrr": 3,
        "sssss": None,
    }


def test_mails_and_letters_say_what_their_notes_said(reader: Reader) -> None:
    assert [mail.mail_id for mail in reader.mails() if mail.retried] == [2]
    assert [letter.letter_id for letter in reader.letters() if letter.maybe_arrived] == [3]


def test_a_mail_without_a_token_says_that_its_writer_was_asked(reader: Reader) -> None:
    held = [reader.held(3), reader.held(4)]
    assert [one is not None and one.keyless for one in held] == [True, False]


def test_what_waited_as_somebody_was_forgotten_is_known(reader: Reader) -> None:
    assert [one for one in range(1, 9) if reader.is_left_over("p-anna", one)] == [6, 8]
    assert not reader.is_left_over("p-ben", 6)


def test_what_was_made_good_is_known(reader: Reader) -> None:
    assert (reader.made_good("k7m2p", "outage", AT), reader.made_good("k7m2p", "ahead", AT)) == (LATER, LATER)
    assert reader.made_good("k7m2p", "outage", LATER) is None


def test_of_the_commands_those_are_left_that_are_some(reader: Reader) -> None:
    left = [name for name in COMMANDS if reader.outcome(name) is not None]
    assert left == ["<m1@players.test>/1", "rematch/k7m2p", "rematch/k7m2p/2"]


def test_a_bounce_and_a_short_notice_count_once(tx: Tx) -> None:
    def noted(tx: Tx) -> list[bool]:
        return [
            tx.count_bounce("k7m2p", 1, "7"),
            tx.count_bounce("k7m2p", 2, "7"),
            tx.note_alert(letter_id),
        ]

    tx.add_game(GameRow("k7m2p", "", "played", AT, None))
    letter_id = tx.freeze(Letter("k7m2p", 0, "anna@players.test", "<1@felix.test>", b"Hello", AT, AT))
    assert noted(tx) == [True] * 3
    assert noted(tx) == [False] * 3


def test_that_a_letter_may_have_arrived_is_kept_until_it_is_put_back(tx: Tx) -> None:
    letter_id = tx.freeze(Letter("k7m2p", 0, "anna@players.test", "<1@felix.test>", b"Hello", AT, AT))
    tx.mark_letter(letter_id, "ready", next_at=AT, maybe_arrived=True)
    assert [one.maybe_arrived for one in tx.letters()] == [True]
    tx.requeue_letter(letter_id, AT, "once more")
    assert [one.maybe_arrived for one in tx.letters()] == [False]


def test_what_an_older_felix_counted_counts(tmp_path: Path, reader: Reader) -> None:
    with closing(sqlite3.connect(tmp_path / "felix.db")) as raw:
        assert raw.execute("SELECT game_id, seat, report FROM bounces ORDER BY report").fetchall() == [
            ("k7m2p", 2, "0a1b"),
            ("k7m2p", 1, "5"),
        ]
        assert raw.execute("SELECT letter_id FROM letters WHERE alerted").fetchall() == [(4,)]
