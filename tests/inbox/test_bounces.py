"""Reading bounces: which address failed, for good or for now; delays and receipts are no failures."""

from __future__ import annotations

import os
import time
from email import message_from_bytes
from importlib.resources import files
from pathlib import Path
from typing import Final

import pytest
from flufl.bounce import all_failures
from hypothesis import given
from hypothesis import strategies as st

from each import each
from felix_async.reading.reports import MAX_RECIPIENTS, Bounce, read_bounce, returned_ids
from inbox.dsn import EXCHANGE, EXIM, GMAIL, LETTER_ID, POSTFIX, QMAIL, RECEIPT, TO, VACATION, failed, report
from machine import is_within

TESTS_OF_FLUFL: Final = str(files("flufl.bounce").joinpath("tests", "data"))
"""Where that library may have the bounces of its own tests."""


def only(raw: bytes) -> Bounce:
    """The one recipient of a report."""
    (bounce,) = read_bounce(raw)
    return bounce


# ---- shapes -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("raw", "failure", "status"),
    [
        pytest.param(POSTFIX, "lasting", "5.1.1", id="postfix"),
        pytest.param(EXCHANGE, "lasting", "5.1.10", id="exchange"),
        pytest.param(GMAIL, "lasting", "5.2.1", id="gmail"),
        pytest.param(QMAIL, "lasting", "5.1.1", id="qmail"),
        pytest.param(EXIM, "passing", "4.2.2", id="exim"),
    ],
)
def test_a_bounce_in_the_shape_of_a_well_known_server(raw: bytes, failure: str, status: str) -> None:
    bounce = only(raw)
    assert (bounce.address, bounce.failure, bounce.status) == (TO, failure, status)


@pytest.mark.parametrize("raw", [POSTFIX, EXCHANGE, GMAIL, QMAIL, EXIM])
def test_the_letter_that_came_back_is_known_by_its_message_id(raw: bytes) -> None:
    assert returned_ids(raw) == [LETTER_ID]


def test_the_diagnostic_is_what_the_other_server_said_on_one_line() -> None:
    assert only(POSTFIX).diagnostic == (
        "550 5.1.1 <ben@players.test>: Recipient address rejected: User unknown in local table"
    )
    assert only(QMAIL).diagnostic == "Remote host said: 550 5.1.1 no mailbox by that name"


# ---- what is said of the address --------------------------------------------------------------------
@each(("status", "diagnostic", "failure"), [
    ("5.1.1", "smtp; 550 no such user", "lasting"), ("5.1.2", "smtp; 550 no such host", "lasting"),
    ("5.4.4", "dns; no such domain", "lasting"), ("5.0.0", "smtp; 550 mailbox unavailable", "lasting"),
    ("5.5.0", "smtp; 550 mailbox unavailable", "lasting"),
    ("5.0.0", "smtp; 552 5.2.2 mailbox full", "passing"), ("5.2.2", "smtp; 552 over quota", "passing"),
    ("4.4.7", "smtp; delivery time expired", "passing"), ("4.2.2", "smtp; 452 over quota", "passing"),
    ("5.7.1", "smtp; 554 looks like spam", "passing"), ("5.1.8", "smtp; 550 bad sender", None),
    ("5.2.3", "smtp; 552 too large", None), ("5.3.4", "smtp; 552 too large", None),
    ("5.6.1", "smtp; 554 no such media", None), ("5.5.4", "smtp; 555 unknown parameters", None),
    ("", "smtp; 550 no such user", "lasting"), ("", "smtp; 452 over quota", "passing"),
    ("", "smtp; 552 over quota", "passing"), ("", "x-unix; user unknown", "lasting"),
])  # fmt: skip
def test_the_status_says_whether_a_failure_lasts(status: str, diagnostic: str, failure: str | None) -> None:
    assert only(failed(status, diagnostic=diagnostic)).failure == failure


@pytest.mark.parametrize("action", ["delayed", "relayed", "expanded", "delivered", "Delayed (will retry)"])
def test_a_report_of_something_else_is_no_failure(action: str) -> None:
    bounce = only(failed("4.4.1", action=action))
    assert (bounce.address, bounce.failure) == (TO, None)


@pytest.mark.parametrize("action", ["failed", "Failed", "failure", "error"])
def test_a_failure_is_one_however_it_is_written(action: str) -> None:
    assert only(failed(action=action)).failure == "lasting"


