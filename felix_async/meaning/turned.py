"""Lines that are shown otherwise than they are stored: letters that turn the direction, or show nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

_TURNED: Final = frozenset(("LRE", "RLE", "LRO", "RLO", "LRI", "RLI", "FSI"))
_RIGHT_TO_LEFT: Final = frozenset(("R", "AL"))


def is_turned(lines: Sequence[str]) -> bool:
    """Return True if lines may be shown otherwise than they are stored.

    >>> [is_turned([line]) for line in ("bid 8", "\\u200f8", "bid \\u202e21", "n\\u200bot 8")]
    [False, False, True, True]
    """
    return any(not line.isascii() and any(_turns(line)) for line in lines)


def _turns(line: str) -> Iterator[bool]:
    for at, char in enumerate(line):
        if char.isascii():
            continue
        turns = unicodedata.bidirectional(char)
        category = unicodedata.category(char)
        yield turns in _TURNED or (turns in _RIGHT_TO_LEFT and category[0] == "L")
        yield category == "Cf" and line[max(0, at - 1) : at].isalnum() and line[at + 1 : at + 2].isalnum()
