"""Ends of orders in advance: a chain stops by itself, and a seat's log grows no more after the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

import orjson
import pytest

from async_.test_ahead import moves, own_log, say, up_to
from felix_async.audit.audit import audit
from felix_async.clock import text_of
from felix_async.game.commands import (
    Absent,
    Bid,
    Give,
    Leave,
    Pass,
    Resume,
    Return,
    TimeOut,
    Vote,
)
from felix_async.service import Origin, Player
from felix_events.envelope import seat_log_id
from felix_events.model import Card, Event, OrderDone, OrderDropped, Terms
from felix_events.store.base import Tx
from games import Room, a_room, place_all
from table import ANNA, BEN, CARA, DAN

CLOCK = Terms(move=86400, reserve=0, zone="UTC", weekends=True, away=21 * 86400)
ALL = 15
"""The mice of each seat in round 1."""


def table(seats: int = 4, clock: Terms | None = None) -> tuple[Room, str]:
    """Round 1, all cards lie, Anna is to bid."""
    room = a_room()
    game_id = room.open(seats, start=0, clock=clock)
    room.join_all(game_id)
    place_all(room, game_id)
    return room, game_id


def dropped(room: Room, game_id: str, seat: int) -> list[str]:
    return [event.why for event in own_log(room, game_id, seat) if isinstance(event, OrderDropped)]


def sound(room: Room, game_id: str) -> bool:
    return not audit(room.evidence(game_id)).findings


# ---- a chain ends -----------------------------------------------------------------------------------
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_all_who_go_up_to_all_they_have_come_to_an_end(seats: int) -> None:
    """The bids of a row are at most its mice, and a pass ends the orders for it."""
    room, game_id = table(seats)
    for seat in range(1, seats):
        assert say(room, game_id, up_to(seat, ALL)).refusal is None
    say(room, game_id, up_to(ANNA, ALL))
    amounts = [amount for _, amount in moves(room, game_id)]
    assert amounts[:ALL] == list(range(1, ALL + 1)), "each mouse is bid once, and nobody more than they have"
    assert amounts[ALL:] == [0] * (seats - 1), "by the rules: nobody else can bid any more"
    assert room.game(game_id).round == 2
    assert sound(room, game_id)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_round_that_all_have_said_ahead_rests_in_the_next_auction(seats: int) -> None:
    """Everybody passes, everybody's next card is there: one step, up to the last seat, which is asked."""
    room, game_id = table(seats)
    for seat in range(seats):
        say(room, game_id, Give(seat=seat, kind="next", card=room.game(game_id).seats[seat].hand[0]))
    for seat in range(seats - 1, 0, -1):
        say(room, game_id, Give(seat=seat, kind="pass"))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    game = room.game(game_id)
    assert (game.round, game.phase, game.asked) == (2, "bidding", [ANNA])
    assert sound(room, game_id)


def test_the_last_seat_is_asked_whatever_it_said_of_passing() -> None:
    room, game_id = table()
    for seat in (BEN, CARA, DAN):
        say(room, game_id, Give(seat=seat, kind="pass"))
    room.do(game_id, Pass(seat=ANNA))
    assert room.game(game_id).asked == [DAN]


def test_the_computer_moves_between_two_who_have_said_it_ahead() -> None:
    room, game_id = table()
    room.do(game_id, Leave(seat=CARA, for_good=False))
    say(room, game_id, up_to(BEN, 4))
    say(room, game_id, Give(seat=DAN, kind="pass"))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    seats = [seat for seat, _ in moves(room, game_id)]
    assert seats[:4] == [ANNA, BEN, CARA, DAN]
    assert sound(room, game_id)


# ---- orders fall ------------------------------------------------------------------------------------
def by_leaving(room: Room, game_id: str) -> None:
    room.do(game_id, Leave(seat=BEN, for_good=False))


def by_resigning(room: Room, game_id: str) -> None:
    room.do(game_id, Leave(seat=BEN, for_good=True))


def by_new_addresses(room: Room, game_id: str) -> None:
    with room.store.write() as tx:
        room.service.drop_orders(tx, game_id, BEN, "rekeyed")


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (by_leaving, "left"),
        (by_resigning, "left"),
        (by_new_addresses, "rekeyed"),
    ],
)
def test_what_ends_all_that_a_seat_has_said(how: Callable[[Room, str], None], why: str) -> None:
    """A limit above which Ben is asked, and the next card."""
    room, game_id = table(clock=CLOCK)
    say(room, game_id, up_to(BEN, 2, asks=True))
    say(room, game_id, Give(seat=BEN, kind="next", card=room.game(game_id).seats[BEN].hand[0]))
    how(room, game_id)
    assert dropped(room, game_id, BEN) == [why, why]
    with room.store.read() as reader:
        assert BEN not in room.service.ahead(reader, game_id)
    assert sound(room, game_id)


