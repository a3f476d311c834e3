"""Orders in advance out of plain words: taken and done after the pause, for the card that they are about."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
import pytest

from felix_async.follow_up.answer import Answer
from felix_async.game.ahead import NOTHING, Ahead
from felix_async.language.phrases import phrase
from felix_async.meaning.meaning import GRAMMAR
from felix_events.store.rows import LogRow
from inbox.postbag import Postbag, an_auction
from inbox.taking import states, told_later, undone, wait, waiting


@pytest.fixture(name="bag")
def _bag() -> Postbag:
    """Four in the auction of the first round, nobody has bid."""
    return an_auction()


def coming(bag: Postbag) -> int:
    """The seat that is asked next."""
    return (bag.to_move + 1) % 4


def ahead(bag: Postbag, seat: int) -> Ahead:
    """What a seat has said in advance."""
    return bag.look(lambda reader: bag.room.service.ahead(reader, bag.game_id)).get(seat, NOTHING)


def kept(bag: Postbag, seat: int) -> list[str]:
    """The kinds of orders in advance that stand for a seat."""
    return [given.order.kind for given in ahead(bag, seat).given]


def own_log(bag: Postbag, seat: int) -> Sequence[LogRow]:
    """The log of a seat."""
    return bag.look(lambda reader: reader.log(f"{bag.game_id}/seat/{seat}"))


@pytest.mark.parametrize(("text", "order", "kinds"), [
    ("8 tops for me", "UP TO 8", ["bid"]),
    ("6 when it's my turn, please", "UP TO 6", ["bid"]),
    ("I bid 6 when it's my turn, please", "BID 6", ["bid"]),
    ("no need to ask me, I pass this round", "PASS", ["pass"]),
    ("I'm out. next round my 8", "PASS, NEXT 8", ["pass", "next"]),
    ("bid 6 and go up to 9 if I must, then ask me again", "BID 6, UP TO 9 THEN ASK", ["bid"]),
])  # fmt: skip
def test_it_is_taken_and_kept_after_the_pause(bag: Postbag, text: str, order: str, kinds: list[str]) -> None:
    seat = coming(bag)
    (line,) = bag.send(seat, text).lines
    assert (line.verdict, line.order, kept(bag, seat)) == ("taken", order, [])
    wait(bag)
    assert (kept(bag, seat), states(bag, seat)) == (kinds, [(order, "yes")])


def test_the_table_goes_on_by_it(bag: Postbag) -> None:
    first, seat = bag.to_move, coming(bag)
    bag.send(seat, "8 tops for me")
    wait(bag)
    bag.send(first, "BID 4")
    assert (bag.game.seats[seat].bid, bag.to_move) == (5, (seat + 1) % 4)


def test_who_is_in_turn_by_then_moves(bag: Postbag) -> None:
    first, seat = bag.to_move, coming(bag)
    bag.send(seat, "I bid 6 when it's my turn, please")
    bag.send(first, "BID 4")
    wait(bag)
    assert (bag.game.seats[seat].bid, kept(bag, seat), told_later(bag, seat)) == (6, [], [])


def test_a_limit_in_turn_bids_and_stands(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "max 8 please")
    wait(bag)
    assert (bag.game.seats[seat].bid, kept(bag, seat)) == (1, ["bid"])


def test_what_a_card_was_turned_after_is_dropped_with_a_word_and_offered_again(bag: Postbag) -> None:
    first, seat = bag.to_move, (bag.to_move + 2) % 4
    bag.send(seat, "8 tops for me")
    bag.send(first, "PASS")
    wait(bag)
    (line,) = told_later(bag, seat)
    assert (line.verdict, line.order, kept(bag, seat)) == ("refused", "UP TO 8", [])
    assert states(bag, seat) == [("UP TO 8", "dropped")]
    answer = Answer.model_validate_json(bag.owed(seat, "answer")[-1].payload)
    assert answer.offers == ["UP TO 8"]


def test_a_card_for_the_next_round_holds_though_a_card_turns(bag: Postbag) -> None:
    first, seat = bag.to_move, (bag.to_move + 2) % 4
    bag.send(seat, "next round my 11 please")
    bag.send(first, "PASS")
    wait(bag)
    assert (kept(bag, seat), told_later(bag, seat)) == (["next"], [])


def test_a_yes_after_a_card_has_turned_does_nothing(bag: Postbag) -> None:
    first, seat = bag.to_move, (bag.to_move + 2) % 4
    bag.send(seat, "8 tops for me")
    bag.send(first, "PASS")
    (line,) = bag.reply(seat, "YES").lines
    assert (line.code, line.instead, kept(bag, seat)) == ("turn/card_turned", "UP TO 8", [])


def test_words_to_the_address_of_an_older_card_are_shown_and_not_taken(bag: Postbag) -> None:
    first, seat = bag.to_move, (bag.to_move + 2) % 4
    address = bag.address(seat)
    bag.send(first, "PASS")
    mail_id = bag.bring("8 tops for me", address, f"{bag.seat(seat).name.lower()}@players.test")
    (line,) = bag.answered(mail_id).lines
    assert (line.code, line.instead, waiting(bag, seat)) == ("turn/card_turned", "UP TO 8", [])


def test_a_card_for_the_next_round_goes_with_what_waits(bag: Postbag) -> None:
    seat = coming(bag)
    bag.send(seat, "too rich for me")
    assert bag.send(seat, "and 8 next round").lines[0].order == "PASS, NEXT 8"
    bag.send(seat, "hmm no, 8 tops for me")
    assert waiting(bag, seat)[0].text == "UP TO 8, NEXT 8"


def test_it_can_be_taken_back(bag: Postbag) -> None:
    seat = coming(bag)
    bag.send(seat, "8 tops for me")
    undone(bag, seat)
    wait(bag)
    assert kept(bag, seat) == []


@pytest.mark.parametrize("standing", [[], ["UP TO 9"]])
def test_drop_takes_it_back_too_and_says_so(bag: Postbag, standing: list[str]) -> None:
    seat = coming(bag)
    for order in standing:
        bag.send(seat, order)
    bag.send(seat, "too rich for me")
    (line,) = bag.send(seat, "DROP").lines
    forgotten = phrase("people.ahead.dropped", orders=["PASS", *standing])
    assert (line.verdict, line.why, states(bag, seat)) == ("done", forgotten, [("PASS", "no")])
    wait(bag)
    assert (kept(bag, seat), told_later(bag, seat)) == ([], [])


def test_of_one_order_that_waits_and_stands_drop_tells_once(bag: Postbag) -> None:
    seat = coming(bag)
    bag.send(seat, "UP TO 8")
    bag.send(seat, "8 tops for me")
    assert bag.send(seat, "DROP").lines[0].why == phrase("people.ahead.dropped", orders=["UP TO 8"])


def test_orders_names_it_before_all_that_stands(bag: Postbag) -> None:
    seat = coming(bag)
    bag.send(seat, "NEXT 8")
    bag.send(seat, "too rich for me")
    answer = bag.send(seat, "ORDERS")
    assert answer.lines[0].why.startswith(phrase("people.ahead.waits", order="PASS"))
    assert ("DROP" in answer.offers, states(bag, seat)) == (True, [("PASS", "open")])


def test_the_private_record_keeps_the_words_and_that_they_were_read(bag: Postbag) -> None:
    seat = coming(bag)
    bag.send(seat, "8 tops for me :)")
    wait(bag)
    record = own_log(bag, seat)[-1].private_record
    assert record is not None
    told = orjson.loads(record)
    assert (told["line"], told["order"], told["inferred"], told["grammar"]) == (
        "8 tops for me :)", "UP TO 8", True, GRAMMAR,
    )  # fmt: skip


def test_that_of_a_move_does_so_too_and_an_exact_one_was_not_inferred(bag: Postbag) -> None:
    first, seat = bag.to_move, coming(bag)
    bag.send(first, "4 for me :)")
    wait(bag)
    bag.send(seat, "BID 6")
    rows = bag.look(lambda reader: reader.log(bag.game_id))
    records = [orjson.loads(row.private_record) for row in rows if row.private_record]
    told = [(one["line"], one["inferred"]) for one in records if one["order"] in ("BID 4", "BID 6")]
    assert told == [("4 for me :)", True), ("BID 6", False)]


@pytest.mark.parametrize("text", [
    "cancel my up to 7", "never mind the up to 7", "not up to 7", "forget what I said", "drop my limit",
    "undo",
])  # fmt: skip
def test_words_that_take_an_order_back_ask_for_drop(bag: Postbag, text: str) -> None:
    seat = coming(bag)
    bag.send(seat, "UP TO 7")
    answer = bag.send(seat, text)
    assert (answer.asks_text, kept(bag, seat)) == ("Did you mean DROP?", ["bid"])
    bag.reply(seat, "YES")
    assert kept(bag, seat) == []


def test_a_card_that_is_not_in_the_hand_is_told_of_beside_a_pass(bag: Postbag) -> None:
    seat = bag.to_move
    assert -8 not in bag.game.seats[seat].hand
    answer = bag.send(seat, "pass and minus 8 next round")
    assert ([line.verdict for line in answer.lines], answer.offers[0]) == (["refused"], "PASS")
