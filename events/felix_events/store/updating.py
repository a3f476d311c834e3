"""Bring the database of an older felix up to date, in place; whoever is killed on the way goes on next time.

Most steps are one short transaction each (`schema`). The bytes of messages and letters move to tables of
their own row by row, in transactions of a bounded size: a row whose `raw` is empty has been moved. Before
the first step that moves or deletes rows, a copy of the database is made beside it. At the end the file is
written anew, smaller, and so that space which becomes free can be given back bit by bit
(`PRAGMA auto_vacuum = INCREMENTAL`).
"""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Final, Protocol

from felix_events.store.files import copy_to
from felix_events.store.packing import KEYS, BytesTable, keep_bytes
from felix_events.store.steps import migrations

log = logging.getLogger(__name__)

COPY: Final = "before-m"
"""The ending of a copy's name begins so; the number of the step before which it was made follows."""
_TABLES: Final[tuple[tuple[str, BytesTable], ...]] = (("inbox", "inbox_bytes"), ("letters", "letter_bytes"))
_BATCH_BYTES: Final = 4_000_000
_BATCH_ROWS: Final = 500
_INCREMENTAL: Final = 2
_STEPS: Final = 1_000_000
"""Of SQLite's machine, between two signs of life while the file is written anew."""
_CLOCK_SET: Final = (
    "SELECT iif(json_valid(CAST(body AS TEXT)), json_extract(CAST(body AS TEXT), '$.data.terms'), '')"
    " FROM events WHERE game_id = ? AND version <= 3"
    """ AND instr(body, CAST('"type":"clock_set"' AS BLOB))"""
)
"""The terms of a game's clock, as its log has them; what is damaged has none, and the audit says so."""
_OPENED_BY: Final = (
    "SELECT iif(json_valid(CAST(named.body AS TEXT)),"
    " json_extract(CAST(named.body AS TEXT), '$.data.seat'), '')"
    " FROM events AS named JOIN events AS created USING (game_id)"
    " WHERE game_id = ? AND created.version = 1 AND named.version = 2"
    """ AND instr(named.body, CAST('"type":"host_named"' AS BLOB))"""
    """ AND instr(created.private_record, CAST('"channel":"mail"' AS BLOB))"""
)
"""The seat whose player opened a game by mail: the host, by its log and the record of its first event."""


class Update(Protocol):
    """Is told how an older database is brought up to date."""

    def say(self, sentence: str) -> None:
        """Tell the operator something to keep."""

    def step(self, what: str, done: int, total: int) -> None:
        """Show how far it is; a total of 0 is not known."""


class _InLog:
    """Tells what matters in the log."""

    def say(self, sentence: str) -> None:
        log.warning("%s", sentence)

    def step(self, what: str, done: int, total: int) -> None:
        """Is not told: a log is no place for a bar."""


IN_LOG: Final[Update] = _InLog()


def bring_up_to_date(connection: sqlite3.Connection, path: Path, update: Update) -> None:
    """Apply what this database lacks; the caller holds its lock."""
    from sqlite_utils import Database

    db, steps = Database(connection), migrations()
    pending = [step.name for step in steps.pending(db)]
    if "m007_bytes" in pending and steps.applied(db):
        _make_copy(connection, _part(path, "m007_bytes"), update)
    elif "m012_facts" in pending and "m007_bytes_moved" not in pending:
        _make_copy(connection, _part(path, "m012_facts"), update)
    if "m007_bytes_moved" in pending:
        steps.apply(db, stop_before="m007_bytes_moved")
        _keep_copy(path, "m007_bytes", update)
        for table, bytes_table in _TABLES:
            _move(connection, table, bytes_table, update)
    if "m009_clocks_filled" in pending:
        steps.apply(db, stop_before="m009_clocks_filled")
        _fill_games(connection, "clock", _CLOCK_SET)
    if "m012_facts_filled" in pending:
        steps.apply(db, stop_before="m012_facts_filled")
        _keep_copy(path, "m012_facts", update)
        _fill_games(connection, "opened_by", _OPENED_BY)
    steps.apply(db)
    (mode,) = connection.execute("PRAGMA auto_vacuum").fetchone()
    if mode != _INCREMENTAL:
        _write_anew(connection, path, update)


