"""Orders given in advance, in a service: the table moves on by them, in one step, and is told of it once."""

from __future__ import annotations

from datetime import timedelta

import orjson
import pytest

from felix_async.audit.audit import audit
from felix_async.game.commands import Bid, Give, Leave, Move, Pass, Play, Vote
from felix_async.seat_logs import MOST_ORDERS
from felix_async.service import Origin, Outcome
from felix_events.envelope import check_seat_envelopes, seat_log_id
from felix_events.model import BidPlaced, CardPlaced, Event, OrderDone, OrderDropped, PlayerPassed, Terms
from games import Room, a_room, a_started_room, place_all
from table import ANNA, BEN, CARA, DAN
from written import said_text


def say(room: Room, game_id: str, *gives: Give, move: Move | None = None) -> Outcome:
    """Say something in advance, by mail."""
    room.commands += 1
    origin = Origin(f"said-{room.commands}", "seat", "mail", "0" * 64, said_text(gives, move))
    with room.store.write() as tx:
        return room.service.instruct(tx, game_id, gives, origin, move)


def up_to(seat: int, limit: int, *, asks: bool = False, first: int | None = None) -> Give:
    return Give(seat=seat, kind="bid", first=first, limit=limit, then="ask" if asks else "pass")


def bidding(clock: Terms | None = None) -> tuple[Room, str]:
    """Round 1, all cards lie, Anna is to bid."""
    room = a_room()
    game_id = room.open(start=0, clock=clock)
    room.join_all(game_id)
    place_all(room, game_id)
    return room, game_id


def own_log(room: Room, game_id: str, seat: int) -> list[Event]:
    with room.store.read() as reader:
        bodies = reader.bodies(seat_log_id(game_id, seat))
    return [envelope.data for envelope in check_seat_envelopes(bodies)]


def moves(room: Room, game_id: str) -> list[tuple[int, int]]:
    """The bids of the round, by seat; a pass is 0."""
    with room.store.read() as reader:
        events = [orjson.loads(body) for body in reader.bodies(game_id)]
    kinds = {BidPlaced.type: "amount", PlayerPassed.type: ""}
    return [
        (one["data"]["seat"], one["data"].get(kinds[one["type"]], 0))
        for one in events
        if one["type"] in kinds
    ]


def test_a_limit_goes_on_by_itself_until_it_is_passed() -> None:
    room, game_id = bidding()
    say(room, game_id, up_to(BEN, 4))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    assert moves(room, game_id) == [(ANNA, 1), (BEN, 2)]


def test_two_limits_fight_it_out_in_one_transaction() -> None:
    room, game_id = bidding()
    for seat, limit in ((BEN, 9), (CARA, 3), (DAN, 6)):
        say(room, game_id, up_to(seat, limit))
    room.do(game_id, Bid(seat=ANNA, amount=2))
    assert moves(room, game_id) == [(ANNA, 2), (BEN, 3), (CARA, 0)]


def test_an_order_in_turn_acts_at_once() -> None:
    room, game_id = bidding()
    say(room, game_id, up_to(ANNA, 5, first=3))
    assert moves(room, game_id) == [(ANNA, 3)]


def test_an_early_pass_comes_when_it_is_its_turn() -> None:
    room, game_id = bidding()
    say(room, game_id, Give(seat=BEN, kind="pass"))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    assert moves(room, game_id) == [(ANNA, 1), (BEN, 0)]


def test_above_a_limit_then_ask_the_seat_is_asked() -> None:
    room, game_id = bidding()
    say(room, game_id, up_to(BEN, 4, asks=True))
    room.do(game_id, Bid(seat=ANNA, amount=4))
    assert room.game(game_id).asked == [BEN]


def test_a_limit_ends_when_a_card_turns() -> None:
    room, game_id = bidding()
    say(room, game_id, up_to(BEN, 4))
    room.do(game_id, Pass(seat=ANNA))
    assert room.game(game_id).asked == [BEN]


def test_a_later_limit_takes_the_place_of_the_earlier() -> None:
    room, game_id = bidding()
    say(room, game_id, up_to(BEN, 4))
    say(room, game_id, up_to(BEN, 2))
    room.do(game_id, Bid(seat=ANNA, amount=3))
    assert moves(room, game_id) == [(ANNA, 3), (BEN, 0)]


