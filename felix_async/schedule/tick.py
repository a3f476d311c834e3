"""Time passing: `tick` looks at what is due, and APScheduler only says when to look.

Due rows are a projection of the log. Each is looked at in a transaction of its own: the game is read
again, and what is needless by now is dropped. A change of a game (a time-out, an absence that begins,
an invitation that expires) is an event by the clock; a reminder is a notice and no event: it happens once,
its mail at least once.
Nobody's time is up while a mail waits to be read that came in time, or nearly: it may hold the move. An order
that was taken from plain words is done in the same way when its pause is over, and before the time of its
seat is. A running server calls `keep_time`, which looks first at the time since the last heartbeat
(`felix_async.schedule.outage`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC
from functools import partial
from typing import Any, Final

from apscheduler.events import EVENT_JOB_ERROR
from apscheduler.schedulers.background import BackgroundScheduler

from felix_async.clock import later, text_of
from felix_async.follow_up.decisions import Reminder
from felix_async.follow_up.due import next_rung, rungs
from felix_async.follow_up.kinds import START, Lobby, enqueue
from felix_async.follow_up.notices import told_at
from felix_async.game.commands import (
    BeginAbsence,
    ClockCommand,
    Close,
    EndAbsence,
    EndPause,
    Expire,
    Lapse,
    TimeOut,
)
from felix_async.game.state import Game
from felix_async.orders.inferred import fall_due, is_waited_for
from felix_async.schedule.outage import catch_up, extend, unheard
from felix_async.service import Origin, Service
from felix_async.time.quiet_hours import quiet_for, quiet_until
from felix_async.time.zones import zone_for
from felix_async.trouble import note_trouble
from felix_events.store.base import Damaged, Tx
from felix_events.store.rows import Due, Question

log = logging.getLogger(__name__)

BATCH: Final = 100
"""Due rows that are looked up at a time."""
PATIENCE: Final = 600.0
"""Seconds after a deadline: a message that came later holds no move, however full the inbox is."""
Heard = Callable[[str], str]
"""Tells until when mail that was written after a time is known to have come in, if felix has to fetch it."""
REMINDERS: Final = ("reminder", "last_call", "start")


def keep_time(
    do: Callable[[Callable[[Tx], Any]], Any],
    service: Service,
    heard: Heard | None = None,
) -> int:
    """Deal with an outage, if there was one, and then `tick`: a running server does it again and again."""
    return tick(do, service, heard) if catch_up(do, service) else 0


def tick(
    do: Callable[[Callable[[Tx], Any]], Any],
    service: Service,
    heard: Heard | None = None,
) -> int:
    """Deal with what is due now, in transactions that `do` opens; return how many due rows there were.

    Nobody's time is up before mail is known to have come in until then.
    """
    now = text_of(service.clock())
    until = now if heard is None else min(now, heard(""))
    count = _do_taken(do, service, now, heard)
    left: set[Due] = set()
    while rows := [row for row in do(lambda tx: tx.due(now, BATCH + len(left))) if row not in left]:
        for row in rows:
            # When a message that was fetched came in, nobody knows: perhaps long before it was fetched.
            last = later(row.due_at if heard is None else until, PATIENCE)
            look = partial(look_again, service=service, row=row, now=now, until=until, last=last)
            if not _is_settled(do, look, row.game_id, now):
                left.add(row)
        count += len(rows)
    return count


def _do_taken(
    do: Callable[[Callable[[Tx], Any]], Any], service: Service, now: str, heard: Heard | None
) -> int:
    """Do the orders whose pause is over, each in a transaction of its own; how many there were."""
    count = 0
    left: set[Question] = set()
    while rows := [row for row in do(lambda tx: tx.questions_due(now, BATCH + len(left))) if row not in left]:
        for row in rows:
            until = now if heard is None else min(now, heard(row.asked_at))
            look = partial(do_taken, service=service, question=row, until=until)
            if not _is_settled(do, look, row.game_id, now):
                left.add(row)
        count += len(rows)
    return count


def _is_settled(
    do: Callable[[Callable[[Tx], Any]], Any], look: Callable[[Tx], bool], game_id: str, now: str
) -> bool:
    """Look at something due in a transaction; return False if it must wait, or its game is in trouble."""
    try:
        is_settled: bool = do(look)
    except Damaged as trouble:
        note_trouble(do, trouble.game_id or game_id, now, str(trouble))
        return False
    except Exception:
        # Whatever it is must not keep the others from their turn.
        log.exception("game %s cannot be looked at", game_id)
        return False
    return is_settled


def do_taken(tx: Tx, service: Service, question: Question, until: str) -> bool:
    """Do an order whose pause is over; False while its game cannot be read, or it may be corrected."""
    if question not in tx.questions(question.game_id, question.seat):
        return True
    is_heard = question.due_at <= until and not _waits(tx, until)
    if not is_heard or tx.trouble(question.game_id):
        return False
    fall_due(tx, service, question)
    return True


def _waits(tx: Tx, last: str) -> bool:
    """Return True while a message waits to be read that came until then."""
    waiting = tx.next_mail()
    return waiting is not None and waiting.received_at <= last


def look_again(
    tx: Tx, service: Service, row: Due, now: str, until: str | None = None, last: str | None = None
) -> bool:
    """Do what a due row is for, unless that is needless by now; return False if it must wait.

    Until `until` mail is known to have come in; what came after `last` was too late. The row is gone then, or
    the one that comes after it is in its place.
    """
    if row not in tx.due_of(row.game_id):
        return True
    if tx.trouble(row.game_id) or is_waited_for(tx, row):
        return False
    if row.kind in REMINDERS:
        _remind(tx, service, row, now)
    elif row.kind in ("deadline", "silence"):
        return _time_out(tx, service, row, now if until is None else until, now if last is None else last)
    elif row.kind == "expiry":
        _expire(tx, service, row.game_id, now)
    else:
        _do(tx, service, row, _COMMANDS[row.kind](row))
    return True


_COMMANDS: Final[Mapping[str, Callable[[Due], ClockCommand]]] = {
    "expiry": lambda row: Expire(seat=row.seat),
    "closing": lambda _: Close(),
    "away": lambda row: BeginAbsence(seat=row.seat),
    "back": lambda row: EndAbsence(seat=row.seat),
    "resume": lambda _: EndPause(),
    "lapse": lambda row: Lapse(seat=row.seat),
}


def _do(tx: Tx, service: Service, row: Due, command: ClockCommand) -> None:
    """A command by the clock, known by what was due and when."""
    cause = f"clock/{row.game_id}/{row.kind}/{row.seat}/{row.due_at}"
    service.handle(tx, row.game_id, command, Origin(cause, "clock", "clock", order=row.kind))
    tx.clear_due(row)


def _expire(tx: Tx, service: Service, game_id: str, now: str) -> None:
    """Every invitation to a table that is due: its messages must not tell which was looked at first."""
    for row in tx.due_of(game_id):
        if row.kind == "expiry" and row.due_at <= now:
            _do(tx, service, row, _COMMANDS[row.kind](row))


def _time_out(tx: Tx, service: Service, row: Due, until: str, last: str) -> bool:
    """The default move, unless the player could not know; False while they may have written."""
    if until < row.due_at or _waits(tx, last):
        return False
    more = unheard(tx, service, row.game_id, row.seat)
    if more:
        extend(tx, service, row.game_id, row.seat, more, f"letter/{row.due_at}")
    else:
        _do(tx, service, row, TimeOut(seat=row.seat, turn=row.turn))
    return True


def _remind(tx: Tx, service: Service, row: Due, now: str) -> None:
    """Remind a seat that is still asked for the same decision, or a host who could begin.

    In quiet hours it waits for their end, unless what it reminds of is due before that.
    """
    game = service.load(tx, row.game_id)
    is_asked = row.seat in game.asked and game.seats[row.seat].turn == row.turn
    is_for_host = row.kind == "start" and game.host == row.seat and not game.asked
    ends = _ends(tx, game, row)
    if row.kind == "last_call" and not tx.has_written(game.seats[row.seat].player_id):
        # A stranger may not know felix at all: they were invited and reminded, and that is enough.
        is_asked = False
    if not (is_asked or is_for_host) or game.paused_until or (ends and ends <= now):
        tx.clear_due(row)
        return
    choices = tx.choices_at(row.game_id)
    choice = choices.get(row.seat)
    quiet_end = quiet_until(now, quiet_for(choice), zone_for(choice, service.hours.zone))
    if quiet_end is not None and (not ends or quiet_end < ends):
        _put_off(tx, row, quiet_end)
        return
    if is_for_host:
        start = Lobby(game_id=row.game_id, version=game.version, seat=row.seat, due_at=now, rung=START)
        enqueue(tx, start)
        tx.clear_due(row)
        return
    # An invitation waits for no digest, and its reminder neither; nor does what is due before it.
    due_at = told_at(row.seat, {} if game.phase == "inviting" else choices, now, service.hours)
    due_at = now if ends and ends <= due_at else due_at
    rung = _rung(game, service, row, now)
    # If a deadline was moved, so was its ladder: what was said from a rung of it is not said again.
    if rung not in tx.reminded(row.game_id, row.seat, row.turn):
        enqueue(
            tx,
            Reminder(
                game_id=row.game_id,
                version=game.version,
                seat=row.seat,
                due_at=due_at,
                turn=row.turn,
                rung=rung,
            ),
        )
    following = next_rung(game, row.seat, now, service.hours)
    if following is None:
        tx.clear_due(row)
    else:
        _put_off(tx, row, following[1])


def _ends(tx: Tx, game: Game, row: Due) -> str:
    """Return when it is too late for what a reminder is about; '' if there is no such time."""
    if game.phase == "inviting":
        expiries = (due for due in tx.due_of(row.game_id) if due.kind == "expiry")
        return next((due.due_at for due in expiries if due.seat == row.seat), "")
    deadline = game.seats[row.seat].time.deadline
    return "" if deadline is None else deadline.at


def _rung(game: Game, service: Service, row: Due, now: str) -> str:
    """The name of the reminder: the last rung that has passed."""
    if row.kind == "last_call":
        return row.kind
    passed = [name for name, at in rungs(game, row.seat, service.hours) if at <= now]
    return passed[-1] if passed else ""


def _put_off(tx: Tx, row: Due, at: str) -> None:
    """Look again later, at the same."""
    rows = [known for known in tx.due_of(row.game_id) if known != row]
    tx.set_due(row.game_id, [*rows, replace(row, due_at=at)])


def scheduler(jobs: Mapping[str, tuple[float, Callable[[], object]]]) -> BackgroundScheduler:
    """A scheduler, not yet started, that runs each job every so many seconds, never two of one at a time.

    It keeps nothing: after a stop, what was due meanwhile is in the due table and not here.
    """
    background = BackgroundScheduler(timezone=UTC)
    for name, (seconds, job) in jobs.items():
        background.add_job(
            job,
            "interval",
            seconds=seconds,
            id=name,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
        )
    background.add_listener(_tell, EVENT_JOB_ERROR)
    return background


def _tell(event: Any) -> None:
    log.error("the job %s failed", event.job_id, exc_info=event.exception)
