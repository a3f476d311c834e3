"""Thanks, leave-taking and a word that something was read move nothing, at whatever decision they come."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

import pytest

from each import each
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import Situation
from felix_cli.heard import heard, said_in
from meaning.pinned import FOLDER
from meaning.scoring import Answer, answers_in, told

NAMES: Final = ("Dan", "Eva", "Anna")
BIDDING: Final = Situation("bidding", mice=12, high=4, least=5, most=12, high_bidder="Dan", names=NAMES)
PLACING: Final = Situation("placing", plays=(-8, -5, 3, 5, 8, 11, 0, "small_dog"), mice=12, names=NAMES)
SITUATIONS: Final = {
    "an auction": BIDDING,
    "its first bid": replace(BIDDING, high=0, least=1, high_bidder=""),
    "an early ask": replace(BIDDING, is_early=True, nexts=(5, 8)),
    "a card": PLACING,
    "nothing": Situation(""),
    "a card for later": Situation("", nexts=(-8, 5, 8)),
}


@cache
def texts(label: str) -> list[str]:
    answers: list[Answer] = [*answers_in(FOLDER / "noted.jsonl")]
    return [one.text for one in answers if one.label == label]


@pytest.mark.slow
@pytest.mark.parametrize("asked", SITUATIONS)
def test_an_acknowledgement_moves_nothing(asked: str) -> None:
    moved = {text: told(meaning_of([text], SITUATIONS[asked]).do) for text in texts("none")}
    assert {text: move for text, move in moved.items() if move} == {}


@pytest.mark.slow
def test_nor_does_it_between_a_greeting_and_a_name() -> None:
    letters = {text: f"Hi felix,\n\n{text}\n\nCheers\nBen" for text in texts("none")}
    assert [text for text, letter in letters.items() if heard(said_in(letter), BIDDING).do] == []


def test_who_says_in_a_word_that_they_leave_has_passed() -> None:
    assert [text for text in texts("do") if told(meaning_of([text], BIDDING).do) != "PASS"] == []


@each(("text", "move"), [
    ("I have that, good. 7 for me", "BID 7"),
    ("All done here, so I pass", "PASS"),
    ("I'm fine with that: BID 6", "BID 6"),
    ("got it, 5", "BID 5"),
    ("thanks, I'm off now. Pass", "PASS"),
])  # fmt: skip
def test_beside_one_a_move_is_a_move(text: str, move: str) -> None:
    assert told(heard(said_in(text), BIDDING).do) == move


@each("text", [
    "I'm out until Monday", "I'm out for lunch", "I'm out all day", "that's it from me",
    "that's me for today", "I'll skip lunch", "I'm out and about", "out of time", "it's not me",
])  # fmt: skip
def test_to_an_invitation_it_is_no_answer(text: str) -> None:
    assert meaning_of([text], Situation("inviting", names=NAMES)).do is None
