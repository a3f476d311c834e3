"""`felix replay --step`: a game on the whole screen of a terminal, one beat at a time."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import click
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from felix_async.game.beats import Beat, beats
from felix_async.game.names import Names
from felix_async.game.views import Viewer
from felix_async.language.phrases import phrase
from felix_async.replay.places import Course, Place, course_of, first_place, press
from felix_async.replay.tables import table_at
from felix_cli.output import EXIT_COULD_NOT_LOOK, EXIT_INTERRUPTED, Problem
from felix_cli.replay.drawing import table_drawing
from felix_cli.replay.keyboard import keyboard
from felix_events.envelope import Envelope

_SECONDS: Final = 2.0
"""How long a beat is shown while it plays."""
KEYS: Final = (
    *("beat", "version", "round", "ends", "play", "seat", "spectator", "all", "acts", "goal", "back"),
    *("help", "quit"),
)


@dataclass(frozen=True, slots=True)
class Stepped:
    """A game to be stepped through: its log, and how it is told to each viewer."""

    title: str
    envelopes: Sequence[Envelope]
    names: Names
    words: Mapping[int, str]
    is_over: bool
    _beats: dict[Viewer, list[Beat]] = field(default_factory=dict)

    def beats(self, viewer: Viewer) -> list[Beat]:
        """The beats as this viewer may know them."""
        if viewer not in self._beats:
            self._beats[viewer] = beats(self.envelopes, viewer, self.names, self.words)
        return self._beats[viewer]


@dataclass(frozen=True, slots=True)
class Screen:
    """A place in a game, drawn on as much room as there is: what it does not hold is cut off."""

    stepped: Stepped
    course: Course
    place: Place

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width, height = options.max_width, options.height or options.size.height
        room = options.update(width=width, height=None)
        head, below = (_lines(console, part, room) for part in (self._head(), self._below(width)))
        middle = _help() if self.place.is_helping else self._table(width)
        rows = _lines(console, middle, room)
        free = max(0, height - len(head) - len(below))
        blank = [Segment(" " * width)]
        for row in [*head, *rows[:free], *[blank] * (free - len(rows)), *below]:
            yield from row
            yield Segment.line()

    @property
    def _eyes(self) -> Viewer:
        return self.place.eyes(self.course)

    @property
    def _names(self) -> Sequence[str]:
        return self.stepped.names.at(self.place.version)

    def _head(self) -> RenderableType:
        return Group(
            Text(f"{self.stepped.title}, {self._seen()}", "bold", no_wrap=True, overflow="ellipsis"), ""
        )

    def _seen(self) -> str:
        """Whose eyes these are."""
        eyes = self._eyes
        if not isinstance(eyes, int):
            return phrase(f"stepper.seen_by.{eyes}")
        key = "acts" if self.place.follows and self.place.version in self.course.acting else "seat"
        return phrase(f"stepper.eyes.{key}", who=self._names[eyes])

    def _table(self, width: int) -> RenderableType:
        told, place = self.stepped, self.place
        view = table_at(told.envelopes, place.version, self._eyes, is_over=told.is_over)
        return table_drawing(view, self._names, width)

    def _below(self, width: int) -> RenderableType:
        return Group("", Text(self._sentence()), "", self._progress(width), self._foot())

    def _sentence(self) -> str:
        """What happened in this beat; inside it, at this version."""
        beat = self.stepped.beats(self._eyes)[self.place.beat]
        if self.place.version == self.course.stops[self.place.beat].version:
            return beat.text
        lines = (line for line in (*beat.lines, *beat.below) if line.version == self.place.version)
        return next((line.text for line in lines), beat.text)

    def _progress(self, width: int) -> Text:
        """How far this place is, and how far one has been."""
        place, last = self.place, self.course.versions[-1]
        here = self.course.stops[place.beat].round
        told = [phrase("stepper.screen.round", round=here)] if here else []
        told.append(phrase("stepper.screen.version", version=place.version, versions=last))
        text = Text(" · ".join(told) + " ")
        room = max(0, width - cell_len(text.plain) - 1)
        at, furthest = place.version * room // last, place.furthest * room // last
        text.append("━" * at + "●", "bold")
        text.append("─" * (furthest - at))
        text.append("·" * (room - furthest), "dim")
        return text

    def _foot(self) -> Text:
        place = self.place
        if place.typed is not None:
            return Text(phrase("stepper.screen.goal", typed=f"{place.typed}▏"))
        if place.is_playing:
            return Text(phrase("stepper.screen.plays"))
        return Text(place.said, "bold") if place.said else Text(phrase("stepper.screen.hint"), "dim")


def _lines(console: Console, part: RenderableType, room: ConsoleOptions) -> list[list[Segment]]:
    return console.render_lines(part, room)


def _help() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for key in KEYS:
        grid.add_row(Text(phrase(f"stepper.keys.{key}"), "bold"), phrase(f"stepper.does.{key}"))
    return grid


def step_through(stepped: Stepped, viewer: Viewer, viewers: Sequence[Viewer]) -> None:
    """Let somebody step through a game until they leave; Problem if this is no terminal."""
    console = Console()
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or console.is_dumb_terminal:
        raise Problem("--step takes the whole screen of a terminal, and this is none.", EXIT_COULD_NOT_LOOK)
    course = course_of(stepped.beats(viewer), stepped.envelopes, viewers)
    place = first_place(course, viewer)
    try:
        with keyboard() as board, Live(console=console, screen=True, auto_refresh=False) as live:
            while not place.has_left:
                live.update(Screen(stepped, course, place), refresh=True)
                keys = board.keys(_SECONDS if place.is_playing else None)
                for key in keys or ["tick"]:
                    place = press(course, place, key)
    except (KeyboardInterrupt, EOFError):
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None
