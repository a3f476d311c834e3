"""Moves in plain language: what is done, what is asked, and what is left alone."""

from __future__ import annotations

from each import each
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import Situation
from meaning.scoring import told

PLACING = Situation("placing", plays=(-8, 5, 8, 11, 0, "large_dog"), mice=12)
BIDDING = Situation("bidding", mice=12, high=4, least=5, most=12)


def does(text: str, situation: Situation) -> str:
    """What a text does: a move, or `?` and the doubt; '' if nothing."""
    meaning = meaning_of(text.split("\n"), situation)
    return told(meaning.do) or (f"?{meaning.doubt}" if meaning.ask else "")


@each(
    ("text", "move"),
    [
        ("the 11, please", "PLAY 11"),
        ("minus eight hehe", "PLAY -8"),
        ("bunny time 🐰", "PLAY rabbit"),
        ("I'll put the doggy", "PLAY large dog"),
        ("8. no wait, 11", "PLAY 11"),
        ("Not the 8. The 5.", "PLAY 5"),
        ("11 is going in, pray for it", "PLAY 11"),
        ("1️⃣1️⃣", "PLAY 11"),
        ("five 5 FIVE", "PLAY 5"),
        ("changed my mind, rabbit not dog", "PLAY rabbit"),
        ("11... no sorry, thick finger, I wanted the 8", "PLAY 8"),
        ("here, have my eight", "PLAY 8"),
        ("Thought about the dog, but nah. 11", "PLAY 11"),
        ("I'd rather play the 8 than the 5, so the 8 it is", "PLAY 8"),
        ("it has to be the 11 then", "PLAY 11"),
        ("the one who eats carrots", "PLAY rabbit"),
        ("I was saving the 11 for last, but what the hell, out it goes", "PLAY 11"),
        ("my lucky number is always the five, so this", "PLAY 5"),
        ("I was saving the 11 and the 8, out it goes", "?unclear"),
        ("I keep the 11. Off it goes, the train", "?unclear"),
        ("8.\n\nCol. J. R. Hastings\n15 The Green", "PLAY 8"),
        ("getting rid of my -8 at last", "PLAY -8"),
        ("11er", "PLAY 11"),
        ("8 please, if you'd be so kind", "PLAY 8"),
        ("Put the 5 back in my hand, I'd rather have the 8 out there", "PLAY 8"),
        ("my elephant", "?not in hand"),
        ("my only negative one", "PLAY -8"),
        ("the only positive cat I have", "?several"),
        ("I offer 5 mice", "?other decision"),
        ("den lille hund, tak", "?unclear"),
        ("the 8, but is it the bad one?", "?question"),
        ("pass", "?other decision"),
        ("the 15", "?not in hand"),
        ("the 5 or the 8", "?several"),
        ("maybe the 5", "?hesitation"),
        ("Can I play the 5?", "?question"),
        ("My grandson turned 11 today", ""),
    ],
)
def test_a_card_is_placed(text: str, move: str) -> None:
    assert does(text, PLACING) == move


@each(
    ("text", "move"),
    [
        ("7", "BID 7"),
        ("Hi all, I'll bid 7 please 😊", "BID 7"),
        ("I have 12 left, so 6", "BID 6"),
        ("nah im out", "PASS"),
        ("too rich for my blood", "PASS"),
        ("+1", "BID 5"),
        ("raise by two", "BID 6"),
        ("max 10", "UP TO 10"),
        ("Bid 5. Scrap that, 6 please", "BID 6"),
        ("3", "?too low"),
        ("14", "?too high"),
        ("if Dan is in then 8, else I pass", "?condition"),
        ("See you all at 8", ""),
        ("pass the salt", ""),
    ],
)
def test_a_bid_is_made(text: str, move: str) -> None:
    assert does(text, BIDDING) == move


def test_a_card_for_the_next_round_is_told_apart() -> None:
    meaning = meaning_of(["5 this time, and 8 next round"], PLACING)
    assert str(meaning.do) == "PLAY 5, NEXT 8"


def test_who_is_asked_gets_possible_answers() -> None:
    meaning = meaning_of(["6 or 8?"], BIDDING)
    assert [str(order) for order in meaning.ask] == ["BID 8", "BID 6", "PASS"]
    assert set(meaning.ask) <= set(BIDDING.possible)


def test_whoever_bids_and_asks_to_take_it_back_is_asked() -> None:
    assert does("I bid 8. Whose turn is it? Can I take it back?", BIDDING) == "?taken back"


def test_somebody_is_asked_to_pass() -> None:
    assert (does("will you pass, Dan?", BIDDING), does("would you pass for me, Felix", BIDDING)) == (
        "?question",
        "PASS",
    )


TOPPED = Situation("bidding", mice=14, high=4, least=5, most=14, names=("Ben",))


@each(("text", "most"), [
    ("top it with 6", 6), ("I top it with 6", 6), ("I'd top it with 6", 6), ("top that with 7", 7),
    ("I'd top that with 8 mice", 8), ("top with 6", 6), ("top it to 6", 6), ("top it by 2", 6),
    ("up it with 2", 6),
])  # fmt: skip
def test_who_tops_a_bid_with_a_number_bids_no_more_than_that(text: str, most: int) -> None:
    order = meaning_of([text], TOPPED).do
    assert order is not None
    assert most in (order.amount, order.limit)


@each("text", ["top it with 3", "top it with 4", "beat that with 4"])
def test_a_number_that_tops_nothing_is_no_bid(text: str) -> None:
    assert meaning_of([text], TOPPED).do is None
