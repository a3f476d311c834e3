"""Questions in plain language: the topics that a text asks about."""

from __future__ import annotations

from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text
from felix_async.meaning.topics import Topic


def topics_in(text: Text, situation: Situation) -> tuple[Topic, ...]:
    """Return what the text asks about, each topic once, in the order in which they are asked."""
    return ()
