"""A line of a mail, and where in the mail it stands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

from felix_async.language.grammar import Misread, Order, clean, read_clean

T = TypeVar("T")
Place = Literal[
    "written",
    "doubtful",
    "quoted",
    "attribution",
    "signature",
    "forwarded",
    "below the marker",
    "next part",
]
"""Whose a line is: the writer's, perhaps the writer's, or somebody else's.

"next part" is no line at all: it stands between two texts of one mail.
"""
MAX_LINES: Final = 1000
"""Lines of a mail that are looked at, with all its quotes."""
MAX_CHARS: Final = 1000
"""How many characters of a line are kept; no order is half as long."""
MAX_BARE: Final = 400
"""How many characters of a line are looked at; what tells a line's place stands in its beginning."""
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"
)
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&nbsp;", " "), ("&amp;", "&"))


class _Once(Generic[T]):
    """A property that is found once: `cached_property` without its lock, which costs more than most lines."""

    def __init__(self, find: Callable[[Line], T]) -> None:
        self._find = find

    def __set_name__(self, owner: type[Line], name: str) -> None:
        self._name = name

    def __get__(self, line: Line, owner: type[Line]) -> T:
        found = line.__dict__[self._name] = self._find(line)
        return found


@dataclass(frozen=True)
class Line:
    """A line as it was written, and where it stands; whatever is made of its text is made once."""

    text: str
    place: Place = "written"

    @_Once
    def clean(self) -> str:
        """The line as orders are read: without what mail programs add."""
        return clean(self.text)

    @_Once
    def bare(self) -> str:
        """The line as its place is told."""
        return bare(self.text)

    @_Once
    def read(self) -> Order | Misread:
        """The order in it, or why there is none."""
        return read_clean(self.clean, self.text)

    @property
    def is_order(self) -> bool:
        """Return True if it would be an order; no sign of a mail program is."""
        return isinstance(self.read, Order)

    def at(self, place: Place) -> Line:
        """The same line in another place."""
        if place == self.place:
            return self
        line = object.__new__(Line)
        line.__dict__.update(self.__dict__, place=place)
        return line


def bare(text: str) -> str:
    """The beginning of a line without invisible characters, odd blanks and wide letters, to look at it.

    >>> bare("\\u202bOn\\u00a0Friday &lt;a@b.test&gt; wrote\\uff1a ")
    'On Friday <a@b.test> wrote:'
    """
    text = _UNSEEN.sub("", text[:MAX_BARE])
    if not text.isascii():
        # One character may stand for eighteen.
        text = unicodedata.normalize("NFKC", text)[:MAX_BARE]
    if "&" in text:
        for entity, char in _ENTITIES:
            text = text.replace(entity, char)
    return " ".join(text.split())
