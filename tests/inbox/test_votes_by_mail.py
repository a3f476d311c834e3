"""PAUSE, RESUME, ABANDON and HAND OVER by mail: what they do, and how many are for it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

import orjson
import pytest

from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_of
from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.commands import Leave, Play
from felix_async.language.words import REFUSALS
from felix_async.orders.quotas import A_DAY
from felix_events.envelope import check_seat_envelopes
from felix_events.model import OrderDropped
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


# ---- HAND OVER: the seat of a player who disputes a move ---------------------------------------------
@pytest.fixture
def denied(bag: Postbag) -> Postbag:
    """The same, and Ben denies the card that he has placed."""
    last(bag, BEN, f"PLAY {bag.game.seats[BEN].hand[0]}")
    last(bag, BEN, "DISPUTE my card")
    return bag


def test_all_but_one_hand_the_seat_over_and_everybody_hears_it(denied: Postbag) -> None:
    line = last(denied, ANNA, "HAND OVER Ben")
    assert line.why == (
        "You voted to have the computer play on for Ben: 1 of 4, 3 needed. RESUME withdraws your vote."
    )
    assert "already voted to have the computer play on for Ben: 1 of 4" in last(denied, ANNA, "hand over").why
    assert [len(denied.owed(seat, "vote")) for seat in range(4)] == [0, 1, 1, 1]
    last(denied, BEN, "HAND OVER")
    assert last(denied, CARA, "HAND OVER ben").why == (
        "That makes 3 of 4: the computer plays on for Ben, for good, and the dispute is over."
    )
    assert (denied.game.seats[BEN].gone, denied.game.disputes) == (True, ())
    assert [len(denied.owed(seat, "settled")) for seat in range(4)] == [1, 1, 0, 1]
    assert last(denied, BEN, "STATUS").verdict == "done"
    assert last(denied, BEN, "HAND OVER Anna").code == "seat/gone"


def test_the_record_names_no_player_and_the_log_is_sound(denied: Postbag) -> None:
    last(denied, BEN, "NEXT 15" if 15 in denied.game.seats[BEN].hand else "NEXT 11")
    for seat in (ANNA, CARA, DAN):
        last(denied, seat, "HAND OVER Ben")
    with denied.room.store.read() as reader:
        evidence = evidence_of(reader, denied.game_id)
    assert evidence is not None
    assert audit(evidence).sound
    kept = [orjson.loads(record)["order"] for record in evidence.private_records.values()]
    assert kept[-3:] == ["HAND OVER 1"] * 3
    own = check_seat_envelopes(evidence.seat_logs[BEN].bodies)
    assert [one.data.why for one in own if isinstance(one.data, OrderDropped)] == ["left"]


@pytest.mark.parametrize(
    ("seat", "text", "code"),
    [
        (ANNA, "HAND OVER Cara", "dispute/none"),
        (CARA, "STANDS Ben", "host/only"),
    ],
)
def test_only_a_disputed_seat_of_this_table_is_voted_on(
    denied: Postbag, seat: int, text: str, code: str
) -> None:
    size = denied.size
    assert last(denied, seat, text).code == code
    assert denied.size == size


def test_it_names_one_of_two_disputes(denied: Postbag) -> None:
    last(denied, CARA, f"PLAY {denied.game.seats[CARA].hand[0]}")
    last(denied, CARA, "DISPUTE")
    size = denied.size
    for text in ("HAND OVER", "HAND OVER Zoe", "HAND OVER to Ben"):
        answer = denied.send(ANNA, text)
        assert (answer.lines[0].verdict, answer.doubt) == ("asked", "several")
        assert answer.offers == ["HAND OVER Ben", "HAND OVER Cara"]
    assert denied.size == size
    assert last(denied, BEN, "HAND OVER").verdict == "done"
    assert denied.game.votes == {("seat 2", BEN)}
    last(denied, CARA, "DISPUTE OFF")
    assert not denied.game.votes


def test_it_may_answer_an_older_message_as_a_dispute_may(denied: Postbag) -> None:
    last(denied, ANNA, f"PLAY {denied.game.seats[ANNA].hand[0]}")
    assert denied.send(ANNA, "HAND OVER Ben", turn=0).lines[-1].verdict == "done"
    assert denied.game.votes == {("seat 1", ANNA)}


def test_a_yes_does_the_only_order_that_was_offered(denied: Postbag) -> None:
    assert denied.send(BEN, "DISPUTE OFF please").offers == ["DISPUTE OFF"]
    assert denied.reply(BEN, "yes please").lines[-1].why.startswith("You have taken your dispute back")
    card = denied.game.seats[CARA].hand[0]
    last(denied, CARA, f"PLAY {card}")
    assert denied.send(CARA, "hey, I never played that!!").offers[0].startswith("DISPUTE PLAY")
    assert denied.reply(CARA, "Yes").lines[-1].why.startswith("All are told")
    assert [one.seat for one in denied.game.disputes] == [CARA]


def test_a_move_may_answer_what_was_offered_to_who_denies_one(bag: Postbag) -> None:
    bag.place_all()
    bidder = bag.to_move
    bag.send(bidder, "BID 3")
    bag.send(bidder, "I never bid 3")
    for bid in (4, 5, 6):
        bag.send(bag.to_move, f"BID {bid}")
    assert bag.reply(bidder, "BID 7").lines[-1].verdict == "done"


def test_a_yes_denies_a_move_after_the_end_as_well(bag: Postbag) -> None:
    bag.place_all()
    bidder = bag.to_move
    bag.send(bidder, "BID 3")
    for seat in range(4):
        last(bag, seat, "ABANDON")
    assert bag.game.is_over
    assert bag.send(bidder, "I never bid 3").offers[0] == "DISPUTE BID 3"
    assert bag.reply(bidder).lines[-1].why.startswith("All are told")


def test_behind_the_name_a_voter_may_say_more_also_of_the_own_seat(denied: Postbag) -> None:
    assert last(denied, DAN, "HAND OVER Ben, please").verdict == "done"
    assert last(denied, BEN, "hand over ben please").verdict == "done"
    assert denied.game.votes == {("seat 1", BEN), ("seat 1", DAN)}


@pytest.mark.parametrize("text", ["HAND OVER", "HAND OVER Ben please"])
def test_who_has_no_vote_is_not_asked_which_seat(denied: Postbag, text: str) -> None:
    last(denied, CARA, f"PLAY {denied.game.seats[CARA].hand[0]}")
    last(denied, CARA, "DISPUTE")
    denied.room.do(denied.game_id, Leave(seat=DAN, for_good=True))
    assert refused(denied, DAN, text) == "seat/gone"
    last(denied, CARA, "DISPUTE OFF")
    last(denied, BEN, "DISPUTE OFF")
    assert [last(denied, ANNA, words).code for words in ("HAND OVER", "HAND OVER Zoe")] == [
        "dispute/none", "name/unknown",
    ]  # fmt: skip


def test_whoever_ends_the_game_with_a_seat_is_told_so(denied: Postbag) -> None:
    """Of the two who are left one had voted for an end."""
    last(denied, ANNA, "ABANDON")
    for seat in (CARA, DAN):
        denied.room.do(denied.game_id, Leave(seat=seat, for_good=True))
    last(denied, ANNA, "HAND OVER Ben")
    told = "That makes 2 of 2: the computer plays on for Ben, for good, and the dispute is over."
    assert last(denied, BEN, "HAND OVER").why == f"{told} That ended the game, too, without a result."
    assert denied.game.reason == "voted"


def test_whoever_votes_last_may_be_the_new_host(denied: Postbag) -> None:
    denied.game_id = denied.room.open(host=ANNA, command_id="hosted")
    denied.room.join_all(denied.game_id)
    denied.room.do(denied.game_id, Play(seat=ANNA, card=denied.game.seats[ANNA].hand[0]))
    last(denied, ANNA, "DISPUTE")
    for seat in (CARA, DAN):
        last(denied, seat, "HAND OVER Anna")
    assert last(denied, BEN, "HAND OVER Anna").why.endswith("You are the host of this game now.")
    assert denied.game.host == BEN
