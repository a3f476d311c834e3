"""Whether logs are what was written: each row keeps the hashes of its tree up to there, and they must fit.

>>> rows = [("k7m2p", 1, b"one", leaf(b"one")), ("k7m2p", 2, b"twO", b"not its hash")]
>>> [str(flaw) for flaw in flaws_in(rows)]
['event 2 of game k7m2p is not what was written']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from felix_events.envelope import game_of
from felix_events.tree import extend, leaf

LOGS = "SELECT game_id, version, body, range FROM events ORDER BY game_id, version"
"""All logs, each in order, for `flaws_in`."""


@dataclass(frozen=True, slots=True)
class LogFlaw:
    """The first event of a log that is not what was written, or is missing."""

    log_id: str
    version: int

    @property
    def game_id(self) -> str:
        """The game; a seat's own log is its game's."""
        return game_of(self.log_id)

    def __str__(self) -> str:
        return f"event {self.version} of game {self.game_id} is not what was written"


def flaws_in(rows: Iterable[tuple[str, int, bytes, bytes]]) -> Iterator[LogFlaw]:
    """The first flaw of each log among these rows, which come log by log and in order.

    It takes two or three hashes for an event, and keeps no log in memory. An end that is missing shows
    nowhere: the last event that is there fits.
    """
    log_id, size, range_, is_bad = "", 0, b"", False
    for of_log, version, body, kept in rows:
        if of_log != log_id:
            log_id, size, range_, is_bad = of_log, 0, b"", False
        if is_bad:
            continue
        size += 1
        range_ = extend(range_, size - 1, leaf(body))
        if version != size or kept != range_:
            is_bad = True
            yield LogFlaw(log_id, size)
