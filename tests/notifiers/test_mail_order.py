"""In which order a mail shows things, and what it offers where."""

from __future__ import annotations

import pytest

from felix_async.game.folding import fold
from felix_async.text import plain
from felix_notifiers.content.answers import Answers
from felix_notifiers.content.subjects import subject_of
from felix_notifiers.mails.game import mail_of
from gallery.shown import mails
from notifiers.sections import the
from notifiers.sheets import Html, an_answer, mail
from notifiers.timed import a_timed_game
from table import ANNA, BEN, CARA, a_hosted_invitation

BIDDING = "4 players: bid"


def test_in_an_auction_the_purse_stands_right_above_the_answers_and_the_hand_below() -> None:
    text = mails()[BIDDING].text
    places = [text.index(part) for part in ("Highest bid", "You have 19 mice", "  BID 3\n", "Your hand:")]
    assert places == sorted(places)


def test_the_html_has_the_same_order() -> None:
    words = Html(mails()[BIDDING].html).words
    places = [words.index(part) for part in ("Highest bid", "You have 19 mice", "BID 3", "Your hand")]
    assert places == sorted(places)


def test_the_text_part_names_what_to_write_instead() -> None:
    game, nameless = fold(a_hosted_invitation(4, [ANNA, BEN])), an_answer(("HOST", "not understood", "."))
    assert "\n  Write instead: HOST Ben.\n" in mail(game, ANNA, {"answer"}, answer=nameless).text


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("Thursday club k7m2p", "Thursday club k7m2p"),
        ("The cats of the Upper Lower Street 17b k7m2p", "The cats of k7m2p"),
        ("Donaudampfschifffahrt k7m2p", "Donaudampfschi k7m2p"),
        ("felix", "felix"),
    ],
)
def test_a_long_name_of_a_table_leaves_room_for_the_topic(label: str, shown: str) -> None:
    assert subject_of(plain(label), "x") == f"[{shown}] x"


def test_a_card_that_was_drawn_by_lot_can_be_exchanged_from_the_mail_that_tells_of_it() -> None:
    timed = a_timed_game().place(ANNA, CARA).time_out(BEN)
    written = mail_of(timed.occasion("timed_out"))
    offered = [option.words for option in the(written, Answers).options]
    assert offered[:2] == ["PLAY -8", "PLAY -5"]
    assert "PLAY 3" not in offered, "it lies in the row"
