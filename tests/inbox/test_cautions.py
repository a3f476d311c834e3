"""Exact orders among other words: chatter takes nothing back; what is taken back or doubted is not done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_async.inbox.decide import weigh
from felix_async.meaning.situation import Situation
from felix_async.reading.reader import read_text
from felix_async.reading.understand import understand
from inbox.reading import EVERYTHING

PLACING, BIDDING = EVERYTHING[0], replace(EVERYTHING[1], high=2, least=3)


def acted_on(text: str, situation: Situation = BIDDING) -> tuple[list[str], list[str]]:
    """What is done at once for a text, and what is taken."""
    weighed = weigh(understand(read_text(text)), situation)
    exact = [str(order) for order in weighed.own.exact if order in situation.possible]
    return exact if weighed.step == "lines" else [], [str(weighed.meaning.do)] if weighed.step in (
        "do",
        "take",
    ) else []


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("chatter", [
    "sorry I'm late", "how are the 3 kids?", "No hurry", "Dan, your last bid of 6 was cheeky", "sorry",
    "Sorry, 3 days late", "No problem, take 2 days if you want", "I'd rather be in bed at 11",
    "see you at 8 instead of 7 tomorrow", "Sorry for the 7", "Pass the salt", "I won't be around for 2 weeks",
    "who played the 9?", "no change here, 5 degrees", "What a mistake last time", "No one.",
    "I should have played the 15 last time", "forget the dog, Ben", "meant to write at 9, sorry",
    "not bad for 68 years, eh?", "+49 170 1234567", "Sorry, only got 4 hours of sleep",
    "I'll pass by tomorrow", "I have 2 dogs", "> scratch that", "-- \nscratch that, not 7 but 8",
    "Ben bid 4 last time", "Why did you pass?", "what a pass", "will you play the rabbit, Ben?",
])  # fmt: skip
def test_an_exact_bid_with_chatter_below_is_done_at_once(chatter: str, gap: str) -> None:
    assert acted_on(f"BID 7{gap}{chatter}") == (["BID 7"], [])


@pytest.mark.parametrize(("text", "taken"), [
    ("BID 7\n\nSorry, I meant BID 8", "BID 8"), ("BID 17\nsorry\nBID 7", "BID 7"),
    ("BID 7. No wait, BID 8", "BID 8"), ("BID 7\nscratch that, bid 8", "BID 8"),
    ("BID 7\nNo! BID 8!", "BID 8"), ("PASS\nI take that back: bid 3", "BID 3"),
    ("BID 7\nchange to BID 9 please", "BID 9"), ("BID 7\nsorry, not 7 but 8", "BID 8"),
    ("BID 7\n8 instead", "BID 8"), ("PASS\nhi all\nsorry, 4", "BID 4"), ("BID 7\nI'd rather pass", "PASS"),
    ("Pass.\nEDIT: ignore the above. I bid 6", "BID 6"),
])  # fmt: skip
def test_a_correction_is_taken_instead(text: str, taken: str) -> None:
    assert acted_on(text) == ([], [taken])


@pytest.mark.parametrize("text", [
    "BID 7\nBID 8", "PASS\nBID 5", "PASS and BID 5", "BID 11\nBID 12\nBID 13\nPASS", "I'll bid 7\nBID 8",
    "BID 7\n\n> Your turn\n\nBID 8", "BID 5\npass, unless Ben bids", "BID 7\n\nPS: BID 8 if that is too low",
    "BID 7\ntypo, 8 of course", "BID 7\nscratch that", "BID 7\n\nforget it", "BID 7\nnever mind",
    "BID 7\nAh, I've changed my mind.", "BID 7\nwait", "BID 7\nhi all\n\nOops, could you cancel that?",
    "BID 7\nunless Ben has passed", "BID 7\nbut only if Ben passes", "BID 7\nonly if Ben passes",
    "Bid 11, it is late here\nand only if Ben stays in", "PASS?", "bid 7?", "BID 5 or 6",
])  # fmt: skip
def test_what_is_doubted_or_taken_back_is_not_done(text: str) -> None:
    assert acted_on(text) == ([], [])


@pytest.mark.parametrize("text", [
    "I do not want to\nPASS", "I would never\nBID 9", "If Ben bids 6 I\nBID 9", "Do I write\nPASS\n?",
    "Anna wrote:\nPASS", "Ben said:\nBID 9", "Anna a écrit :\nPASS", "When it gets over ten mice\nI pass",
    "I would not say\nthat this is mine\nBID 8", "If it gets too dear I\npass",
])  # fmt: skip
def test_an_order_within_a_sentence_is_not_done(text: str) -> None:
    assert acted_on(text) == ([], [])


@pytest.mark.parametrize("text", [
    "> Your bid?\n\nPLAY 15\n\nBID 5\n", "CAUTION: external sender\n\nPLAY 15\n\nBID 5\n",
    "Sent from my iPhone\n\nPLAY 15\n\nBID 5\n", "BID some\n\nBen of the Thursday club\nPLAY 15\n",
    "Hi\n\n--------\nPLAY 15\n", "nice game so far\n\nBest regards\nAnna\n\nPLAY 15\n",
])  # fmt: skip
def test_what_may_be_somebody_elses_is_not_done(text: str) -> None:
    assert acted_on(text, PLACING) == acted_on(text) == ([], [])


@pytest.mark.parametrize("text", [
    "bid 7, Ben!", "Pass... the popcorn, this is fun", "hi all\nbid 7, Ben!",
])  # fmt: skip
def test_an_exact_order_that_its_line_gives_to_somebody_else_is_asked(text: str) -> None:
    assert acted_on(text) == ([], [])


def test_an_exact_order_alone_on_its_line_is_done_whatever_is_said_to_others_below() -> None:
    assert acted_on("BID 7\npass the salt, Ben!") == (["BID 7"], [])
