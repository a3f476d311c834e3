"""Servers for the doctor to look at: mail servers with and without TLS and passwords, and a mailbox."""

from __future__ import annotations

import re
import smtplib
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from cli.terminal import Terminal

HOST: Final = "127.0.0.1"
USER: Final = "felix"
PASSWORD: Final = "only-tests-know"
MAILBOX: Final = "felix@localhost"


def settings(
    send: int, *, listen: int = 0, protocol: str = "smtp", host: str = HOST, in_send: str = "", more: str = ""
) -> None:
    """A felix.toml here."""
    Path("felix.toml").touch(mode=0o600)
    Path("felix.toml").write_text(
        f'[listen]\nprotocol = "{protocol}"\nhost = "{host}"\nport = {listen}\n'
        f"[send]\nport = {send}\n{in_send}\n{more}\n",
        encoding="utf-8",
    )


def checks(terminal: Terminal, *words: object, code: int = 0) -> dict[str, dict[str, Any]]:
    """What the doctor found, by what it looked at."""
    return {check["what"]: check for check in terminal.json("doctor", *words, code=code)}


def wrong(terminal: Terminal, *words: object) -> list[str]:
    """What is not well, by the doctor's exit 1."""
    return [what for what, check in checks(terminal, *words, code=1).items() if not check["well"]]


# ---- a mail server
@dataclass
class Office:
    """A mail server's mind: what it says to whom, and what it does with a mail."""

    at_rcpt: str = "250 OK"
    at_plus: str = "250 OK"
    taken: list[bytes] = field(default_factory=list)
    hand_on: Any = None

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, rcpt_options: list[str]
    ) -> str:
        said = self.at_plus if "+" in address else self.at_rcpt
        if said.startswith("250"):
            envelope.rcpt_tos.append(address)
        return said

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        self.taken.append(envelope.content)
        if self.hand_on is not None:
            threading.Thread(target=self.hand_on, args=(envelope.content,)).start()
        return "250 OK"


class _Controller(Controller):
    def _trigger_server(self) -> None:
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        if self.ssl_context is None:
            super()._trigger_server()  # type: ignore[no-untyped-call]
        else:
            # Its own look whether the server answers would not take a certificate made by us.
            careless = ssl.create_default_context()
            careless.check_hostname, careless.verify_mode = False, ssl.CERT_NONE
            with smtplib.SMTP_SSL(HOST, self.port, context=careless) as client:
                client.noop()


def _known(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: LoginPassword
) -> AuthResult:
    good = (data.login, data.password) == (USER.encode(), PASSWORD.encode())
    return AuthResult(success=good, handled=good)


@contextmanager
def office(mind: Office, **how: Any) -> Iterator[int]:
    """A mail server on a free port; the port."""
    server = _Controller(mind, hostname=HOST, port=0, **how)
    server.start()
    try:
        yield server.port
    finally:
        server.stop()


def with_password(context: ssl.SSLContext) -> dict[str, Any]:
    """A mail server that wants STARTTLS and a password."""
    return {"tls_context": context, "require_starttls": True, "authenticator": _known, "auth_required": True}


def a_certificate(folder: Path, name: str = "localhost") -> Path:
    """A new key and certificate in one file, good for this name and for loopback."""
    file = folder / "server.pem"
    subject = f"-subj /CN={name} -addext subjectAltName=DNS:{name},IP:{HOST}"
    command = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 {subject}"
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    file.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return file


def served_with(file: Path) -> ssl.SSLContext:
    """What a server with this certificate speaks."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


# ---- a mailbox
def fetching(port: int, *keys: str) -> str:
    """The section of the settings for a mailbox at this port."""
    lines = [f'host = "{HOST}"', f"port = {port}", 'security = "none"', f'user = "{USER}"']
    return "\n".join(["[fetch]", *lines, f'password = "{PASSWORD}"', *keys])


@dataclass
class Drawer:
    """What lies in an IMAP server: folders with mails by UID. It speaks as much as the doctor needs."""

    folders: dict[str, dict[int, bytes]] = field(default_factory=lambda: {"INBOX": {}})
    capabilities: str = "IMAP4rev1 UIDPLUS"
    may_create: bool = True
    deleted: list[int] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def put(self, raw: bytes) -> None:
        """A mail comes in."""
        inbox = self.folders["INBOX"]
        inbox[len(inbox) + 1] = raw

    def answer(self, name: str, rest: str) -> tuple[list[bytes], str]:
        """The untagged lines, and how it went."""
        inbox = self.folders["INBOX"]
        match name:
            case "CAPABILITY":
                return [f"* CAPABILITY {self.capabilities}".encode()], "OK"
            case "LOGIN":
                return [], "OK" if rest.replace('"', "") == f"{USER} {PASSWORD}" else "NO no such user"
            case "SELECT" | "EXAMINE":
                there = rest.strip('"') in self.folders
                return [b"* %d EXISTS" % len(inbox)] if there else [], "OK" if there else "NO no such folder"
            case "LIST":
                folder = rest.split()[-1].strip('"')
                return [f'* LIST () "/" "{folder}"'.encode()] if folder in self.folders else [], "OK"
            case "CREATE":
                self.changed.append(f"CREATE {rest}")
                return [], "OK" if self.may_create else "NO permission denied"
            case "DELETE" | "STORE":
                self.changed.append(f"{name} {rest}")
                return [], "OK"
            case "SEARCH":
                nonce = rest.split()[-1].strip('"').encode()
                return [b"* SEARCH " + b" ".join(b"%d" % uid for uid in inbox if nonce in inbox[uid])], "OK"
            case "FETCH":
                uid = int(rest.split()[0])
                raw = inbox[uid]
                return [b"* %d FETCH (UID %d BODY[] {%d}\r\n%s)" % (uid, uid, len(raw), raw)], "OK"
            case "EXPUNGE":
                self.deleted.append(int(rest))
                del inbox[int(rest)]
                return [], "OK"
            case "NOOP":
                return [], "OK"
            case "LOGOUT":
                return [b"* BYE"], "OK"
        raise AssertionError(f"the doctor said {name} {rest}")


@contextmanager
def mailbox(drawer: Drawer) -> Iterator[int]:
    """An IMAP server on a free port; the port."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"* OK here\r\n")
            for line in self.rfile:
                tag, _, words = line.decode().strip().partition(" ")
                name, _, rest = re.sub("^UID ", "", words).partition(" ")
                lines, status = drawer.answer(name.upper(), rest)
                self.wfile.write(b"".join(told + b"\r\n" for told in lines))
                self.wfile.write(f"{tag} {status} done\r\n".encode())

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server((HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
