"""doctor: a mail to itself goes out as felix's mail does, and comes back as players' mail does."""

from __future__ import annotations

import fcntl
import smtplib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from cli.surgery import HOST, MAILBOX, Drawer, Office, checks, fetching, mailbox, office, settings, wrong
from cli.terminal import Terminal, dump
from felix_async.clock import system_clock, text_of
from felix_async.reading.machines import machine_mark
from felix_async.reading.reader import read_mail
from felix_cli.checks.roundtrip import HEADER, write_mail
from felix_events.store.sqlite import SqliteStore

pytestmark = pytest.mark.slow

WAIT = ("--wait", 20)
TRIED = "felix+trial@localhost"
SOON = ("--wait", 0.3)


@pytest.fixture
def server(terminal: Terminal) -> Terminal:
    """A terminal with a database."""
    settings(1)
    terminal.run("init")
    return terminal


@contextmanager
def a_post(hand_on: Callable[[bytes], object]) -> Iterator[tuple[int, Office]]:
    """A mail server that hands mail on."""
    mind = Office(hand_on=hand_on)
    with office(mind) as port:
        yield port, mind


def free_port() -> int:
    with office(Office()) as port:
        return port


def deliver_to(
    port: int, *, stamp: datetime | None = None, kind: type[smtplib.SMTP] = smtplib.SMTP
) -> Callable[[bytes], None]:
    """Hands mail to this port, as a mail server does, with its own header on top."""

    def hand_on(raw: bytes) -> None:
        received = (
            b""
            if stamp is None
            else (
                f"Received: from a by b; a comment\r\n\tfor <{MAILBOX}>;\r\n\t{format_datetime(stamp)}\r\n"
            ).encode()
        )
        with kind(HOST, port) as client:
            client.sendmail("", [TRIED], received + raw)

    return hand_on


def keep(raw: bytes) -> None:
    """What a running server does with a mail that comes in."""
    store = SqliteStore.open_to_write(Path("felix.db"))
    with store.write() as tx:
        tx.keep_mail(text_of(system_clock()), MAILBOX, MAILBOX, raw)
    store.close()


@contextmanager
def a_claim() -> Iterator[None]:
    """The mark of a server that runs."""
    Path("felix.db.serve.lock").touch(mode=0o600)
    with Path("felix.db.serve.lock").open("w") as claim:
        fcntl.flock(claim, fcntl.LOCK_EX)
        yield


def test_the_mail_is_one_that_every_felix_leaves_aside() -> None:
    letter = read_mail(write_mail(MAILBOX, "f" * 32, system_clock()))
    assert machine_mark(letter.headers) is not None
    assert letter.sender == MAILBOX


def test_it_comes_into_the_inbox_of_a_running_server(server: Terminal) -> None:
    with a_claim(), a_post(keep) as (port, mind):
        settings(port, protocol="off")
        found = checks(server, *WAIT)["round trip"]["found"]
    assert found.startswith(f"a message to {TRIED} came back after ")
    assert found.endswith(" s, into the inbox")
    assert len(mind.taken) == 1


def test_it_is_found_behind_much_other_mail(server: Terminal) -> None:
    def keep_many(raw: bytes) -> None:
        store = SqliteStore.open_to_write(Path("felix.db"))
        with store.write() as tx:
            for number in range(301):
                tx.keep_mail(text_of(system_clock()), MAILBOX, MAILBOX, raw if number == 0 else b"x")
        store.close()

    with a_claim(), a_post(keep_many) as (port, _):
        settings(port, protocol="off")
        assert checks(server, *WAIT)["round trip"]["well"]


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_without_a_server_the_doctor_itself_listens(server: Terminal, protocol: str) -> None:
    place = free_port()
    kind = smtplib.LMTP if protocol == "lmtp" else smtplib.SMTP
    before = dump(Path("felix.db"))
    with a_post(deliver_to(place, kind=kind)) as (port, _):
        settings(port, listen=place, protocol=protocol)
        found = checks(server, *WAIT)["round trip"]["found"]
    assert found.endswith(" s, to the place where felix listens")
    assert dump(Path("felix.db")) == before


def test_other_mail_that_comes_meanwhile_is_to_come_again(server: Terminal) -> None:
    place, codes = free_port(), []

    def hand_on(raw: bytes) -> None:
        for recipient, text in (("felix+token@localhost", raw), (MAILBOX, b"Subject: x\r\n\r\ny")):
            with smtplib.SMTP(HOST, place) as client:
                client.ehlo()
                client.mail("anna@players.test")
                code = client.rcpt(recipient)[0]
                codes.append(client.data(text)[0] if code == 250 else code)
        deliver_to(place)(raw)

    with a_post(hand_on) as (port, _):
        settings(port, listen=place)
        assert checks(server, *WAIT)["round trip"]["well"]
    assert codes == [451, 451]


