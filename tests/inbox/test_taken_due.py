"""An order out of plain words when its time has come: what else is due, what holds it up, what drops it."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import orjson
import pytest

from felix_async.clock import later, text_of, time_of
from felix_async.follow_up.answer import Answer
from felix_async.game.commands import Bid, Pass, Vote
from felix_async.schedule.outage import OUTAGE, resume, set_clock_back
from felix_events.store.rows import Trouble
from inbox.clocked import a_clocked_table
from inbox.postbag import Postbag
from inbox.taking import PAUSE, states, taken, told_later, wait, waiting

ANNA, BEN, CARA, DAN = range(4)
DAY = 24 * 3600


@pytest.fixture
def bag() -> Postbag:
    """Four at a table with a clock, in the auction of the first round."""
    bag = a_clocked_table()
    bag.place_all()
    bag.room.clock.step = timedelta()
    wait(bag, 0)
    return bag


@pytest.fixture
def seat(bag: Postbag) -> int:
    """The seat that bids next."""
    return bag.to_move


def due_at(bag: Postbag, seat: int) -> str:
    """When what was taken from this seat is done."""
    return waiting(bag, seat)[0].due_at


def deadline(bag: Postbag, seat: int) -> str:
    """When the time of this seat is up."""
    running = bag.game.seats[seat].time.deadline
    assert running is not None
    return running.at


# ---- what is kept of it
def test_the_private_record_names_the_mail_and_the_command_its_question(bag: Postbag, seat: int) -> None:
    number = taken(bag, seat, "BID 4").asks
    (mail,) = [one for one in bag.look(lambda reader: reader.mails()) if one.raw == b"BID 4"]
    wait(bag)
    records = bag.look(lambda reader: [row.private_record for row in reader.log(bag.game_id)])
    record = orjson.loads([one for one in records if one][-1])
    assert (record["cause"], record["channel"]) == (f"taken/{bag.game_id}/{seat}/{number}", "mail")
    assert (record["mail_sha256"], record["order"]) == (mail.sha256, "BID 4")


def test_a_contribution_is_what_it_would_have_been_at_once(bag: Postbag) -> None:
    tables = [a_clocked_table(bag, joined=3, name=name) for name in ("first", "second")]
    bag.room.service.pause = 0
    tables[0].mails = tables[1].mails = 50
    taken(tables[0], DAN, "JOIN")
    bag.room.service.pause = PAUSE
    taken(tables[1], DAN, "JOIN")
    wait(bag)
    first, second = (table.game.contributions[DAN] for table in tables)
    assert first == second != ""


@pytest.mark.parametrize(("order", "told"), [("JOIN", 1), ("DECLINE", 0)])
def test_who_has_joined_is_told_their_share_of_the_shuffle(bag: Postbag, order: str, told: int) -> None:
    table = a_clocked_table(bag, joined=2, name="Another")
    taken(table, DAN, order)
    assert told_later(table, DAN) == []
    wait(table)
    shares = [line.small.rstrip(".").split()[-1] for line in told_later(table, DAN)]
    assert shares == [table.game.contributions[DAN]] * told


def test_a_mail_in_plain_words_is_done_like_any_other(bag: Postbag, seat: int) -> None:
    answer = bag.send(seat, "hmm, I'd go for 4 then")
    assert [(line.verdict, line.order) for line in answer.lines] == [("taken", "BID 4")]
    wait(bag)
    assert bag.game.seats[seat].bid == 4


# ---- before the seat's time is up
def test_it_is_done_before_the_time_of_its_seat_is_up(bag: Postbag, seat: int) -> None:
    bag.room.clock.now = time_of(later(deadline(bag, seat), -60))
    bag.do(lambda tx: tx.beat(text_of(bag.room.clock.now)))
    until = deadline(bag, seat)
    taken(bag, seat, "BID 4")
    assert due_at(bag, seat) == until
    wait(bag)
    assert bag.game.seats[seat].bid == 4


def test_what_comes_in_time_and_is_read_late_is_done_before_a_time_out(bag: Postbag, seat: int) -> None:
    bag.room.clock.now = time_of(later(deadline(bag, seat), 5))
    bag.do(lambda tx: tx.beat(text_of(bag.room.clock.now)))
    taken(bag, seat, "BID 4")
    assert due_at(bag, seat) == deadline(bag, seat)
    wait(bag, 1)
    assert bag.game.seats[seat].bid == 4


def test_an_invitation_does_not_expire_meanwhile(bag: Postbag) -> None:
    table = a_clocked_table(bag, joined=3, name="Another")
    (expiry,) = [row for row in table.look(lambda r: r.due_of(table.game_id)) if row.kind == "expiry"]
    bag.room.clock.now = time_of(later(expiry.due_at, -30))
    bag.do(lambda tx: tx.beat(text_of(bag.room.clock.now)))
    taken(table, DAN, "JOIN")
    wait(bag)
    assert table.game.seats[DAN].answer == "joined"


def test_who_is_away_from_then_on_has_decided_by_themselves(bag: Postbag, seat: int) -> None:
    bag.send(seat, "AWAY 23 Nov to 25 Nov, COMPUTER")
    (away,) = [row for row in bag.look(lambda r: r.due_of(bag.game_id)) if row.kind == "away"]
    bag.room.clock.now = time_of(later(away.due_at, -30))
    bag.do(lambda tx: tx.beat(text_of(bag.room.clock.now)))
    taken(bag, seat, "BID 4")
    wait(bag)
    assert (bag.game.seats[seat].bid, bag.game.seats[seat].computer) == (4, True)


def test_nobody_is_reminded_of_what_waits_to_be_done(bag: Postbag, seat: int) -> None:
    (reminder,) = [
        row for row in bag.look(lambda reader: reader.due_of(bag.game_id)) if row.kind == "reminder"
    ]
    bag.room.clock.now = time_of(later(reminder.due_at, -60))
    bag.do(lambda tx: tx.beat(text_of(bag.room.clock.now)))
    taken(bag, seat, "BID 4")
    wait(bag, 100)
    assert (bag.owed(seat, "reminder"), bag.game.high_bid) == ([], 0)
    wait(bag, 100)
    assert (bag.owed(seat, "reminder"), bag.game.high_bid) == ([], 4)


# ---- what holds it up
def test_it_waits_while_a_mail_that_may_correct_it_waits_to_be_read(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    bag.room.clock.now += timedelta(seconds=PAUSE - 1)
    bag.write(seat, "BID 6")
    wait(bag, 1)
    assert bag.game.high_bid == 0
    bag.work()
    wait(bag)
    assert bag.game.seats[seat].bid == 6


def test_it_waits_until_mail_is_known_to_have_come_in(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    heard_until = later(due_at(bag, seat), -1)
    wait(bag, heard=lambda _: heard_until)
    assert bag.game.high_bid == 0
    wait(bag, 1, heard=lambda _: text_of(bag.room.clock.now))
    assert bag.game.high_bid == 4


def test_it_waits_while_the_game_cannot_be_read(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    at = text_of(bag.room.clock.now)
    bag.do(lambda tx: tx.note_trouble(Trouble(bag.game_id, at, "a page is damaged")))
    wait(bag)
    assert len(waiting(bag, seat)) == 1
    resume(bag.do, bag.room.service)
    wait(bag)
    assert bag.game.seats[seat].bid == 4


def test_after_an_outage_as_much_of_the_pause_is_left_as_before(bag: Postbag, seat: int) -> None:
    wait(bag, 60)
    taken(bag, seat, "BID 4")
    wait(bag, OUTAGE + 60)
    assert bag.game.high_bid == 0
    wait(bag)
    assert (bag.game.seats[seat].bid, told_later(bag, seat)) == (4, [])


def test_after_an_outage_that_was_longer_than_its_time_it_is_done(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    wait(bag, 30 * DAY)
    wait(bag, PAUSE + 60)
    assert (bag.game.seats[seat].bid, bag.game.seats[seat].computer) == (4, False)


def test_a_clock_that_was_ahead_holds_it_up_no_longer(bag: Postbag, seat: int) -> None:
    right = text_of(bag.room.clock.now)
    bag.room.clock.now += timedelta(days=1)
    bag.do(lambda tx: tx.beat(text_of(bag.room.clock.now)))
    taken(bag, seat, "BID 4")
    bag.room.clock.now = time_of(right)
    set_clock_back(bag.do, right)
    assert due_at(bag, seat) == later(right, PAUSE)
    wait(bag)
    assert bag.game.seats[seat].bid == 4


def test_in_a_paused_game_it_is_done_as_any_move(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    for voter in range(4):
        bag.room.do(bag.game_id, Vote(seat=voter, on="pause"))
        if bag.game.paused_until:
            break
    wait(bag)
    assert (bool(bag.game.paused_until), bag.game.seats[seat].bid) == (True, 4)


# ---- what drops it
def test_if_it_is_not_possible_any_more_its_writer_is_told_why(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    bag.room.do(bag.game_id, Pass(seat=seat))
    size = bag.size
    wait(bag)
    (line,) = told_later(bag, seat)
    assert (line.verdict, line.order, line.why.split(".")[0]) == (
        "refused",
        "BID 4",
        "You have passed, so you are out until the next round",
    )
    assert (bag.size, states(bag, seat)) == (size, [("BID 4", "dropped")])


def test_if_the_decision_is_another_one_its_writer_is_told(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    bag.room.do(bag.game_id, Bid(seat=seat, amount=1))
    while bag.to_move != seat:
        bag.room.do(bag.game_id, Bid(seat=bag.to_move, amount=bag.game.high_bid + 1))
    size = bag.size
    wait(bag)
    assert [(line.order, line.why) for line in told_later(bag, seat)] == [("BID 4", "")]
    assert (bag.size, states(bag, seat)) == (size, [("BID 4", "dropped")])


def test_the_word_stands_in_the_thread_of_the_mail(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    bag.room.do(bag.game_id, Pass(seat=seat))
    wait(bag)
    first, second = [Answer.model_validate_json(row.payload) for row in bag.owed(seat, "answer")[-2:]]
    assert second.in_reply_to == first.in_reply_to != ""
    assert (second.asks, second.changed) == (0, True)


def test_the_word_comes_once(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    bag.room.do(bag.game_id, Pass(seat=seat))
    wait(bag)
    wait(bag)
    assert len(told_later(bag, seat)) == 1


def test_if_the_game_was_given_up_its_writer_is_told(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    for voter in range(4):
        if not bag.game.is_over:
            bag.room.do(bag.game_id, Vote(seat=voter, on="abandon"))
    wait(bag)
    assert [line.order for line in told_later(bag, seat)] == ["BID 4"]


def test_whoever_gets_the_seat_does_not_get_the_order(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    row = bag.seat(seat)
    bag.do(lambda tx: tx.reseat(row, bag.size + 1))
    wait(bag)
    assert (bag.game.high_bid, states(bag, seat)) == (0, [("", "dropped")])


def test_who_is_forgotten_leaves_no_order(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    bag.do(lambda tx: tx.forget(bag.seat(seat).player_id))
    wait(bag)
    assert (bag.game.high_bid, states(bag, seat)) == (0, [("", "dropped")])


def test_trouble_with_one_keeps_no_other_from_its_time(
    bag: Postbag, seat: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    other = a_clocked_table(bag, name="Another")
    other.place_all()
    for table in (bag, other):
        taken(table, table.to_move, "BID 4")
    handle, broken = bag.room.service.handle, bag.game_id
    monkeypatch.setattr(bag.room.service, "handle", partial(_stumble, handle, broken))
    wait(bag)
    assert (bag.game.high_bid, other.game.high_bid) == (0, 4)
    assert f"game {broken} cannot be looked at" in caplog.text
    monkeypatch.undo()
    wait(bag, 1)
    assert bag.game.high_bid == 4


def _stumble(handle: object, broken: str, tx: object, game_id: str, *rest: object) -> object:
    if game_id == broken:
        raise RuntimeError("stumbled")
    assert callable(handle)
    return handle(tx, game_id, *rest)
