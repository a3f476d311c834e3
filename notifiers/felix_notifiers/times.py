"""Times in words, always UTC: `Tue 17 Nov, 18:00 UTC`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from felix_async.clock import time_of
from felix_async.language import table
from felix_async.words.phrases import phrase

_DATES: Final[Mapping[str, Sequence[str]]] = table("mails.toml")["dates"]


def day_text(at: str) -> str:
    """The day of a stored time: `Tue 17 Nov`."""
    day = time_of(at)
    return phrase(
        "mails.dates.day",
        weekday=_DATES["days"][day.weekday()],
        number=day.day,
        month=_DATES["months"][day.month - 1],
    )


def moment(at: str) -> str:
    """A stored time to the minute."""
    return phrase("mails.dates.moment", day=day_text(at), time=at[11:16])
