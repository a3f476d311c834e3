"""Short letters beside a game: mail goes elsewhere now; somebody was forgotten; the game cannot be read."""

from __future__ import annotations

from felix_async.language.phrases import phrase
from felix_notifiers.content import wording
from felix_notifiers.content.harmless import NAME_LIMIT, one_line, table_label
from felix_notifiers.content.moves import mailto
from felix_notifiers.content.sheet import Composed
from felix_notifiers.content.subjects import reply_subject, subject_of
from felix_notifiers.pages.compose import rendered
from felix_notifiers.pages.options import Option
from felix_notifiers.pages.page import Page


def moved(*, game_id: str, table_name: str, name: str, address: str, reply_address: str) -> Composed:
    """To the old address: where mail goes from now on, and the word that brings it back.

    Without a `reply_address` it was brought back just now, and there is nothing to answer.
    """
    label = table_label(table_name, game_id)
    headline = phrase("people.moved.subject")
    subject = subject_of(label, headline)
    told = phrase("people.moved.told", address=one_line(address))
    if not reply_address:
        return rendered(
            Page(
                subject=subject,
                headline=headline,
                greeting=wording.greeting(one_line(name, NAME_LIMIT)),
                opening=[told],
                footer=wording.footer(label),
                marker="",
            )
        )
    return rendered(
        Page(
            subject=subject,
            headline=headline,
            greeting=wording.greeting(one_line(name, NAME_LIMIT)),
            opening=[told, phrase("people.moved.asked")],
            footer=wording.footer(label),
            yes_no=[Option(wording.YES, mailto(reply_address, reply_subject(subject), wording.YES), None)],
            intro=wording.Intro(phrase("people.moved.undo"), phrase("people.moved.tap")),
        )
    )


def unreadable(*, label: str, name: str, wrote: bool) -> Composed:
    """To a player whose game cannot be read now, by whom it is known, and that nothing of theirs is lost."""
    headline = phrase("people.unreadable.subject")
    opening = [phrase("people.unreadable.kept")] if wrote else []
    return rendered(
        Page(
            subject=subject_of(label, headline),
            headline=headline,
            greeting=wording.greeting(one_line(name, NAME_LIMIT)),
            opening=[*opening, phrase("people.unreadable.told"), phrase("people.unreadable.time")],
            footer=wording.footer(label),
            marker="",
        )
    )


def farewell() -> Composed:
    """To somebody who was forgotten just now: no name, no table, and nothing to answer."""
    headline = phrase("people.farewell.subject")
    return rendered(
        Page(
            subject=headline,
            headline=headline,
            greeting=phrase("mails.frame.host"),
            opening=[
                phrase("people.farewell.told"),
                phrase("people.farewell.stays"),
                phrase("people.farewell.thanks"),
            ],
            footer="felix",
            marker="",
        )
    )
