"""Texts that are no move: what a friend would answer, pass on, or leave alone; and talk beside a move."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

import pytest

from each import each
from felix_async.language.grammar import Order
from felix_async.meaning.meaning import Meaning, meaning_of
from felix_async.meaning.mentions import PASS
from felix_async.meaning.situation import Situation
from meaning.pinned import FOLDER
from meaning.scoring import Answer, Label, answers_in, is_right

BIDDING: Final = Situation("bidding", mice=12, high=4, least=5, most=12, names=("Tom", "Ruth", "Jonas"))
PLACING: Final = Situation("placing", plays=(-8, 0, 5, 8, 15), mice=12, names=("Tom", "Ruth", "Jonas"))


@cache
def read(label: Label) -> list[tuple[Answer, Meaning]]:
    """The texts of a label, and how they read."""
    answers = [one for one in answers_in(FOLDER / "no_moves.jsonl") if one.label == label]
    return [(one, meaning_of(one.lines, one.situation)) for one in answers]


def meant(text: str, situation: Situation = BIDDING) -> Meaning:
    return meaning_of(text.split("\n"), situation)


# ---- a corpus ---------------------------------------------------------------------------------------
def test_of_the_questions_nineteen_of_twenty_have_topics_and_none_makes_a_move() -> None:
    found = read("info")
    assert len([meaning for _, meaning in found if meaning.info]) >= 0.95 * len(found)
    assert [one.text for one, meaning in found if meaning.do] == []


def test_of_the_talk_most_is_heard() -> None:
    found = read("talk")
    assert len([meaning for _, meaning in found if meaning.talk or meaning.say]) >= 0.75 * len(found)


def test_of_what_means_nothing_nothing_is_said_and_nothing_answered() -> None:
    found = read("none")
    assert [one.text for one, meaning in found if meaning.talk or meaning.say or meaning.info] == []


@pytest.mark.parametrize("label", ["ask", "info"])
def test_what_is_asked_about_is_not_taken_for_talk(label: Label) -> None:
    found = read(label)
    assert len([meaning for _, meaning in found if meaning.talk and not meaning.ask]) <= 0.02 * len(found)


# ---- denials ----------------------------------------------------------------------------------------
def test_a_denial_of_a_move_is_no_move_and_nothing_is_offered_but_what_else_is_named() -> None:
    for answer in answers_in(FOLDER / "denials.jsonl"):
        for situation in (answer.situation, replace(answer.situation, waiting=Order("BID", amount=11))):
            meaning = meaning_of(answer.lines, situation)
            if answer.label == "do":
                assert is_right(answer, meaning), answer.text
            elif answer.label != "talk":
                assert (meaning.do, meaning.doubt, meaning.reply) == (None, "denied", ""), answer.text
                assert (bool(meaning.ask), PASS in meaning.ask) == (answer.label == "ask", False), answer.text


@each("text", ["I never bid 9", "I did not bid 9", "I didn't pass", "that was not me", "that bid is wrong"])
def test_a_denial_is_none_at_any_time(text: str) -> None:
    for now in (BIDDING, replace(BIDDING, is_early=True), PLACING, Situation("")):
        meaning = meant(text, now)
        assert (meaning.do, meaning.ask, meaning.doubt, meaning.talk) == (None, (), "denied", "")


# ---- beside a move ----------------------------------------------------------------------------------
def test_a_question_beside_a_move_is_answered_with_it() -> None:
    meaning = meant("5. And how many mice has Tom got left?")
    assert (meaning.do, meaning.info) == (Order("BID", amount=5), ("mice",))


def test_a_card_that_is_asked_about_is_not_played() -> None:
    meaning = meant("is rabbit good or bad", PLACING)
    assert (meaning.do, meaning.info) == (None, ("rules/rabbit",))


def test_a_move_in_words_to_pass_on_is_not_the_writers() -> None:
    meaning = meant("tell Tom he should bid 9")
    assert (meaning.do, meaning.say) == (None, ("Tom: he should bid 9",))


def test_a_move_and_words_to_pass_on_are_both_heard() -> None:
    meaning = meant("8. and tell Tom that i can see right through his poker face")
    assert (meaning.do, meaning.say) == (
        Order("BID", amount=8),
        ("Tom: i can see right through his poker face",),
    )


@each(
    "text",
    [
        "The 15. Tom, I'm so sorry about my 15!",
        "I play the -8, Ruth will hate me",
        "8 please. Jonas, my rabbit says hello",
        "the 5, because my 15 is for Tom",
    ],
)
def test_beside_a_card_no_sentence_is_offered_that_would_tell_the_hand(text: str) -> None:
    talk = meant(text, PLACING).talk
    assert not any(word in talk for word in ("15", "-8", "rabbit", "8", "5"))


@each("text", ["tell Tom I play the 15", "say my card is the -8", "to all: it's the 5", "tell Ruth: rabbit!"])
def test_a_card_of_the_hand_in_words_to_pass_on_is_asked_about(text: str) -> None:
    meaning = meant(text, PLACING)
    assert (meaning.do, meaning.say, meaning.talk, bool(meaning.ask)) == (None, (), "", True)


@each("text", ["tell them I'm out", "tell everyone I bid 7", "say I pass, thanks Jonas"])
def test_a_move_of_the_writers_in_words_to_pass_on_is_asked_about(text: str) -> None:
    meaning = meant(text)
    assert (meaning.do, meaning.say, bool(meaning.ask)) == (None, (), True)


def test_a_friendly_sentence_beside_a_card_is_offered() -> None:
    meaning = meant("I'll play the 8. And Ruth, how was Lisbon?? We want pictures!", PLACING)
    assert (meaning.do, meaning.talk) == (Order("PLAY", card=8), "And Ruth, how was Lisbon??")


def test_what_waits_is_answered_with_a_yes_that_goes_on() -> None:
    waiting = Situation("bidding", mice=12, high=4, least=5, most=12, waiting=Order("BID", amount=5))
    assert meant("Yes please, that's right", waiting).reply == "YES"


@each(
    ("text", "do", "reply"),
    [
        ("ok whatever. 6", Order("BID", amount=6), ""),
        ("hmm no, make it 6", Order("BID", amount=6), ""),
        ("stop, I meant pass", Order("PASS"), ""),
        ("Yes.\nand if anyone goes to 6 I'll do 7, above that I pass", Order("UPTO", limit=7), ""),
        ("Yes please, and tell Ruth she is next", None, "YES"),
    ],
)
def test_a_move_corrects_what_waits_and_a_yes_confirms_it(text: str, do: Order | None, reply: str) -> None:
    waiting = replace(BIDDING, waiting=Order("BID", amount=5))
    meaning = meant(text, waiting)
    assert (meaning.do, meaning.reply) == (do, reply)


@each("text", ["yes obviously", "Yes please, and tell Ruth she is next", "no thanks", "wait a minute please"])
def test_a_reply_is_no_talk(text: str) -> None:
    assert meant(text, replace(BIDDING, waiting=Order("BID", amount=5))).talk == ""
