"""After an ADDRESS: what comes from the old mailbox, what lies there, and how it is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from email.message import EmailMessage
from email.utils import parseaddr

import pytest

from felix_async.language.phrases import phrase
from felix_async.language.words import RENEWED
from felix_async.reading.sender import seat_of
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_table
from notifiers.sheets import part

ANNA = 0
OLD, NEW, THIRD = "anna@players.test", "anna@new.example.org", "anna@third.example.org"


def move(bag: Postbag, address: str = NEW, sender: str = OLD) -> None:
    """ADDRESS, and YES from there."""
    bag.bring(f"ADDRESS {address}", bag.address(ANNA), sender)
    bag.bring("YES", bag.question_address(ANNA, bag.asked(kind="address")[-1].number), address)
    assert bag.seat(ANNA).address == address


def a_move(bag: Postbag | None = None) -> tuple[Village, Sequence[EmailMessage]]:
    """Anna's mail has moved; the letters that told of it."""
    village = a_village(bag or a_first_round())
    move(village.bag)
    return village, village.deliver()


def letters_to(address: str, mails: Sequence[EmailMessage]) -> list[EmailMessage]:
    return [mail for mail in mails if address in str(mail["To"])]


def words(mail: EmailMessage) -> str:
    return " ".join(part(mail, "plain").split())


# ---- the old mailbox ------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["STATUS", "HAND", "STOP", "RESIGN", "FORGET ME", "PLAY 8", "NOTIFY ALL"])
def test_an_order_from_the_old_address_is_not_done_and_asked_about_at_the_new_one(text: str) -> None:
    village, _ = a_move()
    bag = village.bag
    size = bag.size
    mail = bag.bring(text, bag.address(ANNA), OLD)
    assert (bag.mail(mail).state, bag.size) == ("quarantined", size)
    (letter,) = village.deliver()
    assert NEW in str(letter["To"])
    assert phrase("mails.was_that_you.moved", address=OLD) in words(letter)


def test_a_yes_from_the_new_address_alone_does_it_and_lets_her_write_from_there() -> None:
    village, _ = a_move()
    bag = village.bag
    mail = bag.bring("HAND", bag.address(ANNA), OLD)
    question = bag.question_address(ANNA, bag.asked(kind="sender")[-1].number)
    bag.bring("YES", question, OLD)
    assert bag.mail(mail).state == "quarantined"
    bag.bring("YES", question, NEW)
    assert bag.mail(mail).state == "done"
    assert bag.mail(bag.bring("STATUS", bag.address(ANNA), OLD)).state == "done"
    assert bag.seat(ANNA).address == NEW


def test_nobody_is_erased_from_the_old_mailbox() -> None:
    village, _ = a_move()
    bag = village.bag
    bag.bring("FORGET ME", bag.address(ANNA), OLD)
    bag.bring("YES", bag.address(ANNA), OLD)
    assert bag.seat(ANNA).name == "Anna"


def test_an_old_address_whose_mail_bounced_is_no_longer_hers_either() -> None:
    village, _ = a_move()
    bag = village.bag
    (row,) = [one for one in bag.do(lambda tx: tx.addresses(bag.seat(ANNA).player_id)) if one.address == OLD]
    bag.do(lambda tx: tx.note_address(type(row)(OLD, row.player_id, 4.0, row.scored_at, "bounces")))
    assert bag.mail(bag.bring("HAND", bag.address(ANNA), OLD)).state == "quarantined"


def test_what_lies_in_the_old_mailbox_is_void() -> None:
    bag = a_first_round()
    before = bag.address(ANNA)
    move(bag)
    with bag.room.store.read() as reader:
        assert seat_of(reader, before, MAILBOX) is None


def test_her_other_games_are_told_anew_at_the_new_address() -> None:
    bag = a_first_round()
    other = Postbag(bag.room, bag.room.open(command_id="create-2"), bag.processor)
    over = Postbag(bag.room, bag.room.open(command_id="create-3"), bag.processor)
    bag.room.join_all(over.game_id)
    bag.room.play(over.game_id, exchanges=False)
    before, at_the_end = other.address(ANNA), over.address(ANNA)
    _, mails = a_move(bag)
    (letter,) = [mail for mail in letters_to(NEW, mails) if other.game_id in words(mail)]
    assert RENEWED in words(letter)
    with bag.room.store.read() as reader:
        assert seat_of(reader, before, MAILBOX) is None
        assert seat_of(reader, parseaddr(str(letter["Reply-To"]))[1], MAILBOX) is not None
        assert seat_of(reader, at_the_end, MAILBOX) is not None


def test_a_letter_that_waited_goes_to_the_new_address() -> None:
    bag = a_table()
    village = a_village(bag)
    bag.room.join_all(bag.game_id)
    village.post.claim()
    move(bag)
    mails = letters_to(NEW, village.deliver())
    assert any("pick your first card" in words(mail) for mail in mails)


# ---- taking it back -------------------------------------------------------------------------------------
def test_the_old_address_is_told_and_a_yes_from_there_takes_it_back() -> None:
    village, mails = a_move()
    (letter,) = letters_to(OLD, mails)
    assert NEW in words(letter)
    assert phrase("people.moved.asked") in words(letter)
    assert "\n  YES\n" in part(letter, "plain")
    village.reply(letter, "YES", OLD)
    assert village.bag.seat(ANNA).address == OLD


def test_who_took_it_back_is_not_asked_about_it_in_turn() -> None:
    village, mails = a_move()
    village.reply(letters_to(OLD, mails)[0], "YES", OLD)
    (told,) = letters_to(NEW, village.deliver())
    assert (told["Reply-To"], "YES" in part(told, "plain")) == (None, False)
    bag = village.bag
    assert bag.mail(bag.bring("HAND", bag.address(ANNA), NEW)).state == "quarantined"


def test_the_letter_to_the_old_address_takes_no_other_order() -> None:
    village, mails = a_move()
    (letter,) = letters_to(OLD, mails)
    answer = village.bag.answered(village.reply(letter, "HAND", OLD))
    assert (answer.lines[0].code, answer.show) == ("question/yes_or_no", [])


@pytest.mark.parametrize("sender", [NEW, "ben@players.test", "mallory@evil.test"])
def test_nobody_else_takes_it_back(sender: str) -> None:
    village, mails = a_move()
    village.reply(letters_to(OLD, mails)[0], "YES", sender)
    assert village.bag.seat(ANNA).address == NEW


def test_another_address_after_it_does_not_keep_the_first_from_taking_it_back() -> None:
    village, mails = a_move()
    assert len(letters_to(OLD, mails)) == 1
    move(village.bag, THIRD, NEW)
    (letter,) = letters_to(OLD, village.deliver())
    assert THIRD in words(letter)
    village.reply(letter, "YES", OLD)
    assert village.bag.seat(ANNA).address == OLD
    assert [question.state for question in village.bag.asked(kind="moved")] == ["yes", "dropped"]


def test_after_a_week_it_cannot_be_taken_back() -> None:
    village, mails = a_move()
    village.bag.room.clock.now += timedelta(days=7, minutes=1)
    answer = village.bag.answered(village.reply(letters_to(OLD, mails)[0], "YES", OLD))
    assert answer.lines[0].code == "question/closed"
    assert village.bag.seat(ANNA).address == NEW
