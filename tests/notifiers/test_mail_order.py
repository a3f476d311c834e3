"""In which order a mail shows things, and what it offers where."""

from __future__ import annotations

import re

import pytest

from felix_async.game.commands import Vote
from felix_notifiers.content.answers import Answers, Question
from felix_notifiers.content.history import History
from felix_notifiers.content.result import Sacks
from felix_notifiers.content.subjects import subject_of
from felix_notifiers.content.table import Hand
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.render import rendered
from gallery.shown import mails, sheets
from notifiers.sections import all_in, offered_in, the
from notifiers.sheets import Html, compose
from notifiers.timed import a_timed_game, in_auction
from table import ANNA, BEN, CARA, DAN

BIDDING = "4 players: bid"
RESIGNING = "answer that asks: resign for good"


def test_in_an_auction_the_purse_stands_right_above_the_answers_and_the_hand_below() -> None:
    text = mails()[BIDDING].text
    places = [text.index(part) for part in ("Highest bid", "You have 19 mice", "  BID 3\n", "Your hand:")]
    assert places == sorted(places)


def test_the_html_has_the_same_order() -> None:
    words = Html(mails()[BIDDING].html).words
    places = [words.index(part) for part in ("Highest bid", "You have 19 mice", "BID 3", "Your hand")]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["4 players: place a card", "first card, round 1"])
def test_cards_that_may_be_placed_are_shown_once(name: str) -> None:
    written = mail_of(sheets()[name])
    assert all(option.face for option in the(written, Answers).options)
    assert the(written, Hand).cards == []


def test_what_cannot_be_taken_back_has_no_leading_button_and_no_comes_first() -> None:
    written = mail_of(sheets()[RESIGNING])
    assert offered_in(written) == ["NO", "YES"]
    assert (the(written, Answers).options, the(written, Answers).before) == ([], [])
    assert 'class="fx-main"' not in rendered(written).html


@pytest.mark.parametrize("name", [RESIGNING, "answer that asks: did you mean"])
def test_a_question_is_asked_once(name: str) -> None:
    written = mail_of(sheets()[name])
    assert " ".join(rendered(written).text.split()).count(the(written, Question).asked) == 1


def test_a_card_that_was_drawn_by_lot_can_be_exchanged_from_the_mail_that_tells_of_it() -> None:
    timed = a_timed_game().place(ANNA, CARA).time_out(BEN)
    written = mail_of(timed.sheet("timed_out"))
    assert offered_in(written)[:2] == ["PLAY -8", "PLAY -5"]
    assert "PLAY 3" not in offered_in(written), "it lies in the row"


def test_once_the_row_is_complete_no_exchange_is_offered() -> None:
    timed = a_timed_game().place(ANNA, CARA, DAN).time_out(BEN)
    assert the(mail_of(timed.sheet("timed_out")), Answers).options == []


@pytest.mark.parametrize("kind", ["turn", "paused", "resumed"])
def test_a_mail_that_says_that_the_game_is_paused_offers_the_way_on(kind: str) -> None:
    paused = in_auction().do(*(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))
    written = mail_of(paused.sheet(kind))  # type: ignore[arg-type]
    assert [option.words for option in the(written, Answers).words] == ["RESUME"]


def test_who_has_not_moved_reads_what_happened_so_far() -> None:
    text = compose(a_timed_game().place(ANNA).sheet("turn")).text
    assert "What happened so far:" in text
    assert not re.search(r"joined|this hand", text)


def test_the_text_part_names_what_to_write_instead() -> None:
    assert "\n  Write instead: BID 6, PASS.\n" in mails()["answer: done, refused, not understood"].text


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
    assert subject_of(label, "x") == f"[{shown}] x"


def test_a_result_tells_no_round_twice() -> None:
    written = mail_of(sheets()["4 players: result"])
    assert all_in(written, History) == []
    assert the(written, Sacks).lines[-1].title == "Round 9"
