"""The jobs that a running server does by the clock, and the watch over those that do not end.

APScheduler only says when. A job that fails is told in the log and runs again at its next time; one that
hangs is not started a second time, keeps no other from running, and is told by the job `watch`, which waits
for nothing: neither for the disk nor for the writer nor for a lock.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import Final

from apscheduler.schedulers.background import BackgroundScheduler

from felix_async.schedule.tick import scheduler

log = logging.getLogger(__name__)

SECONDS: Final[Mapping[str, float]] = MappingProxyType(
    {"tick": 10.0, "send": 5.0, "fetch": 5.0, "heartbeat": 60.0}
    | {"backup": 600.0, "resume": 600.0, "forget": 10.0, "prune": 60.0, "strangers": 60.0, "watch": 30.0}
)
"""How often each job runs. Deadlines are whole minutes; an empty look costs less than a millisecond."""
PATIENCE: Final[Mapping[str, float]] = MappingProxyType({"backup": 4 * 3600.0, "forget": 4 * 3600.0})
"""Seconds that a job may take, if it is not `_PATIENCE`: a backup is as long as the database is large."""
_PATIENCE: Final = 300.0
_MEANS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "tick": "nobody is reminded, and no time runs out",
        "post": "no mail goes out",
        "intake": "no mail is answered",
        "heartbeat": "nothing is written to the database",
        "backup": "no other backup is made",
    }
)


class Watch:
    """The jobs at work, and since when. Any thread may ask and tell."""

    def __init__(self, now: Callable[[], float] | None = None) -> None:
        self._now = now or time.monotonic
        self._began: dict[str, float] = {}
        self._tell_at: dict[str, float] = {}
        self._door = threading.Lock()

    @contextmanager
    def at_work(self, name: str) -> Iterator[None]:
        """Do what follows under this name; only one thread at a time may."""
        with self._door:
            self._began[name] = self._now()
            self._tell_at[name] = self._began[name] + PATIENCE.get(name, _PATIENCE)
        try:
            yield
        finally:
            with self._door:
                seconds = self._now() - self._began.pop(name)
                del self._tell_at[name]
            if seconds > PATIENCE.get(name, _PATIENCE):
                log.warning("the job %s came to its end after %.0f minutes", name, seconds / 60)

    def run(self, name: str, job: Callable[[], object]) -> None:
        """Do a job under this name."""
        with self.at_work(name):
            job()

    def hangs(self, name: str) -> bool:
        """Return True if this has been at work for longer than it may."""
        with self._door:
            began = self._began.get(name)
            return began is not None and self._now() - began > PATIENCE.get(name, _PATIENCE)

    def tell(self) -> None:
        """Say in the log what hangs: at once, and then whenever it has been as long again."""
        now = self._now()
        with self._door:
            late = {name: now - self._began[name] for name, at in self._tell_at.items() if at < now}
            for name, seconds in late.items():
                self._tell_at[name] = now + seconds
        for name, seconds in late.items():
            means = _MEANS.get(name, "it does not run again")
            log.error(
                "the job %s has not come to its end for %.0f minutes: until it does, %s;"
                " if nothing above says why, stop felix and start it again",
                name,
                seconds / 60,
                means,
            )


def make_jobs(work: Mapping[str, Callable[[], object]], watch: Watch) -> BackgroundScheduler:
    """The scheduler of a server, not yet started: the jobs by their names in `SECONDS`, and `watch`."""
    jobs = {name: (SECONDS[name], partial(watch.run, name, job)) for name, job in work.items()}
    return scheduler({**jobs, "watch": (SECONDS["watch"], watch.tell)})


def mind_clock(jobs: BackgroundScheduler) -> None:
    """Let the jobs go on if the machine's clock was set back: by their plan they would wait for hours.

    The scheduler plans by that clock and does not look at it again, so somebody else calls this now and then.
    """
    now = datetime.now(UTC)
    behind = [job for job in jobs.get_jobs() if job.next_run_time - now > 2 * job.trigger.interval]
    for job in behind:
        job.modify(next_run_time=now)
    if behind:
        log.warning("the clock of this machine was set back; the jobs go on by what it says now")
