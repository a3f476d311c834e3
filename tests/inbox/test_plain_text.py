"""Strangers' text made plain, and the answer to a mail as it is kept."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import example, given
from pydantic import ValidationError

from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.text import plain

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT, st.integers(2, 60))
@example("\ud800\udfff\x00\x1b[2J", 5)
@example("a" * 10, 5)
def test_what_is_plain_is_one_short_line_that_can_be_written(text: str, limit: int) -> None:
    line = plain(text, limit)
    assert len(line) <= limit
    assert line.isprintable()
    assert line == line.strip()
    assert "  " not in line
    line.encode()


@given(ANY_TEXT, st.integers(2, 60))
def test_plain_text_stays_as_it_is(text: str, limit: int) -> None:
    assert plain(plain(text, limit), limit) == plain(text, limit)


@pytest.mark.parametrize(("text", "line"), [
    ("Anna", "Anna"), ("  Anna \t of\n\nthe \u00a0 club ", "Anna of the club"),
    ("Anna\r\nBcc: x", "Anna Bcc: x"), ("a\x85b\u2028c\u2029d", "a b c d"),
    ("\x1b[31mred\x1b[0m", "[31mred[0m"), ("\x9b31m\x07\x7f\x00", "31m"),
    ("\u202eevil\u2066\u200b\u200f\ufeff\u00ad", "evil"), ("grüße 你好 🐈 −5", "grüße 你好 🐈 −5"),
    ("e\u0301", "e\u0301"), ("\ue000\U000e0041\U0010ffff\ud800", ""), ("", ""),
])  # fmt: skip
def test_what_steers_a_terminal_a_header_or_the_eye_is_taken_out(text: str, line: str) -> None:
    assert plain(text) == line


def test_what_is_too_long_is_cut_and_shows_it() -> None:
    assert plain("x" * 300) == "x" * 199 + "…"
    assert plain("Thursday club", 8) == "Thursda…"
    assert plain("Thursday", 8) == "Thursday"


# ---- the answer -------------------------------------------------------------------------------------
def line(text: str) -> AnsweredLine:
    return AnsweredLine(text=text, verdict="done", why="Done.")


@given(st.lists(st.text(), max_size=4), st.text(), st.text())
def test_an_answer_is_read_back_as_it_was_written(texts: list[str], in_reply_to: str, subject: str) -> None:
    answer = Answer(
        lines=[line(text) for text in texts], show=["hand"], in_reply_to=in_reply_to, subject=subject
    )
    assert Answer.model_validate_json(answer.model_dump_json()) == answer


@pytest.mark.parametrize("text", [
    "", "{}", '{"lines":[{"text":"x","verdict":"maybe","why":""}]}', '{"lines":[],"show":["boxed"]}',
    '{"lines":[],"more":1}', '{"lines":[{"text":1,"verdict":"done","why":""}]}',
])  # fmt: skip
def test_what_is_no_answer_is_not_read_as_one(text: str) -> None:
    with pytest.raises(ValidationError):
        Answer.model_validate_json(text)


def test_answers_to_several_mails_are_one_answer_in_their_order() -> None:
    first = Answer(lines=[line("a"), line("b")], show=["hand", "help"], in_reply_to="1@x", subject="one")
    second = Answer(lines=[line("c")], show=["status", "hand"], in_reply_to="2@x", subject="two")
    folded = Answer.folded([first, second])
    assert [answered.text for answered in folded.lines] == ["a", "b", "c"]
    assert folded.show == ["hand", "help", "status"]
    assert (folded.in_reply_to, folded.subject) == ("2@x", "two")
