"""SUBSTITUTE: the host asks somebody to play on for somebody, who takes the seat by mail, or does not."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from felix_async.game.commands import Leave
from felix_events.model import Terms
from felix_events.store.rows import Choice
from inbox.substituting import ANNA, BEN, CARA, DAN, DORA, OFFER, a_succession, text_of

WEEK = 7 * 24 * 3600


def flat(text: str) -> str:
    return " ".join(text.split())


# ---- the offer
@pytest.mark.parametrize("order", [
    OFFER, f"SUBSTITUTE Ben {DORA}", f"SUBSTITUTE Ben Dora <{DORA}>", f"SUBSTITUTE Ben: {DORA}",
    f"SUBSTITUTE Ben: Dora <mailto:{DORA}>", f"substitute be dora {DORA}.",
    f'SUBSTITUTE Ben "Dora" <{DORA.upper()}>',
])  # fmt: skip
def test_the_host_names_a_seat_and_who_shall_have_it(order: str) -> None:
    succession = a_succession()
    letter = succession.offered(order)
    assert str(letter["To"]).lower() == f"dora <{DORA}>"


@pytest.mark.parametrize(("clock", "words"), [
    (None, "There is no clock, so no hurry."), (Terms(move=3 * 24 * 3600), "You have 3 days for each move."),
    (Terms(move=12 * 3600), "You have about 12 hours for each move."),
])  # fmt: skip
def test_the_letter_says_how_much_time_there_is(clock: Terms | None, words: str) -> None:
    assert words in flat(text_of(a_succession(clock=clock).offered()))


# ---- taking it
def test_the_log_holds_neither_name_nor_address() -> None:
    succession = a_succession()
    succession.taken()
    rows = succession.bag.look(lambda reader: reader.log(succession.bag.game_id))
    data = b"".join(row.body + (row.private_record or b"") for row in rows).lower()
    assert b"dora" not in data
    assert b"@" not in re.sub(rb'"message_id":"(mail-[0-9]+@x|<join-[0-9]@players).test>?"', b"", data)


def test_who_wants_one_letter_a_day_hears_of_it_in_that() -> None:
    succession = a_succession()
    room = succession.bag.room
    with room.store.write() as tx:
        tx.choose(Choice(succession.bag.seat(CARA).player_id, "daily"))
    succession.reply(succession.offered(), "JOIN", DORA)
    assert succession.letters_to("cara@") == []
    room.clock.now += timedelta(days=1)
    (letter,) = succession.letters_to("cara@")
    assert "Dora plays on for Ben from now on." in flat(text_of(letter))


def test_of_two_who_came_each_is_told_by_name() -> None:
    succession = a_succession()
    room = succession.bag.room
    succession.taken()
    room.do(succession.bag.game_id, Leave(seat=BEN, for_good=True))
    succession.deliver()
    succession.bag.send(ANNA, "SUBSTITUTE Dora: Emil emil@example.org")
    (offer,) = succession.letters_to("emil@")
    succession.reply(offer, "JOIN", "emil@example.org")
    succession.deliver()
    text = succession.answer(CARA, "HISTORY")
    assert "- Dora plays on for Ben." in text
    assert "- Emil plays on for Dora." in text
    assert "- Dora is out of the game for good; the computer plays on." in flat(text)


def test_a_known_player_keeps_their_id_and_their_other_games() -> None:
    succession = a_succession()
    with succession.bag.room.store.write() as tx:
        tx.add_player("p-000000000001", DORA)
    succession.taken()
    assert succession.bag.seat(BEN).player_id == "p-000000000001"
    assert succession.bag.game.seats[BEN].player_id == "p-000000000001"


# ---- not taking it
@pytest.mark.parametrize("word", ["DECLINE", "NO", "STOP"])
def test_who_declines_leaves_all_as_it_was_and_the_host_hears_of_it(word: str) -> None:
    succession = a_succession()
    before = succession.bag.size
    succession.reply(succession.offered(), word, DORA)
    (letter,) = succession.deliver()
    assert "anna@" in str(letter["To"])
    assert "Dora does not want to play on for Ben" in flat(text_of(letter))
    assert (succession.bag.size, succession.questions()[-1].state) == (before, "no")


def test_who_says_something_else_is_asked_again_but_not_without_end() -> None:
    succession = a_succession()
    letter = succession.offered()
    sizes = []
    for words in ("Who are you?", "HELP", "PLAY 8", "STATUS", "HAND"):
        succession.reply(letter, words, DORA)
        sizes.append(len(succession.letters_to(DORA)))
    assert sizes == [1, 1, 1, 0, 0]
    assert succession.questions()[-1].state == "open"


def test_an_offer_that_ended_stays_so_when_the_player_leaves_again() -> None:
    succession = a_succession()
    letter = succession.offered()
    succession.bag.send(BEN, "STATUS")
    succession.bag.send(BEN, "STOP")
    succession.reply(letter, "JOIN", DORA)
    assert succession.bag.seat(BEN).name == "Ben"


def test_the_offer_ends_with_the_time_of_invitations() -> None:
    succession = a_succession()
    letter = succession.offered()
    succession.bag.room.clock.now += timedelta(seconds=WEEK)
    succession.reply(letter, "JOIN", DORA)
    (answer,) = succession.letters_to(DORA)
    assert "The offer was not answered in time" in flat(text_of(answer))
    assert succession.bag.game.seats[BEN].computer


def test_a_new_offer_takes_the_place_of_the_one_before() -> None:
    succession = a_succession()
    letter = succession.offered()
    succession.bag.send(ANNA, "SUBSTITUTE Ben emil@example.org")
    succession.reply(letter, "JOIN", DORA)
    assert [question.state for question in succession.questions()] == ["dropped", "open"]
    assert succession.bag.seat(BEN).name == "Ben"


def test_the_offer_ends_with_the_game() -> None:
    succession = a_succession()
    letter = succession.offered()
    for seat in (BEN, CARA, DAN, ANNA):
        succession.bag.room.do(succession.bag.game_id, Leave(seat=seat, for_good=True))
    succession.deliver()
    succession.reply(letter, "JOIN", DORA)
    (answer,) = succession.letters_to(DORA)
    assert "The game is over" in flat(text_of(answer))


def test_only_who_was_asked_can_answer() -> None:
    succession = a_succession()
    letter = succession.offered()
    for sender in ("mallory@example.org", "cara@players.test", "ben@players.test"):
        mail_id = succession.reply(letter, "JOIN", sender)
        assert succession.bag.mail(mail_id).state == "quarantined"
    assert succession.bag.game.seats[BEN].computer


def test_the_player_of_the_seat_does_not_say_yes_to_it() -> None:
    """The question is about the seat, and not for who sits there."""
    succession = a_succession()
    succession.offered()
    answer = succession.bag.send(BEN, "YES")
    assert (answer.changed, succession.bag.seat(BEN).name) == (False, "Ben")


# ---- every store
def test_who_was_asked_needs_no_provider_that_signs_because_nobody_else_was_told_where_to_write() -> None:
    succession = a_succession()
    letter = succession.offered()
    succession.bag.processor = replace(succession.bag.processor, authserv_id="mx.felix.test")
    mail_id = succession.reply(letter, "JOIN", "mallory@evil.test")
    assert succession.bag.mail(mail_id).state == "quarantined"
    succession.reply(letter, "JOIN", DORA)
    assert succession.bag.seat(BEN).name == "Dora"


def test_history_tells_each_ones_deeds_under_their_own_name() -> None:
    succession = a_succession(leaves=False)
    bag = succession.bag
    bag.send(BEN, "SAY Miau")
    bag.room.do(bag.game_id, Leave(seat=BEN, for_good=False))
    succession.deliver()
    succession.taken()
    text = succession.answer(CARA, "HISTORY")
    assert "- Ben: “Miau”" in text
    assert "- Dora plays on for Ben." in text
