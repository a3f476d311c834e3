"""A message at a glance: its subject, its first line, and the headline, as a locked screen may show them.

They are made from what everybody at the table sees (`public.py`), and from nothing else.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from felix_async.language.data import table
from felix_async.language.phrases import first_capital, phrase
from felix_async.language.words import MARKER
from felix_async.people import FORMER
from felix_notifiers.content.first_line import preview_of
from felix_notifiers.content.harmless import one_line
from felix_notifiers.content.public import NAME_LENGTH, NOTHING, Facts, PublicTable, cut, shown

SUBJECT_LENGTH: Final = 35
"""Letters of a subject: a phone shows no more."""
PREVIEW_LENGTH: Final = 100
"""Letters of a first line, and of what others have said."""
LOCKED_SCREEN: Final = 150
"""Letters of a mail that a locked screen may show: Apple Mail shows up to 140."""
_NO_RESULT: Final = ("left", "voted", "deserted")
_INVITING: Final = frozenset({"invitation", "invitation_again"})
"""Previews that say what is played: the headline says who invites."""
_HEADLINES: Final = table("glance.toml")["headline"]


@dataclass(frozen=True, slots=True)
class Glance:
    """A mail from outside. `preheader` is the preview, or says more where only the HTML part may say it."""

    subject: str
    preview: str
    headline: str
    preheader: str

    @property
    def padding(self) -> int:
        """Pairs of an invisible letter and a blank behind the preheader: a locked screen shows no more."""
        return max(0, LOCKED_SCREEN - len(f"{self.preheader} {MARKER} {self.headline}") + 1) // 2


def glance_of(public: PublicTable, seat: int, kinds: Set[str], facts: Facts = NOTHING) -> Glance:
    """Return what a mail of these kinds shows to the player of a seat before it is opened."""
    key, values = preview_of(public, seat, kinds, facts)
    preview = _begun(phrase(f"glance.preview.{key}", **values))
    headline = _begun(phrase(f"glance.headline.{key}", **values)) if key in _HEADLINES else preview
    preheader, subject = preview, subject_of(public, seat, kinds, facts)
    if key in _INVITING:
        headline = subject
    if key == "talk" and not public.discreet:
        told = (
            phrase("glance.preheader.talk", who=shown(who), words=one_line(words))
            for who, words in facts.talk
        )
        preheader = headline = cut(" ".join(told), PREVIEW_LENGTH)
    return Glance(subject, preview, headline, preheader)


def _begun(line: str) -> str:
    """Return a line; one about a former player begins with a capital letter, too."""
    return first_capital(line) if line.startswith(FORMER) else line


def letter_glance(key: str, subject: str, **values: str | int) -> Glance:
    """Return the glance of a mail that is not about one table, or about one that its reader may not know."""
    said = {name: shown(one) if isinstance(one, str) else one for name, one in values.items()}
    preview = phrase(f"glance.preview.{key}", **said)
    headline = phrase(f"glance.headline.{key}", **said) if key in _HEADLINES else preview
    return Glance(cut(subject, SUBJECT_LENGTH), preview, headline, preview)


# ---- subjects ---------------------------------------------------------------------------------------


def subject_of(public: PublicTable, seat: int, kinds: Set[str], facts: Facts = NOTHING) -> str:
    """Return the subject, which all mails about a round of a table share."""
    view, name = public.view, public.name
    if "withdrawn" in kinds and not view.is_over:
        return _fitted("withdrawn", table=name)
    if view.phase == "ended":
        if len(view.winners) != 1 or public.discreet:
            return _fitted("over", table=name)
        if seat in view.winners:
            return _fitted("won_you", table=name)
        return _fitted("won", table=name, who=cut(public.names[view.winners[0]], NAME_LENGTH))
    if view.phase == "abandoned":
        return _fitted("over" if view.reason in _NO_RESULT else "off", table=name)
    if view.phase in ("placing", "bidding"):
        return _fitted("round", round=view.round, table=name)
    if facts.is_sequel:
        return _fitted("rematch", table=name)
    if seat == view.host and "invitation" not in kinds:
        return _fitted("open" if facts.said == "open" else "lobby", table=name)
    who = public.names[view.host] if view.host is not None and view.host != seat else ""
    if "reminder" in kinds:
        subject = phrase("glance.subject.reminder", who=who)
        return subject if _may_say(who, subject) else phrase("glance.subject.reminded")
    subject = phrase("glance.subject.invitation", who=who)
    return subject if _may_say(who, subject) else phrase("glance.subject.invited")


def _may_say(who: str, subject: str) -> bool:
    """Return True if the subject has room for the whole of a name."""
    return bool(who) and len(subject) <= SUBJECT_LENGTH and shown(who) == who


def _fitted(key: str, *, table: str, **values: str | int) -> str:
    """Return the subject with so much of the table's name as fits."""
    room = SUBJECT_LENGTH - len(phrase(f"glance.subject.{key}", table="", **values))
    return phrase(f"glance.subject.{key}", table=cut(table, room), **values)
