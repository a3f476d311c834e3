"""A table after one of its players was forgotten: mail goes on for the others, and the log is as sound."""

from __future__ import annotations

from pathlib import Path

from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_of
from felix_async.deliverability import is_stopped
from felix_async.reading.reader import read_mail
from felix_async.reading.sender import seat_in, seat_of
from felix_events.store.rows import Letter
from felix_events.store.sqlite import SqliteStore
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, an_auction

ANNA, BEN = 0, 1
ONE = "2026-11-21T00:00:00.000000Z"


def forget(bag: Postbag, seat: int = ANNA) -> None:
    bag.do(lambda tx: tx.forget(bag.seat(seat).player_id))


def sent(bag: Postbag, seat: int) -> str:
    """The Message-ID of a letter that went to this seat."""
    head = f"To: x@players.test\nMessage-ID: <{seat}@felix.test>\nReply-To: {bag.address(seat)}\n"
    letter = Letter(
        *(bag.game_id, seat, "x@players.test", f"<{seat}@felix.test>"), f"{head}\nHi\n".encode(), ONE, ONE
    )
    bag.do(lambda tx: tx.mark_letter(tx.freeze(letter), "sent", next_at=ONE))
    return letter.message_id


def test_an_audit_says_the_same_before_and_after(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "felix.db")
    bag = an_auction(store=store)
    reports = []
    for _ in range(2):
        with store.read() as reader:
            evidence = evidence_of(reader, bag.game_id)
        assert evidence is not None
        reports.append(audit(evidence))
        forget(bag)
    store.close()
    assert reports[0] == reports[1]
    assert not reports[0].findings


def test_nobody_can_write_for_the_seat_any_more() -> None:
    bag = a_first_round()
    address = bag.address(ANNA)
    forget(bag)
    with bag.room.store.read() as reader:
        assert seat_of(reader, address, MAILBOX) is None
        assert seat_of(reader, bag.address(ANNA), MAILBOX) is None


def test_an_answer_to_an_erased_letter_is_nobodys() -> None:
    bag = a_first_round()
    message_id = sent(bag, ANNA)
    forget(bag)
    letter = read_mail(a_mail("PASS", headers=[f"In-Reply-To: {message_id}"]))
    with bag.room.store.read() as reader:
        assert seat_in(reader, MAILBOX, letter) is None


def test_an_answer_to_a_letter_that_was_cut_down_is_still_its_seats() -> None:
    bag = a_first_round()
    message_id = sent(bag, BEN)
    forget(bag)
    letter = read_mail(a_mail("PASS", headers=[f"In-Reply-To: {message_id}"]))
    with bag.room.store.read() as reader:
        writer = seat_in(reader, MAILBOX, letter)
    assert writer is not None
    assert writer.seat.seat == BEN


def test_an_erased_mail_that_comes_again_is_a_duplicate() -> None:
    bag = a_first_round()
    raw = a_mail("HAND", sender="ben@players.test")
    bag.take(raw, bag.address(BEN), "ben@players.test")
    bag.do(lambda tx: tx.attribute_mail(1, bag.seat(ANNA).player_id))
    forget(bag)
    again = bag.take(raw, bag.address(BEN), "ben@players.test")
    assert (bag.mail(again).state, bag.mail(again).note) == ("duplicate", "the same as mail 1")


def test_the_others_are_answered_as_before() -> None:
    """What was answered within the hour has lost its words, because they may have named who is gone."""
    bag = a_first_round()
    bag.send(BEN, "HAND")
    bag.do(lambda tx: tx.settle([notice.notice_id for notice in bag.notices()], None))
    forget(bag)
    mail_id = bag.write(BEN, "HAND")
    bag.work()
    assert bag.mail(mail_id).state == "done"


def test_no_letter_goes_to_an_address_that_was_left() -> None:
    bag = a_first_round()
    bag.do(lambda tx: tx.move_mail(bag.seat(ANNA).player_id, "new@players.test"))
    with bag.room.store.read() as reader:
        assert is_stopped(reader, "anna@players.test", also_asked=False)
        assert not is_stopped(reader, "new@players.test")
