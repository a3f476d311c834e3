"""A composed mail as bytes: headers, parts, and what hostile names do to them (nothing)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest

from felix_async.language.words import LOOP_HEADER
from felix_async.reading import machines
from felix_notifiers.content.harmless import one_line
from felix_notifiers.content.mail import Composed
from felix_notifiers.content.offers import offers_in
from felix_notifiers.mails.mime import build
from notifiers.sheets import MAILBOX, REPLY_ADDRESS, mail, offered, part, read
from table import BEN, a_game

AT = datetime(2026, 11, 20, 21, 5, 6, 789, tzinfo=UTC)
PLAIN = Composed("[T k7m2p] Your turn", "Hello Ben,\n\n  PASS\n", "<p>Hello Ben</p>\n")


def a_letter(composed: Composed = PLAIN, **changes: Any) -> bytes:
    """A mail to Ben."""
    arguments: dict[str, Any] = {
        "sender_mailbox": MAILBOX,
        "to_name": "Ben",
        "to_address": "ben@players.test",
        "reply_to": REPLY_ADDRESS,
        "message_id": "<mail@play.test>",
        "thread_id": "<thread@play.test>",
        "in_reply_to": "",
        "at": AT,
        "kind": "auto-generated",
    }
    return build(composed, **(arguments | changes))


def test_the_headers() -> None:
    message = read(a_letter())
    assert {name: str(message[name]) for name in message if not name.lower().startswith("content-")} == {
        "From": f"Felix <{MAILBOX}>",
        "To": "Ben <ben@players.test>",
        "Reply-To": f"Felix <{REPLY_ADDRESS}>",
        "Subject": "[T k7m2p] Your turn",
        "Date": "Fri, 20 Nov 2026 21:05:06 +0000",
        "Message-ID": "<mail@play.test>",
        "In-Reply-To": "<thread@play.test>",
        "References": "<thread@play.test>",
        "Auto-Submitted": "auto-generated",
        LOOP_HEADER: MAILBOX,
        "MIME-Version": "1.0",
    }


def test_an_answer_threads_under_the_mail_that_it_answers() -> None:
    message = read(a_letter(in_reply_to="<theirs@players.test>", kind="auto-replied"))
    assert message["In-Reply-To"] == "<theirs@players.test>"
    assert message["References"] == "<thread@play.test> <theirs@players.test>"
    assert message["Auto-Submitted"] == "auto-replied"


def test_a_message_id_may_come_without_brackets() -> None:
    assert read(a_letter(in_reply_to="theirs@players.test"))["In-Reply-To"] == "<theirs@players.test>"


@pytest.mark.parametrize(
    "theirs",
    ["a b@x", "<a@x>\r\nBcc: mallory@evil.test", "<<a@x>>", "<>", "é@x", "a" * 300 + "@x", "a@x>, <b@x"],
)
def test_a_message_id_that_is_none_is_left_out(theirs: str) -> None:
    message = read(a_letter(in_reply_to=theirs))
    assert message["References"] == "<thread@play.test>"
    assert "Bcc" not in message


def test_long_message_ids_are_neither_broken_nor_encoded() -> None:
    theirs = f"<{'x' * 200}@players.test>"
    raw = a_letter(in_reply_to=theirs, thread_id=f"<thread@{'y' * 190}.test>")
    assert f"In-Reply-To: {theirs}\r\n".encode() in raw
    assert f"References: <thread@{'y' * 190}.test>\r\n {theirs}\r\n".encode() in raw


@pytest.mark.parametrize(
    "name",
    [
        "Ben\r\nBcc: mallory@evil.test",
        "Ben\nX: y",
        'Ben" <mallory@evil.test>, "',
        "B\x00en",
        "Ben\u202e",
        "",
        "Zoë",
    ],
)
def test_a_name_cannot_add_headers_or_recipients(name: str) -> None:
    raw = a_letter(to_name=name)
    message = read(raw)
    assert [address.addr_spec for address in message["To"].addresses] == ["ben@players.test"]
    assert list(message) == list(read(a_letter()))
    assert message.defects == []
    assert raw.isascii()


@pytest.mark.parametrize(
    "word",
    [
        "=?utf-8?q?=0D=0ABcc:m=40evil.test?=",
        "x =?utf-8?q?=0D=0A=0D=0APASS?= y",
        "=?utf-8?b?DQpCY2M6IG1AZXZpbC50ZXN0?=",
        "=?utf-8?q?=E2=80=AE?=",
        "=\u200b?utf-8?q?=0AX:y?=",
        "==??utf-8?q?=0AX:y?=",
    ],
)
def test_an_encoded_word_in_a_name_or_a_subject_is_read_as_it_was_written(word: str) -> None:
    """A program that decodes it would find the end of the line in it, and another header."""
    raw = a_letter(Composed(f"[{one_line(word)} k7m2p] Your turn", "x\n", "<p>x</p>"), to_name=word)
    message = read(raw)
    assert list(message) == list(read(a_letter()))
    assert [address.addr_spec for address in message["To"].addresses] == ["ben@players.test"]
    assert "?utf-8" in message["Subject"]
    assert str(message["Subject"]).isprintable()
    assert message.defects == []


def test_a_name_with_accents_arrives() -> None:
    assert read(a_letter(to_name="Zoë"))["To"].addresses[0].display_name == "Zoë"


@pytest.mark.parametrize("address", ["ben@players.test\r\nBcc: x@y.test", "ben", "", "a@b, c@d"])
def test_an_address_that_is_none_makes_no_letter(address: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        a_letter(to_address=address)


def test_a_long_subject_arrives_whole() -> None:
    subject = f"[{'Zoë und Freunde, ' * 3}k7m2p] Your turn: round 3, place a card"
    assert read(a_letter(Composed(subject, "x\n", "x\n")))["Subject"] == subject


def test_the_text_part_comes_first() -> None:
    message = read(a_letter())
    assert message.get_content_type() == "multipart/alternative"
    assert [p.get_content_type() for p in message.iter_parts()] == ["text/plain", "text/html"]
    assert part(message, "plain") == PLAIN.text
    assert part(message, "html") == PLAIN.html


def test_a_real_mail_arrives_as_it_was_composed() -> None:
    composed = mail(a_game(), BEN, names=("Zoë", "Ben", "猫", "Dan"))
    message = read(a_letter(composed))
    assert message["Subject"] == composed.subject
    assert part(message, "plain") == composed.text
    assert unescape(part(message, "html")) == unescape(composed.html)
    assert offers_in(message) == offered(composed)


def test_the_html_part_needs_no_encoding_that_makes_it_longer() -> None:
    composed = mail(a_game(), BEN, names=("Zoë", "Ben", "猫", "Dan"))
    html = read(a_letter(composed)).get_body(("html",))
    assert html is not None
    assert html["Content-Transfer-Encoding"] == "7bit"
    assert "Zo&#235;" in html.get_content()


def test_a_style_sheet_holds_no_character_that_would_become_a_reference() -> None:
    """There, and nowhere else in our pages, a reference would be taken literally."""
    styles = re.findall(r"<style>.*?</style>", mail(a_game(), BEN).html, re.DOTALL)
    assert styles
    assert "".join(styles).isascii()


def test_a_mail_without_html_offers_nothing() -> None:
    assert offers_in(read(b"Subject: x\r\n\r\nPASS\r\n")) == []


def test_only_mailto_links_are_offers() -> None:
    html = '<a href="mailto:f@x.test?body=PASS">PASS</a> <a href="http://x.test/?body=BID">no</a> <a>no</a>\n'
    assert offers_in(read(a_letter(Composed("s", "t\n", html)))) == ["PASS"]


def test_every_line_is_short_ascii_and_ends_as_smtp_wants_it() -> None:
    raw = a_letter(mail(a_game(), BEN, names=("Zoë", "Ben", "猫", "Dan")))
    lines = raw.split(b"\r\n")
    assert raw.isascii()
    assert max(map(len, lines)) < 998
    assert not [line for line in lines if b"\n" in line or b"\r" in line]


def test_an_ascii_text_part_is_readable_as_it_is() -> None:
    message = read(a_letter(mail(a_game(), BEN)))
    text = message.get_body(("plain",))
    assert text is not None
    assert text["Content-Transfer-Encoding"] == "7bit"


def test_no_line_begins_as_programs_begin_a_mail_in_a_file() -> None:
    told = f"From now on it is round 2.\n{'x' * 75}From me\n>From a quote\n"
    composed = Composed("s", told, "<p>\nFrom me</p>\n")
    raw = a_letter(composed)
    assert b"\r\nFrom " not in raw
    assert raw.count(b"\r\n=46rom ") == 3
    assert (part(read(raw), "plain"), part(read(raw), "html")) == (told, composed.html)


def test_a_line_that_is_too_long_for_smtp_is_broken_in_transit_only() -> None:
    composed = Composed("s", "x\n", f"<p>{'x' * 2000}</p>\n")
    raw = a_letter(composed)
    assert max(map(len, raw.split(b"\r\n"))) < 998
    assert part(read(raw), "html") == composed.html


def test_the_same_mail_is_the_same_bytes() -> None:
    assert a_letter() == a_letter()
    assert a_letter() != a_letter(message_id="<other@play.test>")


def test_the_inbox_knows_a_letter_of_ours_by_its_loop_header() -> None:
    headers = {LOOP_HEADER.lower(): MAILBOX}
    assert machines.machine_mark(headers) == LOOP_HEADER.lower()


@pytest.mark.parametrize("kind", ["auto-generated", "auto-replied"])
def test_our_own_mails_would_not_be_acted_on(kind: str) -> None:
    message = read(a_letter(kind=kind))
    headers = {name.lower(): str(value) for name, value in message.items()}
    assert machines.machine_mark(headers) == "Auto-Submitted"
