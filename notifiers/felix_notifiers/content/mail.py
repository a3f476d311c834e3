"""A message before it has a form: a subject, and a list of sections that know their text and their HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from felix_notifiers.content.glance import Glance


class Section(Protocol):
    """One piece of a mail. Its words are harmless, but not escaped yet.

    The HTML of a section `Table` of `content/table.py` is the macro `table` of `templates/table.html.j2`; an
    empty section leaves an empty line there.
    """

    def text(self) -> str:
        """Return the section as the text part says it, '' if it is empty."""
        ...


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail, section by section, the same in the text part and the HTML part, below what its glance shows.

    Who answers one that `is_answered` writes above the marker, which is the second line of both parts.
    """

    glance: Glance
    sections: Sequence[Section]
    footer: str
    is_answered: bool = True

    @property
    def subject(self) -> str:
        """The subject, which shows before the mail is opened."""
        return self.glance.subject


@dataclass(frozen=True, slots=True)
class Composed:
    """A mail as words: its subject, its text part and its HTML part."""

    subject: str
    text: str
    html: str

    @property
    def sent_html(self) -> str:
        """The HTML part with references for letters beyond ASCII: no encoding makes that a fifth longer."""
        return self.html.encode("ascii", "xmlcharrefreplace").decode()
