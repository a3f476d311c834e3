"""The beginning of a mail, with the time that is left to answer it, and its end in small print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.language.words import MARKER
from felix_notifiers.content import layout


@dataclass(frozen=True, slots=True)
class Head:
    """The headline, the greeting, and until when to answer.

    Below `deadline`, which is set off, `reserve` says what comes then. A part of a digest has a `title`.
    """

    headline: str
    greeting: str
    deadline: str = ""
    reserve: str = ""
    marker: str = MARKER
    title: str = ""

    def text(self) -> str:
        """Without the headline, which the subject says."""
        title = layout.title_line(self.title) if self.title else ""
        until = layout.paragraph(f"{self.deadline} {self.reserve}")
        return layout.stacked(title, self.marker, layout.paragraph(self.greeting), until)


@dataclass(frozen=True, slots=True)
class Opening:
    """The first paragraphs; `lead` is the headline for the text part, if nothing else says it there."""

    paragraphs: Sequence[str]
    lead: str = ""

    def text(self) -> str:
        lead = f"{self.lead.rstrip('.')}." if self.lead else ""
        return layout.paragraphs([lead, *self.paragraphs])


@dataclass(frozen=True, slots=True)
class Small:
    """Small print."""

    paragraphs: Sequence[str]

    def text(self) -> str:
        return layout.paragraphs(self.paragraphs)
