"""DISPUTE and STANDS by mail: which move, what is told to whom, and how it ends."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

import pytest

from felix_async.follow_up.disputed import Disputed
from felix_async.follow_up.kinds import load
from felix_async.game.commands import Leave, Play
from felix_async.game.folding import fold
from felix_async.orders.dispute import moves_of
from felix_async.orders.quotas import A_DAY
from games import a_game_played
from inbox.postbag import Postbag, a_first_round, a_table, an_auction
from inbox.taking import at_the_desk


@pytest.fixture
def bag() -> Postbag:
    """Four in the auction of the first round."""
    return an_auction()


def told(bag: Postbag, seat: int) -> list[Disputed]:
    return [cast(Disputed, load(row)) for row in bag.owed(seat, "disputed")]


def bidding(bag: Postbag, line: str = "I can afford it\nBID 2, NEXT 8") -> tuple[int, int]:
    """Whose turn it is bids; the seat, and the mail."""
    seat = bag.to_move
    mail = bag.write(seat, line)
    bag.work()
    return seat, mail


@pytest.mark.parametrize(
    "words", ["DISPUTE", 'DISPUTE "I never bid 2"', "dispute bid 2", "DISPUTE BID", "DISPUTE bid 2 round 1"]
)
def test_a_bid_is_denied_everybody_hears_the_bid_alone_and_its_player_gets_the_message(
    bag: Postbag, words: str
) -> None:
    seat, mail = bidding(bag)
    answer = bag.send(seat, words)
    assert answer.lines[0].verdict == "done", answer.lines
    assert answer.mails == [mail]
    assert "the bid of 2 in round 1" in answer.lines[0].why
    assert "BID 2, NEXT 8" in answer.lines[0].why
    others = [told(bag, other) for other in range(4) if other != seat]
    assert [[(one.by, one.move, one.verdict) for one in found] for found in others] == [
        [(seat, "the bid of 2", "kept")]
    ] * 3
    assert told(bag, seat) == []
    (dispute,) = bag.game.disputes
    assert (dispute.seat, dispute.what) == (seat, "bid")


@pytest.mark.parametrize("how", ["BID 2", "BID 2, NEXT 8", "BID 2, UP TO 9", "UP TO 9"])
def test_in_which_words_a_bid_was_made_is_told_to_nobody_else(bag: Postbag, how: str) -> None:
    first = bag.to_move
    seat = (first + 1) % 4
    if how == "UP TO 9":
        bag.send(seat, how)
        bag.send(first, "BID 1")
    else:
        bag.send(first, "BID 1")
        bag.send(seat, how)
    assert bag.send(seat, "DISPUTE BID 2").lines[0].verdict == "done"
    (one,) = told(bag, (seat + 2) % 4)
    assert (one.move, one.round, one.verdict) == ("the bid of 2", 1, "kept")


def test_a_card_that_lies_face_down_is_named_to_nobody_else() -> None:
    bag = a_first_round()
    card = next(card for card in bag.game.seats[0].hand if isinstance(card, int) and card > 0)
    bag.send(0, f"PLAY {card}")
    answer = bag.send(0, f"DISPUTE I never played the {card}")
    assert f"PLAY {card}" in answer.lines[0].why
    assert {one.move for seat in (1, 2, 3) for one in told(bag, seat)} == {""}


def test_once_it_is_turned_the_card_is_named(bag: Postbag) -> None:
    start = bag.game.owners[0] if bag.game.owners[0] is not None else bag.game.owners[1]
    assert start is not None
    bag.send(start, "DISPUTE my card")
    (one,) = told(bag, (start + 1) % 4)
    assert one.move.startswith("playing the ")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("DISPUTE BID 7", "dispute/no_move"),
        ("DISPUTE PASS", "dispute/no_move"),
        ("DISPUTE BID 2 round 4", "dispute/no_move"),
        ("DISPUTE OFF", "dispute/none"),
        ("STANDS Ben", "host/only"),
    ],
)
def test_about_nothing_nothing_happens(bag: Postbag, words: str, code: str) -> None:
    seat, _ = bidding(bag)
    if words.startswith("STANDS"):
        seat = 2 if bag.game.host != 2 else 3
    size = bag.size
    (line,) = bag.send(seat, words).lines
    assert (line.verdict, line.code) == ("refused", code)
    assert bag.size == size


def test_somebody_elses_bid_cannot_be_denied(bag: Postbag) -> None:
    seat, _ = bidding(bag)
    (line,) = bag.send((seat + 1) % 4, "DISPUTE BID 2").lines
    assert line.code == "dispute/no_move"


def test_an_order_that_has_made_no_move_is_no_fact_yet(bag: Postbag) -> None:
    seat = (bag.to_move + 2) % 4
    bag.send(seat, "UP TO 12")
    size = bag.size
    (line,) = bag.send(seat, "DISPUTE UP TO 12").lines
    assert line.code == "dispute/ahead"
    assert bag.size == size
    assert not any(told(bag, other) for other in range(4))


def test_two_a_day_are_enough(bag: Postbag) -> None:
    seat, _ = bidding(bag)
    assert A_DAY["disputes"] == 2
    bag.send(seat, "DISPUTE BID 2")
    bag.send(seat, "DISPUTE OFF")
    bag.send(seat, "DISPUTE card")
    bag.send(seat, "DISPUTE OFF")
    again = bag.send(seat, "DISPUTE BID 2").lines[0]
    assert again.code == "dispute/again"


def test_a_move_of_the_hosts_desk_says_so(bag: Postbag) -> None:
    seat = bag.to_move
    at_the_desk(bag, seat, "BID 2")
    answer = bag.send(seat, "DISPUTE BID 2")
    assert answer.lines[0].verdict == "done"
    assert answer.mails == []
    assert told(bag, (seat + 1) % 4)[0].verdict == "desk"


def test_a_message_that_is_gone_leaves_its_record(bag: Postbag) -> None:
    seat, mail = bidding(bag)
    bag.do(lambda tx: tx.drop_mail_bytes(mail))
    answer = bag.send(seat, "DISPUTE BID 2")
    assert answer.mails == []
    assert told(bag, (seat + 1) % 4)[0].verdict == "record"


def hosted(*seats: int) -> Postbag:
    """Anna's table; these seats have placed a card, and deny it."""
    bag = a_table()
    bag.game_id = bag.room.open(host=0, command_id="hosted")
    bag.room.join_all(bag.game_id)
    for seat in seats:
        bag.room.do(bag.game_id, Play(seat=seat, card=bag.game.seats[seat].hand[0]))
        bag.send(seat, "DISPUTE")
    return bag


