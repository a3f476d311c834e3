"""What a mail says: the writer's own lines and nothing else, whatever the mail program made of it."""

from __future__ import annotations

import pytest

from felix_async.language.words import MARKER
from felix_async.reading.reader import Reading, read_mail
from inbox.reading import written, written_lines

FROM = b"From: Anna <anna@players.test>\r\n"
OURS = f"{MARKER}\n\nIt is your turn.\n\n  BID 1\n  PASS\n"
QUOTED = "".join(f"> {line}\n" for line in OURS.splitlines())


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
def test_an_answer_above_the_marker_is_read_and_nothing_below_it() -> None:
    assert written_lines(f"BID 5\n\n{OURS}") == ["BID 5"]


def test_an_answer_below_a_quoted_marker_is_read() -> None:
    text = f"On Thu, Jan 01, 2026 at 12:00:00PM +0000, felix wrote:\n{QUOTED}\nBID 5\n"
    assert written_lines(text) == ["BID 5"]


def test_an_attribution_on_two_lines_goes_with_its_quote() -> None:
    text = f"BID 5\n\nOn Thu, Jan 1, 2026 at 12:00 felix\n<felix+abc@felix.test> wrote:\n\n{QUOTED}"
    assert written_lines(text) == ["BID 5"]


def test_an_attribution_in_another_language_goes_with_its_quote() -> None:
    assert written_lines(f"PASS\n\nAm 01.01.26 um 12:00 schrieb felix:\n{QUOTED}") == ["PASS"]


def test_an_order_right_above_a_quote_stays() -> None:
    assert written_lines(f"PASS\n{QUOTED}") == ["PASS"]


def test_answers_between_quoted_lines_are_read_in_order() -> None:
    assert written_lines("> one\n\nPLAY 5\n\n> two\nHAND\n> three\n") == ["PLAY 5", "HAND"]


@pytest.mark.parametrize("quote", [">", "> ", ">> ", "> > ", "  > ", "| ", ">\t"])
def test_a_quoted_order_is_not_an_order(quote: str) -> None:
    assert written_lines(f"{quote}BID 9\nPASS") == ["PASS"]


def test_a_quoted_marker_inside_a_quote_cuts_nothing() -> None:
    assert written_lines(f"> > {MARKER}\n> > BID 3\n> BID 4\nPASS\n") == ["PASS"]


def test_a_signature_ends_the_mail() -> None:
    assert written_lines("PASS\n-- \nAnna\nBID 9\n") == ["PASS"]


def test_a_signature_whose_blank_was_eaten_ends_the_mail() -> None:
    assert written_lines("PASS\n--\nBID 9\n") == ["PASS"]


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


@pytest.mark.parametrize("mail", [html(b"PASS"), parts(b"alternative", html(b"PASS"))])
def test_without_plain_text_the_html_is_read(mail: bytes) -> None:
    assert read(mail) == ["PASS"]


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


def test_an_attached_text_is_no_order() -> None:
    attached = plain(b"BID 9", b"Content-Disposition: attachment; filename=orders.txt\r\n")
    assert read(parts(b"mixed", attached)) is None
    assert read(parts(b"mixed", attached, plain(b"PASS"))) == ["PASS"]


def test_a_mail_that_is_nothing_but_an_attached_text_holds_no_order() -> None:
    assert read(plain(b"BID 9", b"Content-Disposition: attachment; filename=orders.txt\r\n")) is None


@pytest.mark.parametrize("disposition", [b"", b"Content-Disposition: inline\r\n"])
def test_an_attached_mail_is_no_order(disposition: bytes) -> None:
    attached = b"Content-Type: message/rfc822\r\n" + disposition + b"\r\n" + FROM + b"\r\nBID 9"
    assert read(parts(b"mixed", attached)) is None
    assert read(attached) is None


