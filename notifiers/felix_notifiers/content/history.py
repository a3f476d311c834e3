"""What happened lately, as sentences to one reader: since a move, or since a letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from felix_async.game.narrate import NOTHING, Before, befores, describe
from felix_async.game.views import redact
from felix_async.language.phrases import phrase
from felix_async.time.zones import DEFAULT_ZONE
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
    PlayerJoined,
    PlayerPassed,
    PlayerSaid,
    ReserveSpent,
    RoundStarted,
    SeatHandedOver,
    SeatTaken,
    SeedRevealed,
    TurnTimedOut,
    VoteCast,
    VotesWithdrawn,
)
from felix_events.store.rows import Former, Saying
from felix_notifiers.content.harmless import NAME_LIMIT, one_line, seat_names
from felix_notifiers.content.sheet import Speech, Told

_TOLD_APART: Final = (GameAbandoned, GameEnded)
"""The end of a game fills a section of its own."""
_UNTOLD: Final = (ClockSet, AbsenceBegan)
"""What says nothing that does not stand elsewhere: an absence that begins gives the seat to the computer."""
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
_ASIDE: Final = (AbsenceDeclared, AbsenceEnded, PlayerSaid, SeatHandedOver, VoteCast)
"""What is no matter of moves: whoever moved before it reached them has not heard of it yet."""
_TOGETHER: Final = "\u00a0"
MANY_BIDS: Final = 4
"""So many bids one after the other are told in one sentence."""
SAYING_LIMIT: Final = 600
"""Letters of what somebody said that a mail repeats."""


@dataclass(frozen=True, slots=True)
class Ear:
    """What a reader hears of the others: what was said, by version; nothing at all where they chose so.

    `former` are those whose seats somebody else has taken; `heard` the versions of what stood in a letter
    to the reader before, which is not said again.
    """

    sayings: Mapping[int, str] = field(default_factory=dict, repr=False)
    hears: bool = True
    former: Sequence[Former] = ()
    heard: Set[int] = frozenset()

    @classmethod
    def of(
        cls,
        sayings: Sequence[Saying],
        hears: bool,
        former: Sequence[Former] = (),
        heard: Set[int] = frozenset(),
    ) -> Ear:
        """The ear of a reader who chose to hear, or not to."""
        return cls({saying.version: saying.text for saying in sayings} if hears else {}, hears, former, heard)


def names_then(names: Sequence[str], former: Sequence[Former], version: int) -> list[str]:
    """The names by seat as a mail shows them, of those who sat there at a version of the log."""
    then = list(names)
    for row in reversed(former):
        if version < row.version:
            then[row.seat] = row.name
    return seat_names(then)


def came_at(envelopes: Sequence[Envelope], seat: int) -> int:
    """The version at which the player of this seat took it over from another one; 0 for who began there."""
    taken = [one for one in envelopes if type(one.data) is SeatTaken]
    return max((one.version for one in taken if getattr(one.data, "seat", None) == seat), default=0)


@dataclass(frozen=True, slots=True)
class Marks:
    """The versions of what is told in another way than it stands in the log.

    `away`: it happened while the computer played for the reader. `doubled`: an absence is over, and that the
    player is back at the table says the same. `before` is what the table was like then. `last_move` is the
    version of the reader's own, and `came` when they took the seat over; 0 for none, and who began there.
    """

    away: Set[int]
    doubled: Set[int]
    before: Mapping[int, Before]
    last_move: int
    came: int

    @classmethod
    def of(cls, envelopes: Sequence[Envelope], seat: int) -> Marks:
        """The marks of a log for the reader at a seat."""
        doubled = {
            one.version
            for place, one in enumerate(envelopes)
            if isinstance(one.data, AbsenceEnded)
            and any(_is_return(one.data, other.data) for other in _beside(envelopes, place))
        }
        away = _away(envelopes, seat)
        moves = (
            one.version for one in reversed(envelopes) if one.version not in away and _is_move_of(one, seat)
        )
        return cls(away, doubled, befores(envelopes), next(moves, 0), came_at(envelopes, seat))


def _beside(envelopes: Sequence[Envelope], place: int) -> Sequence[Envelope]:
    """The one before and the one after."""
    return [*envelopes[max(place - 1, 0) : place], *envelopes[place + 1 : place + 2]]


def _is_return(ended: AbsenceEnded, event: Event) -> bool:
    """Whether a seat was given back to its player because their absence ended."""
    return isinstance(event, SeatHandedOver) and ended.seat == event.seat and event.to == "player"


def since_last_move(
    envelopes: Sequence[Envelope],
    names: Sequence[str],
    seat: int,
    ear: Ear | None = None,
    missed: Sequence[Envelope] = (),
    zone: str = DEFAULT_ZONE,
    marks: Marks | None = None,
) -> list[Told]:
    """What came after the seat's last move, or from the beginning, as the seat may know it.

    Before it stands what the reader `missed` (see `before_last_move`). `marks` are those of the log, for who
    knows them already.
    """
    marks = marks or Marks.of(envelopes, seat)
    last = max(marks.last_move, marks.came)
    later = [envelope for envelope in envelopes if envelope.version > last]
    if not has_moved(envelopes, seat) and any(isinstance(one.data, RoundStarted) for one in later):
        # The first turn: who is at the table the row says, and the hand stands below.
        later = [one for one in later if not isinstance(one.data, (PlayerJoined, HandDealt))]
    return _told([*missed, *later], names, seat, ear or Ear(), marks, zone)


def has_moved(envelopes: Sequence[Envelope], seat: int) -> bool:
    """Whether the reader at this seat has placed a card, bid or passed."""
    came = came_at(envelopes, seat)
    return any(
        isinstance(one.data, (CardPlaced, BidPlaced, PlayerPassed)) and _is_move_of(one, seat)
        for one in envelopes
        if one.version > came
    )


def before_last_move(envelopes: Sequence[Envelope], seat: int, marks: Marks | None = None) -> list[Envelope]:
    """What others said, and who came and went, before the seat's last move."""
    last = (marks or Marks.of(envelopes, seat)).last_move
    return [
        envelope
        for envelope in envelopes
        if envelope.version <= last
        and isinstance(envelope.data, (*_ASIDE, SeatTaken))
        and envelope.data.seat != seat
    ]


