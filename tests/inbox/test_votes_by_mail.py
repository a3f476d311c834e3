"""PAUSE, RESUME and ABANDON by mail: what they do, and how many are for it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

import pytest

from felix_async.follow_up.answer import AnsweredLine
from felix_async.language.words import REFUSALS
from felix_async.orders.quotas import A_DAY
from inbox.clocked import a_clocked_table, in_berlin
from inbox.postbag import Postbag

ANNA, BEN, CARA, DAN = range(4)
MONTH: Final = "Sun 20 Dec"


@pytest.fixture
def bag() -> Postbag:
    """Four at a table with a clock, on 20 Nov."""
    return a_clocked_table()


def last(bag: Postbag, seat: int, text: str) -> AnsweredLine:
    """What the answer to this mail says of its last line."""
    return bag.send(seat, text).lines[-1]


def test_all_but_one_pause_the_game(bag: Postbag) -> None:
    in_berlin(bag, CARA)
    for seat in (ANNA, BEN):
        last(bag, seat, "PAUSE")
    line = last(bag, CARA, "pause")
    assert line.why.startswith(
        f"That makes 3 of 4: the game is paused until somebody writes RESUME, or until {MONTH}, "
    )
    assert re.search(r"or until Sun 20 Dec, \d\d:\d\d\.$", line.why)
    assert bag.game.paused_until


def test_voting_again_says_so_and_changes_nothing(bag: Postbag) -> None:
    last(bag, ANNA, "ABANDON")
    size = bag.size
    line = last(bag, ANNA, "ABANDON")
    assert line.verdict == "done"
    assert line.why.startswith("You have already voted to call the game off: 1 of 4")
    assert last(bag, BEN, "PAUSE").why.startswith("You voted to pause: 1 of 4")
    assert bag.size == size + 1


def test_resume_takes_a_vote_back(bag: Postbag) -> None:
    last(bag, ANNA, "ABANDON")
    assert last(bag, ANNA, "RESUME").why == "You have withdrawn your vote."
    assert not bag.game.votes


def test_who_left_for_a_while_does_not_count_and_is_back_with_a_vote(bag: Postbag) -> None:
    last(bag, DAN, "STOP")
    assert "1 of 3, 2 needed." in last(bag, ANNA, "ABANDON").why
    assert "2 of 4, 3 needed." in last(bag, DAN, "ABANDON").why
    assert not bag.game.is_over


def test_votes_can_be_taken_back_by_their_own_mail_only(bag: Postbag) -> None:
    last(bag, ANNA, "ABANDON")
    assert last(bag, BEN, "RESUME").code == "vote/none"
    assert bag.game.votes == {("abandon", ANNA)}


# ---- votes that are none ----------------------------------------------------------------------------
def refused(bag: Postbag, seat: int, text: str) -> str:
    """The code with which this is refused, and nothing is changed."""
    size = bag.size
    line = last(bag, seat, text)
    assert line.verdict == "refused"
    assert line.why == REFUSALS[line.code]
    assert bag.size == size
    return line.code


@pytest.mark.parametrize("text", ["PAUSE", "ABANDON", "RESUME"])
def test_who_does_not_play_does_not_vote(text: str) -> None:
    bag = a_clocked_table(joined=3)
    last(bag, DAN, "DECLINE")
    last(bag, ANNA, "START")
    assert refused(bag, DAN, text) == "seat/not_playing"


def test_nobody_fills_the_others_mailboxes_with_votes(bag: Postbag) -> None:
    for _ in range(A_DAY["votes"]):
        assert last(bag, BEN, "PAUSE").verdict == "done"
        assert last(bag, BEN, "RESUME").verdict == "done"
    told = len(bag.owed(ANNA, "vote"))
    assert last(bag, BEN, "PAUSE").why == REFUSALS["vote/too_often"].format(most=A_DAY["votes"])
    assert last(bag, BEN, "ABANDON").code == "vote/too_often"
    assert len(bag.owed(ANNA, "vote")) == told == A_DAY["votes"]
    assert last(bag, CARA, "PAUSE").verdict == "done"
    bag.room.clock.now += timedelta(days=1)
    assert last(bag, BEN, "ABANDON").verdict == "done"


def test_the_last_vote_for_today_may_be_said_twice_and_be_taken_back(bag: Postbag) -> None:
    for _ in range(A_DAY["votes"] - 1):
        bag.send(BEN, "PAUSE\nRESUME")
    assert [last(bag, BEN, text).verdict for text in ("PAUSE", "PAUSE", "RESUME")] == ["done"] * 3
