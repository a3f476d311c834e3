"""Subjects of answers, and the marker line: what players' mail programs do to our mails and send back."""

from __future__ import annotations

import pytest

from felix_async.text import plain
from felix_notifiers.content.subjects import answer_subject, reply_subject
from inbox.reading import written_lines
from notifiers.sheets import mail
from table import BEN, a_game

LABEL = plain("Thursday club k7m2p")
OURS = f"[{LABEL}] Your turn: round 3, place a card"


@pytest.mark.parametrize("theirs", [OURS, f"Re: {OURS}", f"RE: {OURS}", f"AW: Re: {OURS}", f"Re[2]: {OURS}"])
def test_an_answer_to_our_subject_keeps_it_with_one_re(theirs: str) -> None:
    assert answer_subject(LABEL, theirs) == f"Re: {OURS}"


@pytest.mark.parametrize(
    "theirs",
    [
        "",
        "BID 5",
        "Re: PLAY 11",
        f"[{LABEL}] BID 5",
        f"[{LABEL}] Your turn: round 3, place a card PLAY 11",
        "[Another club x2x2x] The game is over",
        f"Fwd: {OURS}",
    ],
)
def test_other_subjects_are_not_repeated(theirs: str) -> None:
    assert answer_subject(LABEL, theirs) is None


def test_re_is_not_doubled() -> None:
    assert reply_subject(reply_subject("x")) == "Re: x"


def test_a_reply_above_the_mail_is_all_that_is_read() -> None:
    ours = mail(a_game(), BEN).text
    assert written_lines(f"PLAY 3\n\nSent from my phone\n\n{ours}") == ["PLAY 3"]


def test_a_reply_below_the_quoted_mail_is_all_that_is_read() -> None:
    quoted = "".join(f"> {line}\n" for line in mail(a_game(), BEN).text.splitlines())
    assert written_lines(f"On Friday felix wrote:\n{quoted}\nPLAY 3\n") == ["PLAY 3"]


def test_a_reply_between_quoted_lines_is_all_that_is_read() -> None:
    lines = mail(a_game(), BEN).text.splitlines()
    quoted = [f"> {line}" for line in lines]
    assert written_lines("\n".join([*quoted[:20], "", "PLAY 3", "", *quoted[20:]])) == ["PLAY 3"]
