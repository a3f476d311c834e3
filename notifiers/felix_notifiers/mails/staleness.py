"""The kinds of notices, by what becomes of them, and whether one has come to nothing meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import orjson

from felix_async.game.state import Game
from felix_async.game.views import view
from felix_events.store.base import Reader
from felix_events.store.rows import Notice, NoticeKind

SAID_BACK: Final[frozenset[NoticeKind]] = frozenset({"answer", "question", "claim"})
"""What follows from a mail that came in; it goes out also where the reader wants no more mail."""
ASKING: Final[frozenset[NoticeKind]] = frozenset({"question", "claim", "substitute"})
"""What asks something, in a letter of its own."""
ADDRESSED: Final[Mapping[NoticeKind, str]] = {
    "claim": "address",
    "farewell": "address",
    "moved": "to",
    "substitute": "address",
    "seat_closed": "address",
    "seat_lost": "to",
    "unreadable": "to",
}
"""Letters that go to an address of their own, which stands under this name in the notice."""
STALING: Final[frozenset[NoticeKind]] = frozenset(
    {
        "turn",
        "reminder",
        "invitation",
        "lobby",
        "vote",
        "paused",
        "resumed",
        "absent",
        "newcomer",
        "turned_down",
        *ASKING,
    }
)
"""What may have come to nothing by the time at which a letter is written or sent."""
APART: Final[frozenset[NoticeKind]] = SAID_BACK | ADDRESSED.keys()
"""What tells its reader nothing of what happened since the letter before."""
GATHERED: Final[frozenset[NoticeKind]] = frozenset(
    {
        "turn",
        "news",
        "reminder",
        "result",
        "cancelled",
        "timed_out",
        "absent",
        "vote",
        "paused",
        "resumed",
        "newcomer",
    }
)
"""What a digest is made of."""


def is_apart(notice: Notice) -> bool:
    """Whether this is the question about a mail that would open a table, and is about no game."""
    return notice.kind == "question" and "guests" in orjson.loads(notice.payload)


def is_stale(notice: Notice, game: Game) -> bool:
    """Whether a notice asks for what the seat has done already, or can do no more."""
    if notice.kind in ("turn", "reminder"):
        state = game.seats[notice.seat]
        is_settled = notice.seat not in game.asked or notice.turn != state.turn
        return is_settled or (notice.kind == "reminder" and (state.computer or bool(game.paused_until)))
    if notice.kind == "vote":
        table = view(game, notice.seat)
        is_there = not table.seats[notice.seat].computer
        return not (is_there and any(notice.seat not in vote.seats for vote in table.votes))
    if notice.kind == "paused":
        return game.is_over or not game.paused_until
    if notice.kind == "resumed":
        return game.is_over or bool(game.paused_until)
    if notice.kind == "absent":
        return game.is_over or notice.seat != game.host
    if notice.kind == "invitation":
        return game.phase != "inviting" or notice.seat not in game.asked
    if notice.kind == "lobby":
        return game.phase != "inviting" or notice.seat != game.host
    if notice.kind == "newcomer":
        return game.is_over
    if notice.kind == "turned_down":
        return game.is_over or not game.seats[orjson.loads(notice.payload)["seat"]].computer
    return False


def is_too_late(reader: Reader, notice: Notice, now: str) -> bool:
    """Whether a reminder is about something that is due by now; a time-out may wait for a mail to be read."""
    return notice.kind == "reminder" and any(
        due.due_at <= now
        for due in reader.due_of(notice.game_id)
        if (due.kind, due.seat, due.turn) in _ends(notice)
    )


def _ends(notice: Notice) -> list[tuple[str, int, int]]:
    """The due rows that say when it is too late for what this is about."""
    return [(kind, notice.seat, notice.turn) for kind in ("deadline", "expiry")]


def is_done_with(reader: Reader, notice: Notice, game: Game, now: str) -> bool:
    """Whether nobody needs to be told any more: the notice is stale, or too late, or its question was
    answered.
    """
    if notice.kind not in ASKING:
        return is_stale(notice, game) or is_too_late(reader, notice, now)
    number = orjson.loads(notice.payload).get("number")
    asked = reader.questions(notice.game_id, notice.seat)
    return any(question.number == number and question.state != "open" for question in asked)
