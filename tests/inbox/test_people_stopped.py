"""What STOP says that it did, what is said to who writes after it, and what is shown to who comes back."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Leave
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE
from inbox.hosting import an_open_table
from inbox.mailroom_of_people import a_village
from inbox.postbag import Postbag, a_first_round, an_auction
from notifiers.sheets import Html, part

ANNA, BEN, CARA, DAN = range(4)
BACK, MAIL_BACK = phrase("people.stopped.back"), phrase("people.stopped.mail_back")
ONE = phrase("people.stopped.one")


def told(bag: Postbag, seat: int = ANNA) -> str:
    """What STOP did, behind its first sentence."""
    (line,) = bag.send(seat, "STOP").lines
    return line.why.removeprefix(DONE["STOP"]).strip()


def label(bag: Postbag) -> str:
    return f"Friday club {bag.game_id}"


# ---- what STOP did --------------------------------------------------------------------------------------
def test_stop_once_more_says_that_the_computer_plays() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    assert told(bag) == f"{ONE} {BACK}"


def test_the_host_of_a_game_that_runs_hears_who_hosts_now() -> None:
    bag = an_open_table(BEN, CARA, DAN)
    said = told(bag)
    assert said.startswith(f"{ONE} {phrase('people.stopped.host', who='Ben', table=label(bag))}")
    assert said.endswith(BACK)


def test_after_a_resign_neither() -> None:
    bag = a_first_round()
    bag.room.do(bag.game_id, Leave(seat=ANNA, for_good=True))
    assert told(bag) == MAIL_BACK


# ---- who writes after it --------------------------------------------------------------------------------
def test_a_mail_that_is_no_order_is_told_that_mail_is_still_off_and_offers_a_way_back() -> None:
    village = a_village(a_first_round())
    village.bag.send(ANNA, "STOP")
    village.deliver()
    village.bag.send(ANNA, "Oh no, there you all are again!")
    (letter,) = village.deliver()
    assert phrase("people.stopped.still_away") in " ".join(part(letter, "plain").split())
    assert "STATUS" in [link.body for link in Html(part(letter, "html")).links]


def test_without_a_game_it_is_told_of_the_mail_alone() -> None:
    bag = a_first_round()
    bag.room.play(bag.game_id, exchanges=False)
    bag.send(ANNA, "STOP")
    assert bag.send(ANNA, "hello there").lines[-1].why == phrase("people.stopped.still")


@pytest.mark.parametrize("text", ["STOP", "RESIGN", "STATUS"])
def test_an_order_is_not_told_so(text: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    assert not [line for line in bag.send(ANNA, text).lines if line.code]


def test_who_has_not_stopped_is_not_told_so() -> None:
    assert not [line for line in a_first_round().send(ANNA, "hello there").lines if line.code]


# ---- who comes back -------------------------------------------------------------------------------------
def test_whose_card_the_computer_placed_sees_it() -> None:
    bag = a_first_round()
    village = a_village(bag)
    bag.send(ANNA, "STOP")
    assert bag.game.seats[ANNA].has_placed
    assert "Your card in the row:" in village.answer(ANNA, "STATUS")


def test_who_comes_back_at_another_table_alone_is_shown_nothing_of_this_one() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.room.play(bag.game_id, exchanges=False)
    assert bag.send(ANNA, "GAMES").show == ["games"]


# ---- who goes -------------------------------------------------------------------------------------------
def resigned(bag: Postbag) -> str:
    village = a_village(bag)
    bag.send(BEN, "RESIGN")
    village.deliver()
    bag.reply(BEN)
    (letter,) = [mail for mail in village.deliver() if "ben@" in str(mail["To"])]
    body = letter.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_who_has_left_for_good_is_told_nothing_more_of_the_game() -> None:
    text = resigned(an_auction())
    assert "left this game for good" in text
    assert "HAND" not in text
    assert "waiting" not in text
