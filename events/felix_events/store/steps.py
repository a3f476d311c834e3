"""The steps of `schema` in a database: those that it has had, and how sqlite-utils takes the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from felix_events.store.schema import STEPS

if TYPE_CHECKING:
    from sqlite_utils import Database, Migrations

_SET: Final = "felix"
"""The steps are kept under this name."""


@cache
def migrations() -> Migrations:
    """Return the steps as sqlite-utils applies them; it is loaded by whoever writes, and by no reader."""
    from sqlite_utils import Migrations

    steps = Migrations(_SET)
    for name, statements in STEPS.items():
        steps(name=name)(_step(statements))
    return steps


def applied(connection: sqlite3.Connection) -> set[str]:
    """Return the names of the steps that a database has had."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = '_sqlite_migrations'").fetchone():
        return set()
    query = "SELECT name FROM _sqlite_migrations WHERE migration_set = ?"
    return {name for (name,) in connection.execute(query, (_SET,))}


def _step(statements: Sequence[str]) -> Callable[[Database], None]:
    def run(db: Database) -> None:
        for statement in statements:
            db.conn.execute(statement)

    return run
