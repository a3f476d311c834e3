"""Cards, numbers and limits of a writer who is not asked for anything: told to nobody, and answered."""

from __future__ import annotations

from functools import cache

import pytest

from each import each
from felix_async.language.grammar import Order
from inbox.postbag import Postbag, a_first_round, an_auction
from inbox.taking import waiting

OWN = [
    "my -8 is in there, so I will let it go cheap",
    "sorry, I meant the 15 not the 3",
    "hahaha I laid the rabbit",
    "I have both of mine",
    "Hey Ben, still got your dogs? I have both of mine",
]


@pytest.fixture(name="auction")
def _auction() -> Postbag:
    return an_auction()


@pytest.fixture(name="waits")
def _waits(auction: Postbag) -> int:
    """A seat that is not asked for a bid."""
    return next(seat for seat in range(len(auction.game.seats)) if seat not in auction.game.asked)


@pytest.mark.parametrize("text", OWN)
def test_nothing_of_ones_own_is_offered_to_be_said(auction: Postbag, waits: int, text: str) -> None:
    assert not [offer for offer in auction.send(waits, text).offers if offer.startswith("SAY")]


@pytest.mark.parametrize("text", OWN)
def test_nothing_of_it_is_done_or_said_in_advance(auction: Postbag, waits: int, text: str) -> None:
    assert {line.verdict for line in auction.send(waits, text).lines} <= {"not understood", "asked"}


@pytest.mark.parametrize("text", OWN)
def test_who_has_placed_tells_nothing_either(text: str) -> None:
    bag = a_first_round()
    seat = bag.game.asked[0]
    bag.send(seat, f"PLAY {bag.game.seats[seat].hand[0]}")
    assert [offer for offer in bag.send(seat, text).offers if offer.startswith("SAY")] == []


def test_talk_that_tells_nothing_is_offered(auction: Postbag, waits: int) -> None:
    assert auction.send(waits, "great game so far everyone").offers == ["SAY great game so far everyone"]


@pytest.mark.parametrize("text", ["RESIGN\nI'm out", "I'm out\nRESIGN", "RESIGN\n3 or 4"])
def test_beside_an_order_that_is_for_good_nothing_else_is_asked(auction: Postbag, text: str) -> None:
    answer = auction.send(auction.to_move, text)
    assert [line.verdict for line in answer.lines] == ["asked", "ignored"]


@pytest.mark.parametrize("text", ["BID 5\nhow many mice have the others?", "how long do we have?\n\nBID 5"])
def test_an_order_is_repeated_once_beside_a_question(auction: Postbag, text: str) -> None:
    assert [line.text for line in auction.send(auction.to_move, text).lines] == ["BID 5"]


@each("text", ["I never bid 9", "I did not bid 9", "I didn't pass", "that was not me", "that bid is wrong"])
def test_a_denial_makes_no_move_and_offers_none(text: str) -> None:
    for is_asked in (True, False):
        bag = an_auction()
        seats = range(len(bag.game.seats))
        before, seat = bag.game, next(one for one in seats if (one == bag.to_move) == is_asked)
        answer = bag.send(seat, text)
        assert ([line.verdict for line in answer.lines], answer.doubt) == (["asked"], "denied")
        is_of_card = text == "that was not me"
        assert answer.offers == [*([_denying_the_card(bag, seat)] if is_of_card else []), "HISTORY"]
        assert (answer.asks, bag.game, waiting(bag, seat)) == (int(is_of_card), before, [])


def test_a_denial_stops_what_was_taken() -> None:
    bag = an_auction()
    seat = bag.to_move
    bag.send(seat, "too rich for my blood")
    assert [one.state for one in bag.asked(seat, "order")] == ["open"]
    answer = bag.send(seat, "That was not me!")
    offers = [_denying_the_card(bag, seat), "HISTORY"]
    assert (answer.offers, answer.asks, waiting(bag, seat)) == (offers, 2, [])
    assert [one.state for one in bag.asked(seat, "order")] == ["no", "open"]


def _denying_the_card(bag: Postbag, seat: int) -> str:
    return f"DISPUTE {Order('PLAY', card=bag.game.seats[seat].placed)}"


@each(
    ("text", "offered"),
    [
        ("I never bid 3!", ["DISPUTE BID 3"]),
        ("I did not bid 7, somebody else wrote that", ["DISPUTE BID 7"]),
        ("I never bid 9", []),
        ("I never passed", ["DISPUTE PASS"]),
        ("that was not me", ["DISPUTE PASS"]),
    ],
)
def test_the_move_that_a_denial_names_is_offered_to_be_disputed(text: str, offered: list[str]) -> None:
    bag, seat = _passed_after_two_bids().another(), _passed_after_two_bids().game.owners[0]
    assert seat is not None
    answer = bag.send(seat, text)
    assert answer.offers == [*offered, "HISTORY"]
    for order in offered:
        assert bag.send(seat, order).lines[0].verdict == "done"
        assert bag.game.disputes[0].what == order.split()[1].lower()


@cache
def _passed_after_two_bids() -> Postbag:
    """Whoever started the auction has bid 3 and 7, and then passed."""
    bag = an_auction()
    for line in ("BID 3", "BID 4", "BID 5", "BID 6", "BID 7", "BID 8", "BID 9", "BID 10", "PASS"):
        bag.send(bag.to_move, line)
    return bag


def test_a_card_is_offered_with_its_round_if_a_move_of_the_kind_was_made_since() -> None:
    bag = an_auction()
    bag.room.play(bag.game_id)
    assert bag.send(0, "I never passed").offers[0].startswith("DISPUTE PASS round ")
    offers = [bag.send(seat, "I never played the small dog").offers for seat in range(4)]
    played = [one for one in offers if one != ["HISTORY"]]
    assert played
    assert all(one == ["DISPUTE PLAY SMALL DOG", "HISTORY"] for one in played)


def test_a_move_that_is_named_beside_a_denial_is_asked_about() -> None:
    bag = an_auction()
    before = bag.game
    answer = bag.send(bag.to_move, "I never bid 9!\nBID 3")
    assert (answer.asks_text, bag.game) == ("Did you mean BID 3?", before)
