"""The drawings of cards, as runs of colour: `templates/animals.txt`, read once.

Mail programs drop `<svg>`, and webmail drops `data:` links; pictures from elsewhere are not wanted here, and
attached ones make every mail look as if it brought a file. A table of coloured cells needs none of that. The
cells hold no text, so nothing of them is read aloud or copied.

>>> shown("mouse").lines[0]
(Run(length=2, ink=''), Run(length=1, ink='x'), Run(length=6, ink=''))
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Final, Literal

from felix_async.game.cards import DOGS, RABBIT, card_text
from felix_events.model import Card

_NOTHING: Final = "."
Look = Literal["good", "bad", "rabbit", "dog", "hidden", "missing"]


@dataclass(frozen=True, slots=True)
class Run:
    """So many cells of one colour; `ink` is a letter of the drawing, or '' for none."""

    length: int
    ink: str


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A drawing of `width` cells a line; each is there once."""

    width: int
    lines: tuple[tuple[Run, ...], ...]


@dataclass(frozen=True, slots=True)
class Face:
    """A card as it is drawn; `small` if its animal is, `bare` without one."""

    text: str
    look: Look
    small: bool = False
    bare: bool = False

    @property
    def picture(self) -> Picture | None:
        """The animal on it; a place without a card has none."""
        return None if self.bare or self.look == "missing" else shown(self.look)


def face_of(card: Card) -> Face:
    """A card that lies open, or is its owner's to see."""
    if card in DOGS:
        return Face(card_text(card), "dog", small=card == "small_dog")
    if card == RABBIT:
        return Face(card_text(card), "rabbit")
    return Face(card_text(card), "bad" if isinstance(card, int) and card < 0 else "good")


@cache
def shown(name: str) -> Picture:
    """Return the drawing of that name; KeyError if there is none."""
    return _picture(_drawings()[name])


@cache
def mice(number: int) -> Picture:
    """So many mice, two or three in a line."""
    a_line = 2 if number in (2, 4) else 3
    mouse = _drawings()["mouse"]
    gap = _NOTHING * len(mouse[0])
    lines: list[str] = []
    for first in range(0, number, a_line):
        here = min(number - first, a_line)
        lines += [gap] if lines else []
        lines += [_NOTHING.join([line] * here) for line in mouse]
    width = max(map(len, lines), default=0)
    return _picture([line.ljust(width, _NOTHING) for line in lines])


@cache
def _drawings() -> dict[str, list[str]]:
    text = files("felix_notifiers.content").joinpath("templates/animals.txt").read_text(encoding="utf-8")
    _, *blocks = text.strip().split("\n\n")
    return {name: lines for name, *lines in (block.splitlines() for block in blocks)}


def _picture(lines: list[str]) -> Picture:
    return Picture(len(lines[0]) if lines else 0, tuple(map(_runs, lines)))


def _runs(line: str) -> tuple[Run, ...]:
    return tuple(Run(len([*run]), "" if ink == _NOTHING else ink) for ink, run in groupby(line))
