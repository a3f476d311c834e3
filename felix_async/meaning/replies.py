"""YES, NO and UNDO in plain language: answers to what felix asked, or took from an earlier mail."""

from __future__ import annotations

from typing import Literal

from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text

Reply = Literal["", "YES", "NO", "UNDO"]
"""The answer to what felix has asked, or to what it took and has not done yet; UNDO is also `wait`."""


def reply_in(text: Text, situation: Situation) -> Reply:
    """Return the reply in a text: YES, NO or UNDO, '' if there is none."""
    return ""
