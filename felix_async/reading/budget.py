"""How much processor time one message may take. It is asked for between steps that are bounded themselves.

The bound is on the work of the thread that reads, not the time until it is done: a machine that is busy
with other things makes no mail too costly.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import thread_time
from typing import Final

BUDGET: Final = 0.5
"""Seconds; the costliest shapes that are known take two fifths of it, and people's mails a fiftieth."""
PATIENCE: Final = 10
"""So many times the budget has a mail that the operator wants to be read after all."""
RETRIED: Final = "to be dealt with once more, says the operator"
"""The note of such a mail."""
_until: ContextVar[float] = ContextVar("felix_budget", default=inf)


class TooCostly(Exception):
    """A mail has taken more processor time than any may."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Whatever is done here may take so much processor time, and no more than what is around it may."""
    before = _until.set(min(_until.get(), thread_time() + seconds))
    try:
        yield
    finally:
        _until.reset(before)


def go_on() -> None:
    """Raise TooCostly if the time is spent."""
    if thread_time() > _until.get():
        raise TooCostly
