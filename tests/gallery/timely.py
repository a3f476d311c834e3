"""The mails about time, for the gallery: each is cut out of a game that was played by the clock.

The game is opened, timed out, voted on and paused by the same service as a server's, so that deadlines,
defaults and the history are true ones. Ben reads, by the clock in Berlin unless it is said otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from felix_async.game.commands import Absent, Bid, Leave, Resume, Vote
from felix_async.language.words import DONE
from felix_notifiers.content.sheet import Sheet
from games import a_room
from notifiers.sheets import an_answer
from notifiers.timed import WITH_RESERVE, Timed, a_timed_game, days_on, in_auction
from table import ANNA, BEN, CARA, DAN


def timely() -> dict[str, Sheet]:
    """Each situation by its name."""
    return {**_turns(), **_reminders(), **_lapses(), **_words(), **_votes()}


def _turns() -> dict[str, Sheet]:
    away = a_timed_game().place(ANNA)
    away.do(Absent(seat=CARA, start=days_on(away, 0), back=days_on(away, 9), computer=False))
    away.do(Absent(seat=DAN, start=days_on(away, 4), back=days_on(away, 8), computer=True))
    late = in_auction(WITH_RESERVE).wait(days=2)
    paused = in_auction().do(*(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))
    status = an_answer(("STATUS", "done", DONE["STATUS"]), show=["status"])
    waiting = in_auction(WITH_RESERVE).do(Bid(seat=BEN, amount=3))
    waiting.do(Absent(seat=DAN, start=days_on(waiting, 4), back=days_on(waiting, 8), computer=True))
    waiting.do(Vote(seat=ANNA, on="abandon"))
    invited = a_room()
    invited.clock.step = timedelta()
    opened = Timed(invited, invited.open(4, host=ANNA, clock=WITH_RESERVE))
    return {
        "time: a deadline": in_auction().sheet("turn"),
        "time: a deadline, place a card": a_timed_game().place(ANNA).sheet("turn"),
        "time: a reserve": in_auction(WITH_RESERVE).sheet("turn"),
        "time: the reserve runs": late.sheet("turn"),
        "time: in Kathmandu": in_auction().sheet("turn", zone="Asia/Kathmandu"),
        "time: somebody is away": away.sheet("turn"),
        "time: a turn in a pause": paused.sheet("turn"),
        "time: status": replace(waiting.sheet("answer"), answer=status),
        "time: status in a pause": replace(paused.sheet("answer"), answer=status),
        "time: invitation": opened.sheet("invitation"),
    }


def _reminders() -> dict[str, Sheet]:
    reserve = in_auction(WITH_RESERVE)
    again = a_timed_game().place(ANNA, CARA, DAN).time_out(BEN)
    again.do(Bid(seat=ANNA, amount=2)).wait(days=2.9)
    return {
        "time: reminder, half of it": in_auction().wait(days=1.5).sheet("reminder", rung="50%"),
        "time: reminder, most of it": a_timed_game().wait(days=2.4).sheet("reminder", rung="80%"),
        "time: last reminder": in_auction().wait(days=2.9).sheet("reminder", rung="95%"),
        "time: last reminder before the computer comes": again.sheet("reminder", rung="95%"),
        "time: reminder, late": reserve.wait(days=2).sheet("reminder", rung="late"),
        "time: reminder, most of the reserve": reserve.wait(days=3).sheet("reminder", rung="reserve"),
    }


def _lapses() -> dict[str, Sheet]:
    placed = a_timed_game().place(ANNA, CARA).time_out(BEN)
    passed = in_auction().time_out(BEN)
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
    end = in_auction().do(Vote(seat=ANNA, on="abandon"), Vote(seat=CARA, on="abandon"))
    both = in_auction().do(Vote(seat=ANNA, on="abandon"), Vote(seat=CARA, on="pause"))
    paused = in_auction().do(*(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))
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
