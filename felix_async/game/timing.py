"""The clock of a game: when a decision is due, what happens when it is not made, and what stands still.

A decision has the move time of the game's terms, and after that the seat's reserve. Weekends may stand still,
and so do a declared absence, unless the computer plays meanwhile, and for a while a game in dispute.
`update_deadlines` ends every step of a game with a clock: it says how much reserve was spent, and sets the
deadlines of those newly waited for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

from felix_async.clock import later, seconds_between, text_of, time_of
from felix_async.game import commands as c
from felix_async.game.cards import in_order
from felix_async.game.presence import away_spent, hand_over, take_back
from felix_async.game.rounds import pass_, play
from felix_async.game.state import Absence, Deadline, Game, SeatTime
from felix_async.game.table import Refusal, Table
from felix_async.language.dates import example_days
from felix_async.time.calendar import Calendar
from felix_events import model as m

MISSES: Final = 2
"""Decisions in a row that may time out; then the computer plays on."""
LONGEST_ABSENCE: Final = 60 * 24 * 3600
"""Seconds that a player may be away in all, in a game without a clock that says how long."""
FURTHEST_ABSENCE: Final = 366 * 24 * 3600
"""Seconds until an absence begins, at most."""
SILENCE: Final = 30 * 24 * 3600
"""Seconds without any event after which time is up in a game without a clock."""
_NEXT_MINUTE: Final = timedelta(minutes=1) - timedelta.resolution


class _HasTime(Protocol):
    @property
    def time(self) -> SeatTime: ...


class Timed(Protocol):
    """A game or a view of it, as far as its calendars go."""

    @property
    def clock(self) -> m.Terms | None: ...
    @property
    def still(self) -> tuple[str, str] | None: ...
    @property
    def seats(self) -> Sequence[_HasTime]: ...


# ---- refusals: a ladder for each command, first match wins ------------------------------------------


def refuse_absence(command: c.Absent | c.Recall, game: Game, now: str) -> Refusal | None:
    """Return why this player cannot be away then, or back now; None if they can."""
    seat = game.seats[command.seat]
    if seat.gone:
        return Refusal("seat/gone")
    if seat.answer != "joined":
        return Refusal("seat/not_playing")
    if isinstance(command, c.Recall):
        return None if seat.time.absence is not None else Refusal("away/not_away")
    if command.back <= max(now, command.start):
        return Refusal("away/past", example_days(time_of(now or command.start).date()))
    if command.start > later(now, FURTHEST_ABSENCE):
        return Refusal("away/too_far", example_days(time_of(now).date()))
    length = seconds_between(max(now, command.start), command.back)
    left = _longest(game) - away_spent(seat.time, now)
    if length <= left:
        return None
    days = left // (24 * 3600)
    return Refusal("away/too_long", {"days": days}) if days > 0 else Refusal("away/all_used")


def refuse_timely(
    command: c.TimeOut | c.Extend | c.BeginAbsence | c.EndAbsence | c.EndPause,
    game: Game,
    now: str,
    last: str,
) -> Refusal | None:
    """Return why it is not the time for this, None if it is; `last` is the time of the event before."""
    if isinstance(command, c.TimeOut) and game.clock is None:
        return _refuse_silence(command, game, now, last)
    if isinstance(command, c.EndPause):
        return Refusal("time/too_early") if not game.paused_until or now < game.paused_until else None
    time = game.seats[command.seat].time
    if isinstance(command, c.TimeOut | c.Extend):
        if time.deadline is None or time.deadline.turn != command.turn:
            return Refusal("time/no_deadline")
        too_early = isinstance(command, c.TimeOut) and now < time.deadline.at
        return Refusal("time/too_early") if too_early else None
    absence = time.absence
    if absence is None:
        return Refusal("away/not_away")
    if isinstance(command, c.EndAbsence):
        return None if now >= absence.back else Refusal("time/too_early")
    is_due = game.phase != "inviting" and _is_due(absence, now)
    return None if is_due else Refusal("time/too_early")


def _refuse_silence(command: c.TimeOut, game: Game, now: str, last: str) -> Refusal | None:
    """Without a clock, time is up if nothing at all has happened for long, and the player is not away."""
    if game.phase == "inviting" or command.seat not in game.awaited:
        return Refusal("time/no_deadline")
    seat = game.seats[command.seat]
    absence = seat.time.absence
    if seat.turn != command.turn or (absence is not None and absence.start <= now < absence.back):
        return Refusal("time/no_deadline")
    return Refusal("time/too_early") if not last or now < later(last, SILENCE) else None


# ---- consequences: events, each seen by the next ----------------------------------------------------


def time_out(table: Table, command: c.TimeOut) -> Iterator[m.Event]:
    """The default move: a pass, or a card that is drawn; after two in a row the computer plays on."""
    game = table.game
    missed = game.seats[command.seat].time.missed + 1
    yield table.do(m.TurnTimedOut(seat=command.seat, turn=command.turn, in_a_row=missed))
    if missed >= MISSES:
        yield from hand_over(table, command.seat, for_good=False)
    if game.phase == "placing":
        yield from play(table, c.Play(seat=command.seat, card=_drawn_card(table, command.seat)))
    else:
        yield from pass_(table, c.Pass(seat=command.seat))


def extend(table: Table, command: c.Extend) -> Iterator[m.Event]:
    """The same decision, due later; by no second, not at all."""
    if not command.seconds:
        return
    deadline = table.game.seats[command.seat].time.deadline
    assert deadline is not None, "refused without one"
    calendar = calendar_of(table.game, command.seat)
    yield table.do(
        m.DeadlineSet(
            seat=command.seat,
            turn=command.turn,
            reserve_from=text_of(calendar.advance(time_of(deadline.reserve_from), command.seconds)),
            at=text_of(calendar.advance(time_of(deadline.at), command.seconds)),
        )
    )


def absent(table: Table, command: c.Absent) -> Iterator[m.Event]:
    """An absence, in the place of an earlier one; the computer comes in at once if it has begun.

    Before the game has, nobody is needed: then it comes in with the deal.
    """
    game, now = table.game, table.now
    time = game.seats[command.seat].time
    start = max(command.start, now)
    before = calendar_of(game, command.seat)
    yield table.do(
        m.AbsenceDeclared(
            seat=command.seat,
            start=start,
            back=command.back,
            computer=command.computer,
            spent=away_spent(time, now),
        )
    )
    if command.computer and start <= now and game.phase != "inviting":
        yield from _come_in(table, command.seat)
    elif _is_covered(time):
        yield from take_back(table, command.seat)
    yield from due_anew(table, command.seat, before)


def begin_absence(table: Table, command: c.BeginAbsence) -> Iterator[m.Event]:
    """The computer plays, as was declared."""
    yield from _come_in(table, command.seat)


def begin_absences(table: Table) -> Iterator[m.Event]:
    """At the deal: the computer plays for those who are away by then."""
    for seat in table.game.players:
        absence = table.game.seats[seat].time.absence
        if absence is not None and _is_due(absence, table.now):
            yield from _come_in(table, seat)


def end_absence(table: Table, command: c.EndAbsence | c.Recall) -> Iterator[m.Event]:
    """The player is back, and plays, unless they had left for another reason as well."""
    time = table.game.seats[command.seat].time
    before = calendar_of(table.game, command.seat)
    yield table.do(
        m.AbsenceEnded(
            seat=command.seat, early=isinstance(command, c.Recall), spent=away_spent(time, table.now)
        )
    )
    if _is_covered(time):
        yield from take_back(table, command.seat)
    yield from due_anew(table, command.seat, before)


def end_pause(table: Table, _command: c.EndPause) -> Iterator[m.Event]:
    """Time runs again by itself."""
    yield table.do(m.GameResumed(seat=None))


def update_deadlines(table: Table, overruns: dict[int, int]) -> Iterator[m.Event]:
    """Spend reserves and set deadlines at the end of a step, which found `overruns` of reserves.

    A step after which somebody moves at once sets none: the clock runs where the table rests.
    """
    game, clock = table.game, table.game.clock
    if clock is None or game.is_over:
        return
    for seat, spent in overruns.items():
        time = game.seats[seat].time
        if time.deadline is None:
            yield table.do(m.ReserveSpent(seat=seat, seconds=spent, left=time.reserve - spent))
    if game.paused_until or game.phase == "inviting" or table.context.follows(game):
        return
    for seat in game.awaited:
        state = game.seats[seat]
        if state.time.deadline is None:
            calendar = calendar_of(game, seat)
            reserve_from = _due_at(calendar, time_of(table.now), clock.move)
            at = _due_at(calendar, reserve_from, state.time.reserve)
            yield table.do(
                m.DeadlineSet(seat=seat, turn=state.turn, reserve_from=text_of(reserve_from), at=text_of(at))
            )


# ---- what the clock says ----------------------------------------------------------------------------


def running(game: Game) -> list[tuple[int, Deadline]]:
    """Return the deadlines that run, by seat."""
    due = ((seat, state.time.deadline) for seat, state in enumerate(game.seats))
    return [(seat, deadline) for seat, deadline in due if deadline is not None]


def overruns_of(game: Game, now: str) -> dict[int, int]:
    """Return the seconds of reserve that are gone, by seat, of those whose move time is over."""
    if game.clock is None:
        return {}
    overruns = {seat: overrun(game, seat, now) for seat, _ in running(game)}
    return {seat: spent for seat, spent in overruns.items() if spent}


def overrun(game: Timed, seat: int, now: str) -> int:
    """Return the seconds of a seat's reserve that are gone by a decision that is not made yet."""
    time = game.seats[seat].time
    if time.deadline is None or time.deadline.reserve_from >= now:
        return 0
    over = calendar_of(game, seat).elapsed(time_of(time.deadline.reserve_from), time_of(now))
    return min(int(over), time.reserve)


