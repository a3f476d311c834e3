"""A game that is played by the clock, in which a test lets time pass, and what its mails tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from felix_async.clock import text_of
from felix_async.game.commands import Bid, Command, Play, TimeOut
from felix_async.game.story import Story
from felix_async.game.views import view
from felix_events.envelope import Envelope, check_envelopes
from felix_events.model import Card, Terms
from felix_notifiers.content.history import since_last_move
from felix_notifiers.content.occasion import Occasion
from games import NAMES, Room, a_room
from notifiers.sheets import snapshot, true_purses
from table import ANNA, BEN, CARA, DAN

DAY: Final = 24 * 3600
BERLIN: Final = "Europe/Berlin"
PLAIN: Final = Terms(move=3 * DAY)
WITH_RESERVE: Final = Terms(move=DAY, reserve=4 * DAY, weekends=False, zone=BERLIN)


@dataclass
class Timed:
    """A game by the clock, and what is done in it."""

    room: Room
    game_id: str

    def do(self, *commands: Command) -> Timed:
        """Each of these is allowed."""
        for command in commands:
            outcome = self.room.do(self.game_id, command)
            assert outcome.refusal is None, outcome.refusal
        return self

    def wait(self, **time: float) -> Timed:
        """So much time passes."""
        self.room.clock.now += timedelta(**time)
        return self

    def place(self, *seats: int) -> Timed:
        """These seats place the first card of the hand."""
        for seat in seats:
            self.do(Play(seat=seat, card=self.hand(seat)[0]))
        return self

    def hand(self, seat: int) -> Sequence[Card]:
        """The cards of a seat."""
        return self.room.game(self.game_id).seats[seat].hand

    def time_out(self, seat: int) -> Timed:
        """The seat's time is up."""
        state = self.room.game(self.game_id).seats[seat]
        assert state.time.deadline is not None
        return self.wait(days=30).do(TimeOut(seat=seat, turn=state.turn))

    @property
    def envelopes(self) -> list[Envelope]:
        """The log."""
        with self.room.store.read() as reader:
            return check_envelopes(reader.bodies(self.game_id))

    def occasion(self, *occasions: str, seat: int = BEN, rung: str = "", zone: str = BERLIN) -> Occasion:
        """What there is to tell about the game now."""
        story, game = Story.of(self.envelopes), self.room.game(self.game_id)
        versions = [len(story.steps)]
        return Occasion(
            game=snapshot(
                view(game, seat),
                NAMES[: len(game.seats)],
                since=story.asked_since,
                zone=zone,
                now=text_of(self.room.clock.now),
                purses=true_purses(game),
            ),
            kinds=set(occasions),
            history=since_last_move(story, NAMES, seat, zone=zone),
            has_moved=story.has_moved(seat),
            sale=story.sale,
            rung=rung,
            timeouts=story.timeouts(seat, versions) if "timed_out" in occasions else (),
            changes=story.changes(seat, versions) if "absent" in occasions else (),
        )


def a_timed_game(
    terms: Terms | None = PLAIN, *, seats: int = 4, start: int = ANNA, host: int = ANNA
) -> Timed:
    """A game in round 1 that nobody has moved in; the clock stands still unless it is moved."""
    room = a_room()
    room.clock.step = timedelta()
    game_id = room.open(seats, start=start, host=host, clock=terms)
    room.join_all(game_id)
    return Timed(room, game_id)


def in_auction(terms: Terms = PLAIN, host: int = ANNA) -> Timed:
    """Anna has bid, and Ben is asked."""
    timed = a_timed_game(terms, host=host).place(ANNA, BEN, CARA, DAN)
    return timed.do(Bid(seat=ANNA, amount=2))


def days_on(timed: Timed, days: float) -> str:
    """A moment so many days from now, as it is stored."""
    return text_of(timed.room.clock.now + timedelta(days=days))
