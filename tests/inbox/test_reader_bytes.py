"""Whatever is in the bytes, reading a mail raises nothing, and what it gives can be stored."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import example, given

from felix_async.inbox.delivery import recipients_in, sender_in
from felix_async.reading.line import MAX_LINES
from felix_async.reading.reader import decoded, read_mail
from felix_async.reading.reports import read_report
from inbox.postbag import MAILBOX

NAMES = st.sampled_from([
    b"From", b"To", b"Subject", b"Date", b"Message-ID", b"In-Reply-To", b"References", b"Content-Type",
    b"Content-Transfer-Encoding", b"Content-Disposition", b"MIME-Version", b"Return-Path", b"Auto-Submitted",
    b"X-Odd", b"Cc", b"Delivered-To", b"Authentication-Results",
])  # fmt: skip
SCRAPS = st.sampled_from([
    b"<>", b"<a@b>", b"anna@players.test", b'"a@b" <c@d>', b"multipart/mixed; boundary=b",
    b"multipart/alternative; boundary=", b"message/rfc822", b"text/plain; charset=", b"charset*0*=utf-8''%",
    b"utf-7", b"utf-16", b"base64", b"quoted-printable", b"x-uuencode", b"attachment; filename*=x'y'",
    b"=?utf-8?b?", b"=?utf-7?q?+2AA-?=", b"=?\xff?q?x?=", b"=?", b"?q?", b"?b?", b"?=", b"(", b")", b'"',
    b"\\", b";", b",", b":", b"@", b"\r\n ", b"\xff", b"\0", b"\xed\xa0\x80",
])  # fmt: skip
VALUES = st.lists(SCRAPS | st.binary(max_size=6), max_size=5).map(b"".join)
HEADERS = st.lists(st.tuples(NAMES, VALUES).map(lambda pair: b"%b: %b\r\n" % pair), max_size=6).map(b"".join)
BODIES = st.lists(
    st.sampled_from([b"--b\r\n", b"--b--\r\n", b"PASS\r\n", b"> BID 5\r\n", b"-- \r\n", b"\r\n"])
    | HEADERS
    | st.binary(max_size=20),
    max_size=8,
).map(b"".join)
MAILS = st.tuples(HEADERS, BODIES).map(b"\r\n".join)


def check(raw: bytes) -> None:
    """What a letter promises about itself."""
    letter = read_mail(raw)
    lines = [line.text for line in letter.lines or []]
    texts = [*letter.headers.values(), letter.sender, letter.message_id, letter.subject, *lines]
    assert len(letter.content_sha256) == 64
    assert letter.sender == letter.sender.lower()
    assert len(lines) <= MAX_LINES
    assert all(isinstance(text, str) for text in texts)
    "".join([letter.message_id, letter.subject, decoded(letter.headers.get("cc", "")), *lines]).encode()
    assert all(line.why for line in letter.said)
    assert read_mail(raw) == letter
    # What else looks at a mail before anybody knows whose it is.
    assert recipients_in(raw, MAILBOX)
    assert sender_in(raw).isascii()
    assert read_report(raw).body_sha256
    vouching = read_mail(raw, authserv_id="mx.felix.test").vouching
    assert vouching.is_given is not bool(vouching.providers)


@given(st.binary(max_size=400))
@example(b"\r\n\r\n\r\n")
@example(b"From: \xff\xff@\xff\r\n\r\n\xff")
def test_any_bytes_are_a_letter(raw: bytes) -> None:
    check(raw)


@given(MAILS)
@example(b"Subject: =?\xe4?q?x?=\r\nCc: =?\xe4?q?x?= <b@c.test>\r\n\r\nPASS")
@example(b"Message-ID: <a@b>\r\nMessage-ID: <>\r\n\r\n")
@example(b"Content-Type: text/plain; charset=utf-7\r\n\r\nJOIN +2AA-")
@example(b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: ;x*\r\n\r\nPASS")
def test_any_pieces_of_mails_are_a_letter(raw: bytes) -> None:
    check(raw)
