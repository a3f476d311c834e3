"""The machine: SQLite, room on the disk, files that nobody else reads, a folder."""

from __future__ import annotations

import os
import sqlite3
import stat
import tomllib
from collections.abc import Iterator
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Final

from felix_async.settings import Settings
from felix_cli.checks.check import Check
from felix_events.store.schema import APPLICATION_ID
from felix_events.store.updating import COPY

_SAFE_SQLITE: Final = (3, 51, 3)
_OLDEST_SQLITE: Final = (3, 37, 0)
"""STRICT tables came with this version."""
LEAST_BYTES: Final = 200_000_000
LEAST_FILES: Final = 1000
_MOST_ENTRIES: Final = 10_000
"""Of a folder; whoever keeps more files beside the database knows where the backups are."""
_ID_PLACE: Final = slice(68, 72)
"""Where a SQLite file has its application id (https://www.sqlite.org/fileformat.html, 1.3)."""


def look_at_sqlite() -> Check:
    """The version of the library that Python brings along."""
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        return Check("sqlite", False, version, "felix needs 3.37 or newer; use a newer Python or system")
    if sqlite3.sqlite_version_info < _SAFE_SQLITE:
        advice = (
            "has a rare WAL bug that felix's lock file keeps away; let no other program write to the database"
        )
        return Check("sqlite", True, version, advice)
    return Check("sqlite", True, version)


def look_at_operator(settings: Settings) -> Check | None:
    """None if somebody is told, or on purpose nobody; example.org and its like reach nobody (RFC 2606)."""
    domain = settings.operator.rpartition("@")[2].lower()
    if domain.split(".")[-2:] not in (["example", "org"], ["example", "com"], ["example", "net"]):
        return None
    advice = "put your own address there, or nobody hears when a player's mail keeps coming back"
    return Check("operator", False, settings.operator, advice)


def look_at_folder(database: Path) -> Check:
    """SQLite makes files beside the database, and removes them."""
    folder = database.absolute().parent
    well = os.access(folder, os.W_OK | os.X_OK)
    advice = "" if well else "felix must be able to make files there; change its owner or its mode"
    return Check("folder", well, str(folder), advice)


def look_at_copies(database: Path) -> Check | None:
    """Return what an update has left beside the database; None if there is nothing."""
    copies = sorted(path.name for path in database.absolute().parent.glob(f"{escape(database.name)}.{COPY}*"))
    if not copies:
        return None
    advice = (
        "delete it as soon as this felix works well, at the latest when somebody writes FORGET ME: it still"
        " holds all that is erased from the database since"
    )
    return Check("old copy", True, f"{', '.join(copies)}: the database as it was before the update", advice)


def look_at_disk(database: Path) -> Check:
    """Room for the database and its WAL, which lie in the same folder."""
    folder = database.absolute().parent
    try:
        disk = os.statvfs(folder)
    except OSError as error:
        return Check("disk", False, f"{folder}: {error.strerror}", "make this folder")
    free = disk.f_bavail * disk.f_frsize
    # Some file systems make inodes as they need them, and say that they have none at all.
    files = disk.f_favail if disk.f_files else None
    found = f"{free / 1e9:.1f} GB free" + ("" if files is None else f", room for {files} files")
    well = free >= LEAST_BYTES and (files is None or files >= LEAST_FILES)
    return Check(
        "disk", well, found, "" if well else f"make room on the disk of {folder}: felix stops when it is full"
    )


def look_at_files(settings: Settings, config: Path) -> Check:
    """Check whether others on this machine can read hidden cards, addresses, or passwords."""
    open_ones = []
    for path in sorted(set(_private_files(settings, config))):
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
        except OSError:
            continue
        if mode & 0o077:
            open_ones.append((str(path), mode))
    if not open_ones:
        return Check("file modes", True, "nobody else can read what is secret")
    found = ", ".join(f"{path} has {mode:04o}" for path, mode in open_ones)
    names = " ".join(path for path, _ in open_ones)
    return Check("file modes", False, found, f"others may read it: chmod 600 {names}")


def _private_files(settings: Settings, config: Path) -> Iterator[Path]:
    database = settings.database
    yield from (
        database,
        *(Path(f"{database}{ending}") for ending in ("-wal", "-shm", ".lock", ".serve.lock")),
    )
    yield from _backups(database.parent)
    if settings.backup.folder is not None:
        yield from _backups(settings.backup.folder)
    if _holds_secrets(config):
        yield config
    for login in (settings.send, settings.fetch):
        if login.password_file is not None:
            yield config.parent / login.password_file


def _backups(folder: Path) -> Iterator[Path]:
    """The felix databases in a folder."""
    try:
        with os.scandir(folder) as entries:
            for entry in islice(entries, _MOST_ENTRIES):
                if entry.is_file(follow_symlinks=False) and is_felix_database(Path(entry.path)):
                    yield folder / entry.name
    except OSError:
        return


def is_felix_database(path: Path) -> bool:
    """Return True if this file says that it is one; it may be damaged all the same."""
    try:
        with path.open("rb") as file:
            return file.read(_ID_PLACE.stop)[_ID_PLACE] == APPLICATION_ID.to_bytes(4)
    except OSError:
        return False


def _holds_secrets(config: Path) -> bool:
    try:
        values = tomllib.loads(config.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    logins = [values.get(name, {}) for name in ("send", "fetch")]
    return bool(values.get("alerts")) or any("password" in login for login in logins)
