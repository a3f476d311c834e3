"""What players say in advance by mail: kept, done when the time comes, told to them alone, and forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.game.ahead import NOTHING, standing
from felix_async.game.cards import card_word
from felix_async.game.commands import Bid
from felix_async.language.order import order_of
from felix_async.language.phrases import phrase
from felix_async.orders.rekeying import rekey
from felix_events.envelope import decode_seat_envelopes, seat_log_id
from games import NAMES
from inbox.clocked import a_clocked_table
from inbox.postbag import Postbag, a_first_round, an_auction

FIRST, SECOND, THIRD, LAST = range(4)
"""The places in the auction, whatever the seats."""


def at(bag: Postbag, place: int) -> int:
    """The seat that bids at this place of the round."""
    return bag.game.clockwise(bag.game.start_seat)[place]


def stands(bag: Postbag, seat: int) -> list[str]:
    """What a seat has said in advance and still counts."""
    ahead = bag.look(lambda reader: bag.room.service.ahead(reader, bag.game_id)).get(seat, NOTHING)
    return [str(order_of(given.order)) for given in standing(ahead, bag.game).given]


def kept(bag: Postbag, seat: int) -> list[str]:
    """The events of a seat's own log about orders."""
    bodies = bag.look(lambda reader: reader.bodies(seat_log_id(bag.game_id, seat)))
    events = [envelope.data for envelope in decode_seat_envelopes(bodies)]
    return [f"{event.type} {getattr(event, 'why', '')}".strip() for event in events if "order_" in event.type]


def bids(bag: Postbag) -> list[int]:
    """The bids of the seats, by their places."""
    return [bag.game.seats[at(bag, place)].bid for place in range(4)]


def cards(bag: Postbag, seat: int) -> Sequence[str]:
    """The hand of a seat, as orders name it."""
    return [card_word(card).upper() for card in bag.game.seats[seat].hand]


def line(answer: Answer) -> tuple[str, str]:
    """How the one line of an answer went, and with which code."""
    (only,) = answer.lines
    return only.verdict, only.code


@pytest.fixture
def bag() -> Postbag:
    return an_auction()


# ---- early ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "order"), [
    ("UP TO 7", "UP TO 7"), ("UP TO 7 THEN ASK", "UP TO 7 THEN ASK"), ("BID 5, UP TO 9", "BID 5, UP TO 9"),
    ("BID 5\nUP TO 9", "BID 5, UP TO 9"), ("BID 5", "BID 5"), ("PASS", "PASS"),
])  # fmt: skip
def test_what_is_said_early_is_kept_and_nothing_else_happens(bag: Postbag, text: str, order: str) -> None:
    size = bag.size
    answer = bag.send(at(bag, THIRD), text)
    assert line(answer) == ("done", "")
    assert (stands(bag, at(bag, THIRD)), bag.size) == ([order], size)


def test_all_of_a_round_that_was_said_early_is_done_with_the_first_bid(bag: Postbag) -> None:
    bag.send(at(bag, SECOND), "UP TO 5")
    bag.send(at(bag, THIRD), "PASS")
    bag.send(at(bag, LAST), "PASS")
    bag.send(at(bag, FIRST), "BID 6")
    assert (bag.game.round, bag.game.phase) == (2, "placing")


def test_a_limit_goes_one_higher_as_often_as_it_takes(bag: Postbag) -> None:
    bag.send(at(bag, SECOND), "UP TO 6")
    bag.send(at(bag, THIRD), "UP TO 8")
    bag.send(at(bag, LAST), "UP TO 4")
    bag.send(at(bag, FIRST), "BID 1")
    # The first of them who cannot go on is asked, or passes; then a card turns, and all limits end.
    assert bids(bag) == [1, 2, 3, 4]
    bag.send(at(bag, FIRST), "BID 5")
    assert (bids(bag), len(bag.game.turned)) == ([5, 6, 7, 0], 2)
    assert [stands(bag, at(bag, place)) for place in range(4)] == [[], [], [], []]


def test_above_a_limit_that_asks_the_seat_is_asked(bag: Postbag) -> None:
    bag.send(at(bag, SECOND), "UP TO 3 THEN ASK")
    bag.send(at(bag, FIRST), "BID 3")
    assert bag.to_move == at(bag, SECOND)