def calendar_of(game: Timed, seat: int) -> Calendar:
    """Return the calendar that says which time counts for a seat."""
    clock, absence = game.clock, game.seats[seat].time.absence
    gaps = [] if game.still is None else [game.still]
    if absence is not None and not absence.computer:
        gaps.append((absence.start, absence.back))
    stretches = tuple((time_of(start), time_of(end)) for start, end in gaps)
    if clock is None:
        return Calendar(gaps=stretches)
    return Calendar(clock.zone, weekends=clock.weekends, gaps=stretches)


def away_left(game: Game, seat: int, now: str) -> int:
    """Return the seconds that a seat's player may still be absent, not counting what is declared."""
    return max(_longest(game) - away_spent(game.seats[seat].time, now), 0)


def _longest(game: Game) -> int:
    return LONGEST_ABSENCE if game.clock is None else game.clock.away


def _is_due(absence: Absence, now: str) -> bool:
    """Return True if the computer is to come in now."""
    return absence.computer and not absence.began and absence.start <= now < absence.back


def _is_covered(time: SeatTime) -> bool:
    return time.absence is not None and time.absence.covering


def _come_in(table: Table, seat: int) -> Iterator[m.Event]:
    """The computer plays for an absent player, unless it does so already."""
    yield table.do(m.AbsenceBegan(seat=seat))
    if not table.game.seats[seat].computer:
        yield from hand_over(table, seat, for_good=False)


