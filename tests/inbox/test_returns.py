"""Bounces against addresses: what counts, what fades, when mail stops, and how it comes back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from felix_async.clock import text_of
from felix_async.deliverability import is_stopped, mark_deliverable
from felix_async.inbox.bounces import handle_bounce
from felix_async.reading.reports import read_report
from felix_async.settings import Bounces
from felix_events.store.base import Tx
from felix_events.store.rows import AddressRow, Letter, NoticeRow, SeatRow
from games import Room, a_room
from inbox.dsn import LETTER_ID, POSTFIX, QMAIL, RECEIPT, TO, VACATION, failed
from table import ANNA, BEN

LIMITS = Bounces(threshold=5, half_life_days=7)


class Returns:
    """A table, and the bounces that come to Ben's address for them."""

    def __init__(self) -> None:
        self.room: Room = a_room("returns")
        self.room.clock.step = timedelta(0)
        self.game_id = self.room.open(4)

    def seat(self, seat: int = BEN) -> SeatRow:
        with self.room.store.read() as reader:
            return reader.seats(self.game_id)[seat]

    def seat_in(self, tx: Tx, seat: int = BEN) -> SeatRow:
        return tx.seats(self.game_id)[seat]

    def bounce(self, raw: bytes, seat: int = BEN) -> str:
        """A mail comes to the address for bounces of this seat."""

        def work(tx: Tx) -> str:
            return handle_bounce(tx, read_report(raw), self.seat_in(tx, seat), self.now, LIMITS)

        with self.room.store.write() as tx:
            return work(tx)

    def fail(self, times: int) -> None:
        """Lasting failures of different letters."""
        for number in range(times):
            self.bounce(POSTFIX + b"%d" % number)

    @property
    def now(self) -> str:
        return text_of(self.room.clock.now)

    def address(self, address: str = TO) -> AddressRow:
        with self.room.store.read() as reader:
            return next(row for row in reader.addresses() if row.address == address)

    def told(self) -> list[NoticeRow]:
        """What the host is to be told."""
        with self.room.store.read() as reader:
            return [notice for notice in reader.notices(self.game_id) if notice.kind == "unreachable"]

    def freeze(self, seat: int = BEN, message_id: str = LETTER_ID, recipient: str = TO) -> int:
        """A letter that was sent."""
        letter = Letter(self.game_id, seat, recipient, message_id, b"raw", self.now, self.now)
        with self.room.store.write() as tx:
            letter_id = tx.freeze(letter)
            tx.mark_letter(letter_id, "sent", next_at=self.now)
            return letter_id

    def letter(self, letter_id: int) -> Letter:
        with self.room.store.read() as reader:
            letter = reader.letter(letter_id)
        assert letter is not None
        return letter


@pytest.fixture
def returns() -> Returns:
    """A table of four."""
    return Returns()


# ---- what counts ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "raw", [VACATION, RECEIPT, failed(action="delayed"), failed("5.3.4"), b"", b"\xff\n\n"]
)
def test_what_is_no_failure_counts_nothing(returns: Returns, raw: bytes) -> None:
    assert returns.bounce(raw)
    assert returns.address().score == 0


def test_the_same_report_delivered_twice_counts_once(returns: Returns) -> None:
    returns.bounce(POSTFIX)
    again = b"Received: by another way\r\n" + POSTFIX
    assert returns.bounce(again) == "this bounce was counted before"
    assert returns.address().score == 2


def test_two_reports_about_one_letter_count_once(returns: Returns) -> None:
    returns.freeze()
    returns.bounce(POSTFIX)
    assert returns.bounce(QMAIL) == "this bounce was counted before"
    assert returns.address().score == 2


def test_a_delay_does_not_hide_the_failure_that_follows(returns: Returns) -> None:
    returns.freeze()
    returns.bounce(failed("4.4.1", action="delayed"))
    returns.bounce(failed("4.4.7", action="failed"))
    assert returns.address().score == 1