def test_a_first_bid_that_is_passed_goes_on_as_a_limit(bag: Postbag) -> None:
    bag.send(at(bag, SECOND), "BID 5, UP TO 9")
    bag.send(at(bag, FIRST), "BID 6")
    assert bids(bag)[SECOND] == 7


def test_a_first_bid_in_turn_that_is_passed_goes_on_as_a_limit_too(bag: Postbag) -> None:
    bag.send(at(bag, FIRST), "BID 6")
    assert line(bag.send(at(bag, SECOND), "BID 5, UP TO 9")) == ("done", "")
    assert bids(bag)[SECOND] == 7


def test_an_early_bid_without_a_limit_is_asked_about_where_it_is_too_low_by_then(bag: Postbag) -> None:
    bag.send(at(bag, SECOND), "BID 5")
    bag.send(at(bag, FIRST), "BID 5")
    assert (bag.to_move, bids(bag)[SECOND]) == (at(bag, SECOND), 0)


def test_who_has_bid_may_say_that_they_go_no_higher(bag: Postbag) -> None:
    bag.send(at(bag, FIRST), "BID 2")
    bag.send(at(bag, FIRST), "PASS")
    for place in (SECOND, THIRD, LAST):
        bag.send(at(bag, place), f"BID {place + 2}")
    assert bag.game.seats[at(bag, FIRST)].passed


def test_the_last_seats_sack_is_not_refused_by_an_early_pass(bag: Postbag) -> None:
    bag.send(at(bag, LAST), "PASS")
    for place in (FIRST, SECOND, THIRD):
        bag.send(at(bag, place), "PASS")
    assert bag.to_move == at(bag, LAST)


# ---- in turn ----------------------------------------------------------------------------------------
def test_a_limit_in_turn_bids_at_once_and_stands(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "UP TO 7")
    assert answer.lines[0].why.startswith("You bid 1 now. If you're outbid, you go on up to 7")
    assert (bids(bag)[FIRST], stands(bag, at(bag, FIRST))) == (1, ["UP TO 7"])


def test_a_limit_that_ends_with_a_card_at_once_is_told_below_the_table_alone(bag: Postbag) -> None:
    for place in (SECOND, THIRD):
        bag.send(at(bag, place), "PASS")
    answer = bag.send(bag.to_move, "UP TO 7")
    assert answer.lines[0].why == "You bid 1 now."


def test_a_limit_after_the_decision_was_answered_is_too_late(bag: Postbag) -> None:
    seat = bag.to_move
    old = bag.address(seat)
    bag.send(seat, "PASS")
    mail_id = bag.bring("UP TO 7", old, sender=f"{NAMES[seat].lower()}@players.test")
    assert [one.verdict for one in bag.answered(mail_id).lines] == ["refused"]


# ---- the next card ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text", ["PASS, NEXT {}", "PASS\nNEXT {}", "NEXT {}", "UP TO 4, NEXT {}", "BID 2, NEXT {}"]
)
def test_a_card_is_placed_when_its_round_begins(bag: Postbag, text: str) -> None:
    seat = at(bag, SECOND)
    card = cards(bag, seat)[0]
    assert line(bag.send(seat, text.format(card))) == ("done", "")
    assert stands(bag, seat)[-1] == f"NEXT {card}"
    while bag.game.round == 1:
        bag.send(bag.to_move, "BID 5" if bag.to_move == at(bag, FIRST) and not bag.game.high_bid else "PASS")
    placed = bag.game.seats[seat].placed
    assert placed is not None
    assert card_word(placed).upper() == card


def test_a_pass_in_turn_and_a_card_are_one_order(bag: Postbag) -> None:
    seat = bag.to_move
    card = cards(bag, seat)[0]
    answer = bag.send(seat, f"PASS, NEXT {card}")
    assert "you passed" in answer.lines[0].why.lower()
    assert (bag.game.seats[seat].passed, stands(bag, seat)) == (True, [f"NEXT {card}"])


def test_a_move_is_not_done_where_the_card_beside_it_is_refused(bag: Postbag) -> None:
    seat, size = bag.to_move, bag.size
    placed = bag.game.seats[seat].placed
    assert placed is not None
    assert line(bag.send(seat, f"PASS, NEXT {card_word(placed).upper()}")) == ("refused", "next/in_row")
    assert (bag.size, stands(bag, seat)) == (size, [])


