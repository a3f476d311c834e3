"""Mails that are made to take long: by each name a shape, as long as is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

ANNA: Final = b"From: anna@players.test\n"
DAEMON: Final = b"From: MAILER-DAEMON@mx.players.test\nSubject: Undelivered Mail\n"
HTML: Final = ANNA + b"Content-Type: text/html; charset=utf-8\n\n"
PLAIN: Final = ANNA + b"Content-Type: text/plain; charset=utf-8\n\n"
MIXED: Final = ANNA + b"Content-Type: multipart/mixed; boundary=b\n\n"
FLOWED: Final = ANNA + b"Content-Type: text/plain; format=flowed; delsp=yes\n\n"
RESULTS: Final = b"Authentication-Results: %b" + b"; dkim=pass header.d=x.test" * 140 + b"\n"
MAX_HEAD: Final = 60_000
"""With longer headers a mail is not read at all."""
Shape = Callable[[int], bytes]


def many(start: bytes, unit: bytes, end: bytes = b"") -> Shape:
    """The same again and again, until the mail is so long."""
    return lambda size: start + unit * max(1, (size - len(start) - len(end)) // len(unit)) + end


def numbered(start: bytes, unit: bytes, end: bytes = b"") -> Shape:
    """The same, with a number in each."""

    def build(size: int) -> bytes:
        left = size - len(start) - len(end)
        times = max(1, left // len(unit % 10_000))
        return start + b"".join(unit % (10_000 + number) for number in range(times)) + end

    return build


def within(start: bytes, opened: bytes, closed: bytes, core: bytes = b"x") -> Shape:
    """One in the other, as deep as it goes."""

    def build(size: int) -> bytes:
        times = max(1, (size - len(start)) // len(opened + closed))
        return start + opened * times + core + closed * times

    return build


def head(start: bytes, unit: bytes, end: bytes = b"\n\nPASS\n") -> Shape:
    """What stands in headers, of which no more is read than that."""
    built = many(start, unit, end)
    return lambda size: built(min(size, MAX_HEAD))


def headers_and_parts(start: bytes, unit: bytes) -> Shape:
    """Many headers, and below them many parts, in each of which somebody may look at all of them."""
    mixed = b"Content-Type: multipart/mixed; boundary=b\n\n"

    def build(size: int) -> bytes:
        headers = many(start, unit)(min(size // 4, MAX_HEAD))
        return many(headers + mixed, b"--b\n\nx\n")(size)

    return build


def lines(unit: bytes, width: int = 70, start: bytes = PLAIN, mark: bytes = b"", end: bytes = b"\n") -> Shape:
    """Lines of this width."""
    return many(start, mark + (unit * (width // len(unit) + 1))[:width] + end)


def multiparts(size: int) -> bytes:
    """Parts in parts, each with a boundary of its own."""
    unit = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n"
    parts: list[bytes] = []
    length = 0
    while length < size // 2:
        parts.append(unit % (len(parts), len(parts)))
        length += len(parts[-1])
    return ANNA + b"".join(parts) + b"\nx\n" * ((size - length) // 3)


TEXTS: Final[dict[str, Shape]] = {
    "ok": lines(b"ok ", 390),
    "colons": lines(b"a:"),
    "headers of an older mail": lines(b"From: ann@b.test 2026-01-01 "),
    "addresses": lines(b"a@b.c ", 190),
    "attributions": lines(b"On 1.1.2026 12:12 a@b.test wrote: "),
    "attributions that never end": lines(b"On 1.1.2026 12:12 a@b.test "),
    "numbers": lines(b"1 2 3 ", 390),
    "dates": lines(b"1.1.2026 ", 390),
    "stars": lines(b"*_", 390),
    "rows of dashes": lines(b"-", 390),
    "dashes and words": lines(b"--- ab", 390),
    "two characters": lines(b"a", 1),
    "nothing": many(PLAIN, b"\n"),
    "one line": many(PLAIN, b"a "),
    "one word": many(PLAIN, b"a"),
    "one character for eighteen": lines("\ufdfa".encode(), 390),
    "marks on letters": lines("a\u0301\u0323".encode(), 390),
    "broken characters": lines(b"\xff", 390),
    "characters that nobody sees": lines("\u200b".encode(), 390),
    "entities": lines(b"&lt;", 390),
    "quotes": lines(b"hello ", mark=b"> "),
    "quotes of quotes": many(PLAIN, b">"),
    "quotes and lines": lines(b"PASS ", 20, mark=b"> q\n"),
    "quotes and orders": lines(b"PASS", 4, mark=b"> " + b"q" * 70 + b"\n"),
    "an order above and another below": lines(b"hello", 5, PLAIN + b"BID 5\nBID 6\n", b"> "),
    "orders": lines(b"BID 5", 5),
    "cards": many(PLAIN, b"PLAY 8\nPLAY -8\nPLAY LARGE DOG\n"),
    "nearly orders": lines(b"I would play the 8 ", 390),
    "orders of many words": lines(b"PLAY LARGE DOG PLAY ", 390),
    "a list of friends": numbered(PLAIN + b"NEW Table\n", b"Ben%d <ben@players.test>\n"),
    "a list of strangers": numbered(PLAIN + b"NEW Table\n", b"b%d@else.test\n"),
    "lists of friends": many(PLAIN, b"NEW Table\nben@players.test\n\n"),
    "a list on one line": many(PLAIN + b"NEW Table: ", b"ben@players.test, "),
    "lists on lines": lines(b"a, b and c, ", 390, PLAIN + b"NEW Table\n"),
    "paragraphs of a list": numbered(PLAIN + b"NEW Table\n\n", b"b%d@else.test\n\n"),
    "sayings": lines(b"SAY hi ", 390),
    "a saying without end": lines(b"hello ", start=PLAIN + b"SAY " + b"hello " * 12 + b"\n"),
    "absences": lines(b"AWAY from 1 May to 3 May ", 390),
    "days": lines(b"AWAY " + b"1 " * 190, 390),
    "hours": lines(b"QUIET " + b"22:00 - " * 45, 390),
    "clocks": lines(b"3d + 12h bank, no weekends ", 390, PLAIN + b"NEW Table\n"),
    "questions": many(PLAIN, b"STATUS\nHAND\nHISTORY\nRULES\nGAMES\n"),
    "answers": many(PLAIN, b"YES\nNO\n"),
    "substitutes": numbered(PLAIN, b"SUBSTITUTE b%d@else.test\n"),
    "the end of a table": many(PLAIN, b"CANCEL\nREMATCH\nPAUSE\nEND\n"),
    "wrapped orders": many(PLAIN, b"PLAY 8\nif \nand then \n"),
    "flowed": lines(b"hello ", start=FLOWED, end=b" \n"),
    "flowed quotes": many(FLOWED, b"> a \n>> b \n"),
    "returns": many(PLAIN, b"\r"),
    "NUL": many(PLAIN, b"\0"),
    "base64": many(ANNA + b"Content-Transfer-Encoding: base64\n\n", b"UEFTUwpQQVNT\n"),
    "quoted-printable": many(ANNA + b"Content-Transfer-Encoding: quoted-printable\n\n", b"=3D=\n"),
    "uuencode": many(ANNA + b"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n", b"M" * 61 + b"\n"),
    "punycode": many(ANNA + b"Content-Type: text/plain; charset=punycode\n\n", b"a-b"),
    "UTF-7": many(ANNA + b"Content-Type: text/plain; charset=utf-7\n\n", b"+AGE-"),
    "Chinese": many(ANNA + b"Content-Type: text/plain; charset=hz\n\n", b"~{<:~}"),
}
PAGES: Final[dict[str, Shape]] = {
    "a grey line": many(HTML + b"<div style='", b"border-top:", b"'>x"),
    "grey lines in each other": within(HTML, b"<div style='border-top:solid'>From: x", b"</div>"),
    "grey lines": many(HTML, b"<div style='border-top:solid'>From: x</div>"),
    "a long class": many(HTML + b"<p class='", b"quot a", b"'>x"),
    "a long style": many(HTML + b"<p style='", b"display :", b"'>x"),
    "many short styles": many(HTML, b"<p style='color:#fff;left:-9px;clip-path:none;background:url(x'>x"),
    "styles within styles": within(HTML, b"<b style='color:red;font-size:.9em'>", b"</b>"),
    "a long class on styled paper": many(
        HTML + b"<style>" + b".x{display:none}" * 1000 + b"</style>", b"<p class='a b c'>x"
    ),
    "many attributes": numbered(HTML + b"<p ", b"a%d=b ", b">x"),
    "the same attribute": many(HTML + b"<p ", b"a=b ", b">x"),
    "elements": within(HTML, b"<div>", b"</div>"),
    "elements that do not end": many(HTML, b"<b>"),
    "fonts": many(HTML, b"<p><font size=1><a><i>"),
    "quotes in each other": within(HTML, b"<blockquote>", b"</blockquote>"),
    "older mails in each other": within(HTML, b"<div id=divRplyFwdMsg>", b"</div>"),
    "tables": within(HTML, b"<table><tr><td>", b"</td></tr></table>"),
    "tables that are none": many(HTML, b"<table><b>x"),
    "cells": many(HTML + b"<table><tr>", b"<td>x"),
    "lines": many(HTML, b"<br>x"),
    "rules": many(HTML, b"<hr>"),
    "lines of addresses": many(HTML, b"a@b.test 1.1.2026 12:12 " * 3 + b"<br>"),
    "entities of HTML": many(HTML, b"&#x41;&nbsp;&bogus"),
    "a comment": many(HTML + b"<!--", b"- "),
    "a script": many(HTML + b"<script>", b"</scrip "),
    "a style": many(HTML + b"<style>", b"p{border-top:solid}"),
    "blanks": many(HTML, b" \n\t"),
    "preformatted": many(HTML + b"<pre>", b"a@b.c\n"),
    "ends of elements": many(HTML, b"</p></div>"),
    "selects": many(HTML, b"<select><option>"),
    "templates": many(HTML, b"<template><svg>"),
    "forms": many(HTML, b"<form><input><button>"),
    "not even HTML": many(HTML, b"<"),
}
PARTS: Final[dict[str, Shape]] = {
    "multiparts": multiparts,
    "parts": many(MIXED + b"--b\n", b"Content-Type: text/plain\n\nx\n--b\n"),
    "empty parts": many(MIXED, b"--b\n"),
    "pages": many(MIXED + b"--b\n", b"Content-Type: text/html\n\n<p>x\n--b\n"),
    "long pages": many(MIXED, b"--b\nContent-Type: text/html\n\n" + b"<p>x" * 600 + b"\n"),
    "long pages of nothing": many(MIXED, b"--b\nContent-Type: text/html\n\n" + b"<b>" * 600 + b"\n"),
    "parts that are nearly": many(MIXED + b"--b\n\nx\n", b"--c\n--\n"),
    "mails in mails": many(ANNA, b"Content-Type: message/rfc822\n\n"),
    "a mail in parts": many(MIXED + b"--b\n", b"Content-Type: message/rfc822\n\nSubject: x\n\n--b\n"),
    "headers of parts": many(MIXED + b"--b\n", b"A: b\n"),
    "reports": many(MIXED + b"--b\nContent-Type: message/delivery-status\n\n", b"A: b\n\n"),
    "alternatives": many(ANNA + b"Content-Type: multipart/alternative; boundary=b\n\n--b\n", b"\nx\n--b\n"),
    "parameters of a part": many(MIXED + b"--b\nContent-Type: text/plain", b"; a=b", b"\n\nx\n"),
    "parameters of parts": many(
        MIXED + b"--b\n", b"Content-Type: text/plain" + b'; a="b\\"' * 100 + b"\n\nx\n--b\n"
    ),
    "names in parts": many(
        MIXED + b"--b\n", b"Content-Disposition: inline" + b"; a*0*=b" * 100 + b"\n\nx\n--b\n"
    ),
}
HEADERS: Final[dict[str, Shape]] = {
    "headers": head(ANNA, b"A: b\n", b"\nPASS\n"),
    "headers, and parts": headers_and_parts(ANNA, b"A: b\n"),
    "headers in 8 bits, and parts": headers_and_parts(ANNA, b"A: \xff\n"),
    "more headers than are read": many(ANNA, b"A: b\n", b"\nPASS\n"),
    "one header": head(ANNA + b"X: ", b"a "),
    "a folded header": head(ANNA + b"X: ", b"a\n "),
    "parameters": head(ANNA + b"Content-Type: text/plain", b"; a*0=b"),
    "a type": head(ANNA + b"Content-Type: ", b"text/"),
    "types": head(ANNA, b"Content-Type: text/plain; charset=x\n", b"\nPASS\n"),
    "From": head(b"From: ", b"(a"),
    "From of quotes": head(b"From: ", b'"\\'),
    "From of many": head(b"From: ", b"anna@players.test, "),
    "From in groups": head(b"From: ", b"a:;,"),
    "From of words": head(b"From: ", b"=?utf-8?q?x?= "),
    "many From": head(b"", b"From: anna@players.test\n", b"\nPASS\n"),
    "To": head(ANNA + b"To: ", b"felix+aeaackl2nm4g26joopq4xqcbpqeg4@felix.test, "),
    "Cc": head(ANNA + b"Cc: ", b"Ann <a@b.test>, ", b"\n\nNEW Table\n"),
    "Cc of quotes": head(ANNA + b"Cc: ", b'"a, ', b"\n\nNEW Table\n"),
    "Cc of comments": head(ANNA + b"Cc: ", b"(", b"\n\nNEW Table\n"),
    "Cc in groups": head(ANNA + b"Cc: ", b"a: b@c.test; ", b"\n\nNEW Table\n"),
    "References": head(ANNA + b"References: ", b"<a@b.test> "),
    "References without end": head(ANNA + b"References: ", b"<a@"),
    "a subject of encoded words": head(ANNA + b"Subject: ", b"=?utf-8?q?x?= "),
    "a subject that is nearly encoded": head(ANNA + b"Subject: ", b"=?utf-8?q?"),
    "a subject that answers": head(ANNA + b"Subject: ", b"Re: [x] "),
    "a subject of tags": head(ANNA + b"Subject: ", b"(("),
    "a subject of one character for eighteen": head(ANNA + b"Subject: ", "\ufdfa".encode()),
    "a subject of bytes": head(ANNA + b"Subject: ", b"\xff"),
    "results": head(ANNA, b"Authentication-Results: mx.felix.test; spf=pass\n", b"\nPASS\n"),
    "results of another server": head(ANNA, RESULTS % b"evil.test", b"\nPASS\n"),
    "results of ours": head(ANNA, RESULTS % b"mx.felix.test", b"\nPASS\n"),
    "one result": head(ANNA + b"Authentication-Results: mx.felix.test", b"; dkim=pass header.d=b.test"),
    "results of comments": head(ANNA + b"Authentication-Results: mx.felix.test; dkim=pass ", b"((a)"),
    "results of quotes": head(ANNA + b"Authentication-Results: mx.felix.test; dkim=pass ", b'"a" '),
    "dates of a mail": head(ANNA + b"Date: ", b"Thu, 01 "),
    "Received": head(ANNA, b"Received: from a by b; Thu, 01 Jan 2026 12:00:00 +0000\n", b"\nPASS\n"),
    "Delivered-To": head(
        ANNA, b"Delivered-To: felix+aeaackl2nm4g26joopq4xqcbpqeg4@felix.test\n", b"\nPASS\n"
    ),
}
_REPORT: Final = (
    DAEMON + b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n"
    b"Content-Type: message/delivery-status\n\n"
)
BOUNCES: Final[dict[str, Shape]] = {
    "refusals": lines(b"550 <a@b> ", 60, DAEMON + b"\n"),
    "refusals of many": numbered(DAEMON + b"\n", b"<a%d@players.test>: 550 5.1.1 no such user\n"),
    "one refusal": many(DAEMON + b"\n", b"550 <a@b> "),
    "recipients": numbered(_REPORT, b"Final-Recipient: rfc822; a%d@b.test\nAction: failed\n\n"),
    "fields of a report": many(_REPORT, b"A: b\n"),
    "blocks of a report": many(_REPORT, b"A: b\n\n"),
    "one diagnostic": many(_REPORT + b"Action: failed\nDiagnostic-Code: smtp; ", b"5.1.1 "),
    "failed recipients": head(DAEMON + b"X-Failed-Recipients: ", b"a@b.test, "),
    "mails that come back": numbered(DAEMON + b"\n", b"Message-ID: <a%d@felix.test>\n"),
    "text of a bounce": lines(b"could not be delivered ", 60, DAEMON + b"\n"),
    "dashes of a bounce": lines(b"-----", 60, DAEMON + b"\n"),
    "addresses of a bounce": lines(b"<a@b.test> ", 60, DAEMON + b"\n"),
    "parts of a bounce": many(
        DAEMON + b"Content-Type: multipart/report; boundary=b\n\n--b\n",
        b"Content-Type: message/delivery-status\n\n\n--b\n",
    ),
    "headers of a bounce, and parts": headers_and_parts(DAEMON, b"A: b\n"),
    "pages of a bounce": many(DAEMON + b"Content-Type: text/html\n\n", b"<p>550 <a@b>"),
}