def test_whose_time_was_up_has_said_nothing_for_the_next_round() -> None:
    """The limit for the row has ended with the pass that time has made."""
    room, game_id = table(clock=CLOCK)
    say(room, game_id, up_to(BEN, 2, asks=True))
    say(room, game_id, Give(seat=BEN, kind="next", card=room.game(game_id).seats[BEN].hand[0]))
    room.do(game_id, Bid(seat=ANNA, amount=3))
    room.clock.now += timedelta(days=3)
    room.do(game_id, TimeOut(seat=BEN, turn=room.game(game_id).seats[BEN].turn))
    assert dropped(room, game_id, BEN) == ["timed_out"]
    with room.store.read() as reader:
        standing = room.service.ahead(reader, game_id).get(BEN)
    assert standing is None or standing.card is None
    assert sound(room, game_id)


def test_who_comes_after_a_player_has_said_nothing() -> None:
    """The card that the former player gave for the next round while away is nobody's any more."""
    room, game_id = table()
    room.do(game_id, Leave(seat=BEN, for_good=False))
    say(room, game_id, Give(seat=BEN, kind="next", card=room.game(game_id).seats[BEN].hand[0]))
    with room.store.write() as tx:
        origin = Origin("taken", "seat", "mail", "0" * 64)
        dora = Player("dora-1", "Dora", "dora@players.test")
        room.service.seat_substitute(tx, game_id, BEN, dora, address="dora@players.test", origin=origin)
    assert dropped(room, game_id, BEN) == ["substituted"]
    assert sound(room, game_id)


def test_dropping_what_is_done_already_drops_nothing() -> None:
    room, game_id = table()
    say(room, game_id, Give(seat=BEN, kind="pass"))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    with room.store.write() as tx:
        assert room.service.drop_orders(tx, game_id, BEN, "asked") == []
    assert dropped(room, game_id, BEN) == []


# ---- orders stay ------------------------------------------------------------------------------------
def test_who_is_away_bids_as_they_said() -> None:
    room, game_id = table(clock=CLOCK)
    say(room, game_id, up_to(BEN, 4))
    back = text_of(room.clock.now + timedelta(days=3))
    room.do(game_id, Absent(seat=BEN, start=text_of(room.clock.now), back=back, computer=False))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    assert moves(room, game_id) == [(ANNA, 1), (BEN, 2)]


def test_where_the_computer_plays_for_who_is_away_the_order_goes_first() -> None:
    room, game_id = table(clock=CLOCK)
    say(room, game_id, up_to(BEN, 7, first=7))
    back = text_of(room.clock.now + timedelta(days=3))
    room.do(game_id, Absent(seat=BEN, start=text_of(room.clock.now), back=back, computer=True))
    assert room.game(game_id).seats[BEN].computer
    room.do(game_id, Bid(seat=ANNA, amount=1))
    assert moves(room, game_id)[:2] == [(ANNA, 1), (BEN, 7)]
    with room.store.read() as reader:
        bids = [orjson.loads(body) for body in reader.bodies(game_id)]
    assert [one["actor"] for one in bids if one["type"] == "bid_placed"][:2] == ["seat", "seat"]
    assert sound(room, game_id)


def paused(room: Room, game_id: str) -> None:
    for seat in (ANNA, CARA, DAN):
        room.do(game_id, Vote(seat=seat, on="pause"))
    assert room.game(game_id).paused_until


def test_in_a_pause_nothing_that_was_said_is_done() -> None:
    room, game_id = table(clock=CLOCK)
    paused(room, game_id)
    say(room, game_id, up_to(ANNA, 3))
    say(room, game_id, up_to(BEN, 4))
    assert moves(room, game_id) == []


def test_when_it_goes_on_all_that_was_said_is_done_at_once() -> None:
    room, game_id = table(clock=CLOCK)
    say(room, game_id, up_to(BEN, 4))
    paused(room, game_id)
    say(room, game_id, up_to(ANNA, 3))
    room.do(game_id, Resume(seat=CARA))
    assert moves(room, game_id) == [(ANNA, 1), (BEN, 2)]
    assert sound(room, game_id)


# ---- put back ---------------------------------------------------------------------------------------
class _PutBack(Exception):
    """The end of a savepoint that must not be kept."""


@contextmanager
def tried(tx: Tx) -> Iterator[None]:
    """All that is done in here is put back as it was."""
    with suppress(_PutBack), tx.savepoint():
        yield
        raise _PutBack


