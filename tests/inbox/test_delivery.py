"""Whom a mail was for, and who sent it, by what mail servers left in its headers."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from felix_async.inbox.delivery import MAX_RECIPIENTS, is_ours, recipients_in, sender_in
from inbox.postbag import MAILBOX, a_table
from machine import is_within

ONE, TWO = "felix+aaaa@felix.test", "felix+bbbb@felix.test"


def mail(*headers: str) -> bytes:
    return "\r\n".join([*headers, "", "To: felix+body@felix.test", ""]).encode()


# ---- recipients -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc", "delivered-TO"])
def test_an_address_of_ours_is_found_where_servers_and_writers_put_it(name: str) -> None:
    assert recipients_in(mail("Subject: x", f"{name}: {ONE}"), MAILBOX) == [ONE]


@each(("headers", "found"), [
    # Of a mail to two of us, this is the copy of one.
    ([f"To: {ONE}, {TWO}", f"Envelope-To: {TWO}"], [TWO]),
    ([f"Delivered-To: {TWO}", f"Delivered-To: {ONE}"], [TWO]),
    ([f"Delivered-To: {MAILBOX}", f"To: {ONE}"], [ONE]),
    ([f"To: Felix <{ONE}>, {TWO}", f"Cc: {ONE.upper()}, anna@players.test"], [ONE, TWO]),
    (["Subject: x"], [MAILBOX]),
    (["To: undisclosed-recipients:;"], [MAILBOX]),
    ([f"To: {MAILBOX}"], [MAILBOX]),
])  # fmt: skip
def test_what_a_server_left_goes_before_what_the_writer_wrote(headers: list[str], found: list[str]) -> None:
    assert recipients_in(mail(*headers), MAILBOX) == found


@pytest.mark.parametrize("other", [
    "felix+aaaa@felix.test.evil.test", "felix+aaaa@felix.testing", "xfelix+aaaa@felix.test",
    "x.felix+aaaa@felix.test", "felix+aa-aa@felix.test", "felix+@felix.test",
])  # fmt: skip
def test_an_address_that_only_looks_like_ours_is_none(other: str) -> None:
    assert recipients_in(mail(f"To: {other}"), MAILBOX) == [MAILBOX]


@pytest.mark.parametrize("form", [
    "<{}>", '"felix" <{}>', "felix\r\n <{}>", "x@y.test,{},z@y.test", "a:{};",
    "Felix =?utf-8?q?=C2=B7?= Friday cats\r\n <{}>", '"Felix · x@y.test" <{}>',
])  # fmt: skip
def test_an_address_is_found_in_every_form(form: str) -> None:
    assert recipients_in(mail("To: " + form.format(ONE)), MAILBOX) == [ONE]


def test_the_line_that_a_pipe_puts_on_top_hides_nothing() -> None:
    raw = b"From anna@players.test Thu Jan  1 12:00:00 2026\n" + mail(f"To: {ONE}").replace(b"\r\n", b"\n")
    assert recipients_in(raw, MAILBOX) == [ONE]


def test_nobody_sits_at_more_tables_than_are_looked_for() -> None:
    many = ", ".join(f"felix+a{number}@felix.test" for number in range(2000))
    assert len(recipients_in(mail(f"To: {many}"), MAILBOX)) == MAX_RECIPIENTS


def test_what_is_ours_is_a_good_token_or_the_mailbox_itself_or_a_trial_of_it() -> None:
    bag = a_table()
    with bag.room.store.read() as reader:
        ours = [bag.address(0), bag.address(0).upper(), MAILBOX, MAILBOX.upper(), "Felix+Trial@felix.test"]
        assert all(is_ours(reader, address, MAILBOX) for address in ours)
        others = [ONE, "felix@felix.example", "anna@players.test", "felix", "", "@"]
        assert not any(is_ours(reader, address, MAILBOX) for address in others)


# ---- sender -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("headers", "sender"), [
    (["Return-Path: <anna@players.test>", "From: other@players.test"], "anna@players.test"),
    (["Return-Path: anna@players.test"], "anna@players.test"),
    (["Return-Path: <>", "From: anna@players.test"], ""), (["Return-Path:", "From: anna@players.test"], ""),
    (["Return-Path: < >"], ""), (["From: Anna <anna@players.test>"], "anna@players.test"),
    (['From: "ben@players.test" <anna@players.test>'], "anna@players.test"), (["From: Anna"], "unknown"),
    (["Subject: x"], "unknown"), ([], "unknown"), (["Return-Path: <ann\u00e4@players.test>"], "unknown"),
    ([f"Return-Path: <{'a' * 400}@players.test>"], "unknown"),
    (["Return-Path: <one@players.test>", "Return-Path: <>"], "one@players.test"),
])  # fmt: skip
def test_the_envelopes_sender_is_in_return_path_else_it_is_the_writer(
    headers: list[str], sender: str
) -> None:
    assert sender_in(mail(*headers)) == sender


# ---- any bytes --------------------------------------------------------------------------------------
@given(st.binary(max_size=2000) | st.text('Tofrm: <>@+\r\n\t,;"ab.=?', max_size=300).map(str.encode))
def test_whatever_the_bytes_are_there_is_a_recipient_and_a_sender(raw: bytes) -> None:
    assert all(address.lower().endswith("@felix.test") for address in recipients_in(raw, MAILBOX))
    assert sender_in(raw).isascii()


@pytest.mark.parametrize(
    "raw", [b"To: " + b"felix+" * 90_000, b"a:\r\n " * 90_000, b"<" * 500_000, b"\r\n" * 250_000]
)
def test_half_a_megabyte_of_nonsense_is_read_at_once(raw: bytes) -> None:
    started = time.process_time()
    recipients_in(raw, MAILBOX)
    sender_in(raw)
    assert is_within(time.process_time() - started, 1)
