"""ADDRESS: letters go elsewhere once whoever reads mail there has said YES, and not before."""

from __future__ import annotations

from datetime import timedelta

import pytest

from felix_async.inbox.process import Processor
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_async.orders.quotas import A_DAY
from felix_events.store.rows import Question
from inbox.mailroom_of_people import a_village
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, a_table
from notifiers.sheets import part

ANNA, BEN = range(2)
OLD, NEW = "anna@players.test", "anna@new.example.org"


def asked(bag: Postbag) -> list[Question]:
    with bag.room.store.read() as reader:
        return [one for one in reader.questions(bag.game_id, ANNA) if one.kind == "address"]


def reply(bag: Postbag, text: str, sender: str, headers: tuple[str, ...] = ()) -> int:
    """An answer to the address of the last question, dealt with; its id."""
    bag.mails += 1
    raw = a_mail(text, sender=sender, message_id=f"<n{bag.mails}@x.test>", headers=headers)
    mail = bag.post(raw, bag.question_address(ANNA, asked(bag)[-1].number), sender)
    bag.work()
    return mail


def why(bag: Postbag, text: str) -> str:
    """Why this was refused, having asked nobody anything."""
    before = len(asked(bag))
    (line,) = bag.send(ANNA, text).lines
    assert (line.verdict, len(asked(bag))) == ("refused", before)
    return line.why


def test_yes_from_there_moves_the_mail_and_the_answer_goes_there() -> None:
    bag = a_first_round()
    village = a_village(bag)
    bag.send(ANNA, f"ADDRESS {NEW}")
    reply(bag, "YES", NEW)
    assert bag.seat(ANNA).address == NEW
    to_new = [mail for mail in village.deliver() if NEW in str(mail["To"])]
    text = " ".join(part(to_new[-1], "plain").split())
    assert phrase("people.address.moved", address=NEW) in text


@pytest.mark.parametrize("sender", [OLD, "ben@players.test", "mallory@evil.test"])
def test_yes_from_anywhere_else_moves_nothing(sender: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, f"ADDRESS {NEW}")
    reply(bag, "YES", sender)
    assert bag.seat(ANNA).address == OLD


def test_yes_from_the_old_address_is_told_where_to_answer() -> None:
    bag = a_first_round()
    bag.send(ANNA, f"ADDRESS {NEW}")
    answer = bag.answer_to(reply(bag, "YES", OLD))
    assert answer is not None
    assert answer.lines[0].why == REFUSALS["address/from_there"].format(address=NEW)


def test_yes_to_a_turn_mail_moves_nothing() -> None:
    bag = a_first_round()
    bag.send(ANNA, f"ADDRESS {NEW}")
    bag.send(ANNA, "YES")
    assert bag.seat(ANNA).address == OLD


@pytest.mark.parametrize("order", ["HAND", "STOP", "RESIGN", "FORGET ME", "SAY hello", "PASS", "NOTIFY ALL"])
def test_whoever_reads_mail_there_can_do_nothing_else(order: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, f"ADDRESS {NEW}")
    size = bag.size
    answer = bag.answer_to(reply(bag, order, NEW))
    assert answer is not None
    assert [(line.verdict, line.why) for line in answer.lines] == [
        ("refused", REFUSALS["question/yes_or_no"])
    ]
    assert (bag.size, answer.show, bag.seat(ANNA).address) == (size, [], OLD)


def test_a_yes_counts_unsigned_too_because_nobody_else_was_told_where_to_write() -> None:
    bag = a_first_round()
    bag.send(ANNA, f"ADDRESS {NEW}")
    bag.processor = Processor(bag.room.service, MAILBOX, authserv_id="mx.felix.test")
    reply(bag, "YES", "mallory@evil.test")
    assert bag.seat(ANNA).address == OLD
    reply(bag, "YES", NEW)
    assert bag.seat(ANNA).address == NEW


def test_mail_of_all_games_moves() -> None:
    bag = a_table()
    other = Postbag(bag.room, bag.room.open(command_id="create-2"), bag.processor)
    bag.send(ANNA, f"ADDRESS {NEW}")
    reply(bag, "YES", NEW)
    assert other.seat(ANNA).address == NEW


# ---- refused --------------------------------------------------------------------------------------------
def test_whether_an_address_is_another_players_nobody_finds_out() -> None:
    bag = a_first_round()
    village = a_village(bag)
    (line,) = bag.send(ANNA, "ADDRESS Ben@players.test").lines
    assert line.why == phrase("people.address.asked", address="ben@players.test")
    (letter,) = [mail for mail in village.deliver() if "ben@players.test" in str(mail["To"])]
    text = " ".join(part(letter, "plain").split())
    assert phrase("mails.claim.taken") in text
    assert (letter["Reply-To"], "YES" in text) == (None, False)


def test_yes_from_another_player_to_that_moves_nothing() -> None:
    bag = a_first_round()
    bag.send(ANNA, "ADDRESS ben@players.test")
    reply(bag, "YES", "ben@players.test")
    assert (bag.seat(ANNA).address, bag.seat(BEN).address) == (OLD, "ben@players.test")


def test_a_player_who_wants_no_mail_is_not_written_to_for_that() -> None:
    bag = a_first_round()
    village = a_village(bag)
    bag.send(BEN, "STOP")
    village.deliver()
    bag.send(ANNA, "ADDRESS ben@players.test")
    assert not [mail for mail in village.deliver() if "ben@players.test" in str(mail["To"])]


def test_guesses_at_addresses_are_counted() -> None:
    bag = a_first_round()
    for _ in range(A_DAY["addresses"]):
        bag.send(ANNA, "ADDRESS ben@players.test")
    assert why(bag, "ADDRESS ben@players.test") == REFUSALS["address/too_often"].format(
        most=A_DAY["addresses"]
    )


def test_an_address_that_became_somebody_elses_meanwhile_is_refused() -> None:
    bag = a_first_round()
    bag.send(ANNA, f"ADDRESS {NEW}")
    bag.do(lambda tx: tx.add_player("zoe", NEW))
    reply(bag, "YES", NEW)
    assert bag.seat(ANNA).address == OLD


@pytest.mark.parametrize("text", ["a..b@example.org", "a@localhost", "a@-x.org"])
def test_what_is_no_address_is_refused(text: str) -> None:
    assert why(a_first_round(), f"ADDRESS {text}").startswith("That is not a mail address")


@pytest.mark.parametrize("text", [MAILBOX, "felix+abc@felix.test"])
def test_felixs_own_address_is_refused(text: str) -> None:
    assert why(a_first_round(), f"ADDRESS {text}") == REFUSALS["address/ours"].format(address=text)


def test_where_mail_goes_already_is_refused() -> None:
    assert why(a_first_round(), f"ADDRESS {OLD}") == REFUSALS["address/is_yours"].format(address=OLD)


def test_so_many_a_day_and_no_more() -> None:
    bag = a_first_round()
    for number in range(A_DAY["addresses"]):
        bag.send(ANNA, f"ADDRESS anna{number}@new.example.org")
    assert why(bag, f"ADDRESS {NEW}") == REFUSALS["address/too_often"].format(most=A_DAY["addresses"])
    bag.room.clock.now += timedelta(days=1, minutes=5)
    assert bag.send(ANNA, f"ADDRESS {NEW}").lines[0].verdict == "done"


def test_a_new_question_takes_the_place_of_an_older_one() -> None:
    bag = a_first_round()
    bag.send(ANNA, "ADDRESS anna@typo.example.org")
    bag.send(ANNA, f"ADDRESS {NEW}")
    assert [question.state for question in asked(bag)] == ["dropped", "open"]