@pytest.mark.parametrize("capabilities", ["IMAP4rev1 UIDPLUS", "IMAP4rev1"])
def test_it_is_found_in_the_mailbox_and_taken_out(server: Terminal, capabilities: str) -> None:
    drawer = Drawer(capabilities=capabilities)
    drawer.put(b"Subject: a player's\r\n\r\nBID 5")
    with a_post(drawer.put) as (port, _), mailbox(drawer) as imap:
        settings(port, protocol="off", more=fetching(imap))
        found = checks(server, *WAIT)["round trip"]["found"]
    assert found.endswith(" s, into the mailbox")
    assert len(drawer.changed) == 1
    assert drawer.changed[0].startswith("STORE 2 ")
    assert drawer.deleted == ([2] if "UIDPLUS" in capabilities else [])


def test_a_mail_that_does_not_come_back_is_told_and_what_to_do(server: Terminal) -> None:
    mind = Office()
    with office(mind) as port:
        settings(port, listen=free_port())
        assert wrong(server, *SOON) == ["round trip"]
        found = checks(server, *SOON, code=1)["round trip"]
    assert found["found"] == f"a message to {TRIED} went out and did not come back within 0.3 s"
    assert "look at the mail server's log" in found["advice"]
    numbers = {read_mail(raw).headers[HEADER.lower()] for raw in mind.taken}
    assert len(numbers) == 2, "nobody can guess them"


def test_a_mail_server_that_knows_no_addresses_with_a_plus_is_told(server: Terminal) -> None:
    """Mail to the mailbox itself would come, and not one answer of a player."""
    with office(Office(at_plus="550 5.1.1 no such user")) as port:
        settings(port, listen=free_port())
        found = checks(server, *WAIT, code=1)
    assert found["send"]["well"]
    assert found["round trip"]["found"] == (
        f"not tried: the mail server does not take a message to {TRIED} (550)"
    )
    assert "recipient_delimiter = +" in found["round trip"]["advice"]


def test_no_other_mail_is_taken_for_it(server: Terminal) -> None:
    with a_claim(), a_post(lambda raw: keep(write_mail(MAILBOX, "0" * 32, system_clock()))) as (port, _):
        settings(port, protocol="off")
        assert wrong(server, *SOON) == ["round trip"]


@pytest.mark.parametrize(("late", "well"), [(timedelta(seconds=10), True), (timedelta(hours=1), False)])
def test_the_mail_servers_clock_is_compared(server: Terminal, late: timedelta, well: bool) -> None:
    place = free_port()
    with a_post(deliver_to(place, stamp=datetime.now(UTC) - late)) as (port, _):
        settings(port, listen=place)
        found = checks(server, *WAIT, code=0 if well else 1)
    assert found["mail server's clock"]["well"] == well
    assert found["round trip"]["well"]


@pytest.mark.parametrize(
    ("ours", "well", "advised"),
    [("mx.felix.test", True, False), ("", True, True), ("other.test", False, True)],
)
def test_the_mail_servers_name_is_compared(server: Terminal, ours: str, well: bool, advised: bool) -> None:
    place = free_port()
    deliver = deliver_to(place)
    header = b"Authentication-Results: (a comment)\r\n\tMX.felix.test 1; spf=pass\r\n"
    with a_post(lambda raw: deliver(header + raw)) as (port, _):
        settings(port, listen=place, more=f'[receive]\nauthserv_id = "{ours}"')
        found = checks(server, *WAIT, code=0 if well else 1)["mail server's name"]
    assert found["well"] == well
    assert found["found"].startswith("it signs its Authentication-Results as mx.felix.test")
    assert bool(found["advice"]) == advised


@pytest.mark.parametrize(
    ("received", "found"),
    [
        ("from a.test (a.test [192.0.2.7]) by mx.felix.test (Postfix); now", "told by Received"),
        ("from a.test (a.test [192.0.2.7]) by elsewhere.test; now", "no Received tells"),
    ],
)
def test_it_is_told_whether_a_yes_for_unsigned_mail_can_be_remembered(
    server: Terminal, received: str, found: str
) -> None:
    place = free_port()
    deliver = deliver_to(place)
    with a_post(lambda raw: deliver(f"Received: {received}\r\n".encode() + raw)) as (port, _):
        settings(port, listen=place, more='[receive]\nauthserv_id = "mx.felix.test"')
        check = checks(server, *WAIT)["where mail comes from"]
    assert check["found"].startswith(found)
    assert bool(check["advice"]) == (found == "no Received tells")


def test_where_mails_are_printed_there_is_nothing_to_try(server: Terminal) -> None:
    settings(1, in_send='channel = "console"')
    assert checks(server)["round trip"]["found"] == "messages are printed, not sent"


def test_the_talk_is_on_stderr(server: Terminal) -> None:
    with office(Office()) as port:
        settings(port, listen=free_port())
        result = server.invoke("doctor", *SOON, "--json")
    assert result.stderr == f"A message goes to {TRIED}; it may take 0.3 s to come back.\n"
