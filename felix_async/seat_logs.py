"""The seats' own logs in a store: the orders that stand in them, and how they grow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from felix_async.game.ahead import NOTHING, Ahead, Given, ahead_of, given_by, holds
from felix_async.game.commands import (
    Bid,
    Close,
    Command,
    Create,
    EndPause,
    Give,
    Leave,
    Play,
    Restore,
    Substitute,
    TimeOut,
)
from felix_async.game.state import Game
from felix_async.known import Known
from felix_async.origin import Entropy, Origin, private_record
from felix_events.envelope import Actor, Envelope, decode_seat_envelopes, encode_envelope, seat_log_id
from felix_events.model import ChoiceExplained, DropReason, OrderDone, OrderDropped, OrderGiven
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import GameRow, Sealed
from felix_events.tree import range_root

MOST_ORDERS: Final = 40
"""Orders that a seat may give in advance within a round; each of them stays in its log."""
_PLAYED: Final = ("placing", "bidding")
_ORDER = b'"type":"order_'
"""Stands in an envelope that is about an order; the others are reasons of the computer."""


def ahead_at(reader: Reader, game_id: str, seat: int) -> Ahead:
    """Return the orders that a seat has given in advance and that nothing has ended in its own log."""
    ahead, _ = _ahead_in(reader, (seat_log_id(game_id, seat),))
    return ahead.get(seat, NOTHING)


def orders_at(reader: Reader, game_id: str, seat: int) -> list[Envelope]:
    """Return the events of a seat's own log that are about its orders."""
    log_id = seat_log_id(game_id, seat)
    return _orders_in(reader, log_id) if log_id in reader.heads((log_id,)) else []


def given_in_round(reader: Reader, game_id: str, seat: int, round_: int) -> int:
    """Return the number of orders that a seat has given in a round, whatever came of them."""
    given = (envelope.data for envelope in orders_at(reader, game_id, seat))
    return sum(isinstance(event, OrderGiven) and event.round == round_ for event in given)


def all_ahead(reader: Reader, game_id: str, game: Game) -> dict[int, Ahead]:
    """Return the same of all seats, those that have given any; of a game that is not played, none."""
    ahead, _ = ahead_since(reader, game_id, game)
    return ahead


def ahead_since(reader: Reader, game_id: str, game: Game) -> tuple[dict[int, Ahead], str]:
    """Return the same, and the time of the newest event about any order, '' if there is none."""
    return _ahead_in(reader, _logs_of(game_id, len(game.seats))) if game.phase in _PLAYED else ({}, "")


def roots_of(reader: Reader, game_id: str, seats: int) -> list[str]:
    """Return the roots of the seats' own logs, as `seat_logs_closed` has them."""
    logs = _logs_of(game_id, seats)
    heads = reader.heads(logs)
    return [range_root(heads[log_id][1] if log_id in heads else b"").hex() for log_id in logs]


def _logs_of(game_id: str, seats: int) -> tuple[str, ...]:
    return tuple(seat_log_id(game_id, seat) for seat in range(seats))


def _ahead_in(reader: Reader, logs: Sequence[str]) -> tuple[dict[int, Ahead], str]:
    found, last_at = dict[int, Ahead](), ""
    for log_id in reader.heads(logs):
        envelopes = _orders_in(reader, log_id)
        ahead = ahead_of(envelopes)
        if ahead.given:
            found[int(log_id[-1])] = ahead
        last_at = max([last_at, *(envelope.at for envelope in envelopes[-1:])])
    return found, last_at


def _orders_in(reader: Reader, log_id: str) -> list[Envelope]:
    return decode_seat_envelopes([body for body in reader.bodies(log_id) if _ORDER in body])


@dataclass
class Moving:
    """A game while it moves on: the one time of all its steps, and the orders that stand, by seat.

    `row` is None if there is no such game here. `known` is the game after the last step.
    """

    tx: Tx
    game_id: str
    row: GameRow | None
    known: Known
    now: datetime
    at: str
    entropy: Entropy
    ahead: dict[int, Ahead]
    by_order: set[int | None] = field(default_factory=set)
    """The seats whose orders have made a move."""

    def keep(self, give: Give, game: Game, origin: Origin) -> None:
        """Keep an order in the place of an earlier one; the same once more changes nothing."""
        order, standing = given_by(give, game), self.ahead.get(give.seat, NOTHING)
        earlier = standing.card if give.kind == "next" else standing.auction
        if earlier is not None and holds(earlier, game):
            if earlier.order.model_copy(update={"size": order.size}) == order:
                return
            self.drop([earlier], game, "replaced", origin)
            standing = self.ahead.get(give.seat, NOTHING)
        given = Given(self.note(order, origin, game.options.records), order, origin.actor)
        is_card = give.kind == "next"
        standing = replace(standing, card=given) if is_card else replace(standing, auction=given)
        self.ahead[give.seat] = standing

    def drop(
        self, given: Iterable[Given], game: Game, why: DropReason, origin: Origin | None = None
    ) -> list[Given]:
        """Drop those of these orders that hold, and return them; `origin` is that of a wish to drop them."""
        held = [one for one in given if holds(one, game)]
        for one in held:
            dropped = OrderDropped(seat=one.order.seat, size=game.version, order=one.version, why=why)
            self.note(dropped, origin, game.options.records)
        self.forget(held)
        return held

    def ended_by(self, command: Command, origin: Origin) -> tuple[DropReason, list[Given]]:
        """Return the orders that end with a command, and why.

        They are all of a seat whose player is not there any more; of one that bids anew, that of its bids; of
        one that places the card which it had for the next round, that.
        """
        why = _ENDING.get(type(command))
        if why is None or isinstance(command, Create | Close | EndPause | Restore):
            return "asked", []
        standing = self.ahead.get(command.seat, NOTHING)
        if isinstance(command, Play):
            is_it = standing.card is not None and standing.card.order.card == command.card
            ended = standing.card if is_it and origin.channel != "order" else None
        elif isinstance(command, Bid):
            ended = None if origin.channel in ("order", "computer") else standing.auction
        else:
            return why, list(standing.given)
        return why, [] if ended is None else [ended]

    def without(self, ended: Collection[Given]) -> dict[int, Ahead]:
        """Return the orders that stand but for these."""
        return {
            seat: Ahead(*(None if one in ended else one for one in (standing.auction, standing.card)))
            for seat, standing in self.ahead.items()
        }

    def forget(self, ended: Collection[Given]) -> None:
        """Let these stand no more."""
        self.ahead = self.without(ended)

    def note(
        self,
        event: ChoiceExplained | OrderGiven | OrderDropped | OrderDone,
        origin: Origin | None = None,
        records: int = 2,
    ) -> int:
        """Append an event to its seat's own log, with its origin if somebody asked for it; its version."""
        log_id = seat_log_id(self.game_id, event.seat)
        version, _ = self.tx.head(log_id)
        record, private_hash = None, None
        actor: Actor = "computer" if isinstance(event, ChoiceExplained) else "rules"
        if origin is not None:
            record, private_hash = private_record(records, origin, self.entropy)
            actor = origin.actor
        body = encode_envelope(
            event,
            game_id=log_id,
            version=version + 1,
            at=self.at,
            actor=actor,
            salt=self.entropy(16).hex(),
            private=private_hash,
        )
        self.tx.append(log_id, version, [Sealed(body, record)])
        return version + 1


_ENDING: Final[Mapping[type[Command], DropReason]] = {
    TimeOut: "timed_out",
    Leave: "left",
    Substitute: "substituted",
    Bid: "replaced",
    Play: "replaced",
}
"""Commands with which orders of their seat end, and why."""
