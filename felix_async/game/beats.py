"""A game in beats: what belongs together is told together, and what nobody asks for lies one level below.

A beat is the lobby, the deal, a placing of cards, a chain of bids, a pass with its card and mice, a sale,
words to the table, players who come and go, or the result. Its records follow each other in the log, and
each record is in one beat. Deadlines, reserves and the terms of the clock are `below`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Final, Literal

from felix_async.game.cards import card_text
from felix_async.game.chain import chain, is_link
from felix_async.game.names import Names
from felix_async.game.narrate import Line, retell, told_tie
from felix_async.game.scoring import ranked
from felix_async.game.views import Viewer
from felix_async.game.votes import about
from felix_async.language.phrases import phrase
from felix_async.text import one_line
from felix_events import model as m
from felix_events.envelope import Envelope

Kind = Literal["lobby", "deal", "placing", "bids", "pass", "sale", "talk", "away", "result"]
SAID_LIMIT: Final = 600
"""Characters of what somebody said that a beat repeats."""
_BELOW: Final = (m.ClockSet, m.DeadlineSet, m.ReserveSpent)
_KINDS: Final[dict[type[m.Event], Kind]] = {
    m.GameCreated: "lobby",
    m.PlayerInvited: "lobby",
    m.PlayerJoined: "lobby",
    m.PlayerDeclined: "lobby",
    m.PlayerUninvited: "lobby",
    m.InvitationExpired: "lobby",
    m.GameStarted: "deal",
    m.HandDealt: "deal",
    m.DummyDealt: "deal",
    m.RoundStarted: "placing",
    m.CardPlaced: "placing",
    m.CardsTurned: "placing",
    m.BidPlaced: "bids",
    m.PlayerPassed: "pass",
    m.SackSold: "sale",
    m.SackDiscarded: "sale",
    m.PlayerSaid: "talk",
    m.GameEnded: "result",
    m.GameAbandoned: "result",
    m.SeatLogsClosed: "result",
    m.SeedRevealed: "result",
}
"""The kinds of beats by their events; those of all others are `away`."""


@dataclass(frozen=True, slots=True)
class Beat:
    """A part of a game that is told at once: `text` in a line of plain words, its records in order.

    `round` is 0 before the first one, and is not in the text. `below` are the records that are told only to
    those who ask for them.
    """

    kind: Kind
    round: int
    text: str
    lines: Sequence[Line]
    below: Sequence[Line]

    @property
    def versions(self) -> list[int]:
        """The versions of all its records, in order, as far as the viewer may know them."""
        return sorted(line.version for line in (*self.lines, *self.below) if line.version is not None)

    @property
    def first(self) -> int | None:
        """The version of its first record, None if the viewer may know of none yet."""
        return min(self.versions, default=None)

    @property
    def last(self) -> int | None:
        """The version of its last record, None if the viewer may know of none yet."""
        return max(self.versions, default=None)

    @property
    def number(self) -> int | None:
        """The version of the last record that its text tells, None if the viewer may know of none yet."""
        return max((line.version for line in self.lines if line.version is not None), default=None)


def beats(
    envelopes: Sequence[Envelope], viewer: Viewer, names: Names, words: Mapping[int, str]
) -> list[Beat]:
    """Tell a log in beats, each under the names of then; `words` are what was said, by version.

    Talk is for the table: no spectator is told the words. While a game runs a newcomer is not told those of
    before, and a placing is told when all cards of the round lie there, with nobody's times.
    """
    open_: list[_Open] = []
    for line in _records(envelopes, viewer, names):
        if isinstance(line.event, _BELOW) and open_:
            open_[-1].below.append(line)
            continue
        kind = _kind(line, open_[-1].kind if open_ else None)
        if not open_ or kind != open_[-1].kind or not _goes_on(open_[-1], line):
            open_.append(_Open(kind, open_[-1].round if open_ else 0))
        if isinstance(line.event, m.RoundStarted):
            open_[-1].round = line.event.round
        open_[-1].lines.append(line)
    heard = _heard(envelopes, viewer, words)
    return [Beat(one.kind, one.round, _text(one, names, heard), one.lines, one.below) for one in open_]


def _heard(envelopes: Sequence[Envelope], viewer: Viewer, words: Mapping[int, str]) -> Mapping[int, str]:
    if viewer == "spectator":
        return {}
    if viewer == "all" or any(isinstance(one.data, m.GameEnded | m.GameAbandoned) for one in envelopes):
        return words
    taken = (one for one in envelopes if isinstance(one.data, m.SeatTaken) and one.data.seat == viewer)
    came = max((one.version for one in taken), default=0)
    return {version: text for version, text in words.items() if version > came}


def untold(found: Iterable[Beat], told: Container[int], names: Names) -> Iterator[Beat]:
    """Tell the rest of these beats: their records but those of the versions that were told before.

    A game that is followed goes on in the middle of a beat, but for one of words, which is a single record.
    """
    for beat in found:
        lines, below = (
            [line for line in some if line.step.version not in told] for some in (beat.lines, beat.below)
        )
        if lines:
            rest = _Open(beat.kind, beat.round, lines, below)
            text = beat.text if len(lines) == len(beat.lines) else _text(rest, names, {})
            yield Beat(beat.kind, beat.round, text, lines, below)


def parts(beat: Beat, names: Names) -> Iterator[Beat]:
    """Tell a beat in parts, each but the last up to a record below it, so that all is told in order."""
    below = [line.step.version for line in beat.below]

    def place(line: Line) -> int:
        # A card whose version is nobody's business yet stands before those that were turned.
        return bisect_left(below, line.version or beat.number or 0)

    starts = sorted({place(line) for line in beat.lines})
    for start, end in pairwise([*starts, len(below)]):
        others = {line.step.version for line in beat.lines if place(line) != start}
        yield from untold([beat], others.union(below[:start], below[end:]), names)


@dataclass(slots=True)
class _Open:
    kind: Kind
    round: int
    lines: list[Line] = field(default_factory=list)
    below: list[Line] = field(default_factory=list)


def _records(envelopes: Sequence[Envelope], viewer: Viewer, names: Names) -> Sequence[Line]:
    """The records without what comes last in a running game: the cards of a placing, and spent reserves."""
    lines = list(retell(envelopes, viewer, names))
    while lines and lines[-1].version is None:
        lines.pop()
    return lines


def _kind(line: Line, last: Kind | None) -> Kind:
    event = line.step.event
    if isinstance(event, m.CardsTurned) and last == "pass":
        return "pass"
    if isinstance(event, m.HostNamed) and not line.step.before.round:
        return "lobby"
    return _KINDS.get(type(event), "away")


def _goes_on(beat: _Open, line: Line) -> bool:
    """Return True if a record belongs to the beat before it, which is of its kind."""
    step, last = line.step, beat.lines[-1].step
    match beat.kind:
        case "lobby" | "deal" | "result":
            return True
        case "placing":
            return not isinstance(step.event, m.RoundStarted)
        case "bids":
            return is_link(step) and is_link(last)
        case "pass":
            return isinstance(step.event, m.CardsTurned)
        case "away":
            return step.envelope.actor == "rules" or _is_same_vote(last.event, step.event)
    return False


def _is_same_vote(last: m.Event, event: m.Event) -> bool:
    return isinstance(last, m.VoteCast) and isinstance(event, m.VoteCast) and last.on == event.on


def _text(beat: _Open, names: Names, words: Mapping[int, str]) -> str:
    summary = _Summary(beat.lines, names)
    match beat.kind:
        case "lobby":
            told = summary.lobby()
        case "deal":
            told = summary.deal()
        case "placing":
            told = summary.placing()
        case "bids" if is_link(beat.lines[0].step):
            return chain([line.step for line in beat.lines], names.at(beat.lines[0].step.version))
        case "talk":
            told = summary.talk(words)
        case "away":
            told = summary.away()
        case "result":
            told = summary.result()
        case _:
            told = (line.text for line in beat.lines)
    return " ".join(told)


@dataclass(frozen=True, slots=True)
class _Summary:
    lines: Sequence[Line]
    names: Names

    def lobby(self) -> Iterator[str]:
        """Those who were invited and came are told once."""
        came = {
            getattr(line.event, "seat", None) for line in self.lines if _merged_as(line) is m.PlayerJoined
        }
        for what, some in groupby(self.lines, _merged_as):
            run = list(some)
            if what is m.PlayerInvited:
                who = [self._who(line) for line in run if getattr(line.event, "seat", None) not in came]
                if who:
                    yield phrase("replay.lobby.invited", names=who, count=len(who))
            elif what is m.PlayerJoined:
                yield phrase("replay.lobby.joined", names=[self._who(line) for line in run])
            else:
                yield from (line.text for line in run)

    def deal(self) -> Iterator[str]:
        """Everybody has the same ten cards: which of them is in the box tells the hand."""
        boxed = []
        for line in self.lines:
            if isinstance(line.event, m.HandDealt):
                card = card_text(line.event.boxed)
                boxed.append(phrase("replay.deal.boxed", who=self._who(line), card=card))
            elif isinstance(line.event, m.DummyDealt):
                boxed.append(phrase("replay.deal.dummy", card=card_text(line.event.boxed)))
        if boxed:
            yield phrase("replay.deal.told", boxed=boxed, count=len(boxed))
        else:
            yield phrase("replay.deal.hidden")

    def placing(self) -> Iterator[str]:
        """Tell how the round began, which cards were placed or took others' places, and what turned up."""
        placed: list[str] = []
        hidden: list[str] = []
        others: defaultdict[object, list[Line]] = defaultdict(list)
        for line in self.lines:
            if isinstance(line.event, m.RoundStarted):
                yield self._starts(line, line.event)
            elif not _is_first_card(line):
                is_players = isinstance(line.step.event, m.CardPlaced) and line.step.envelope.actor != "host"
                others[("seat", self._who(line)) if is_players else line.step.version].append(line)
            elif isinstance(line.event, m.CardPlaced):
                key, card = ("next" if placed else "first"), card_text(line.event.card)
                placed.append(phrase(f"replay.card.{key}", who=self._who(line), card=card))
            else:
                hidden.append(self._who(line))
        if placed:
            yield phrase("replay.placing.told", placed=placed)
        if hidden:
            yield phrase("replay.placing.hidden", names=hidden, count=len(hidden))
        yield from map(self._exchanged, others.values())

    def _starts(self, line: Line, event: m.RoundStarted) -> str:
        """Return the text of a beat that begins a round: who starts, and what passing pays."""
        who = self.names.at(line.step.version)[event.start_seat]
        mice = [str(mice) for mice in event.mice_on_cards]
        return phrase(
            f"replay.starts.{'filled' if any(event.mice_on_cards) else 'empty'}", who=who, mice=mice
        )

    def _exchanged(self, lines: Sequence[Line]) -> str:
        """Return a card that stands alone, or all for which a seat exchanged its own, one after the other."""
        cards = [card_text(line.event.card) for line in lines if isinstance(line.event, m.CardPlaced)]
        if len(cards) < 2:
            return lines[0].text
        then = "".join(phrase("replay.card.then", card=card) for card in cards[1:])
        return phrase("replay.placing.exchanged", who=self._who(lines[0]), card=cards[0], then=then)

    def talk(self, words: Mapping[int, str]) -> Iterator[str]:
        """Tell the words; if they are gone, that something was said."""
        (line,) = self.lines
        text = one_line(words.get(line.step.version, ""), SAID_LIMIT)
        yield phrase("replay.talk.said", who=self._who(line), text=text) if text else line.text

    def away(self) -> Iterator[str]:
        """Tell once that somebody is back at the table, and of those who vote for the same together."""
        back = {
            line.event.seat
            for line in self.lines
            if isinstance(line.event, m.SeatHandedOver) and line.event.to == "player"
        }
        for on, some in groupby(self.lines, lambda line: getattr(line.event, "on", "")):
            run = list(some)
            if on and len(run) > 1:
                what, seat = about(on)
                whom = "" if seat is None else self.names.at(run[0].step.version)[seat]
                yield phrase(f"replay.votes.{what}", names=[self._who(line) for line in run], whom=whom)
                continue
            for line in run:
                if not isinstance(line.event, m.AbsenceEnded) or line.event.seat not in back:
                    yield line.text

    def result(self) -> Iterator[str]:
        """The totals, the best first, who won, and how a tie was decided; what was revealed goes unsaid."""
        for line in self.lines:
            if isinstance(line.event, m.GameAbandoned):
                yield line.text
            elif isinstance(line.event, m.GameEnded):
                yield from self._won(line.event, self.names.at(line.step.version))

    def _won(self, ended: m.GameEnded, names: Sequence[str]) -> Iterator[str]:
        totals = [
            phrase("replay.result.total", who=names[seat], total=score.total)
            for seat, score in ranked(ended.scores).items()
        ]
        yield phrase("events.game_ended.told", totals=totals)
        winners = [names[seat] for seat in ended.winners]
        if len(winners) == 1:
            yield phrase("events.game_ended.other", who=winners[0])
        else:
            yield phrase("events.game_ended.several", names=winners)
        tie = told_tie(ended.scores, ended.winners)
        if tie:
            yield tie

    def _who(self, line: Line) -> str:
        return self.names.at(line.step.version)[getattr(line.step.event, "seat", 0)]


def _merged_as(line: Line) -> type[m.Event] | None:
    """Return the event that is told of several seats at once, None if it has a sentence of its own."""
    what = type(line.step.event)
    is_merged = what in (m.PlayerInvited, m.PlayerJoined) and line.step.envelope.actor != "host"
    return what if is_merged else None


def _is_first_card(line: Line) -> bool:
    """Return True of a card that took no other's place; one that the host placed has its own sentence."""
    step = line.step
    if not isinstance(step.event, m.CardPlaced) or step.envelope.actor == "host":
        return False
    return step.event.seat not in step.before.placed
