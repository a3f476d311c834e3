"""Questions in plain language: the topics that a text asks about."""

from __future__ import annotations

from typing import Literal

from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text

Topic = Literal[
    "hand", "status", "history", "help", "time", "fairness", "undo",
    "rules", "rules/large_dog", "rules/small_dog", "rules/two_dogs", "rules/rabbit", "rules/cards",
    "rules/pass", "rules/bid", "rules/end", "rules/row", "rules/mice",
]  # fmt: skip
"""What somebody wants to know. `rules/…` is one paragraph of the rules in two sentences."""


def topics_in(text: Text, situation: Situation) -> tuple[Topic, ...]:
    """Return what the text asks about, each topic once, in the order in which they are asked."""
    return ()
