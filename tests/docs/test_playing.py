"""docs/playing.md is true: what it says one may write is sent, and what comes back must be what it shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from docs.playing import LEFT_OUT, SCENES, Shown, answered, fits, shown_in
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import HELP, WORD_OF

PAGE: Final = (Path(__file__).parents[2] / "docs/playing.md").read_text("utf-8")
SHOWN: Final = list(shown_in(PAGE))


@pytest.mark.slow
@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.mail[:30])
def test_felix_answers_what_the_page_shows(shown: Shown) -> None:
    text = answered(shown)
    assert fits(shown.answer, text), text


def test_every_scene_and_every_block_of_the_page_is_tried() -> None:
    """A misspelt scene would go untried: all blocks are counted in another way than they are found."""
    assert len(SHOWN) == PAGE.count("\n```mail\n") == PAGE.count("\n```answer\n")
    assert {shown.scene for shown in SHOWN} <= {*SCENES}


def test_every_order_is_shown_with_its_answer() -> None:
    written = {
        read.word
        for shown in SHOWN
        for line in shown.mail.splitlines()
        if isinstance(read := read_line(line), Order)
    }
    assert written == {*WORD_OF}


def test_an_answer_shows_what_was_said_about_the_mail() -> None:
    """Nobody learns from an answer of which all is left out."""
    for shown in SHOWN:
        assert any(line.strip() for line in shown.answer.splitlines() if line != LEFT_OUT), shown


def test_the_page_lists_the_orders_in_the_words_of_help() -> None:
    assert HELP in PAGE


@pytest.mark.parametrize(("shown", "text", "does"), [
    ("one\n…\nfour", "one\ntwo\nthree\nfour", True),
    ("one\n…\nthree", "one\nthree", True),
    ("…\nthree\n…", "one\ntwo\nthree\nfour\n", True),
    ("one\nthree", "one\ntwo\nthree", False),
    ("…\nthree", "one\nthree\nfour", False),
    ("…\nthre\n…", "one\nthree\nfour", False),
    ("a.c", "abc", False),
])  # fmt: skip
def test_only_a_line_of_its_own_leaves_lines_out(shown: str, text: str, does: bool) -> None:
    assert fits(shown, text) == does


def test_the_page_speaks_of_no_mail_that_is_not_there() -> None:
    """Words in capitals within the text are orders, so that nobody tries what felix does not know."""
    prose = re.sub(r"```.*?```|<!--.*?-->|`[^`]*`", "", PAGE, flags=re.DOTALL)
    words = {*re.findall(r"\b[A-Z]{3,}\b", prose)}
    known = {word for order in WORD_OF.values() for word in order.split()}
    assert words - known <= {"BACK", "COMPUTER", "HTML", "OFF", "UNDO", "UNTIL"}
