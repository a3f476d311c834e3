"""`backup`: a copy of the database beside a server that runs, looked through before it gets its name.

The copy is written under another name in the same folder, checked, and only then renamed: whatever ends it
early, what stands under the wanted name is a whole backup or what stood there before. A copy in which
something is damaged takes no other's place: it gets a name of its own.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click

from felix_async.text import plain
from felix_cli.checks.machine import is_felix_database
from felix_cli.claim import is_served
from felix_cli.output import Problem, counted, print_json
from felix_cli.wiring import db_option, json_option, settings_for
from felix_events.store.base import StoreError
from felix_events.store.log import look_at_logs
from felix_events.store.sqlite import STOPPED, SqliteStore

_SQLITE_FILES: Final = ("-wal", "-journal")
"""What SQLite would read together with a database of this name, and write into it."""
PART: Final = re.compile(r"\.felix-[0-9a-f]{16}\.part(?:-wal|-journal)?")
"""The name of a copy that is not whole yet."""
DAMAGED: Final = ".damaged"
"""The ending of a copy in which something is damaged: it is taken for no backup."""
_FLAW: Final = 200
_STEPS: Final = 100_000
"""Of SQLite's machine, between two looks at whether to stop: a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Copy:
    """The contents of a copy, and its damage ('' if it is whole)."""

    file: Path
    games: int
    mails: int
    size: int
    flaw: str = ""


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace an older backup of this name.")
@json_option
@db_option
def backup(file: Path, force: bool, as_json: bool, db: Path | None) -> None:
    """Copy the database to a file, whole and checked, also while a server runs.

    The copy holds everything: hidden cards, addresses, secrets. It is readable to you alone; keep it so.

    \b
    Example:
      felix backup backups/felix.db
    """
    database = settings_for(db).database
    store = SqliteStore.open_to_copy(database)
    try:
        _check_target(file, database, force)
        copy = copy_to(store, file, force=force)
    finally:
        store.close()
    if copy.flaw:
        raise Problem(told_of_damage(copy, file))
    if as_json:
        print_json({"file": str(file), "games": copy.games, "mails": copy.mails, "bytes": copy.size})
        return
    click.echo(
        f"Wrote {plain(str(file))}: {counted(copy.games, 'game')}, {counted(copy.mails, 'message')}, "
        f"{copy.size / 1e6:.1f} MB, whole."
    )


def _check_target(file: Path, database: Path, force: bool) -> None:
    """Problem if the copy would take the place of something that is no older backup."""
    name = plain(str(file))
    if not file.parent.is_dir():
        raise Problem(f"There is no folder {plain(str(file.parent))} for {file.name}; make it first.")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise Problem(f"felix may not write into {plain(str(file.parent))}; name a folder of its own.")
    if file.exists():
        if file.samefile(database):
            raise Problem(f"{name} is the database itself; name another file.")
        if not file.is_file() or not is_felix_database(file):
            raise Problem(f"{name} is there already and is no backup; name another file.")
        if is_served(file):
            raise Problem(f"A felix server works on {name}; name another file.")
        if not force:
            raise _is_there(file)
    for ending in _SQLITE_FILES:
        beside = Path(f"{file}{ending}")
        if beside.exists() and beside.stat().st_size:
            raise Problem(f"{plain(str(beside))} belongs to another database; name another file.")


def copy_to(
    store: SqliteStore, file: Path, *, force: bool = False, stopped: Callable[[], bool] = lambda: False
) -> Copy:
    """Copy, look through, and rename. A problem leaves nothing behind.

    A damaged copy becomes `damaged_name(file)`, and `file` stays as it is. Raises StoreError as soon as
    `stopped` says so.
    """
    beside = file.with_name(f".felix-{secrets.token_hex(8)}.part")
    try:
        store.backup(beside, stopped)
        copy = _look_through(beside, stopped)
        name = damaged_name(file) if copy.flaw else file
        _give_name(beside, name, force or bool(copy.flaw))
    except OSError as error:
        raise Problem(f"{plain(str(file))} cannot be written: {error.strerror}.") from None
    finally:
        for ending in ("", *_SQLITE_FILES):
            with suppress(OSError):
                os.unlink(f"{beside}{ending}")
    return replace(copy, file=name)


def damaged_name(file: Path) -> Path:
    """Beside a backup, the name of a copy in which something is damaged."""
    return file.with_name(f"{file.stem}{DAMAGED}")


def told_of_damage(copy: Copy, file: Path) -> str:
    """Return the sentence about a damaged copy that was to be this backup."""
    stays = f"{plain(str(file))} is as it was" if file.exists() else "it counts as no backup"
    return (
        f"The database is damaged: {copy.flaw}. A copy of it is {plain(str(copy.file))}, and {stays}. "
        "Keep your older backups, and look with `felix doctor`."
    )


def _look_through(copy: Path, stopped: Callable[[], bool]) -> Copy:
    """Look at a finished copy: what it holds, and whether SQLite or the hashes of a log find it damaged."""
    with closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.set_progress_handler(stopped, _STEPS)
        flaws = list(_flaws_in(connection, stopped))
        games, mails = _count(connection, "games"), _count(connection, "inbox")
    if stopped():
        raise StoreError(STOPPED)
    more = f" (and {len(flaws) - 1} more)" if len(flaws) > 1 else ""
    flaw = f"{plain(flaws[0], _FLAW)}{more}" if flaws else ""
    return Copy(copy, games, mails, copy.stat().st_size, flaw)


def _flaws_in(connection: sqlite3.Connection, stopped: Callable[[], bool]) -> Iterator[str]:
    """Which games are not what was written first: that says more than what SQLite finds of pages."""
    try:
        yield from look_at_logs(connection, stopped).flaws
    except sqlite3.DatabaseError as error:
        yield str(error)
    try:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        yield str(found)


def _count(connection: sqlite3.Connection, table: str) -> int:
    """Return the number of rows of a table; 0 if that cannot be known."""
    with suppress(sqlite3.DatabaseError):
        count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - a constant
        return count
    return 0


def _give_name(beside: Path, file: Path, force: bool) -> None:
    """Rename, and have the folder written to disk; over nothing that came meanwhile, unless with force."""
    if force:
        os.replace(beside, file)
    else:
        try:
            os.link(beside, file)
        except FileExistsError:
            raise _is_there(file) from None
        except OSError:
            # A file system without links: nobody was there a moment ago.
            os.replace(beside, file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _is_there(file: Path) -> Problem:
    return Problem(f"{plain(str(file))} is there already; name another file, or replace it with --force.")
