"""A mail for a table to felix's own address: what its writer is asked, and told, before and after the YES."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from email.message import EmailMessage

import pytest

from felix_async.inbox.strangers import MAX_REFUSALS
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE, OWN_YES, REFUSALS
from inbox.hosting import opened, without_token, write_new
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import Postbag, a_mail, a_table
from notifiers.sheets import part

ANNA, DORA = "anna@players.test", "dora@friends.test"
NEW = f"NEW Friday club\nBen\nDora <{DORA}>"
VOUCHED = "Authentication-Results: mx.felix.test; dmarc=pass header.from="


@pytest.fixture
def village() -> Village:
    return a_village(a_table())


def words(mail: EmailMessage) -> str:
    return " ".join(part(mail, "plain").split())


def to(address: str, mails: Sequence[EmailMessage]) -> list[EmailMessage]:
    return [mail for mail in mails if address in str(mail["To"])]


def yes(bag: Postbag, number: int = 1, text: str = "YES") -> None:
    bag.mails += 1
    raw = a_mail(text, message_id=f"<yes-{bag.mails}@players.test>")
    bag.take(raw, bag.question_address(0, number))


def told(village: Village, text: str) -> str:
    """The one letter that comes of another NEW."""
    without_token(village.bag, text)
    (letter,) = village.deliver()
    return words(letter)


# ---- the question ---------------------------------------------------------------------------------------
def test_who_wrote_a_new_is_asked_whether_it_was_them_and_told_what_it_asks_for(village: Village) -> None:
    """In the thread of the NEW and in no game's; whom it names by name alone is told so."""
    without_token(village.bag, NEW)
    (letter,) = village.deliver()
    assert letter["Subject"] == phrase("glance.subject.question")
    text = words(letter)
    assert phrase("mails.was_that_you.own", address=ANNA) in text
    assert phrase("lobby.claimed.table", table="Friday club") in text
    assert phrase("lobby.claimed.guests", names=["Ben", f"Dora <{DORA}>"]) in text
    new = f"<new-{village.bag.mails}@players.test>"
    assert (letter["In-Reply-To"], letter["References"]) == (new, new)
    assert village.bag.game_id not in text + str(letter["Subject"])
    assert "ben@players.test" not in text
    assert phrase("lobby.claimed.nameless") in told(a_village(a_table()), f"NEW\nBen\n{DORA}")


def test_after_the_yes_one_mail_tells_of_it_and_of_the_table(village: Village) -> None:
    without_token(village.bag, NEW)
    village.deliver()
    yes(village.bag)
    (letter,) = to(ANNA, village.deliver())
    assert str(letter["Subject"]) == "Friday club is open"
    assert opened(village.bag)[0] in words(letter)
    assert OWN_YES in words(letter)
    assert DONE["NEW"] in words(letter)


def test_what_else_stands_beside_the_yes_is_answered_where_it_was_asked(village: Village) -> None:
    without_token(village.bag, NEW)
    village.deliver()
    yes(village.bag, text="YES\nHAND")
    assert len(to(ANNA, village.deliver())) == 2


def test_who_has_answered_for_one_mail_is_asked_about_the_next_on_the_same_day(village: Village) -> None:
    without_token(village.bag, NEW)
    yes(village.bag, text="NO")
    without_token(village.bag, NEW)
    yes(village.bag, 2)
    assert len(opened(village.bag)) == 1


# ---- what cannot be done --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "code"),
    [("NEW", "new/nobody"), (f"NEW\nBen\n{ANNA}", "new/yourself"), ("NEW\nBen", "new/too_few")],
)
def test_a_new_that_cannot_be_done_is_refused_at_once(village: Village, text: str, code: str) -> None:
    assert REFUSALS[code] in told(village, text)
    assert village.bag.owed(0, "question") == []


def test_a_new_that_cannot_be_done_is_refused_also_while_a_question_stands(village: Village) -> None:
    without_token(village.bag, NEW)
    village.deliver()
    assert REFUSALS["new/nobody"] in told(village, "NEW")


def test_while_the_question_stands_another_one_is_told_so(village: Village) -> None:
    without_token(village.bag, NEW)
    village.deliver()
    text = told(village, "NEW\nBen\nCara")
    assert phrase("people.keyless.asked") in text
    assert "PLAY" not in text


def test_not_more_than_a_few_of_those_are_answered_in_a_day(village: Village) -> None:
    """Anybody can put her address into From."""
    for _ in range(MAX_REFUSALS + 3):
        without_token(village.bag, "NEW")
    assert len(village.bag.owed(0, "answer")) == MAX_REFUSALS


def test_who_was_asked_often_enough_hears_how_to_go_on(village: Village) -> None:
    for number in (1, 2, 3):
        without_token(village.bag, NEW)
        yes(village.bag, number, "NO")
    village.deliver()
    assert phrase("people.keyless.here") in told(village, NEW)


# ---- who was invited, and answers everybody -------------------------------------------------------------
def test_who_answers_the_hosts_own_mail_is_told_how_to_join(village: Village) -> None:
    bag = village.bag
    write_new(bag, NEW)
    village.deliver()
    without_token(bag, "Great, I am in!\nJOIN", sender=DORA)
    (letter,) = village.deliver()
    assert phrase("people.keyless.invited") in words(letter)
    assert "\n  JOIN\n" in part(letter, "plain")
    assert "RESEND" not in words(letter)
    village.reply(letter, "JOIN", DORA)
    bag.game_id = opened(bag)[0]
    assert bag.game.seats[2].answer == "joined"


def test_the_same_where_the_host_wrote_to_the_address_of_a_seat(village: Village) -> None:
    """A mail server that vouches for senders keeps that address good; it is the host's all the same."""
    bag = village.bag
    bag.processor = replace(bag.processor, authserv_id="mx.felix.test")
    write_new(bag, NEW, headers=[f"{VOUCHED}players.test"])
    village.deliver()
    write_new(bag, "I am in!\nJOIN", sender=DORA, headers=[f"{VOUCHED}friends.test"])
    (letter,) = village.deliver()
    assert DORA in str(letter["To"])
    assert phrase("people.keyless.invited") in words(letter)


def test_that_is_told_once_a_day(village: Village) -> None:
    bag = village.bag
    write_new(bag, NEW)
    village.deliver()
    for _ in range(3):
        without_token(bag, "JOIN", sender=DORA)
    assert len(village.deliver()) == 1


def test_who_is_invited_to_two_tables_is_not_told_of_one_of_them(village: Village) -> None:
    bag = village.bag
    write_new(bag, NEW)
    write_new(bag, NEW)
    village.deliver()
    without_token(bag, "JOIN", sender=DORA)
    (letter,) = village.deliver()
    assert phrase("people.keyless.invited") not in words(letter)
