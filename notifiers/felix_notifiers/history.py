"""What happened lately, as sentences to one reader: since a move, or since a letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Final

from felix_async.game.view import redact
from felix_async.replay import describe
from felix_async.words.phrases import phrase
from felix_events.envelope import Envelope
from felix_events.model import (
    AbsenceBegan,
    AbsenceDeclared,
    AbsenceEnded,
    BidPlaced,
    CardPlaced,
    ClockSet,
    DeadlineSet,
    DummyDealt,
    Event,
    GameAbandoned,
    GameEnded,
    GameResumed,
    HandDealt,
    PlayerPassed,
    PlayerSaid,
    ReserveSpent,
    SeatHandedOver,
    SeedRevealed,
    TurnTimedOut,
    VoteCast,
    VotesWithdrawn,
)
from felix_events.store.rows import Saying
from felix_notifiers.harmless import one_line, seat_names
from felix_notifiers.lapse import is_timed_out
from felix_notifiers.sheet import Speech, Told

_TOLD_APART: Final = (GameAbandoned, GameEnded, SeedRevealed)
"""The end of a game fills a section of its own."""
_UNTOLD: Final = (ClockSet, DeadlineSet, ReserveSpent, AbsenceBegan)
"""What a mail says elsewhere: deadlines stand at its top. An absence that begins gives the seat away."""
_NO_MOVES: Final = (
    AbsenceDeclared,
    AbsenceEnded,
    DeadlineSet,
    GameResumed,
    PlayerSaid,
    ReserveSpent,
    TurnTimedOut,
    VoteCast,
    VotesWithdrawn,
)
"""What a seat may cause, or what is about it, without its cards or bids being touched."""
_ASIDE: Final = (AbsenceDeclared, AbsenceEnded, PlayerSaid, SeatHandedOver)
"""What is no matter of moves: whoever moved before it reached them has not heard of it yet."""
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


@dataclass(frozen=True, slots=True)
class Marks:
    """The versions of what is told in another way than it stands in the log.

    `away`: it happened while the computer played for the reader. `lapsed`: a move that was made because time
    was up. `taken`: the computer got a seat because of that. `doubled`: two events say the same.
    """

    away: Set[int]
    lapsed: Set[int]
    taken: Set[int]
    doubled: Set[int]

    @classmethod
    def of(cls, envelopes: Sequence[Envelope], seat: int) -> Marks:
        """The marks of a log for the reader at a seat."""
        lapsed: set[int] = set()
        taken: set[int] = set()
        doubled: set[int] = set()
        late: int | None = None
        for before, envelope in pairwise([None, *envelopes]):
            assert envelope is not None
            event = envelope.data
            if isinstance(event, TurnTimedOut):
                late = event.seat
            elif isinstance(event, CardPlaced | PlayerPassed) and event.seat == late:
                lapsed.add(envelope.version)
                late = None
            elif is_timed_out(before, envelope):
                taken.add(envelope.version)
            if before is not None and _is_return(before.data, event):
                doubled.add(before.version if isinstance(before.data, AbsenceEnded) else envelope.version)
        return cls(_away(envelopes, seat), lapsed, taken, doubled)


def _is_return(first: Event, second: Event) -> bool:
    """Whether these are the end of an absence, and the seat given back to its player because of that."""
    pair = (first, second) if isinstance(first, AbsenceEnded) else (second, first)
    return (
        isinstance(pair[0], AbsenceEnded)
        and isinstance(pair[1], SeatHandedOver)
        and pair[0].seat == pair[1].seat
        and pair[1].to == "player"
    )


def since_last_move(
    envelopes: Sequence[Envelope],
    names: Sequence[str],
    seat: int,
    ear: Ear | None = None,
    missed: Sequence[Envelope] = (),
) -> list[Told]:
    """What came after the seat's last move, or from the beginning, as the seat may know it.

    Before it stands what the reader `missed` (see `before_last_move`).
    """
    last = _last_move(envelopes, seat)
    later = [envelope for envelope in envelopes if envelope.version > last]
    return _told([*missed, *later], names, seat, ear or Ear(), Marks.of(envelopes, seat))


def before_last_move(envelopes: Sequence[Envelope], seat: int) -> list[Envelope]:
    """What others said, and who came and went, before the seat's last move."""
    last = _last_move(envelopes, seat)
    return [
        envelope
        for envelope in envelopes
        if envelope.version <= last and isinstance(envelope.data, _ASIDE) and envelope.data.seat != seat
    ]


def since_version(
    envelopes: Sequence[Envelope], names: Sequence[str], seat: int, version: int, ear: Ear | None = None
) -> list[Told]:
    """What came after this version of the log, as the seat may know it; how a game ended is not in it."""
    later = [envelope for envelope in envelopes if envelope.version > version]
    return _told(later, names, seat, ear or Ear(), Marks.of(envelopes, seat))


