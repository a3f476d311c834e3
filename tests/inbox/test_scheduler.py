"""Reminders: one for each decision that is waited for too long, and none for what was decided."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from apscheduler.events import EVENT_JOB_ERROR
from apscheduler.schedulers.background import BackgroundScheduler
from freezegun import freeze_time

from felix_async.clock import system_clock, text_of
from felix_async.follow_up.notices import Hours
from felix_async.language.grammar import Order
from felix_async.schedule.outage import beat
from felix_async.schedule.tick import BATCH, scheduler, tick
from felix_async.service import Service
from felix_events.store.rows import Due
from games import EPOCH, SeededEntropy
from inbox.postbag import Postbag, a_first_round, a_table, an_auction

DAY = timedelta(hours=24)


def tick_after(bag: Postbag, time: timedelta) -> int:
    """So much time passes, then somebody looks; how many rows were due."""
    bag.room.clock.now += time
    return tick(bag.do, bag.room.service)


def reminded(bag: Postbag) -> list[int]:
    """The seats that are owed a reminder, in order."""
    return [notice.seat for notice in bag.notices() if notice.kind == "reminder"]


def due(bag: Postbag) -> list[Due]:
    with bag.room.store.read() as reader:
        return reader.due_of(bag.game_id)


def play_first(bag: Postbag, seat: int) -> None:
    bag.send(seat, str(Order("PLAY", card=bag.game.seats[seat].hand[0])))


# ---- tick -------------------------------------------------------------------------------------------
def test_nobody_is_reminded_before_the_time_has_come() -> None:
    bag = a_table()
    assert tick_after(bag, DAY - timedelta(hours=1)) == 0
    assert reminded(bag) == []


def test_every_seat_that_is_waited_for_is_reminded_once() -> None:
    bag = a_table()
    assert tick_after(bag, DAY) == 4
    assert reminded(bag) == [0, 1, 2, 3]
    assert "reminder" not in {row.kind for row in due(bag)}


def test_however_often_somebody_looks_there_is_one_reminder() -> None:
    bag = a_table()
    for _ in range(5):
        tick_after(bag, DAY)
    assert reminded(bag) == [0, 1, 2, 3]


def test_who_has_moved_is_not_reminded() -> None:
    bag = a_first_round()
    play_first(bag, 2)
    assert tick_after(bag, DAY) == 3
    assert reminded(bag) == [0, 1, 3]


def test_a_reminder_does_not_come_back_when_another_seat_moves() -> None:
    bag = a_first_round()
    tick_after(bag, DAY)
    play_first(bag, 2)
    assert tick_after(bag, 2 * DAY) == 0
    assert reminded(bag) == [0, 1, 2, 3]


def test_the_next_decision_is_reminded_of_anew() -> None:
    bag = a_first_round()
    tick_after(bag, DAY)
    bag.place_all()
    first = bag.game.to_move
    assert tick_after(bag, DAY) == 1
    assert reminded(bag)[4:] == [first]


def test_a_reminder_names_the_decision_that_it_is_about() -> None:
    bag = an_auction()
    first = bag.game.to_move
    assert first is not None
    tick_after(bag, DAY)
    (notice,) = [notice for notice in bag.notices() if notice.kind == "reminder"]
    assert (notice.version, notice.turn) == (bag.size, bag.game.seats[first].turn)


def test_a_reminder_is_no_fact_of_the_game() -> None:
    bag = a_table()
    size = bag.size
    tick_after(bag, DAY)
    assert bag.size == size


def test_a_row_for_a_decision_made_meanwhile_is_dropped_without_a_reminder() -> None:
    """As after a restore: rows are a projection, and only the game says who is waited for."""
    bag = an_auction()
    first = bag.game.to_move
    assert first is not None
    stale = Due(bag.game_id, first, "reminder", bag.game.seats[first].turn - 1, text_of(bag.room.clock.now))
    other = Due(bag.game_id, (first + 1) % 4, "reminder", 1, text_of(bag.room.clock.now))
    bag.do(lambda tx: tx.set_due(bag.game_id, [stale, other]))
    assert tick_after(bag, DAY) == 2
    assert (reminded(bag), due(bag)) == ([], [])


def test_a_game_that_is_over_reminds_nobody() -> None:
    bag = a_table()
    bag.send(1, "DECLINE")
    assert tick_after(bag, DAY) == 0
    assert reminded(bag) == []


def test_a_move_between_looking_and_reminding_is_seen() -> None:
    """Each row is looked at again in a transaction of its own."""
    bag = a_first_round()
    bag.room.clock.now += DAY
    looked: list[str] = []

    def do(work: Any) -> Any:
        if len(looked) == 1:
            play_first(bag, 0)
        looked.append("")
        return bag.do(work)

    assert tick(do, bag.room.service) == 4
    assert reminded(bag) == [1, 2, 3]


def test_one_look_deals_with_all_that_is_due_batch_after_batch() -> None:
    bag = a_table(5)
    tables = BATCH // 5 + 2
    for number in range(1, tables):
        bag.room.open(5, command_id=f"create-{number}")
    assert [tick_after(bag, DAY), tick_after(bag, timedelta())] == [BATCH + 10, 0]


def test_the_waiting_time_is_the_operators() -> None:
    bag = a_table()
    bag.room.service.hours = Hours(remind_after=3600)
    bag.room.join_all(bag.game_id)
    assert tick_after(bag, timedelta(hours=1)) == 4


def test_simulated_games_have_nobody_to_remind() -> None:
    bag = a_table()
    bag.game_id = bag.room.open(kind="simulated", command_id="create-2")
    tick_after(bag, 2 * DAY)
    assert bag.notices() == []


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


# ---- the heartbeat ----------------------------------------------------------------------------------
def beat_at(bag: Postbag, seconds: float) -> tuple[bool, str | None]:
    """Whether a beat was noted, so many seconds after the epoch, and what is noted then."""
    bag.room.clock.step = timedelta()
    bag.room.clock.now = EPOCH + timedelta(seconds=seconds)
    noted = beat(bag.do, bag.room.service)
    return noted, bag.do(lambda tx: tx.last_beat())


def test_the_first_heartbeat_is_noted() -> None:
    assert beat_at(a_table(), 0) == (True, text_of(EPOCH))


def test_a_heartbeat_is_noted_up_to_ten_minutes_after_the_last() -> None:
    bag = a_table()
    beat_at(bag, 0)
    assert beat_at(bag, 60) == (True, text_of(EPOCH + timedelta(seconds=60)))
    assert beat_at(bag, 660) == (True, text_of(EPOCH + timedelta(seconds=660)))


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


def test_each_job_runs_at_its_interval_in_utc(jobs: BackgroundScheduler) -> None:
    triggers = {job.id: job.trigger for job in jobs.get_jobs()}
    assert {name: trigger.interval for name, trigger in triggers.items()} == {
        "tick": timedelta(seconds=60),
        "send": timedelta(seconds=5),
    }
    assert {str(trigger.timezone) for trigger in triggers.values()} == {"UTC"}
    assert str(jobs.timezone) == "UTC"


def test_missed_runs_become_one_late_run_and_no_job_runs_twice_at_once(jobs: BackgroundScheduler) -> None:
    settings = {(job.coalesce, job.max_instances, job.misfire_grace_time) for job in jobs.get_jobs()}
    assert settings == {(True, 1, None)}


def test_the_first_run_is_one_interval_after_the_start() -> None:
    with freeze_time("2026-06-01 12:00:00"):
        made = scheduler({"tick": (60.0, lambda: None)})
        made.start(paused=True)
        try:
            assert made.get_job("tick").next_run_time == datetime(2026, 6, 1, 12, 1, tzinfo=UTC)
        finally:
            made.shutdown()


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
