"""Whether logs are what was written: each row keeps the hashes of its tree up to there, and they must fit.

>>> rows = [(1, b"one", leaf(b"one")), (2, b"twO", b"not its hash")]
>>> flaw_in(rows)
'event 2 is not what was written'
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from felix_events.envelope import game_of
from felix_events.tree import extend, leaf

_LOGS = "SELECT DISTINCT game_id FROM events ORDER BY game_id"
_ROWS = "SELECT version, body, range FROM events WHERE game_id = ? ORDER BY version"
_SIZES = "SELECT game_id, size FROM games WHERE size > 0"


@dataclass(frozen=True, slots=True)
class Soundness:
    """How many of all logs were looked at, and a sentence for each of them that is not sound."""

    looked_at: int
    logs: int
    flaws: Sequence[str]


def flaw_in(rows: Iterable[tuple[int, bytes, bytes]], least: int = 0) -> str:
    """What is wrong with a log first, '' if nothing is; it has `least` events or more.

    It takes two or three hashes for an event. Whether the events are good ones, an audit asks.
    """
    size, range_ = 0, b""
    for version, body, kept in rows:
        size += 1
        range_ = extend(range_, size - 1, leaf(body))
        if version != size or kept != range_:
            return f"event {size} is not what was written"
    return f"event {size + 1} is missing" if size < least else ""


def look_at_logs(
    connection: sqlite3.Connection, stopped: Callable[[], bool] = lambda: False, first: int = 0
) -> Soundness:
    """Look at one log after the other until `stopped` says so, from the `first` on and round about.

    Raises sqlite3.DatabaseError where not even the list of them can be read.
    """
    sizes = dict(connection.execute(_SIZES).fetchall())
    logs = sorted({log_id for (log_id,) in connection.execute(_LOGS)} | sizes.keys())
    start = first % len(logs) if logs else 0
    flaws: list[str] = []
    looked_at = 0
    for log_id in logs[start:] + logs[:start]:
        if stopped():
            break
        try:
            flaw = flaw_in(connection.execute(_ROWS, (log_id,)), sizes.get(log_id, 0))
        except sqlite3.DatabaseError as error:
            flaw = f"its log cannot be read ({error})"
        if flaw:
            flaws.append(f"game {game_of(log_id)}: {flaw}")
        looked_at += 1
    return Soundness(looked_at, len(logs), flaws)
