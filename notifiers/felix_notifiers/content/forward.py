"""A text for a host to send on to those who are invited: whose message to expect, and how to find it.

No token is in it: whoever reads it knows no more than the address that all of felix's mail comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.language.clock_terms import terms_text
from felix_async.language.phrases import phrase
from felix_async.language.words import WORD_OF
from felix_notifiers.content import layout, wording
from felix_notifiers.content.block import Block
from felix_notifiers.content.lobby import edition, is_other_edition
from felix_notifiers.content.moves import ReplyTo
from felix_notifiers.content.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Forward:
    """The text, set apart, so that it is clear where it begins and ends."""

    paragraphs: Sequence[str]

    def text(self) -> str:
        return layout.titled(wording.FORWARD, *map(layout.quoted, self.paragraphs))


def share_of(game: Snapshot) -> Block:
    """Offer the text as a message that is written already, and goes to nobody yet."""
    to_nobody = ReplyTo("", phrase("lobby.forward.subject"))
    text = "\n\n".join(forward_of(game).paragraphs)
    shown, typed = phrase("lobby.forward.share"), phrase("lobby.forward.typed")
    return Block(links=[to_nobody.option(text, shown=shown, typed=typed)])


def forward_of(game: Snapshot) -> Forward:
    """The text signed with the reader's name."""
    local, _, host = game.reply_address.rpartition("@")
    address = f"{local.partition('+')[0]}@{host}"
    terms = " ".join(filter(None, (_clock(game), _rules(game))))
    paragraphs = [
        phrase("lobby.forward.hello"),
        phrase("lobby.forward.invited", address=address),
        phrase("lobby.forward.answer", join=WORD_OF["JOIN"]),
        terms,
        game.name,
    ]
    return Forward(list(filter(None, paragraphs)))


def _rules(game: Snapshot) -> str:
    """Say which rules hold, if they are not the usual ones."""
    if not is_other_edition(game.table):
        return ""
    return phrase("lobby.forward.rules", edition=edition(game.table))


def _clock(game: Snapshot) -> str:
    """Say how much time a move may take: who is invited should know before they join."""
    terms = game.table.clock
    return "" if terms is None else phrase("lobby.forward.clock", terms=terms_text(terms))
