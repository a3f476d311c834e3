"""Every sentence that holds a number reads well with 0, 1 and 2."""

from __future__ import annotations

import re
from typing import Final

from async_.test_language import sentences
from each import each
from felix_async.language.phrases import filled, placeholders

COUNTED: Final = frozenset(
    {"bid", "count", "days", "hours", "least", "mice", "needed", "players", "points", "tables", "turns",
     "value", "votes"}
)  # fmt: skip
"""What may be any number; `most` is a limit, and never so small."""
_FORMS: Final = re.compile(r":([a-z]+)\|([a-z]+)\}")
ENGLISH: Final = sentences("en")
MANY: Final = frozenset(many for text in ENGLISH.values() for _, many in _FORMS.findall(text))
ONE: Final = frozenset(one for text in ENGLISH.values() for one, _ in _FORMS.findall(text)) - MANY


LIMITS: Final = frozenset({"answers.refusals.new/enough_open", "answers.refusals.new/enough_today"})
"""Sentences with a number that is never so small."""
COUNTING: Final = [
    key for key, text in ENGLISH.items() if COUNTED & placeholders(text).keys() and key not in LIMITS
]


def read_with(key: str, number: int) -> str:
    """The sentence with this number, and a word for whatever else it needs."""
    text = ENGLISH[key]
    needed = placeholders(text).items()
    return filled(text, **{name: number if name in COUNTED or forms else "Anna" for name, forms in needed})


@each("key", COUNTING)
def test_one_is_not_said_as_many(key: str) -> None:
    assert not re.search(rf"\b1 (?:more |other )?(?:{'|'.join(MANY)})\b", read_with(key, 1))


@each("number", [0, 2])
@each("key", COUNTING)
def test_none_and_two_are_not_said_as_one(key: str, number: int) -> None:
    assert not re.search(rf"\b{number} (?:more |other )?(?:{'|'.join(ONE)})\b", read_with(key, number))