def test_the_original_recipient_is_the_one_that_we_wrote_to() -> None:
    fields = (
        "Final-Recipient: rfc822; b.smith@elsewhere.test\n"
        f"Original-Recipient: rfc822; {TO}\nAction: failed\nStatus: 5.1.1"
    )
    assert only(report(fields)).address == TO


@pytest.mark.parametrize("written", [TO, f"<{TO}>", f"RFC822;{TO}", f"rfc822;<{TO}>", f"smtp; {TO}"])
def test_a_recipient_may_be_written_in_several_ways(written: str) -> None:
    assert only(report(f"Final-Recipient: {written}\nAction: failed\nStatus: 5.1.1")).address == TO


def test_a_recipient_that_is_no_address_is_left_out() -> None:
    assert only(report("Final-Recipient: rfc822; Ben Smith\nAction: failed\nStatus: 5.1.1")).address == ""


def test_each_recipient_of_a_report_is_told() -> None:
    fields = [f"Final-Recipient: rfc822; {n}@x.test\nAction: failed\nStatus: 5.1.1" for n in range(3)]
    assert [bounce.address for bounce in read_bounce(report(*fields))] == ["0@x.test", "1@x.test", "2@x.test"]


# ---- what is no bounce ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(VACATION, id="an answer from somebody who is away"),
        pytest.param(RECEIPT, id="a receipt"),
        pytest.param(b"From: ben@players.test\nSubject: Re: Your turn\n\nPASS\n", id="a mail by a person"),
        pytest.param(b"From: mailer-daemon@x.test\n\nAll is well.\n", id="a daemon's greeting"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"\n\n", id="an empty mail"),
    ],
)
def test_what_is_no_bounce_reports_nothing(raw: bytes) -> None:
    assert read_bounce(raw) == []


def test_a_calendar_invitation_is_no_bounce() -> None:
    raw = b"From: ben@players.test\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\n"
    assert read_bounce(raw) == []


# ---- at the address for bounces, from nobody -----------------------------------------------------------
def test_a_bounce_from_nobody_is_one_whoever_stands_in_its_from() -> None:
    raw = QMAIL.replace(b"MAILER-DAEMON@mx.players.test", b"helpdesk@mx.players.test")
    assert read_bounce(raw) == []
    (bounce,) = read_bounce(raw, from_nobody=True)
    assert (bounce.address, bounce.failure) == (TO, "lasting")


def test_who_is_away_and_answers_from_nobody_has_an_address_that_works() -> None:
    raw = QMAIL.replace(b"MAILER-DAEMON@mx.players.test", TO.encode())
    assert read_bounce(raw, from_nobody=True) == []
    assert read_bounce(VACATION, from_nobody=True) == []


def test_an_automatic_answer_from_elsewhere_is_none_either() -> None:
    raw = QMAIL.replace(b"MAILER-DAEMON@mx.players.test", b"b.smith@players.test")
    raw = raw.replace(b"failure notice", b"Abwesenheitsnotiz: Your turn")
    assert read_bounce(raw, from_nobody=True) == []


def test_a_report_without_a_recipient_is_read_like_one_in_a_form_of_its_own() -> None:
    text = f"Hi. This is the qmail-send program at mx.players.test.\n\n<{TO}>:\n550 no such user\n"
    assert only(report(text=text)).address == TO


# ---- where a code stands ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "line",
    ["X-Mailman-Version: 2.1.5", "X-Spam-Score: 4.2.2", "Received: from [192.4.2.2] by 10.4.4.7 (452)"],
)
def test_the_header_of_the_mail_that_came_back_says_nothing_of_why(line: str) -> None:
    raw = QMAIL.replace(b"192.0.2.25 does not like recipient.\n", line.encode() + b"\n")
    bounce = only(raw)
    assert (bounce.failure, bounce.status) == ("lasting", "")


@pytest.mark.parametrize(
    "line", ["host 192.4.2.2 is gone", "part_000_4.2.2a", "version 1.4.2.2", "in the year 4525"]
)
def test_a_number_that_is_part_of_another_is_no_code(line: str) -> None:
    raw = QMAIL.replace(b"192.0.2.25 does not like recipient.", line.encode())
    assert only(raw).status == "5.1.1"


