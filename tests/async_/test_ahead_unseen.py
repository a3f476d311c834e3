"""Two services beside each other, in which one seat says other things in advance: nothing else differs.

Not a byte of the game's log, no notice and no due row of the others, and no outcome of what they do. What is
drawn for a seat's own log comes from a stream of its own: salts are random in a real server, and say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from random import Random
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felix_async.game.commands import Bid, Command, Give, Pass, Play, Say, Vote
from felix_async.game.state import Game
from felix_async.seat_logs import Moving
from felix_async.service import Origin, Outcome
from felix_events.model import Terms
from felix_events.store.rows import Choice, Notify
from games import Room, SeededEntropy, a_room, players

CLOCK = Terms(move=86400, reserve=3600, zone="Europe/Berlin", weekends=False, away=0)
HIGHEST, LIMITS = 8, (9, 12)
NOTIFIED: tuple[Notify, ...] = ("turns", "all", "daily", "mine")
THEN: tuple[Literal["pass", "ask"], ...] = ("pass", "ask")


@pytest.fixture(autouse=True, scope="module")
def a_stream_for_each_purpose() -> Iterator[None]:
    real = Moving.note

    def note(moving: Moving, *args: Any) -> int:
        other, moving.entropy = moving.entropy, SeededEntropy("a seat's own log")
        try:
            return real(moving, *args)
        finally:
            moving.entropy = other

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Moving, "note", note)
        yield


class Pair:
    """Both tables; time goes by in both alike."""

    def __init__(self, numbers: Random) -> None:
        self.numbers = numbers
        self.seats = numbers.choice((3, 4, 5))
        self.seat = numbers.randrange(self.seats)
        self.rooms = (a_room(), a_room())
        self.steps = 0
        clock = numbers.choice((None, CLOCK))
        for room in self.rooms:
            room.clock.step = timedelta()
            self.game_id = room.open(self.seats, start=0, clock=clock)
            room.join_all(self.game_id)
        for player in players(self.seats):
            notify: Notify = numbers.choice(NOTIFIED)
            for room in self.rooms:
                with room.store.write() as tx:
                    tx.choose(Choice(player.player_id, notify=notify))

    @property
    def game(self) -> Game:
        with self.rooms[0].store.read() as reader:
            return self.rooms[0].service.load(reader, self.game_id)

    def origin(self, who: str) -> Origin:
        return Origin(f"{who}-{self.steps}", "seat", "mail", "0" * 64, who)

    def do(self, command: Command) -> None:
        """Somebody does the same at both tables, and is told the same."""
        self.steps += 1
        told: list[str] = []
        for room in self.rooms:
            room.clock.now += timedelta(minutes=7)
            told.append(room.do(self.game_id, command, self.origin("does")).dump(self.game_id))
        assert told[0] == told[1]
        self.are_alike()

    def say(self, give: Give, *numbers: int) -> list[Outcome]:
        """The seat says something in advance at the tables of these numbers."""
        self.steps += 1
        outcomes = []
        for number in numbers:
            with self.rooms[number].store.write() as tx:
                origin = self.origin("says")
                outcomes.append(self.rooms[number].service.instruct(tx, self.game_id, [give], origin))
        return outcomes

    def drop(self, number: int) -> None:
        self.steps += 1
        with self.rooms[number].store.write() as tx:
            self.rooms[number].service.drop_orders(tx, self.game_id, self.seat, "asked", self.origin("drops"))

    def are_alike(self) -> None:
        one, two = (self._of_others(room) for room in self.rooms)
        assert one == two

    def _of_others(self, room: Room) -> tuple[object, ...]:
        with room.store.read() as reader:
            return (
                list(reader.bodies(self.game_id)),
                [row for row in reader.notices(self.game_id) if row.seat != self.seat],
                [row for row in reader.due_of(self.game_id) if row.seat != self.seat],
                reader.game_lines(),
            )

    def move_on(self, highest: int) -> None:
        """One of the players does something."""
        game, numbers = self.game, self.numbers
        other = numbers.randrange(self.seats)
        if numbers.random() < 0.1:
            self.do(Say(seat=other, text_hash="0" * 64))
        elif numbers.random() < 0.05:
            self.do(Vote(seat=other, on="pause"))
        if game.phase == "placing":
            seat = numbers.choice(game.asked)
            self.do(Play(seat=seat, card=numbers.choice(game.seats[seat].hand)))
            return
        assert game.to_move is not None
        least, mice = game.high_bid + 1, game.seats[game.to_move].mice
        if least <= min(highest, mice) and numbers.random() < 0.7:
            self.do(Bid(seat=game.to_move, amount=least))
        else:
            self.do(Pass(seat=game.to_move))


def anything(pair: Pair) -> Give:
    """Something that the seat may try to say, also if that is refused."""
    numbers, seat = pair.numbers, pair.seat
    kind = numbers.choice(("bid", "bid", "pass", "next"))
    if kind == "next":
        return Give(seat=seat, kind="next", card=numbers.choice(("large_dog", 3, 8, -5)))
    if kind == "pass":
        return Give(seat=seat, kind="pass")
    first = numbers.choice((None, numbers.randint(1, 9)))
    limit = None if first is not None and numbers.random() < 0.5 else numbers.randint(1, 15)
    return Give(seat=seat, kind="bid", first=first, limit=limit, then=numbers.choice(THEN))


def is_asked(game: Game, seat: int) -> bool:
    return game.phase == "bidding" and game.to_move == seat


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_what_is_said_and_taken_back_leaves_no_trace(numbers: Random) -> None:
    pair = Pair(numbers)
    for _ in range(20):
        if pair.game.is_over:
            return
        if not is_asked(pair.game, pair.seat):
            for _ in range(numbers.randrange(3)):
                pair.say(anything(pair), 1)
                pair.are_alike()
        pair.drop(1)
        pair.are_alike()
        pair.move_on(99)


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_a_limit_that_nobody_reaches_may_be_any(numbers: Random) -> None:
    """Also that of a seat that is asked again above it."""
    pair = Pair(numbers)
    then = numbers.choice(THEN)
    for _ in range(20):
        if pair.game.is_over:
            return
        game, seat = pair.game, pair.seat
        can = game.seats[seat].mice >= max(LIMITS) and game.high_bid < min(LIMITS)
        if can and game.phase == "bidding" and seat in game.bidders:
            for number, limit in enumerate(LIMITS):
                pair.say(Give(seat=seat, kind="bid", limit=limit, then=then), number)
            pair.are_alike()
        pair.move_on(HIGHEST)


def checked(pair: Pair, act: Callable[[], object]) -> bool:
    act()
    try:
        pair.are_alike()
    except AssertionError:
        return False
    return True


def test_an_order_that_acts_leaves_a_trace() -> None:
    """Else these would prove nothing."""
    pair = Pair(Random(7))
    while pair.game.phase == "placing" or not is_asked(pair.game, pair.seat):
        pair.move_on(99)
    assert not checked(pair, lambda: pair.say(Give(seat=pair.seat, kind="bid", limit=12), 1))
