"""Letters that can wait: a reminder is not sent at night, nor while a mail lies there that may be the move.

Whether a reminder is owed, the scheduler has found out at a better hour; between that and the sending may lie
a provider that took no mail, or a night in which felix was down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.clock import later
from felix_async.follow_up.notice import Notice
from felix_async.time.quiet_hours import quiet_for, quiet_until
from felix_async.time.zones import zone_for
from felix_events.store.base import Reader
from felix_events.store.rows import Letter
from felix_notifiers.outbox.claim import Cases

UNREAD: Final = 60
"""Seconds for which a reminder waits for the inbox."""


def held_until(
    reader: Reader, letter: Letter, notices: Sequence[Notice], now: str, zone: str, cases: Cases
) -> str | None:
    """Until when a letter that reminds of something is not sent, if it is not sent now.

    It is sent in quiet hours where what it reminds of is due before they are over. Raises LookupError or
    ValueError where a game cannot be read.
    """
    reminders = [notice for notice in notices if notice.is_reminder]
    if not reminders:
        return None
    seat = next((row for row in reader.seats(letter.game_id) if row.seat == letter.seat), None)
    if reader.next_mail() is not None:
        return later(now, UNREAD)
    choice = None if seat is None else reader.choice(seat.player_id)
    ends = quiet_until(now, quiet_for(choice), zone_for(choice, zone))
    if ends is None or any(_is_due_by(reader, notice, ends, cases) for notice in reminders):
        return None
    return ends


def _is_due_by(reader: Reader, notice: Notice, at: str, cases: Cases) -> bool:
    case = cases(reader, notice.game_id)
    deadline = case.game.seats[notice.seat].time.deadline
    due_at = case.expires.get(notice.seat, "") if deadline is None else deadline.at
    return bool(due_at) and due_at <= at
