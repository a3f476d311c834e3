"""What a step means for each seat: whom to write to, and when to look again. Pure.

What is owed is a notice; the letter that comes of it is for others to write. A player who wants one digest
a day is owed the same notices, only later. Due rows are a projection: they follow from the game, and can be
built anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Final

from felix_async.clock import later
from felix_async.game.lobby import FEWEST
from felix_async.game.state import Game
from felix_async.zones import DEFAULT_ZONE, instant, local_time, zone_for
from felix_events.store.rows import Choice, Due, NoticeKind

AT_ONCE: Final[frozenset[NoticeKind]] = frozenset({"invitation", "lobby", "withdrawn"})
"""What does not wait for a digest: somebody else waits for the answer, or there is no game to come."""
AHEAD: Final = 600
"""Seconds before a digest at which felix asks whether a reminder belongs into it."""


LAST_CALL: Final = 24 * 3600
"""Seconds before an invitation expires when its player is reminded once more."""


@dataclass(frozen=True, slots=True)
class Hours:
    """When felix comes back to something: seconds, and for the digests a time of day."""

    remind_after: float = 24 * 3600
    expire_after: float = 7 * 24 * 3600
    """Until an invitation expires; a table that is not started is closed after twice as long."""
    digest_at: time = time(17)
    """On the clock of each player who wants one letter a day."""
    zone: str = DEFAULT_ZONE
    """Where that clock hangs for players of whom no zone is known (`felix_async.zones`)."""


def notices_for(
    before: Game,
    after: Game,
    by: int | None,
    choices: Mapping[int, Choice],
    now: str,
    hours: Hours,
    *,
    is_talk: bool = False,
) -> list[tuple[int, NoticeKind, str]]:
    """Whom this step is owed to, as what, and from when on; `by` is the seat that made it.

    `is_talk` says that the step is a line that somebody said: who hears nothing of those is not told.
    """
    owed = _owed(before, after, by)
    told = {seat for seat, _ in owed}
    curious = (
        seat for seat, choice in choices.items() if choice.notify == "all" and (choice.hears or not is_talk)
    )
    owed += [(seat, "news") for seat in curious if seat not in told and seat != by and _watches(after, seat)]
    return [
        (seat, kind, now if kind in AT_ONCE else told_at(seat, choices, now, hours)) for seat, kind in owed
    ]


def told_at(seat: int, choices: Mapping[int, Choice], now: str, hours: Hours) -> str:
    """When a seat hears of what does not go out at once: now, or with its next digest."""
    choice = choices.get(seat)
    if choice is None or choice.notify != "daily":
        return now
    return next_digest(now, hours.digest_at, zone_for(choice, hours.zone))


def next_digest(now: str, at: time, zone: str) -> str:
    """When the next digest goes out to who lives in this zone: at this time of day there."""
    today = local_time(now, zone).date()
    # Two days on, where clocks that change have put today's and tomorrow's behind us.
    coming = (instant(today + timedelta(days=days), at, zone) for days in range(3))
    return next(digest for digest in coming if digest > now)


def due_rows(
    game_id: str,
    before: Game,
    after: Game,
    known: list[Due],
    choices: Mapping[int, Choice],
    now: str,
    hours: Hours,
) -> list[Due]:
    """All due rows of the game after this step, given those from before it.

    A row that is gone for a seat that is still asked was dealt with: it does not come back. The time until a
    reminder begins when the seat was told.
    """
    waiting = {(seat, after.seats[seat].turn) for seat in _awaited(after)}
    inviting = after.phase == "inviting"
    of_table = ("closing", "start") if inviting else ()
    rows = [row for row in known if (row.seat, row.turn) in waiting or row.kind in of_table]
    if inviting and before.asked and not after.asked and after.host is not None:
        # All have answered, and nothing happens until the host says so.
        rows.append(Due(game_id, after.host, "start", 0, later(now, hours.remind_after)))
    newly = newly_asked(before, after)
    for seat in newly:
        asked_at = now if inviting else told_at(seat, choices, now, hours)
        # A day after a digest the next one goes out; a look at that moment would be too late for it.
        remind_at = later(asked_at, hours.remind_after - (0 if asked_at == now else AHEAD))
        rows.append(Due(game_id, seat, "reminder", after.seats[seat].turn, remind_at))
    if before.phase == "new" and inviting:
        expire_at, close_at = later(now, hours.expire_after), later(now, 2 * hours.expire_after)
        rows += [Due(game_id, seat, "expiry", 0, expire_at) for seat in newly]
        if hours.expire_after >= hours.remind_after + 2 * LAST_CALL:
            called_at = later(now, hours.expire_after - LAST_CALL)
            rows += [Due(game_id, seat, "last_call", 0, called_at) for seat in newly]
        rows.append(Due(game_id, 0, "closing", 0, close_at))
    return rows


def newly_asked(before: Game, after: Game) -> list[int]:
    """The seats whose player this step began to wait for."""
    if before.phase == "new":
        return after.asked
    return [
        seat
        for seat in _awaited(after)
        if after.seats[seat].turn != before.seats[seat].turn or before.seats[seat].computer
    ]


def _awaited(game: Game) -> list[int]:
    """The seats that are asked and have their player at the table."""
    return [seat for seat in game.asked if not game.seats[seat].computer]


def _listens(game: Game, seat: int) -> bool:
    """Whether this seat has to do with the game, and somebody sits there."""
    state = game.seats[seat]
    return state.answer in ("invited", "joined") and not state.gone


def _watches(game: Game, seat: int) -> bool:
    """Whether it listens, and is at the table: who is away hears how it ended, and no more."""
    return _listens(game, seat) and not game.seats[seat].computer


def _owed(before: Game, after: Game, by: int | None) -> list[tuple[int, NoticeKind]]:
    seats = range(len(after.seats))
    if before.phase == "new":
        return [(seat, "invitation") for seat in seats]
    lost: list[tuple[int, NoticeKind]] = [(seat, "withdrawn") for seat in seats if _lost(before, after, seat)]
    if after.phase == "abandoned":
        return lost + [(seat, "cancelled") for seat in seats if _listens(after, seat)]
    if after.phase == "ended":
        return [(seat, "result") for seat in after.players if not after.seats[seat].gone]
    owed: list[tuple[int, NoticeKind]] = [(seat, "turn") for seat in newly_asked(before, after)]
    if before.phase == "inviting":
        owed += lost
        owed += _to_host(before, after, by)
    return owed


def _lost(before: Game, after: Game, seat: int) -> bool:
    """Whether this step took the seat from its player."""
    answer = after.seats[seat].answer
    return answer in ("uninvited", "expired") and before.seats[seat].answer != answer


def _to_host(before: Game, after: Game, by: int | None) -> list[tuple[int, NoticeKind]]:
    """The host hears who does not come, when enough are in to begin, and when all have answered.

    A new host hears of being it. Who took an invitation back knows that.
    """
    if after.phase != "inviting" or after.host is None:
        return []
    still = len(before.answered("invited", "joined")), len(after.answered("invited", "joined"))
    fewer = still[0] > still[1] and by != after.host
    answered = bool(before.asked) and not after.asked
    enough = len(before.answered("joined")) < FEWEST <= len(after.answered("joined")) and by != after.host
    named = before.host is not None and before.host != after.host
    return [(after.host, "lobby")] if fewer or answered or enough or named else []
