"""The store in one SQLite file: how it is opened, locked, written and guarded.

One connection writes, in one thread; readers have a read-only connection for each thread. WAL with
`synchronous=FULL`: what was committed survives a power cut. Every write and the closing checkpoint hold an
`flock` on `<file>.lock`, because SQLite before 3.51.3 can corrupt a WAL file when two connections write or
checkpoint in the same moment. The log's rows cannot be changed or deleted: triggers refuse it to
everybody, and felix's own connections are denied even the attempt.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Final, Self

from felix_events.store import files
from felix_events.store.base import Reader, StoreError, Tx
from felix_events.store.erase import EraseReader, EraseTx
from felix_events.store.files import (
    begin,
    copy_to,
    hold,
    let_go,
    not_ours,
    plain,
    plain_errors,
    plain_file_errors,
    scrub_pages,
    take,
)
from felix_events.store.log import LogReader, LogTx
from felix_events.store.looking import LookingReader
from felix_events.store.mail import MailReader, MailTx
from felix_events.store.people import PeopleReader, PeopleTx
from felix_events.store.schema import APPLICATION_ID, LOG_TABLE, STEPS
from felix_events.store.steps import applied, migrations
from felix_events.store.strangers import GreetingsReader, GreetingsTx
from felix_events.store.updating import IN_LOG, Update, bring_up_to_date

log = logging.getLogger(__name__)

_text: Final = partial(str, encoding="utf-8", errors="replace")
"""Text out of a column, even if somebody has put other bytes there: the audit will say so."""
_LEAST_BYTES: Final = 512
"""The smallest page that SQLite knows, and so the smallest database that is not empty."""
_FEW_PAGES: Final = 32
"""Given back at a time: about as many as an ordinary move writes."""
_SCRUBBED: Final = 128
"""Pages that are wiped at a time: a few milliseconds."""
_numbers: Final = count()
"""Of stores in memory."""
STOPPED: Final = "The backup was stopped before it was whole; nothing was kept of it."
_DENIED: Final = {
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
    sqlite3.SQLITE_DROP_TABLE,
    sqlite3.SQLITE_ALTER_TABLE,
    sqlite3.SQLITE_DROP_TRIGGER,
}


class SqliteReader(LogReader, PeopleReader, MailReader, GreetingsReader, EraseReader, LookingReader):
    """Questions to one connection."""


class SqliteTx(SqliteReader, LogTx, PeopleTx, MailTx, GreetingsTx, EraseTx):
    """Changes within a transaction that somebody else opened and will end."""


class SqliteStore:
    """Games in one file; or in none, see `in_memory`. Use `create`, `open_to_write` or `open_to_read`."""

    def __init__(
        self, path: Path, writer: sqlite3.Connection | None, lock: int | None, uri: str = ""
    ) -> None:
        self.path = path
        self._uri = uri or _uri_of(path)
        self._writer = writer
        self._lock = lock
        self._turn = threading.Lock()
        self._closed = False
        self._writes_in = 0
        self._has_traces = False
        self._has_log = False
        self._file: int | None = None
        self._readers = threading.local()
        self._open_readers: list[sqlite3.Connection] = []

    @classmethod
    def create(cls, path: Path, update: Update = IN_LOG) -> Self:
        """A new database, or an existing one brought up to date; the file is readable to its owner only."""
        with plain_file_errors(path):
            # One that is in use is not opened beside SQLite: see `_check_ours`.
            if not (path.is_file() and path.stat().st_size):
                file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
                if path.is_file():
                    # An empty file that was there already becomes as private as a new one.
                    os.fchmod(file, 0o600)
                os.close(file)
        return cls._open(path, update)

    @classmethod
    def open_to_write(cls, path: Path, update: Update = IN_LOG) -> Self:
        """An existing database, brought up to date; StoreError if it is missing, foreign, or newer than
        this felix.
        """
        with plain_file_errors(path):
            _check_there(path)
        return cls._open(path, update)

    @classmethod
    def _open(cls, path: Path, update: Update) -> Self:
        with plain_file_errors(path), plain_errors(path):
            if not path.is_file():
                raise not_ours(path)
            _check_ours(path)
            # SQLite keeps its WAL beside the file itself; by whatever link it is named, there is one lock.
            lock = os.open(f"{os.path.realpath(path)}.lock", os.O_RDWR | os.O_CREAT, 0o600)
            connection = sqlite3.connect(
                path, isolation_level=None, timeout=files.TIMEOUT, check_same_thread=False
            )
            connection.text_factory = _text
            try:
                with hold(lock, path):
                    _prepare(connection)
                    bring_up_to_date(connection, path, update)
                connection.set_authorizer(_authorize)
            except BaseException:
                connection.close()
                os.close(lock)
                raise
            return cls(path, connection, lock)

    @classmethod
    def open_to_read(cls, path: Path) -> Self:
        """An existing database, for reading only."""
        with plain_file_errors(path), plain_errors(path):
            _check_there(path)
            if not _check_ours(path):
                raise StoreError(
                    f"{path} is from an older felix; run `felix init --db {path}` to bring it up to date."
                )
        return cls(path, None, None)

    @classmethod
    def is_up_to_date(cls, path: Path) -> bool:
        """Return True if a database has all that this felix expects; StoreError if it is another's."""
        with plain_file_errors(path), plain_errors(path):
            return _check_ours(path)

    @classmethod
    def open_to_copy(cls, path: Path) -> Self:
        """An existing database, for `backup` alone; one from an older felix will do, too."""
        with plain_file_errors(path), plain_errors(path):
            _check_there(path)
            _check_ours(path)
        return cls(path, None, None)

    @classmethod
    def in_memory(cls) -> Self:
        """A new store without a file, for examples and tests: it is gone once it is closed.

        Other threads wait with reading while somebody writes; who writes reads what they have written.
        """
        uri = f"file:/felix-{next(_numbers)}?vfs=memdb"
        connection = sqlite3.connect(
            uri, uri=True, isolation_level=None, timeout=files.TIMEOUT, check_same_thread=False
        )
        connection.text_factory = _text
        _empty().backup(connection)
        _prepare(connection)
        connection.set_authorizer(_authorize)
        return cls(Path("felix.db"), connection, None, uri)

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """One consistent view: a read transaction on this thread's read-only connection, or the open one."""
        with plain_errors(self.path):
            is_writing = self._lock is None and self._writes_in == threading.get_ident()
            connection = self._writer if self._writer and is_writing else self._reader()
            if connection.in_transaction:
                yield SqliteReader(connection)
                return
            connection.execute("BEGIN")
            try:
                yield SqliteReader(connection)
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """`BEGIN IMMEDIATE … COMMIT` under the lock file; anything raised undoes it all."""
        connection, lock = self._writer, self._lock
        if connection is None:
            raise StoreError(f"{self.path} {'is closed' if self._closed else 'was opened for reading only'}.")
        # The lock file keeps other processes out, the other lock this one's threads. All of it is in one
        # function because every move goes through it: context managers within each other cost a third of it.
        with self._turn:
            try:
                take(lock, self.path)
                begin(connection, self.path)
                self._writes_in = threading.get_ident()
                try:
                    tx = SqliteTx(connection)
                    yield tx
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
                if tx.has_erased:
                    self._leave_no_trace(connection)
                elif self._has_log:
                    # The commit holds, whatever comes of this.
                    with suppress(sqlite3.Error):
                        self._has_log = not _cut_log(connection, 0)
            except sqlite3.IntegrityError:
                raise
            except sqlite3.DatabaseError as error:
                raise plain(self.path, error) from error
            finally:
                self._writes_in = 0
                let_go(lock)

    def _leave_no_trace(self, connection: sqlite3.Connection) -> None:
        """Take the erased bytes out of the files. The commit holds, whatever comes of this.

        If there is no room for it now, the next erasing or the closing tries again; if a reader still
        needs the write-ahead log, whoever writes next does.
        """
        if self._lock is None:
            return
        self._has_traces = True
        try:
            connection.execute("PRAGMA incremental_vacuum").fetchall()
            self._has_log = not _cut_log(connection, 1000)
            page: int | None = None if self._has_log else 1
            while page is not None:
                page = self._scrub(connection, page)
        except (sqlite3.Error, OSError) as error:
            # Raised, it would tell the caller that nothing was written, who would then do it all once more.
            log.warning(
                "bytes of somebody who was forgotten may still be in the free space of %s (%s); make room"
                " on the disk, and stop and start felix",
                self.path.name,
                error,
            )
        else:
            self._has_traces = False

    def give_back(self) -> bool:
        """Take a few free pages out of the file; False once it gets no smaller."""
        if self._writer is None:
            raise StoreError(f"{self.path} is not open for writing.")
        with plain_errors(self.path), self._turn, hold(self._lock, self.path):
            (before,) = self._writer.execute("PRAGMA freelist_count").fetchone()
            self._writer.execute(f"PRAGMA incremental_vacuum({_FEW_PAGES})").fetchall()
            (left,) = self._writer.execute("PRAGMA freelist_count").fetchone()
            # A file that could not be written anew gives none back.
            return bool(0 < left < before)

    def scrub(self, first: int) -> int | None:
        """Wipe the space between the rows of some pages from the `first` on; the next one, None at the end.

        It is the same page again if a reader needs the write-ahead log now: to be tried later.
        """
        if self._writer is None:
            raise StoreError(f"{self.path} is not open for writing.")
        if self._lock is None:
            return None
        with (
            plain_file_errors(self.path),
            plain_errors(self.path),
            self._turn,
            hold(self._lock, self.path),
        ):
            return self._scrub(self._writer, first) if _cut_log(self._writer, 0) else first

    def _scrub(self, connection: sqlite3.Connection, first: int) -> int | None:
        """The same, under the lock, and with an empty log."""
        if self._file is None:
            # It stays open as long as the connection: see `_check_ours`.
            self._file = os.open(self.path, os.O_RDWR)
        begin(connection, self.path)
        try:
            if os.stat(f"{os.path.realpath(self.path)}-wal").st_size:
                return first
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            (size,) = connection.execute("PRAGMA page_size").fetchone()
            scrub_pages(self._file, first, _SCRUBBED, size, pages)
            os.fsync(self._file)
            # The copies of these pages in memory are as they were.
            connection.execute("PRAGMA shrink_memory")
        finally:
            connection.execute("ROLLBACK")
        return first + _SCRUBBED if first + _SCRUBBED <= pages else None

    def backup(self, target: Path, stopped: Callable[[], bool] = lambda: False) -> None:
        """Copy the store while it is in use, as it is at one moment; see `copy_to`.

        It reads in a single transaction and writes nothing beside the store, so it takes no lock; writers
        of any process go on meanwhile. StoreError, and no file, once `stopped` says so.
        """

        def go_on(*_: int) -> None:
            if stopped():
                raise StoreError(STOPPED)

        with plain_file_errors(target), plain_errors(target):
            reader = self._reader()
            # In a transaction of its own, so that a copy in steps is still one of one moment.
            reader.execute("BEGIN")
            try:
                reader.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                copy_to(target, reader, go_on)
            finally:
                reader.execute("ROLLBACK")

    def close(self) -> None:
        """Close all connections; the last one folds the WAL back, under the lock."""
        for connection in self._open_readers:
            connection.close()
        self._open_readers.clear()
        if self._writer is not None:
            with self._turn, hold(self._lock, self.path):
                if self._has_traces:
                    self._leave_no_trace(self._writer)
                self._writer.close()
                if self._file is not None:
                    os.close(self._file)
            if self._lock is not None:
                os.close(self._lock)
        self._writer = self._lock = None
        self._closed = True

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if connection is None:
            connection = _connect_to_read(self._uri)
            self._readers.connection = connection
            self._open_readers.append(connection)
        return connection


