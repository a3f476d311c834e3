"""The latest events as sentences to one reader: since a move, or since a letter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from felix_async.game.chain import chain, is_link
from felix_async.game.narrate import describe, the_cards
from felix_async.game.story import Step, Story
from felix_async.game.views import redact
from felix_async.language.phrases import phrase
from felix_async.text import Harmless
from felix_async.time.zones import DEFAULT_ZONE
from felix_events.model import (
    AbsenceBegan,
    AbsenceDeclared,
    AbsenceEnded,
    BidPlaced,
    CardPlaced,
    CardsTurned,
    ClockSet,
    DeadlineSet,
    DisputeRaised,
    DisputeSettled,
    DummyDealt,
    GameAbandoned,
    GameEnded,
    GameStarted,
    HandDealt,
    PlayerInvited,
    PlayerJoined,
    PlayerSaid,
    ReserveSpent,
    RoundStarted,
    SeatHandedOver,
    SeatLogsClosed,
    SeatTaken,
    SeedRevealed,
    ServerRestored,
    VoteCast,
)
from felix_events.store.rows import Former, Saying
from felix_notifiers.content import layout
from felix_notifiers.content.harmless import NAME_LIMIT, one_line, seat_names

_TOLD_APART: Final = (GameAbandoned, GameEnded, DisputeRaised, DisputeSettled)
"""The end of a game fills a section of its own, and each dispute a letter."""
_UNTOLD: Final = (ClockSet, AbsenceBegan, PlayerInvited, ServerRestored)
"""Events that something else tells as well: the list of the invited, who plays while somebody is away, or the
words that come with new addresses.
"""
_ASIDE: Final = (AbsenceDeclared, AbsenceEnded, PlayerSaid, SeatHandedOver, VoteCast)
"""Events beside the moves: a player who moved before they reached them has not heard of them yet."""
_BEFORE_THE_FIRST_ROUND: Final = (PlayerJoined, GameStarted, HandDealt)
"""Events that the first mail of a game shows without a word."""
_BAR: Final = "  | "
SAYING_LIMIT: Final = 600
"""Letters of what somebody said that a mail repeats."""


@dataclass(frozen=True, slots=True)
class Speech:
    """Words to the table: who says so (`Ben says:`), one harmless line, and the name of who said it."""

    who: str
    text: str
    name: str = ""


Told = str | Speech
"""A paragraph about what happened, or somebody's words."""


@dataclass(frozen=True, slots=True)
class History:
    """The story of what happened lately, a paragraph for each round of it."""

    title: str
    paragraphs: Sequence[str]

    def text(self) -> str:
        first, *rest = self.paragraphs
        return layout.paragraphs([f"{self.title}: {first}", *rest])


