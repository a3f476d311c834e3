"""The mail server on the other side: a real one on loopback, with a mind that a test can change."""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from felix_async.settings import Send
from felix_events.store.rows import Letter
from felix_notifiers.outbox.channel import Sent
from felix_notifiers.outbox.smtp import SmtpChannel
from notifiers.sheets import MAILBOX

LOCALHOST: Final = "127.0.0.1"
PATIENCE: Final = 10.0
BOUNCES: Final = "felix+aeaqcaaak5dw2mtqsu5ivlzn7vvcn6cl@play.test"
OK: Final = Sent("250 OK")
USER: Final = "felix@play.test"
PASSWORD: Final = "correct horse"


class Mailroom:
    """A mail server's mind: what it answers to which address, and what it has taken."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, list[str], bytes]] = []
        self.sessions: set[Session] = set()
        self.greeting: str = ""
        self.at_mail = "250 OK"
        self.at_rcpt: dict[str, str] = {}
        self.at_data = "250 OK"
        self.silent_for = ""
        self.greylists = False
        self.seen: set[str] = set()
        self.logins: list[tuple[str, bool]] = []

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, name: str, responses: list[str]
    ) -> list[str]:
        session.host_name = self.greeting = name
        return responses

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.sessions.add(session)
        if self.at_mail.startswith("250"):
            envelope.mail_from = address
        return self.at_mail

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.silent_for and address.endswith(self.silent_for):
            await asyncio.sleep(PATIENCE)
        answer = self.at_rcpt.get(address, "250 OK")
        if self.greylists and address not in self.seen:
            self.seen.add(address)
            answer = "451 4.7.1 Greylisted, come again"
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.at_data.startswith("250"):
            assert isinstance(envelope.content, bytes)
            self.taken.append((envelope.mail_from or "", envelope.rcpt_tos, envelope.content))
        return self.at_data

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, login: LoginPassword
    ) -> AuthResult:
        """Let in who knows the password; how they came, and whether nobody could listen."""
        self.logins.append((mechanism, session.ssl is not None))
        is_known = login == LoginPassword(USER.encode(), PASSWORD.encode())
        return AuthResult(success=is_known, handled=False)


class Server(Controller):
    """A real SMTP server on a free port of this machine."""

    def _trigger_server(self) -> None:
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@contextmanager
def a_server(mailroom: Mailroom, **settings: Any) -> Iterator[int]:
    """A server with this mind; its port."""
    server = Server(mailroom, hostname=LOCALHOST, port=0, **settings)
    server.start()
    try:
        yield server.port
    finally:
        server.stop()


@dataclass(frozen=True)
class Certificate:
    """A throw-away certificate for `localhost` and 127.0.0.1, its own authority, and its key."""

    cert: Path
    key: Path

    def server_context(self) -> ssl.SSLContext:
        """What a server with it needs."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.cert, self.key)
        return context


def make_certificate(folder: Path, name: str = "localhost") -> Certificate:
    """Have the openssl program make one; skips where there is no such program."""
    made = Certificate(folder / "cert.pem", folder / "key.pem")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={name}", "-keyout", str(made.key), "-out", str(made.cert)]
    names = "DNS:localhost,IP:127.0.0.1" if name == "localhost" else f"DNS:{name}"
    try:
        subprocess.run([*command, "-addext", f"subjectAltName={names}"], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no openssl program to make a certificate with")
    return made


def a_channel(port: int, timeout: float = PATIENCE, **settings: Any) -> SmtpChannel:
    """A channel to this machine."""
    return SmtpChannel(Send(host=LOCALHOST, port=port, timeout_seconds=timeout, **settings), MAILBOX)


def a_letter(recipient: str = "ben@players.test", sender: str = BOUNCES, text: str = "Hello") -> Letter:
    """A letter as `claim` freezes them, only shorter."""
    raw = f"Subject: x\r\n\r\n{text}\r\n".encode()
    return Letter("k7m2p", 1, recipient, "<m@play.test>", raw, "", "", sender=sender)


@contextmanager
def a_socket() -> Iterator[socket.socket]:
    """A port that is ours; nobody listens there before `listen`."""
    with socket.socket() as ours:
        ours.bind((LOCALHOST, 0))
        ours.settimeout(PATIENCE)
        yield ours


@contextmanager
def answering(*lines: bytes) -> Iterator[tuple[int, list[int]]]:
    """A server that says one of these lines at each turn and then hangs up; its port, and who has called."""
    calls: list[int] = []
    with a_socket() as listening:
        listening.listen()

        def serve() -> None:
            connection, _ = listening.accept()
            calls.append(1)
            with connection, connection.makefile("rb") as reader:
                connection.sendall(lines[0])
                for line in lines[1:]:
                    reader.readline()
                    connection.sendall(line)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()[1], calls
        finally:
            thread.join()
