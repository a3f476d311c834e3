"""Situations out of a file, to try how plain words are read in them: `mail explain --situations`.

Each line of the file is an object with a `phase` (placing, bidding, or watching: passed in this round), the
`hand`, the `mice`, `high` (the highest bid so far) and a `text`. In an auction it may be `early` (others are
asked first); while cards are placed, `placed` is the one that lies there. Other fields are left alone. Cards
are numbers, "rabbit", "large dog" and "small dog".
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


_Card = Annotated[Card, BeforeValidator(_card_named)]


class _Told(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(strict=True, extra="ignore")

    phase: Literal["placing", "bidding", "watching"]
    hand: list[_Card]
    placed: _Card | None = None
    early: bool = False
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
    is_placing, is_bidding = told.phase == "placing", told.phase == "bidding"
    return Situation(
        "" if told.phase == "watching" else told.phase,
        plays=hand if is_placing else (),
        placed=told.placed,
        mice=told.mice,
        high=told.high,
        least=told.high + 1,
        most=told.mice if is_bidding else 0,
        nexts=hand,
        is_early=told.early,
    )


def _why(error: ValidationError) -> str:
    first: Any = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    return plain(f"{where}: {first['msg']}" if where else first["msg"])
