"""The parts of events: cards, seats, mice, times, and the two classes behind every event."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

_FIRST_YEAR: Final = 1970
_LAST_YEAR: Final = 9000

Card = Literal[-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog"]
Ruleset = Literal["felicity-2017", "felix-2007"]
Pace = Literal["together", "in turn"]
"""The seats asked when a card turns: all that are still in the auction, or only the one that is next."""
DEFAULT_PACE: Final[Pace] = "together"
"""That of a table of which nothing else was said."""
Seat = Annotated[int, Field(ge=0, le=4)]
Mice = Annotated[int, Field(ge=0, le=999)]
Points = Annotated[int, Field(ge=-999, le=999)]
Turn = Annotated[int, Field(ge=1, le=9999)]
Ballot = Literal["pause", "abandon", "seat 0", "seat 1", "seat 2", "seat 3", "seat 4"]
"""The subject of a vote: a pause, an end without a result, or a disputed seat for the computer."""
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 or another 32 bytes, as 64 lower-case hexadecimal digits."""
At = Annotated[
    str,
    StringConstraints(
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z$"
    ),
]
"""A time, always UTC, as `felix_async.clock` writes it."""


def _reckonable(text: str) -> str:
    if not _FIRST_YEAR <= datetime.fromisoformat(text).year <= _LAST_YEAR:
        raise ValueError("a year that nobody plays in")
    return text


Then = Annotated[At, AfterValidator(_reckonable)]
"""A time that an event speaks of: there is such a day, and a year around it can be reckoned with."""
Seconds = Annotated[int, Field(ge=0, le=366 * 24 * 3600)]
PlayerId = Annotated[str, StringConstraints(pattern=r"^[0-9a-z-]{1,40}$")]


class Record(BaseModel):
    """Data that is validated strictly, knows all its fields, and does not change."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Event(Record):
    """A fact of one game."""

    type: ClassVar[str]
    schema_version: ClassVar[int] = 1
    secret: ClassVar[bool] = False