def due_anew(table: Table, seat: int, before: Calendar) -> Iterator[m.Event]:
    """The decision that is before a seat gets what was left of its time, by the calendar as it is now.

    To the instant, and not at the next whole minute: who goes and comes back again and again gains nothing.
    """
    time = table.game.seats[seat].time
    if time.deadline is None:
        return
    now, after = time_of(table.now), calendar_of(table.game, seat)
    reserve_from, at = time_of(time.deadline.reserve_from), time_of(time.deadline.at)
    if now < reserve_from:
        reserve_from = after.advance(now, before.elapsed(now, reserve_from))
        at = after.advance(reserve_from, time.reserve)
    else:
        # A moment in the past, from which as much of the reserve is gone as was before.
        reserve_from = after.rewind(now, before.elapsed(reserve_from, now))
        at = after.advance(now, before.elapsed(now, at))
    changed = Deadline(time.deadline.turn, text_of(reserve_from), text_of(at))
    if changed != time.deadline:
        yield table.do(
            m.DeadlineSet(seat=seat, turn=changed.turn, reserve_from=changed.reserve_from, at=changed.at)
        )


def _drawn_card(table: Table, seat: int) -> m.Card:
    game = table.game
    hand = in_order(game.seats[seat].hand)
    return hand[table.dice.stream(game.contributions, timeout_label(game.round, seat)).below(len(hand))]


def timeout_label(round_: int, seat: int) -> str:
    """The draw of the card that is placed for a seat whose time is up: a place in its hand, in card order."""
    return f"timeout/{round_}/{seat}"


def _due_at(calendar: Calendar, start: datetime, seconds: float) -> datetime:
    """The end of so many counted seconds, at the next whole minute, or as soon as time counts again."""
    at = calendar.advance(start, seconds)
    return calendar.advance((at + _NEXT_MINUTE).replace(second=0, microsecond=0), 0)
