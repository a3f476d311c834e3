"""The bytes of a letter are written by hand: they are read as if the standard library had written them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felix_notifiers.content.mail import Composed
from felix_notifiers.mails import mime
from felix_notifiers.mails.mime import Attachment, build
from gallery.shown import HOSTILE, mails
from notifiers.by_the_book import library_built
from notifiers.sheets import MAILBOX, REPLY_ADDRESS, read

AT = datetime(2026, 11, 20, 21, 5, 6, 789, tzinfo=UTC)
THREAD, THEIRS = "<thread@play.test>", f"<{'x' * 120}@players.test>"
STOP = "mailto:felix%2Bk7m2p@play.test?subject=STOP&body=STOP"
EXPORT = Attachment("felix-k7m2p.jsonl", ("application", "x-ndjson"), bytes(range(256)) * 7)


def arguments(**changes: Any) -> dict[str, Any]:
    """What both writers are given."""
    given: dict[str, Any] = {
        "sender_mailbox": MAILBOX,
        "to_name": "Ben",
        "to_address": "ben@players.test",
        "reply_to": REPLY_ADDRESS,
        "message_id": "<mail@play.test>",
        "at": AT,
        "kind": "auto-replied",
        "unsubscribe": STOP,
    }
    return given | changes


def raw_headers(raw: bytes) -> bytes:
    """All before the first empty line."""
    return raw.partition(b"\r\n\r\n")[0]


def leaves(message: EmailMessage) -> Iterator[tuple[list[tuple[str, str]], bytes]]:
    """The headers and the decoded bytes of each part that holds no others."""
    for part in message.walk():
        if not part.is_multipart():
            headers = [(name, str(value)) for name, value in part.items()]
            data = part.get_payload(decode=True)
            assert isinstance(data, bytes)
            yield headers, data


@pytest.mark.slow
def test_every_mail_of_the_gallery_is_read_as_if_the_library_had_written_it() -> None:
    for number, (name, composed) in enumerate(mails().items()):
        attachments = (EXPORT,) if number % 4 == 0 else ()
        given = arguments(to_name=HOSTILE[number % len(HOSTILE)], attachments=attachments)
        ours = build(composed, thread_id=THREAD, in_reply_to=THEIRS, **given)
        book = library_built(composed, references=(THREAD, THEIRS), **given)
        message, expected = read(ours), read(book.as_bytes())
        assert raw_headers(ours) == raw_headers(book.as_bytes()), name
        assert list(leaves(message)) == list(leaves(expected)), name
        assert [part.get_boundary() for part in message.walk()] == [
            part.get_boundary() for part in expected.walk()
        ], name
        assert [part.defects for part in message.walk() if part.defects] == [], name
        lines = ours.split(b"\r\n")
        assert max(map(len, lines)) <= 998, name
        assert not [line for line in lines if b"\r" in line or b"\n" in line], name


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=120)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@given(subject=WORDS, name=WORDS)
def test_any_subject_and_name_stand_in_the_headers_as_the_library_would_write_them(
    subject: str, name: str
) -> None:
    composed = Composed(subject, "x\n", "y\n")
    expected = library_built(composed, **arguments(to_name=name)).as_bytes()
    assert raw_headers(build(composed, **arguments(to_name=name))) == raw_headers(expected)


@given(
    header=st.sampled_from(["From", "To", "Reply-To"]),
    name=st.text("ab é·日🐈'\"_=?,.", min_size=1, max_size=40),
    length=st.integers(1, 60),
)
def test_an_address_with_a_name_is_broken_where_the_library_breaks_it(
    header: str, name: str, length: int
) -> None:
    """Names that are written once and remembered, beside addresses of any length."""
    name, address = " ".join(name.replace("=?", "= ?").split()), f"{'x' * length}@felix.test"
    assert mime._addressed(header, name, address) == mime._folded(header, Address(name, addr_spec=address))


@given(local=st.text('ab.+-_=@" \\()<>,:;é\r\n', max_size=8), domain=st.text("ab.-@é[] \r\n", max_size=8))
def test_an_address_is_refused_where_the_library_refuses_it_and_else_written_alike(
    local: str, domain: str
) -> None:
    composed, given = Composed("s", "x\n", "y\n"), arguments(to_address=f"{local}@{domain}")
    try:
        expected = library_built(composed, **given).as_bytes()
    except (ValueError, IndexError, AttributeError, MessageError):
        with pytest.raises(ValueError, match=r"."):
            build(composed, **given)
    else:
        assert raw_headers(build(composed, **given)) == raw_headers(expected)


@given(text=TEXTS)
def test_any_text_arrives_as_the_library_would_bring_it(text: str) -> None:
    composed = Composed("s", text, text)
    ours = message_from_bytes(build(composed, **arguments()), policy=SMTP)
    expected = message_from_bytes(library_built(composed, **arguments()).as_bytes(), policy=SMTP)
    assert [data for _, data in leaves(ours)] == [data for _, data in leaves(expected)]


@given(text=st.text(st.sampled_from("a .\té-=\n\r\u2028"), max_size=2500))
def test_no_line_of_a_part_is_longer_than_smtp_allows(text: str) -> None:
    raw = build(Composed("s", text, text), **arguments())
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 998


@pytest.mark.parametrize("field", ["message_id", "thread_id", "unsubscribe"])
@pytest.mark.parametrize("end", ["\r\nBcc: mallory@evil.test", "\n", " ", "é"])
def test_what_stands_in_a_header_as_it_is_holds_no_line_of_its_own(field: str, end: str) -> None:
    with pytest.raises(ValueError, match="cannot stand in a header"):
        build(Composed("s", "x\n", "y\n"), **arguments(**{field: f"<a@b.test>{end}"}))


def test_a_subject_of_two_lines_makes_no_letter() -> None:
    with pytest.raises(ValueError, match="linefeed"):
        build(Composed("s\r\nBcc: mallory@evil.test", "x\n", "y\n"), **arguments())


def test_the_name_of_a_file_cannot_add_a_header() -> None:
    odd = Attachment('a"\r\nX: y', EXPORT.type, b"")
    with pytest.raises(ValueError, match="no name for a file"):
        build(Composed("s", "x\n", "y\n"), **arguments(attachments=[odd]))
