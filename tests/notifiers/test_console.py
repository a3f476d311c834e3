"""Letters on a terminal: readable, and unable to steer it."""

from __future__ import annotations

from io import StringIO

import pytest

from felix_events.store.rows import Letter
from felix_notifiers.outbox.channel import Sent
from felix_notifiers.outbox.console import Console, printed
from notifiers.office import Post


def test_the_console_prints_headers_and_text(post: Post) -> None:
    post.open()
    post.claim()
    stream = StringIO()
    console = Console(stream)
    assert console.send(post.letters()[1]) == Sent("printed")
    console.close()
    lines = stream.getvalue().splitlines()
    assert lines[2].startswith("Reply-To: Felix <felix+")
    assert [lines[0], lines[1], lines[3]] == [
        "From: Felix <felix@play.test>",
        "To: Ben <ben@players.test>",
        "Subject: You are invited to play Felix",
    ]
    assert "  JOIN" in lines
    assert "<html" not in stream.getvalue()


@pytest.mark.parametrize("body", ["\x1b[2J\x1b]0;x\x07 BID 5", "a\rb", "x\x9b31m", "\u202eevil"])
def test_the_console_cannot_be_steered(body: str) -> None:
    raw = f"Subject: \x1b[31mred\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n".encode()
    text = printed(raw)
    assert all(char.isprintable() or char == "\n" for char in text)


def test_a_letter_without_text_prints_its_headers() -> None:
    text = printed(b"Subject: x\r\nContent-Type: text/html\r\n\r\n<p>x</p>")
    assert text == "From: \nTo: \nReply-To: \nSubject: x\n\n"


def test_the_console_takes_any_letter() -> None:
    letter = Letter("k7m2p", 1, "ben@players.test", "<m@play.test>", b"\xff\xfe", "", "")
    assert Console(StringIO()).send(letter) == Sent("printed")