def test_what_was_only_tried_has_not_been_said() -> None:
    """As felix does with an order that it asks about: it is done, and all is put back as it was."""
    room, game_id = table()
    origin = Origin("tried", "seat", "mail", "0" * 64, "UP TO 9")
    with room.store.write() as tx:
        with tried(tx):
            room.service.instruct(tx, game_id, [up_to(BEN, 9)], origin)
            room.service.handle(
                tx, game_id, Bid(seat=ANNA, amount=1), Origin("bid", "seat", "mail", "0" * 64, "BID 1")
            )
        assert room.service.ahead(tx, game_id) == {}
        room.service.handle(
            tx, game_id, Bid(seat=ANNA, amount=2), Origin("bid", "seat", "mail", "0" * 64, "BID 2")
        )
    assert moves(room, game_id) == [(ANNA, 2)]
    assert own_log(room, game_id, BEN) == []
    assert sound(room, game_id)


def test_a_chain_that_was_put_back_is_done_by_the_next_move() -> None:
    room, game_id = table()
    say(room, game_id, Give(seat=BEN, kind="pass"))
    with room.store.write() as tx:
        with tried(tx):
            room.service.handle(
                tx, game_id, Bid(seat=ANNA, amount=1), Origin("bid", "seat", "mail", "0" * 64, "BID 1")
            )
        room.service.handle(
            tx, game_id, Bid(seat=ANNA, amount=2), Origin("bid", "seat", "mail", "0" * 64, "BID 2")
        )
    assert moves(room, game_id) == [(ANNA, 2), (BEN, 0)]
    assert [type(event) for event in own_log(room, game_id, BEN)][-1] is OrderDone
    assert sound(room, game_id)


def test_the_same_words_twice_are_said_once() -> None:
    room, game_id = table()
    origin = Origin("said-once", "seat", "mail", "0" * 64, "UP TO 9")
    for _ in range(2):
        with room.store.write() as tx:
            outcome = room.service.instruct(tx, game_id, [up_to(BEN, 9)], origin)
    assert outcome.repeated
    assert len(own_log(room, game_id, BEN)) == 1


# ---- the end ----------------------------------------------------------------------------------------
def an_end(room: Room, game_id: str) -> list[list[Event]]:
    """All is said that can be said after the end; the seats' own logs then."""
    with room.store.read() as reader:
        seats = len(room.service.load(reader, game_id).seats)
    for seat in range(seats):
        card: Card = 3
        for give in (
            Give(seat=seat, kind="next", card=card),
            Give(seat=seat, kind="pass"),
            up_to(seat, 5),
        ):
            assert say(room, game_id, give).refusal is not None
            assert say(room, game_id, give, move=Pass(seat=seat)).refusal is not None
        with room.store.write() as tx:
            assert room.service.drop_orders(tx, game_id, seat, "asked") == []
            assert room.service.drop_orders(tx, game_id, seat, "rekeyed") == []
            assert room.service.ahead(tx, game_id) == {}
        room.do(game_id, Leave(seat=seat, for_good=True))
        room.do(game_id, Return(seat=seat))
    return [own_log(room, game_id, seat) for seat in range(seats)]


def said_to_the_last(end: str) -> tuple[Room, str]:
    """A game that came to its end while orders stood."""
    room, game_id = table()
    if end == "played":
        room.play(game_id, until=lambda game: game.round == 9 and len(game.bidders) == 2)
        game = room.game(game_id)
        (other,) = [seat for seat in game.bidders if seat != game.to_move]
        if game.seats[other].mice > game.high_bid:
            say(room, game_id, up_to(other, game.high_bid + 1, asks=True))
        room.play(game_id)
        return room, game_id
    say(room, game_id, up_to(BEN, 9))
    say(room, game_id, Give(seat=CARA, kind="next", card=room.game(game_id).seats[CARA].hand[0]))
    if end == "voted":
        for seat in (ANNA, BEN, CARA):
            room.do(game_id, Vote(seat=seat, on="abandon"))
    else:
        for seat in (ANNA, CARA, DAN, BEN):
            room.do(game_id, Leave(seat=seat, for_good=True))
    return room, game_id


@pytest.mark.parametrize("end", ["played", "voted", "left"])
def test_after_the_end_no_seats_log_grows(end: str) -> None:
    room, game_id = said_to_the_last(end)
    assert room.game(game_id).is_over
    before = [own_log(room, game_id, seat) for seat in range(4)]
    assert any(before)
    assert an_end(room, game_id) == before
    assert sound(room, game_id)


def test_an_order_that_ends_the_game_ends_before_the_logs_are_closed() -> None:
    room, game_id = table()
    room.play(game_id, until=lambda game: game.round == 9 and game.high_bid > 0 and len(game.bidders) == 2)
    game = room.game(game_id)
    seat = game.to_move
    assert seat is not None
    say(room, game_id, Give(seat=seat, kind="pass"))
    assert room.game(game_id).is_over
    assert isinstance(own_log(room, game_id, seat)[-1], OrderDone)
    with room.store.read() as reader:
        assert reader.head(seat_log_id(game_id, seat))[0] == len(own_log(room, game_id, seat))
    assert sound(room, game_id)
