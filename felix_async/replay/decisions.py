"""The decisions of a game, as one viewer may know them: what was possible, and what speaks about it.

For each card, bid and pass: what the seat might have done, what it had said in advance, who caused the
move, and what the computer would have done in its place, and why. All of it is a seat's own: of other seats
only those are told anything who see all, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal

from felix_async.audit.draw_check import revealed
from felix_async.audit.evidence import Evidence
from felix_async.audit.private import opened_there
from felix_async.audit.said import Said
from felix_async.audit.seat_logs import Own, own_logs
from felix_async.draw import Dice, Stream
from felix_async.game.ahead import ahead_of, standing
from felix_async.game.cards import card_text
from felix_async.game.commands import Bid, Move, Pass, Play
from felix_async.game.folding import apply
from felix_async.game.names import Names
from felix_async.game.narrate import reasons_text, told_order
from felix_async.game.sensible import sensible_player
from felix_async.game.state import Game, initial_state
from felix_async.game.views import Choices, Viewer, choices, view
from felix_async.language.phrases import phrase
from felix_async.replay.beside import Told
from felix_events import model as m
from felix_events.envelope import Channel, Envelope

Cause = Channel | Literal["rules"]
"""Who caused a move: a player by mail, on a page or by an order in advance; the desk of the host, or of
somebody who plays there; the clock, as time was up; the computer; the rules, which left no choice."""
_BY_ACTOR: Final[Mapping[str, Cause]] = {"computer": "computer", "host": "desk"}
_ENDS: Final = (m.GameEnded, m.GameAbandoned)
_IN_AUCTION: Final = (m.BidPlaced, m.PlayerPassed)


@dataclass(frozen=True, slots=True)
class Decision:
    """A move of a seat, and what it might have been.

    `cause` is None if no record tells it. `would` is the computer's move in its place, with its `reasons`;
    None where the rules left no choice. `caused` are the sentences about who caused it and what was said in
    advance, `compared` those about what the computer would have done.
    """

    version: int
    seat: int
    choices: Choices
    cause: Cause | None
    would: Move | None
    reasons: Sequence[str]
    caused: Sequence[str]
    compared: Sequence[str]
    ahead: Sequence[str]
    """The sentences for whoever looks before it is made: nothing of what it came to."""

    @property
    def why(self) -> Sequence[str]:
        """The sentences about what the computer would have done, and its reasons."""
        return [*self.compared, *_reasoned(self.reasons)]


def decisions(
    evidence: Evidence, envelopes: Sequence[Envelope], viewer: Viewer, names: Names, told: Told
) -> dict[int, Decision]:
    """Return the decisions that a viewer may know, by the version of the move. Raises Flaw.

    `told` is what the viewer may know beside the log. While a game runs a seat knows its own bids and passes:
    the version of its card would tell who placed one before.
    """
    game, is_over = initial_state(), any(isinstance(one.data, _ENDS) for one in envelopes)
    if viewer == "spectator" or (viewer == "all" and not is_over):
        return {}
    dice = revealed(evidence.game_id, envelopes[-1].data)
    own = own_logs(evidence, envelopes)
    channels = {version: one.channel for version, one in opened_there(evidence, envelopes).items()}
    deciding = _Deciding(names, told, own, channels, dice, is_over)
    found: dict[int, Decision] = {}
    began, told_now = envelopes[0], m.PLAYED if is_over else _IN_AUCTION
    for envelope in envelopes:
        event = envelope.data
        began = began if envelope.actor == "rules" else envelope
        if isinstance(event, told_now) and viewer in ("all", event.seat):
            found[envelope.version] = deciding.decision(envelope, event, game, began)
        apply(game, event)
    return found


@dataclass(frozen=True, slots=True)
class _Deciding:
    names: Names
    told: Told
    own: Mapping[int, Own]
    channels: Mapping[int, Cause]
    dice: Dice | None
    is_over: bool

    def decision(self, envelope: Envelope, event: m.Played, game: Game, began: Envelope) -> Decision:
        """The decision that a move was, at the table that it met; `began` is the beginning of its step."""
        seat, version, able = event.seat, envelope.version, choices(game, event.seat)
        cause = self._cause(envelope, began, seat)
        said, move = self._said(game, seat), _move_of(event)
        would: Move | None = None
        reasons: Sequence[str] = ()
        # While a game runs the computer's reasons for its own moves are nobody's business.
        is_known = cause == "computer" and (version in self.told.reasons or not self.is_over)
        if is_known:
            would, reasons = move, self.told.reasons.get(version, ())
        elif cause != "rules":
            would, reasons = self._would(cause, game, seat, envelope)
        caused = [*self._caused(cause, envelope, said)]
        compared = [] if is_known or would is None else [*_compared(cause, move, would)]
        expected = [] if would is None else [_expected(would), *_reasoned(reasons)]
        ahead = [*self._given(said), *expected]
        return Decision(version, seat, able, cause, would, reasons, caused, compared, ahead)

    def _would(
        self, cause: Cause | None, game: Game, seat: int, envelope: Envelope
    ) -> tuple[Move, Sequence[str]]:
        """Return what the computer does in the place of a seat.

        Its own move is drawn as it was, if the seed is known; else chance goes with this place of the log.
        """
        if cause == "computer" and self.dice is not None:
            numbers = self.dice.stream(game.contributions, f"computer/{game.version}")
        else:
            numbers = Stream(sha256(f"{envelope.game_id}/{envelope.version}".encode()).digest(), "would")
        decision = sensible_player(view(game, seat), seat, numbers)
        return decision.move, reasons_text(decision.reasons)

    def _cause(self, envelope: Envelope, began: Envelope, seat: int) -> Cause | None:
        if envelope.actor == "rules":
            timed_out = began.data
            is_late = isinstance(timed_out, m.TurnTimedOut) and timed_out.seat == seat
            return "clock" if is_late else "rules"
        return self.channels.get(envelope.version) or _BY_ACTOR.get(envelope.actor)

    def _said(self, game: Game, seat: int) -> Said | None:
        """The order that the seat had given in advance for what it is asked now."""
        log = self.own[seat].envelopes if seat in self.own else ()
        ahead = standing(ahead_of(log, until=game.version), game)
        given = ahead.auction if game.phase == "bidding" else ahead.card
        if given is None or (given.order.kind == "next" and given.order.round == game.round):
            return None
        return self.told.orders.get((seat, given.version))

    def _caused(self, cause: Cause | None, envelope: Envelope, said: Said | None) -> Iterator[str]:
        if envelope.version in self.told.by:
            yield self.told.by[envelope.version][1]
            return
        if cause == "desk" and envelope.actor == "seat":
            yield phrase("replay.cause.terminal")
        elif cause is not None and cause != "order":
            yield phrase(f"replay.cause.{cause}")
        yield from self._given(said)

    def _given(self, said: Said | None) -> Iterator[str]:
        if said is not None:
            order = said.order
            yield told_order(order, order.seat, self.names.at(order.size), "given")


def _move_of(event: m.Played) -> Move:
    match event:
        case m.CardPlaced():
            return Play(seat=event.seat, card=event.card)
        case m.BidPlaced():
            return Bid(seat=event.seat, amount=event.amount)
        case m.PlayerPassed():
            return Pass(seat=event.seat)


def _compared(cause: Cause | None, move: Move, would: Move) -> Iterator[str]:
    if would != move:
        yield _expected(would)
    elif cause != "computer":
        yield phrase("replay.would.same")
    if cause == "computer":
        yield phrase("replay.would.anew")


def _reasoned(reasons: Sequence[str]) -> Iterator[str]:
    if reasons:
        yield phrase("events.reasons.told", reasons=" ".join(reasons))


def _expected(would: Move) -> str:
    match would:
        case Play():
            return phrase("replay.would.card", card=card_text(would.card))
        case Bid():
            return phrase("replay.would.bid", mice=would.amount)
        case Pass():
            return phrase("replay.would.pass")
