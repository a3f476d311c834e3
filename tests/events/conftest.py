"""The stores, one after the other, and a whole game to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from felix_async.draw import Stream
from felix_async.game.commands import Join
from felix_async.game.players import random_player
from felix_async.game.views import view
from felix_async.service import Origin, Player, Service
from felix_events.export import Export, read_export, write_export
from felix_events.store.base import Store
from felix_events.store.sqlite import SqliteStore
from fresh import a_database

FIRST_MOMENT = datetime(2026, 11, 20, 21, tzinfo=UTC)


STORES: Final[dict[str, Callable[[Path], Store]]] = {"sqlite": lambda folder: a_database(folder / "felix.db")}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each kind of store, empty: a test that asks for it is a part of the contract."""
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()


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
            origin = Origin(f"join/{seat}", "seat", "mail", f"{seat}" * 64, "JOIN")
            outcome = service.handle(tx, game_id, Join(seat=seat, contribution=f"{seat}" * 64), origin)
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
