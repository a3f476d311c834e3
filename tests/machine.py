"""How fast the machine is that tests run on: their limits are seconds of a fast and quiet one."""

from __future__ import annotations

from time import process_time
from typing import Final

_USUAL: Final = 0.031
"""Seconds of processor time that `_work` took where the limits were set."""


def usual_seconds(seconds: float) -> float:
    """Return how many seconds of processor time this machine needs now for `seconds` of a quiet one."""
    return seconds * max(1.0, min(_work() for _ in range(3)) / _USUAL)


def _work() -> float:
    start = process_time()
    for number in range(300_000):
        len(str(number))
    return process_time() - start
