"""A text for a host to send on to those who are invited: whose mail to expect, and how to find it.

No token is in it: whoever reads it knows no more than the address that all of felix's mail comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.language.clock_terms import terms_text
from felix_async.language.phrases import phrase
from felix_async.language.words import WORD_OF
from felix_notifiers.content import layout, wording
from felix_notifiers.content.lobby import edition, is_other_edition
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.subjects import subject_of, topic_of


@dataclass(frozen=True, slots=True)
class Forward:
    """The text, set apart, so that it is clear where it begins and ends."""

    paragraphs: Sequence[str]

    def text(self) -> str:
        return layout.titled(wording.FORWARD, *map(layout.quoted, self.paragraphs))


def forward_of(game: Snapshot) -> Forward:
    """The text signed with the reader's name."""
    local, _, host = game.reply_address.rpartition("@")
    address = f"{local.partition('+')[0]}@{host}"
    subject = subject_of(game.label, topic_of(game.table, {"invitation"}))
    paragraphs = [
        phrase("mails.forward.hello"),
        phrase("mails.forward.invited", address=address, subject=subject),
        f"{_rules(game)} {_clock(game)}".strip(),
        phrase("mails.forward.spam"),
        phrase("mails.forward.answer", join=WORD_OF["JOIN"]),
        game.name,
    ]
    return Forward(paragraphs)


def _rules(game: Snapshot) -> str:
    """Say which rules hold, if they are not the usual ones."""
    if not is_other_edition(game.table):
        return ""
    return phrase("mails.forward.rules", edition=edition(game.table))


def _clock(game: Snapshot) -> str:
    """Say how much time a move may take: who is invited should know before they join."""
    terms = game.table.clock
    if terms is None:
        return phrase("mails.forward.no_clock")
    return phrase("mails.forward.clock", terms=terms_text(terms))
