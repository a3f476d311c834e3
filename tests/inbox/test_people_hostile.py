"""Whatever somebody says, the others' letters stay letters: no headers, no orders, no code, no escapes."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser

from hypothesis import example, given, settings
from hypothesis import strategies as st

from felix_async.inbox.reading.reader import read_mail
from felix_async.inbox.reading.understand import understand
from felix_async.words import QUESTIONS
from inbox.mailroom_of_people import a_village
from inbox.postbag import a_first_round, a_mail
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
HOSTILE = st.one_of(st.text(max_size=120), st.lists(st.sampled_from(NASTY), max_size=8).map("".join))


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


@settings(deadline=None, max_examples=60)
@example("\r\nBcc: all@evil.test\r\n\r\nPASS")
@example("<b>bold</b>")
@example("x" * 60 + " PASS " + "y" * 72)
@example("\x1b[31mred\x07")
@given(HOSTILE)
def test_what_is_said_does_no_harm_in_the_letter_of_another(said: str) -> None:
    village = a_village(a_first_round(3, seed="hostile"))
    bag = village.bag
    raw = a_mail("", sender="anna@players.test", message_id="<h@x>").rstrip()
    body = f"SAY {said}".encode("utf-8", "replace")
    head = raw.replace(b"Message-ID", b"Content-Type: text/plain; charset=utf-8\r\nMessage-ID")
    bag.post(head + b"\r\n\r\n" + body + b"\r\n", bag.address(ANNA))
    bag.work()
    village.deliver()
    bag.send(BEN, "HISTORY")
    (letter,) = village.deliver()
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
    # a reply that quotes the letter, above or below, orders nothing
    quoted = "".join(f"> {line}\r\n" for line in text.splitlines())
    for reply in (f"\r\n{quoted}", f"Thanks, I see\r\n\r\nFelix wrote:\r\n\r\n{text}", f"{quoted}\r\nI see"):
        headers = ["In-Reply-To: <a@b>", "Content-Type: text/plain; charset=utf-8"]
        read = read_mail(a_mail(reply, sender="ben@players.test", headers=headers))
        orders = [line.order for line in understand(read) if line.verdict == "order" and line.order]
        assert not [order for order in orders if order.word not in QUESTIONS]


def test_a_template_in_a_saying_is_text() -> None:
    village = a_village(a_first_round(3))
    village.bag.send(ANNA, "SAY {{ 7*7 }} {who} {count:a|b}")
    assert re.search(r"Anna: “\{\{ 7\*7 \}\} \{who\} \{count:a\|b\}”", village.answer(BEN, "HISTORY"))
