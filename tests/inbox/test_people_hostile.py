"""Whatever somebody says, the others' letters stay letters: no headers, no orders, no code, no escapes."""

from __future__ import annotations

import re
import unicodedata
from datetime import timedelta
from email.message import EmailMessage
from functools import cache
from html.parser import HTMLParser

from hypothesis import example, given
from hypothesis import strategies as st

from felix_async.language.words import QUESTIONS
from felix_async.reading.reader import read_mail
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import a_first_round, a_mail
from inbox.quoting import broken
from notifiers.sheets import part

ANNA, BEN = range(2)
NASTY = (
    "\r\nBcc: all@evil.test",
    "\nPASS\n",
    "\x1b]0;owned\x07",
    "\x1b[2J",
    "<img src=x onerror=a>",
    "</li><script>alert(1)</script>",
    "\u202eSSAP",
    "{{ 7*7 }}",
    "{% raw %}",
    "%0d%0aTo: x",
    "'\"><",
    "-- write above this line --",
    "\u2028PASS\u2029",
    "=?utf-8?q?PASS?=",
    "BID 5",
    "\x00",
    "&amp;lt;",
    "PLAY 11",
    " " * 70,
    "x" * 71,
    "javascript:alert(1)",
)
WORDS = st.sampled_from(
    ("PASS", "STOP", "BID 5", "PLAY 8", "RESIGN", "YES", "x" * 40, "x" * 55, "haha", "> PASS")
)
HOSTILE = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(NASTY), max_size=12).map("".join),
    st.lists(WORDS, max_size=40).map(" ".join),
)


class Tags(HTMLParser):
    """The tags of an HTML part, and where its links go."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


@cache
def listeners() -> Village:
    """A table at which Ben wants to hear everything; one for all that is said here."""
    village = a_village(a_first_round(3, seed="hostile"))
    village.bag.send(BEN, "NOTIFY ALL")
    village.deliver()
    return village


def heard(sayings: list[str]) -> EmailMessage:
    """The letter that Ben gets because Anna said all this."""
    village = listeners()
    bag = village.bag
    bag.room.clock.now += timedelta(days=1)
    # Where nothing was said after all, there is something to quote all the same.
    for said in (*sayings, "That was it."):
        bag.mails += 1
        head = a_mail("", sender="anna@players.test", message_id=f"<h{bag.mails}@x>").rstrip()
        head = head.replace(b"Message-ID", b"Content-Type: text/plain; charset=utf-8\r\nMessage-ID")
        body = f"SAY {said}".encode("utf-8", "replace")
        bag.take(head + b"\r\n\r\n" + body + b"\r\n", bag.address(ANNA))
    bag.room.clock.now += timedelta(hours=12)  # Talk waits an hour, and for the day.
    return next(letter for letter in village.deliver() if "ben@players.test" in str(letter["To"]))


def orders_in_reply(reply: str) -> list[str]:
    """What Ben would order with this answer, besides questions."""
    headers = ["In-Reply-To: <a@b>", "Content-Type: text/plain; charset=utf-8"]
    read = read_mail(a_mail(reply, sender="ben@players.test", headers=headers))
    orders = [line.order for line in read.said if line.verdict == "order" and line.order]
    return [str(order) for order in orders if order.word not in QUESTIONS]


@example(["\r\nBcc: all@evil.test\r\n\r\nPASS", "<b>bold</b>", "\x1b[31mred\x07"], 72, ">")
@example(["x" * 60 + " PASS " + "y" * 72], 64, ">")
@example([" ".join(["x" * 57, "PASS"] * 5)[:300]], 65, "")
@given(st.lists(HOSTILE, min_size=1, max_size=6), st.integers(40, 80), st.sampled_from([">", ""]))
def test_what_is_said_does_no_harm_in_the_letter_of_another(
    sayings: list[str], columns: int, blank: str
) -> None:
    letter = heard(sayings)
    # headers: those of any letter, and no recipient but Ben
    assert letter.get_all("To") == ["Ben <ben@players.test>"]
    assert letter["Bcc"] is None
    assert not letter.defects
    text, html = part(letter, "plain"), part(letter, "html")
    # nothing that steers a terminal, or turns the direction of writing
    assert not [char for char in text if unicodedata.category(char)[0] == "C" and char != "\n"]
    # no code of a page, no link that leads anywhere else
    tags = Tags(html)
    assert not tags.tags & {"script", "img", "iframe", "b", "form", "object"}
    assert all(link.startswith("mailto:felix%2B") for link in tags.links)
    # a reply that quotes the letter, above or below, orders nothing, and neither where lines were broken
    quoted = "\n".join(f"> {line}" for line in text.splitlines())
    again = broken(text, columns, blank=blank)
    for reply in (
        quoted,
        f"Thanks, I see\n\nFelix wrote:\n\n{text}",
        f"{again}\n\nI see",
        f"I see\n\n{again}",
    ):
        assert orders_in_reply(reply) == []


def test_what_is_said_is_heard() -> None:
    """Else the test above would prove nothing."""
    assert "  | PASS while you can" in part(heard(["PASS while you can", "x" * 301]), "plain")


def test_a_template_in_a_saying_is_text() -> None:
    village = a_village(a_first_round(3))
    village.bag.send(ANNA, "SAY {{ 7*7 }} {who} {count:a|b}")
    assert re.search(r"Anna: “\{\{ 7\*7 \}\} \{who\} \{count:a\|b\}”", village.answer(BEN, "HISTORY"))
