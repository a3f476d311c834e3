"""A game by mail told in order: who wrote, and the mails that came of it.

Left out is what all mails have, and whatever was told before, word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from people.parlour import Arrived, Parlour, Written

_INDENT: Final = " " * 7
_LABEL: Final = re.compile(r"\[.*?\] ")
_OFFERS: Final = re.compile(r"(?:  [A-Z]+\b.*\n?)+")
"""A paragraph of answers, one on each line."""
_INTRO: Final = re.compile(r"(?:Reply|Just answer|Answer)\b[^.?]*:$|, or with one of these:$")
_LEFT_OUT: Final = re.compile(r"Hello |For the record|-- write above|Felix, |>")
"""The beginnings of paragraphs that a reader of the whole game can do without."""
_LONG: Final = 90
"""Letters from which on a paragraph is told once."""


def told(parlour: Parlour) -> str:
    """The game from the first mail to the last."""
    known: set[str] = set()
    days = groupby(parlour.log, lambda one: f"{one.at:%A, %d %B}")
    return "\n".join(
        "\n".join([day, "", *(_one(parlour, one, known) for one in mails)]) for day, mails in days
    )


def _one(parlour: Parlour, one: Written | Arrived, known: set[str]) -> str:
    name = parlour.names[one.seat]
    if isinstance(one, Written):
        head, lines = f"{name} writes:", one.text.splitlines()
    else:
        head, lines = f"felix to {name}: {_LABEL.sub('', one.subject)}", [*_shortened(one.text, known)]
    return "\n".join([f"{one.at:%H:%M}  {head}", *(f"{_INDENT}{line}".rstrip() for line in lines), ""])


def _shortened(text: str, known: set[str]) -> Iterator[str]:
    for paragraph in text.strip().split("\n\n"):
        if _LEFT_OUT.match(paragraph) or paragraph in known:
            continue
        if len(paragraph) > _LONG:
            known.add(paragraph)
        if _OFFERS.fullmatch(paragraph):
            yield " ".join(f"[{line.strip()}]" for line in paragraph.splitlines())
            continue
        yield from _INTRO.sub("", paragraph).rstrip().splitlines()
