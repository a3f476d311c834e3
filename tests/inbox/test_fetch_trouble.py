"""A mailbox that breaks down in every way: no mail is lost, none kept twice, and the log says what to do."""

from __future__ import annotations

import logging
import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from pydantic import SecretStr

from felix_async.inbox import fetch, imap
from felix_async.inbox.delivery import recipients_in
from felix_async.inbox.fetch import LONGEST_PAUSE, MAX_STUMBLES, pause_after
from inbox.fetching import PATIENCE, Office, all_done
from inbox.imap_server import (
    EVERYTHING,
    PASSWORD,
    Command,
    Fault,
    ImapServer,
    break_off,
    hang_up,
    not_understand,
    refuse,
    say_bye,
    say_nothing,
    talk_nonsense,
)
from inbox.postbag import a_mail, a_table

MAILS = [a_mail(f"{number}", message_id=f"<{number}@x>") for number in range(4)]


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the operator is told, without repetitions."""
    told = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    return list(dict.fromkeys(told))


# ---- at any step ------------------------------------------------------------------------------------

STEPS = ["CAPABILITY", "AUTHENTICATE", "SELECT", "UID SEARCH", "UID FETCH .*SIZE", "UID FETCH .*BODY", "IDLE"]
FAULTS = [hang_up, say_bye, refuse, not_understand, talk_nonsense, break_off]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault.__name__))
@pytest.mark.parametrize("step", STEPS)
def test_trouble_at_any_step_before_the_mails_are_kept_costs_nothing(
    office: Office, step: str, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    with ImapServer() as server:
        server.deliver(*MAILS[:3])
        server.on(step, fault)
        with office.fetching(server, timeout_seconds=1, poll_seconds=1):
            all_done(server)
            server.deliver(MAILS[3])
            all_done(server)
    assert [mail.raw for mail in office.mails] == MAILS
    assert PASSWORD not in caplog.text


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault.__name__))
def test_trouble_while_a_mail_is_marked_does_not_keep_it_twice(office: Office, fault: Fault) -> None:
    with ImapServer() as server:
        server.deliver(*MAILS)
        server.on("UID STORE", fault)
        office.fetch_all(server, timeout_seconds=1)
    assert [mail.raw for mail in office.mails] == MAILS


def test_a_crash_between_keeping_and_marking_keeps_the_mail_again_rather_than_losing_it(
    office: Office,
) -> None:
    """Another process knows nothing of the first one's mails; that they are the same is seen later."""
    with ImapServer() as server:
        server.deliver(*MAILS)
        server.on("UID STORE", hang_up, times=99)
        with office.fetching(server):
            office.wait_for(4)
    with ImapServer() as server:
        server.deliver(*MAILS)
        office.fetch_all(server)
    assert [mail.raw for mail in office.mails] == MAILS * 2


def test_a_mail_that_is_fetched_again_after_a_crash_is_obeyed_once(office: Office) -> None:
    bag = a_table(store=office.sink)
    raw = a_mail("JOIN", headers=[f"To: {bag.address(0)}"])
    for _ in range(2):
        with ImapServer() as server:
            server.deliver(raw)
            office.fetch_all(server)
    size = bag.size
    bag.work()
    assert [mail.state for mail in office.mails] == ["done", "duplicate"]
    assert bag.size == size + 1


