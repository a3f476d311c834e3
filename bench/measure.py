"""Two things timed by turns, again and again, in one process: what counts is their ratio.

What waits for a disk or for another process is timed by the clock on the wall, everything else by the
processor time that it used, so that other work on the machine does not lengthen it. The figure is the
median over the rounds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Literal

Bound = Literal["at_least", "at_most"]
Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Round:
    """Seconds for one operation on each side, in one round."""

    felix: float
    yardstick: float


@dataclass(frozen=True, slots=True)
class Row:
    """A goal: `at_least` so many times the yardstick's speed, or `at_most` so many times its time."""

    name: str
    yardstick: str
    bound: Bound
    goal: float
    rounds: Callable[[], Iterator[Round]]


@dataclass(frozen=True, slots=True)
class Result:
    """What a row came to; times are medians, in seconds."""

    row: Row
    ratio: float
    felix: float
    yardstick: float

    @property
    def met(self) -> bool:
        """Whether the goal is reached, with the ratio as it is written down."""
        return self.ratio >= self.row.goal if self.row.bound == "at_least" else self.ratio <= self.row.goal


def measure(row: Row) -> Result:
    """Run the rounds of a row; the first warms up and does not count."""
    _, *rounds = row.rounds()
    if row.bound == "at_least":
        ratio = median(one.yardstick / one.felix for one in rounds)
    else:
        ratio = median(one.felix / one.yardstick for one in rounds)
    return Result(
        row, round(ratio, 3), median(one.felix for one in rounds), median(one.yardstick for one in rounds)
    )


def by_turns(
    felix: Work, yardstick: Work, *, rounds: int, turns: int = 1, runs: int = 1, waits: bool = False
) -> Iterator[Round]:
    """Both by turns, so many a round, and in each turn some runs in a row; who goes first changes.

    `waits` says that they wait for a disk or for another process.
    """
    clock = perf_counter if waits else process_time
    for number in range(rounds):
        of_felix = of_yardstick = 0.0
        for turn in range(turns):
            if (number + turn) % 2:
                of_felix += seconds(felix, runs, clock)
                of_yardstick += seconds(yardstick, runs, clock)
            else:
                of_yardstick += seconds(yardstick, runs, clock)
                of_felix += seconds(felix, runs, clock)
        yield Round(of_felix / turns / runs, of_yardstick / turns / runs)


def open_raw(path: Path, table: str) -> sqlite3.Connection:
    """A database with one table and no guards; each statement is a transaction, and is synced."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(table)
    return connection


def seconds(work: Work, runs: int = 1, clock: Callable[[], float] = perf_counter) -> float:
    """How long so many runs take."""
    start = clock()
    for _ in range(runs):
        work()
    return clock() - start
