"""A letter that is written late promises nothing that is settled by then."""

from __future__ import annotations

import pytest

from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.language.words import NO_LONGER_TAKEN
from felix_notifiers.mails.answer import still_asking
from inbox.clocked import a_clocked_auction
from inbox.postbag import Postbag
from inbox.taking import taken, undone, wait


@pytest.fixture
def bag() -> Postbag:
    """Four at a table with a clock, in the auction of the first round."""
    return a_clocked_auction()


@pytest.fixture
def seat(bag: Postbag) -> int:
    """The seat that bids next."""
    return bag.to_move


def told(bag: Postbag, seat: int) -> tuple[AnsweredLine, int]:
    """The line in which the first order was taken, and its question, as a letter tells them now."""
    answers = [Answer.model_validate_json(row.payload) for row in bag.owed(seat, "answer")]
    (first,) = [answer for answer in answers if answer.asks == 1]
    now = bag.look(lambda reader: still_asking(reader, bag.seat(seat), first, bag.game))
    return now.lines[0], now.asks


def test_what_waits_is_told_with_its_time(bag: Postbag, seat: int) -> None:
    promised = taken(bag, seat, "BID 4").lines[0]
    assert told(bag, seat) == (promised, 1)


def test_what_was_done_meanwhile_waits_no_longer(bag: Postbag, seat: int) -> None:
    taken(bag, seat, "BID 4")
    wait(bag)
    line, asks = told(bag, seat)
    assert (line.verdict, line.order, line.due_at, asks) == ("taken", "BID 4", "", 0)


@pytest.mark.parametrize("correction", ["undo", "BID 5"])
def test_what_was_corrected_meanwhile_is_told_as_that(bag: Postbag, seat: int, correction: str) -> None:
    taken(bag, seat, "BID 4")
    if correction == "undo":
        undone(bag, seat)
    else:
        taken(bag, seat, correction)
    line, asks = told(bag, seat)
    assert (line.verdict, line.why, line.order, asks) == ("ignored", NO_LONGER_TAKEN, "", 0)
