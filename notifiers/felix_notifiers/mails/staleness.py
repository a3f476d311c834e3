"""Whether a notice has come to nothing meanwhile."""

from __future__ import annotations

from felix_async.follow_up.kinds import Reminder
from felix_async.follow_up.notice import Notice
from felix_async.game.state import Game
from felix_events.store.base import Reader


def is_too_late(reader: Reader, notice: Notice, now: str) -> bool:
    """Whether a reminder is about something that is due by now; a time-out may wait for a mail to be read."""
    return isinstance(notice, Reminder) and any(
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
    if not notice.policy.asks:
        return notice.is_stale(game) or is_too_late(reader, notice, now)
    asked = reader.questions(notice.game_id, notice.seat)
    return any(one.number == notice.question_number and one.state != "open" for one in asked)
