"""Chance that can be checked afterwards: a secret seed, a commitment to it, and a stream of draws.

    commitment = SHA-256("felix-seed-1" || game id || seed)                  in `game_created`
    contribution = SHA-256(Message-ID || the player's own words)             in each `player_joined`
    key        = HMAC-SHA256(seed, canonical JSON of [game id, contributions by seat])
    block i    = HMAC-SHA256(key, label || 0x00 || uint64be(i)),  i = 0, 1, 2 …

Each draw has a label of its own and reads its blocks as big-endian unsigned 64-bit numbers, four a
block. A number below n is the first such number x that is smaller than the largest multiple of n within
2^64, modulo n. A shuffle is Fisher–Yates: for i from the last place down to 1, swap place i with place
`below(i + 1)`.

    label      what it decides
    start      the start seat: below(number of seats); not drawn if the host named one
    box/<s>    the card boxed for seat s: the place in −8 −5 0 3 5 8 11 15 large_dog small_dog
    dummy      the dummy's pile: those ten shuffled; the first nine are the pile, the last is boxed
    timeout/<r>/<s>
               the card of seat s in round r if its time was up: a place in its hand, in that order

>>> Stream(b"k" * 32, "start").below(4) in range(4)
True
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol, TypeVar

from felix_events.envelope import canonical

T = TypeVar("T")
_NUMBERS = 1 << 64


def commit(game_id: str, seed: bytes) -> str:
    """The commitment to a 32-byte seed, as hexadecimal digits."""
    return sha256(b"felix-seed-1" + game_id.encode("ascii") + seed).hexdigest()


def contribution(message_id: str, words: str) -> str:
    """Return the contribution of a player's JOIN to the draws, as hexadecimal digits."""
    return sha256((message_id + words).encode()).hexdigest()


class Numbers(Protocol):
    """One draw."""

    def below(self, n: int) -> int:
        """A number from 0 to n − 1."""
        ...

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a drawn order."""
        ...


class Draws(Protocol):
    """All draws of a game, and the seed behind them."""

    @property
    def seed(self) -> bytes:
        """The 32 bytes that are revealed at the end."""
        ...

    def stream(self, contributions: Sequence[str | None], label: str) -> Numbers:
        """The draw with this label."""
        ...


class Stream:
    """The numbers of one draw."""

    def __init__(self, key: bytes, label: str) -> None:
        self._numbers = _numbers(key, label.encode("ascii"))

    def below(self, n: int) -> int:
        """A number from 0 to n − 1, each as likely as the others."""
        limit = _NUMBERS - _NUMBERS % n
        return next(number for number in self._numbers if number < limit) % n

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a drawn order."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result


@dataclass(frozen=True, slots=True, repr=False)
class Dice:
    """A game's seed, for `decide` to draw from; it has no text form, so that it cannot end in a log line."""

    game_id: str
    seed: bytes

    def stream(self, contributions: Sequence[str | None], label: str) -> Stream:
        """The draw with this label, once every seat's contribution is known."""
        key = hmac.digest(self.seed, canonical([self.game_id, list(contributions)]), "sha256")
        return Stream(key, label)


def _numbers(key: bytes, label: bytes) -> Iterator[int]:
    index = 0
    while True:
        block = hmac.digest(key, label + b"\x00" + index.to_bytes(8), "sha256")
        for start in range(0, 32, 8):
            yield int.from_bytes(block[start : start + 8])
        index += 1