def test_the_host_lets_it_stand_and_everybody_hears_it() -> None:
    bag = hosted(2)
    assert bag.send(1, "STANDS").lines[0].code == "host/only"
    assert bag.send(0, "STANDS").lines[0].verdict == "done"
    assert not bag.game.disputes
    assert [len(bag.owed(seat, "settled")) for seat in range(4)] == [0, 1, 1, 1]


def test_the_host_settles_no_dispute_of_their_own() -> None:
    assert hosted(0).send(0, "STANDS").lines[0].code == "dispute/own"


@pytest.mark.parametrize("line", ["STANDS", "STANDS Zoe"])
def test_of_two_the_host_is_asked_which_one_stands_and_nobody_else_is(line: str) -> None:
    bag = hosted(1, 2)
    assert bag.send(1, line).lines[0].code == "host/only"
    answer = bag.send(0, line)
    assert (answer.lines[0].verdict, answer.offers) == ("asked", ["STANDS Ben", "STANDS Cara"])
    assert bag.send(0, answer.offers[1]).lines[0].verdict == "done"
    assert [one.seat for one in bag.game.disputes] == [1]


def test_behind_the_name_the_host_may_say_more() -> None:
    bag = hosted(1, 2)
    assert bag.send(0, "STANDS Cara, it was you").lines[0].verdict == "done"
    assert [one.seat for one in bag.game.disputes] == [1]


