"""The mails about time, for the gallery: each is cut out of a game that was played by the clock.

The game is opened, timed out, voted on and paused by the same service as a server's, so that deadlines,
defaults and the history are true ones. Ben reads, by the clock in Berlin unless it is said otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from felix_async.game.commands import Absent, Bid, Dispute, Leave, Resume, Vote, Withdraw
from felix_async.game.story import Story
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE
from felix_notifiers.content.occasion import Occasion
from games import a_room
from notifiers.sheets import an_answer, changed, in_short
from notifiers.timed import WITH_RESERVE, Timed, a_timed_game, days_on, in_auction
from table import ANNA, BEN, CARA, DAN


def timely() -> dict[str, Occasion]:
    """Each situation by its name."""
    return {**_turns(), **_reminders(), **_lapses(), **_words(), **_votes(), **_disputes()}


def _turns() -> dict[str, Occasion]:
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
        "time: a deadline": in_auction().occasion("turn"),
        "time: a deadline, place a card": a_timed_game().place(ANNA).occasion("turn"),
        "time: a reserve": in_auction(WITH_RESERVE).occasion("turn"),
        "time: the reserve runs": late.occasion("turn"),
        "time: in Kathmandu": in_auction().occasion("turn", zone="Asia/Kathmandu"),
        "time: somebody is away": away.occasion("turn"),
        "time: a turn in a pause": paused.occasion("turn"),
        "time: status": changed(waiting.occasion("answer"), answer=status),
        "time: status in a pause": changed(paused.occasion("answer"), answer=status),
        "time: how long do we have": in_short(late.occasion("answer"), Story(), ["time"]),
        "time: invitation": opened.occasion("invitation"),
    }


def _reminders() -> dict[str, Occasion]:
    reserve = in_auction(WITH_RESERVE)
    again = a_timed_game().place(ANNA, CARA, DAN).time_out(BEN)
    again.do(Bid(seat=ANNA, amount=2)).wait(days=2.9)
    return {
        "time: reminder, half of it": in_auction().wait(days=1.5).occasion("reminder", rung="50%"),
        "time: reminder, most of it": a_timed_game().wait(days=2.4).occasion("reminder", rung="80%"),
        "time: last reminder": in_auction().wait(days=2.9).occasion("reminder", rung="95%"),
        "time: last reminder before the computer comes": again.occasion("reminder", rung="95%"),
        "time: reminder, late": reserve.wait(days=2).occasion("reminder", rung="late"),
        "time: reminder, most of the reserve": reserve.wait(days=3).occasion("reminder", rung="reserve"),
    }


def _lapses() -> dict[str, Occasion]:
    placed = a_timed_game().place(ANNA, CARA).time_out(BEN)
    passed = in_auction().time_out(BEN)
    both = a_timed_game(start=BEN).place(ANNA, CARA, DAN).time_out(BEN)
    twice = a_timed_game().place(ANNA, CARA, DAN).time_out(BEN).do(Bid(seat=ANNA, amount=2)).time_out(BEN)
    return {
        "time is up: a card was placed": placed.occasion("timed_out"),
        "time is up: passed": passed.occasion("timed_out"),
        "time is up: and the next turn": both.occasion("timed_out", "turn"),
        "time is up: the computer plays": twice.occasion("timed_out"),
        "time is up: what the others read": twice.occasion("turn", seat=CARA),
        "time is up: to the host": twice.occasion("absent", seat=ANNA),
    }


def _words() -> dict[str, Occasion]:
    twice = a_timed_game(start=CARA, host=CARA).place(ANNA, BEN, DAN).time_out(CARA)
    left = a_timed_game(host=ANNA).do(Leave(seat=ANNA, for_good=False))
    return {
        "host: named by a time-out": twice.time_out(CARA).occasion("absent", seat=DAN),
        "host: named, because the host left": left.occasion("absent"),
    }


def _votes() -> dict[str, Occasion]:
    end = in_auction().do(Vote(seat=ANNA, on="abandon"), Vote(seat=CARA, on="abandon"))
    both = in_auction().do(Vote(seat=ANNA, on="abandon"), Vote(seat=CARA, on="pause"))
    paused = in_auction().do(*(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))
    shown = {
        "vote: an end": end.occasion("vote"),
        "vote: an end, or a pause": both.occasion("vote"),
        "vote: paused": paused.occasion("paused"),
    }
    over = end.do(Vote(seat=DAN, on="abandon"))
    gone_on = paused.do(Resume(seat=CARA))
    return {
        **shown,
        "vote: ended without a result": over.occasion("cancelled"),
        "vote: the game goes on": gone_on.occasion("resumed", seat=DAN),
        "vote: the game goes on, and it is the reader's turn": gone_on.occasion("resumed"),
    }


def _disputes() -> dict[str, Occasion]:
    game = in_auction()
    state = game.room.game(game.game_id)
    turn, what = list(state.seats[ANNA].moves.items())[-1]
    move = phrase("people.dispute.move.bid", amount=state.seats[ANNA].bid)
    named = phrase("people.dispute.in_round", move=move, round=1)
    told = phrase("events.dispute_raised.other", who="Anna", move=named)
    raised = game.do(Dispute(seat=ANNA, turn=turn, what=what)).occasion("disputed")
    other = in_auction().do(Dispute(seat=ANNA, turn=turn, what=what))
    vote = other.do(Vote(seat=CARA, on="seat 0")).occasion("vote")
    gone = other.do(Vote(seat=ANNA, on="seat 0"), Vote(seat=DAN, on="seat 0"))
    lost = phrase("people.dispute.handed_over.other", who="Anna")
    over = game.do(Withdraw(seat=ANNA)).occasion("settled")
    late = game.do(*(Vote(seat=seat, on="abandon") for seat in (ANNA, CARA, DAN))).occasion("disputed")
    closed = [told, phrase("people.dispute.others.kept"), phrase("people.dispute.closed")]
    return {
        "vote: a disputed seat": vote,
        "dispute: the seat is handed over": replace(gone.occasion("settled", seat=DAN), arrivals=[lost]),
        "dispute: the seat is handed over, to its player": replace(
            gone.occasion("settled", seat=ANNA),
            arrivals=[phrase("people.dispute.handed_over.own")],
        ),
        "dispute: a move is denied after the end": replace(late, arrivals=closed),
        "dispute: a move is denied": replace(raised, arrivals=[told, phrase("people.dispute.others.kept")]),
        "dispute: it is taken back": replace(
            over, arrivals=[phrase("events.dispute_settled.withdrawn.other", who="Anna", move=named)]
        ),
    }
