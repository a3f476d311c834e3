"""The jobs of a server: one that fails or hangs keeps no other from running, and the operator hears of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from freezegun import freeze_time

from cli.clockwork import WAIT, Moved, Runs
from felix_cli.jobs import PATIENCE, SECONDS, Watch, make_jobs, mind_clock

MINUTE = 60.0


class Hand:
    """A clock that somebody moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def watch(hand: Hand) -> Watch:
    return Watch(hand)


# ---- what hangs
def test_nothing_hangs_that_is_not_at_work(watch: Watch, hand: Hand) -> None:
    with watch.at_work("tick"):
        pass
    hand.seconds += 24 * 60 * MINUTE
    assert not watch.hangs("tick")


def test_a_job_hangs_after_five_minutes(watch: Watch, hand: Hand) -> None:
    with watch.at_work("tick"):
        hand.seconds += 5 * MINUTE
        assert not watch.hangs("tick")
        hand.seconds += 1
        assert watch.hangs("tick")
        assert not watch.hangs("send")
    assert not watch.hangs("tick")


def test_a_backup_may_take_hours(watch: Watch, hand: Hand) -> None:
    with watch.at_work("backup"):
        hand.seconds += PATIENCE["backup"]
        assert not watch.hangs("backup")
        hand.seconds += 1
        assert watch.hangs("backup")


def test_the_operator_is_told_what_hangs_and_what_that_means(
    watch: Watch, hand: Hand, caplog: pytest.LogCaptureFixture
) -> None:
    with watch.at_work("tick"):
        hand.seconds += 6 * MINUTE
        watch.tell()
        assert caplog.messages == [
            "the job tick has not come to its end for 6 minutes: until it does, nobody is reminded, and no"
            " time runs out; if nothing above says why, stop felix and start it again"
        ]


def test_the_operator_is_told_again_when_it_has_been_as_long_again(
    watch: Watch, hand: Hand, caplog: pytest.LogCaptureFixture
) -> None:
    with watch.at_work("post"):
        for _ in range(60):
            hand.seconds += MINUTE
            watch.tell()
    told = [message.partition(" minutes")[0].rpartition(" ")[2] for message in caplog.messages]
    assert told == ["6", "13", "27", "55", "60"], "the last one says that it has ended"
    assert caplog.messages[-1] == "the job post came to its end after 60 minutes"


def test_nothing_is_told_while_all_is_well(
    watch: Watch, hand: Hand, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        with watch.at_work("tick"):
            hand.seconds += 4 * MINUTE
            watch.tell()
    assert caplog.messages == []


def test_what_fails_is_not_at_work_any_more(watch: Watch, hand: Hand) -> None:
    def fail() -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        watch.run("tick", fail)
    hand.seconds += 24 * 60 * MINUTE
    assert not watch.hangs("tick")


# ---- by the clock
@contextmanager
def moved(work: dict[str, Callable[[], object]], watch: Watch) -> Iterator[Moved]:
    with freeze_time("2026-06-01 12:00:00") as frozen:
        jobs = make_jobs(work, watch)
        runs = Runs(jobs)
        jobs.start()
        try:
            yield Moved(frozen, jobs, runs)
        finally:
            jobs.shutdown()


def test_every_job_runs_at_its_interval() -> None:
    names = [name for name in SECONDS if name != "watch"]
    with freeze_time("2026-06-01 12:00:00"):
        jobs = make_jobs({name: lambda: None for name in names}, Watch())
        jobs.start(paused=True)
        try:
            planned = {job.id: job.next_run_time.strftime("%H:%M:%S") for job in jobs.get_jobs()}
        finally:
            jobs.shutdown()
    assert planned == {
        "tick": "12:00:10",
        "prune": "12:01:00",
        "strangers": "12:01:00",
        "send": "12:00:05",
        "fetch": "12:00:05",
        "heartbeat": "12:01:00",
        "backup": "12:10:00",
        "resume": "12:10:00",
        "forget": "12:00:10",
        "watch": "12:00:30",
    }


def test_a_job_runs_when_its_time_comes_and_not_before() -> None:
    with moved({"tick": lambda: None}, Watch()) as clock:
        clock.on(9)
        clock.on(1)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == 1)
        clock.on(10)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == 2)
        assert clock.runs.of("tick") == ["12:00:10", "12:00:20"]


