"""What happened lately, as sentences to one reader: since a move, or since a letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from felix_async.game.view import redact
from felix_async.replay import describe
from felix_async.words.phrases import phrase
from felix_events.envelope import Envelope
from felix_events.model import (
    BidPlaced,
    GameAbandoned,
    GameEnded,
    PlayerSaid,
    SeatHandedOver,
    SeedRevealed,
)
from felix_events.store.rows import Saying
from felix_notifiers.harmless import one_line, seat_names
from felix_notifiers.sheet import Speech, Told

_TOLD_APART: Final = (GameAbandoned, GameEnded, SeedRevealed)
"""The end of a game fills a section of its own."""
_TOGETHER: Final = "\u00a0"
MANY_BIDS: Final = 4
"""So many bids one after the other are told in one sentence."""
SAYING_LIMIT: Final = 600
"""Letters of what somebody said that a mail repeats."""


@dataclass(frozen=True, slots=True)
class Ear:
    """What a reader hears of the others: what was said, by version; nothing at all where they chose so."""

    sayings: Mapping[int, str] = field(default_factory=dict, repr=False)
    hears: bool = True

    @classmethod
    def of(cls, sayings: Sequence[Saying], hears: bool) -> Ear:
        """The ear of a reader who chose to hear, or not to."""
        return cls({saying.version: saying.text for saying in sayings} if hears else {}, hears)


def since_last_move(
    envelopes: Sequence[Envelope], names: Sequence[str], seat: int, ear: Ear | None = None
) -> list[Told]:
    """What came after the seat's last move, or from the beginning, as the seat may know it."""
    last = max((place for place, envelope in enumerate(envelopes) if _is_move_of(envelope, seat)), default=-1)
    return told(envelopes[last + 1 :], names, seat, ear)


def since_version(
    envelopes: Sequence[Envelope], names: Sequence[str], seat: int, version: int, ear: Ear | None = None
) -> list[Told]:
    """What came after this version of the log, as the seat may know it."""
    return told([one for one in envelopes if one.version > version], names, seat, ear)


def told(
    envelopes: Sequence[Envelope], names: Sequence[str], seat: int, ear: Ear | None = None
) -> list[Told]:
    """These events as sentences to the seat; how a game ended is not among them."""
    shown, ear = seat_names(names), ear or Ear()
    heard = [envelope for envelope in envelopes if _is_told(envelope, ear)]
    lines: list[Told] = []
    for bids, run in groupby(heard, _is_bid):
        events = list(run)
        if bids and len(events) >= MANY_BIDS:
            lines.append(_bidding(events, shown))
        else:
            lines += [_line(envelope, shown, seat, ear) for envelope in events]
    return lines


def _is_move_of(envelope: Envelope, seat: int) -> bool:
    """Whether the seat, or the host for it, caused this event; what the rules or the computer do in its name
    is no move, and neither are words or a return.
    """
    event = envelope.data
    if isinstance(event, PlayerSaid) or (isinstance(event, SeatHandedOver) and event.to == "player"):
        return False
    return envelope.actor in ("seat", "host") and getattr(event, "seat", None) == seat


def _is_told(envelope: Envelope, ear: Ear) -> bool:
    if isinstance(envelope.data, PlayerSaid):
        return ear.hears
    return not isinstance(envelope.data, _TOLD_APART)


def _is_bid(envelope: Envelope) -> bool:
    return isinstance(envelope.data, BidPlaced) and envelope.actor != "host"


def _bidding(envelopes: Sequence[Envelope], names: Sequence[str]) -> str:
    """Two who outbid each other by one mouse, all afternoon, in one sentence."""
    bids = [envelope.data for envelope in envelopes if isinstance(envelope.data, BidPlaced)]
    shown = [_TOGETHER.join((names[bid.seat], str(bid.amount))) for bid in bids]
    return phrase("events.bid_placed.many", bids=", ".join(shown))


def _line(envelope: Envelope, names: Sequence[str], seat: int, ear: Ear) -> Told:
    """A sentence, or what was said where that is still known."""
    event = envelope.data
    text = one_line(ear.sayings.get(envelope.version, ""), SAYING_LIMIT)
    if isinstance(event, PlayerSaid) and text:
        if event.seat == seat:
            return Speech(phrase("mails.speech.you"), text)
        return Speech(phrase("mails.speech.other", who=names[event.seat]), text)
    sentence = describe(redact(event, seat), names, actor=envelope.actor, you=seat)
    if envelope.actor == "computer" and getattr(event, "seat", None) == seat:
        return phrase("events.computer.did_this", sentence=sentence)
    return sentence
