"""Situations out of a file, to try how plain words are read in them: `mail explain --situations`.

Each line of the file is an object with a `phase` (placing or bidding), the `hand`, the `mice`, `high` (the
highest bid so far) and a `text`. Other fields are left alone. Cards are numbers, "rabbit", "large dog" and
"small dog".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, NonNegativeInt, ValidationError

from felix_async.game.cards import PET_CARDS, card_word
from felix_async.meaning.situation import Situation
from felix_async.text import plain
from felix_cli.output import Problem
from felix_events.model import Card

_CARDS: Final = {card_word(card): card for card in PET_CARDS}


def _card_named(written: object) -> Card:
    card = _CARDS.get(str(written)) if isinstance(written, int | str) else None
    if card is None:
        raise ValueError(f"there is no card {plain(str(written))}")
    return card


class _Told(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(strict=True, extra="ignore")

    phase: Literal["placing", "bidding"]
    hand: list[Annotated[Card, BeforeValidator(_card_named)]]
    mice: NonNegativeInt
    high: NonNegativeInt
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """A text, and the situation in which it was written."""

    situation: Situation
    text: str


def cases_in(lines: Iterable[bytes]) -> Iterator[Case]:
    """Read the situations of a file; Problem with the number of the first line that is none."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            told = _Told.model_validate(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise Problem(f"Line {number} is no JSON: {plain(str(error))}.") from None
        except ValidationError as error:
            raise Problem(f"Line {number} is no situation: {_why(error)}.") from None
        yield Case(_situation(told), told.text)


def _situation(told: _Told) -> Situation:
    hand = tuple(told.hand)
    is_placing = told.phase == "placing"
    return Situation(
        told.phase,
        plays=hand if is_placing else (),
        mice=told.mice,
        high=told.high,
        least=told.high + 1,
        most=0 if is_placing else told.mice,
    )


def _why(error: ValidationError) -> str:
    first: Any = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    return plain(f"{where}: {first['msg']}" if where else first["msg"])