@pytest.mark.parametrize("status", ["5.0.0", "5.3.0"])
def test_where_the_status_says_nothing_the_reply_code_does(status: str) -> None:
    assert only(failed(status, diagnostic=f"smtp; 553 {status} addressee unknown")).failure == "lasting"


# ---- a collection -----------------------------------------------------------------------------------

COLLECTED: Final = sorted(Path(os.environ.get("FELIX_BOUNCE_CORPUS") or TESTS_OF_FLUFL).glob("*.txt"))
needs_collection = pytest.mark.skipif(
    not COLLECTED, reason="FELIX_BOUNCE_CORPUS names no folder of bounces, and flufl.bounce has no tests here"
)


def by_kind() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The files that report a lasting failure, by the library alone, and all others: with those addresses."""
    lasting: dict[str, set[str]] = {}
    others: dict[str, set[str]] = {}
    for path in COLLECTED:
        for_good = {one.decode().lower() for one in all_failures(message_from_bytes(path.read_bytes()))[1]}
        (lasting if for_good else others)[path.name] = for_good
    return lasting, others


def counted(name: str) -> set[str]:
    """The addresses against which a file counts."""
    raw = (COLLECTED[0].parent / name).read_bytes()
    return {one.address.lower() for one in read_bounce(raw, from_nobody=True) if one.failure is not None}


@needs_collection
def test_nearly_all_lasting_failures_of_the_collection_are_counted() -> None:
    lasting, _ = by_kind()
    missed = [name for name, addresses in lasting.items() if counted(name) != addresses]
    assert len(lasting) >= 100
    assert len(missed) <= len(lasting) * 0.05, missed


@needs_collection
def test_nothing_else_of_the_collection_is_counted() -> None:
    _, others = by_kind()
    assert {name: counted(name) for name in others if counted(name)} == {}


# ---- hostile bytes ----------------------------------------------------------------------------------
def test_a_diagnostic_steers_no_terminal_and_gives_away_no_token() -> None:
    said = "smtp; 550 5.1.1 \x1b[2Jfelix+aeaqcaaak5dw2mtqsu5ivlzn7vvcn6cl@play.test rejected"
    diagnostic = only(failed(diagnostic=said)).diagnostic
    assert diagnostic == "550 5.1.1 [2Jfelix+…@play.test rejected"


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"X-A: b\n" * 40_000 + b"\nx", id="headers without end"),
        pytest.param(report(*["Final-Recipient: rfc822; a@b.test\nAction: failed"] * 5000), id="recipients"),
        pytest.param(failed(diagnostic="smtp; " + "550 " * 60_000), id="a long diagnostic"),
        pytest.param(
            b'From: mailer-daemon@x.test\nContent-Type: multipart/report; boundary="B"\n\n'
            + b"--B\nContent-Type: message/delivery-status\n\nAction: failed\n\n" * 4000,
            id="parts",
        ),
        pytest.param(
            b"From: mailer-daemon@x.test\n"
            + b"".join(
                b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(3000)
            ),
            id="parts within parts",
        ),
        pytest.param(b"From: mailer-daemon@x.test\n\n" + b"<" * 200_000, id="brackets"),
        pytest.param(b"From: mailer-daemon@x.test\n\n" + b"a@" * 100_000 + b" on ", id="an address"),
        pytest.param(
            b"From: mailer-daemon@x.test\n\nThe address to which the message has not yet been delivered is\n"
            + b":" * 30_000,
            id="a long line for rules that guess",
        ),
        pytest.param(b"From: mailer-daemon@x.test\n\n" + b"Message-ID:\n" * 20_000, id="message-ids"),
    ],
)
def test_reading_ends_soon_whatever_is_in_a_mail(raw: bytes) -> None:
    started = time.process_time()
    assert len(read_bounce(raw)) <= MAX_RECIPIENTS
    assert len(returned_ids(raw)) <= MAX_RECIPIENTS
    assert is_within(time.process_time() - started, 2)


@given(st.binary(max_size=400), st.integers(0, 60), st.sampled_from([POSTFIX, QMAIL, EXIM, RECEIPT]))
def test_no_bytes_raise(noise: bytes, place: int, around: bytes) -> None:
    lines = around.splitlines(keepends=True)
    raw = b"".join([*lines[:place], noise, *lines[place:]])
    assert all(isinstance(bounce, Bounce) for bounce in [*read_bounce(raw), *read_bounce(noise)])
    assert all(name.startswith("<") for name in returned_ids(raw))
