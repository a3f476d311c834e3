"""A line of a message, and where in the message it stands."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Final, Literal

from felix_async.language.grammar import Misread, Order, clean, read_clean

Place = Literal[
    "written",
    "doubtful",
    "quoted",
    "attribution",
    "signature",
    "forwarded",
    "below the marker",
    "preview",
    "next part",
]
"""Whose a line is: the writer's, perhaps the writer's, or somebody else's.

A "preview" is the first line of a message of ours: all around it is read as if it was not there. "next part"
is no line at all: it stands between two texts of one mail.
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


@dataclass(slots=True, unsafe_hash=True)
class Line:
    """A line as it was written, and where it stands; whatever is made of its text is made once."""

    text: str
    place: Place = "written"
    _clean: str | None = field(default=None, repr=False, compare=False)
    _bare: str | None = field(default=None, repr=False, compare=False)
    _read: Order | Misread | None = field(default=None, repr=False, compare=False)

    @property
    def clean(self) -> str:
        """The line as orders are read: without what mail programs add."""
        if self._clean is None:
            self._clean = clean(self.text)
        return self._clean

    @property
    def bare(self) -> str:
        """The line as its place is told."""
        if self._bare is None:
            self._bare = bare(self.text)
        return self._bare

    @property
    def read(self) -> Order | Misread:
        """The order in it, or why there is none."""
        if self._read is None:
            self._read = read_clean(self.clean, self.text)
        return self._read

    @property
    def is_order(self) -> bool:
        """Return True if it would be an order; no sign of a mail program is."""
        return isinstance(self.read, Order)

    def at(self, place: Place) -> Line:
        """The same line in another place."""
        if place == self.place:
            return self
        return Line(self.text, place, self._clean, self._bare, self._read)


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