def test_after_a_sleep_of_hours_a_job_runs_once_and_then_at_its_interval_again() -> None:
    """The 1,080 runs that were missed are one: the last of them."""
    with moved({"tick": lambda: None}, Watch()) as clock:
        clock.on(3 * 3600)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == 1)
        clock.on(10)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == 2)
        assert clock.runs.of("tick") == ["15:00:00", "15:00:10"]


def test_a_clock_that_is_set_back_makes_no_job_run_twice() -> None:
    with moved({"tick": lambda: None}, Watch()) as clock:
        clock.on(10)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == 1)
        clock.on(-5)
        clock.on(15)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == 2)
        assert clock.runs.of("tick") == ["12:00:10", "12:00:20"]


def test_after_a_clock_was_set_back_by_hours_the_jobs_go_on_by_it(caplog: pytest.LogCaptureFixture) -> None:
    with moved({"tick": lambda: None, "heartbeat": lambda: None}, Watch()) as clock:
        clock.on(60)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == len(runs.of("heartbeat")) == 1)
        clock.on(-3 * 3600)
        mind_clock(clock.jobs)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == len(runs.of("heartbeat")) == 2)
        clock.on(10)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == 3)
        assert clock.runs.of("tick") == ["12:01:00", "09:01:00", "09:01:10"]
    assert [message for message in caplog.messages if "set back" in message] == [
        "the clock of this machine was set back; the jobs go on by what it says now"
    ]


def test_while_the_clock_goes_on_the_jobs_keep_to_their_plan(caplog: pytest.LogCaptureFixture) -> None:
    with moved({"tick": lambda: None, "heartbeat": lambda: None}, Watch()) as clock:
        before = [job.next_run_time for job in clock.jobs.get_jobs()]
        clock.frozen.tick(timedelta(seconds=-3))
        mind_clock(clock.jobs)
        assert [job.next_run_time for job in clock.jobs.get_jobs()] == before
    assert caplog.messages == []


def test_a_job_that_fails_runs_again_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise OSError("the disk is full")

    with moved({"tick": fail, "heartbeat": lambda: None}, Watch()) as clock:
        clock.on(60)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == len(runs.of("heartbeat")) == 1)
        clock.on(60)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == len(runs.of("heartbeat")) == 2)
    assert caplog.messages.count("the job tick failed") == 2


def test_a_job_that_hangs_is_not_started_twice_and_the_others_go_on(
    caplog: pytest.LogCaptureFixture, hand: Hand, watch: Watch
) -> None:
    go_on, hung = threading.Event(), []

    def hang() -> None:
        hung.append(1)
        assert go_on.wait(WAIT)

    with moved({"tick": hang, "heartbeat": lambda: None}, watch) as clock:
        try:
            clock.on(60)
            clock.runs.wait_for(lambda runs: len(runs.of("heartbeat")) == 1)
            hand.seconds += 6 * MINUTE
            clock.on(60)
            clock.runs.wait_for(lambda runs: len(runs.of("heartbeat")) == len(runs.of("watch")) == 2)
            clock.runs.wait_for(lambda runs: "tick" in runs.skipped)
            assert len(hung) == 1
        finally:
            go_on.set()
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == 1)
        clock.on(10)
        clock.runs.wait_for(lambda runs: len(runs.of("tick")) == 2)
    assert [
        message.partition(":")[0]
        for message in caplog.messages
        if "come to" in message or "came to" in message
    ] == [
        "the job tick has not come to its end for 6 minutes",
        "the job tick came to its end after 6 minutes",
    ]
