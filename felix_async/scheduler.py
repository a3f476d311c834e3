"""Time passing: `tick` looks at what is due, and APScheduler only says when to look.

Due rows are a projection of the log. Each is looked at in a transaction of its own: the game is read
again, and a seat that is still asked for the same decision is owed one reminder; one that has moved
meanwhile is owed nothing. A reminder is a notice and no event: it happens once, its mail at least once.
An invitation that expires, and a table that is closed because nobody started it, are events.
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
from felix_async.game.commands import Close, Expire
from felix_async.owed import told_at
from felix_async.service import Origin, Service
from felix_events.store.base import Tx
from felix_events.store.rows import Due, Notice

log = logging.getLogger(__name__)

BATCH: Final = 100
"""Due rows that are looked up at a time."""
OUTAGE: Final = 600.0
"""Seconds without a heartbeat after which felix was away, and did not only stumble."""


def tick(do: Callable[[Callable[[Tx], Any]], Any], service: Service) -> int:
    """Deal with what is due now, in transactions that `do` opens; how many due rows there were."""
    now = text_of(service.clock())
    count = 0
    failed: set[Due] = set()
    while rows := [row for row in do(lambda tx: tx.due(now, BATCH + len(failed))) if row not in failed]:
        for row in rows:
            try:
                do(partial(look_again, service=service, row=row, now=now))
            except Exception:
                # A game that cannot be read must not keep the others from their turn.
                log.exception("game %s cannot be looked at", row.game_id)
                failed.add(row)
        count += len(rows)
    return count


def beat(do: Callable[[Callable[[Tx], Any]], Any], service: Service) -> bool:
    """Note that felix works now; False, and nothing is noted, where its time does not follow the last beat.

    That is after an outage, whose length is known by the old beat alone, and where the clock went back.
    """
    now = text_of(service.clock())

    def note(tx: Tx) -> bool:
        last = tx.last_beat()
        if last is not None and not last <= now <= later(last, OUTAGE):
            return False
        tx.beat(now)
        return True

    return bool(do(note))


def look_again(tx: Tx, service: Service, row: Due, now: str) -> None:
    """Do what a due row is for, unless it has come to nothing meanwhile; the row is gone either way."""
    if row not in tx.due_of(row.game_id):
        return
    if row.kind in ("reminder", "last_call", "start"):
        _remind(tx, service, row, now)
    else:
        command = Expire(seat=row.seat) if row.kind == "expiry" else Close()
        cause = f"clock/{row.game_id}/{row.kind}/{row.seat}"
        service.handle(tx, row.game_id, command, Origin(cause, "clock", "clock", order=row.kind))
    tx.clear_due(row)


def _remind(tx: Tx, service: Service, row: Due, now: str) -> None:
    """A seat that is still asked for the same decision is owed a reminder; so is a host who could begin."""
    game = service.load(tx, row.game_id)
    if row.seat in game.asked and game.seats[row.seat].turn == row.turn:
        # An invitation waits for no digest, and its reminder neither.
        choices = {} if game.phase == "inviting" else tx.choices_at(row.game_id)
        due_at = told_at(row.seat, choices, now, service.hours)
        notice = Notice(row.game_id, game.version, row.seat, "reminder", due_at, turn=row.turn)
        tx.owe(replace(notice, about=row.kind) if row.kind == "last_call" else notice)
    elif row.kind == "start" and game.host == row.seat and not game.asked:
        tx.owe(Notice(row.game_id, game.version, row.seat, "lobby", now, about=row.kind))


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
