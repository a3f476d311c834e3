"""What a mail says: the writer's own lines and nothing else, whatever the mail program made of it."""

from __future__ import annotations

import pytest

from each import each
from felix_async.language.words import MARKER
from felix_async.reading.reader import Reading, read_mail
from inbox.reading import written, written_lines

FROM = b"From: Anna <anna@players.test>\r\n"


def lines_of(headers: bytes, body: bytes = b"") -> list[str] | None:
    """The lines of a mail with these headers."""
    return written(FROM + headers + b"\r\n" + body)


def parts(subtype: bytes, *bodies: bytes) -> bytes:
    """A multipart mail, without its From."""
    inner = b"".join(b"--b\r\n" + body + b"\r\n" for body in bodies)
    return b"Content-Type: multipart/" + subtype + b"; boundary=b\r\n\r\n" + inner + b"--b--\r\n"


def plain(text: bytes, more: bytes = b"") -> bytes:
    return b"Content-Type: text/plain; charset=utf-8\r\n" + more + b"\r\n" + text


def html(text: bytes) -> bytes:
    return b"Content-Type: text/html; charset=utf-8\r\n\r\n" + text


def read(mail: bytes) -> list[str] | None:
    return written(FROM + mail)


# ---- what the writer wrote ------------------------------------------------------------------------------


def test_a_quoted_marker_inside_a_quote_cuts_nothing() -> None:
    assert written_lines(f"> > {MARKER}\n> > BID 3\n> BID 4\nPASS\n") == ["PASS"]


@pytest.mark.parametrize("dashes", ["-- ", "--"])
def test_a_signature_ends_the_mail(dashes: str) -> None:
    """Some programs eat its blank."""
    assert written_lines(f"PASS\n{dashes}\nAnna\nBID 9\n") == ["PASS"]


