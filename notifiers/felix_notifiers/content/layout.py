"""Plain text at most 72 columns wide, in a shape that a screen reader can follow line by line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

WIDTH: Final = 72
INDENT: Final = "  "
_RULE: Final = 64
_NARROW: Final = re.compile(r"[\u0000-\u02ff\u2013-\u2026\u2212]*").fullmatch
"""Texts in which each letter takes one column: those of most mails."""


def paragraph(text: str) -> str:
    """A paragraph, broken into lines."""
    return fill(text, "", "")


def bullet(text: str) -> str:
    """A point of a list."""
    return fill(text, "- ", INDENT)


def paragraphs(texts: Iterable[str]) -> str:
    """Paragraphs one below the other, the empty ones left out."""
    return stacked(*map(paragraph, texts))


def bullets(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(map(bullet, lines))


def stacked(*pieces: str) -> str:
    """Pieces with an empty line between them, the empty ones left out."""
    return "\n\n".join(filter(None, pieces))


def titled(title: str, *pieces: str) -> str:
    """Pieces below a heading."""
    return stacked(f"{title}:", *pieces)


def below(text: str) -> str:
    """A paragraph that belongs to the point above it."""
    return fill(text, INDENT, INDENT)


def quoted(text: str) -> str:
    """A paragraph that is set apart, to be copied."""
    return fill(text, INDENT * 2, INDENT * 2)


def underlined(text: str, room: int = 0) -> str:
    """A heading with a rule below it; with a longer one if both have to take `room` letters, or with two.

    No rule is so long that a program which quotes it would break it: the rest of one would look like the
    line above a signature.
    """
    lines = fill(text, "", "")
    missing = room - len(text)
    rule = "-" * min(_RULE, max([*map(width, lines.splitlines()), missing]))
    return "\n".join(filter(None, [rule if missing > _RULE else "", lines, rule]))


def finished(text: str) -> str:
    """The text part: one blank line between sections; dots and blanks as they are typed."""
    typed = text.replace("\u00a0·", ";").replace("\u00a0", " ")
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


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        INDENT + "  ".join(pad(cell, wide) for cell, wide in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def fill(text: str, first: str, rest: str) -> str:
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
    """Return how many letters of a line fit."""
    columns = 0
    for place, char in enumerate(line):
        columns += width(char)
        if columns > WIDTH:
            return place
    return len(line)
