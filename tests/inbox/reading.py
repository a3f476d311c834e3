"""What a mail says, for tests: its writer's lines, and what felix would obey or ask about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.inbox.decide import weigh
from felix_async.meaning.situation import Situation
from felix_async.reading.reader import read_mail, read_text
from felix_async.reading.understand import understand
from felix_async.reading.verdicts import Understood

EVERYTHING: Final = (
    Situation("placing", plays=(-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog"), mice=15),
    Situation("bidding", mice=15, high=2, least=3, most=15, high_bidder="Ben", names=("Ben", "Cara")),
)
"""Somebody who may place any card, and somebody who may bid nearly anything."""


def moves_in(said: Sequence[Understood]) -> list[str]:
    """The moves that would be made for these lines at some decision, in exact or in other words."""
    weighed = [weigh(said, situation) for situation in EVERYTHING]
    taken = [str(one.meaning.do) for one in weighed if one.step in ("do", "take")]
    return orders_in(said) + taken


def written(raw: bytes) -> list[str] | None:
    """The lines that the writer of these bytes wrote; None where the mail holds no text."""
    lines = read_mail(raw).lines
    if lines is None:
        return None
    return [line.text for line in lines if line.place == "written" and line.text.strip()]


def written_lines(text: str) -> list[str]:
    """The lines that the writer of a plain text wrote."""
    return [
        line.text
        for line in read_text(text)
        if line.place == "written" and line.text.strip("\u200b \u00a0\t")
    ]


def orders_in(said: Sequence[Understood]) -> list[str]:
    """The orders that would be obeyed."""
    return [str(line.order) for line in said if line.verdict == "order"]


def asked_in(said: Sequence[Understood]) -> list[str]:
    """The orders that felix would ask about."""
    return [str(line.order) for line in said if line.verdict == "asked"]


def orders_of(text: str) -> list[str]:
    """The orders of a plain text."""
    return orders_in(understand(read_text(text)))


def asked_of(text: str) -> list[str]:
    """What felix would ask about a plain text."""
    return asked_in(understand(read_text(text)))


def orders_of_mail(raw: bytes) -> list[str]:
    """The orders of a whole mail."""
    return orders_in(read_mail(raw).said)


def asked_of_mail(raw: bytes) -> list[str]:
    """What felix would ask about a whole mail."""
    return asked_in(read_mail(raw).said)