def _told(
    envelopes: Sequence[Envelope], names: Sequence[str], seat: int, ear: Ear, marks: Marks
) -> list[Told]:
    shown = seat_names(names)
    lines: list[Told] = []
    heard = (
        envelope
        for envelope in envelopes
        if envelope.version not in marks.doubled and _is_told(envelope, ear, seat)
    )
    for alike, run in groupby(heard, lambda envelope: _alike(envelope, seat)):
        events = list(run)
        if alike == "bids" and len(events) >= MANY_BIDS:
            lines.append(_bidding(events, shown))
        elif alike == "cards" and len({getattr(one.data, "seat", 0) for one in events}) > 1:
            lines.append(_placing(events, shown))
        else:
            lines += [_line(one, shown, seat, ear, marks) for one in events]
    return lines


def _last_move(envelopes: Sequence[Envelope], seat: int) -> int:
    """The version of the seat's last move, 0 where it has made none."""
    away = _away(envelopes, seat)
    moves = (one.version for one in envelopes if one.version not in away and _is_move_of(one, seat))
    return max(moves, default=0)


def _is_move_of(envelope: Envelope, seat: int) -> bool:
    """Whether the seat, or somebody for it, caused this event; what the rules do in its name is no move, and
    neither are words, votes, a return, or what the clock does.
    """
    event = envelope.data
    if isinstance(event, _NO_MOVES) or (isinstance(event, SeatHandedOver) and event.to == "player"):
        return False
    return envelope.actor != "rules" and getattr(event, "seat", None) == seat


def _away(envelopes: Sequence[Envelope], seat: int) -> set[int]:
    """The versions of what happened while the computer played for this seat."""
    versions: set[int] = set()
    is_away = False
    for envelope in envelopes:
        event = envelope.data
        if is_away:
            versions.add(envelope.version)
        if isinstance(event, SeatHandedOver) and event.seat == seat:
            is_away = event.to == "computer"
    return versions


def _is_told(envelope: Envelope, ear: Ear, seat: int) -> bool:
    if isinstance(envelope.data, PlayerSaid):
        return ear.hears
    return not isinstance(envelope.data, (*_TOLD_APART, *_UNTOLD)) and not is_secret_deal(envelope.data, seat)


def is_secret_deal(event: Event, seat: int) -> bool:
    """Whether it is the deal of somebody else's hand, of which there is nothing to tell."""
    return isinstance(event, DummyDealt) or (isinstance(event, HandDealt) and event.seat != seat)


def _alike(envelope: Envelope, seat: int) -> str:
    """What may be told together: bids, and cards that others put face down; '' for all else."""
    if envelope.actor == "host":
        return ""
    if isinstance(envelope.data, BidPlaced):
        return "bids"
    return "cards" if isinstance(envelope.data, CardPlaced) and envelope.data.seat != seat else ""


def _bidding(envelopes: Sequence[Envelope], names: Sequence[str]) -> str:
    """Two who outbid each other by one mouse, all afternoon, in one sentence."""
    bids = [envelope.data for envelope in envelopes if isinstance(envelope.data, BidPlaced)]
    shown = [_TOGETHER.join((names[bid.seat], str(bid.amount))) for bid in bids]
    return phrase("events.bid_placed.many", bids=", ".join(shown))


def _placing(envelopes: Sequence[Envelope], names: Sequence[str]) -> str:
    """Who has put a card face down, each once, also who has exchanged it."""
    seats = dict.fromkeys(getattr(envelope.data, "seat", 0) for envelope in envelopes)
    return phrase("events.hidden.card_placed.many", names=[names[seat] for seat in seats])


def _line(envelope: Envelope, names: Sequence[str], seat: int, ear: Ear, marks: Marks) -> Told:
    """A sentence, or what was said where that is still known."""
    event = envelope.data
    text = one_line(ear.sayings.get(envelope.version, ""), SAYING_LIMIT)
    if isinstance(event, PlayerSaid) and text:
        if event.seat == seat:
            return Speech(phrase("mails.speech.you"), text)
        return Speech(phrase("mails.speech.other", who=names[event.seat]), text)
    if isinstance(event, SeatHandedOver) and envelope.version in marks.taken:
        if event.seat == seat:
            return phrase("mails.lapse.handed_over.you")
        return phrase("mails.lapse.handed_over.other", who=names[event.seat])
    sentence = describe(redact(event, seat), names, actor=envelope.actor, you=seat)
    if envelope.version in marks.lapsed and getattr(event, "seat", None) == seat:
        return phrase("mails.lapse.did_this", sentence=sentence)
    if (
        envelope.version in marks.away
        and envelope.actor == "computer"
        and getattr(event, "seat", None) == seat
    ):
        return phrase("events.computer.did_this", sentence=sentence)
    return sentence
