"""Words that letters propose: done at once where they are all that is said at the decision that is open."""

from __future__ import annotations

import orjson
import pytest

from felix_async.game.cards import card_text
from felix_async.language.grammar import Order
from felix_async.language.order import order_of
from felix_async.language.proposed import is_proposed, proposed
from felix_async.language.words import PROPOSED
from inbox.clocked import a_clocked_auction, a_clocked_table
from inbox.postbag import Postbag, a_mail
from inbox.taking import states, taken, waiting


@pytest.fixture
def bag() -> Postbag:
    """Four at a table with a clock, in the auction of the first round."""
    return a_clocked_auction()


@pytest.fixture
def seat(bag: Postbag) -> int:
    """The seat that bids next."""
    return bag.to_move


AT_ONCE = [
    "4", "4.", "4!", "four", "ok, 4", "4 please", "Hi felix,\n\n4\n\nThanks!", "4\n\n{name}",
    "4\nCheers, {name}", "4\n\n-- \n{name}\nbid 4 you later",
    "4\n\nOn Fri, 20 Nov 2026 at 19:00, felix wrote:\n\n> BID 7\n> 7",
]  # fmt: skip
LATER = [
    "4 for me", "4 I think", "4\nhaha", "4 :)", "4, {other}", "{other} 4", "4\n\nIs Ben asleep?", "I go to 4",
    "4 mice!!!", "hmm 4", "4 BUT", "yes 4",
]  # fmt: skip


@pytest.mark.parametrize("text", AT_ONCE)
def test_a_bid_as_it_is_proposed_is_done_at_once(bag: Postbag, seat: int, text: str) -> None:
    answer = bag.send(seat, text.format(name=bag.seat(seat).name))
    assert [(line.verdict, line.order) for line in answer.lines] == [("done", "")]
    assert (bag.game.seats[seat].bid, bag.asked(seat), answer.asks) == (4, [], 0)


@pytest.mark.parametrize("text", LATER)
def test_with_any_other_word_there_is_time_to_take_it_back(bag: Postbag, seat: int, text: str) -> None:
    bag.send(seat, text.format(other=bag.seat((seat + 1) % 4).name))
    assert bag.game.seats[seat].bid == 0


@pytest.mark.parametrize("text", ["I'm out", "I’m out.", "out", "Out, thanks", "ok, I'm out", "i pass"])
def test_so_is_a_pass(bag: Postbag, seat: int, text: str) -> None:
    answer = bag.send(seat, text)
    assert (answer.lines[0].verdict, bag.game.seats[seat].passed) == ("done", True)


@pytest.mark.parametrize("text", ["the {card}", "{card}", "ok, the {card} please", "my {card}"])
def test_so_is_a_card(text: str) -> None:
    bag = a_clocked_table()
    seat = bag.game.asked[0]
    for card in bag.game.seats[seat].hand:
        answer = bag.send(seat, text.format(card=card_text(card)))
        assert (answer.lines[0].verdict, bag.game.seats[seat].placed) == ("done", card)


def test_the_record_is_that_of_an_exact_order(bag: Postbag, seat: int) -> None:
    bag.send(seat, "ok, 4")
    rows = bag.look(lambda reader: reader.log(bag.game_id))
    record = [orjson.loads(row.private_record) for row in rows if row.private_record][-1]
    assert (record["order"], record["line"], record["inferred"]) == ("BID 4", "ok, 4", False)


# ---- to the question at the top of the letter --------------------------------------------------------------
@pytest.mark.parametrize("text", ["yes", "I'll take it for a mouse", "ok"])
def test_the_last_takes_the_sack_after_the_pause(bag: Postbag, text: str) -> None:
    while len(bag.game.bidders) > 1:
        bag.send(bag.to_move, "PASS")
    last = bag.to_move
    (line,) = bag.send(last, text).lines
    assert (line.verdict, line.order, bag.game.round) == ("taken", "BID 1", 1)


@pytest.mark.parametrize("text", ["nah", "nope"])
def test_no_to_a_bid_is_a_pass_after_the_pause(bag: Postbag, seat: int, text: str) -> None:
    bag.send(seat, "4")
    (line,) = bag.send(bag.to_move, text).lines
    assert (line.verdict, line.order) == ("taken", "PASS")


def test_but_not_where_something_was_asked(bag: Postbag, seat: int) -> None:
    bag.send(seat, "4")
    other = bag.to_move
    taken(bag, other, "BID 6")
    bag.send(other, "wait")
    assert "taken" not in [line.verdict for line in bag.send(other, "nah").lines]


@pytest.mark.parametrize("text", ["yes", "top it", "I'd top that"])
def test_who_tops_a_bid_is_offered_the_next_ones(bag: Postbag, seat: int, text: str) -> None:
    bag.send(seat, "4")
    answer = bag.send(bag.to_move, text)
    assert (answer.offers, [line.verdict for line in answer.lines]) == (["BID 5", "BID 6", "PASS"], ["asked"])