def test_a_card_for_the_next_round_is_placed_as_it_begins() -> None:
    room, game_id = bidding()
    card = room.game(game_id).seats[BEN].hand[-1]
    say(room, game_id, Give(seat=BEN, kind="next", card=card))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    for seat in (BEN, CARA, DAN):
        room.do(game_id, Pass(seat=seat))
    game = room.game(game_id)
    assert (game.round, game.seats[BEN].placed, game.asked) == (2, card, [ANNA, CARA, DAN])


def test_a_pass_with_a_card_behind_it_can_end_the_round_and_begin_the_next() -> None:
    room, game_id = bidding()
    hands = [state.hand[-1] for state in room.game(game_id).seats]
    room.do(game_id, Bid(seat=ANNA, amount=1))
    say(room, game_id, Give(seat=ANNA, kind="next", card=hands[ANNA]))
    for seat in (BEN, CARA, DAN):
        say(room, game_id, Give(seat=seat, kind="next", card=hands[seat]), move=Pass(seat=seat))
    game = room.game(game_id)
    assert (game.round, game.phase, game.turned) == (2, "bidding", [hands[ANNA]])


def test_if_one_of_several_is_refused_nothing_is_done() -> None:
    room, game_id = bidding()
    placed = room.game(game_id).seats[ANNA].placed
    outcome = say(room, game_id, Give(seat=ANNA, kind="next", card=placed), move=Bid(seat=ANNA, amount=1))
    assert outcome.refusal is not None
    assert (moves(room, game_id), own_log(room, game_id, ANNA)) == ([], [])


@pytest.mark.slow
def test_only_so_much_can_be_said_in_a_round() -> None:
    """Each order stays in the seat's log; what was said last counts, and a move is done as always."""
    room, game_id = bidding()
    for limit in range(1000):
        outcome = say(room, game_id, up_to(BEN, 2 + limit % 2))
    assert outcome.refusal is not None
    assert outcome.refusal.code == "ahead/too_many"
    assert len(own_log(room, game_id, BEN)) == 2 * MOST_ORDERS - 1
    room.do(game_id, Bid(seat=ANNA, amount=2))
    assert moves(room, game_id) == [(ANNA, 2), (BEN, 3)]


def test_in_the_next_round_as_much_can_be_said_again() -> None:
    room, game_id = bidding()
    for limit in range(MOST_ORDERS):
        say(room, game_id, up_to(BEN, 2 + limit % 2))
    room.play(game_id, until=lambda game: game.round == 2)
    card = room.game(game_id).seats[BEN].hand[0]
    assert say(room, game_id, Give(seat=BEN, kind="next", card=card)).refusal is None


def test_all_of_a_chain_has_one_time() -> None:
    room, game_id = bidding()
    for seat, limit in ((BEN, 9), (CARA, 8), (DAN, 7)):
        say(room, game_id, up_to(seat, limit))
    before = room.game(game_id).version
    room.do(game_id, Bid(seat=ANNA, amount=1))
    with room.store.read() as reader:
        times = {orjson.loads(body)["at"] for body in reader.bodies(game_id, before)}
    assert len(times) == 1


def test_the_clock_runs_only_where_the_table_rests() -> None:
    room, game_id = bidding(Terms(move=86400, reserve=0, zone="Europe/Berlin", weekends=True, away=0))
    say(room, game_id, up_to(BEN, 9))
    before = room.game(game_id).version
    room.do(game_id, Bid(seat=ANNA, amount=1))
    with room.store.read() as reader:
        events = [orjson.loads(body) for body in reader.bodies(game_id, before)]
    assert [one["data"]["seat"] for one in events if one["type"] == "deadline_set"] == [CARA]


def test_an_order_says_when_it_was_done() -> None:
    room, game_id = bidding()
    say(room, game_id, Give(seat=BEN, kind="pass"))
    size = room.game(game_id).version
    room.do(game_id, Bid(seat=ANNA, amount=1))
    assert own_log(room, game_id, BEN)[-1] == OrderDone(seat=BEN, size=size + 1, order=1)


def test_whoever_leaves_has_no_orders_any_more() -> None:
    room, game_id = bidding()
    say(room, game_id, up_to(BEN, 9))
    room.do(game_id, Leave(seat=BEN, for_good=False))
    (_, dropped) = own_log(room, game_id, BEN)
    assert isinstance(dropped, OrderDropped)
    assert dropped.why == "left"


