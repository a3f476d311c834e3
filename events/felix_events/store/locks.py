"""The locks that keep processes apart: felix waits for another program, and says so where that takes long."""

from __future__ import annotations

import fcntl
import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

TIMEOUT: Final = 5
"""Seconds for which a connection waits for another one without a word."""
_PATIENCE: Final = 30.0
"""Seconds for which a transaction waits in all until it can begin."""
_held: Final[dict[Path, float]] = {}
"""Databases for which felix has said that it waits -> since when, by the monotonic clock."""


@contextmanager
def hold(lock: int | None, path: Path) -> Iterator[None]:
    """Hold the lock file; a store in memory has None."""
    take(lock, path)
    try:
        yield
    finally:
        let_go(lock)


def take(lock: int | None, path: Path) -> None:
    """Wait for the lock file of this database."""
    if lock is None:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with _told_if_long(f"{path}.lock"):
            fcntl.flock(lock, fcntl.LOCK_EX)


def let_go(lock: int | None) -> None:
    """Let another process have the lock file."""
    if lock is not None:
        fcntl.flock(lock, fcntl.LOCK_UN)


@contextmanager
def _told_if_long(what: str) -> Iterator[None]:
    """Say in the log where this takes longer than `TIMEOUT` seconds, and when it is over."""
    began = time.monotonic()
    timer = threading.Timer(TIMEOUT, _waits, (what,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        seconds = time.monotonic() - began
        if seconds > TIMEOUT:
            log.warning("felix goes on: %s was held by another program for %.0f seconds", what, seconds)


def _waits(what: str) -> None:
    log.warning(
        "felix waits: another program holds %s, and nothing is written until it lets go;"
        " `fuser -v %s` may name it",
        what,
        what,
    )


def begin(connection: sqlite3.Connection, path: Path) -> None:
    """Open a transaction that writes; if another program has the file locked, wait for long, and say so.

    It is said once, however many transactions give up meanwhile, and once more when it is over.
    """
    began = time.monotonic()
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            if path not in _held:
                _held[path] = began
                _waits(str(path))
            if time.monotonic() > began + _PATIENCE:
                raise
            # If waiting cannot help, SQLite says so at once; asking on and on would cost a whole core.
            time.sleep(0.05)
        else:
            if _held and (since := _held.pop(path, None)) is not None:
                seconds = time.monotonic() - since
                log.warning("felix goes on: %s was held by another program for %.0f seconds", path, seconds)
            return