# ---- nothing doubtful beside it -------------------------------------------------------------------------
def test_not_beside_a_move_that_waits(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 6")
    bag.send(seat, "4")
    assert states(bag, seat) == [("BID 6", "dropped"), ("BID 4", "open")]


def test_not_above_an_order_that_may_be_somebody_elses(bag: Postbag, seat: int) -> None:
    bag.send(seat, "4\n\nBest,\nBen\n\nBID 9")
    assert bag.game.seats[seat].bid == 0


@pytest.mark.parametrize(("subject", "is_done"), [("I'm out", False), ("5", False), ("my bid", True)])
def test_not_below_a_subject_that_says_something(
    bag: Postbag, seat: int, subject: str, *, is_done: bool
) -> None:
    address = f"{bag.seat(seat).name.lower()}@players.test"
    bag.post(a_mail("4", sender=address, subject=subject), bag.address(seat), address)
    bag.work()
    assert (bag.game.seats[seat].bid == 4) is is_done


def test_not_for_a_decision_that_is_over(bag: Postbag, seat: int) -> None:
    turn = bag.game.seats[seat].turn
    bag.send(seat, "4")
    while bag.to_move != seat:
        bag.send(bag.to_move, f"BID {bag.game.high_bid + 1}")
    answer = bag.send(seat, "14", turn)
    assert (bag.game.seats[seat].bid, [line.verdict for line in answer.lines]) == (4, ["asked"])


def test_who_leads_may_mean_to_correct_the_bid(bag: Postbag, seat: int) -> None:
    bag.send(seat, "4")
    bag.send(seat, "I'm out")
    assert not bag.game.seats[seat].passed
    assert waiting(bag, seat) == []


# ---- the words themselves -------------------------------------------------------------------------------
ORDERS = [
    Order("PLAY", card=-8), Order("PLAY", card=0), Order("PLAY", card="large_dog"), Order("BID", amount=12),
    Order("UPTO", limit=7), Order("PASS"),
]  # fmt: skip


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_what_is_proposed_is_what_is_understood(order: Order) -> None:
    words = proposed(order).replace("\N{MINUS SIGN}", "-")
    assert is_proposed([words], order)
    assert {one.word for one in ORDERS} == PROPOSED.keys()


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_it_is_no_other_order(order: Order) -> None:
    words = proposed(order).replace("\N{MINUS SIGN}", "-")
    assert not [other for other in ORDERS if other != order and is_proposed([words], other)]


@pytest.mark.parametrize(
    "order",
    [Order("PASS", next=3), Order("BID", amount=4, limit=9), Order("UPTO", limit=4, asks=True)],
)
def test_it_says_nothing_beside_the_order(order: Order) -> None:
    assert not is_proposed([proposed(order)], order)


def test_a_long_message_is_none() -> None:
    assert not is_proposed(["thanks"] * 100 + ["4"], Order("BID", amount=4))


# ---- a card while others bid ----------------------------------------------------------------------------
def test_a_card_named_while_others_bid_is_offered_for_the_next_round(bag: Postbag, seat: int) -> None:
    early = next(one for one in bag.game.bidders if one != seat)
    card = str(Order("NEXT", next=bag.game.seats[early].hand[0])).removeprefix("NEXT ")
    answer = bag.send(early, f"the {card.lower()}, hehe")
    assert (answer.doubt, answer.offers[0], answer.offers[-1]) == ("other decision", f"NEXT {card}", "PASS")


def test_nobody_is_offered_to_bid_more_than_their_own_bid_that_leads(bag: Postbag, seat: int) -> None:
    bag.send(seat, "4")
    card = str(Order("NEXT", next=bag.game.seats[seat].hand[0])).removeprefix("NEXT ")
    assert bag.send(seat, f"the {card.lower()}, hehe").offers == [f"NEXT {card}"]


# ---- before its time ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "order"), [
    ("up to 7", "UP TO 7"), ("7", "UP TO 7"), ("Seven, please.", "UP TO 7"), ("1", "UP TO 1"),
    ("I'm out", "PASS"), ("ok, out", "PASS"),
])  # fmt: skip
def test_what_is_proposed_before_its_time_is_kept_at_once(
    bag: Postbag, seat: int, text: str, order: str
) -> None:
    early = next(one for one in bag.game.bidders if one != seat)
    (line,) = bag.send(early, text).lines
    given = bag.look(lambda reader: bag.room.service.ahead(reader, bag.game_id))[early].given
    assert (line.verdict, waiting(bag, early)) == ("done", [])
    assert [str(order_of(one.order)) for one in given] == [order]


@pytest.mark.parametrize("text", ["BID 7", "bid 7"])
def test_a_bid_before_its_time_stays_a_bid(bag: Postbag, seat: int, text: str) -> None:
    early = next(one for one in bag.game.bidders if one != seat)
    bag.send(early, text)
    given = bag.look(lambda reader: bag.room.service.ahead(reader, bag.game_id))[early].given
    assert [str(order_of(one.order)) for one in given] == ["BID 7"]
