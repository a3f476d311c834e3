"""A reader of meanings that knows a few texts by heart, so that a test says what each of them means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from felix_async.inbox import decide
from felix_async.language.grammar import Order, read_line
from felix_async.meaning.meaning import Meaning
from felix_async.meaning.situation import Situation


@dataclass
class Reader:
    """What each text means, and in which situations they were read."""

    meanings: dict[str, Meaning] = field(default_factory=dict)
    read: list[tuple[tuple[str, ...], Situation]] = field(default_factory=list)

    def __call__(self, lines: Sequence[str], situation: Situation) -> Meaning:
        self.read.append((tuple(lines), situation))
        return self.meanings.get("\n".join(lines), Meaning())


def a_reader(monkeypatch: pytest.MonkeyPatch, meanings: dict[str, Meaning]) -> Reader:
    """From now on these texts mean this, and all others nothing."""
    reader = Reader(meanings)
    monkeypatch.setattr(decide, "meaning_of", reader)
    return reader


def order(text: str) -> Order:
    """The order that felix writes so."""
    read = read_line(text)
    assert isinstance(read, Order)
    return read


def orders(*texts: str) -> tuple[Order, ...]:
    """The orders that felix writes so."""
    return tuple(map(order, texts))
