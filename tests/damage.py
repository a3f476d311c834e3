"""Databases that are really damaged: a page of a game's log, or a byte in one of its events."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def damage_page(path: Path, game_id: str, version: int) -> None:
    """Make the page unreadable that holds this event; nobody may have the database open."""
    place, size = _place_of(path, game_id, version)
    data = bytearray(path.read_bytes())
    start = place - place % size
    page = bytes(data[start : start + size])
    assert page[0] == 0x0D, "a leaf of a table"
    assert page.count(b'"game_id":') == page.count(f'"game_id":"{game_id}"'.encode()), "of this game alone"
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)


def damage_event(path: Path, game_id: str, version: int, to: bytes = b"1") -> None:
    """Change one byte of this event, in its time, which SQLite does not notice."""
    place, _ = _place_of(path, game_id, version)
    data = bytearray(path.read_bytes())
    digit = data.index(b'"at":"2', place) + len('"at":"')
    data[digit : digit + 1] = to
    path.write_bytes(data)


def _place_of(path: Path, game_id: str, version: int) -> tuple[int, int]:
    """Where the bytes of an event begin in the file, and how large a page is."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (body,) = connection.execute(
            "SELECT body FROM events WHERE game_id = ? AND version = ?", (game_id, version)
        ).fetchone()
    place = path.read_bytes().index(body)
    return place, size
