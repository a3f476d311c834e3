"""What somebody wrote in plain words reaches no other seat: not that it was taken, undone or offered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from email.message import EmailMessage

import pytest

from felix_async.meaning.meaning import Meaning
from inbox.mailroom_of_people import Village, a_village
from inbox.meaning_of_tests import a_reader, order, orders
from inbox.postbag import an_auction
from inbox.taking import waiting
from notifiers.sheets import part

HOUR = timedelta(hours=1)
WRITTEN: Sequence[str] = (
    "bunny mice",
    "hold your mice",
    "nice evening",
    "one or two",
    "who has what?",
    "lots",
)


@pytest.fixture(autouse=True)
def _meanings(monkeypatch: pytest.MonkeyPatch) -> None:
    meanings = {
        "bunny mice": Meaning(do=order("BID 3"), talk="bunny mice"),
        "hold your mice": Meaning(reply="UNDO"),
        "nice evening": Meaning(talk="nice evening"),
        "one or two": Meaning(ask=orders("BID 1", "BID 2", "PASS"), doubt="several"),
        "who has what?": Meaning(info=("mice", "hand")),
        "lots": Meaning(do=order("BID 99")),
    }
    a_reader(monkeypatch, meanings)


def told_the_others(written: Sequence[str]) -> list[tuple[str, str, str]]:
    """All letters to the others, if one player writes this before a bid, and the others look at the table."""
    village = a_village(an_auction())
    bag = village.bag
    clock, mover = bag.room.clock, bag.to_move
    clock.step = timedelta()
    others = [seat for seat in range(4) if seat != mover]
    start = clock.now
    mails: list[EmailMessage] = []
    for text in written:
        bag.send(mover, text)
        mails += look(village, others)
    clock.now = start + HOUR
    bag.send(mover, "BID 3")
    mails += look(village, others)
    address = str(bag.seat(mover).address)
    kept = [mail for mail in mails if address not in str(mail["To"])]
    return [(str(mail["To"]), str(mail["Subject"]), part(mail, "plain")) for mail in kept]


def look(village: Village, seats: Sequence[int]) -> Sequence[EmailMessage]:
    """These seats ask how the table stands; the letters that go out."""
    for seat in seats:
        village.bag.send(seat, "STATUS\nHISTORY")
    return village.deliver()


def once_each(told: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return sorted(set(told))


def test_the_letters_of_the_others_are_the_same_whatever_was_written_in_plain_words() -> None:
    told = once_each(told_the_others(WRITTEN))
    assert told == once_each(told_the_others(["STATUS"]))
    assert len({to for to, _, _ in told}) == 3


@pytest.mark.parametrize("text", WRITTEN)
def test_nothing_happens_at_the_table_before_the_pause_is_over(text: str) -> None:
    bag = an_auction()
    size, others = bag.size, [seat for seat in range(4) if seat != bag.to_move]
    before = [notice for notice in bag.notices() if notice.seat in others]
    bag.send(bag.to_move, text)
    assert (bag.size, [notice for notice in bag.notices() if notice.seat in others]) == (size, before)


def test_the_others_are_asked_for_nothing_while_a_bid_waits() -> None:
    bag = an_auction()
    seat = bag.to_move
    bag.send(seat, "bunny mice")
    assert (bag.game.asked, len(waiting(bag, seat))) == ([seat], 1)
