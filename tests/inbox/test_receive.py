"""The listener, spoken to over real sockets on loopback: 250 means that the mail is kept."""

from __future__ import annotations

import logging
import smtplib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from felix_async.inbox.delivery import MAX_RECIPIENTS
from felix_async.inbox.receive import Listener
from inbox.door import ANNA, MAX_BYTES, Door, deliver, offer
from inbox.postbag import MAILBOX, Postbag, a_mail


@pytest.fixture(scope="module")
def smtp_door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    opened = Door("smtp", tmp_path_factory.mktemp("smtp"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def lmtp_door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    opened = Door("lmtp", tmp_path_factory.mktemp("lmtp"))
    yield opened
    opened.close()


@pytest.fixture
def door(smtp_door: Door) -> Iterator[Door]:
    yield smtp_door
    smtp_door.store.failing = smtp_door.blind = False


@pytest.fixture
def client(door: Door) -> Iterator[smtplib.SMTP]:
    with door.smtp() as client:
        yield client


# ---- kept, then acknowledged ----------------------------------------------------------------------------
def test_when_the_client_hears_250_the_mail_is_kept(door: Door, client: smtplib.SMTP) -> None:
    raw = a_mail("JOIN")
    before = len(door.mails)
    assert deliver(client, [door.bag.address(0)], raw) == 250
    (mail,) = door.mails[before:]
    assert (mail.raw, mail.recipient, mail.sender) == (raw, door.bag.address(0), ANNA)
    assert (mail.state, mail.tries) == ("new", 0)


def test_250_waits_for_the_commit(door: Door, client: smtplib.SMTP) -> None:
    """The writer is busy; until it is free the client hears nothing."""
    door.store.notes.clear()
    free = threading.Event()
    busy = door.writer.submit(lambda _tx: free.wait(30))
    offer(client, [door.bag.address(0)], a_mail("JOIN"))
    assert not busy.done()
    assert door.store.notes == []
    free.set()
    assert client.getreply()[0] == 250
    assert door.store.notes[-2:] == ["committed", "told"]


def test_a_mail_to_two_seats_is_two_rows(door: Door, client: smtplib.SMTP) -> None:
    before = len(door.mails)
    recipients = [door.bag.address(0), door.bag.address(1)]
    assert deliver(client, recipients, a_mail("JOIN")) == 250
    assert [mail.recipient for mail in door.mails[before:]] == recipients


def test_a_connection_may_bring_several_mails(door: Door, client: smtplib.SMTP) -> None:
    before = len(door.mails)
    for text in ("one", "two", "three"):
        assert deliver(client, [door.bag.address(0)], a_mail(text)) == 250
    assert [mail.raw for mail in door.mails[before:]] == [a_mail(t) for t in ("one", "two", "three")]


def test_an_empty_envelope_sender_is_kept_as_such(door: Door, client: smtplib.SMTP) -> None:
    assert deliver(client, [door.bag.address(0)], a_mail("x"), sender="<>") == 250
    assert door.mails[-1].sender in ("", "<>")


def test_a_mail_to_the_mailbox_itself_is_kept_and_may_name_its_seat_elsewhere(
    door: Door, client: smtplib.SMTP
) -> None:
    assert deliver(client, [MAILBOX.upper()], a_mail("JOIN")) == 250
    assert (door.mails[-1].recipient, door.mails[-1].state) == (MAILBOX.upper(), "new")


def test_a_recipient_who_is_named_twice_gets_the_mail_once(door: Door, client: smtplib.SMTP) -> None:
    before = len(door.mails)
    first, second = door.bag.address(0), door.bag.address(1)
    assert deliver(client, [first, second, first.upper()], a_mail("JOIN")) == 250
    assert [mail.recipient for mail in door.mails[before:]] == [first, second]


# ---- refused ----------------------------------------------------------------------------------------
def refused_addresses(bag: Postbag) -> list[str]:
    good = bag.address(0)
    last = "a" if good.partition("@")[0][-1] != "a" else "b"
    return [
        "felix+nonsense@felix.test",
        "anna@players.test",
        good.replace("felix.test", "felix.example"),
        good.replace("@", f"{last}@"),
        "postmaster@felix.test",
    ]


def test_an_address_that_is_not_ours_is_550_before_any_of_the_mail_is_taken(
    door: Door, client: smtplib.SMTP
) -> None:
    client.mail(ANNA)
    for address in refused_addresses(door.bag):
        assert client.rcpt(address) == (550, b"no such address here")
    assert client.docmd("data")[0] == 503


def test_one_bad_recipient_does_not_keep_the_mail_from_a_good_one(door: Door, client: smtplib.SMTP) -> None:
    before = len(door.mails)
    client.mail(ANNA)
    assert client.rcpt("nobody@felix.test")[0] == 550
    assert client.rcpt(door.bag.address(1))[0] == 250
    assert client.data(a_mail("JOIN"))[0] == 250
    assert [mail.recipient for mail in door.mails[before:]] == [door.bag.address(1)]


def test_more_recipients_than_anybody_has_tables_are_452(door: Door, client: smtplib.SMTP) -> None:
    client.mail(ANNA)
    for _ in range(MAX_RECIPIENTS):
        assert client.rcpt(door.bag.address(0))[0] == 250
    assert client.rcpt(door.bag.address(1))[0] == 452


def test_an_address_that_cannot_be_looked_up_now_is_451(
    door: Door, client: smtplib.SMTP, caplog: pytest.LogCaptureFixture
) -> None:
    door.blind = True
    client.mail(ANNA)
    with caplog.at_level(logging.CRITICAL, "felix_async"):
        assert client.rcpt(door.bag.address(0))[0] == 451


def test_a_mail_that_cannot_be_kept_is_451_and_may_come_again(
    door: Door, client: smtplib.SMTP, caplog: pytest.LogCaptureFixture
) -> None:
    before = len(door.mails)
    door.store.notes.clear()
    door.store.failing = True
    assert deliver(client, [door.bag.address(0)], a_mail("JOIN")) == 451
    assert door.store.notes == [], "nobody is told of it"
    assert "a mail could not be kept" in caplog.text
    assert len(door.mails) == before
    door.store.failing = False
    assert deliver(client, [door.bag.address(0)], a_mail("JOIN")) == 250
    assert len(door.mails) == before + 1


def test_a_mail_over_the_limit_is_552(door: Door, client: smtplib.SMTP) -> None:
    before = len(door.mails)
    raw = a_mail("\n".join(["x" * 70] * (MAX_BYTES // 70 + 1)))
    assert deliver(client, [door.bag.address(0)], raw) == 552
    assert len(door.mails) == before


def test_a_mail_that_announces_too_many_bytes_is_552_at_once(door: Door, client: smtplib.SMTP) -> None:
    assert client.docmd("mail", f"FROM:<{ANNA}> SIZE={MAX_BYTES + 1}")[0] == 552


# ---- bytes ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "body",
    [b"..\r\n.a\r\n", b"\xff\xfe\x80\r\n", b"\0\r\n", b"a\rb\r\n", b" \t\r\n\r\n\r\n"],
    ids=["dots", "eight-bit", "zero", "bare-cr", "blanks"],
)
def test_the_bytes_are_kept_as_they_came(door: Door, client: smtplib.SMTP, body: bytes) -> None:
    raw = b"Subject: x\r\n\r\n" + body
    offer(client, [door.bag.address(0)], raw.replace(b"\r\n.", b"\r\n.."))
    assert client.getreply()[0] == 250
    assert door.mails[-1].raw == raw


@pytest.mark.parametrize("end", [b"\n.\n", b"\n.\r\n", b"\r.\r\n", b"\r\n.\n"])
def test_only_a_dot_between_real_line_ends_ends_a_mail(door: Door, client: smtplib.SMTP, end: bytes) -> None:
    """Else the rest of one mail is taken for another one, from somebody else."""
    before = len(door.mails)
    smuggled = b"MAIL FROM:<mallory@evil.test>\r\nRCPT TO:<" + door.bag.address(1).encode() + b">\r\nDATA\r\n"
    offer(client, [door.bag.address(0)], b"Subject: x\r\n\r\nPASS" + end + smuggled + b"JOIN\r\n")
    client.getreply()
    assert all(mail.sender == ANNA for mail in door.mails[before:])


def test_an_envelope_sender_of_odd_bytes_is_no_reason_to_come_again_for_ever(
    door: Door, client: smtplib.SMTP
) -> None:
    client.sock.sendall(b"MAIL FROM:<a\xff@b> SMTPUTF8\r\n")  # type: ignore[union-attr]
    status = client.getreply()[0]
    if status == 250:
        client.rcpt(door.bag.address(0))
        status = client.data(a_mail("JOIN"))[0]
    assert status == 250 or status >= 500


# ---- LMTP -------------------------------------------------------------------------------------------
@pytest.fixture
def local(lmtp_door: Door) -> Iterator[smtplib.SMTP]:
    with lmtp_door.smtp() as client:
        yield client
    lmtp_door.store.failing = False


def replies(client: smtplib.SMTP, door: Door, *seats: int) -> list[int]:
    """Hand over one mail for these seats; the statuses after its last dot."""
    offer(client, [door.bag.address(seat) for seat in seats], a_mail("JOIN"))
    return [client.getreply()[0] for _ in seats]


def test_lmtp_gives_each_recipient_its_status(lmtp_door: Door, local: smtplib.SMTP) -> None:
    before = len(lmtp_door.mails)
    assert replies(local, lmtp_door, 0, 1, 2) == [250] * 3
    assert len(lmtp_door.mails) == before + 3
    assert local.noop()[0] == 250


def test_lmtp_refuses_for_each_recipient_what_cannot_be_kept(
    lmtp_door: Door, local: smtplib.SMTP, caplog: pytest.LogCaptureFixture
) -> None:
    before = len(lmtp_door.mails)
    lmtp_door.store.failing = True
    with caplog.at_level(logging.CRITICAL, "felix_async"):
        assert replies(local, lmtp_door, 0, 1) == [451] * 2
    assert len(lmtp_door.mails) == before
    assert local.noop()[0] == 250


def test_lmtp_is_greeted_with_lhlo_and_smtp_with_ehlo(lmtp_door: Door, smtp_door: Door) -> None:
    with smtplib.SMTP("127.0.0.1", lmtp_door.listener.port) as client:
        assert client.docmd("ehlo", "localhost")[0] >= 500
    with smtplib.LMTP("127.0.0.1", smtp_door.listener.port) as client:
        assert client.docmd("lhlo", "localhost")[0] >= 500


def test_lmtp_gives_a_recipient_who_is_named_twice_two_statuses_and_one_mail(
    lmtp_door: Door, local: smtplib.SMTP
) -> None:
    """As many statuses as recipients were accepted (RFC 2033, section 4.2)."""
    before = len(lmtp_door.mails)
    assert replies(local, lmtp_door, 0, 1, 0) == [250] * 3
    kept = [mail.recipient for mail in lmtp_door.mails[before:]]
    assert kept == [lmtp_door.bag.address(0), lmtp_door.bag.address(1)]
    assert local.noop()[0] == 250


# ---- start and stop -------------------------------------------------------------------------------------
def test_port_0_is_any_free_port_and_a_stopped_listener_is_gone(tmp_path: Path) -> None:
    door = Door("smtp", tmp_path)
    port = door.listener.port
    assert port != 0
    door.close()
    with pytest.raises(ConnectionRefusedError):
        smtplib.SMTP("127.0.0.1", port)


def test_a_port_that_is_taken_is_an_error(door: Door) -> None:
    second = Listener(object(), host="127.0.0.1", port=door.listener.port, max_bytes=MAX_BYTES)
    try:
        with pytest.raises(OSError, match="in use"):
            second.start()
    finally:
        second.loop.close()
