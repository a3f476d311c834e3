"""How fast the machine is that tests run on: their limits are seconds of a fast and quiet one."""

from __future__ import annotations

from time import process_time
from typing import Final

_USUAL: Final = 0.031
"""Seconds of processor time that `_work` took where the limits were set."""


def is_within(took: float, seconds: float) -> bool:
    """Return True if what took so much processor time takes at most `seconds` on a quiet machine.

    How fast this one is now is asked only where that matters: to find out takes a tenth of a second.
    """
    return took <= seconds or took <= seconds * min(_work() for _ in range(3)) / _USUAL


def _work() -> float:
    start = process_time()
    for number in range(300_000):
        len(str(number))
    return process_time() - start
