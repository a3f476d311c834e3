"""Two things timed by turns, again and again: what counts is their ratio.

Both are timed by the processor time that they use, also if they wait for a disk: how long that takes is
no merit of felix, differs from minute to minute, and would bring every ratio near to 1. What the processor
does for the disk counts. Rounds go on until they agree, and for so long at most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import clock_gettime, perf_counter, process_time
from typing import Final, Literal

FEWEST: Final = 20
"""Rounds that count at least, if a row has so many."""
CALM: Final = 0.05
"""The spread at which a row is done."""
BUDGET: Final = 25.0
"""Seconds after which it is done anyway."""
_FIFTHS: Final = 5
Bound = Literal["at_least", "at_most"]
Clock = Callable[[], float]
Work = Callable[[], object]
Rounds = Generator["Round", None, None]


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
    rounds: Callable[[], Rounds]

    def ratio(self, one: Round) -> float:
        """The ratio of one round that the goal is about."""
        return one.yardstick / one.felix if self.bound == "at_least" else one.felix / one.yardstick


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a row; times are medians in seconds, `spread` is how far its rounds agree."""

    row: Row
    ratio: float
    spread: float
    felix: float
    yardstick: float

    @property
    def met(self) -> bool:
        """True if the goal is reached, with the ratio as it is written down."""
        return self.ratio >= self.row.goal if self.row.bound == "at_least" else self.ratio <= self.row.goal


def measure(row: Row) -> Result:
    """Run the rounds of a row; the first warms up and does not count."""
    kept: list[Round] = []
    with closing(row.rounds()) as rounds:
        next(rounds)
        end = perf_counter() + BUDGET
        for one in rounds:
            kept.append(one)
            spread = spread_of([row.ratio(one) for one in kept])
            if len(kept) >= FEWEST and (spread <= CALM or perf_counter() > end):
                break
    return Result(
        row,
        round(median(map(row.ratio, kept)), 3),
        round(spread, 3),
        median(one.felix for one in kept),
        median(one.yardstick for one in kept),
    )


def spread_of(ratios: Sequence[float]) -> float:
    """How far the medians of five fifths of the rounds, one after the other, lie apart, as a share.

    A fifth is a short run of its own, so whole runs in a row agree better than that.

    >>> spread_of([1.0, 1.0, 1.1, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    0.0
    >>> round(spread_of([0.9, 1.0, 1.0, 1.0, 1.1]), 3)
    0.2
    """
    if len(ratios) < _FIFTHS:
        parts = [[ratio] for ratio in ratios]
    else:
        ends = [len(ratios) * part // _FIFTHS for part in range(_FIFTHS + 1)]
        parts = [list(ratios[start:end]) for start, end in pairwise(ends)]
    medians = [median(part) for part in parts]
    return (max(medians) - min(medians)) / median(ratios)


def by_turns(
    felix: Work, yardstick: Work, *, turns: int = 1, runs: int = 1, clock: Clock = process_time
) -> Iterator[Round]:
    """Rounds without an end: both by turns, in each turn some runs in a row; who goes first changes."""
    for number in count():
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


def seconds(work: Work, runs: int = 1, clock: Clock = process_time) -> float:
    """How long so many runs take."""
    start = clock()
    for _ in range(runs):
        work()
    return clock() - start


def time_of_children() -> float:
    """The processor time of the processes that this one has started, and that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def time_of_process(process_id: int) -> float:
    """The processor time that another process has used so far."""
    # The clock id that clock_getcpuclockid() returns on Linux; Python does not offer the call.
    return clock_gettime((~process_id << 3) | 2)
