"""New databases by the hundred: the file is made once in each process of the tests, and copied."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from felix_events.store.sqlite import SqliteStore


def a_database(path: Path) -> SqliteStore:
    """As `SqliteStore.create` makes or opens it, in a seventh of the time."""
    if not path.exists():
        path.touch(0o600)
        path.write_bytes(_made())
    return SqliteStore.open_to_write(path)


@cache
def _made() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "felix.db"
        SqliteStore.create(path).close()
        return path.read_bytes()
