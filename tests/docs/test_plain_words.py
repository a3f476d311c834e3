"""What docs/playing.md says of plain words is so: each row of its table is read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from felix_async.language.grammar import Order, read_line
from felix_async.language.words import QUESTIONS
from felix_async.meaning.situation import Situation
from felix_cli.heard import heard, said_in, told

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs/playing.md").read_text("utf-8")
ROWS: Final = re.findall(r"^\| a (card|bid|bid to come) \| (.+?) \| `?(.+?)`? \|$", PAGE, re.MULTILINE)
NAMES: Final = ("Anna", "Cara", "Dan")
HAND: Final = (-5, 0, 8, 15, "large_dog")
BIDDING: Final = Situation(
    "bidding", mice=12, high=4, least=5, most=12, high_bidder="Dan", nexts=HAND, names=NAMES
)
SITUATIONS: Final = {
    "card": Situation("placing", plays=HAND, mice=12, nexts=HAND, names=NAMES),
    "bid": BIDDING,
    "bid to come": replace(BIDDING, is_early=True),
}


def test_there_are_rows_of_every_kind() -> None:
    assert {read for _, _, read in ROWS} > {"PASS", "a question back", "HAND", "RULES"}


@pytest.mark.parametrize(("asked_for", "text", "reads"), ROWS)
def test_the_table_reads_as_it_says(asked_for: str, text: str, reads: str) -> None:
    found = heard(said_in(text), SITUATIONS[asked_for])
    order = read_line(reads)
    if isinstance(order, Order) and order.word not in QUESTIONS:
        assert found.do == order
        return
    assert found.do is None
    if reads == "words for the others":
        assert told(found)["talk"]
    elif reads == "a question back":
        assert len(found.ask) > 1
    else:
        assert told(found)["info"] == [reads]


def test_the_answer_that_the_readme_shows_is_the_bid_it_speaks_of() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (written,) = re.findall(r"^Subject: Re: Round .*\n\n(.+)\n\n> ", readme, re.MULTILINE)
    bidding = Situation("bidding", mice=15, high=6, least=7, most=15, high_bidder="Dan", names=NAMES)
    assert heard(said_in(written), bidding).do == Order("BID", amount=7)
