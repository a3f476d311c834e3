"""Games to measure with: the same in every run, played by mail, step by step.

A game is first played in memory and written down. Played again on another store with the same secrets it
is the same game, byte for byte: so only what is measured happens while the clock runs.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from itertools import count
from typing import Final

from felix_async.draw import Stream, contribution
from felix_async.game.commands import Command, Join, order_text
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.game.sensible import sensible_player
from felix_async.game.views import view
from felix_async.service import Origin, Player, Service
from felix_events.envelope import decode_events
from felix_events.model import Event
from felix_events.store.base import Store, Tx
from felix_events.store.sqlite import SqliteStore

EVENTS: Final = 150
"""The size of every game that is measured."""
_PLAYERS: Final = (sensible_player, sensible_player, sensible_player)
"""Three seats: their games come to about 150 events, those of four and five are longer."""
_FIRST_DAY: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Step:
    """A command, where it came from, and the events that it caused."""

    command: Command
    origin: Origin
    events: list[Event]


@dataclass(frozen=True, slots=True)
class Script:
    """A whole game: what opening the table and the JOINs caused, and then the moves, one mail each."""

    seed: str
    game_id: str
    opening: list[Event]
    moves: list[Step]
    bodies: list[bytes]


@dataclass(slots=True)
class Table:
    """A game of a script on a store, everybody in, the first move about to be made."""

    store: Store
    service: Service
    game_id: str

    def move(self, step: Step) -> None:
        """One mail's move, in a transaction of its own."""
        with self.store.write() as tx:
            outcome = self.service.handle(tx, self.game_id, step.command, step.origin)
        assert outcome.events == len(step.events), "the same game"


class _Entropy:
    """Bytes that follow from a word."""

    def __init__(self, seed: str) -> None:
        self._key = seed.encode()
        self._numbers = count()

    def __call__(self, size: int) -> bytes:
        return hmac.digest(self._key, next(self._numbers).to_bytes(8), "sha256")[:size]


class _Clock:
    """A clock that goes on by a minute whenever somebody looks."""

    def __init__(self) -> None:
        self._now = _FIRST_DAY

    def __call__(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now


@cache
def a_script() -> Script:
    """A game of exactly 150 events."""
    return next(script for number in count() if len((script := write_script(f"{number}")).bodies) == EVENTS)


def write_script(seed: str) -> Script:
    """The game that is played with this seed."""
    store = SqliteStore.in_memory()
    table = open_table(store, seed)
    with store.write() as tx:
        opening = decode_events(tx.bodies(table.game_id))
        moves = list(_moves(tx, table, seed))
        return Script(seed, table.game_id, opening, moves, tx.bodies(table.game_id))


def open_table(store: Store, seed: str) -> Table:
    """The table of the script with this seed on another store."""
    service = Service(_Clock(), _Entropy(seed))
    players = [
        Player(f"p-{seat}-{seed}", f"Player {seat}", f"p{seat}.{seed}@players.test")
        for seat in range(len(_PLAYERS))
    ]
    with store.write() as tx:
        game_id, outcome = service.open_table(
            tx,
            players,
            origin=Origin(f"{seed}/create", "host", "desk"),
            table_name=f"Game {seed}",
            ruleset=DEFAULT_RULESET,
        )
        assert outcome.refusal is None, "a legal table"
        for seat in range(len(players)):
            join = Join(seat=seat, contribution=contribution("", f"{seed}/{seat}"))
            service.handle(tx, game_id, join, _by_mail(seed, f"join-{seat}", f"JOIN {seed}/{seat}"))
    return Table(store, service, game_id)


def play_through(store: Store, script: Script) -> str:
    """The whole game of a script, on another store; its id."""
    table = open_table(store, script.seed)
    for step in script.moves:
        table.move(step)
    return table.game_id


def _moves(tx: Tx, table: Table, seed: str) -> Iterator[Step]:
    """Every move until the game is over; whose turn it is among those asked, and what they do, is drawn."""
    numbers = Stream(sha256(seed.encode()).digest(), "players")
    while not (game := table.service.load(tx, table.game_id)).is_over:
        seat = game.asked[numbers.below(len(game.asked))]
        command = _PLAYERS[seat](view(game, seat), seat, numbers).move
        origin = _by_mail(seed, f"{game.version}", order_text(command), game.seats[seat].turn)
        table.service.handle(tx, table.game_id, command, origin)
        yield Step(command, origin, decode_events(tx.bodies(table.game_id, game.version)))


def _by_mail(seed: str, name: str, order: str, turn: int | None = None) -> Origin:
    command_id = f"<{name}.{seed}@players.test>/1"
    return Origin(command_id, "seat", "mail", sha256(command_id.encode()).hexdigest(), order, turn)
