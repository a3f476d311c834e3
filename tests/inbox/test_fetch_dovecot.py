"""Mail is fetched from a real Dovecot, beside other mail programs that use the same mailbox."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest
from pydantic import SecretStr

from felix_async.inbox import imap
from inbox.dovecot import PASSWORD, Dovecot, a_dovecot
from inbox.fetching import MAX_BYTES, PATIENCE, Office
from inbox.postbag import a_mail

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("dovecot") is None, reason="dovecot is not installed"),
]
MAILS = [a_mail(f"{number}", message_id=f"<{number}@x>") for number in range(4)]


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with a_dovecot() as running:
        yield running


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A user of the test's own."""
    return f"u{crc32(request.node.name.encode())}"


def account(user: str, **keys: Any) -> dict[str, Any]:
    return {"user": user, "password": SecretStr(PASSWORD), **keys}


def wait_until_empty(client: Any, criteria: list[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while client.search(criteria):
        assert time.monotonic() < deadline
        time.sleep(0.02)
        client.noop()


def test_waiting_mail_and_new_mail_are_fetched_as_they_are_each_once(
    dovecot: Dovecot, office: Office, user: str
) -> None:
    dovecot.deliver(user, *MAILS[:3])
    with office.fetching(dovecot.port, **account(user, poll_seconds=3600)):
        office.wait_for(3)
        # Long enough for the connection to have begun to wait, as somebody else sees by the marks.
        with dovecot.client(user) as other:
            wait_until_empty(other, ["UNKEYWORD", imap.KEYWORD])
        time.sleep(0.3)
        started = time.monotonic()
        dovecot.deliver(user, MAILS[3])
        office.wait_for(4)
        assert time.monotonic() - started < 3, "told by IDLE, an hour before the next look"
        with dovecot.client(user) as other:
            wait_until_empty(other, ["UNKEYWORD", imap.KEYWORD])
    with office.fetching(dovecot.port, **account(user)):
        dovecot.deliver(user, a_mail("the last"))
        office.wait_for(5)
    assert [mail.raw for mail in office.mails] == [*MAILS, a_mail("the last")]


def test_a_mail_that_was_opened_elsewhere_is_fetched_and_one_that_was_deleted_is_not(
    dovecot: Dovecot, office: Office, user: str
) -> None:
    dovecot.deliver(user, *MAILS)
    with dovecot.client(user) as other:
        other.fetch([1], ["BODY[]"])
        assert b"\\Seen" in other.get_flags([1])[1]
        other.delete_messages([2])
    with office.fetching(dovecot.port, **account(user)):
        office.wait_for(3)
    assert [mail.raw for mail in office.mails] == [MAILS[0], MAILS[2], MAILS[3]]


@pytest.mark.parametrize("folder", ["Done", "Fertig & gut \u00fc", "felix.done.deep"])
def test_mails_are_moved_to_a_folder_that_is_made(
    dovecot: Dovecot, office: Office, user: str, folder: str
) -> None:
    dovecot.deliver(user, *MAILS)
    settings = account(user, done_folder=folder)
    with office.fetching(dovecot.port, **settings), dovecot.client(user) as other:
        wait_until_empty(other, ["ALL"])
    with dovecot.client(user) as other:
        assert other.select_folder(folder)[b"EXISTS"] == 4
        assert b"\\Seen" in other.get_flags([1])[1]
    assert [mail.raw for mail in office.mails] == MAILS


def test_a_large_mail_leaves_its_headers_and_odd_bytes_come_through(
    dovecot: Dovecot, office: Office, user: str
) -> None:
    odd = b"Subject: \xff\xfe\r\n\r\n" + bytes(range(1, 256)) + b"\r\n"
    dovecot.deliver(user, a_mail("x\n" * MAX_BYTES), odd)
    with office.fetching(dovecot.port, **account(user)):
        office.wait_for(2)
    large, small = office.mails
    assert (large.state, small.state) == ("quarantined", "new")
    assert b"Message-ID: <1@players.test>" in large.raw
    assert len(large.raw) < 1000
    assert small.raw.split(b"\r\n\r\n")[0] == b"Subject: \xff\xfe"


def test_hundreds_of_waiting_mails_are_fetched_while_more_come(
    dovecot: Dovecot, office: Office, user: str
) -> None:
    dovecot.deliver(user, *[a_mail(f"{number}") for number in range(500)])
    with office.fetching(dovecot.port, **account(user)):
        office.wait_for(1)
        dovecot.deliver(user, *[a_mail(f"{number}") for number in range(500, 600)])
        office.wait_for(600)
    assert [mail.raw for mail in office.mails] == [a_mail(f"{number}") for number in range(600)]


@pytest.mark.slow
def test_a_wrong_password_is_refused(
    dovecot: Dovecot, office: Office, user: str, caplog: pytest.LogCaptureFixture
) -> None:
    with office.fetching(dovecot.port, **account(user) | {"password": SecretStr("guessed")}):
        deadline = time.monotonic() + PATIENCE
        while not office.pauses:
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert office.pauses[0] == (1, True)
    assert "it refuses the user or the password" in caplog.text
    assert "guessed" not in caplog.text
