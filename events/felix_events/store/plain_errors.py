"""What SQLite and the disk say, as sentences for the operator, with what to do next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from felix_events.store.errors import Damaged, StoreError


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
