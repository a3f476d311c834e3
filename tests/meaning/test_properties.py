"""What holds for any text: it is read, and nothing impossible is done."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from felix_async.language.grammar import Order
from felix_async.meaning.meaning import Meaning, meaning_of
from felix_async.meaning.situation import Situation
from meaning.scoring import answers_in, told

PLACING: Final = Situation("placing", plays=(-8, -5, 3, 8, 11, 0, "small_dog"), mice=12)
BIDDING: Final = Situation("bidding", mice=12, high=4, least=5, most=12, nexts=(5, 8), names=("Dan", "Eva"))
SITUATIONS: Final = (
    PLACING, BIDDING, replace(BIDDING, is_early=True), replace(PLACING, nexts=PLACING.plays),
    Situation("inviting"), Situation(""), Situation("", nexts=(-8, 5, 8)),
)  # fmt: skip
WORDS: Final = (
    "bid", "play", "pass", "I", "I'll", "7", "-8", "8", "5", "minus", "the", "my", "dog", "small dog",
    "rabbit", "no", "not", "wait", "or", "and", "if", "Dan", "maybe", "please", "up to", "max", "+1",
    "all in", "?", "!", ".", ",", "\n",
    "next round", "(", ")", '"', "🐭", "🐰", "5️⃣", "out", "scrap that", "actually",
    "half", "one", "then ask me", "when it is my turn", "next", "at most", "then", "more than", "5.5", ":",
)  # fmt: skip
TEXTS: Final = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join) | st.text(max_size=200)
CORPUS: Final = list(answers_in(Path(__file__).parent / "corpora" / "moves.jsonl"))


def read(text: str, situation: Situation) -> Meaning:
    return meaning_of(text.split("\n"), situation)


def is_possible(order: Order, situation: Situation) -> bool:
    """A card for the next round that is not in the hand is left to the rules."""
    return situation.allows(replace(order, next=None))


@given(TEXTS, st.sampled_from(SITUATIONS))
def test_what_is_done_and_offered_is_possible(text: str, situation: Situation) -> None:
    meaning = read(text, situation)
    assert meaning.do is None or is_possible(meaning.do, situation)
    assert all(is_possible(order, situation) for order in meaning.ask)
    assert len(meaning.ask) <= 4
    assert not (meaning.do and meaning.ask)
    assert bool(meaning.doubt) == bool(meaning.ask)


@given(TEXTS, st.sampled_from(SITUATIONS))
def test_the_same_text_always_reads_the_same(text: str, situation: Situation) -> None:
    assert read(text, situation) == read(text, situation)


@cache
def _alone() -> list[str]:
    """Return what each answer of the corpus does as it stands."""
    return [told(read(answer.text, answer.situation).do) for answer in CORPUS]


@pytest.mark.slow
@each("more", ["~~bid 11~~ ~~play 3~~", "Hi everybody,", "Dear Felix", "   "])
def test_a_line_that_says_nothing_changes_nothing(more: str) -> None:
    changed = [
        answer.text
        for answer, alone in zip(CORPUS, _alone(), strict=True)
        if told(read(f"{more}\n{answer.text}", answer.situation).do) != alone
    ]
    assert not changed


def test_an_essay_is_not_acted_on() -> None:
    lines = ["It was on day 7 of that long summer that we began to play."] * 300
    assert meaning_of([*lines, "I bid 7"], BIDDING).do is None
