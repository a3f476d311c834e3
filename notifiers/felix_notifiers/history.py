"""What happened since a seat's own last move, as sentences to its reader."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from felix_async.game.view import redact
from felix_async.replay import describe
from felix_async.words.phrases import phrase
from felix_events.envelope import Envelope
from felix_events.model import BidPlaced, GameAbandoned, GameEnded, SeedRevealed
from felix_notifiers.harmless import seat_names

_TOLD_APART: Final = (GameAbandoned, GameEnded, SeedRevealed)
"""The end of a game fills a section of its own."""
_TOGETHER: Final = "\u00a0"
MANY_BIDS: Final = 4
"""So many bids one after the other are told in one sentence."""


def since_last_move(envelopes: Sequence[Envelope], names: Sequence[str], seat: int) -> list[str]:
    """What came after the seat's last move, or from the beginning, as the seat may know it."""
    shown = seat_names(names)
    last = max((place for place, envelope in enumerate(envelopes) if _is_move_of(envelope, seat)), default=-1)
    told = [envelope for envelope in envelopes[last + 1 :] if not isinstance(envelope.data, _TOLD_APART)]
    lines: list[str] = []
    for bids, run in groupby(told, _is_bid):
        events = list(run)
        if bids and len(events) >= MANY_BIDS:
            lines.append(_bidding(events, shown))
        else:
            lines += [_sentence(envelope, shown, seat) for envelope in events]
    return lines


def _is_move_of(envelope: Envelope, seat: int) -> bool:
    """Whether the seat, or somebody for it, caused this event; what the rules do in its name is no move."""
    return envelope.actor != "rules" and getattr(envelope.data, "seat", None) == seat


def _is_bid(envelope: Envelope) -> bool:
    return isinstance(envelope.data, BidPlaced) and envelope.actor != "host"


def _bidding(envelopes: Sequence[Envelope], names: Sequence[str]) -> str:
    """Two who outbid each other by one mouse, all afternoon, in one sentence."""
    bids = [envelope.data for envelope in envelopes if isinstance(envelope.data, BidPlaced)]
    told = [_TOGETHER.join((names[bid.seat], str(bid.amount))) for bid in bids]
    return phrase("events.bid_placed.many", bids=", ".join(told))


def _sentence(envelope: Envelope, names: Sequence[str], seat: int) -> str:
    return describe(redact(envelope.data, seat), names, actor=envelope.actor, you=seat)
