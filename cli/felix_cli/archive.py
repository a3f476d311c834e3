"""Backups by the clock: a folder of whole copies of the database, the newest few of them.

The name of a copy says when it was made, in UTC: `felix-20261120T210000Z.db`. So a server that was stopped
for a while, or is started anew every day, knows when the next one is due. Until a copy is whole and looked
through it has another name (see `backup.py`), and only then the oldest go. Of those in which something is
damaged the newest is kept, as `felix-20261120T210000Z.damaged`, and no whole one goes because of it.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from felix_async.clock import Clock
from felix_async.settings import Backup
from felix_cli.backup import DAMAGED, PART, copy_to, told_of_damage
from felix_cli.checks.machine import LEAST_BYTES
from felix_cli.output import Problem, problem_of
from felix_events.store.base import StoreError
from felix_events.store.sqlite import SqliteStore

log = logging.getLogger(__name__)

PAUSE: Final = timedelta(hours=1)
"""After a backup that failed, until the next try."""
_STAMP: Final = "%Y%m%dT%H%M%SZ"
_STALE_SECONDS: Final = 24 * 3600.0
"""A copy half made that is older was left by a process that was killed."""


class Archive:
    """The backups of one database in one folder."""

    def __init__(self, settings: Backup, database: Path, clock: Clock) -> None:
        if settings.folder is None:
            raise ValueError("no folder for backups is set")
        self.folder = settings.folder
        self._every = timedelta(hours=settings.every_hours)
        self._keep = settings.keep
        self._database = database
        self._clock = clock
        self._name = re.compile(re.escape(database.stem) + r"-(\d{8}T\d{6}Z)\.(db|damaged)")
        self._not_before: datetime | None = None
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Give up a backup that is being made; no other one is begun."""
        self._stopped.set()

    def look(self) -> None:
        """Make a backup if one is due, and let the oldest go; trouble is told in the log."""
        now = self._clock()
        if self._stopped.is_set() or (self._not_before is not None and now < self._not_before):
            return
        try:
            if self.is_due(now):
                self._back_up(now)
        except (Problem, StoreError, OSError) as error:
            if self._stopped.is_set():
                log.info("the server stops; the backup that was being made is left for the next start")
                return
            self._not_before = now + min(PAUSE, self._every)
            problem = error if isinstance(error, Problem) else problem_of(error)
            log.error(
                "no backup was made: %s The next try is at %s.",
                problem.message if problem else error,
                self._not_before.strftime("%H:%M UTC"),
            )

    def is_due(self, now: datetime) -> bool:
        """Return True if the newest copy is old enough; raises Problem if the folder is missing."""
        made = sorted(self.made(now) + self.made(now, DAMAGED))
        return not made or made[-1][0] + self._every <= now

    def made(self, now: datetime, ending: str = ".db") -> list[tuple[datetime, Path]]:
        """The backups there are, or the damaged copies, the oldest first. Problem without such a folder.

        One that is from the future, as after a clock that ran ahead, is none of them: it is left alone.
        """
        try:
            found = sorted(self._found())
        except OSError as error:
            raise Problem(
                f"The folder {self.folder} cannot be read ({error.strerror}); make it,"
                " or name another one as backup.folder in felix.toml."
            ) from None
        return [(at, path) for at, path in found if at <= now and path.suffix == ending]

    def _found(self) -> Iterator[tuple[datetime, Path]]:
        with os.scandir(self.folder) as entries:
            for entry in entries:
                match = self._name.fullmatch(entry.name)
                if match and entry.is_file(follow_symlinks=False):
                    try:
                        yield datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC), Path(entry.path)
                    except ValueError:
                        # No date that there is: nothing of ours.
                        continue

    def _back_up(self, now: datetime) -> None:
        file = self.folder / f"{self._database.stem}-{now.strftime(_STAMP)}.db"
        self._sweep()
        self._check_room()
        store = SqliteStore.open_to_copy(self._database)
        try:
            copy = copy_to(store, file, stopped=self._stopped.is_set)
        finally:
            store.close()
        if copy.flaw:
            log.error("no whole backup was made: %s", told_of_damage(copy, file))
            for _, old in self.made(now, DAMAGED)[:-1]:
                self._remove(old)
            return
        log.info(
            "backup %s: %d games, %d mails, %.1f MB, whole", file, copy.games, copy.mails, copy.size / 1e6
        )
        for _, old in self.made(now)[: -self._keep]:
            self._remove(old)

    def _check_room(self) -> None:
        """Problem if the copy would fill the disk, or leave the database no room on it."""
        disk = os.statvfs(self.folder)
        free = disk.f_bavail * disk.f_frsize
        needed = sum(
            path.stat().st_size
            for path in (self._database, Path(f"{os.path.realpath(self._database)}-wal"))
            if path.exists()
        )
        if self.folder.stat().st_dev == self._database.stat().st_dev:
            needed += LEAST_BYTES
        if free < needed:
            raise Problem(
                f"There is no room in {self.folder}: {free / 1e6:.0f} MB are free and {needed / 1e6:.0f} MB"
                " are needed; make room on its disk, or set a smaller backup.keep in felix.toml."
            )

    def _sweep(self) -> None:
        """Remove what a killed process left of a copy half made."""
        for path in self.folder.iterdir():
            if PART.fullmatch(path.name) and time.time() - path.lstat().st_mtime > _STALE_SECONDS:
                self._remove(path)

    def _remove(self, path: Path) -> None:
        try:
            path.unlink()
        except FileNotFoundError:
            return
        except OSError as error:
            log.warning(
                "%s is not needed any more and cannot be removed (%s); remove it", path, error.strerror
            )
        else:
            log.info("removed %s, which is not needed any more", path)
