"""YES, NO and UNDO in all their forms, while something waits for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from each import each
from felix_async.language.grammar import Order
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.replies import Reply, reply_in
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import text_of

BIDDING: Final = Situation(
    "bidding", mice=12, high=4, least=5, most=12, names=("Tom", "Ruth"), waiting=Order("BID", amount=5)
)
PLACING: Final = Situation(
    "placing", plays=(-8, 0, 5, 8), names=("Tom", "Ruth"), waiting=Order("PLAY", card=5)
)


def reply(text: str, situation: Situation = BIDDING) -> Reply:
    return reply_in(text_of(text.split("\n")), situation)


@each(
    "text",
    [
        "yep!",
        "yes please",
        "yes obviously",
        "Yes. And if anyone goes to 6 I'll do 7",
        "👍",
        "👍🏽",
        "ok",
        "y",
        "sure",
        "correct",
        "that's right",
        "go ahead",
        "YES",
        "yeah",
        "yup :)",
        "ok ok",
        "Yes, that's what I meant.",
        "ja",
        "yes yes yes",
        "okay do it",
        "k",
        "yes 5",
        "yes, five please",
        "Sure thing, thanks Felix",
        "exactly!",
        "Hi Felix, yes. Thanks, Ruth",
        "yes, go for it",
        "of course",
        "right",
        "confirmed",
        "Yes please Felix, and sorry for the typo",
        "yes I did",
        "absolutely 💯",
        "correct, thank you",
    ],
)
def test_yes_in_all_its_forms(text: str) -> None:
    assert reply(text) == "YES"
    assert reply(text, PLACING) == "YES"


@each(
    "text",
    [
        "no",
        "nope",
        "no thanks",
        "not that",
        "nah",
        "No, that's not what I meant.",
        "wrong",
        "👎",
        "no!!",
        "NO",
        "Nope, sorry",
        "not that one",
    ],
)
def test_no_in_all_its_forms(text: str) -> None:
    assert reply(text) == "NO"


@each(
    "text",
    [
        "wait",
        "undo",
        "hold on",
        "stop",
        "don't do it",
        "WAIT!",
        "no wait",
        "wait a sec",
        "hang on",
        "oops",
        "cancel that",
        "stop stop stop",
        "not yet please",
        "wait, let me think",
        "yes... no wait",
        "can I take it back?",
        "take it back please",
        "forget it",
        "Undo please, my cat did that",
        "never mind",
        "Stop! I haven't decided yet",
        "hold on Felix, I need to ask my wife",
    ],
)
def test_wait_in_all_its_forms(text: str) -> None:
    assert reply(text) == "UNDO"
    assert reply(text, PLACING) == "UNDO"


@each(
    "text",
    [
        "no, make it 8",
        "no wait, 8",
        "wait, I meant 7",
        "yes or no, you decide",
        "yes?",
        "ok?",
        "yes but only if Tom is out",
        "yes, 7",
        "7",
        "hello",
        "",
        "thanks",
        "what do you mean?",
        "yes and no",
        "maybe",
        "I don't know",
        "no problem, 6",
        "yes, the rabbit",
        "yes pass",
        "no, the small dog",
        "wait, the rabbit instead",
        "haha",
        "ok 6",
        "sure, but make it 7",
        "is that right?",
        "not 5, 6",
        "Nobody goes higher",
        "no one wants it, 7",
        "yesterday was nice",
        "right, so I thought about it for a while and Tom said that it rains in Paris all the week",
    ],
)
def test_what_says_something_else_is_no_reply(text: str) -> None:
    assert reply(text) == ""


def test_nothing_is_a_reply_if_nothing_waits() -> None:
    assert reply("yes", replace(BIDDING, waiting=None)) == ""


@each("text", ["YES", "yep!", "sure", "ok", "go ahead", "nope", "wait"])
def test_an_answer_to_what_waits_is_nothing_else(text: str) -> None:
    meaning = meaning_of([text], BIDDING)
    assert (meaning.reply != "", meaning.do, meaning.ask, meaning.doubt) == (True, None, (), "")


# ---- to the question at the top of a letter ---------------------------------------------------------------
TOPPED: Final = Situation(
    "bidding", mice=12, high=4, least=5, most=12, high_bidder="Dan", names=("Dan", "Eva")
)
LAST: Final = replace(TOPPED, high=0, least=1, most=1, high_bidder="", is_last=True)
FIRST: Final = replace(TOPPED, high=0, least=1, high_bidder="")
TAKES: Final = [
    "yes", "Yes please!", "sure", "ok", "take it", "I take it", "I'll take it for a mouse", "why not",
    "I would", "for a mouse, yes", "I'll have it", "ok, I'll take it",
]  # fmt: skip
TOPS: Final = ["yes", "top it", "I'd top that", "I would top Dan", "top that!", "yes, I'd top it", "I would"]
WORTH: Final = ["worth 7", "it's worth 7 to me", "its worth 7", "Worth 7 to me, I think", "about 7"]
NEITHER: Final = [
    "yes?", "yes but not now", "take it easy", "yes, lunch on friday", "I don't take it", "take it back",
    "ok thanks", "is it worth 7?", "Dan says it's worth 7", "it's worth a try", "if I top it",
    "Eva would take it",
]  # fmt: skip


@pytest.mark.parametrize("text", TAKES)
def test_the_last_takes_the_sack_in_other_words(text: str) -> None:
    assert meaning_of([text], LAST).do == Order("BID", amount=1)


@pytest.mark.parametrize("text", TOPS)
def test_who_tops_a_bid_is_asked_with_how_many_mice(text: str) -> None:
    meaning = meaning_of([text], TOPPED)
    assert (meaning.do, [str(one) for one in meaning.ask]) == (None, ["BID 5", "BID 6", "PASS"])
    assert meaning.talk == ""


def test_no_bid_is_offered_that_cannot_be_paid() -> None:
    assert [str(one) for one in meaning_of(["top it"], replace(TOPPED, most=5)).ask] == ["BID 5", "PASS"]


@pytest.mark.parametrize("situation", [TOPPED, FIRST], ids=["topped", "first"])
@pytest.mark.parametrize("text", WORTH)
def test_who_tells_what_a_sack_is_worth_is_asked(text: str, situation: Situation) -> None:
    meaning = meaning_of([text], situation)
    assert (meaning.do, [str(one) for one in meaning.ask]) == (None, ["UP TO 7", "BID 7", "PASS"])


@pytest.mark.parametrize("situation", [TOPPED, FIRST, LAST], ids=["topped", "first", "last"])
@pytest.mark.parametrize("text", NEITHER)
def test_words_that_only_look_like_an_answer_take_nothing(text: str, situation: Situation) -> None:
    assert meaning_of([text], situation).do is None


@pytest.mark.parametrize("text", [*TAKES, *TOPS])
def test_without_such_a_question_they_move_nothing(text: str) -> None:
    early, waiting = replace(TOPPED, is_early=True), replace(LAST, waiting=Order("PASS"))
    assert [meaning_of([text], one).do for one in (FIRST, early, waiting)] == [None, None, None]