@pytest.mark.parametrize("around", ["{}", "  {}  ", "**{}**", "\ufeff{}", "* {}", "\u200b{}\u00a0"])
def test_the_marker_is_known_also_where_a_mail_program_touched_it(around: str) -> None:
    assert written_lines(f"PASS\n{around.format(MARKER)}\nBID 9") == ["PASS"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(end: str) -> None:
    assert written_lines(end.join(["PLAY 5", "", "HAND", ""])) == ["PLAY 5", "HAND"]


def test_a_mail_of_blanks_says_nothing() -> None:
    assert written_lines(" \n\t\n\u200b\n\u00a0\n") == []


# ---- parts ------------------------------------------------------------------------------------------
def test_of_two_alternatives_the_plain_one_is_read() -> None:
    assert read(parts(b"alternative", plain(b"PASS"), html(b"<p>BID 9</p>"))) == ["PASS"]
    assert read(parts(b"alternative", html(b"<p>BID 9</p>"), plain(b"PASS"))) == ["PASS"]


@pytest.mark.parametrize("empty", [b"", b" \r\n\r\n", b"\xc2\xa0"])
def test_where_the_plain_text_is_empty_the_html_is_read(empty: bytes) -> None:
    assert read(parts(b"alternative", plain(empty), html(b"<p>PASS</p>"))) == ["PASS"]


def test_without_any_text_there_are_no_lines_at_all() -> None:
    assert read(parts(b"mixed")) is None


def test_the_plain_text_may_lie_deep() -> None:
    inner = parts(b"alternative", plain(b"PASS"), html(b"x")).replace(b"=b\r\n", b"=c\r\n")
    assert read(parts(b"mixed", inner.replace(b"--b", b"--c"))) == ["PASS"]


def test_all_texts_of_the_mail_itself_are_read_in_their_order() -> None:
    """Apple Mail splits a text around a picture."""
    picture = b"Content-Type: image/png\r\nContent-Disposition: inline; filename=cat.png\r\n\r\n"
    assert read(parts(b"mixed", plain(b"PLAY 5"), picture, plain(b"HAND"))) == ["PLAY 5", "HAND"]


def test_a_mail_that_is_nothing_but_an_attached_text_holds_no_order() -> None:
    assert read(plain(b"BID 9", b"Content-Disposition: attachment; filename=orders.txt\r\n")) is None


@pytest.mark.parametrize("disposition", [b"", b"Content-Disposition: inline\r\n"])
def test_an_attached_mail_is_no_order(disposition: bytes) -> None:
    attached = b"Content-Type: message/rfc822\r\n" + disposition + b"\r\n" + FROM + b"\r\nBID 9"
    assert read(parts(b"mixed", attached)) is None
    assert read(attached) is None


# ---- encodings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"UEFTU", b"####", b"=", b"\xff\xfe", b"UEFTUw==garbage!!"])
def test_broken_base64_is_not_taken_for_another_order(body: bytes) -> None:
    lines = lines_of(b"Content-Transfer-Encoding: base64\r\n", body)
    assert lines is not None
    assert "BID" not in "".join(lines)


@each(("kind", "body", "line"), [
    (b"Content-Type: text/plain; charset=klingon", "JOIN grüße".encode(), "JOIN grüße"),
    (b"Content-Type: text/plain", "JOIN grüße".encode(), "JOIN grüße"),
    (b"X-No: type", "JOIN grüße".encode(), "JOIN grüße"),
    *(
        (b"Content-Type: text/plain; charset=" + name.encode(), text.encode(name), text)
        for text, name in [
            ("JOIN grüße", "iso-8859-1"), ("JOIN grüße", "windows-1252"), ("JOIN grüße", "utf-16"),
            ("JOIN привет", "koi8-r"),
        ]
    ),
    *(
        (b"Content-Type: text/plain; charset=" + name, b"PASS", "PASS")
        for name in (b"hex", b"zlib", b"rot13", b"undefined", b"idna", b'"\xff"', b"a\0b")
    ),
    (b"Content-Type: text/plain; charset=punycode", b"PASS-", "PASS-"),
    # Bytes that do not fit, and what programs write under the name of a simple charset.
    (b"Content-Type: text/plain; charset=utf-8", b"JOIN \xff", "JOIN \ufffd"),
    *(
        (b"Content-Type: text/plain; charset=" + name, body, "JOIN “grüße”")
        for name in (b"us-ascii", b"iso-8859-1")
        for body in (b"JOIN \x93gr\xfc\xdfe\x94", "JOIN “grüße”".encode())
    ),
    (b"Content-Transfer-Encoding: base64", b"UEFTUw==\r\n", "PASS"),
    (b"Content-Transfer-Encoding: quoted-printable", b"BID=205=\r\n", "BID 5"),
    # UTF-16 without a mark is known by its zeros.
    *(
        (b"Content-Type: text/plain" + charset, "BID 5\r\n".encode(name), "BID 5")
        for name in ("utf-16-le", "utf-16-be")
        for charset in (b"", b"; charset=utf-16", b"; charset=us-ascii")
    ),
])  # fmt: skip
def test_a_text_is_read_in_its_charset_or_else_as_utf_8(kind: bytes, body: bytes, line: str) -> None:
    assert lines_of(kind + b"\r\n", body) == [line]


def test_every_line_can_be_written_as_utf_8() -> None:
    """Some charsets can spell half a character, which nothing else can hold."""
    lines = lines_of(b"Content-Type: text/plain; charset=utf-7\r\n", b"JOIN +2AA-")
    assert lines is not None
    assert "".join(lines).encode()


# ---- headers ----------------------------------------------------------------------------------------
def letter(headers: bytes) -> Reading:
    return read_mail(headers + b"\r\nPASS\r\n")


def test_an_empty_mail_is_a_letter_that_says_nothing() -> None:
    empty = read_mail(b"")
    assert (empty.sender, empty.message_id, empty.said, empty.headers) == ("", "", [], {})


@pytest.mark.parametrize(
    "header",
    [
        b"Message-ID: <>",
        b"Message-ID: <a@b>\r\nMessage-ID: <>",
        b"Content-Type: text/plain; charset*0=",
        b"Content-Type: text/plain; =x; charset",
        b"Content-Type: ;;;",
        b"Content-Type: text/plain\r\nContent-Type: text/plain; charset*=x'y",
        b"Content-Disposition: ; filename*0*=",
        b"Content-Transfer-Encoding: what?",
        b"Date: yesterday at \xff",
        b"To: <<<>>>, ;:@",
        b"Cc: undisclosed-recipients:;",
        b"In-Reply-To:",
        b"Subject: =?utf-7?q?+2AA-?=",
        b"Subject: =?nothing?b?###?=",
        b"Subject: " + b"(" * 2000,
    ],
)
def test_odd_headers_do_not_hide_the_order(header: bytes) -> None:
    odd = letter(FROM + header + b"\r\n")
    assert odd.sender == "anna@players.test"
    assert [line.text for line in odd.said] == ["PASS"]


@pytest.mark.parametrize("header", [
    b"Content-Disposition: ;x*", b"Content-Disposition: =?utf-7?q?+2AA-?=",
    b"Content-Transfer-Encoding: =?utf-7?q?+2AA-?=",
    b"Content-Type: text/plain\r\nContent-Type: =?utf-7?q?+2AA-?=", b"Message-ID: <>",
])  # fmt: skip
def test_odd_headers_of_a_part_do_not_hide_the_order(header: bytes) -> None:
    assert read(parts(b"mixed", header + b"\r\n\r\nPASS")) == ["PASS"]


@pytest.mark.parametrize("value", [b"<a@b>", b" <a@b> ", b"a@b", b"\r\n <a@b>"])
def test_a_message_id_is_read_without_what_surrounds_it(value: bytes) -> None:
    assert letter(FROM + b"Message-ID:" + value + b"\r\n").message_id == "a@b"


def test_of_a_header_that_comes_twice_the_first_counts() -> None:
    assert letter(FROM + b"X-Test: one\r\nX-Test: two\r\n").headers["x-test"] == "one"


@pytest.mark.parametrize("kind", [b"multipart/mixed; boundary=b%d\r\n\r\n--b%d", b"message/rfc822\r\n"])
def test_parts_within_parts_a_thousand_deep_do_no_harm(kind: bytes) -> None:
    deep = b"".join(
        b"Content-Type: " + (kind % (n, n) if b"%d" in kind else kind) + b"\r\n" for n in range(1000)
    )
    assert read(deep + b"\r\nBID 9") in (None, [])


# ---- the same mail again --------------------------------------------------------------------------------
def hash_of(headers: bytes, body: bytes = b"PASS\r\n") -> str:
    return read_mail(FROM + headers + b"\r\n" + body).content_sha256


def test_what_servers_add_on_the_way_is_not_content() -> None:
    assert hash_of(b"Received: by mx\r\nX-Spam: no\r\nMessage-ID: <1@b>\r\n") == hash_of(b"")


def test_line_ends_and_blank_lines_at_the_end_are_not_content() -> None:
    assert hash_of(b"", b"PASS\n\n\n") == hash_of(b"", b"PASS\r\n")


@pytest.mark.parametrize("header", [b"Subject: x", b"To: x", b"Date: x", b"In-Reply-To: <x@y>"])
def test_what_the_writer_set_is_content(header: bytes) -> None:
    assert hash_of(header + b"\r\n") != hash_of(b"")


def test_the_body_is_content() -> None:
    assert hash_of(b"", b"BID 5\r\n") != hash_of(b"", b"BID 6\r\n")
