"""NOTIFY DISCREET and RECEIPTS: what players choose beside the kind of mail that they get."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_async.follow_up.answer import Answer
from felix_events.store.rows import Choice
from inbox.postbag import Postbag, an_auction

ANNA, BEN = 0, 1


def choice(bag: Postbag) -> Choice:
    return bag.look(lambda reader: reader.choice(bag.seat(BEN).player_id))


def write(bag: Postbag, text: str) -> Answer:
    return bag.send(BEN, text)


@pytest.mark.parametrize("notify", ["ALL", "TURNS", "MY TURN", "DAILY"])
def test_discreet_leaves_what_a_player_is_told_as_it_was(notify: str) -> None:
    bag = an_auction()
    write(bag, f"NOTIFY {notify}")
    before = choice(bag)
    assert write(bag, "NOTIFY DISCREET").changed
    assert choice(bag) == replace(before, discreet=True)
    write(bag, "NOTIFY DISCREET OFF")
    assert choice(bag) == before


def test_who_is_discreet_stays_so_with_another_choice() -> None:
    bag = an_auction()
    write(bag, "NOTIFY DISCREET\nNOTIFY DAILY")
    assert (choice(bag).discreet, choice(bag).notify) == (True, "daily")


def test_receipts_are_asked_for_and_left_again() -> None:
    bag = an_auction()
    assert not choice(bag).receipts
    assert write(bag, "RECEIPTS ON").changed
    assert choice(bag).receipts
    write(bag, "RECEIPTS OFF")
    assert choice(bag) == Choice(bag.seat(BEN).player_id)


def test_what_is_chosen_already_changes_nothing() -> None:
    bag = an_auction()
    write(bag, "RECEIPTS ON\nNOTIFY DISCREET")
    answer = write(bag, "RECEIPTS ON\nNOTIFY DISCREET")
    assert [line.verdict for line in answer.lines] == ["done", "done"]
    assert not answer.changed


@pytest.mark.parametrize("text", ["no receipts", "send me receipts", "be discreet"])
def test_near_words_are_asked_about(text: str) -> None:
    bag = an_auction()
    before = choice(bag)
    write(bag, text)
    assert choice(bag) == before
    write(bag, "YES")
    assert (choice(bag) != before) is (text != "no receipts")


def test_a_choice_is_the_players_and_nobody_elses() -> None:
    bag = an_auction()
    write(bag, "RECEIPTS ON\nNOTIFY DISCREET")
    anna = bag.seat(ANNA).player_id
    assert bag.look(lambda reader: reader.choice(anna)) == Choice(anna)
