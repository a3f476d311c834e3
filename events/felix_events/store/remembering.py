"""Run the statements of a transaction; rows that it has read are kept until it writes to their tables.

To deal with one mail, its seat, its player and its game are asked for again and again, by rooms that do not
know of each other; and none of that changes meanwhile.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import fields
from functools import cache, wraps
from sqlite3 import Connection, Cursor
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S", bound="Remembering")
Values = Sequence[Any] | dict[str, Any]
_WRITES: Final = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)")


class Remembering:
    """Runs statements, and forgets what it remembers of the tables that they write."""

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute
        self._remembered: dict[object, Any] = {}
        self._keys: dict[str, set[object]] = defaultdict(set)

    def _sql(self, statement: str, values: Values = ()) -> Cursor:
        """Run a statement."""
        table = _written(statement)
        if table == "":
            self._remembered.clear()
        elif table is not None:
            for key in self._keys.pop(table, ()):
                self._remembered.pop(key, None)
        return self._execute(statement, values if table is None else _kept(values))

    def _each(self, kind: Callable[..., R], statement: str, values: Values = ()) -> list[R]:
        """Run a query for the `columns` of a kind of row; the rows."""
        return [kind(*row) for row in self._sql(statement, values)]

    def _rows(self, statement: str, values: Values = ()) -> list[dict[str, Any]]:
        """Run a query; its rows, by the names of their columns."""
        cursor = self._sql(statement, values)
        names = [name for name, *_ in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def _row(self, statement: str, values: Values = ()) -> dict[str, Any] | None:
        """Run a query for one row; None if there is none."""
        return next(iter(self._rows(statement, values)), None)

    def _remember(self, tables: tuple[str, ...], key: object, found: Any) -> None:
        self._remembered[key] = found
        for table in tables:
            self._keys[table].add(key)


def remembered(
    *tables: str,
) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Ask once, as long as nothing is written to these tables; all that is asked from must be named."""

    def wrap(read: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(read)
        def look(self: S, *args: P.args, **named: P.kwargs) -> T:
            key = (read.__name__, args, *named.items()) if named else (read.__name__, args)
            if key in self._remembered:
                found: T = self._remembered[key]
            else:
                found = read(self, *args, **named)
                self._remember(tables, key, found)
            # A list or a dict of rows is the caller's own.
            return copy(found) if isinstance(found, list | dict) else found

        return look  # type: ignore[return-value]

    return wrap


def _kept(values: Values) -> Values:
    """The values with nothing in their text that no store keeps: U+0000, and halves of characters."""
    texts = values.values() if type(values) is dict else values
    # Of every move, so without a call for each value; most text is printable, and stays as it is.
    for value in texts:
        if type(value) is str and not value.isprintable():
            break
    else:
        return values
    kept = [_text(value) if isinstance(value, str) else value for value in texts]
    return dict(zip(values, kept, strict=True)) if type(values) is dict else kept


def _text(text: str) -> str:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def columns(kind: type) -> str:
    """The names of the columns of a kind of row, in the order of its fields."""
    return ", ".join(one.name for one in fields(kind))


@cache
def _written(statement: str) -> str | None:
    """The table that a statement writes to; None if it writes to none, "" if it may write to any."""
    if found := _WRITES.match(statement):
        return found[1]
    return None if statement.startswith(("SELECT", "SAVEPOINT", "RELEASE")) else ""
