"""A store, and a whole game to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from felix_async.draw import Stream, contribution
from felix_async.game.commands import Join
from felix_async.game.players import random_player
from felix_async.game.views import view
from felix_async.service import Origin, Player, Service
from felix_events.export import Export, read_export, write_export
from felix_events.store.base import Store, Tx
from felix_events.store.sqlite import SqliteStore
from fresh import a_database

FIRST_MOMENT = datetime(2026, 11, 20, 21, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "felix.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """An empty store: a test that asks for it is a part of the contract."""
    with closing(a_database(path)) as store:
        yield store


@pytest.fixture
def tx(store: Store) -> Iterator[Tx]:
    """A transaction on it, which is committed after the test."""
    with store.write() as tx:
        yield tx


def _ticking() -> Callable[[], datetime]:
    """A clock that moves on by a minute whenever it is looked at."""
    minutes = count()
    return lambda: FIRST_MOMENT + timedelta(minutes=next(minutes))


def _reproducible() -> Callable[[int], bytes]:
    """Bytes that look random and are the same in every run; at most 32 at a time."""
    numbers = count()
    return lambda size: sha256(b"%d" % next(numbers)).digest()[:size]


@pytest.fixture(scope="session")
def ended_game() -> Export:
    """A game of three computer players to its end, with its private records, as a file gives it back."""
    service = Service(_ticking(), _reproducible())
    numbers = Stream(bytes(32), "players")
    names = ["Anna", "Ben", "Cara"]
    with SqliteStore.in_memory().write() as tx:
        game_id, outcome = service.open_table(
            tx,
            [Player(name.lower(), name) for name in names],
            origin=Origin("new", "host", "desk"),
            table_name="Thursday club",
            ruleset="felicity-2017",
            kind="simulated",
        )
        for seat in range(3):
            origin = Origin(f"join/{seat}", "seat", "mail", f"{seat}" * 64, f"JOIN {seat}")
            join = Join(seat=seat, contribution=contribution("", f"{seat}"))
            outcome = service.handle(tx, game_id, join, origin)
        game = service.load(tx, game_id)
        while not game.is_over:
            seat = game.asked[0]
            move = random_player(view(game, seat), seat, numbers).move
            origin = Origin(f"move/{game.version}", "computer", "computer")
            outcome = service.handle(tx, game_id, move, origin)
            assert outcome.refusal is None
            game = service.load(tx, game_id)
        rows = tx.log(game_id)
    records = {row.version: row.private_record for row in rows if row.private_record is not None}
    bodies = [row.body for row in rows]
    return read_export(write_export(game_id, names, "Thursday club", bodies, records))
