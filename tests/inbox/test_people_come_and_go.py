"""STOP, RESIGN and coming back: who plays for a seat, and who gets mail."""

from __future__ import annotations

import pytest

from felix_async.audit.audit import audit
from felix_async.language.phrases import phrase
from felix_async.language.words import NOTHING_MEANT, REFUSALS
from felix_async.service import Origin
from games import players
from inbox.mailroom_of_people import a_village
from inbox.postbag import Postbag, a_first_round, a_mail, a_table, until_the_computer_bids, verdicts

ANNA, BEN, CARA, DAN = range(4)


def hosted(seats: int = 4, joined: tuple[int, ...] = (ANNA, BEN, CARA, DAN)) -> Postbag:
    """A table that Anna hosts."""
    bag = a_table(seats)
    with bag.room.store.write() as tx:
        game_id, _ = bag.room.service.open_table(
            tx,
            players(seats),
            origin=Origin("hosted", "host", "desk"),
            table_name="Anna's",
            ruleset="felicity-2017",
            host=ANNA,
        )
    table = Postbag(bag.room, game_id, bag.processor)
    for seat in joined:
        table.send(seat, "JOIN")
    return table


def stopped(bag: Postbag, seat: int) -> list[str]:
    return [row.stopped for row in bag.look(lambda reader: reader.addresses(bag.seat(seat).player_id))]


def to_question(bag: Postbag, seat: int, text: str) -> list[str]:
    """An answer to the last question of this seat; how its lines went."""
    address = bag.question_address(seat, bag.asked(seat)[-1].number)
    return verdicts(bag.answered(bag.bring(text, address, bag.seat(seat).addresses[0])))


# ---- STOP -----------------------------------------------------------------------------------------------
def test_the_confirmation_goes_out_and_then_no_more_mail() -> None:
    village = a_village(a_first_round())
    assert "no more mail" in village.answer(ANNA, "STOP")
    for seat in (BEN, CARA, DAN):
        card = next(card for card in village.bag.game.seats[seat].hand if isinstance(card, int))
        village.bag.send(seat, f"PLAY {card}")
    assert not [mail for mail in village.deliver() if "anna@" in str(mail["To"])]


def test_the_player_comes_back_at_all_tables() -> None:
    bag = a_first_round()
    other = Postbag(bag.room, bag.room.open(command_id="create-2"), bag.processor)
    other.room.join_all(other.game_id)
    bag.send(ANNA, "STOP")
    answer = bag.send(ANNA, "STATUS")
    assert not other.game.seats[ANNA].computer
    assert answer.lines[0].why == phrase("people.back.many", count=2)


def test_an_automatic_answer_brings_nobody_back() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.take(a_mail("HAND", headers=["Auto-Submitted: auto-replied"]), bag.address(ANNA))
    assert bag.game.seats[ANNA].computer


# ---- RESIGN ---------------------------------------------------------------------------------------------
def test_a_yes_below_forget_me_joins_nothing() -> None:
    """Where somebody is invited, a YES alone means JOIN."""
    bag = a_table()
    bag.send(ANNA, "FORGET ME\nYES")
    assert bag.game.seats[ANNA].answer == "invited"


@pytest.mark.parametrize("order", ["RESIGN", "FORGET ME"])
def test_a_yes_to_another_mail_does_nothing_for_good_and_is_asked_about(order: str) -> None:
    """The address of a turn is in all mails of that turn; that of the question was told to nobody else."""
    bag = a_first_round()
    bag.send(ANNA, order)
    answer = bag.send(ANNA, "YES")
    assert [(line.verdict, line.why) for line in answer.lines] == [("asked", phrase("people.sure.elsewhere"))]
    assert answer.asks == bag.asked(ANNA)[-1].number
    assert (bag.game.seats[ANNA].gone, bag.seat(ANNA).name) == (False, "Anna")
    assert "\n  YES\n" in a_village(bag).answer(ANNA, "YES")


@pytest.mark.parametrize("order", ["RESIGN", "FORGET ME"])
def test_a_yes_below_words_of_a_machine_does_nothing_for_good_and_is_asked_about(order: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, order)
    for words in (
        "I am out of office until Monday.\n\nYES\n\nAnna",
        "Thank you for your mail. I am away.\nYES",
    ):
        letter = bag.reply(ANNA, words)
        told = [(line.verdict, line.why) for line in letter.lines if line.text == "YES"]
        assert told == [("asked", phrase("people.sure.alone"))]
        assert letter.asks == bag.asked(ANNA)[-1].number
    assert (bag.game.seats[ANNA].gone, bag.seat(ANNA).name) == (False, "Anna")


def test_a_yes_resigns_although_the_computer_has_moved_since() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.send(ANNA, "RESIGN")
    until_the_computer_bids(bag, ANNA)
    assert to_question(bag, ANNA, "YES") == ["done"]
    assert bag.game.seats[ANNA].gone


def test_who_has_resigned_cannot_move_and_the_computer_plays_the_game_to_its_end() -> None:
    bag = a_first_round(3)
    bag.send(ANNA, "RESIGN")
    bag.reply(ANNA)
    (line,) = bag.send(ANNA, "PASS").lines
    assert line.why == REFUSALS["seat/gone"]
    bag.room.play(bag.game_id, exchanges=False)
    assert bag.game.phase == "ended"
    assert audit(bag.room.evidence(bag.game_id)).findings == []


def test_resign_before_the_start_gives_the_seat_back() -> None:
    bag = hosted(joined=(ANNA, BEN))
    assert verdicts(bag.send(BEN, "RESIGN")) == ["done"]
    assert bag.game.seats[BEN].answer == "declined"


def test_a_no_brings_nobody_back() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.send(ANNA, "RESIGN")
    nothing, still = bag.reply(ANNA, "NO").lines
    assert (nothing.why, still.why) == (NOTHING_MEANT, phrase("people.stopped.still_away"))
    assert bag.game.seats[ANNA].computer
    assert stopped(bag, ANNA) == ["asked"]


@pytest.mark.parametrize("order", ["RESIGN", "FORGET ME"])
@pytest.mark.parametrize("reply", ["YES", "NO"])
def test_a_reply_in_the_mail_that_is_asked_about_answers_nothing(order: str, reply: str) -> None:
    """A line of an older mail that leaked through would else settle what felix is about to ask."""
    bag = a_first_round()
    answer = bag.send(ANNA, f"{order}\n{reply}")
    assert [line.code for line in answer.lines] == ["", "question/too_soon"]
    assert [question.state for question in bag.asked(ANNA)] == ["open"]