def test_a_bounce_with_our_mail_in_it_holds_no_order() -> None:
    ours = b"Content-Type: text/rfc822-headers\r\n\r\nSubject: BID 9"
    status = b"Content-Type: message/delivery-status\r\n\r\nStatus: 5.1.1"
    assert read(parts(b"report", html(b"sorry"), status, ours)) is None


# ---- encodings ------------------------------------------------------------------------------------------
def test_base64_and_quoted_printable_are_decoded() -> None:
    assert lines_of(b"Content-Transfer-Encoding: base64\r\n", b"UEFTUw==\r\n") == ["PASS"]
    assert lines_of(b"Content-Transfer-Encoding: quoted-printable\r\n", b"BID=205=\r\n") == ["BID 5"]


@pytest.mark.parametrize("body", [b"UEFTU", b"####", b"=", b"\xff\xfe", b"UEFTUw==garbage!!"])
def test_broken_base64_is_not_taken_for_another_order(body: bytes) -> None:
    lines = lines_of(b"Content-Transfer-Encoding: base64\r\n", body)
    assert lines is not None
    assert "BID" not in "".join(lines)


def test_an_unknown_charset_is_read_as_utf_8() -> None:
    assert lines_of(b"Content-Type: text/plain; charset=klingon\r\n", "JOIN grüße".encode()) == ["JOIN grüße"]


def test_a_missing_charset_is_read_as_utf_8() -> None:
    assert lines_of(b"Content-Type: text/plain\r\n", "JOIN grüße".encode()) == ["JOIN grüße"]
    assert lines_of(b"", "JOIN grüße".encode()) == ["JOIN grüße"]


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "utf-16", "koi8-r"])
def test_a_named_charset_is_used(charset: str) -> None:
    text = "JOIN привет" if charset == "koi8-r" else "JOIN grüße"
    body = text.encode(charset)
    assert lines_of(f"Content-Type: text/plain; charset={charset}\r\n".encode(), body) == [text]


@pytest.mark.parametrize("charset", [b"hex", b"zlib", b"rot13", b"undefined", b"idna", b'"\xff"', b"a\0b"])
def test_a_charset_that_is_no_text_encoding_is_read_as_utf_8(charset: bytes) -> None:
    assert lines_of(b"Content-Type: text/plain; charset=" + charset + b"\r\n", b"PASS") == ["PASS"]


def test_bytes_that_do_not_fit_the_charset_are_replaced() -> None:
    assert lines_of(b"Content-Type: text/plain; charset=utf-8\r\n", b"JOIN \xff") == ["JOIN \ufffd"]


@pytest.mark.parametrize("charset", [b"us-ascii", b"iso-8859-1"])
def test_a_simple_charset_is_read_as_what_programs_write_under_its_name(charset: bytes) -> None:
    header = b"Content-Type: text/plain; charset=" + charset + b"\r\n"
    assert lines_of(header, b"JOIN \x93gr\xfc\xdfe\x94") == ["JOIN “grüße”"]
    assert lines_of(header, "JOIN “grüße”".encode()) == ["JOIN “grüße”"]


@pytest.mark.parametrize("charset", [b"", b"; charset=utf-16", b"; charset=us-ascii"])
@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_known_by_its_zeros(name: str, charset: bytes) -> None:
    assert lines_of(b"Content-Type: text/plain" + charset + b"\r\n", "BID 5\r\n".encode(name)) == ["BID 5"]


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


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Disposition: ;x*",
        b"Content-Disposition: =?utf-7?q?+2AA-?=",
        b"Content-Transfer-Encoding: =?utf-7?q?+2AA-?=",
        b"Content-Type: text/plain\r\nContent-Type: =?utf-7?q?+2AA-?=",
        b"Message-ID: <>",
    ],
)
def test_odd_headers_of_a_part_do_not_hide_the_order(header: bytes) -> None:
    assert read(parts(b"mixed", header + b"\r\n\r\nPASS")) == ["PASS"]


def test_an_empty_message_id_is_none() -> None:
    assert letter(FROM + b"Message-ID: <>\r\n").message_id == ""


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
