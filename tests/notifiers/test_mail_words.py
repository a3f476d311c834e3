"""What the turn mails say, in every phase, for 3, 4 and 5 players."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Leave, Pass
from felix_async.game.views import view
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
        (3, "A new bid must be 5 or more, and you have 3 mice."),
        (1, "A new bid must be 5 or more, and you have 1 mouse."),
        (0, "You have no mice, so you cannot bid."),
    ],
)
def test_a_seat_that_cannot_bid_is_offered_pass_alone_and_told_why(mice: int, reason: str) -> None:
    table = a_game(start=ANNA).asking_all().in_round(2).with_mice({BEN: mice}).in_auction(top_bid=4, by=ANNA)
    composed = mail(table, BEN)
    text = " ".join(composed.text.split())
    assert offered(composed) == ["PASS"]
    now = [link.body for link in Html(composed.html).links if not link.body.startswith("NEXT ")]
    assert now == ["PASS"]
    assert f"{reason} So all you can do is pass:" in text
    assert "or with this:" in text


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
    assert offered(composed) == ["BID 1", "PASS"]
    assert "The whole sack is yours for exactly 1 mouse." in text
    assert "the sack goes to the box, and the mouse cards stay empty in the next round." in text
    assert "Mouse cards 2 (taken), 4 (taken), 6 (taken) Bank" in text


def test_the_open_cards_are_shown_and_the_others_are_not() -> None:
    game = a_game(start=ANNA).with_row(11, -5, 0, "small_dog").after(Pass(seat=ANNA)).game
    text = mail(game, BEN).text
    assert "  1.  11         Anna  passed\n" in text
    assert "  2.  -5         you   your turn\n" in text
    assert "  3.  face down  Cara  no bid yet\n" in text


def test_won_cards_of_others_are_not_counted() -> None:
    table = a_game().in_round(2).with_won({CARA: (15, 11)})
    assert "Won so far" not in mail(table, BEN).text
