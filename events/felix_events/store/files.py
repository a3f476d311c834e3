"""The files of a SQLite database: their locks, the errors of the disk, and the space between their rows.

felix waits for another program that holds a lock, and says so if that takes long.

Bytes that were erased from rows may still lie between them. With `secure_delete` SQLite overwrites what it
deletes. But as pages are split, rows move to other pages, and their bytes stay behind on the old one, between
its cell pointers and its cells, where nobody reads (https://www.sqlite.org/fileformat.html, 1.6). VACUUM
would write the whole file anew, and nobody could write meanwhile. So that space is overwritten with zeros
where it lies. Whoever calls `scrub_pages` holds the lock for writing and has an empty write-ahead log: then
the file alone is the database, and nobody changes it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from felix_events.store.errors import Damaged, StoreError

log = logging.getLogger(__name__)

TIMEOUT: Final = 5
"""Seconds for which a connection waits for another one without a word."""
_BACKUP_PAGES: Final = 1000
"""Copied at a time: a few milliseconds."""
_PATIENCE: Final = 30.0
"""Seconds for which a transaction waits in all until it can begin."""
_held: Final[dict[Path, float]] = {}
"""Databases for which felix has said that it waits -> since when, by the monotonic clock."""
_B_TREES: Final = {0x02: 12, 0x05: 12, 0x0A: 8, 0x0D: 8}
"""The kinds of pages with cells, and how long their headers are."""
_PENDING_BYTE: Final = 1 << 30
_MOST_PAGES: Final = 1 << 24
"""Up to so many, no page of another kind begins like one with cells."""


# ---- locks


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
    """Say in the log if this takes longer than `TIMEOUT` seconds, and when it is over."""
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


# ---- errors


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite says into a sentence with what to do next; what a constraint refuses is a bug."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        raise plain(path, error) from error


def plain(path: Path, error: sqlite3.DatabaseError) -> StoreError:
    text = str(error)
    if "not a database" in text:
        return not_ours(path)
    if "unable to open" in text or "readonly" in text:
        return StoreError(f"{path} cannot be opened; check that its folder can be written to.")
    if "locked" in text or "busy" in text:
        return StoreError(f"{path} is in use by another program; try again in a moment.")
    if "full" in text:
        return StoreError(f"{path} cannot grow: the disk is full; make room and try again.")
    if "malformed" in text:
        return Damaged(f"{path} is damaged; restore a backup.")
    return StoreError(f"{path} cannot be worked with ({text}); restore a backup.")


@contextmanager
def plain_file_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path} cannot be used: {error.strerror}.") from error


def not_ours(path: Path) -> StoreError:
    return StoreError(f"{path} is not a felix database; name another file with --db.")


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Return True if pages that were read make no sense, and the disk itself is not to blame."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code == sqlite3.SQLITE_CORRUPT or "malformed" in str(error)


# ---- copies


def copy_to(
    target: Path, connection: sqlite3.Connection, progress: Callable[[int, int, int], object]
) -> None:
    """Copy a database to a new file, for its owner only: whole and on disk, or not at all.

    The copy is no WAL database until felix writes to it: it needs no other file to be looked at.
    """
    file = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            connection.backup(copy, pages=_BACKUP_PAGES, progress=progress)
            copy.execute("PRAGMA journal_mode = DELETE")
        os.fsync(file)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    finally:
        os.close(file)


# ---- wiping


def scrub_pages(file: int, first: int, count: int, page_size: int, pages: int) -> None:
    """Wipe the unused space of so many pages, of all that there are in this file."""
    if pages >= _MOST_PAGES:
        raise OSError("the database is too large to be wiped")
    for number in range(first, min(first + count, pages + 1)):
        start = (number - 1) * page_size
        page = os.pread(file, page_size, start)
        unused = unused_in(page, number)
        if any(page[unused]):
            os.pwrite(file, bytes(unused.stop - unused.start), start + unused.start)


def unused_in(page: bytes, number: int) -> slice:
    """The space between cell pointers and cells; none unless it surely is such a page."""
    none, size = slice(0, 0), len(page)
    header = 100 if number == 1 else 0
    if _is_no_tree(number, size) or size < 512 or page[header] not in _B_TREES:
        return none
    cells = int.from_bytes(page[header + 3 : header + 5])
    content = int.from_bytes(page[header + 5 : header + 7]) or 65536
    end = header + _B_TREES[page[header]] + 2 * cells
    pointers = [int.from_bytes(page[at : at + 2]) for at in range(end - 2 * cells, end, 2)]
    if not end <= content <= size or any(not content <= pointer < size for pointer in pointers):
        return none
    return slice(end, content)


def _is_no_tree(number: int, page_size: int) -> bool:
    """Return True if this is a page of the pointer map, or the one that SQLite locks (1.8 and 1.3 there)."""
    pending = _PENDING_BYTE // page_size + 1
    return number > 1 and ((number - 2) % (page_size // 5 + 1) == 0 or number in (pending, pending + 1))
