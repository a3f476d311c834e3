"""Words for the others at the table: what the writer asks to pass on, and what may be meant for them."""

from __future__ import annotations

from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text


def said_in(text: Text, situation: Situation) -> tuple[tuple[str, ...], str]:
    """Return the words to pass on, and those that may be meant for the others."""
    return (), ""
