"""TLS and passwords: what goes over which connection, and what an operator is told where it cannot go."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from felix_async.settings import Send
from felix_notifiers.outbox.channel import TryAgain
from felix_notifiers.outbox.smtp import SmtpChannel, Unavailable, connect
from notifiers.peer import (
    OK,
    PASSWORD,
    USER,
    Certificate,
    Mailroom,
    a_channel,
    a_letter,
    a_server,
    answering,
    make_certificate,
)
from notifiers.sheets import MAILBOX

LOGIN: dict[str, Any] = {"user": USER, "password": SecretStr(PASSWORD)}


@pytest.fixture
def mailroom() -> Mailroom:
    """What the server thinks."""
    return Mailroom()


@contextmanager
def starttls(mailroom: Mailroom, certificate: Certificate, **settings: Any) -> Iterator[int]:
    """A server that wants STARTTLS, and takes passwords after it."""
    context = certificate.server_context()
    with a_server(
        mailroom, tls_context=context, require_starttls=True, authenticator=mailroom.authenticate, **settings
    ) as port:
        yield port


@contextmanager
def open_server(mailroom: Mailroom) -> Iterator[int]:
    """A server that takes passwords over an open connection."""
    with a_server(mailroom, authenticator=mailroom.authenticate, auth_require_tls=False) as port:
        yield port


def told(port: int, **settings: Any) -> str:
    """What the operator reads where nothing can be sent; the player is not to blame."""
    channel = a_channel(port, **settings)
    result = channel.send(a_letter())
    channel.close()
    assert isinstance(result, TryAgain)
    assert result.about == "server"
    return result.text


# ---- TLS --------------------------------------------------------------------------------------------
def test_a_letter_goes_by_starttls(mailroom: Mailroom, certificate: Certificate) -> None:
    with starttls(mailroom, certificate) as port:
        channel = a_channel(port, security="starttls", ca_file=certificate.cert)
        assert channel.send(a_letter()) == OK
        channel.close()
    assert [session.ssl is not None for session in mailroom.sessions] == [True]


def test_a_letter_goes_by_tls_from_the_first_byte_on(mailroom: Mailroom, certificate: Certificate) -> None:
    with a_server(mailroom, ssl_context=certificate.server_context()) as port:
        channel = a_channel(port, security="tls", ca_file=certificate.cert)
        assert channel.send(a_letter()) == OK
        channel.close()
    assert len(mailroom.taken) == 1


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_of_an_unknown_authority_is_not_trusted(
    mailroom: Mailroom, certificate: Certificate, security: str
) -> None:
    context = certificate.server_context()
    how = {"ssl_context": context} if security == "tls" else {"tls_context": context}
    with a_server(mailroom, **how) as port:
        text = told(port, security=security)
    assert "is not trusted (self-signed certificate)" in text
    assert "name its authority as ca_file" in text
    assert mailroom.taken == []


def test_a_certificate_for_another_name_is_not_trusted(mailroom: Mailroom, tmp_path: Path) -> None:
    other = make_certificate(tmp_path, "mail.elsewhere.test")
    with a_server(mailroom, tls_context=other.server_context()) as port:
        text = told(port, security="starttls", ca_file=other.cert)
    assert "is not trusted" in text
    assert "check host under [send]" in text


def test_a_server_without_starttls_gets_nothing_in_the_open(mailroom: Mailroom) -> None:
    with a_server(mailroom) as port:
        assert told(port, security="starttls") == (
            f"127.0.0.1:{port} offers no STARTTLS; change security under [send]."
        )
    assert mailroom.taken == []


def test_a_server_that_speaks_no_tls_is_told_apart(mailroom: Mailroom) -> None:
    with a_server(mailroom) as port:
        text = told(port, security="tls")
    assert "does not speak TLS as it should" in text
    assert "check port and security" in text


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_an_authority_that_cannot_be_read_is_named(tmp_path: Path, content: str | None) -> None:
    ca_file = tmp_path / "ca.pem"
    if content is not None:
        ca_file.write_text(content)
    with pytest.raises(Unavailable, match=r"ca\.pem cannot be used .*correct send\.ca_file"):
        connect(Send(security="tls", ca_file=ca_file), MAILBOX)


# ---- passwords --------------------------------------------------------------------------------------
def test_the_password_goes_over_tls(mailroom: Mailroom, certificate: Certificate) -> None:
    with starttls(mailroom, certificate, auth_required=True) as port:
        channel = a_channel(port, security="starttls", ca_file=certificate.cert, **LOGIN)
        assert channel.send(a_letter()) == OK
        channel.close()
    assert mailroom.logins == [("PLAIN", True)]


def test_one_login_serves_a_burst(mailroom: Mailroom, certificate: Certificate) -> None:
    with starttls(mailroom, certificate) as port:
        channel = a_channel(port, security="starttls", ca_file=certificate.cert, **LOGIN)
        assert [channel.send(a_letter()) for _ in range(3)] == [OK] * 3
        channel.close()
    assert len(mailroom.logins) == 1


def test_a_password_may_go_to_this_machine_in_the_open(mailroom: Mailroom) -> None:
    with open_server(mailroom) as port:
        channel = a_channel(port, **LOGIN)
        assert channel.send(a_letter()) == OK
        channel.close()
    assert mailroom.logins == [("PLAIN", False)]


@pytest.mark.parametrize("host", ["mail.example.test", "192.0.2.1", "localhost.example.test"])
def test_a_password_never_goes_to_another_machine_in_the_open(host: str) -> None:
    channel = SmtpChannel(Send(host=host, user=USER, password=SecretStr(PASSWORD)), MAILBOX)
    assert channel.send(a_letter()) == TryAgain(
        f"A password is not sent to {host} over an open connection;"
        ' set security = "starttls" or "tls" under [send].',
        "server",
    )


def test_a_wrong_password_is_the_operators_to_correct(mailroom: Mailroom, certificate: Certificate) -> None:
    with starttls(mailroom, certificate) as port:
        wrong = LOGIN | {"password": SecretStr("wrong")}
        text = told(port, security="starttls", ca_file=certificate.cert, **wrong)
    assert text == "127.0.0.1 does not take this user and password (535); correct them under [send]."


def test_a_server_that_takes_no_passwords_is_named(mailroom: Mailroom) -> None:
    with a_server(mailroom) as port:
        assert told(port, **LOGIN) == (
            "127.0.0.1 takes no password; leave user under [send] empty, or change security."
        )


def test_a_server_that_wants_a_password_is_no_fault_of_the_player(
    mailroom: Mailroom, certificate: Certificate
) -> None:
    with starttls(mailroom, certificate, auth_required=True) as port:
        text = told(port, security="starttls", ca_file=certificate.cert)
    assert text.startswith("530 ")


@pytest.mark.parametrize("change", [{"password": SecretStr("pässwort")}, {"user": "zoë"}])
def test_a_password_that_cannot_be_sent_is_named_without_its_letters(
    mailroom: Mailroom, change: dict[str, Any]
) -> None:
    with open_server(mailroom) as port:
        text = told(port, **(LOGIN | change))
    assert text == "user and password under [send] can have ASCII letters only; use others."


def test_the_password_is_in_no_repr_and_no_log(
    mailroom: Mailroom, certificate: Certificate, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    with caplog.at_level(logging.DEBUG), starttls(mailroom, certificate) as port:
        channel = a_channel(port, security="starttls", ca_file=certificate.cert, **LOGIN)
        assert channel.send(a_letter()) == OK
        shown = f"{channel!r} {channel}"
        channel.close()
        told(port, security="starttls", ca_file=certificate.cert, **(LOGIN | {"user": "other"}))
    shown += caplog.text + "".join(capfd.readouterr())
    for secret in (PASSWORD, base64.b64encode(f"\0{USER}\0{PASSWORD}".encode()).decode()):
        assert secret not in shown


def test_what_a_server_says_to_a_login_is_not_repeated() -> None:
    """It may well repeat what it was told."""
    echo = f"535 no entry for {PASSWORD}\r\n".encode()
    with answering(b"220 hi\r\n", b"250-hi\r\n250 AUTH PLAIN\r\n", echo) as (port, _):
        with pytest.raises(Unavailable) as caught:
            connect(Send(port=port, user=USER, password=SecretStr(PASSWORD)), MAILBOX)
        chain = [caught.value, caught.value.__cause__]
    assert PASSWORD not in "".join(map(str, chain))
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("offered", "reply", "sentence"),
    [
        (b"PLAIN", b"454 4.7.0 later\r\n", "127.0.0.1 cannot check the password just now (454)."),
        (b"XOAUTH2", b"", "127.0.0.1 knows no way to log in that felix knows (PLAIN, LOGIN)."),
        (b"PLAIN", b"", "Connection unexpectedly closed"),
    ],
)
def test_a_login_that_does_not_come_off_is_told_in_a_sentence(
    offered: bytes, reply: bytes, sentence: str
) -> None:
    replies = [b"220 hi\r\n", b"250-hi\r\n250 AUTH " + offered + b"\r\n", *([reply] if reply else [])]
    with answering(*replies) as (port, _), pytest.raises(Unavailable) as caught:
        connect(Send(port=port, user=USER, password=SecretStr(PASSWORD)), MAILBOX)
    # How the system tells of a connection that is gone depends on the moment.
    told = str(caught.value).removeprefix(f"127.0.0.1:{port}: ").partition(": [Errno")[0]
    assert told == sentence
