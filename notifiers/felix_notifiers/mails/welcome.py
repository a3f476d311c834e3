"""The one letter to somebody who wrote and plays nowhere here: what felix is, and how to open a table."""

from __future__ import annotations

from felix_async.language.phrases import phrase
from felix_async.language.words import WORD_OF
from felix_notifiers.content import wording
from felix_notifiers.content.glance import letter_glance
from felix_notifiers.content.mail import Mail
from felix_notifiers.mails.plain import plain


def welcome(why: str, mailbox: str) -> Mail:
    """Tell it in felix's own words alone; `why` is why the table that was asked for was not opened ('')."""
    return plain(
        "",
        letter_glance("welcome_again" if why else "welcome", phrase("mails.stranger.subject")),
        [why, phrase("mails.stranger.how")]
        if why
        else [phrase("mails.stranger.what"), phrase("mails.stranger.how"), phrase("mails.stranger.once")],
        words=[WORD_OF["NEW"]],
        reply_address=mailbox,
        intro=wording.Intro(phrase("mails.stranger.write"), phrase("mails.stranger.tap")),
    )
