"""Orders out of plain words: taken, corrected within a while, and done when their time has come."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from felix_async.clock import later, text_of
from felix_async.orders.inferred import MOST_TAKEN
from inbox.clocked import a_clocked_auction, a_clocked_table
from inbox.postbag import Postbag, a_first_round
from inbox.taking import PAUSE, at_the_desk, states, taken, told_later, undone, wait, waiting

ANNA, BEN, CARA, DAN = range(4)


@pytest.fixture
def bag() -> Postbag:
    """Four at a table with a clock, in the auction of the first round."""
    return a_clocked_auction()


@pytest.fixture
def seat(bag: Postbag) -> int:
    """The seat that bids next."""
    return bag.to_move


# ---- taking
def test_what_is_taken_is_not_done_at_once(bag: Postbag, seat: int) -> None:
    size = bag.size
    reply = taken(bag, seat, "BID 4")
    (question,) = waiting(bag, seat)
    assert (question.text, question.kind, question.turn) == ("BID 4", "order", bag.game.seats[seat].turn)
    assert (bag.size, "changed" in reply.effects) == (size, True)


def test_the_answer_says_what_was_taken_and_when_it_is_done(bag: Postbag, seat: int) -> None:
    reply = taken(bag, seat, "BID 4")
    (line,), (question,) = reply.lines, waiting(bag, seat)
    assert (line.text, line.verdict, line.order) == ("I mean BID 4", "taken", "BID 4")
    assert line.due_at == question.due_at == later(question.asked_at, PAUSE)
    assert (reply.asks, reply.asks_text) == (question.number, "")


def test_at_a_table_without_a_clock_every_seat_has_the_whole_pause() -> None:
    bag = a_first_round()
    bag.room.clock.step = timedelta()
    for seat in bag.game.asked:
        taken(bag, seat, f"PLAY {bag.game.seats[seat].hand[-1]}".replace("_", " "))
        assert [later(one.asked_at, PAUSE) for one in waiting(bag, seat)] == [waiting(bag, seat)[0].due_at]


def test_what_would_be_refused_is_not_taken(bag: Postbag, seat: int) -> None:
    reply = taken(bag, seat, "BID 99")
    assert [(line.text, line.code) for line in reply.lines] == [("I mean BID 99", "bid/above_mice")]
    assert (waiting(bag, seat), reply.asks) == ([], 0)


def test_without_a_pause_it_is_done_at_once(bag: Postbag, seat: int) -> None:
    bag.room.service = replace(bag.room.service, pause=0)
    reply = taken(bag, seat, "BID 4")
    (line,) = reply.lines
    assert (line.verdict, line.order, line.due_at, bag.game.high_bid) == ("taken", "BID 4", "", 4)
    assert waiting(bag, seat) == []


# ---- until its time has come
def test_a_newer_order_takes_the_place_of_an_older_one(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    taken(bag, seat, "BID 5")
    assert states(bag, seat) == [("BID 4", "dropped"), ("BID 5", "open")]
    wait(bag)
    assert bag.game.seats[seat].bid == 5


def test_whoever_takes_it_back_again_and_again_is_asked_and_waits_for_no_answer(
    bag: Postbag, seat: int
) -> None:
    for number in range(MOST_TAKEN):
        taken(bag, seat, f"BID {4 + number % 2}")
    reply = taken(bag, seat, "BID 6")
    assert ([line.verdict for line in reply.lines], "changed" in reply.effects) == (["asked"], False)
    wait(bag)
    assert (bag.game.seats[seat].bid, waiting(bag, seat)) == (0, [])


def test_an_exact_order_is_done_instead(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    bag.send(seat, "BID 6")
    assert (bag.game.seats[seat].bid, waiting(bag, seat)) == (6, [])
    wait(bag)
    assert (bag.game.seats[seat].bid, told_later(bag, seat)) == (6, [])


def test_it_can_be_undone(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    size = bag.size
    reply = undone(bag, seat)
    assert [(line.verdict, line.order) for line in reply.lines] == [("done", "BID 4")]
    wait(bag)
    assert (bag.size, states(bag, seat)) == (size, [("BID 4", "no")])


def test_nothing_is_undone_if_nothing_waits(bag: Postbag, seat: int) -> None:
    assert undone(bag, seat).lines == ()


def test_yes_does_it_at_once(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    bag.reply(seat, "YES")
    assert (bag.game.seats[seat].bid, states(bag, seat)) == (4, [("BID 4", "yes")])


def test_no_drops_it(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    bag.reply(seat, "NO")
    assert (bag.game.high_bid, states(bag, seat)) == (0, [("BID 4", "no")])


def test_yes_after_it_was_done_says_so(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    wait(bag)
    assert [line.why for line in bag.reply(seat, "YES").lines] == ["That is so already."]


def test_a_question_shows_that_it_waits(bag: Postbag, seat: int) -> None:
    number = taken(bag, seat, "BID 4").asks
    answer = bag.send(seat, "HAND")
    (_, line), (question,) = answer.lines, waiting(bag, seat)
    assert (line.verdict, line.order, line.due_at) == ("taken", "BID 4", question.due_at)
    assert (answer.asks, states(bag, seat)) == (number, [("BID 4", "open")])


def test_a_refused_order_leaves_it_waiting(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    answer = bag.send(seat, "BID 99")
    assert [line.verdict for line in answer.lines] == ["refused", "taken"]


def test_what_is_asked_about_takes_its_place_and_says_so(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    (line,) = bag.send(seat, "FORGET ME").lines
    assert line.why.startswith("I haven't done BID 4. ")
    assert states(bag, seat) == [("BID 4", "dropped"), ("FORGET ME", "open")]


def test_the_hosts_desk_takes_its_place(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    at_the_desk(bag, seat, "BID 6")
    wait(bag)
    assert (bag.game.seats[seat].bid, states(bag, seat)) == (6, [("BID 4", "dropped")])


def test_stop_drops_it_at_every_table(bag: Postbag, seat: int) -> None:
    other = a_clocked_table(bag, name="Another")
    other.place_all()
    taken(bag, seat, "BID 4")
    other.send(seat, "STOP")
    assert waiting(bag, seat) == []


@pytest.mark.parametrize("word", ["RESIGN", "FORGET ME", "ABANDON", "ADDRESS me@example.org", "STOP"])
def test_what_wants_the_word_is_asked_about(bag: Postbag, word: str) -> None:
    reply = taken(bag, BEN, word)
    assert ([line.verdict for line in reply.lines], waiting(bag, BEN)) == (["asked"], [])


def test_what_answers_an_older_mail_is_asked_about(bag: Postbag, seat: int) -> None:
    reply = taken(bag, seat, "BID 4", turn=bag.game.seats[seat].turn - 1)
    assert ([line.verdict for line in reply.lines], waiting(bag, seat)) == (["asked"], [])


def test_an_invitation_is_accepted_so(bag: Postbag) -> None:
    table = a_clocked_table(bag, joined=3, name="Another")
    taken(table, DAN, "JOIN")
    before = table.game.phase
    wait(table)
    assert (before, table.game.phase) == ("inviting", "placing")


def test_an_exact_join_with_words_behind_it_waits_for_nothing(bag: Postbag) -> None:
    table = a_clocked_table(bag, joined=3, name="Another")
    assert [line.verdict for line in table.send(DAN, "JOIN today").lines] == ["done"]


def test_said_twice_it_waits_no_longer_and_changes_nothing(bag: Postbag, seat: int) -> None:
    first = taken(bag, seat, "BID 4")
    wait(bag, 60)
    again = taken(bag, seat, "BID 4")
    assert (again.lines, again.asks, again.effects) == (first.lines, first.asks, frozenset())
    wait(bag, 60)
    assert bag.game.high_bid == 4


# ---- when it has come
def test_it_is_done_when_the_pause_is_over_and_no_sooner(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    due_at = waiting(bag, seat)[0].due_at
    wait(bag, PAUSE - 1)
    assert (bag.game.high_bid, text_of(bag.room.clock.now) < due_at) == (0, True)
    wait(bag, 1)
    assert (bag.game.seats[seat].bid, states(bag, seat)) == (4, [("BID 4", "yes")])


def test_it_is_done_once(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    assert wait(bag) >= 1
    size = bag.size
    wait(bag)
    assert bag.size == size


def test_who_is_obeyed_gets_no_second_answer(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    count = len(bag.owed(seat, "answer"))
    wait(bag)
    assert (bag.game.seats[seat].bid, len(bag.owed(seat, "answer"))) == (4, count)