@pytest.mark.parametrize("line", ["DISPUTE", "DISPUTE PASS"])
def test_who_has_one_open_is_told_so_also_without_another_move(line: str) -> None:
    assert hosted(1).send(1, line).lines[0].code == "dispute/open"


def test_after_the_end_everybody_hears_of_it_once_and_for_a_month(bag: Postbag) -> None:
    seat, mail = bidding(bag)
    bag.room.play(bag.game_id)
    size, others = bag.size, [other for other in range(4) if other != seat]
    assert not any(told(bag, other) for other in others)
    answer = bag.send(seat, "DISPUTE BID 2 round 1")
    assert (answer.lines[0].verdict, answer.mails, bag.size) == ("done", [mail], size)
    told_all = [[(one.by, one.move, one.round, one.verdict) for one in told(bag, other)] for other in others]
    assert told_all == [[(seat, "the bid of 2", 1, "kept")]] * 3
    assert [one.is_stale(bag.game) for other in range(4) for one in told(bag, other)].count(True) == 1
    assert bag.send(seat, "DISPUTE BID 2 round 1").lines[0].code == "dispute/again"
    bag.room.clock.now += timedelta(days=31)
    assert bag.send(seat, "DISPUTE card round 1").lines[0].code == "dispute/over"


@pytest.mark.parametrize("words", ["DISPUTE BID 2", "DISPUTE the shuffle"])
def test_who_left_for_good_denies_nothing_after_the_end_either(bag: Postbag, words: str) -> None:
    seat, _ = bidding(bag)
    bag.room.do(bag.game_id, Leave(seat=seat, for_good=True))
    bag.room.play(bag.game_id)
    assert bag.send(seat, words).lines[0].code == "seat/gone"
    assert not any(told(bag, other) for other in range(4))


@pytest.mark.parametrize("seat", range(4))
def test_every_move_can_be_denied_for_what_it_was_also_after_the_last_cards(seat: int) -> None:
    """The cards of the last round are placed by the rules: they are nobody's moves."""
    played = a_game_played(4)
    moves = fold(played.events).seats[seat].moves
    assert {one.turn: one.what for one in moves_of(played.envelopes, seat, moves)} == moves


def test_after_the_end_two_a_day_are_enough(bag: Postbag) -> None:
    seat, _ = bidding(bag)
    bag.room.play(bag.game_id)
    said = [bag.send(seat, f"DISPUTE card round {round_}").lines[0] for round_ in (1, 2, 3)]
    assert [(one.verdict, one.code) for one in said] == [
        ("done", ""), ("done", ""), ("refused", "dispute/too_often"),
    ]  # fmt: skip
    bag.room.clock.now += timedelta(days=1, seconds=1)
    assert bag.send(seat, "DISPUTE card round 3").lines[0].verdict == "done"


def test_it_is_counted_where_nobody_else_is_left(bag: Postbag) -> None:
    seat, _ = bidding(bag)
    for other in range(4):
        if other != seat:
            bag.room.do(bag.game_id, Leave(seat=other, for_good=True))
    bag.room.play(bag.game_id)
    codes = [bag.send(seat, "DISPUTE BID 2 round 1").lines[0].code for _ in range(2)]
    assert codes == ["", "dispute/again"]
    assert not any(told(bag, other) for other in range(4) if other != seat)


def test_a_denial_that_was_taken_back_is_not_told_because_of_the_next_one(bag: Postbag) -> None:
    seat, _ = bidding(bag)
    bag.send(seat, "DISPUTE BID 2")
    bag.send(seat, "DISPUTE OFF")
    bag.send(seat, "DISPUTE card")
    assert [one.is_stale(bag.game) for one in told(bag, (seat + 1) % 4)] == [True, False]
