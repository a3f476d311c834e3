"""The benchmark's own arithmetic: when a row is done, and how far its rounds agree."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain, cycle, repeat

import pytest

from bench import measure as measuring
from bench.measure import FEWEST, Bound, Round, Rounds, Row, measure, spread_of, time_of_process


def a_row(ratios: list[float], bound: Bound = "at_least") -> tuple[Row, list[int]]:
    """A row whose rounds come to these ratios, and then to the last of them; and how many were asked for."""
    asked = [0]

    def rounds() -> Rounds:
        for ratio in chain(ratios, repeat(ratios[-1])):
            asked[0] += 1
            yield Round(1.0, ratio) if bound == "at_least" else Round(ratio, 1.0)

    return Row("a row", "beside", bound, 1.0, rounds), asked


@pytest.mark.parametrize(
    ("ratios", "spread"),
    [([2.0, 2.0], 0.0), ([1.0, 3.0], 1.0), ([1.0, 1.0, 1.0, 1.0, 1.5], 0.5), ([1.0] * 14 + [9.0], 0.0)],
)
def test_the_spread_is_how_far_the_medians_of_fifths_lie_apart(ratios: list[float], spread: float) -> None:
    assert spread_of(ratios) == spread


def test_a_row_that_agrees_is_done_at_once_and_its_first_round_does_not_count() -> None:
    row, asked = a_row([99.0, 1.25])
    result = measure(row)
    assert (result.ratio, result.spread, result.met, asked[0]) == (1.25, 0.0, True, FEWEST + 1)


def test_a_row_that_does_not_agree_goes_on_until_it_does() -> None:
    row, asked = a_row([1.0, *([1.0, 2.0] * 2 + [3.0] * 16), 2.0], "at_most")
    result = measure(row)
    assert asked[0] > FEWEST + 1
    assert (result.spread <= measuring.CALM, result.met) == (True, False)


def test_a_row_that_never_agrees_ends_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = cycle(range(10_000))
    monkeypatch.setattr(measuring, "perf_counter", lambda: float(next(clock)))
    row, asked = a_row([2.0**number for number in range(60)])
    assert measure(row).spread > measuring.CALM
    assert FEWEST < asked[0] <= measuring.BUDGET + FEWEST + 2


def test_the_processor_time_of_another_process_is_known() -> None:
    work = "sum(range(10**6)); print(); input()"
    with subprocess.Popen(
        [sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used = time_of_process(process.pid)
        process.communicate(b"\n")
    assert 0.001 < used < 60
    assert time_of_process(os.getpid()) > 0
