"""A scheduler at work on a clock that stands still until a test moves it, and what its jobs did."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED, EVENT_JOB_MAX_INSTANCES
from apscheduler.schedulers.background import BackgroundScheduler

WAIT: Final = 30.0
"""Seconds until a test gives up waiting for a job."""


class Runs:
    """When each job was started, by its plan; whoever waits for a run gets it."""

    def __init__(self, jobs: BackgroundScheduler) -> None:
        self.planned: list[tuple[str, str]] = []
        self.skipped: list[str] = []
        self._changed = threading.Condition()
        jobs.add_listener(self, EVENT_JOB_EXECUTED | EVENT_JOB_ERROR | EVENT_JOB_MAX_INSTANCES)

    def __call__(self, event: Any) -> None:
        with self._changed:
            if event.code == EVENT_JOB_MAX_INSTANCES:
                self.skipped.append(event.job_id)
            else:
                self.planned.append((event.job_id, event.scheduled_run_time.strftime("%H:%M:%S")))
            self._changed.notify_all()

    def wait_for(self, is_there: Callable[[Runs], bool]) -> None:
        """Until it is there, or the test has failed."""
        with self._changed:
            assert self._changed.wait_for(lambda: is_there(self), WAIT), (self.planned, self.skipped)

    def of(self, name: str) -> list[str]:
        return [at for job, at in self.planned if job == name]


class Moved:
    """A scheduler at work on a clock that stands still until it is moved."""

    def __init__(self, frozen: Any, jobs: BackgroundScheduler, runs: Runs) -> None:
        self.frozen = frozen
        self.jobs = jobs
        self.runs = runs

    def on(self, seconds: float) -> None:
        """So much time passes at once, as when a machine sleeps; then the scheduler looks."""
        self.frozen.tick(timedelta(seconds=seconds))
        self.jobs.wakeup()
