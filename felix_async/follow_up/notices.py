"""What a step means for each seat: whom to write to, as what, and when. Pure.

What is owed is a notice; the letter that comes of it is for others to write. A player who wants one digest
a day is owed the same notices, only later; but not a turn that is due too soon after the digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Final

from felix_async.clock import text_of, time_of
from felix_async.game.lobby import FEWEST
from felix_async.game.state import Game, SeatState
from felix_async.game.timing import calendar_of
from felix_async.time.quiet_hours import quiet_until
from felix_async.time.zones import DEFAULT_ZONE, instant, local_time, zone_for
from felix_events.store.rows import Choice, NoticeKind

AT_ONCE: Final[frozenset[NoticeKind]] = frozenset({"invitation", "lobby", "withdrawn"})
"""What does not wait for a digest: somebody else waits for the answer, or there is no game to come."""
SOON: Final = 0.5
"""The share of the move time that a player must have left after a digest for a turn to wait for it."""


@dataclass(frozen=True, slots=True)
class Hours:
    """When felix comes back to something: seconds, and for the digests a time of day.

    `ladder` are the shares of the move time after which a player is reminded; a game without a clock reminds
    once, `remind_after`.
    """

    remind_after: float = 24 * 3600
    ladder: tuple[float, ...] = (0.5, 0.8, 0.95)
    expire_after: float = 7 * 24 * 3600
    """Until an invitation expires; a table that is not started is closed after twice as long."""
    digest_at: time = time(17)
    """On the clock of each player who wants one letter a day."""
    rest_after: float = 14 * 24 * 3600
    """Until a game is closed to which nobody came back."""
    away: int = 21 * 24 * 3600
    """How long a player may be absent, in all, in a game that gets a clock from now on."""
    zone: str = DEFAULT_ZONE
    """Where that clock hangs for players of whom no zone is known (`felix_async.time.zones`)."""


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
        (seat, kind, now if kind in AT_ONCE else _told_at(after, seat, kind, choices, now, hours))
        for seat, kind in owed
    ]


def _told_at(
    game: Game, seat: int, kind: NoticeKind, choices: Mapping[int, Choice], now: str, hours: Hours
) -> str:
    at = told_at(seat, choices, now, hours)
    deadline = game.seats[seat].time.deadline
    if kind != "turn" or at == now or deadline is None or game.clock is None:
        return at
    latest = calendar_of(game, seat).rewind(time_of(deadline.reserve_from), game.clock.move * SOON)
    return at if at <= text_of(latest) else now


def told_at(seat: int, choices: Mapping[int, Choice], now: str, hours: Hours) -> str:
    """When a seat hears of what does not go out at once: now, or with its next digest, which is after its
    quiet hours where they hold the usual time of day.
    """
    choice = choices.get(seat)
    if choice is None or choice.notify != "daily":
        return now
    zone = zone_for(choice, hours.zone)
    digest = next_digest(now, hours.digest_at, zone)
    return quiet_until(digest, choice.quiet, zone) or digest


def next_digest(now: str, at: time, zone: str) -> str:
    """When the next digest goes out to who lives in this zone: at this time of day there."""
    today = local_time(now, zone).date()
    # Two days on, where clocks that change have put today's and tomorrow's behind us.
    coming = (instant(today + timedelta(days=days), at, zone) for days in range(3))
    return next(digest for digest in coming if digest > now)


def newly_asked(before: Game, after: Game) -> list[int]:
    """The seats whose player this step began to wait for."""
    if before.phase == "new":
        return after.asked
    return [
        seat
        for seat in after.awaited
        if after.seats[seat].turn != before.seats[seat].turn or before.seats[seat].computer
    ]


def _watches(game: Game, seat: int) -> bool:
    """Whether it belongs to the game, and is at the table: who is away hears how it ended, and no more."""
    return game.is_in(seat) and not game.seats[seat].computer


def _owed(before: Game, after: Game, by: int | None) -> list[tuple[int, NoticeKind]]:
    seats = range(len(after.seats))
    if before.phase == "new":
        return [(seat, "invitation") for seat in seats]
    lost: list[tuple[int, NoticeKind]] = [(seat, "withdrawn") for seat in seats if _lost(before, after, seat)]
    if after.phase == "abandoned":
        return lost + [(seat, "cancelled") for seat in seats if after.is_in(seat)]
    if after.phase == "ended":
        return [(seat, "result") for seat in after.players if not after.seats[seat].gone]
    owed: list[tuple[int, NoticeKind]] = [(seat, "turn") for seat in newly_asked(before, after)]
    owed += _about_time(before, after, by)
    owed += _of_newcomers(before, after)
    if before.phase == "inviting":
        owed += lost
        owed += _to_host(before, after, by)
    return owed


def _about_time(before: Game, after: Game, by: int | None) -> list[tuple[int, NoticeKind]]:
    """Whose time was up; the host, where somebody is away now, or hosts only since then; and all, for a vote
    or a pause, and where somebody says that they will be away.
    """
    owed: list[tuple[int, NoticeKind]] = []
    is_away = False
    gone = [
        seat
        for seat, (was, state) in enumerate(zip(before.seats, after.seats, strict=True))
        if state.time.absence is not None and state.time.absence.back != _back(was)
    ]
    if gone and before.phase != "inviting":
        owed += [(seat, "news") for seat in after.humans if seat not in gone]
    for seat, (was, state) in enumerate(zip(before.seats, after.seats, strict=True)):
        if state.time.missed > was.time.missed:
            owed.append((seat, "timed_out"))
            is_away = is_away or (state.computer and after.host != seat)
    is_named = before.phase != "inviting" and after.host not in (before.host, by)
    if after.host is not None and (is_away or is_named):
        owed.append((after.host, "absent"))
    others = [seat for seat in after.humans if all(voter != seat for _, voter in after.votes)]
    if after.votes - before.votes:
        owed += [(seat, "vote") for seat in others]
    if bool(before.paused_until) != bool(after.paused_until):
        owed += [(seat, "paused" if after.paused_until else "resumed") for seat in after.humans]
    return owed


def _back(seat: SeatState) -> str:
    return "" if seat.time.absence is None else seat.time.absence.back


def _of_newcomers(before: Game, after: Game) -> list[tuple[int, NoticeKind]]:
    """Who has somebody new at the table; the new ones themselves know."""
    pairs = zip(before.seats, after.seats, strict=True)
    new = [seat for seat, (was, state) in enumerate(pairs) if was.player_id != state.player_id]
    others = (seat for seat in after.humans if seat not in new)
    return [(seat, "newcomer") for seat in others] if new else []


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
