"""The drawings of cards, as runs of colour: `animals.txt`, read once.

Messages hold them as tables of coloured cells: mail programs drop `<svg>`, and webmail drops `data:` links.
Pictures from elsewhere are not wanted there, and attached ones make every mail look as if it brought a file.
The cells hold no text, so nothing of them is read aloud or copied.

>>> shown("kitten").lines[0]
Line(height=4, runs=(Run(length=13, ink=''),))
>>> face_of(15).picture is shown("king"), face_of(-8).picture is shown("furious")
(True, True)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Final, Literal

from felix_async.game.cards import card_text
from felix_events.model import Card

_NOTHING: Final = "."
Look = Literal["good", "bad", "rabbit", "dog", "hidden", "missing"]


@dataclass(frozen=True, slots=True)
class Run:
    """So many cells of one colour; `ink` is a letter of the drawing, or '' for none."""

    length: int
    ink: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of runs, `height` cells high: lines that are alike are one."""

    height: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A drawing of `width` cells a line; `inks` are its colours by letter. Each is there once."""

    name: str
    inks: Mapping[str, str]
    width: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Face:
    """A card as it is drawn: its name, its colours and the name of the drawing, '' for none.

    `is_secret` says that its owner alone sees it, and to everybody else it lies face down; `is_struck` that
    it was chased away.
    """

    text: str
    look: Look
    drawing: str = ""
    is_secret: bool = False
    is_struck: bool = False

    @property
    def picture(self) -> Picture | None:
        """The animal on it."""
        return shown(self.drawing) if self.drawing else None

    def bare(self) -> Face:
        """The same without an animal."""
        return replace(self, drawing="")

    def struck(self) -> Face:
        """The same struck out."""
        return replace(self, look="missing", is_struck=True)


HIDDEN: Final = "hidden"
_ANIMALS: Final[Mapping[Card, tuple[Look, str]]] = {
    -8: ("bad", "furious"),
    -5: ("bad", "grumpy"),
    0: ("rabbit", "rabbit"),
    3: ("good", "kitten"),
    5: ("good", "tom"),
    8: ("good", "tabby"),
    11: ("good", "tiger"),
    15: ("good", "king"),
    "large_dog": ("dog", "large dog"),
    "small_dog": ("dog", "small dog"),
}
"""The colours and the drawing of each card."""


def face_of(card: Card, *, is_secret: bool = False) -> Face:
    """A card that lies open, or is its owner's to see."""
    return Face(card_text(card), *_ANIMALS[card], is_secret=is_secret)


@cache
def shown(name: str) -> Picture:
    """Return the drawing of that name; KeyError if there is none."""
    return _picture(name, *_drawings()[name])


@cache
def _drawings() -> dict[str, list[str]]:
    text = files("felix_async.pictures").joinpath("animals.txt").read_text(encoding="utf-8")
    _, *blocks = text.strip().split("\n\n")
    return {name: lines for name, *lines in (block.splitlines() for block in blocks)}


def _picture(name: str, colours: str, *lines: str) -> Picture:
    inks = dict(ink.split("=") for ink in colours.split())
    alike = [(line, len([*same])) for line, same in groupby(lines)]
    width = len(lines[0])
    return Picture(name, inks, width, tuple(Line(height, _runs(line)) for line, height in alike))


def _runs(line: str) -> tuple[Run, ...]:
    return tuple(Run(len([*run]), "" if ink == _NOTHING else ink) for ink, run in groupby(line))
