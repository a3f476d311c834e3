"""What the turn mails say, in every phase, for 3, 4 and 5 players."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Bid, Leave, Pass
from felix_async.game.views import view
from felix_events.model import Card
from felix_notifiers.content.occasion import Occasion
from games import NAMES
from notifiers.sheets import Html, an_answer, compose, mail, offered, snapshot
from table import (
    ANNA,
    BEN,
    CARA,
    DAN,
    a_game,
)


# ---- the auction ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("mice", "reason"),
    [
        (3, "You have 3 mice."),
        (1, "You have 1 mouse."),
        (0, "You have 0 mice."),
    ],
)
def test_a_seat_that_cannot_bid_is_offered_pass_alone_and_told_why(mice: int, reason: str) -> None:
    table = a_game(start=ANNA).asking_all().in_round(2).with_mice({BEN: mice}).in_auction(top_bid=4, by=ANNA)
    composed = mail(table, BEN)
    text = " ".join(composed.text.split())
    assert offered(composed) == ["PASS"]
    now = [link.body for link in Html(composed.html).links if not link.body.startswith("NEXT ")]
    assert now == ["PASS"]
    assert f"{reason} A bid takes 5 or more, so all you can do is pass." in text
    assert "Reply with this, or in your own words" in text


def test_the_last_seat_without_a_mouse_can_only_pass() -> None:
    table = a_game(start=ANNA).asking_all().in_round(2).with_mice({DAN: 0}).in_auction()
    composed = mail(table.after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA)), DAN)
    assert offered(composed) == ["PASS"]
    assert "would be yours for 1 mouse, but you have none." in " ".join(composed.text.split())


# ---- reminders, and mails to those who are not asked ------------------------------------------------
def test_a_letter_is_for_a_seat() -> None:
    table = view(a_game().game, "spectator")
    occasion = Occasion(game=snapshot(table, NAMES[:4]), kinds={"turn"})
    with pytest.raises(ValueError, match="a letter is for a seat, not for 'spectator'"):
        compose(occasion)


def test_where_everybody_has_left_for_a_while_the_game_rests() -> None:
    away = a_game().after(*[Leave(seat=seat, for_good=False) for seat in range(4)])
    text = " ".join(mail(away, ANNA, {"answer"}, answer=an_answer(show=["status"])).text.split())
    assert "Nobody is at the table just now, so the game rests until somebody comes back." in text


def test_the_last_seat_of_an_unbid_auction_buys_for_one_or_passes() -> None:
    table = a_game(start=ANNA).in_auction().after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA))
    composed = mail(table, DAN)
    text = " ".join(composed.text.split())
    assert offered(composed) == ["PASS", "BID 1"]
    assert "the sack is yours for exactly 1 mouse." in text
    assert "it goes to the box, and passing brings no mice in the next round." in text
    assert "PASS (nobody gets the sack)" in text


def test_the_open_cards_are_shown_and_the_others_are_not() -> None:
    game = a_game(start=ANNA).with_row(11, -5, 0, "small_dog").after(Pass(seat=ANNA)).game
    text = mail(game, BEN).text
    assert "  11         Anna  passed\n" in text
    assert "  −5         you   your turn\n" in text
    assert "  face down  Cara  no bid yet\n" in text


# ---- what it is worth -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("row", "passes", "told"),
    [
        ((11, 5, -5, 3), 0, "Open +11, your 5 and 2 more face down."),
        ((11, 5, -5, 3), 1, "Open +16, 2 cards face down."),
        ((11, "large_dog", -5, 3), 1, "Open 0 (the large dog would chase the 11), 2 cards face down."),
        ((11, "small_dog", -5, 3), 1, "Open 0 (the small dog would chase the 11), 2 cards face down."),
        (("small_dog", "large_dog", -5, 3), 1, "Open 0, 2 cards face down."),
        ((0, -5, -5, 3), 1, "Open −5, 2 cards face down."),
    ],
)
def test_the_open_cards_are_reckoned_with_their_dogs_and_no_other_card(
    row: tuple[Card, ...], passes: int, told: str
) -> None:
    table = a_game(start=ANNA).in_round(3).with_row(*row)
    moves = [Pass(seat=ANNA)] if passes else [Bid(seat=ANNA, amount=2)]
    text = " ".join(mail(table.after(*moves), BEN).text.split())
    assert f"{told} You have 15 mice." in text


def test_with_all_cards_open_the_worth_is_that_of_the_sack() -> None:
    table = a_game(start=ANNA).in_round(3).with_row(11, -5, 0, "small_dog")
    text = mail(table.after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA)), DAN).text
    assert "Open +11 (the small dog chases the −5), all cards up." in " ".join(text.split())


@pytest.mark.parametrize(("number", "is_told"), [(1, True), (2, True), (3, False), (9, False)])
def test_dogs_and_the_rabbit_are_explained_in_the_first_two_rounds(number: int, is_told: bool) -> None:
    text = " ".join(mail(a_game(start=ANNA).in_round(number).in_auction(), ANNA).text.split())
    assert ("A lone large dog chases the best cat out of the sack" in text) == is_told


# ---- everybody's mice and cats ----------------------------------------------------------------------
def test_everybodys_mice_and_cats_stand_in_a_line_each() -> None:
    table = a_game(start=ANNA).in_round(3).with_won({CARA: (15, -5)}).with_mice({CARA: 9, BEN: 18})
    lines = [" ".join(line.split()) for line in mail(table, BEN).text.splitlines()]
    assert "you 18 +0 18" in lines
    assert "Cara 9 +10 19" in lines
    assert "Dan 15 +0 15" in lines


def test_later_in_a_round_only_the_mice_of_who_may_still_bid_are_told() -> None:
    table = a_game(start=ANNA).in_round(2).with_mice({ANNA: 9, BEN: 12, CARA: 17, DAN: 21}).in_auction()
    text = " ".join(mail(table.after(Pass(seat=ANNA)), BEN, is_first=False).text.split())
    assert "You have 12 mice, Cara 17 and Dan 21." in text
    assert "Mice and cats" not in text
    assert "A lone large dog" not in text


def test_later_in_a_round_with_equal_mice_only_the_readers_are_told() -> None:
    table = a_game(start=ANNA).in_auction(top_bid=1, by=ANNA)
    assert "You have 15 mice.\n\nReply" in mail(table, BEN, is_first=False).text


def test_as_long_as_all_have_the_same_nothing_is_said_of_it() -> None:
    assert "Mice and cats" not in mail(a_game(), BEN).text
