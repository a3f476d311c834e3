"""Subjects of felix's mails: short, the game in front, never an order, never a card or a bid."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from felix_async.game.view import View
from felix_events.store.rows import NoticeKind

_OURS: Final = re.compile(
    r"You are invited to a game of Felix|The game is over|The game does not take place|About your mail"
    r"|Reminder: your invitation|(?:Your turn|Reminder): round [1-9], (?:place a card|bid or pass)"
    r"|How the table stands|A mail from another address"
)
"""Everything that `topic_of` can say."""
_REPLY: Final = re.compile(r"^(?:(?:re|aw|sv|antw|ref?)(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)


def topic_of(table: View, occasions: Set[NoticeKind]) -> str:
    """What a mail is about: the most pressing of its occasions."""
    if "question" in occasions:
        return "A mail from another address"
    if "result" in occasions:
        return "The game is over"
    if "cancelled" in occasions:
        return "The game does not take place"
    step = "place a card" if table.phase == "placing" else "bid or pass"
    if "turn" in occasions:
        return f"Your turn: round {table.round}, {step}"
    if "invitation" in occasions:
        return "You are invited to a game of Felix"
    if "reminder" in occasions:
        inviting = table.phase == "inviting"
        return "Reminder: your invitation" if inviting else f"Reminder: round {table.round}, {step}"
    return "About your mail" if "answer" in occasions else "How the table stands"


def subject_of(label: str, topic: str) -> str:
    """`[Thursday club k7m2p] Your turn: round 3, place a card`."""
    return f"[{label}] {topic}"


def reply_subject(subject: str) -> str:
    """The subject of an answer; `Re: ` stands there once."""
    return subject if subject.startswith("Re: ") else f"Re: {subject}"


def answer_subject(label: str, theirs: str) -> str | None:
    """The subject for an answer to a mail, where it answered one of ours: other words are not repeated."""
    prefix = f"[{label}] "
    subject = _REPLY.sub("", theirs)
    if subject.startswith(prefix) and _OURS.fullmatch(subject.removeprefix(prefix)):
        return reply_subject(subject)
    return None
