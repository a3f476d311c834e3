"""Shared by all commands: results on stdout, talk on stderr, one sentence for a problem."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from felix_async.text import plain

if TYPE_CHECKING:
    from rich.text import Text

T = TypeVar("T")
EXIT_PROBLEM = 1
EXIT_COULD_NOT_LOOK = 2
EXIT_INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended."""
_BETWEEN: Final = "  "
_WORDS: Final = re.compile("( *)([^ ]+)")
"""Words, each with the blanks before it; a no-break space is part of a word."""
_LEAST_WIDTH: Final = 30
_USUAL_WIDTH: Final = 80
MOST_WIDTH: Final = 120
_NARROWEST: Final = 6
"""Columns of a text that is cut, at least."""


class Problem(click.ClickException):
    """One sentence for the person at the terminal, and an exit code."""

    def __init__(self, message: str, exit_code: int = EXIT_PROBLEM) -> None:
        super().__init__(message)
        self._exit_code = exit_code

    @property
    def exit_code(self) -> int:  # type: ignore[override]
        """1 for a problem, 2 for wrong usage and for an audit that could not look."""
        return self._exit_code


def problem_of(error: Exception) -> Problem | None:
    """The problem that an error of felix's own stands for; None if it is a bug."""
    # Here, because a command that went well needs none of them.
    from felix_async.language.data import LanguageError
    from felix_async.settings import SettingsError
    from felix_events.envelope import Unreadable
    from felix_events.export import NotAnExport, OtherFormat
    from felix_events.lines import Damaged
    from felix_events.store.base import StoreError

    match error:
        case StoreError() | SettingsError() | LanguageError():
            return Problem(plain(str(error), 500))
        case OtherFormat():
            return Problem(f"{str(error).capitalize()}.", EXIT_COULD_NOT_LOOK)
        case NotAnExport():
            return Problem(f"{str(error).capitalize()}.")
        case Damaged():
            return Problem(f"This export is damaged: {plain(str(error), 500)}. Ask for the file again.")
        case Unreadable():
            return Problem(f"Version {error.index + 1} of this log cannot be read: {plain(error.why)}.")
        case OSError():
            file = f"{plain(str(error.filename))}: " if error.filename else ""
            return Problem(f"That did not work: {file}{plain(str(error.strerror or error))}.")
        case _:
            return None


def felix() -> str:
    """Return how felix is called from here: by its name, if a shell finds it."""
    return "felix" if shutil.which("felix") else os.path.join(os.curdir, from_here(sys.argv[0]))


def from_here(path: str | os.PathLike[str]) -> str:
    """Return a path as short as it can be typed: from the current folder, if it lies below."""
    whole = os.path.abspath(path)
    return os.path.relpath(whole) if whole.startswith(os.path.join(os.getcwd(), "")) else whole


def counted(number: int, noun: str) -> str:
    """`1 game`, `2 games`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def say(message: str) -> None:
    """Talk: on stderr, never in a result."""
    click.echo(message, err=True)


def print_json(value: object) -> None:
    """A result for a script."""
    import orjson

    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def terminal_width() -> int | None:
    """Return how many columns the terminal has; None if the output is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def text_width() -> int:
    """Return the columns for text: $COLUMNS, the terminal's, or 80; very long lines are hard to read."""
    is_known = "COLUMNS" in os.environ or sys.stdout.isatty()
    columns = shutil.get_terminal_size().columns if is_known else _USUAL_WIDTH
    return max(_LEAST_WIDTH, min(MOST_WIDTH, columns))


def echo_fitting(line: str) -> None:
    """Print a line of text; on a terminal in lines that fit, for a script as one."""
    for part in wrapped(line, text_width(), then="    ") if sys.stdout.isatty() else [line]:
        click.echo(part)


def show_lines(lines: Iterable[Text], width: int) -> None:
    """Print lines that fit; on a terminal in colours, and through a pager if they are more than it has."""
    if not sys.stdout.isatty():
        click.echo("\n".join(line.plain for line in lines))
        return
    from rich.console import Console

    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=width)
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    text = file.getvalue()
    if text.count("\n") < shutil.get_terminal_size().lines:
        click.echo(text, nl=False)
    else:
        click.echo_via_pager(text)


def table_lines(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()
) -> list[str]:
    """Return columns of text, each as wide as its widest cell (rich takes 4 s for 10,000 such rows).

    Those of `right`, numbers, stand at the right of their columns.
    """
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(head))]

    def placed(column: int, cell: str) -> str:
        room = " " * (widths[column] - _width(cell))
        return room + cell if head[column] in right else cell + room

    return [_BETWEEN.join(placed(*one) for one in enumerate(line)).rstrip() for line in lines]


def print_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, spare: Sequence[str] = (), cut: Sequence[str] = ()
) -> None:
    """Print a table; nothing if it has no rows.

    On a terminal it is made to fit: the columns that can be spared go, one by one, then the texts in those
    of `cut` are.
    """
    width = terminal_width()
    if width is not None:
        head, rows = fitted(head, rows, width, spare, cut)
    if rows:
        click.echo("\n".join(table_lines(head, rows)))


def fitted(
    head: Sequence[str], rows: Sequence[Sequence[str]], width: int, spare: Sequence[str], cut: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    """Return a table that fits into so many columns of a terminal, as far as that goes."""
    columns = dict(zip(head, zip(head, *rows, strict=True), strict=True))
    widths = {name: max(map(_width, column)) for name, column in columns.items()}
    for name in spare:
        if _excess(widths, width) > 0:
            del columns[name], widths[name]
    widest = max(cut, key=lambda name: widths[name], default="")
    while _excess(widths, width) > 0 and widest and widths[widest] > _NARROWEST:
        widths[widest] -= 1
        widest = max(cut, key=lambda name: widths[name])
    told = [[_cut(cell, widths[name]) for cell in column] for name, column in columns.items()]
    first, *others = ([*line] for line in zip(*told, strict=True))
    return first, others


def wrapped(text: str, width: int, first: str = "", then: str = "") -> list[str]:
    """Return a text in lines of so many columns, the first of them behind `first`, the others behind `then`.

    It counts columns, where textwrap counts characters: an emoji has two.
    """
    from rich.cells import chop_cells

    room = max(2, width - max(_width(first), _width(then)))
    lines: list[str] = []
    for gap, word in _WORDS.findall(text):
        if lines and _width(lines[-1] + gap + word) <= width:
            lines[-1] += gap + word
            continue
        # A word that is wider than a line is cut; blanks before the first one stay.
        *full, rest = chop_cells(word if lines else gap + word, room) or [word]
        lines += [(then if lines or place else first) + part for place, part in enumerate([*full, rest])]
    return lines


def _excess(widths: Mapping[str, int], width: int) -> int:
    return sum(widths.values()) + len(_BETWEEN) * (len(widths) - 1) - width


def _cut(text: str, width: int) -> str:
    if _width(text) <= width:
        return text
    while _width(text) >= width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def progress(items: Iterable[T], total: int, label: str) -> Iterable[T]:
    """The items, with a bar on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    bar: Any = track(items, description=label, total=total, console=Console(stderr=True), transient=True)
    return bar  # type: ignore[no-any-return]
