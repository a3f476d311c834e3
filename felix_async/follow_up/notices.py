"""The notices that follow from a step of a game: who is told, of what, and from when on. Pure.

Players on NOTIFY DAILY are told the same, only later; but of a turn that is due soon after the digest, at
once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time, timedelta
from types import MappingProxyType
from typing import Final

from felix_async.clock import later, text_of, time_of
from felix_async.follow_up import kinds
from felix_async.follow_up.decisions import Early, TimedOut, Turn
from felix_async.follow_up.disputed import Settled
from felix_async.follow_up.notice import Notice
from felix_async.game.ahead import NOTHING, Ahead, answers
from felix_async.game.lobby import FEWEST
from felix_async.game.moment import coming, row_of, waits_in_auction
from felix_async.game.state import Game, SeatState
from felix_async.game.timing import calendar_of
from felix_async.time.quiet_hours import quiet_for, quiet_until
from felix_async.time.zones import DEFAULT_ZONE, instant, local_time, zone_for
from felix_events.store.rows import Choice

_Seats = list[tuple[int, type[Notice]]]
NOBODYS: Final[Mapping[int, Ahead]] = MappingProxyType({})
"""Nobody has said anything in advance."""
TALK_WAIT: Final = 3600
"""Seconds in which what is said at a table is collected for a letter of its own."""
SOON: Final = 0.5
"""The share of the move time that a player must have left after a digest for a turn to wait for it."""


@dataclass(frozen=True, slots=True)
class Hours:
    """The hours of a server: seconds until it comes back to something, and the time of day of the digests.

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
    """The time zone of players of whom no other is known (`felix_async.time.zones`)."""


def notices_for(
    game_id: str,
    before: Game,
    after: Game,
    by: int | None,
    choices: Mapping[int, Choice],
    now: str,
    hours: Hours,
    *,
    is_talk: bool = False,
    timed_out: bool = False,
    went_on: bool = False,
    ahead: Mapping[int, Ahead] = NOBODYS,
) -> list[Notice]:
    """Return what a step, and all that followed at once, means for each seat, and from when on it is told.

    `by` is the seat that made the step; it `timed_out` if its time was up. `is_talk` says that the step is a
    line that somebody said: that can wait, and players who hear nothing of those are not told. `ahead` is
    what seats have said in advance; `went_on` says that others have moved by it, which is news to `by`, too.
    """
    told = _who_is_told(before, after, by, timed_out=timed_out)
    seats = {seat for seat, _ in told}
    if timed_out or not _only_places(before, after, by):
        curious = (
            seat
            for seat, choice in choices.items()
            if choice.notify == "all" and (choice.hears or not is_talk) and seat not in seats
            if seat != by or went_on
        )
        told += [(seat, kinds.Talk if is_talk else kinds.News) for seat in curious if _watches(after, seat)]
    early = [
        Early(
            game_id=game_id,
            version=after.version,
            seat=seat,
            due_at=_by_day(told_at(seat, choices, now, hours), choices.get(seat), hours),
            turn=coming(after, seat),
            row=row_of(after),
        )
        for seat in asked_early(before, after, choices, ahead)
    ]
    return early + [
        kind(
            game_id=game_id,
            version=after.version,
            seat=seat,
            due_at=_due_at(after, seat, kind, choices, now, hours),
            turn=after.seats[seat].turn,
        )
        for seat, kind in told
    ]


def _due_at(
    game: Game, seat: int, kind: type[Notice], choices: Mapping[int, Choice], now: str, hours: Hours
) -> str:
    if not kind.policy.in_digest:
        return now
    if kind is kinds.Talk:
        return hears_at(seat, choices, now, hours)
    at = told_at(seat, choices, now, hours)
    deadline = game.seats[seat].time.deadline
    if kind is not Turn or at == now or deadline is None or game.clock is None:
        return at
    latest = calendar_of(game, seat).rewind(time_of(deadline.reserve_from), game.clock.move * SOON)
    return at if at <= text_of(latest) else now


def told_at(seat: int, choices: Mapping[int, Choice], now: str, hours: Hours) -> str:
    """Return when a seat is told of what can wait: now, or with its next digest.

    That is after its quiet hours if they hold the usual time of day.
    """
    choice = choices.get(seat)
    if choice is None or choice.notify != "daily":
        return now
    zone = zone_for(choice, hours.zone)
    digest = next_digest(now, hours.digest_at, zone)
    return quiet_until(digest, choice.quiet, zone) or digest


def hears_at(seat: int, choices: Mapping[int, Choice], now: str, hours: Hours) -> str:
    """Return when a seat is told of words alone, if no other letter has told of them before."""
    at = told_at(seat, choices, now, hours)
    return at if at != now else _by_day(later(now, TALK_WAIT), choices.get(seat), hours)


def next_digest(now: str, at: time, zone: str) -> str:
    """Return when the next digest goes out to a player in this zone: at this time of day there."""
    today = local_time(now, zone).date()
    # Two days on, if clocks that change have put today's and tomorrow's behind us.
    coming = (instant(today + timedelta(days=days), at, zone) for days in range(3))
    return next(digest for digest in coming if digest > now)


def newly_asked(before: Game, after: Game) -> list[int]:
    """Return the seats whose player this step began to wait for."""
    if before.phase == "new":
        return after.asked
    return [
        seat
        for seat in after.awaited
        if after.seats[seat].turn != before.seats[seat].turn or before.seats[seat].computer
    ]


def _watches(game: Game, seat: int) -> bool:
    """Return True if the seat's player is at the table; who is away hears how it ended, and no more."""
    return game.is_in(seat) and not game.seats[seat].computer