def _make_copy(connection: sqlite3.Connection, part: Path, update: Update) -> None:
    part.unlink(missing_ok=True)
    copy_to(part, connection, lambda _, left, total: update.step("Making a copy", total - left, total))
    _sync_folder(part)


def _part(path: Path, step: str) -> Path:
    """Return where the copy before this step is written."""
    return path.with_name(f"{path.name}.{_ending(step)}.part")


def _ending(step: str) -> str:
    return COPY + step[1:4]


def _keep_copy(path: Path, step: str, update: Update) -> None:
    """Give the copy before this step, if there is one, the first name that is free, and tell it.

    After the step it is whole: whoever is killed before this renaming leaves no second one.
    """
    part = _part(path, step)
    if not part.exists():
        return
    ending = _ending(step)
    endings = (ending if number == 1 else f"{ending}-{number}" for number in count(1))
    names = (path.with_name(f"{path.name}.{name}") for name in endings)
    kept = next(name for name in names if not name.exists())
    os.rename(part, kept)
    _sync_folder(part)
    update.say(f"{path} is from an older felix and is brought up to date; as it was, it is kept as {kept}.")


def _sync_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _move(connection: sqlite3.Connection, table: str, bytes_table: BytesTable, update: Update) -> None:
    """Move the bytes of all rows that still have any, in transactions of a bounded size."""
    key = KEYS[bytes_table]
    find = f"SELECT {key}, raw FROM {table} WHERE {key} > ? AND raw != x'' ORDER BY {key}"  # noqa: S608 - constants
    empty = f"UPDATE {table} SET raw = x'' WHERE {key} = ?"  # noqa: S608 - constants
    (total,) = connection.execute(f"SELECT coalesce(max({key}), 0) FROM {table}").fetchone()  # noqa: S608 - constants
    last = 0
    while True:
        batch: list[tuple[int, bytes]] = []
        size = 0
        with closing(connection.execute(find, (last,))) as rows:
            for row_id, raw in rows:
                batch.append((row_id, raw))
                size += len(raw)
                if size >= _BATCH_BYTES or len(batch) >= _BATCH_ROWS:
                    break
        if not batch:
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            for row_id, raw in batch:
                keep_bytes(connection.execute, bytes_table, row_id, raw)
                connection.execute(empty, (row_id,))
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        last = batch[-1][0]
        update.step(f"Packing {table}", last, total)


def _fill_games(connection: sqlite3.Connection, column: str, query: str) -> None:
    """Fill in a column of each game from its log; a game whose log is damaged there keeps the default.

    The logs are read in no transaction: SQLite writes nothing more in one that has met a damaged page.
    """
    found = []
    for (game_id,) in connection.execute("SELECT game_id FROM games").fetchall():
        try:
            row = connection.execute(query, (game_id,)).fetchone()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            continue
        if row is not None and row[0] not in (None, ""):
            found.append((row[0], game_id))
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(f"UPDATE games SET {column} = ? WHERE game_id = ?", found)  # noqa: S608 - constants
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _write_anew(connection: sqlite3.Connection, path: Path, update: Update) -> None:
    """Write the file anew. The rows are moved, whatever comes of this: the next opening tries again."""
    steps = count(1)
    connection.set_progress_handler(lambda: update.step("Writing the file anew", next(steps), 0), _STEPS)
    try:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("VACUUM")
    except sqlite3.DatabaseError as error:
        update.say(f"{path} could not be made smaller ({error}); felix tries again when it opens it next.")
    finally:
        connection.set_progress_handler(None, 0)
