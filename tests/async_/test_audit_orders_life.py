"""Orders given in advance when people leave, come back, are late or away: what felix writes then is sound."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from async_.test_ahead import bidding, own_log, say, up_to
from felix_async.audit.audit import audit
from felix_async.clock import later, text_of
from felix_async.game.commands import (
    Absent,
    Bid,
    Command,
    Give,
    Leave,
    Pass,
    Play,
    Recall,
    Resume,
    Return,
    TimeOut,
    Vote,
)
from felix_async.service import Origin, Player
from felix_events.envelope import check_envelopes, check_seat_envelopes, seat_log_id
from felix_events.model import OrderDropped, Terms
from games import Room, cut, found, reordered
from table import ANNA, BEN, CARA, DAN

CLOCK = Terms(move=86400, reserve=3600, zone="Europe/Berlin", weekends=True, away=40 * 86400)


def the_next(room: Room, game_id: str, seat: int) -> Give:
    return Give(seat=seat, kind="next", card=room.game(game_id).seats[seat].hand[-1])


def talking(clock: Terms | None = CLOCK) -> tuple[Room, str]:
    """Anna is to bid; Ben goes up to 9, and asks above; he and Dan have named a card for the next round."""
    room, game_id = bidding(clock)
    say(room, game_id, up_to(BEN, 9, asks=True), the_next(room, game_id, BEN))
    say(room, game_id, the_next(room, game_id, DAN))
    return room, game_id


def why(room: Room, game_id: str, seat: int) -> list[str]:
    return [event.why for event in own_log(room, game_id, seat) if isinstance(event, OrderDropped)]


def assert_sound(room: Room, game_id: str) -> None:
    """Wherever the table rested, and played on to the end."""
    assert audit(room.evidence(game_id)).findings == []
    room.play(game_id)
    evidence = room.evidence(game_id)
    assert audit(evidence).findings == []
    for one, after in pairwise(check_envelopes(evidence.bodies)):
        if one.at != after.at:
            assert audit(cut(evidence, one.version)).findings == [], one.version


@pytest.mark.slow
@pytest.mark.parametrize("for_good", [False, True], ids=["STOP", "RESIGN"])
def test_whoever_leaves(for_good: bool) -> None:
    room, game_id = talking()
    room.do(game_id, Leave(seat=BEN, for_good=for_good))
    assert why(room, game_id, BEN) == ["left", "left"]
    if not for_good:
        room.do(game_id, Bid(seat=ANNA, amount=1))
        room.do(game_id, Return(seat=BEN))
        say(room, game_id, the_next(room, game_id, BEN))
    assert_sound(room, game_id)


@pytest.mark.slow
@pytest.mark.parametrize("late", [ANNA, BEN])
def test_whose_time_is_up(late: int) -> None:
    room, game_id = talking()
    if late == BEN:
        room.do(game_id, Bid(seat=ANNA, amount=9))
    else:
        say(room, game_id, the_next(room, game_id, ANNA))
    state = room.game(game_id).seats[late]
    room.clock.now += timedelta(days=3)
    room.do(game_id, TimeOut(seat=late, turn=state.turn))
    assert "timed_out" in why(room, game_id, late)
    assert_sound(room, game_id)


@pytest.mark.slow
def test_who_sits_down_for_somebody() -> None:
    room, game_id = talking()
    say(room, game_id, the_next(room, game_id, CARA))
    room.do(game_id, Leave(seat=BEN, for_good=False))
    say(room, game_id, up_to(BEN, 4))
    new = Player("new-1", "Nora", "nora@players.test")
    origin = Origin("sub-1", "seat", "mail", "0" * 64, "SUBSTITUTE")
    with room.store.write() as tx:
        room.service.seat_substitute(tx, game_id, BEN, new, address="nora@players.test", origin=origin)
    assert why(room, game_id, BEN)[-1] == "substituted"
    assert_sound(room, game_id)


@pytest.mark.slow
@pytest.mark.parametrize("computer", [False, True], ids=["waits", "computer"])
def test_who_is_away(computer: bool) -> None:
    room, game_id = talking()
    now = text_of(room.clock.now)
    room.do(game_id, Absent(seat=BEN, start=now, back=later(now, 20 * 86400), computer=computer))
    assert why(room, game_id, BEN) == []
    room.do(game_id, Bid(seat=ANNA, amount=2))
    for seat in (CARA, DAN):
        room.do(game_id, Bid(seat=seat, amount=room.game(game_id).high_bid + 1))
    room.do(game_id, Bid(seat=ANNA, amount=12))
    if not computer:
        room.do(game_id, Recall(seat=BEN))
    assert_sound(room, game_id)


@pytest.mark.slow
@pytest.mark.parametrize("given", ["before", "meanwhile"])
def test_a_pause_runs_no_order_and_keeps_it(given: str) -> None:
    room, game_id = bidding(CLOCK)
    if given == "before":
        say(room, game_id, up_to(BEN, 9))
    room.do(game_id, Bid(seat=ANNA, amount=1)) if given == "meanwhile" else None
    for seat in (BEN, CARA, DAN):
        room.do(game_id, Vote(seat=seat, on="pause"))
    assert room.game(game_id).paused_until
    if given == "meanwhile":
        say(room, game_id, up_to(BEN, 9))
    else:
        room.do(game_id, Bid(seat=ANNA, amount=1))
    before = room.game(game_id)
    assert (before.to_move, before.high_bid) == (BEN, 1)
    room.do(game_id, Resume(seat=CARA))
    assert room.game(game_id).high_bid == 2
    assert_sound(room, game_id)


def test_a_game_that_is_abandoned() -> None:
    room, game_id = talking()
    for seat in (ANNA, BEN, CARA, DAN):
        if not room.game(game_id).is_over:
            room.do(game_id, Vote(seat=seat, on="abandon"))
    evidence = room.evidence(game_id)
    assert [one.type for one in check_envelopes(evidence.bodies)][-3:] == [
        "game_abandoned", "seat_logs_closed", "seed_revealed"
    ]  # fmt: skip
    assert audit(evidence).findings == []


@pytest.mark.slow
def test_tokens_made_void_drop_what_was_said() -> None:
    room, game_id = talking()
    with room.store.write() as tx:
        assert len(room.service.drop_orders(tx, game_id, BEN, "rekeyed")) == 2
    assert_sound(room, game_id)


@pytest.mark.slow
def test_a_card_that_is_exchanged_and_a_pass_that_is_said_twice() -> None:
    room, game_id = bidding()
    for _ in range(2):
        say(room, game_id, Give(seat=BEN, kind="pass"))
    say(room, game_id, Give(seat=CARA, kind="pass"), the_next(room, game_id, CARA))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    room.do(game_id, Pass(seat=DAN))
    game = room.game(game_id)
    assert (game.round, game.seats[CARA].has_placed) == (2, True)
    room.do(game_id, Play(seat=CARA, card=game.seats[CARA].hand[0]))
    assert_sound(room, game_id)


def test_a_clock_that_was_set_back_does_not_turn_what_was_said_around() -> None:
    room, game_id = talking()
    room.clock.now -= timedelta(hours=2)
    say(room, game_id, up_to(BEN, 4))
    room.do(game_id, Bid(seat=ANNA, amount=1))
    with room.store.read() as reader:
        times = [one.at for one in check_seat_envelopes(reader.bodies(seat_log_id(game_id, BEN)))]
    assert times == sorted(times)
    assert_sound(room, game_id)


def test_a_step_that_lacks_its_clock_although_no_order_follows_is_found() -> None:
    """Two moves at the same moment, and the first one set no clock: as if an order had followed."""
    room, game_id = bidding(CLOCK)
    room.clock.step = timedelta(0)
    commands: list[Command] = [Bid(seat=ANNA, amount=1), Bid(seat=BEN, amount=2)]
    for command in commands:
        room.do(game_id, command)
    evidence = room.evidence(game_id)
    assert audit(evidence).findings == []
    last = len(evidence.bodies)
    types = [one.type for one in check_envelopes(evidence.bodies)][-4:]
    assert types == ["bid_placed", "deadline_set", "bid_placed", "deadline_set"]

    lacking = reordered(evidence, [*range(1, last - 2), last - 1, last])
    assert found(lacking) == {"seats": last - 3}