def test_a_letter_that_came_back_is_marked_so(returns: Returns) -> None:
    letter_id = returns.freeze()
    returns.bounce(QMAIL)
    letter = returns.letter(letter_id)
    assert (letter.state, letter.tries) == ("failed", 1)
    assert letter.note == "came back: Remote host said: 550 5.1.1 no mailbox by that name"


def test_a_forwarded_mail_that_fails_counts_against_the_address_that_we_wrote_to(returns: Returns) -> None:
    returns.freeze()
    returns.bounce(failed(to="b.smith@elsewhere.test"))
    assert returns.address().score == 2


def test_an_address_may_come_back_in_capitals_or_as_xtext(returns: Returns) -> None:
    returns.bounce(failed(to="Ben@Players.TEST"))
    returns.bounce(failed(to="be+6E@players.test"))
    assert returns.address().score == 4


# ---- forgeries --------------------------------------------------------------------------------------
def test_a_report_about_somebody_elses_address_counts_against_nobody(returns: Returns) -> None:
    returns.freeze(ANNA, "<annas@play.test>", "anna@players.test")
    for to in ("anna@players.test", "stranger@x.test"):
        note = returns.bounce(failed(to=to).replace(LETTER_ID.encode(), b"<annas@play.test>"))
        assert note == "a bounce for an address that is not this player's: not counted"
    assert [returns.address(f"{name}@players.test").score for name in ("anna", "ben")] == [0, 0]


def test_a_report_about_a_letter_to_another_seat_changes_nothing_there(returns: Returns) -> None:
    letter_id = returns.freeze(ANNA, LETTER_ID, "anna@players.test")
    returns.bounce(POSTFIX)
    assert returns.letter(letter_id).state == "sent"
    assert returns.address("anna@players.test").score == 0


def test_a_report_about_nothing_known_counts_against_nobody(returns: Returns) -> None:
    returns.bounce(failed(to="stranger@x.test"))
    assert returns.address().score == 0


# ---- threshold and decay ----------------------------------------------------------------------------
def test_other_players_go_on_getting_mail(returns: Returns) -> None:
    returns.fail(4)
    assert returns.seat(ANNA).address == "anna@players.test"


def test_a_failure_now_and_then_never_stops_the_mail(returns: Returns) -> None:
    for number in range(50):
        returns.bounce(POSTFIX + b"%d" % number)
        returns.room.clock.now += timedelta(days=7)
    assert returns.address().score < 4
    assert returns.address().stopped == ""


def test_who_asked_for_no_mail_stays_so_and_the_host_is_not_told(returns: Returns) -> None:
    with returns.room.store.write() as tx:
        tx.note_address(AddressRow(TO, returns.seat().player_id, stopped="asked"))
    returns.fail(4)
    assert returns.address().stopped == "asked"
    assert returns.told() == []


# ---- alive ------------------------------------------------------------------------------------------
def test_a_mail_from_an_address_proves_it_alive(returns: Returns) -> None:
    returns.fail(3)
    with returns.room.store.write() as tx:
        assert mark_deliverable(tx, TO)
    assert (returns.address().score, returns.address().stopped) == (0, "")
    assert returns.seat().address == TO


def test_a_mail_from_an_address_that_asked_for_none_starts_nothing(returns: Returns) -> None:
    with returns.room.store.write() as tx:
        tx.note_address(AddressRow(TO, returns.seat().player_id, 2.0, returns.now, "asked"))
        assert not mark_deliverable(tx, TO)
        assert is_stopped(tx, TO)
    assert returns.address().score == 0


@pytest.mark.parametrize("address", [TO, "stranger@x.test", ""])
def test_an_address_without_bounces_or_without_a_player_is_left_as_it_is(
    returns: Returns, address: str
) -> None:
    with returns.room.store.write() as tx:
        assert not mark_deliverable(tx, address)
