"""In which order a mail shows things, and what it offers where."""

from __future__ import annotations

from typing import Final

from felix_async.game.folding import fold
from felix_notifiers.content.answers import Answers
from felix_notifiers.mails.game import mail_of
from gallery.shown import mails
from notifiers.sections import the
from notifiers.sheets import Html, an_answer, mail
from notifiers.timed import a_timed_game
from table import ANNA, BEN, CARA, a_hosted_invitation

BIDDING = "4 players: bid"


_PARTS: Final = (
    "leads at 2",
    "Open +16",
    "PASS",
    "BID 3",
    "UP TO 6",
    "turned up",
    "Your hand",
    "Mice and cats",
)
"""The row, what it is worth, the answers, the story, the hand, and what all have."""


def test_the_row_comes_first_then_the_answers_and_then_what_explains_them() -> None:
    text = mails()[BIDDING].text
    places = [text.index(part) for part in _PARTS]
    assert places == sorted(places)


def test_the_html_has_the_same_order() -> None:
    words = Html(mails()[BIDDING].html).words
    places = [words.index(part) for part in _PARTS]
    assert places == sorted(places)


def test_the_text_part_names_what_to_write_instead() -> None:
    game, nameless = fold(a_hosted_invitation(4, [ANNA, BEN])), an_answer(("HOST", "not understood", "."))
    assert "\n  Write instead: HOST Ben.\n" in mail(game, ANNA, {"answer"}, answer=nameless).text


def test_a_card_that_was_drawn_by_lot_can_be_exchanged_from_the_mail_that_tells_of_it() -> None:
    timed = a_timed_game().place(ANNA, CARA).time_out(BEN)
    written = mail_of(timed.occasion("timed_out"))
    offered = [option.words for option in the(written, Answers).options]
    assert offered[:2] == ["PLAY -8", "PLAY -5"]
    assert "PLAY 3" not in offered, "it lies in the row"
