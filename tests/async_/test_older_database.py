"""A database that an older felix wrote while people played, brought up to date: nothing that it knew is lost.

There are tables opened at the desk, by mail and by REMATCH, one game to its end; an absence, an outage and a
clock that was ahead; two bounces, a question, a seat that was offered, and somebody who wrote FORGET ME.
"""

from __future__ import annotations

import json
import lzma
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_of
from felix_async.follow_up.kinds import Farewell, Offer, Question, dump, load
from felix_events.store.base import Reader
from felix_events.store.rows import GameRow
from felix_events.store.sqlite import SqliteStore

PACKED = Path(__file__).parents[1] / "events" / "older.db.xz"
"""Written by felix as of 1c02a2d; like other letters of long ago, most had lost their bytes."""
PLAYED, MAILED, ENDED, AGAIN = "qgdhf", "4jfg8", "vmdrk", "zr4xt"
REPORT = "b8da96bc6742595cf583337961d1882fc8f140954c26d757bbb80c02f3fb6723"
NO_COMMANDS = {
    "bounce/2",
    f"bounce/{PLAYED}/1/{REPORT}",
    "clock/qgdhf/back/2026-02-02T07:06:00.000000Z",
    "clock/qgdhf/outage/2026-01-01T12:31:00.000000Z",
    "clock/qgdhf/outage/2026-01-02T21:56:00.000000Z",
    "forgotten/dan-1",
    "unkeyed/10",
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("older") / "felix.db"
    path.write_bytes(lzma.decompress(PACKED.read_bytes()))
    SqliteStore.open_to_write(path).close()
    return path


@pytest.fixture(scope="module")
def reader(database: Path) -> Iterator[Reader]:
    with closing(SqliteStore.open_to_read(database)) as store, store.read() as reader:
        yield reader


def rows(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_every_command_stays_and_nothing_else(database: Path) -> None:
    query = "SELECT command_id, game_id, outcome FROM commands ORDER BY command_id"
    before = rows(database.with_name("felix.db.before-m012"), query)
    assert {row[0] for row in before} >= NO_COMMANDS
    assert rows(database, query) == [row for row in before if row[0] not in NO_COMMANDS]


def test_what_was_made_good_is_known(database: Path) -> None:
    query = "SELECT kind, substr(since, 1, 16), substr(until, 1, 16) FROM made_good ORDER BY since"
    assert rows(database, query) == [
        ("outage", "2026-01-01T12:31", "2026-01-02T21:51"),
        ("outage", "2026-01-02T21:56", "2026-01-03T06:57"),
        ("ahead", "2026-02-02T07:06", "2026-01-03T07:07"),
    ]


def test_what_else_stood_among_the_commands_has_its_place(database: Path) -> None:
    assert rows(database, "SELECT * FROM bounces ORDER BY report") == [(PLAYED, 1, "2"), (PLAYED, 1, REPORT)]
    assert rows(database, "SELECT * FROM leftovers") == [("dan-1", 0, 133)]
    assert rows(database, "SELECT mail_id FROM held WHERE keyless") == [(10,)]


def test_a_table_says_which_game_it_follows_and_who_opened_it(reader: Reader) -> None:
    def origin(game: GameRow) -> tuple[str, int | None]:
        return game.rematch_of, game.opened_by

    found = {game.game_id: origin(game) for game in reader.games()}
    assert {name: found.pop(name) for name in (MAILED, ENDED, AGAIN)} == {
        MAILED: ("", 0),
        ENDED: ("", None),
        AGAIN: (ENDED, 1),
    }
    assert set(found.values()) == {("", None)}


def test_every_notice_is_what_it_was(reader: Reader) -> None:
    kept = [row for game in reader.games() for row in reader.notices(game.game_id)]
    assert len(kept) == 136
    assert [row for row in kept if load(dump(load(row))) != load(row)] == []
    written_otherwise = {
        row.kind for row in kept if json.loads(dump(load(row)).payload) != json.loads(row.payload)
    }
    assert written_otherwise == {"answer", "question", "substitute", "farewell"}


def test_what_an_older_felix_wrote_otherwise_says_the_same(reader: Reader) -> None:
    found = {row.kind: load(row) for game in reader.games() for row in reader.notices(game.game_id)}
    question, offer, farewell = (found[kind] for kind in ("question", "substitute", "farewell"))
    assert isinstance(question, Question)
    assert (question.number, question.whose, question.orders) == (1, "own", ("NEW",))
    assert (question.address, question.table) == ("anna@players.test", "Sunday club")
    assert isinstance(offer, Offer)
    assert (offer.to, offer.number, offer.name, offer.by) == ("hal@friends.test", 2, "Hal", 0)
    assert isinstance(farewell, Farewell)
    assert (farewell.to, farewell.in_reply_to) == ("dan@players.test", "yes3@players.test")


def test_letters_have_the_lane_of_their_recipient(reader: Reader, database: Path) -> None:
    assert rows(database, "SELECT DISTINCT lane FROM letters ORDER BY lane") == [
        ("friends.test",),
        ("players.test",),
    ]
    assert len(reader.letters()) == 53


def test_all_games_are_sound(reader: Reader) -> None:
    found = [evidence_of(reader, game.game_id) for game in reader.games()]
    reports = [audit(evidence) for evidence in found if evidence is not None]
    assert len(reports) == 5
    assert [report for report in reports if report.findings] == []