def test_a_server_that_does_not_answer_is_left_after_the_timeout(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    with ImapServer() as server:
        server.deliver(*MAILS)
        server.on("UID SEARCH", say_nothing)
        office.fetch_all(server, timeout_seconds=0.3)
    (told,) = errors(caplog)
    assert told.endswith("it does not answer in time")
    assert told.startswith(f"no mail comes from INBOX at 127.0.0.1:{server.port}; next try in ")


def test_a_server_that_is_away_is_tried_again_until_it_is_there(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(socket.socket()) as nobody:
        nobody.bind(("127.0.0.1", 0))
        with office.fetching(nobody.getsockname()[1]):
            office.wait_for_pauses(4)
    assert [tries for tries, _ in office.pauses[:4]] == [1, 2, 3, 4]
    assert errors(caplog)[0].endswith(": Connection refused")


def test_after_a_success_the_pauses_begin_anew(office: Office) -> None:
    with ImapServer() as server:
        server.on("SELECT", hang_up, times=2)
        with office.fetching(server):
            server.wait_until(lambda: server.count("IDLE begun") > 0)
            server.on("UID SEARCH", hang_up)
            server.deliver(*MAILS)
            all_done(server)
    assert [tries for tries, _ in office.pauses] == [1, 2, 1]


def test_pauses_grow_are_bounded_and_differ() -> None:
    pauses = [[pause_after(tries) for _ in range(200)] for tries in (1, 2, 5, 10, 10_000)]
    assert all(max(some) <= longest for some, longest in zip(pauses, (1, 2, 16, 300, 300), strict=True))
    assert [mean(some) for some in pauses[:4]] == sorted(mean(some) for some in pauses[:4])
    assert all(min(some) >= max(some) / 2.01 > 0 and len(set(some)) > 100 for some in pauses)
    assert max(pause_after(99, refused=True) for _ in range(200)) <= 12 * LONGEST_PAUSE


# ---- mails that make trouble ------------------------------------------------------------------------


def test_a_mail_that_the_server_cannot_give_is_left_alone_and_told_once(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    with ImapServer() as server:
        server.deliver(*MAILS)
        server.on(r"UID FETCH (1,2,3,4|2) .*BODY", refuse, times=99)
        with office.fetching(server):
            office.wait_for(3)
            server.wait_until(lambda: server.count("IDLE begun") > 0)
            server.deliver(a_mail("new"))
            office.wait_for(4)
            server.wait_until(lambda: server.count("IDLE begun") > 1)
        assert server.mails[2].flags == set()
    assert [mail.raw for mail in office.mails] == [MAILS[0], MAILS[2], MAILS[3], a_mail("new")]
    (told,) = errors(caplog)
    assert told.startswith("the mail with UID 2 cannot be fetched and stays where it is (")


@pytest.mark.parametrize("fault", [hang_up, break_off, talk_nonsense])
def test_a_mail_at_which_the_connection_breaks_each_time_does_not_hold_up_the_others(
    office: Office, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    with ImapServer() as server:
        server.deliver(*MAILS)
        server.on(r"UID FETCH (1,2,3,4|2) .*BODY", fault, times=99)
        with office.fetching(server, timeout_seconds=1):
            office.wait_for(3)
            server.wait_until(lambda: server.count("IDLE begun") > 0)
    assert [mail.raw for mail in office.mails] == [MAILS[0], MAILS[2], MAILS[3]]
    assert len(office.pauses) <= MAX_STUMBLES + 1
    assert "the mail with UID 2 cannot be fetched" in caplog.text


@pytest.mark.parametrize("step", ["UID FETCH .*SIZE", "UID FETCH .*BODY", "UID STORE"])
def test_a_mail_that_somebody_deletes_meanwhile_is_no_trouble(
    office: Office, step: str, caplog: pytest.LogCaptureFixture
) -> None:
    with ImapServer() as server:
        server.deliver(*MAILS)

        def delete_it(command: Command) -> None:
            server.mails.pop(2, None)
            command.connection._answer(f"{command.tag} {command.line}")

        server.on(step, delete_it)
        office.fetch_all(server)
    kept = [mail.raw for mail in office.mails]
    assert kept == (MAILS if step == "UID STORE" else [MAILS[0], MAILS[2], MAILS[3]])
    assert errors(caplog) == []


def test_new_uids_for_the_whole_folder_are_new_mails(office: Office) -> None:
    """What felix knew about UIDs is void then; the marks on the server hold all the same."""
    with ImapServer() as server:
        server.deliver(*MAILS[:2])
        server.on("UID STORE", refuse)
        with office.fetching(server):
            all_done(server)
            server.wait_until(lambda: server.count("IDLE begun") > 0)
            with server.changed:
                server.uid_validity += 1
                server.mails.clear()
                server.uid_next = 1
            server.deliver(MAILS[2], flags=[imap.KEYWORD])
            server.deliver(MAILS[3])
            all_done(server)
            office.wait_for(3)
    assert [mail.raw for mail in office.mails] == [*MAILS[:2], MAILS[3]]


def test_a_full_disk_holds_up_the_mail_and_loses_none(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    office.sink.failing = 5
    with ImapServer() as server:
        server.deliver(*MAILS)
        office.fetch_all(server)
    assert [mail.raw for mail in office.mails] == MAILS
    assert all("fetched mail cannot be kept; next try in " in line for line in errors(caplog))
    assert "make room" in caplog.text


# ---- log-in and certificates ------------------------------------------------------------------------
@pytest.mark.parametrize("offered", [["AUTH=PLAIN"], []])
def test_a_refused_log_in_is_told_without_the_password_and_not_tried_again_soon(
    office: Office, offered: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The server writes the password that it got into its answer, and felix does not pass that on."""
    wrong = "not the word"
    with ImapServer(capabilities=offered) as server:
        server.on("AUTH|LOGIN", not_understand, times=1)
        with office.fetching(server, password=SecretStr(wrong)):
            server.wait_until(lambda: server.count("AUTH|LOGIN") > 2)
    assert "it refuses the user or the password: " in errors(caplog)[0]
    assert wrong not in caplog.text
    assert office.pauses[0] == (1, True)
    assert min(pause_after(1, refused=True) for _ in range(100)) >= 30


def test_a_password_that_a_plain_log_in_cannot_carry_is_told(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"password": SecretStr("p\u00e4ssword")}
    with ImapServer(capabilities=[]) as server, office.fetching(server, **settings):
        server.wait_until(lambda: server.count("CAPABILITY") > 1)
    assert "it takes user and password in plain ASCII only; change fetch.user" in caplog.text
    assert "p\u00e4ss" not in caplog.text


def test_a_log_in_without_sasl_quotes_what_needs_it(office: Office) -> None:
    with ImapServer(capabilities=["IDLE"]) as server:
        server.deliver(*MAILS)
        office.fetch_all(server)
        assert server.count("LOGIN") == 1


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 and its key, made a moment ago, in one file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed, and makes the certificate")
    folder = tmp_path_factory.mktemp("certificate")
    words = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1"
        " -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem"
    )
    subprocess.run([openssl, *words.split()], cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "certificate.pem").read_bytes())
    return both


def server_side(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_mail_is_fetched_over_a_private_connection(office: Office, certificate: Path, security: str) -> None:
    with ImapServer(**{security: server_side(certificate)}) as server:  # type: ignore[arg-type]
        server.deliver(*MAILS[:3])
        with office.fetching(server, security=security, ca_file=certificate):
            all_done(server)
            server.wait_until(lambda: server.count("IDLE begun") > 0)
            server.deliver(MAILS[3])
            all_done(server)
        assert [line.split()[0] for line in server.commands].count("STARTTLS") == (security == "starttls")
    assert [mail.raw for mail in office.mails] == MAILS


@pytest.mark.parametrize(("step", "fault", "is_private", "keys"), [
    ("UID SEARCH", say_nothing, False, {"timeout_seconds": 600}),
    ("UID SEARCH", say_nothing, True, {"timeout_seconds": 600}),
    ("UID SEARCH", hang_up, False, {}),
    ("IDLE begun", None, False, {"poll_seconds": 3600}),
    ("UID SEARCH", None, False, {"poll_seconds": 3600}),
], ids=["silence", "private silence", "a pause", "idle", "poll"])  # fmt: skip
def test_a_fetcher_stops_at_once(
    office: Office, certificate: Path, step: str, fault: Fault | None, is_private: bool, keys: dict[str, Any]
) -> None:
    more: dict[str, Any] = {"security": "tls", "ca_file": certificate} if is_private else {}
    offered = EVERYTHING if fault or step == "IDLE begun" else ("AUTH=PLAIN",)
    with ImapServer(tls=server_side(certificate) if is_private else None, capabilities=offered) as server:
        if fault is not None:
            server.on(step, fault)
        pausing = threading.Event()

        def pause(tries: int, *, refused: bool = False) -> float:
            pausing.set()
            return 600

        fetcher = office.fetcher(server.port, pause=pause, **more, **keys)
        fetcher.start()
        server.wait_until(lambda: server.count(step) > 0)
        assert fault is not hang_up or pausing.wait(PATIENCE)
        started = time.monotonic()
        fetcher.stop()
        assert time.monotonic() - started < 2
        assert not fetcher._thread.is_alive()
        if fault is None:
            server.wait_until(lambda: server.count("LOGOUT") == 1)


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_a_certificate_that_nobody_vouches_for_is_refused_before_the_log_in(
    office: Office, certificate: Path, security: str, caplog: pytest.LogCaptureFixture
) -> None:
    with ImapServer(**{security: server_side(certificate)}) as server:  # type: ignore[arg-type]
        with office.fetching(server, security=security):
            office.wait_for_pauses(2)
        assert server.count("AUTH|LOGIN") == 0
    assert "its certificate is not trusted: self-signed certificate" in caplog.text


def test_a_server_without_starttls_gets_no_password(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    with ImapServer() as server:
        with office.fetching(server, security="starttls"):
            server.wait_until(lambda: server.count("CAPABILITY") > 1)
        assert server.count("AUTH|LOGIN") == 0
    assert "it cannot do what is needed: " in caplog.text
    assert "STARTTLS" in caplog.text


def test_a_file_of_authorities_that_is_missing_is_named(
    office: Office, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ImapServer() as server, office.fetching(server, security="tls", ca_file=tmp_path / "none.pem"):
        office.wait_for_pauses(1)
    assert "none.pem holds no certificates (No such file or directory); change fetch.ca_file" in caplog.text


def test_strange_bytes_from_the_server_reach_no_log_line(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    def shout(command: Command) -> None:
        command.connection.send(f"{command.tag} NO \x1b[31m\x07 look\u202e here")

    with ImapServer() as server:
        server.on("SELECT", shout)
        with office.fetching(server):
            server.wait_until(lambda: server.count("SELECT") > 1)
    assert "look" in errors(caplog)[0]
    assert all(char.isprintable() for char in errors(caplog)[0])


def test_trouble_of_our_own_does_not_end_the_fetching(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def stumbling(raw: bytes, mailbox: str) -> list[str]:
        calls.append(1)
        return [] if 1 // (len(calls) - 1) < 0 else recipients_in(raw, mailbox)

    monkeypatch.setattr(fetch, "recipients_in", stumbling)
    with ImapServer() as server:
        server.deliver(*MAILS)
        office.fetch_all(server)
    assert [mail.raw for mail in office.mails] == MAILS
