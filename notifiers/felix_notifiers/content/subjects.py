"""Subjects of felix's mails: short, the game in front, never an order, never a card or a bid."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Final

from felix_async.follow_up.kinds import KINDS, START
from felix_async.game.cards import ROUNDS
from felix_async.game.views import View
from felix_async.language.data import table
from felix_async.language.phrases import phrase
from felix_async.text import Harmless
from felix_notifiers.content.lobby import ENDED, waits_for_host
from felix_notifiers.content.occasion import CARD_TURNED, Occasion

_NAME_IN_SUBJECT: Final = 14
"""Letters of the table's name; with the game's id behind it some 20."""
_TOPICS: Final[Mapping[str, str]] = table("mails.toml")["subjects"]
_OURS: Final = re.compile(
    "|".join(re.escape(topic).replace(re.escape("{round}"), "[1-9]") for topic in _TOPICS.values())
)
"""Everything that `topic_of` can say."""
_REPLY: Final = re.compile(r"^(?:(?:re|aw|sv|antw|ref?)(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)


def topic_of(view: View, occasions: Set[str], rung: str = "") -> str:
    """Return the topic of a mail: the most pressing of its kinds; `rung` says which reminder it is."""
    if view.reason in ENDED and "cancelled" in occasions:
        return phrase("mails.subjects.ended")
    if "withdrawn" in occasions and view.phase == "abandoned":
        return phrase("mails.subjects.cancelled")
    kind = next((kind for kind in KINDS if kind in occasions), "table")
    if kind == "turn":
        kind = "turn_placing" if view.phase == "placing" else "turn_bidding"
    elif kind == "reminder":
        kind = f"reminder_{view.phase if view.phase in ('inviting', 'placing') else 'bidding'}"
    elif kind == "news" and view.is_over:
        kind = "said"
    elif kind == "lobby" and waits_for_host(view):
        kind = "reminder_lobby" if rung == START else "lobby_all"
    return phrase(f"mails.subjects.{kind}", round=view.round)


def answer_topic(occasion: Occasion) -> str:
    """Return the topic of an answer to plain language, which no later answer keeps; '' for other mails."""
    answer = occasion.answer
    if answer is None or occasion.kinds - {"answer"}:
        return ""
    verdicts = {line.verdict: line for line in answer.lines}
    taken = verdicts.get("taken")
    if taken is not None:
        key = "taken" if taken.due_at else "taken_at_once"
    elif any(line.order for line in answer.lines):
        key = "undone"
    elif answer.asks or (answer.offers and "asked" in verdicts):
        key = "asked"
    elif answer.tries:
        key = "unread" if answer.tries == 1 else "unread_again"
    elif any(line.code == CARD_TURNED for line in answer.lines):
        key = "card_turned"
    elif set(verdicts) == {"refused"}:
        key = "refused"
    elif set(verdicts) == {"done"} and answer.offers:
        key = "taken_at_once"
    else:
        return ""
    return phrase(f"mails.heard_subjects.{key}")


def headline_of(view: View, topic: str) -> str:
    """Return the headline: the topic, and in a mail that asks for a move how many rounds there are."""
    for key in ("turn_placing", "turn_bidding", "reminder_placing", "reminder_bidding"):
        if topic == phrase(f"mails.subjects.{key}", round=view.round):
            return phrase(f"mails.headlines.{key}", round=view.round, rounds=ROUNDS)
    return topic


def subject_of(label: Harmless, topic: str) -> str:
    """`[Thursday club k7m2p] Your turn: round 3, place a card`."""
    return f"[{_short(label)}] {topic}"


def _short(label: Harmless) -> str:
    """The label with a long name of the table cut short, so that a phone shows what the mail is about."""
    name, _, game_id = label.rpartition(" ")
    if len(name) <= _NAME_IN_SUBJECT:
        return label
    words, blank, _ = name[: _NAME_IN_SUBJECT + 1].rpartition(" ")
    return f"{words.rstrip() if blank else name[:_NAME_IN_SUBJECT]} {game_id}"


def reply_subject(subject: str) -> str:
    """Return the subject of an answer, with one `Re: `."""
    return subject if subject.startswith("Re: ") else f"Re: {subject}"


def answer_subject(label: Harmless, theirs: str) -> str | None:
    """Return the subject for an answer to a mail that answered one of ours; other words are not repeated."""
    prefix = f"[{_short(label)}] "
    subject = _REPLY.sub("", theirs)
    if subject.startswith(prefix) and _OURS.fullmatch(subject.removeprefix(prefix)):
        return reply_subject(subject)
    return None
