"""Reminders: one for each decision that is waited for too long, and none for what was decided."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from apscheduler.events import EVENT_JOB_ERROR
from apscheduler.schedulers.background import BackgroundScheduler
from freezegun import freeze_time

from felix_async.clock import system_clock, text_of
from felix_async.language.grammar import Order
from felix_async.schedule.outage import beat, extend
from felix_async.schedule.tick import scheduler, tick
from felix_async.service import Service
from felix_events.model import Terms
from games import EPOCH, SeededEntropy
from inbox.clocked import a_clocked_table
from inbox.postbag import Postbag, a_first_round, a_table

DAY = timedelta(hours=24)


def tick_after(bag: Postbag, time: timedelta) -> int:
    """So much time passes, then somebody looks; how many rows were due."""
    bag.room.clock.now += time
    return tick(bag.do, bag.room.service)


def reminded(bag: Postbag) -> list[int]:
    """The seats that are owed a reminder, in order."""
    return [notice.seat for notice in bag.notices() if notice.kind == "reminder"]


def play_first(bag: Postbag, seat: int) -> None:
    bag.send(seat, str(Order("PLAY", card=bag.game.seats[seat].hand[0])))


# ---- tick -------------------------------------------------------------------------------------------
def test_a_reminder_does_not_come_back_when_another_seat_moves() -> None:
    bag = a_first_round()
    tick_after(bag, DAY)
    play_first(bag, 2)
    assert tick_after(bag, 2 * DAY) == 0
    assert reminded(bag) == [0, 1, 2, 3]


def test_the_real_clock_can_be_frozen_and_moved() -> None:
    bag = a_table()
    with freeze_time("2026-06-01 12:00:00") as time:
        bag.room.service = Service(system_clock, SeededEntropy("real time"))
        bag.game_id = bag.room.open(command_id="create-2")
        assert tick(bag.do, bag.room.service) == 13, "the first table is long overdue, in every way"
        time.tick(DAY)
        assert tick(bag.do, bag.room.service) == 4
        assert {row.due_at for row in bag.notices() if row.kind == "reminder"} == {
            "2026-06-02T12:00:00.000000Z"
        }


def test_half_of_the_time_comes_twice_and_is_told_once() -> None:
    """A deadline that moves takes its ladder along, and nobody hears from the same rung of it twice."""
    bag = a_clocked_table(terms=Terms(move=4 * 24 * 3600))
    for seat in range(4):
        bag.send(seat, "QUIET OFF")
    turn = bag.game.seats[0].turn
    for _ in range(2):
        tick_after(bag, 2 * DAY)
        assert bag.do(lambda tx: tx.reminded(bag.game_id, 0, turn)) == ["50%"]
        bag.do(lambda tx: extend(tx, bag.room.service, bag.game_id, 0, 2 * 24 * 3600, "an outage"))


# ---- the heartbeat ----------------------------------------------------------------------------------
def beat_at(bag: Postbag, seconds: float) -> tuple[bool, str | None]:
    """Whether a beat was noted, so many seconds after the epoch, and what is noted then."""
    bag.room.clock.step = timedelta()
    bag.room.clock.now = EPOCH + timedelta(seconds=seconds)
    noted = beat(bag.do, bag.room.service)
    return noted, bag.do(lambda tx: tx.last_beat())


def test_after_an_outage_the_last_heartbeat_stays_until_somebody_has_dealt_with_it() -> None:
    bag = a_table()
    beat_at(bag, 0)
    assert beat_at(bag, 600.1) == (False, text_of(EPOCH))
    assert beat_at(bag, 7 * 24 * 3600) == (False, text_of(EPOCH))


def test_a_clock_that_goes_back_leaves_the_last_heartbeat_alone() -> None:
    bag = a_table()
    beat_at(bag, 60)
    assert beat_at(bag, 59) == (False, text_of(EPOCH + timedelta(seconds=60)))


# ---- when to look -----------------------------------------------------------------------------------
@pytest.fixture
def jobs() -> Iterator[BackgroundScheduler]:
    made = scheduler({"tick": (60.0, lambda: None), "send": (5.0, lambda: None)})
    made.start(paused=True)
    yield made
    made.shutdown()


def test_missed_runs_become_one_late_run_and_no_job_runs_twice_at_once(jobs: BackgroundScheduler) -> None:
    settings = {(job.coalesce, job.max_instances, job.misfire_grace_time) for job in jobs.get_jobs()}
    assert settings == {(True, 1, None)}


def test_a_job_that_fails_is_logged_and_runs_again(caplog: pytest.LogCaptureFixture) -> None:
    runs: list[int] = []
    told = threading.Event()

    def fail() -> None:
        runs.append(1)
        raise OSError("the disk is full")

    made = scheduler({"tick": (0.01, fail)})
    made.add_listener(lambda _event: told.set() if len(runs) > 1 else None, EVENT_JOB_ERROR)
    with caplog.at_level(logging.CRITICAL, "apscheduler"), caplog.at_level(logging.ERROR, "felix_async"):
        made.start()
        try:
            assert told.wait(30)
        finally:
            made.shutdown()
    assert "the job tick failed" in caplog.messages
    assert "the disk is full" in caplog.text
