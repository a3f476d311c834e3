"""`felix replay --step`: a game on the whole screen of a terminal, one beat at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import click
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from felix_async.game.beats import Beat
from felix_async.game.narrate import card_list
from felix_async.game.views import Viewer
from felix_async.language.phrases import phrase
from felix_async.replay.decisions import Decision
from felix_async.replay.places import Course, Place, course_of, first_place, press
from felix_async.replay.replay import Replay
from felix_cli.output import EXIT_COULD_NOT_LOOK, EXIT_INTERRUPTED, Problem, wrapped
from felix_cli.replay.beside import cause_text
from felix_cli.tables import moment_lines, score_lines, tally
from felix_cli.terminal.drawing import table_drawing
from felix_cli.terminal.keyboard import STOP, keyboard
from felix_events.model import GameEnded

_SECONDS: Final = 2.0
"""How long a beat is shown while it plays."""
_HIGH: Final = 18
"""The lines of a table, and more only where they are needed."""
_MORE: Final = "\N{VERTICAL ELLIPSIS}"
"""Stands where the window is too low for the rest."""
_WAYS: Final = tuple(phrase(f"replay.cause.{way}") for way in ("mail", "web", "desk", "terminal"))
KEYS: Final = (
    *("beat", "version", "round", "ends", "play", "seat", "spectator", "all", "acts", "goal", "back"),
    *("help", "quit"),
)


@dataclass(frozen=True, slots=True)
class Stepped:
    """A game to be stepped through: for whom it may be told, and how, the same each time (`cache`)."""

    title: str
    viewers: Sequence[Viewer]
    replay: Callable[[Viewer], Replay]

    def course(self, viewer: Viewer) -> Course:
        """Everything that can be stepped through; it is the same for all viewers."""
        told = self.replay(viewer)
        return course_of(told.beats, told.envelopes, self.viewers)


@dataclass(frozen=True, slots=True)
class Screen:
    """A place in a game, drawn on as much room as there is.

    In a low window blank lines go first, then most of what is said beside a decision, then the mice and cats,
    and then the last lines of the table.
    """

    stepped: Stepped
    course: Course
    place: Place

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width, height = options.max_width, options.height or options.size.height
        room = options.update(width=width, height=None)

        def lines(part: RenderableType) -> list[list[Segment]]:
            return console.render_lines(part, room)

        def cut(found: list[list[Segment]], most: int) -> list[list[Segment]]:
            return found if len(found) <= most else [*found[: most - 1], *lines(Text(_MORE, "dim"))][:most]

        head, foot = lines(self._head()), lines(self._foot(width))
        rest = max(0, height - len(head) - len(foot))
        if self.place.is_helping:
            middle, told, more = lines(self._help()), [], []
        else:
            middle, told = lines(self._table(width)), cut(lines(_text(self._sentence(), width)), rest)
            more = [lines(Text("\n".join(part))) for part in self._counted(width)]
            free = rest - len(told)
            beside = _text(" ".join(self._beside()), width, "dim")
            told += (
                cut(lines(beside), max(free - len(middle) - sum(map(len, more)), free // 3)) if beside else []
            )
        rest -= len(told)
        for part in more:
            middle += part if len(middle) + len(part) <= rest else []
        blank = [Segment(" " * width)]
        gap = [blank] if len(middle) + 3 <= rest else []
        rest -= 3 * len(gap)
        middle = cut(middle, rest)
        # The text keeps its place from beat to beat, close below the table.
        middle += [blank] * (min(rest, _HIGH) - len(middle))
        rows = [*head, *gap, *middle, *gap, *told, *[blank] * (rest - len(middle)), *gap, *foot]
        for row in rows:
            yield from row
            yield Segment.line()

    @property
    def _eyes(self) -> Viewer:
        return self.place.eyes(self.course)

    @property
    def _replay(self) -> Replay:
        return self.stepped.replay(self._eyes)

    @property
    def _names(self) -> Sequence[str]:
        return self._replay.names.at(self.place.version)

    def _head(self) -> RenderableType:
        return Text(f"{self.stepped.title}, {self._seen()}", "bold", no_wrap=True, overflow="ellipsis")

    def _seen(self) -> str:
        """Tell whose eyes these are."""
        eyes = self._eyes
        if not isinstance(eyes, int):
            return phrase(f"stepper.seen_by.{eyes}")
        key = "acts" if self.place.follows and self.place.version in self.course.acting else "seat"
        return phrase(f"stepper.eyes.{key}", who=self._names[eyes])

    def _table(self, width: int) -> RenderableType:
        return table_drawing(self._replay.view(self.place.version), self._names, width)

    def _counted(self, width: int) -> Iterator[Sequence[str]]:
        """Everybody's mice and cats; at the end the scores, and the best moments."""
        told = self._replay
        ended = next((line.event for line in self._beat.lines if isinstance(line.event, GameEnded)), None)
        if ended is not None and not self._is_inside:
            yield ["", *score_lines(self._names, ended.scores, ended.winners, width)]
            yield ["", *moment_lines(told.story, told.names, width)]
            return
        events = (one.data for one in told.envelopes if one.version <= self.place.version)
        if counted := tally(events, told.game.players, self._names):
            yield wrapped(counted, width)

    def _help(self) -> Table:
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column()
        seats = ", ".join(f"{seat} {name}" for seat, name in enumerate(self._names, 1))
        for key in KEYS:
            does = phrase(f"stepper.does.{key}")
            does += f": {seats}" if key == "seat" else ""
            grid.add_row(Text(phrase(f"stepper.keys.{key}"), "bold"), does)
        return grid

    def _foot(self, width: int) -> RenderableType:
        return Group(self._progress(width), self._said())

    @property
    def _beat(self) -> Beat:
        return self._replay.beats[self.place.beat]

    @property
    def _is_inside(self) -> bool:
        return self.place.version not in (self._beat.number, self.course.stops[self.place.beat].version)

    def _sentence(self) -> str:
        """Tell what happened in this beat; inside it, at this version."""
        here = (line for line in (*self._beat.lines, *self._beat.below) if line.version == self.place.version)
        return next((line.text for line in here), self._beat.text) if self._is_inside else self._beat.text

    def _beside(self) -> Sequence[str]:
        """Tell of the one decision that was just made; of the seat to move, of the next one."""
        made, place = self._replay.decisions, self.place
        if place.follows:
            seat = self.course.acting.get(place.version)
            coming = (made[version] for version in sorted(made) if version > place.version)
            found = next((one for one in coming if one.seat == seat), None)
            return () if found is None else [_may(found, self._names[found.seat]), *found.ahead]
        here = {place.version} if self._is_inside else {line.version for line in self._beat.lines}
        (*some,) = (one for version, one in made.items() if version in here)
        if len(some) != 1:
            return [cause_text(one) for version, one in self._replay.causes.items() if version in here]
        by = self._replay.causes.get(some[0].version)
        if by is None or not (by.line or by.order):
            return [*some[0].caused, *some[0].why]
        # The line says by which way it came, too.
        caused = [text for text in some[0].caused if text not in _WAYS]
        return [cause_text(by), *caused, *some[0].why]

    def _progress(self, width: int) -> Text:
        """How far this place is, and how far one has been."""
        place, last = self.place, self.course.versions[-1]
        here = self.course.stops[place.beat].round
        told = [phrase("replay.listing.round", round=here)] if here else []
        told.append(phrase("stepper.screen.version", version=place.version, versions=last))
        text = Text(" · ".join(told) + " ")
        room = max(0, width - cell_len(text.plain) - 1)
        at, furthest = place.version * room // last, place.furthest * room // last
        text.append("━" * at + "●", "bold")
        text.append("─" * (furthest - at))
        text.append("·" * (room - furthest), "dim")
        return text

    def _said(self) -> Text:
        place = self.place
        if place.typed is not None:
            return Text(phrase("stepper.screen.goal", typed=f"{place.typed}▏"))
        if place.is_playing:
            return Text(phrase("stepper.screen.plays"))
        return Text(place.said, "bold") if place.said else Text(phrase("stepper.screen.hint"), "dim")