def since_version(
    envelopes: Sequence[Envelope],
    names: Sequence[str],
    seat: int,
    version: int,
    ear: Ear | None = None,
    zone: str = DEFAULT_ZONE,
) -> list[Told]:
    """What came after this version of the log, as the seat may know it; how a game ended is not in it."""
    later = [envelope for envelope in envelopes if envelope.version > version]
    return _told(later, names, seat, ear or Ear(), Marks.of(envelopes, seat), zone)


def unheard(sayings: Sequence[Saying], names: Sequence[str], seat: int, ear: Ear) -> list[Speech]:
    """What others said, as far as it is still known, and the reader has not heard of it."""
    speeches: list[Speech] = []
    for saying in sayings:
        text = one_line(ear.sayings.get(saying.version, ""), SAYING_LIMIT)
        if saying.seat != seat and text and saying.version not in ear.heard:
            who = names_then(names, ear.former, saying.version)[saying.seat]
            speeches.append(Speech(phrase("mails.speech.other", who=who), text))
    return speeches


def _told(
    envelopes: Sequence[Envelope], names: Sequence[str], seat: int, ear: Ear, marks: Marks, zone: str
) -> list[Told]:
    lines: list[Told] = []
    heard = (
        envelope
        for envelope in envelopes
        if envelope.version not in marks.doubled and _is_told(envelope, ear, seat)
    )
    for alike, run in groupby(heard, lambda envelope: _alike(envelope, seat)):
        events = list(run)
        shown = names_then(names, ear.former, events[0].version)
        if alike == "bids" and len(events) >= MANY_BIDS:
            lines.append(_bidding(events, shown))
        elif alike == "cards" and len({getattr(one.data, "seat", 0) for one in events}) > 1:
            lines.append(_placing(events, shown))
        else:
            for one in events:
                shown = names_then(names, ear.former, one.version)
                lines.append(_line(one, shown, seat, ear, zone, marks))
    return lines


