"""Plain text at most 72 columns wide, in a shape that a screen reader can follow line by line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from felix_notifiers.content.sheet import Told
from felix_notifiers.content.standing import Entry
from felix_notifiers.content.wording import SCORE_HEADS
from felix_notifiers.pages.drawing import Place
from felix_notifiers.pages.result import SackLine, ScoreLine

WIDTH: Final = 72
_INDENT: Final = "  "
_ORDER_WIDTH: Final = 14
"""Columns for an order in the help, the gap behind it included."""
_BAR: Final = "  | "
_NARROW: Final = re.compile(r"[\u0000-\u02ff\u2013-\u2026\u2212]*").fullmatch
"""Texts in which each letter takes one column: those of most mails."""


def paragraph(text: str) -> str:
    """A paragraph, broken into lines."""
    return _fill(text, "", "")


def bullet(text: str) -> str:
    """A point of a list."""
    return _fill(text, "- ", _INDENT)


def below(text: str) -> str:
    """What belongs to the point above it."""
    return _fill(text, _INDENT, _INDENT)


def sentence(text: str) -> str:
    """A headline as a sentence."""
    return f"{text}." if text else ""


def quoted(text: str) -> str:
    """A paragraph that is set apart, to be copied."""
    return _fill(text, _INDENT * 2, _INDENT * 2)


def row_lines(row: Sequence[Place]) -> str:
    """The row, one numbered line for each place: in columns where they fit, else as sentences."""
    cells = [(f"{number}.", place.face.text, place.owner, place.note) for number, place in enumerate(row, 1)]
    lines = _columns(cells)
    if max(map(width, lines), default=0) <= WIDTH:
        return "\n".join(lines)
    sentences = [", ".join(part for part in cell[1:] if part) for cell in cells]
    return "\n".join(
        _fill(text, f"{_INDENT}{cell[0]} ", " " * 5) for cell, text in zip(cells, sentences, strict=True)
    )


def ledger_lines(entries: Sequence[Entry]) -> str:
    """The accounts of the table, the amounts under each other."""
    widest = max(width(entry.label) for entry in entries)
    first = [f"{_INDENT}{_pad(entry.label, widest)}  " for entry in entries]
    rest = " " * len(first[0])
    return "\n".join(_fill(entry.text, start, rest) for start, entry in zip(first, entries, strict=True))


def score_lines(scores: Sequence[ScoreLine]) -> str:
    """The result as a table, the numbers under each other."""
    cells = [SCORE_HEADS, *((line.rank, line.name, line.cats, line.mice, line.total) for line in scores)]
    ranks, names = (max(width(cell[column]) for cell in cells) for column in (0, 1))
    return "\n".join(
        f"{_INDENT}{_pad(rank, ranks)}  {_pad(name, names)}" + "".join(f"{number:>7}" for number in numbers)
        for rank, name, *numbers in cells
    )


def title_line(text: str) -> str:
    """The heading of a part of a mail, with a rule below it."""
    lines = _fill(text, "", "")
    return f"{lines}\n{'-' * min(WIDTH, max(map(width, lines.splitlines())))}"


def told_line(line: Told) -> str:
    """A line about what happened. What somebody said stands behind a bar, so that no piece of it can be
    taken for an order, wherever the line breaks.
    """
    if isinstance(line, str):
        return bullet(line)
    return f"{bullet(line.who)}\n{_fill(line.text, _BAR, _BAR)}"


def sack_lines(sacks: Sequence[SackLine]) -> str:
    """What became of each sack, a paragraph for each round."""
    return "\n".join(_fill(f"{sack.title}: {sack.text} {sack.outcome}", "- ", _INDENT) for sack in sacks)


def order_line(order: str, meaning: str) -> str:
    """An order and what it does; below it where the order is long."""
    below = " " * (len(_INDENT) + _ORDER_WIDTH)
    if len(order) >= _ORDER_WIDTH:
        return f"{_INDENT}{order}\n{_fill(meaning, below, below)}"
    return _fill(meaning, f"{_INDENT}{order:<{_ORDER_WIDTH}}", below)


def finished(text: str) -> str:
    """The text part: one blank line between sections; minus signs and blanks as they are typed."""
    typed = text.replace("−", "-").replace("\u00a0", " ")
    lines = [line.rstrip() for line in typed.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def width(text: str) -> int:
    """Columns on a terminal: East Asian letters take two, accents none."""
    if _NARROW(text):
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        _INDENT + "  ".join(_pad(cell, wide) for cell, wide in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _fill(text: str, first: str, rest: str) -> str:
    """The text broken into lines by the columns it takes, which are not its letters."""
    lines: list[str] = []
    words = re.findall(r"[^ \n]+", text)
    whole = first + " ".join(words)
    columns_of = len if _NARROW(whole) else width
    if columns_of(whole) <= WIDTH:
        return whole
    line, columns, is_new = first, columns_of(first), True
    for word in words:
        wide = columns_of(word)
        if not is_new and columns + 1 + wide > WIDTH:
            lines.append(line)
            line, columns, is_new = rest, columns_of(rest), True
        line += word if is_new else f" {word}"
        columns += wide if is_new else 1 + wide
        is_new = False
        while columns > WIDTH:
            fitting = _fitting(line)
            lines.append(line[:fitting])
            line = rest + line[fitting:]
            columns = columns_of(line)
    return "\n".join([*lines, line])


def _fitting(line: str) -> int:
    """How many letters of a line fit."""
    columns = 0
    for place, char in enumerate(line):
        columns += width(char)
        if columns > WIDTH:
            return place
    return len(line)
