"""Another game with the same players and the same clock, each in the seat where they sat; the next starts.

There is one rematch of a game, whoever asks for it and how often: who asks first opens the table and hosts
it, and everybody else who asks takes their seat there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import orjson

from felix_async.game.commands import Join
from felix_async.game.lobby import FEWEST
from felix_async.game.state import Game
from felix_async.game.table import Refusal
from felix_async.service import Origin, Outcome, Player, Service
from felix_events.envelope import decode_events
from felix_events.model import GameStarted, Options
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import SeatRow

_OPENED: Final = "rematch/"
"""How the id of the command begins that opens the rematch of a game."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """What came of asking for another game: its id ('' where there is none), and the outcome.

    `opened` says that this opened the table. `invited` are the names of those who were invited now,
    `left_out` of those who cannot be: they resigned, want no mail, or were forgotten (who have the name '').
    """

    game_id: str
    outcome: Outcome
    opened: bool = False
    invited: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def rematch(
    tx: Tx, service: Service, game_id: str, seat: int, *, contribution: str, origin: Origin
) -> Rematch:
    """Open the rematch of a finished game for the player of this seat, or take their seat in it.

    `contribution` is what the asker's mail puts into the draw (`felix_async.draw`), since they have joined;
    `origin` says where the order comes from, and its `command_id` names the JOIN. Refused with
    `rematch/not_over`, `rematch/too_few`, `rematch/left_out`, `rematch/over` where the rematch was abandoned,
    `seat/not_playing` where the asker had no part in the game, and, for whoever is in already,
    `seat/already_joined` or `game/already_started`.
    """
    old = service.load(tx, game_id)
    if not old.is_over:
        return Rematch("", Outcome(old.version, refusal=Refusal("rematch/not_over")))
    opened = _opened(tx, game_id)
    if opened is not None:
        return _joined(tx, service, opened, old.seats[seat].player_id, contribution, origin)
    if not _took_part(old, seat):
        return Rematch("", Outcome(old.version, refusal=Refusal("seat/not_playing")))
    rows = tx.seats(game_id)
    coming = [row for row in rows if row.seat == seat or _can_come(tx, old, row)]
    left_out = [row.name for row in rows if row not in coming]
    if len(coming) < FEWEST:
        refusal = Refusal("rematch/too_few", {"players": len(coming)})
        return Rematch("", Outcome(old.version, refusal=refusal), left_out=left_out)
    new_id, outcome = service.open_table(
        tx,
        [Player(row.player_id, row.name, None) for row in coming],
        origin=replace(origin, command_id=f"{_OPENED}{game_id}", turn=None),
        table_name=_table_name(tx, game_id),
        ruleset=old.ruleset,
        options=Options(start_seat=_next_start(tx, game_id, old, coming)),
        clock=old.clock,
        host=[row.seat for row in coming].index(seat),
    )
    if outcome.refusal is not None:
        return Rematch("", outcome)
    joined = _joined(tx, service, new_id, old.seats[seat].player_id, contribution, origin)
    invited = [row.name for row in coming if row.seat != seat]
    return replace(joined, opened=True, invited=invited, left_out=left_out)


def is_opened(reader: Reader, game_id: str) -> bool:
    """Whether somebody has asked for the rematch of this game already."""
    return _opened(reader, game_id) is not None


def _opened(reader: Reader, game_id: str) -> str | None:
    """The rematch that there is."""
    outcome = reader.outcome(f"{_OPENED}{game_id}")
    return None if outcome is None else str(orjson.loads(outcome)["game_id"])


def _joined(
    tx: Tx, service: Service, game_id: str, player_id: str, contribution: str, origin: Origin
) -> Rematch:
    """The seat of this player at the new table, taken."""
    game = service.load(tx, game_id)
    seat = next((number for number, state in enumerate(game.seats) if state.player_id == player_id), None)
    if seat is None:
        return Rematch(game_id, Outcome(game.version, refusal=Refusal("rematch/left_out")))
    if game.phase == "abandoned":
        return Rematch(game_id, Outcome(game.version, refusal=Refusal("rematch/over")))
    join = Join(seat=seat, contribution=contribution)
    return Rematch(game_id, service.handle(tx, game_id, join, replace(origin, turn=None)))


def _can_come(reader: Reader, old: Game, row: SeatRow) -> bool:
    """Whether this player can be asked: took part to the end, and gets mail."""
    is_there = _took_part(old, row.seat) and not old.seats[row.seat].gone
    return is_there and bool(row.name) and row.address is not None


def _took_part(old: Game, seat: int) -> bool:
    """Whether the seat played; in a game that never began, whether it might have."""
    return seat in old.players if old.phase == "ended" else old.seats[seat].answer in ("joined", "invited")


def _next_start(reader: Reader, game_id: str, old: Game, coming: list[SeatRow]) -> int | None:
    """The seat, at the new table, after the one that started the first round; None where none did."""
    events = decode_events(reader.bodies(game_id))
    started = next((event.start_seat for event in events if isinstance(event, GameStarted)), None)
    if started is None:
        return old.options.start_seat if len(coming) == len(old.seats) else None
    seats = len(old.seats)
    return min(range(len(coming)), key=lambda place: (coming[place].seat - started - 1) % seats)


def _table_name(reader: Reader, game_id: str) -> str:
    row = reader.game(game_id)
    return "" if row is None else row.table_name