@cache
def _empty() -> sqlite3.Connection:
    """An empty database in memory, to be copied: that takes a hundredth of the time of making one."""
    from sqlite_utils import Database

    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrations().apply(Database(connection))
    return connection


def _uri_of(path: Path) -> str:
    return f"{path.absolute().as_uri()}?mode=ro"


def _connect_to_read(uri: str) -> sqlite3.Connection:
    # Each thread uses its own; only `close` touches those of others, after they are done.
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=files.TIMEOUT, check_same_thread=False
    )
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.text_factory = _text
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    if not pages:
        # An older database gets it as it is written anew (`updating`).
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA mmap_size = 0")
    # Erased bytes are gone from the file, too: without it, pages that become free keep their bytes.
    connection.execute("PRAGMA secure_delete = ON")


def _cut_log(connection: sqlite3.Connection, milliseconds: int) -> bool:
    """Empty the write-ahead log; False if somebody still reads from it after so long."""
    connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
    try:
        (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy
    finally:
        connection.execute(f"PRAGMA busy_timeout = {files.TIMEOUT * 1000}")


def _check_ours(path: Path) -> bool:
    """Return True if a database is up to date; StoreError if it is another's, or newer than this felix."""
    # SQLite itself takes a short text for an empty database, and would write over it. The file is not opened
    # to look: to close it again would let go of every lock that this process holds on it (POSIX), and another
    # process that comes and goes would take the write-ahead log away from under a server.
    if 0 < path.stat().st_size < _LEAST_BYTES:
        raise not_ours(path)
    with closing(_connect_to_read(_uri_of(path))) as connection:
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if tables and application_id != APPLICATION_ID:
            raise not_ours(path)
        steps = applied(connection)
    if not steps <= STEPS.keys():
        raise StoreError(f"{path} was written by a newer felix; install that version to use it.")
    return steps == STEPS.keys()


def _authorize(action: int, first: str | None, second: str | None, _db: str | None, _by: str | None) -> int:
    """Deny felix's own code any change to what is in the log; a trigger names its table second."""
    about_log = LOG_TABLE in (first, second)
    return sqlite3.SQLITE_DENY if action in _DENIED and about_log else sqlite3.SQLITE_OK


def _check_there(path: Path) -> None:
    if not path.is_file() or path.stat().st_size == 0:
        raise StoreError(f"There is no database at {path}; run `felix init --db {path}` to make one.")