def test_a_card_that_comes_into_the_row_is_told_to_be_none_for_later() -> None:
    bag = a_first_round()
    one, other, *_ = cards(bag, 0)
    bag.send(0, f"PLAY {one}, NEXT {other}")
    assert stands(bag, 0) == [f"NEXT {other}"]
    answer = bag.send(0, f"PLAY {other}")
    assert answer.lines[0].why.endswith("so nothing is ready for it now.")
    assert stands(bag, 0) == []


def test_a_card_that_is_put_down_by_its_order_is_not_told_to_be_lost(bag: Postbag) -> None:
    for place in range(4):
        seat = at(bag, place)
        bag.send(seat, f"NEXT {cards(bag, seat)[0]}")
    for place in (FIRST, SECOND, THIRD):
        bag.send(at(bag, place), "BID 1" if place == FIRST else "PASS")
    last = at(bag, LAST)
    answer = bag.send(last, "PASS")
    assert (bag.game.round, bag.game.phase) == (2, "bidding")
    assert phrase("people.ahead.lies_now") not in answer.lines[0].why


def test_the_card_played_now_is_not_the_next_one_too() -> None:
    bag = a_first_round()
    card = cards(bag, 0)[0]
    assert line(bag.send(0, f"PLAY {card}, NEXT {card}")) == ("refused", "next/played_now")
    assert bag.game.seats[0].placed is None


