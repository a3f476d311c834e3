"""The beginning of a message, with the time until which to answer it, and its end in small print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.language.phrases import first_capital, phrase
from felix_notifiers.content import layout


@dataclass(frozen=True, slots=True)
class Head:
    """The headline; above it in grey the table and the round, and until when to answer.

    In a digest the text part has a `title` for it. There it takes `room` letters or more, so that a locked
    screen shows nothing of what is the reader's own below.
    """

    headline: str
    table: str = ""
    round_: str = ""
    until: str = ""
    title: str = ""
    room: int = 0

    @property
    def place(self) -> str:
        """`Thursday club · round 4 of 9`."""
        return phrase("glance.place.between").join(filter(None, (self.table, self.round_)))

    def text(self) -> str:
        """Without the headline, which the first line of the mail says, and the table, which the subject does.

        Letters that are missing are dashes below the line, as below a heading: they say nothing to anybody.
        """
        line = first_capital(", ".join(filter(None, (self.round_, self.until))))
        shown = layout.underlined(line, self.room) if self.room > 0 else layout.paragraph(line)
        return layout.stacked(layout.underlined(self.title) if self.title else "", shown)


@dataclass(frozen=True, slots=True)
class Opening:
    """The first paragraphs."""

    paragraphs: Sequence[str]

    def text(self) -> str:
        return layout.paragraphs(self.paragraphs)


@dataclass(frozen=True, slots=True)
class Small:
    """Small print."""

    paragraphs: Sequence[str]

    def text(self) -> str:
        return layout.paragraphs(self.paragraphs)
