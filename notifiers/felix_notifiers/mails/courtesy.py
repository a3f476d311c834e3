"""Words to a player about their mail itself: it goes elsewhere now, a game cannot be read, farewell."""

from __future__ import annotations

from felix_async.language.phrases import phrase
from felix_async.text import Harmless
from felix_notifiers.content import wording
from felix_notifiers.content.glance import letter_glance
from felix_notifiers.content.harmless import one_line
from felix_notifiers.content.mail import Mail
from felix_notifiers.mails.plain import plain


def moved(*, label: Harmless, address: str, reply_address: str) -> Mail:
    """Tell the old address where mail goes from now on, and the word that brings it back.

    Without a `reply_address` it was brought back just now, and there is nothing to answer.
    """
    asked = [phrase("people.moved.asked")] if reply_address else []
    return plain(
        label,
        letter_glance("moved" if reply_address else "moved_back", phrase("people.moved.subject")),
        [phrase("people.moved.told", address=one_line(address)), *asked],
        words=[wording.YES] if reply_address else (),
        reply_address=reply_address,
        intro=wording.Intro(phrase("people.moved.undo"), phrase("people.moved.tap")),
    )


def unreadable(*, label: Harmless, wrote: bool) -> Mail:
    """To a player whose game cannot be read now, by whom it is known, and that nothing of theirs is lost."""
    kept = [phrase("people.unreadable.kept")] if wrote else []
    return plain(
        label,
        letter_glance("unreadable", phrase("people.unreadable.subject")),
        [*kept, phrase("people.unreadable.told"), phrase("people.unreadable.time")],
    )


def farewell() -> Mail:
    """To somebody who was forgotten just now: no name, no table, and nothing to answer."""
    told = [phrase(f"people.farewell.{what}") for what in ("told", "stays", "thanks")]
    return plain("", letter_glance("farewell", phrase("people.farewell.subject")), told)
