"""A message of a few paragraphs, perhaps with words to answer it, that shows nothing of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from felix_async.text import Harmless
from felix_notifiers.content import wording
from felix_notifiers.content.answers import Answers
from felix_notifiers.content.glance import Glance
from felix_notifiers.content.mail import Mail, Section
from felix_notifiers.content.moves import ReplyTo
from felix_notifiers.content.opening import Head, Opening
from felix_notifiers.content.subjects import reply_subject


def plain(
    label: Harmless | Literal[""],
    glance: Glance,
    paragraphs: Sequence[str],
    *,
    words: Sequence[str] = (),
    reply_address: str = "",
    intro: wording.Intro = wording.CONFIRM_INTRO,
) -> Mail:
    """Write a mail about the table of this label, or about none; `words` answer it, to `reply_address`."""
    to = ReplyTo(reply_address, reply_subject(glance.subject))
    options = [to.option(word) for word in words]
    answers = Answers(words=options, intro=intro)
    footer = wording.footer(label) if label else "felix"
    sections: list[Section] = [Head(glance.headline), Opening(paragraphs), answers]
    return Mail(glance, sections, footer, is_answered=bool(words))
