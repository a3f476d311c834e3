"""A mail of a few paragraphs, perhaps with words to answer it, that shows nothing of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from felix_async.language.words import MARKER
from felix_async.text import Harmless
from felix_notifiers.content import wording
from felix_notifiers.content.answers import Answers, Waiting
from felix_notifiers.content.mail import Mail, Section
from felix_notifiers.content.moves import ReplyTo
from felix_notifiers.content.opening import Head, Opening
from felix_notifiers.content.subjects import reply_subject, subject_of
from felix_notifiers.content.table import Hand, Table

NO_GAME: Final[Sequence[Section]] = (Table(), Hand(), Waiting())
"""The empty lines in the HTML of a mail that shows no table, as they have always been."""


def plain(
    label: Harmless | Literal[""],
    headline: str,
    greeting: str,
    paragraphs: Sequence[str],
    *,
    words: Sequence[str] = (),
    reply_address: str = "",
    intro: wording.Intro = wording.CONFIRM_INTRO,
) -> Mail:
    """Write a mail about the table of this label, or about none; `words` answer it, to `reply_address`."""
    subject = subject_of(label, headline) if label else headline
    to = ReplyTo(reply_address, reply_subject(subject))
    options = [to.option(word) for word in words]
    head = Head(headline, greeting, marker=MARKER if words else "")
    answers = Answers(words=options, intro=intro)
    footer = wording.footer(label) if label else "felix"
    return Mail(subject, [head, Opening(paragraphs), *NO_GAME, answers], footer)
