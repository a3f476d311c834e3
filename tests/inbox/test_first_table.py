"""The first table that was played as people write: each message does what its writer wanted, at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.inbox.process import Processor
from felix_async.language.grammar import Order, read_line
from felix_events.envelope import decode_events
from felix_events.model import Card, CardPlaced, PlayerPassed
from games import a_room
from inbox.postbag import MAILBOX, Postbag
from inbox.taking import taken, undone, wait

ME, JONAS, RUTH = range(3)
NEEDED: Sequence[Card] = (-8, 0, 3, 5, 8, 11, "large_dog", "small_dog")
"""The cards that people name here."""


@dataclass(frozen=True)
class Outcome:
    """What came of a mail: the moves that were done or taken, what is offered, and what is shown."""

    moves: tuple[str, ...]
    offers: tuple[str, ...]
    show: tuple[str, ...]
    verdicts: tuple[str, ...]


def outcome(answer: Answer) -> Outcome:
    moves = [line.order or done(line.text) for line in answer.lines if line.verdict in ("taken", "done")]
    return Outcome(
        tuple(dict.fromkeys(filter(None, moves))),
        tuple(answer.offers),
        tuple(answer.show),
        tuple(line.verdict for line in answer.lines),
    )


def done(text: str) -> str:
    """The move on a line that was done; '' if it is another order."""
    read = read_line(text)
    return str(read) if isinstance(read, Order) and read.word in ("PLAY", "BID", "PASS") else ""


def placing() -> Postbag:
    """Three are asked for a card, and I have all that are named here."""
    return a_table_of_three()


def a_table_of_three(start: int = ME) -> Postbag:
    room = a_room("first table 6")
    bag = Postbag(room, room.open(3, start=start), Processor(room.service, MAILBOX))
    room.join_all(bag.game_id)
    assert {*NEEDED} <= {*bag.game.seats[ME].hand}
    return bag


def bidding(high: int = 0) -> Postbag:
    """It is my turn in the auction, and so much is bid."""
    bag = a_table_of_three(start=RUTH if high else ME)
    bag.place_all()
    if high:
        bag.send(RUTH, f"BID {high}")
    assert (bag.to_move, bag.game.high_bid) == (ME, high)
    return bag


def placed() -> Postbag:
    """My 5 lies there, and others still choose."""
    bag = placing()
    assert bag.send(ME, "PLAY 5").changed
    return bag


def asked_about(bag: Postbag, order: str) -> Postbag:
    """Felix has taken a mail of mine as this, and has not done it yet."""
    taken(bag, ME, order)
    return bag


def moves_of(bag: Postbag, text: str) -> tuple[str, ...]:
    """The moves that came of a mail, also where they were done at once in the words of a letter."""
    before = bag.size
    told = outcome(bag.send(ME, text)).moves
    bodies = bag.look(lambda reader: reader.bodies(bag.game_id, before))
    mine = [event for event in decode_events(bodies) if getattr(event, "seat", None) == ME]
    cards = [str(Order("PLAY", card=event.card)) for event in mine if isinstance(event, CardPlaced)]
    return told or (*cards, *("PASS" for event in mine if isinstance(event, PlayerPassed)))


# ---- cards ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "move"), [
    ("Hi all! I'll put the 5 down pls :) good luck Jonas & Ruth", "PLAY 5"),
    ("the 5 please :)", "PLAY 5"),
    ("5", "PLAY 5"),
    ("ok ok. play the 5 please", "PLAY 5"),
    ("ok whatever. minus 8", "PLAY -8"),
    ("minus 8", "PLAY -8"),
    ("play -8 :)", "PLAY -8"),
    ("play 8 plese", "PLAY 8"),
    ("play rabbit\nno wait, play -8", "PLAY -8"),
    ("the 11", "PLAY 11"),
    ("3", "PLAY 3"),
    ("Play dog small", "PLAY SMALL DOG"),
    ("play the big dog, woof", "PLAY LARGE DOG"),
    ("play larg dog", "PLAY LARGE DOG"),
    ("play -8\nbid 2", "PLAY -8"),
    ("play 5\nup to 7", "PLAY 5"),
])  # fmt: skip
def test_a_card_is_placed(text: str, move: str) -> None:
    bag = placing()
    assert moves_of(bag, text) == (move,)
    wait(bag)
    assert bag.game.seats[ME].placed == replace(an_order(move)).card


def an_order(text: str) -> Order:
    read = read_line(text)
    assert isinstance(read, Order)
    return read


def test_another_card_instead_is_exchanged() -> None:
    bag = placed()
    assert moves_of(bag, "-8 instead") == ("PLAY -8",)
    wait(bag)
    assert bag.game.seats[ME].placed == -8


@pytest.mark.parametrize("text", [
    "5, and 8 next round, then the small dog",
    "5\nnext round 8\nhow many mice have the others?",
])  # fmt: skip
def test_a_card_for_the_next_round_is_taken(text: str) -> None:
    assert outcome(placing().send(ME, text)).moves == ("PLAY 5, NEXT 8",)


# ---- the auction ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "high", "move"), [
    ("haha ok Ruth, 4 for me :)", 3, "BID 4"),
    ("4 for me", 3, "BID 4"),
    ("nah I'm out, I'll take the mice 🐭", 7, "PASS"),
    ("I'm out", 7, "PASS"),
    ("I pass, too expensive", 7, "PASS"),
    ("pass. have fun with that one", 7, "PASS"),
    ("pass, thanks Jonas\nsay all yours Jonas, woof", 7, "PASS"),
    ("+1", 4, "BID 5"),
    ("ok bid 7", 4, "BID 7"),
    ("pass\nplay 3", 4, "PASS"),
])  # fmt: skip
def test_a_bid_is_made_and_a_pass_too(text: str, high: int, move: str) -> None:
    bag = bidding(high)
    assert moves_of(bag, text) == (move,)
    wait(bag)
    seat = bag.game.seats[ME]
    assert ("PASS" if seat.passed else f"BID {seat.bid}") == move


def test_a_bid_is_corrected_before_it_is_made() -> None:
    bag = bidding(3)
    bag.send(ME, "haha ok Ruth, 4 for me :)")
    assert moves_of(bag, "hmm no, make it 5") == ("BID 5",)
    wait(bag)
    assert bag.game.seats[ME].bid == 5


def test_the_words_for_the_others_go_out_with_the_pass() -> None:
    bag = bidding(7)
    bag.send(ME, "pass, thanks Jonas\nsay all yours Jonas, woof")
    assert [one.text for one in bag.look(lambda reader: reader.sayings(bag.game_id))] == [
        "all yours Jonas, woof"
    ]


@pytest.mark.parametrize("text", ["up to 6", "pass if it goes above 6", "7 tops"])
def test_a_limit_bids_one_more(text: str) -> None:
    bag = bidding(4)
    bag.send(ME, text)
    wait(bag)
    assert bag.game.seats[ME].bid == 5


def test_all_in_is_not_bid_before_the_number_was_told() -> None:
    bag = bidding(4)
    answer = bag.send(ME, "all in")
    assert bag.game.seats[ME].bid == 0
    assert "BID 15" in " ".join([*answer.offers, answer.asks_text, *(line.order for line in answer.lines)])


@pytest.mark.parametrize("text", ["play -8\nbid 2", "pass\nplay 3"])
def test_a_second_decision_is_not_called_left_aside(text: str) -> None:
    bag = placing() if text.startswith("play") else bidding(4)
    answer = bag.send(ME, text)
    assert "Send it alone" not in " ".join(line.why for line in answer.lines)


# ---- yes ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["yep!", "👍", "yes obviously", "ok", "y"])
def test_yes_in_all_its_forms(text: str) -> None:
    bag = asked_about(placing(), "PLAY 5")
    bag.reply(ME, text)
    assert bag.game.seats[ME].placed == 5


def test_yes_and_a_limit_below_it() -> None:
    bag = asked_about(bidding(4), "BID 5")
    answer = bag.reply(ME, "Yes.\nand if anyone goes to 6 I'll do 7, above that I pass")
    assert outcome(answer).moves == ("UP TO 7",)
    wait(bag)
    assert bag.game.seats[ME].bid == 5


def test_what_was_taken_is_undone() -> None:
    bag = asked_about(placing(), "PLAY 5")
    undone(bag, ME)
    wait(bag)
    assert bag.game.seats[ME].placed is None


# ---- questions ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "shown"), [
    ("phew. actually wait, can I see my hand again?", {"hand"}),
    ("my hand pls", {"hand"}),
    ("what does the large dog do again?", {"rules/large_dog"}),
    ("5\nnext round 8\nhow many mice have the others?", {"mice"}),
    ("history please, and how many mice has everybody?", {"history", "mice"}),
])  # fmt: skip
def test_questions_are_answered(text: str, shown: set[str]) -> None:
    answer = placing().send(ME, text)
    assert {*answer.show} - {"say"} == shown


@pytest.mark.parametrize(("word", "shown"), [("RULES", "rules"), ("HAND", "hand")])
def test_the_words_of_the_footer_are_answered_after_many_mails_with_nothing_in_them(
    word: str, shown: str
) -> None:
    bag = placing()
    for _ in range(20):
        bag.write(ME, "hrmpf")
    bag.work()
    assert bag.send(ME, word).show == [shown]
