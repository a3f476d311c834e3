"""Texts with numbers, cards and moves in them that are none at this decision, and moves beside them."""

from __future__ import annotations

from typing import Final

import orjson
import pytest

from felix_cli.heard import heard, said_in, told
from felix_cli.situations import cases_in
from meaning.pinned import FOLDER

MOST: Final = {
    "ahead.jsonl": 4,
    "bids.jsonl": 3,
    "misleading.jsonl": 1,
    "snares.jsonl": 20,
    "standing.jsonl": 12,
}
"""Texts that are acted on against their sense. It only goes down."""
FEWEST: Final = {
    "ahead.jsonl": 104,
    "bids.jsonl": 210,
    "misleading.jsonl": 2,
    "snares.jsonl": 74,
    "standing.jsonl": 49,
}
"""Texts beside them that are meant, and done."""


def whole(orders: dict[str, str | None]) -> str | None:
    """The order that is done, or wanted, with a card for the next round behind it."""
    do, card = orders.get("do"), orders.get("next")
    return f"{do}, NEXT {card}" if do and card and not do.startswith("NEXT") else do


def done_in(file: str) -> list[tuple[str, str | None, str | None]]:
    """The texts of a corpus, with what is done and what is wanted."""
    lines = (FOLDER / file).read_bytes().splitlines()
    wanted = (whole(orjson.loads(line)["want"]) for line in lines)
    done = (whole(told(heard(said_in(case.text), case.situation))) for case in cases_in(lines))
    texts = (orjson.loads(line)["text"] for line in lines)
    return list(zip(texts, done, wanted, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("file", MOST)
def test_few_of_them_are_acted_on(file: str) -> None:
    wrong = [text for text, do, want in done_in(file) if do is not None and do != want]
    assert len(wrong) <= MOST[file], wrong


@pytest.mark.slow
@pytest.mark.parametrize("file", FEWEST)
def test_those_that_are_meant_are_done(file: str) -> None:
    assert sum(1 for _, do, want in done_in(file) if do == want is not None) >= FEWEST[file]
