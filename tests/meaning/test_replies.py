"""YES, NO and UNDO in all their forms, while something waits for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

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
