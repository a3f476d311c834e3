"""Databases as an older felix has left them, and what stands in one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

from sqlite_utils import Database

from felix_events.store.base import Reader
from felix_events.store.schema import APPLICATION_ID
from felix_events.store.steps import migrations

AT = "2026-01-02T03:04:05Z"
_LETTER = b"Hello Anna,\r\n\r\nYour turn: round 5, place a card.\r\n"


@contextmanager
def before_step(path: Path, step: str) -> Iterator[sqlite3.Connection]:
    """A new database as it was before this step, to be filled by its raw connection."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        migrations().apply(Database(connection), stop_before=step)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        yield connection


def an_old_database(path: Path, before: str = "m007_bytes", rows: int = 20) -> None:
    """Make a database that lacks this step and those after it, with some mails and letters in it."""
    chance = Random(7)
    with before_step(path, before) as connection:
        connection.execute("BEGIN")
        for number in range(1, rows + 1):
            # Every fifth was erased, and every seventh cannot be packed.
            raw = b"" if number % 5 == 0 else _LETTER * number
            raw = chance.randbytes(5000) if number % 7 == 0 else raw
            connection.execute(
                "INSERT INTO inbox (received_at, recipient, sender, raw, sha256, state, key, note)"
                " VALUES (?, 'felix@felix.test', 'ben@players.test', ?, ?, 'done', ?, 'was done')",
                (AT, raw, f"hash {number}", f"key {number}"),
            )
            connection.execute(
                "INSERT INTO letters (game_id, seat, recipient, message_id, raw, created_at, next_at, state)"
                " VALUES ('k7m2p', 1, 'anna@players.test', ?, ?, ?, ?, 'ready')",
                (f"<{number}@felix.test>", raw[::-1], AT, AT),
            )
        connection.execute("COMMIT")


def bytes_in(path: Path) -> tuple[list[tuple[int, bytes]], list[tuple[int, bytes]]]:
    """Read the bytes of the mails and letters of such a database."""
    with closing(sqlite3.connect(path)) as connection:
        mails = connection.execute("SELECT mail_id, raw FROM inbox ORDER BY mail_id").fetchall()
        letters = connection.execute("SELECT letter_id, raw FROM letters ORDER BY letter_id").fetchall()
    return mails, letters


def bytes_of(reader: Reader) -> tuple[list[tuple[int, bytes]], list[tuple[int, bytes]]]:
    """Read the same through the store."""
    return (
        [(mail.mail_id, mail.raw) for mail in reader.mails()],
        [(letter.letter_id, letter.raw) for letter in reader.letters()],
    )


def made_older(path: Path, before: str = "m007_bytes") -> None:
    """Put what stands in this database, but for mails and letters, into one as an older felix made it."""
    new = path.rename(path.with_suffix(".new"))
    with before_step(path, before) as older:
        older.execute("ATTACH ? AS new", (str(new),))
        kept = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%sqlite_%'"
        for (table,) in older.execute(kept).fetchall():
            if table in ("inbox", "letters"):
                continue
            rows = older.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
            names = ", ".join(f'"{name}"' for (name,) in rows)
            older.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM new.{table}")  # noqa: S608 - names of the schema
    new.unlink()