# ---- changed, shown, dropped --------------------------------------------------------------------------
def test_a_later_order_takes_the_place_of_an_earlier_one_and_says_so(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    bag.send(seat, "UP TO 7")
    answer = bag.send(seat, "PASS")
    assert answer.lines[0].why.endswith("That takes the place of UP TO 7.")
    assert (stands(bag, seat), kept(bag, seat)) == (
        ["PASS"], ["order_given", "order_dropped replaced", "order_given"],
    )  # fmt: skip


def test_the_same_card_said_again_takes_the_place_of_nothing(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    card = cards(bag, seat)[0]
    bag.send(seat, f"UP TO 7, NEXT {card}")
    assert "takes the place" not in bag.send(seat, f"UP TO 7, NEXT {card}").lines[0].why
    assert bag.send(seat, f"PASS, NEXT {card}").lines[0].why.endswith("That takes the place of UP TO 7.")


def test_a_limit_offers_the_other_way_to_go_on_and_to_drop_it(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    assert bag.send(seat, "UP TO 7").offers == ["UP TO 7 THEN ASK", "DROP"]
    assert bag.send(seat, "UP TO 7 THEN ASK").offers == ["UP TO 7", "DROP"]
    assert bag.send(seat, f"NEXT {cards(bag, seat)[0]}").offers == ["UP TO 7", "DROP"]


def test_orders_shows_what_stands_to_its_writer_and_changes_nothing(bag: Postbag) -> None:
    seat, other = at(bag, THIRD), at(bag, LAST)
    bag.send(seat, "UP TO 7")
    shown, elsewhere = bag.send(seat, "ORDERS"), bag.send(other, "ORDERS")
    assert (shown.lines[0].why[:8], shown.changed) == ("UP TO 7:", False)
    assert "7" not in elsewhere.lines[0].why


def test_drop_forgets_all_of_it_and_says_what(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    card = cards(bag, seat)[0]
    bag.send(seat, f"UP TO 7, NEXT {card}")
    assert bag.send(seat, "DROP").lines[0].why == f"Forgotten: UP TO 7 and NEXT {card}."
    assert stands(bag, seat) == []


@pytest.mark.parametrize(("named", "left"), [("UP TO 7", 1), ("UP TO 9", 1), ("PASS", 1), ("NEXT RABBIT", 0)])
def test_a_drop_that_names_an_order_forgets_that_one_alone(bag: Postbag, named: str, left: int) -> None:
    seat = at(bag, THIRD)
    both = ["UP TO 7", f"NEXT {cards(bag, seat)[0]}"]
    bag.send(seat, ", ".join(both))
    told = bag.send(seat, f"DROP {named}").lines[0].why
    assert told == f"Forgotten: {both[not left]}. You still have: {both[left]}."
    assert stands(bag, seat) == [both[left]]


def test_a_drop_of_what_was_never_said_forgets_nothing(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    bag.send(seat, "UP TO 7")
    answer = bag.send(seat, "DROP NEXT 11")
    assert (answer.lines[0].why[:24], stands(bag, seat)) == ("You haven't said NEXT 11", ["UP TO 7"])


def test_what_a_drop_of_the_same_mail_forgets_is_not_offered(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    assert bag.send(seat, "UP TO 7\nDROP").offers == []
    assert bag.send(seat, f"UP TO 7, NEXT {cards(bag, seat)[0]}\nDROP UP TO 7").offers == ["DROP"]


def test_drop_where_nothing_stands_says_so(bag: Postbag) -> None:
    answer = bag.send(at(bag, THIRD), "DROP")
    assert (answer.lines[0].verdict, answer.changed) == ("done", False)


def test_a_drop_that_comes_behind_the_bid_is_told_which_was_first(bag: Postbag) -> None:
    seat = at(bag, SECOND)
    bag.send(seat, "BID 4")
    bag.send(at(bag, FIRST), "BID 3")
    assert bag.send(seat, "DROP").lines[0].why.endswith("I had bid 4 for you, and that bid stands.")


def test_a_drop_says_nothing_of_a_bid_by_hand(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "BID 4")
    assert "bid" not in bag.send(seat, "DROP").lines[0].why


def test_a_drop_after_the_round_says_nothing_of_its_bids(bag: Postbag) -> None:
    bag.send(at(bag, SECOND), "PASS")
    seat = at(bag, SECOND)
    for place in (FIRST, THIRD, LAST):
        bag.send(at(bag, place), "BID 2" if place == FIRST else "PASS")
    assert bag.game.round == 2
    assert "passed" not in bag.send(seat, "DROP").lines[0].why


# ---- what cannot be said ------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "code", "offers"), [
    ("UP TO 99", "ahead/above_mice", ["UP TO 15", "PASS"]),
    ("BID 5, UP TO 99", "ahead/above_mice", ["BID 5, UP TO 15", "PASS"]),
    ("UP TO 0", "ahead/too_low", ["UP TO 4", "PASS"]),
    ("UP TO 3", "ahead/too_low", ["UP TO 4", "PASS"]),
    ("UP TO -3", "ahead/too_low", ["UP TO 4", "PASS"]),
    ("BID -3, UP TO 5", "bid/too_low", []),
    ("BID 3", "bid/too_low", []),
    ("BID 8, UP TO 5", "ahead/limit_below_bid", ["BID 8", "BID 8, UP TO 8"]),
])  # fmt: skip
def test_a_limit_that_cannot_be(bag: Postbag, text: str, code: str, offers: list[str]) -> None:
    bag.send(at(bag, FIRST), "BID 3")
    seat, size = at(bag, THIRD), bag.size
    answer = bag.send(seat, text)
    assert (line(answer), answer.offers[: len(offers)]) == (("refused", code), offers)
    assert (stands(bag, seat), bag.size, kept(bag, seat)) == ([], size, [])


def test_without_an_auction_there_is_no_limit() -> None:
    bag = a_first_round()
    assert line(bag.send(0, "UP TO 7")) == ("refused", "auction/not_open")
    bag.send(0, f"PLAY {cards(bag, 0)[0]}")
    assert line(bag.send(0, "UP TO 7")) == ("refused", "auction/card_lies")


def test_who_has_passed_says_nothing_more_of_this_auction(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "PASS")
    card = cards(bag, seat)[0]
    answer = bag.send(seat, f"UP TO 7, NEXT {card}")
    assert (line(answer), answer.offers) == (("refused", "turn/already_passed"), [f"NEXT {card}"])


def test_a_card_that_is_not_in_the_hand_is_answered_with_those_next_to_it(bag: Postbag) -> None:
    seat = bag.to_move
    boxed = next(card for card in ("-8", "-5", "3", "5", "8", "11", "15") if card not in cards(bag, seat))
    answer = bag.send(seat, f"NEXT {boxed}")
    assert answer.lines[0].code in ("next/not_in_hand", "next/in_row")
    assert len(answer.offers) == 3
    assert {offer.removeprefix("NEXT ") for offer in answer.offers} <= {*cards(bag, seat)}


@pytest.mark.parametrize("place", [FIRST, THIRD])
@pytest.mark.parametrize(("text", "offers"), [
    ("UP TO 7\nUP TO 9", ["UP TO 7", "UP TO 9"]), ("UP TO 7, UP TO 9", ["UP TO 7", "UP TO 9"]),
    ("PASS\nUP TO 7", ["PASS", "UP TO 7"]), ("NEXT 5\nNEXT 8", ["NEXT 5", "NEXT 8"]),
    ("BID 5\nUP TO 9\nUP TO 10", ["BID 5", "UP TO 9", "UP TO 10"]),
])  # fmt: skip
def test_of_those_that_contradict_each_other_none_is_done_and_each_is_offered(
    bag: Postbag, place: int, text: str, offers: list[str]
) -> None:
    seat, size = at(bag, place), bag.size
    answer = bag.send(seat, text)
    assert ({one.verdict for one in answer.lines}, answer.offers, answer.asks) == ({"asked"}, offers, 0)
    assert (stands(bag, seat), bag.size) == ([], size)


def test_before_the_start_and_after_the_end_there_is_nothing_to_say() -> None:
    bag = a_first_round()
    bag.room.play(bag.game_id)
    assert [line(bag.send(0, text))[1] for text in ("UP TO 7", "NEXT 8", "DROP")] == ["game/over"] * 3


# ---- whose order it is --------------------------------------------------------------------------------
def test_whose_computer_plays_comes_back_with_an_order(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    bag.send(seat, "STOP")
    assert bag.game.seats[seat].computer
    bag.send(seat, "UP TO 7")
    assert (bag.game.seats[seat].computer, stands(bag, seat)) == (False, ["UP TO 7"])


def test_who_has_left_for_good_says_nothing_any_more(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    bag.send(seat, "RESIGN")
    bag.reply(seat)
    assert line(bag.send(seat, "UP TO 7")) == ("refused", "seat/gone")


def test_the_same_mail_again_does_nothing_twice(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "UP TO 7")
    given, size = kept(bag, seat), bag.size
    bag.send(seat, "UP TO 7")
    assert (kept(bag, seat), bag.size) == (given, size)


# ---- NOTIFY MY TURN -----------------------------------------------------------------------------------
def test_who_wants_no_early_asks_says_so(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    assert line(bag.send(seat, "NOTIFY MY TURN")) == ("done", "")
    assert bag.look(lambda reader: reader.choice(bag.seat(seat).player_id)).notify == "mine"
    bag.send(seat, "NOTIFY TURNS")
    assert bag.look(lambda reader: reader.choice(bag.seat(seat).player_id)).notify == "turns"


# ---- addresses made void ------------------------------------------------------------------------------
def test_with_the_old_addresses_goes_what_was_said(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    bag.send(seat, "UP TO 7")
    new = "new@example.org"
    bag.send(seat, f"ADDRESS {new}")
    bag.bring("YES", bag.question_address(seat, bag.asked(seat, "address")[-1].number), new)
    assert (bag.seat(seat).address, stands(bag, seat)) == (new, [])
    assert kept(bag, seat)[-1] == "order_dropped rekeyed"


def test_whose_addresses_are_revoked_is_told_that_it_is_forgotten(bag: Postbag) -> None:
    seat = at(bag, THIRD)
    bag.send(seat, "UP TO 7")
    bag.do(lambda tx: rekey(tx, bag.room.service, bag.seat(seat), "Renewed."))
    (told,) = [row for row in bag.owed(seat, "answer") if "Renewed." in row.payload]
    assert phrase("people.ahead.forgotten") in told.payload


# ---- what comes between ---------------------------------------------------------------------------------
def test_a_drop_that_came_before_the_bid_and_was_read_after_it_is_told_so(bag: Postbag) -> None:
    seat = at(bag, SECOND)
    bag.send(seat, "BID 4")
    mail_id = bag.write(seat, "DROP")
    bag.room.clock.now += timedelta(minutes=5)
    bag.room.do(bag.game_id, Bid(seat=at(bag, FIRST), amount=3))
    bag.work()
    why = bag.answered(mail_id).lines[0].why
    assert why.endswith("I had bid 4 for you by the time I read your message, and that bid stands.")


def test_what_was_said_stays_through_an_absence_and_a_pause_and_the_answers_say_so() -> None:
    bag = a_clocked_table()
    card = cards(bag, 0)[0]
    bag.send(0, f"NEXT {card}")
    stays = phrase("people.ahead.stays")
    assert stays in bag.send(0, "AWAY 2 days").lines[0].why
    assert stays not in bag.send(1, "PAUSE").lines[0].why
    bag.send(2, "PAUSE")
    assert stays in bag.send(0, "PAUSE").lines[0].why
    assert (bool(bag.game.paused_until), stands(bag, 0)) == (True, [f"NEXT {card}"])