def _is_move_of(envelope: Envelope, seat: int) -> bool:
    """Whether the seat, or somebody for it, caused this event.

    What rules and clock do in its name is no move; words, votes, an absence and a return are none either.
    """
    event = envelope.data
    if isinstance(event, _NO_MOVES) or (isinstance(event, SeatHandedOver) and event.to == "player"):
        return False
    return envelope.actor not in ("rules", "clock") and getattr(event, "seat", None) == seat


def _away(envelopes: Sequence[Envelope], seat: int) -> set[int]:
    """The versions of what happened while the computer played for this seat."""
    versions: set[int] = set()
    # Most logs are without, and a walk through one takes its time.
    handed = next((place for place, one in enumerate(envelopes) if type(one.data) is SeatHandedOver), None)
    if handed is None:
        return versions
    is_away = False
    for envelope in envelopes[handed:]:
        event = envelope.data
        if is_away:
            versions.add(envelope.version)
        if isinstance(event, SeatHandedOver) and event.seat == seat:
            is_away = event.to == "computer"
        if isinstance(event, SeatTaken) and event.seat == seat:
            is_away = False
    return versions


def _is_told(envelope: Envelope, ear: Ear, seat: int) -> bool:
    if isinstance(envelope.data, PlayerSaid):
        return ear.hears and envelope.version not in ear.heard
    return not isinstance(envelope.data, (*_TOLD_APART, *_UNTOLD)) and is_worth_telling(envelope.data, seat)


def is_worth_telling(event: Event, seat: int) -> bool:
    """Whether a mail tells it: not the deal of somebody else's hand, and not each tick of everybody's clock.

    What a deadline means for its reader stands elsewhere in the mail, and what the seed is good for, in none.
    """
    if isinstance(event, SeedRevealed):
        return False
    is_dealt_to_others = isinstance(event, DummyDealt) or (
        isinstance(event, HandDealt) and event.seat != seat
    )
    return not is_dealt_to_others and not isinstance(event, DeadlineSet | ReserveSpent)


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


def _line(envelope: Envelope, names: Sequence[str], seat: int, ear: Ear, zone: str, marks: Marks) -> Told:
    """A sentence, or what was said where that is still known."""
    event = envelope.data
    text = one_line(ear.sayings.get(envelope.version, ""), SAYING_LIMIT)
    if isinstance(event, PlayerSaid) and text:
        if event.seat == seat:
            return Speech(phrase("mails.speech.you"), text)
        return Speech(phrase("mails.speech.other", who=names[event.seat]), text)
    return sentence(envelope, names, seat, ear.former, zone, marks, you=seat)


def sentence(
    envelope: Envelope,
    names: Sequence[str],
    seat: int,
    former: Sequence[Former],
    zone: str,
    marks: Marks,
    *,
    you: int | None,
) -> str:
    """What happened, as the seat may know it; `you` is None where somebody else sat there then.

    What the computer did for the reader is told as its deed.
    """
    event = envelope.data
    if isinstance(event, SeatTaken):
        return taken_text(envelope, event, names, you, former)
    before = marks.before.get(envelope.version, NOTHING)
    told = describe(redact(event, seat), names, actor=envelope.actor, you=you, zone=zone, before=before)
    is_away = you is not None and envelope.version in marks.away
    if is_away and envelope.actor == "computer" and getattr(event, "seat", None) == seat:
        return phrase("events.computer.did_this", sentence=told)
    return told


def taken_text(
    envelope: Envelope,
    event: SeatTaken,
    names: Sequence[str],
    seat: int | None,
    former: Sequence[Former],
) -> str:
    """Who plays on for whom, by name where that is still known."""
    row = next((row for row in former if row.version == envelope.version and row.name), None)
    if row is None:
        return describe(event, names, you=seat)
    whom = one_line(row.name, NAME_LIMIT)
    if event.seat == seat:
        return phrase("events.seat_taken.named.you", whom=whom)
    return phrase("events.seat_taken.named.other", who=names[event.seat], whom=whom)