def asked_early(
    before: Game, after: Game, choices: Mapping[int, Choice], ahead: Mapping[int, Ahead]
) -> list[int]:
    """Return the seats that are asked although it is another's turn: all that are still in the auction, if a
    card has turned; and whoever has come to the table meanwhile.
    """
    is_new = before.phase != "bidding" or row_of(before) != row_of(after) or bool(before.paused_until)
    return [
        seat
        for seat in after.humans
        if (is_new or _has_come(before, after, seat))
        and is_asked_early(after, seat, choices.get(seat), ahead.get(seat, NOTHING))
    ]


def is_asked_early(game: Game, seat: int, choice: Choice | None, ahead: Ahead) -> bool:
    """Return True if an answer of this seat is wanted in another's turn, and it has given none."""
    is_there = waits_in_auction(game, seat) and not game.seats[seat].computer and not game.paused_until
    is_wanted = game.options.pace == "together" and (choice is None or choice.notify != "mine")
    return is_there and is_wanted and not answers(ahead, game, seat)


def _has_come(before: Game, after: Game, seat: int) -> bool:
    """Return True if the seat's player is back, or new."""
    was = before.seats[seat]
    return was.computer or was.player_id != after.seats[seat].player_id


def _only_places(before: Game, after: Game, by: int | None) -> bool:
    """Return True if all that happened is that a seat has placed a card: when it did is nobody's business."""
    if by is None or after.phase != "placing" or (before.phase, before.round) != ("placing", after.round):
        return False
    return before.seats[by].placed != after.seats[by].placed


def _by_day(at: str, choice: Choice | None, hours: Hours) -> str:
    """Return when quiet hours are over that hold this time, else this time."""
    return quiet_until(at, quiet_for(choice), zone_for(choice, hours.zone)) or at


def _who_is_told(before: Game, after: Game, by: int | None, *, timed_out: bool) -> _Seats:
    seats = range(len(after.seats))
    if before.phase == "new":
        return [(seat, kinds.Invitation) for seat in seats]
    lost: _Seats = [(seat, kinds.Withdrawn) for seat in seats if _lost(before, after, seat)]
    if after.phase == "abandoned":
        return lost + [(seat, kinds.Cancelled) for seat in seats if after.is_in(seat)]
    if after.phase == "ended":
        return [(seat, kinds.Result) for seat in after.players if not after.seats[seat].gone]
    told: _Seats = [(seat, Turn) for seat in newly_asked(before, after)]
    told += _about_time(before, after, by, timed_out=timed_out)
    told += _of_newcomers(before, after)
    if before.phase == "inviting":
        told += lost
        told += _to_host(before, after, by)
    return told


def _about_time(before: Game, after: Game, by: int | None, *, timed_out: bool) -> _Seats:
    """Tell a player whose time was up; the host, if somebody is away now or the host is new; and all, of a
    vote, a pause or the end of a dispute, and if somebody says that they will be away.
    """
    told: _Seats = []
    gone = [
        seat
        for seat, (was, state) in enumerate(zip(before.seats, after.seats, strict=True))
        if state.time.absence is not None and state.time.absence.back != _back(was)
    ]
    if gone and before.phase != "inviting":
        told += [(seat, kinds.News) for seat in after.humans if seat not in gone]
    is_away = False
    if timed_out and by is not None:
        # The moves that followed may be the computer's, and then nothing is missed any more.
        told.append((by, TimedOut))
        is_away = after.seats[by].computer and after.host != by
    is_named = before.phase != "inviting" and after.host not in (before.host, by)
    if after.host is not None and (is_away or is_named):
        told.append((after.host, kinds.Absent))
    new = [on for on, _ in after.votes - before.votes]
    told += [(seat, kinds.Vote) for seat in after.humans if any((on, seat) not in after.votes for on in new)]
    if len(after.disputes) < len(before.disputes):
        lost = [seat for seat in before.humans if after.seats[seat].gone]
        told += [(seat, Settled) for seat in (*after.humans, *lost) if seat != by]
    if bool(before.paused_until) != bool(after.paused_until):
        told += [(seat, kinds.Paused if after.paused_until else kinds.Resumed) for seat in after.humans]
    return told


def _back(seat: SeatState) -> str:
    return "" if seat.time.absence is None else seat.time.absence.back


def _of_newcomers(before: Game, after: Game) -> _Seats:
    """Tell the others of somebody new at the table."""
    pairs = zip(before.seats, after.seats, strict=True)
    new = [seat for seat, (was, state) in enumerate(pairs) if was.player_id != state.player_id]
    others = (seat for seat in after.humans if seat not in new)
    return [(seat, kinds.Newcomer) for seat in others] if new else []


def _lost(before: Game, after: Game, seat: int) -> bool:
    """Return True if this step took the seat from its player."""
    answer = after.seats[seat].answer
    return answer in ("uninvited", "expired") and before.seats[seat].answer != answer


def _to_host(before: Game, after: Game, by: int | None) -> _Seats:
    """Tell the host who does not come, when enough are in to begin, and when all have answered.

    A new host hears of being it. The host who took an invitation back knows that.
    """
    if after.phase != "inviting" or after.host is None:
        return []
    still = len(before.answered("invited", "joined")), len(after.answered("invited", "joined"))
    fewer = still[0] > still[1] and by != after.host
    answered = bool(before.asked) and not after.asked
    enough = len(before.answered("joined")) < FEWEST <= len(after.answered("joined")) and by != after.host
    named = before.host is not None and before.host != after.host
    return [(after.host, kinds.Lobby)] if fewer or answered or enough or named else []
