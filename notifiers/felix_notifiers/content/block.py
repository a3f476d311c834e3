"""A piece of an answer: a title, paragraphs, points and links, each of which may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_notifiers.content import layout
from felix_notifiers.content.moves import Option


@dataclass(frozen=True, slots=True)
class Block:
    """Something that was asked for, or that felix asks beside the game."""

    title: str = ""
    paragraphs: Sequence[str] = ()
    lines: Sequence[str] = ()
    links: Sequence[Option] = ()

    def text(self) -> str:
        """The links as they are typed."""
        return layout.stacked(
            f"{self.title}:" if self.title else "",
            layout.paragraphs(self.paragraphs),
            layout.bullets(self.lines),
            "\n".join(layout.quoted(link.typed) for link in self.links if link.typed),
        )
