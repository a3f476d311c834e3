"""Subjects of answers, and the marker line: what players' mail programs do to our mails and send back."""

from __future__ import annotations

from felix_notifiers.content.subjects import reply_subject
from inbox.reading import written_lines
from notifiers.sheets import mail
from table import BEN, a_game


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
