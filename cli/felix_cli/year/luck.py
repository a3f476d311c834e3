"""Chance for a simulated year: everything that is drawn follows from the seed and a name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256
from statistics import NormalDist
from typing import Final, TypeVar

from felix_async.draw import Stream

T = TypeVar("T")
_FINE: Final = 1 << 32
_NORMAL: Final = NormalDist()


class Luck(Stream):
    """The draws for one person or one thing; who draws more often changes nobody else's luck."""

    def __init__(self, seed: str, name: str) -> None:
        super().__init__(sha256(seed.encode()).digest(), name)

    def share(self) -> float:
        """A number between 0 and 1, neither of them included."""
        return (self.below(_FINE - 1) + 1) / _FINE

    def happens(self, probability: float) -> bool:
        """Return True if something of this probability is so."""
        return self.share() < probability

    def pick(self, items: Sequence[T]) -> T:
        """One of them, each as likely as the others."""
        return items[self.below(len(items))]

    def between(self, least: timedelta, most: timedelta) -> timedelta:
        """A length between two others, in whole seconds."""
        return least + timedelta(seconds=int((most - least).total_seconds() * self.share()))

    def around(self, median: timedelta, spread: float) -> timedelta:
        """A log-normal length in whole seconds; `spread` is the standard deviation of its logarithm."""
        factor = math.exp(spread * _NORMAL.inv_cdf(self.share()))
        return timedelta(seconds=int(median.total_seconds() * factor))