def test_who_bids_by_hand_has_no_limit_any_more() -> None:
    room, game_id = bidding()
    say(room, game_id, up_to(ANNA, 3, asks=True))
    for seat in (BEN, CARA, DAN):
        room.do(game_id, Bid(seat=seat, amount=room.game(game_id).high_bid + 1))
    room.do(game_id, Bid(seat=ANNA, amount=9))
    last = own_log(room, game_id, ANNA)[-1]
    assert isinstance(last, OrderDropped)
    assert last.why == "replaced"


def test_an_order_that_is_given_shows_in_no_game_log() -> None:
    room, game_id = bidding()
    before = room.evidence(game_id).bodies
    say(room, game_id, up_to(BEN, 9))
    assert room.evidence(game_id).bodies == before


def test_the_end_names_the_roots_of_the_seats_logs() -> None:
    room, game_id = bidding()
    say(room, game_id, up_to(BEN, 4))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    room.play(game_id)
    with room.store.read() as reader:
        closed = orjson.loads(reader.bodies(game_id)[-2])
    assert closed["type"] == "seat_logs_closed"


@pytest.mark.parametrize("card", ["in hand", "not in hand"])
def test_a_card_that_was_placed_after_all_is_not_the_next_one(card: str) -> None:
    room, game_id = a_started_room()
    hand = room.game(game_id).seats[ANNA].hand
    room.do(game_id, Play(seat=ANNA, card=hand[0]))
    say(room, game_id, Give(seat=ANNA, kind="next", card=hand[1]))
    if card == "not in hand":
        room.do(game_id, Play(seat=ANNA, card=hand[1]))
    for seat in (BEN, CARA, DAN):
        room.do(game_id, Play(seat=seat, card=room.game(game_id).seats[seat].hand[0]))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    for seat in (BEN, CARA, DAN):
        room.do(game_id, Pass(seat=seat))
    with room.store.read() as reader:
        placed = [orjson.loads(body) for body in reader.bodies(game_id)][-1]
    assert (placed["type"] == CardPlaced.type) == (card == "in hand")


@pytest.mark.parametrize("end", ["abandoned", "left for good", "imported"])
def test_nothing_is_kept_where_nothing_can_be_said(end: str) -> None:
    room, game_id = bidding()
    card = room.game(game_id).seats[BEN].hand[-1]
    if end == "left for good":
        room.do(game_id, Leave(seat=BEN, for_good=True))
    elif end == "abandoned":
        for seat in (ANNA, BEN, CARA):
            room.do(game_id, Vote(seat=seat, on="abandon"))
    else:
        with room.store.write() as tx:
            tx._sql("UPDATE games SET seed = NULL")  # type: ignore[attr-defined]  # as of a game from a file
    before = own_log(room, game_id, BEN)
    assert say(room, game_id, Give(seat=BEN, kind="next", card=card)).refusal is not None
    assert own_log(room, game_id, BEN) == before


def test_a_clock_that_is_set_back_does_not_put_a_move_before_its_order() -> None:
    room, game_id = bidding()
    room.clock.now += timedelta(hours=1)
    say(room, game_id, up_to(BEN, 9))
    room.clock.now -= timedelta(minutes=30)
    room.do(game_id, Bid(seat=ANNA, amount=1))
    with room.store.read() as reader:
        given = orjson.loads(reader.bodies(seat_log_id(game_id, BEN))[0])
        moved = orjson.loads(reader.bodies(game_id)[-1])
    assert moved["at"] >= given["at"]


def test_a_card_that_was_placed_now_does_not_come_back_for_the_next_round() -> None:
    room, game_id = a_started_room()
    hand = room.game(game_id).seats[ANNA].hand
    room.do(game_id, Play(seat=ANNA, card=hand[0]))
    say(room, game_id, Give(seat=ANNA, kind="next", card=hand[1]))
    for card in (hand[1], hand[0]):
        room.do(game_id, Play(seat=ANNA, card=card))
    last = own_log(room, game_id, ANNA)[-1]
    assert isinstance(last, OrderDropped)
    assert (last.why, audit(room.evidence(game_id)).findings) == ("replaced", [])


def test_the_move_of_an_order_that_the_host_gave_is_the_host_s() -> None:
    room, game_id = bidding()
    with room.store.write() as tx:
        desk = Origin("desk-1", "host", "desk", order="UP TO 4")
        room.service.instruct(tx, game_id, [up_to(BEN, 4)], desk)
    room.do(game_id, Bid(seat=ANNA, amount=1))
    with room.store.read() as reader:
        moved = orjson.loads(reader.bodies(game_id)[-1])
    assert (moved["type"], moved["actor"]) == ("bid_placed", "host")
    assert audit(room.evidence(game_id)).findings == []
