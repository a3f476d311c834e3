"""ADDRESS: letters go elsewhere once whoever reads mail there has said YES, and not before."""

from __future__ import annotations

from datetime import timedelta

import pytest

from felix_async.inbox.process import Processor
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_async.orders.quotas import A_DAY
from inbox.mailroom_of_people import a_village
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_table
from notifiers.sheets import part

ANNA, BEN = range(2)
OLD, NEW = "anna@players.test", "anna@new.example.org"


def reply(bag: Postbag, text: str, sender: str) -> int:
    """An answer to the address of the last question, dealt with; its id."""
    return bag.bring(text, bag.question_address(ANNA, bag.asked(kind="address")[-1].number), sender)


def why(bag: Postbag, text: str) -> str:
    """Why this was refused, having asked nobody anything."""
    before = len(bag.asked(kind="address"))
    (line,) = bag.send(ANNA, text).lines
    assert (line.verdict, len(bag.asked(kind="address"))) == ("refused", before)
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
def test_yes_from_anywhere_else_moves_nothing_and_its_player_is_told_where_to_answer(sender: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, f"ADDRESS {NEW}")
    answer = bag.answer_to(reply(bag, "YES", sender))
    assert bag.seat(ANNA).address == OLD
    told = [] if answer is None else [line.why for line in answer.lines]
    assert told == ([REFUSALS["address/from_there"].format(address=NEW)] if sender == OLD else [])


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
    answer = bag.answered(reply(bag, order, NEW))
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


@pytest.mark.parametrize(("text", "told"), [
    *((text, "I can't write to ") for text in ("a..b@example.org", "a@localhost", "a@-x.org")),
    *((text, REFUSALS["address/ours"].format(address=text)) for text in (MAILBOX, "felix+abc@felix.test")),
    (OLD, REFUSALS["address/is_yours"].format(address=OLD)),
])  # fmt: skip
def test_an_address_to_which_no_mail_can_move_is_refused(text: str, told: str) -> None:
    assert why(a_first_round(), f"ADDRESS {text}").startswith(told)


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
    assert [question.state for question in bag.asked(kind="address")] == ["dropped", "open"]