@dataclass(frozen=True, slots=True)
class Talk:
    """The talk at the table. Words of a player have a bar before them, so that no piece of them can be
    taken for an order, wherever the line breaks.
    """

    speeches: Sequence[Speech]

    def text(self) -> str:
        said = (f"{layout.paragraph(one.who)}\n{layout.fill(one.text, _BAR, _BAR)}" for one in self.speeches)
        return "\n".join(said)


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """The deeds of others as a reader hears them: their words, by version; none if the reader chose so.

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
    ) -> HistoryFilter:
        """Return the filter of a reader who chose to hear, or not to."""
        return cls({saying.version: saying.text for saying in sayings} if hears else {}, hears, former, heard)


def names_then(names: Sequence[str], former: Sequence[Former], version: int) -> list[Harmless]:
    """The names by seat as a mail shows them, of those who sat there at a version of the log."""
    then = list(names)
    for row in reversed(former):
        if version < row.version:
            then[row.seat] = row.name
    return seat_names(then)


def since_last_move(
    story: Story,
    names: Sequence[str],
    seat: int,
    only: HistoryFilter | None = None,
    missed: Sequence[Step] = (),
    zone: str = DEFAULT_ZONE,
    since: int | None = None,
) -> list[Told]:
    """Tell what came after the seat's last move, or from the beginning, as the seat may know it.

    What the reader `missed` comes first (see `aside_before`), and what was said last. `since` is a version
    from which on it is told instead, where orders of the reader have moved meanwhile.
    """
    last = story.last_move(seat) if since is None else since
    later = story.steps[max(last, story.came(seat)) :]
    if not story.has_moved(seat) and any(isinstance(step.event, RoundStarted) for step in later):
        # The first turn: the row says who is at the table, and the hand is below.
        later = [step for step in later if not isinstance(step.event, _BEFORE_THE_FIRST_ROUND)]
    later = [step for step in later if not _is_shown(story, step, seat)]
    said, moves = (
        [step for step in (*missed, *later) if isinstance(step.event, PlayerSaid) == is_said]
        for is_said in (True, False)
    )
    only = only or HistoryFilter()
    return [
        part
        for steps in (moves, said)
        for part in told_of(story, steps, names, seat, only, zone, sale=story.sale)
    ]


def _is_shown(story: Story, step: Step, seat: int) -> bool:
    """Return True if a letter shows this beside its story.

    The row of the auction that goes on shows its first card, the reader's own, and how high everybody is; of
    an auction before that it is told what became of the sack.
    """
    game, event = story.game, step.event
    if step.before.round != game.round:
        return isinstance(event, CardsTurned)
    if game.phase != "bidding" or _is_worth_a_word(step, seat):
        return False
    if isinstance(event, CardPlaced):
        return event.seat == seat
    return isinstance(event, BidPlaced) or (isinstance(event, CardsTurned) and not step.before.row)


def aside_before(story: Story, seat: int, version: int) -> list[Step]:
    """Return the events before this version in which others spoke, came or went."""
    aside = (*_ASIDE, SeatTaken)
    steps = story.steps[:version]
    return [step for step in steps if isinstance(event := step.envelope.data, aside) and event.seat != seat]


def since_version(
    story: Story,
    names: Sequence[str],
    seat: int,
    version: int,
    only: HistoryFilter | None = None,
    zone: str = DEFAULT_ZONE,
) -> list[Told]:
    """Tell what came after this version of the log, as the seat may know it, but not how a game ended."""
    steps, only = story.steps[version:], only or HistoryFilter()
    return told_of(story, steps, names, seat, only, zone, sale=story.sale)


def unheard(sayings: Sequence[Saying], names: Sequence[str], seat: int, only: HistoryFilter) -> list[Speech]:
    """Return the words of others that are still known and that the reader has not heard."""
    speeches: list[Speech] = []
    for saying in sayings:
        text = one_line(only.sayings.get(saying.version, ""), SAYING_LIMIT)
        if saying.seat != seat and text and saying.version not in only.heard:
            who = names_then(names, only.former, saying.version)[saying.seat]
            speeches.append(Speech(phrase("mails.speech.other", who=who), text, who))
    return speeches


def told_of(
    story: Story,
    steps: Sequence[Step],
    names: Sequence[str],
    seat: int,
    only: HistoryFilter,
    zone: str,
    sale: Step | None = None,
) -> list[Told]:
    """Tell these events, as the seat may know them: a paragraph for each round, or between two speeches.

    The `sale` is told apart.
    """
    lines: list[Told] = []
    is_further = False
    heard = [step for step in steps if not story.is_doubled(step) and _is_told(step, only, seat)]
    for run in runs(cards_by_seat(heard, seat), seat):
        is_further &= not isinstance(run[0].event, RoundStarted)
        if isinstance(run[-1].event, RoundStarted) or run[-1] is sale:
            # That the cards are placed now, and who starts, is told apart, too.
            continue
        shown = names_then(names, only.former, run[0].version)
        if len(run) > 1:
            line: Told = in_short(run, shown, you=seat)
        else:
            line = _line(run[0], shown, seat, only, zone)
        if is_further and isinstance(line, str) and isinstance(last := lines[-1], str):
            lines[-1] = f"{last} {line}"
        else:
            lines.append(line)
        is_further = True
    return lines


def _is_told(step: Step, only: HistoryFilter, seat: int) -> bool:
    if isinstance(step.event, PlayerSaid):
        return only.hears and step.version not in only.heard
    return not isinstance(step.event, (*_TOLD_APART, *_UNTOLD)) and is_worth_telling(step, seat)


def is_worth_telling(step: Step, seat: int) -> bool:
    """Return True unless it is the deal of somebody else's hand, their card, or a tick of a clock.

    A mail tells its reader's deadline elsewhere, and of the seed and the logs nothing. The table shows who
    has placed a card; told among other things, it would say who did so before whom. That the host did it for
    somebody is told (`cards_by_seat`).
    """
    event = step.event
    if isinstance(event, CardPlaced) and event.seat != seat and step.envelope.actor != "host":
        return False
    if isinstance(event, SeatLogsClosed | SeedRevealed):
        return False
    is_dealt_to_others = isinstance(event, DummyDealt) or (
        isinstance(event, HandDealt) and event.seat != seat
    )
    return not is_dealt_to_others and not isinstance(event, DeadlineSet | ReserveSpent)


def cards_by_seat(steps: Iterable[Step], reader: int) -> list[Step]:
    """Return the same, but cards placed for others last, before any card turns: by seat, each seat once."""
    found: list[Step] = []
    placed: dict[int, Step] = {}
    for step in steps:
        event = step.event
        if isinstance(event, CardPlaced) and event.seat != reader:
            placed[event.seat] = step
            continue
        if isinstance(event, CardsTurned) or step.before.row:
            found += [placed.pop(seat) for seat in sorted(placed)]
        found.append(step)
    return found + [placed[seat] for seat in sorted(placed)]


def runs(steps: Sequence[Step], seat: int) -> list[Sequence[Step]]:
    """Return the events in order, those in one piece that are told to this seat in one sentence."""
    found: list[Sequence[Step]] = []
    at = 0
    while at < len(steps):
        end = _end_of_opening(steps, at, seat) or _end_of_like(steps, at, seat)
        found.append(steps[at:end])
        at = end
    return found


def _end_of_opening(steps: Sequence[Step], at: int, seat: int) -> int:
    """Return where the beginning of a round ends, if the first of its cards lies open already; else 0."""
    if not isinstance(steps[at].event, RoundStarted):
        return 0
    for place, step in enumerate(steps[at + 1 :], at + 1):
        if isinstance(step.event, CardsTurned):
            return place + 1
        if not isinstance(step.event, CardPlaced) or _is_worth_a_word(step, seat):
            return 0
        if step.event.seat == seat and step.envelope.actor != "rules":
            return 0
    return 0


def _end_of_like(steps: Sequence[Step], at: int, seat: int) -> int:
    """Return where the bids and passes end that begin here."""
    end = at
    while end < len(steps) and is_link(steps[end]) and not _is_worth_a_word(steps[end], seat):
        end += 1
    return max(end, at + 1)


def _is_worth_a_word(step: Step, seat: int) -> bool:
    """Return True if it has to be said who did this: the host, or the computer for the reader."""
    is_own = getattr(step.event, "seat", None) == seat
    return step.envelope.actor == "host" or (is_own and step.envelope.actor == "computer")


def in_short(run: Sequence[Step], names: Sequence[str], *, you: int | None) -> str:
    """Tell the events of a run in one sentence."""
    first, last = run[0].event, run[-1].event
    if isinstance(first, RoundStarted) and isinstance(last, CardsTurned):
        return phrase("events.round_started.turned.told", round=first.round, cards=the_cards(last.cards))
    return chain(run, names, you)


def _line(step: Step, names: Sequence[str], seat: int, only: HistoryFilter, zone: str) -> Told:
    """Return a sentence, or the words that were said if they are still known."""
    event = step.event
    text = one_line(only.sayings.get(step.version, ""), SAYING_LIMIT)
    if isinstance(event, PlayerSaid) and text:
        if event.seat == seat:
            return Speech(phrase("mails.speech.you"), text)
        return Speech(phrase("mails.speech.other", who=names[event.seat]), text)
    return sentence(step, names, seat, only.former, zone, you=seat)


def sentence(
    step: Step,
    names: Sequence[str],
    seat: int,
    former: Sequence[Former],
    zone: str,
    *,
    you: int | None,
) -> str:
    """Tell what happened, as the seat may know it; `you` is None if somebody else sat there then.

    What the computer did for the reader is told as its deed.
    """
    event = step.event
    if isinstance(event, SeatTaken):
        return taken_text(step, event, names, you, former)
    told = describe(redact(event, seat), names, step.envelope.actor, you, zone, step.before)
    is_away = you is not None and seat in step.before.computer
    if is_away and step.envelope.actor == "computer" and getattr(event, "seat", None) == seat:
        return phrase("events.computer.did_this", sentence=told)
    return told


def taken_text(
    step: Step,
    event: SeatTaken,
    names: Sequence[str],
    seat: int | None,
    former: Sequence[Former],
) -> str:
    """Tell who plays on for whom, by name if that is still known."""
    row = next((row for row in former if row.version == step.version and row.name), None)
    if row is None:
        return describe(event, names, you=seat)
    whom = one_line(row.name, NAME_LIMIT)
    if event.seat == seat:
        return phrase("events.seat_taken.named.you", whom=whom)
    return phrase("events.seat_taken.named.other", who=names[event.seat], whom=whom)
