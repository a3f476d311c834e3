"""The mails about time, for the gallery: each is cut out of a game that was played by the clock.

The game is opened, timed out, voted on and paused by the same service as a server's, so that deadlines,
defaults and the history are true ones. Ben reads, by the clock in Berlin unless it is said otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from felix_async.clock import text_of
from felix_async.game.commands import Absent, Bid, Command, Leave, Play, Resume, TimeOut, Vote
from felix_async.game.view import view
from felix_async.waiting import asked_since
from felix_events.envelope import Envelope, check_envelopes
from felix_events.model import Card, Terms
from felix_events.store.rows import NoticeKind
from felix_notifiers.history import since_last_move
from felix_notifiers.lapse import changes_of, lapses_of
from felix_notifiers.sheet import Sheet
from games import NAMES, TABLE_NAME, Room, a_room
from notifiers.sheets import REPLY_ADDRESS, an_answer
from table import ANNA, BEN, CARA, DAN, GAME_ID

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

    def sheet(self, *occasions: NoticeKind, seat: int = BEN, rung: str = "", zone: str = BERLIN) -> Sheet:
        """The sheet of a letter about the game as it stands."""
        envelopes = self.envelopes
        kinds: Set[NoticeKind] = set(occasions)
        versions = [len(envelopes)]
        return Sheet(
            game_id=GAME_ID,
            table_name=TABLE_NAME,
            names=NAMES[: len(self.room.game(self.game_id).seats)],
            table=view(self.room.game(self.game_id), seat),
            occasions=kinds,
            answer=None,
            history=since_last_move(envelopes, NAMES, seat),
            reply_address=REPLY_ADDRESS,
            since=asked_since(envelopes),
            zone=zone,
            now=text_of(self.room.clock.now),
            rung=rung,
            lapses=lapses_of(envelopes, versions, seat) if "timed_out" in kinds else (),
            changes=changes_of(envelopes, versions, seat) if "absent" in kinds else (),
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


def timely() -> dict[str, Sheet]:
    """Each situation by its name."""
    return {**_turns(), **_reminders(), **_lapses(), **_words(), **_votes()}


def _in_auction(terms: Terms = PLAIN, host: int = ANNA) -> Timed:
    """Anna has bid, and Ben is asked."""
    timed = a_timed_game(terms, host=host).place(ANNA, BEN, CARA, DAN)
    return timed.do(Bid(seat=ANNA, amount=2))


def _turns() -> dict[str, Sheet]:
    away = a_timed_game().place(ANNA)
    away.do(Absent(seat=CARA, start=_in(away, 0), back=_in(away, 9), computer=False))
    away.do(Absent(seat=DAN, start=_in(away, 4), back=_in(away, 8), computer=True))
    late = _in_auction(WITH_RESERVE).wait(days=2)
    paused = _in_auction().do(*(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))
    status = an_answer(("STATUS", "done", "The table is below."), show=["status"])
    waiting = _in_auction(WITH_RESERVE).do(Bid(seat=BEN, amount=3))
    waiting.do(Absent(seat=DAN, start=_in(waiting, 4), back=_in(waiting, 8), computer=True))
    waiting.do(Vote(seat=ANNA, on="abandon"))
    invited = a_room()
    invited.clock.step = timedelta()
    opened = Timed(invited, invited.open(4, host=ANNA, clock=WITH_RESERVE))
    return {
        "time: a deadline": _in_auction().sheet("turn"),
        "time: a deadline, place a card": a_timed_game().place(ANNA).sheet("turn"),
        "time: a reserve": _in_auction(WITH_RESERVE).sheet("turn"),
        "time: the reserve runs": late.sheet("turn"),
        "time: in Kathmandu": _in_auction().sheet("turn", zone="Asia/Kathmandu"),
        "time: somebody is away": away.sheet("turn"),
        "time: a turn in a pause": paused.sheet("turn"),
        "time: status": replace(waiting.sheet("answer"), answer=status),
        "time: status in a pause": replace(paused.sheet("answer"), answer=status),
        "time: invitation": opened.sheet("invitation"),
    }


def _reminders() -> dict[str, Sheet]:
    reserve = _in_auction(WITH_RESERVE)
    again = a_timed_game().place(ANNA, CARA, DAN).time_out(BEN)
    again.do(Bid(seat=ANNA, amount=2)).wait(days=2.9)
    return {
        "time: reminder, half of it": _in_auction().wait(days=1.5).sheet("reminder", rung="50%"),
        "time: reminder, most of it": a_timed_game().wait(days=2.4).sheet("reminder", rung="80%"),
        "time: last reminder": _in_auction().wait(days=2.9).sheet("reminder", rung="95%"),
        "time: last reminder before the computer comes": again.sheet("reminder", rung="95%"),
        "time: reminder, late": reserve.wait(days=2).sheet("reminder", rung="late"),
        "time: reminder, most of the reserve": reserve.wait(days=3).sheet("reminder", rung="reserve"),
    }


def _lapses() -> dict[str, Sheet]:
    placed = a_timed_game().place(ANNA, CARA).time_out(BEN)
    passed = _in_auction().time_out(BEN)
    both = a_timed_game(start=BEN).place(ANNA, CARA, DAN).time_out(BEN)
    twice = a_timed_game().place(ANNA, CARA, DAN).time_out(BEN).do(Bid(seat=ANNA, amount=2)).time_out(BEN)
    return {
        "time is up: a card was placed": placed.sheet("timed_out"),
        "time is up: passed": passed.sheet("timed_out"),
        "time is up: and the next turn": both.sheet("timed_out", "turn"),
        "time is up: the computer plays": twice.sheet("timed_out"),
        "time is up: what the others read": twice.sheet("turn", seat=CARA),
        "time is up: to the host": twice.sheet("absent", seat=ANNA),
    }


def _words() -> dict[str, Sheet]:
    twice = a_timed_game(start=CARA, host=CARA).place(ANNA, BEN, DAN).time_out(CARA)
    left = a_timed_game(host=ANNA).do(Leave(seat=ANNA, for_good=False))
    return {
        "host: named by a time-out": twice.time_out(CARA).sheet("absent", seat=DAN),
        "host: named, because the host left": left.sheet("absent"),
    }


def _votes() -> dict[str, Sheet]:
    end = _in_auction().do(Vote(seat=ANNA, on="abandon"), Vote(seat=CARA, on="abandon"))
    both = _in_auction().do(Vote(seat=ANNA, on="abandon"), Vote(seat=CARA, on="pause"))
    paused = _in_auction().do(*(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))
    shown = {
        "vote: an end": end.sheet("vote"),
        "vote: an end, or a pause": both.sheet("vote"),
        "vote: paused": paused.sheet("paused"),
    }
    over = end.do(Vote(seat=DAN, on="abandon"))
    gone_on = paused.do(Resume(seat=CARA))
    return {
        **shown,
        "vote: ended without a result": over.sheet("cancelled"),
        "vote: the game goes on": gone_on.sheet("resumed", seat=DAN),
        "vote: the game goes on, and it is the reader's turn": gone_on.sheet("resumed"),
    }


def _in(timed: Timed, days: float) -> str:
    return text_of(timed.room.clock.now + timedelta(days=days))