def _text(text: str, width: int, style: str = "") -> Text:
    """Return a text in lines; rich would break it at no-break spaces, too."""
    return Text("\n".join(wrapped(text, width)), style)


def _may(decision: Decision, who: str) -> str:
    """Say what a seat may do."""
    able = decision.choices
    if able.plays:
        return phrase("stepper.may.place", who=who, cards=card_list(able.plays))
    if able.bids is None:
        return phrase("stepper.may.pass", who=who)
    least, most = able.bids
    return phrase(
        "stepper.may.bid" if least < most else "stepper.may.bid_one", who=who, least=least, most=most
    )


def step_through(stepped: Stepped, viewer: Viewer, version: int | None = None) -> None:
    """Let somebody step through a game, from the deal or a version on; Problem if this is no terminal."""
    console = Console()
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or console.is_dumb_terminal:
        raise Problem("--step takes the whole screen of a terminal, and this is none.", EXIT_COULD_NOT_LOOK)
    course = stepped.course(viewer)
    place = first_place(course, viewer, version)
    try:
        with keyboard() as board, Live(console=console, screen=True, auto_refresh=False) as live:
            while not place.has_left:
                live.update(Screen(stepped, course, place), refresh=True)
                keys = board.keys(_SECONDS if place.is_playing else None)
                if STOP in keys:
                    # A shell has no use for a screen that is not its own.
                    live.stop()
                    board.stop()
                    live.start()
                    continue
                for key in keys or ["tick"]:
                    place = press(course, place, key)
    except (KeyboardInterrupt, EOFError):
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None
