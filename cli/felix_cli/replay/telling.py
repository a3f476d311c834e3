"""A game told on a terminal: its beats, the table before each sale, and the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from felix_async.game.auctions import Auction, auctions
from felix_async.game.beats import Beat, parts, untold
from felix_async.game.cards import card_text
from felix_async.game.figures import total_explained
from felix_async.game.narrate import told_tie
from felix_async.game.scoring import ranked
from felix_async.language.phrases import phrase, plus, signed
from felix_async.replay.replay import Replay
from felix_async.replay.tables import table_at
from felix_cli.local import clock_time, day, zones
from felix_cli.output import fitted, table_lines, wrapped
from felix_cli.replay.beside import cause_text, say_unsound, texts_of
from felix_cli.replay.part import Part
from felix_cli.tables import moment_lines, score_lines
from felix_cli.terminal.drawing import table_drawing
from felix_events.model import GameEnded, SackSold

_WIDE: Final = 60
"""Columns from which on a text stands beside its time, and not below it."""
_CARDS: Final = 10
"""Columns for cards, at least."""
_STEP: Final = 4
"""Columns for the number of a step."""
_TIME: Final = len("18:00  ")
"""Columns for a time."""
_NO_REASONS: Final[Mapping[int, Sequence[str]]] = {}


@dataclass(frozen=True, slots=True)
class Telling:
    """A part of a game, in lines of so many columns; without times if it is told while it is played."""

    title: str
    replay: Replay
    part: Part
    width: int
    is_live: bool = False
    tells_who: bool = False
    """Beside each step stands who made it, by which message and line."""

    def reasons(self) -> dict[int, Sequence[str]]:
        """Return why the computer moved as it did, by version, as far as the viewer may know."""
        made = self.replay.decisions.items()
        return {version: one.why for version, one in made if one.cause == "computer" and one.why}

    def whole(self, *, clock: bool, why: Mapping[int, Sequence[str]] = _NO_REASONS) -> Iterator[Text]:
        """Tell each beat; and deadlines and the computer's reasons, if they are asked for."""
        if not self.replay.is_sound:
            say_unsound()
        today, last = "", None
        yield from self._head()
        told: Iterable[Beat] = self._beats()
        if clock:
            told = (part for beat in told for part in parts(beat, self.replay.names))
        for beat in told:
            at = beat.lines[0].at
            if at is not None and day(at) != today:
                today = day(at)
                yield from (Text(), Text(today, "bold"))
            yield from self.beat(beat, last, why)
            for line in beat.below if clock else ():
                yield from self._line(line.version, line.at, line.text, "dim")
            last = beat
        yield from self.now(last)

    def now(self, last: Beat | None) -> Iterator[Text]:
        """Draw the table at the end of the part, but not after a sale or the result, which told of it."""
        if last is None or last.kind not in ("sale", "result"):
            yield from self._table(self.part.last)

    def beat(
        self, beat: Beat, last: Beat | None, why: Mapping[int, Sequence[str]] = _NO_REASONS
    ) -> Iterator[Text]:
        """Tell a beat, below the head of its round if that begins after `last`; before a sale, the row."""
        if beat.kind == "placing" and (last is None or last.round != beat.round):
            yield from (Text(), self._heading(beat.round))
        if beat.kind == "sale":
            yield from self._table(beat.lines[0].step.version - 1)
        yield from self._text(beat)
        # An order given while a deadline ran stands at the version of that deadline.
        for text in texts_of(self.replay.told, (*beat.lines, *beat.below), self.replay.names, why):
            yield from self._below(text)
        if self.tells_who:
            versions = sorted(line.step.version for line in (*beat.lines, *beat.below))
            for version in filter(self.replay.causes.__contains__, versions):
                text = cause_text(self.replay.causes[version])
                yield from self._below(text, f"{version:{_STEP}}  ")

    def short(self) -> Iterator[Text]:
        """Tell each sack in a line, and the result."""
        yield from self._head()
        yield Text()
        sold = [one for one in auctions(self.replay.story) if self._holds(one.version)]
        yield from map(Text, self._sacks(sold) if sold else [phrase("replay.short.none")])
        for one in self.replay.envelopes:
            if isinstance(one.data, GameEnded) and self._holds(one.version):
                yield from self._result(one.data)

    def _holds(self, version: int) -> bool:
        return self.part.first <= version <= self.part.last

    def _head(self) -> Iterator[Text]:
        times = f"; times: {zones()}" if self.replay.game.is_over else ""
        return map(Text, wrapped(f"{self.title}{times}", self.width))

    def _beats(self) -> Iterator[Beat]:
        """The beats of the part, from the one in which it begins; one that goes on after it is cut."""
        beyond = {
            line.step.version
            for beat in self.replay.beats
            for line in (*beat.lines, *beat.below)
            # Cards whose versions are nobody's business yet are told once the beat is over.
            if (beat.last or 1) < self.part.first or (line.version or beat.last or 1) > self.part.last
        }
        return untold(self.replay.beats, beyond, self.replay.names)

    def _heading(self, number: int) -> Text:
        told = phrase("replay.listing.round", round=number)
        return Text(f"── {told} ".ljust(min(self.width, _WIDE), "─"), "bold")

    def _text(self, beat: Beat) -> Iterator[Text]:
        ended = next((line.event for line in beat.lines if isinstance(line.event, GameEnded)), None)
        if ended is not None:
            yield from self._result(ended)
            yield from self._looked_back(ended)
        elif beat.text:
            style = "bold" if beat.kind == "sale" else ""
            yield from self._line(beat.number, beat.lines[0].at, beat.text, style)

    def _line(self, version: int | None, at: str | None, text: str, style: str) -> Iterator[Text]:
        """A text behind its step and its time, and below itself where it is long."""
        start = f"{version or '':{_STEP}}  " + (f"{clock_time(at)}  " if at and not self.is_live else "")
        for line in wrapped(text, self.width, start, self._indent(start)):
            told = Text(line)
            told.stylize(style, len(start) if line.startswith(start) else 0)
            told.stylize("dim", 0, len(start) if line.startswith(start) else 0)
            yield told

    def _below(self, text: str, start: str = "") -> Iterator[Text]:
        indent = self._indent(
            " " * (_STEP + 2 + (_TIME if self.replay.game.is_over and not self.is_live else 0))
        )
        lines = wrapped(text, self.width, indent + start, indent + " " * max(2, len(start)))
        return (Text(line, "italic") for line in lines)

    def _indent(self, start: str) -> str:
        return " " * (len(start) if self.width >= _WIDE else _STEP + 2)

    def _table(self, version: int) -> Iterator[Text]:
        """The table as the viewer saw it then; who sees all afterwards, too, sees no hands here."""
        told = self.replay
        viewer = "spectator" if told.viewer == "all" else told.viewer
        table = table_at(told.envelopes, version, viewer, is_over=told.game.is_over)
        if table.row or (table.round and table.own):
            drawing = table_drawing(table, told.names.at(version), self.width)
            yield from (Text(), *drawing.split("\n"), Text())

    def _sacks(self, sold: Sequence[Auction]) -> list[str]:
        """A line for each sack; where its cards do not fit they go on below."""
        head = [phrase(f"replay.sack.{name}") for name in ("round", "buyer", "price", "profit", "cards")]
        rows = [self._sack(one) for one in sold]
        least = [[*start, "0" * _CARDS] for *start, _ in rows]
        head, cut = fitted(head, least, self.width, (), head[1:2])
        others = zip(head[:-1], *(start for *start, _ in cut), strict=True)
        room = self.width - sum(max(map(cell_len, column)) + 2 for column in others)
        lines = []
        for (*start, _), (*_, cards) in zip(cut, rows, strict=True):
            first, *more = wrapped(cards, max(room, _CARDS))
            lines += [[*start, first], *(["", "", "", "", part] for part in more)]
        told = table_lines(head, lines, right=(head[0], *head[2:4]))
        told = [line.replace("\N{NO-BREAK SPACE}", " ") for line in told]
        if any(one.sale and one.sale.chased is not None for one in sold):
            told += wrapped(phrase("replay.short.chased"), self.width)
        return told

    def _sack(self, one: Auction) -> list[str]:
        if (sale := one.sale) is None:
            return [str(one.round), phrase("replay.short.nobody"), "", "", _cards(one, None)]
        buyer = self.replay.names.at(one.version)[sale.seat]
        return [str(one.round), buyer, str(sale.price), plus(one.worth - sale.price), _cards(one, sale)]

    def _result(self, ended: GameEnded) -> Iterator[Text]:
        """The result as a table, the best first."""
        names = self.replay.names.at(self.part.last)
        yield Text()
        yield from map(Text, score_lines(names, ended.scores, ended.winners, self.width))
        yield from map(Text, wrapped(told_tie(ended.scores, ended.winners), self.width))

    def _looked_back(self, ended: GameEnded) -> Iterator[Text]:
        """The best moments, and luck and skill in figures for everybody."""
        names = self.replay.names.at(self.part.last)
        yield Text()
        yield from map(Text, moment_lines(self.replay.story, self.replay.names, self.width))
        found = self.replay.figures
        head = ["", *(figure.name for figure in found)]
        rows = [
            [names[seat], *(signed(figure.values[seat]) for figure in found)] for seat in ranked(ended.scores)
        ]
        yield from (Text(), Text(phrase("moments.figures.title"), "bold"))
        told = table_lines(*fitted(head, rows, self.width, (), head[:1]), right=head[1:])
        if max(map(cell_len, told)) > self.width:
            # A narrow terminal has no room for all heads beside each other.
            players = [", ".join(map(" ".join, zip(head[1:], row[1:], strict=True))) for row in rows]
            told = [
                line
                for (name, *_), said in zip(rows, players, strict=True)
                for line in wrapped(f"{name}: {said}", self.width, then="  ")
            ]
        yield from map(Text, told)
        for sentence in (*(figure.explained for figure in found), total_explained()):
            yield from map(Text, wrapped(sentence, self.width, then="  "))


def _cards(one: Auction, sale: SackSold | None) -> str:
    """The row; in brackets the cat that a dog chased away. No card is to be broken into two lines."""
    told = [card_text(card).replace(" ", "\N{NO-BREAK SPACE}") for card in one.row]
    if sale is not None and sale.chased is not None:
        place = one.row.index(sale.chased)
        told[place] = f"({told[place]})"
    return ", ".join(told)
