"""The channel to a mail server: SMTP (RFC 5321), one recipient for each transaction.

The connection is kept from others by STARTTLS (RFC 3207) or by TLS from its first byte on (RFC 8314), with
the server's certificate checked against its name. A password (RFC 4954) goes over such a connection, or to
this machine itself, and nowhere else; no error, log line or `repr` holds it.
"""

from __future__ import annotations

import ipaddress
import smtplib
import ssl
from dataclasses import dataclass, field
from typing import Final

from felix_async.address import without_tokens
from felix_async.deliverability import STATUS, Failure, failure_of
from felix_async.settings import Send
from felix_async.text import plain
from felix_events.store.rows import Letter
from felix_notifiers.outbox.channel import About, Refused, Result, Sent, TryAgain

_OK: Final = range(200, 300)
_NO_LOGIN: Final = (530, 534, 535, 538)
"""Replies that say: you are nobody here (RFC 4954, section 6)."""
_TOO_LARGE: Final = 552
_CLOSING: Final = 421


class Unavailable(Exception):
    """The mail server cannot be worked with; `str()` is a sentence for the operator, without secrets."""


@dataclass(slots=True)
class SmtpChannel:
    """Hands letters to the server in `way`, over one connection for a burst of them: `close` ends it."""

    way: Send
    mailbox: str
    _server: smtplib.SMTP | None = field(default=None, repr=False)

    def send(self, letter: Letter) -> Result:
        """Try once. A 5xx to the recipient or to the letter is for good, to ourselves it is not."""
        if not (letter.recipient.isascii() and letter.recipient.isprintable()):
            return Refused("The address has letters that SMTP cannot carry.", "lasting")
        about: About = "server"
        try:
            server, code, text = self._begun(letter)
            if code not in _OK:
                return self._not_from_us(code, text)
            about = "silence"
            code, text = server.rcpt(letter.recipient)
            if code not in _OK:
                return self._judged(code, text, at_recipient=True)
            code, text = server.data(letter.raw)
            if code not in _OK:
                return self._judged(code, text)
        except smtplib.SMTPDataError as error:
            return self._judged(error.smtp_code, error.smtp_error)
        except Unavailable as error:
            return TryAgain(str(error), "server")
        except (OSError, ValueError) as error:  # every other smtplib.SMTPException is an OSError, too
            self._drop()
            return TryAgain(_reason(error), about)
        return Sent(_said(code, text))

    def close(self) -> None:
        """Say goodbye to the server, if it is still there."""
        if self._server is not None:
            try:
                self._server.quit()
            except OSError:
                self._server.close()
            self._server = None

    def _begun(self, letter: Letter) -> tuple[smtplib.SMTP, int, bytes]:
        """MAIL, and what the server says to it; on a new connection if the old one has had enough."""
        is_used = self._server is not None
        if self._server is None:
            self._server = connect(self.way, self.mailbox)
        server = self._server
        size = [f"size={len(letter.raw)}"] if server.has_extn("size") else []
        try:
            code, text = server.mail(letter.sender, size)
            is_over = code == _CLOSING
        except smtplib.SMTPServerDisconnected:
            if not is_used:
                raise
            is_over = True
        if is_used and is_over:
            self._drop()
            return self._begun(letter)
        return server, code, text

    def _not_from_us(self, code: int, text: bytes) -> Result:
        """MAIL was refused: that is about us, whatever the code, but for a letter that is too large."""
        self._end(code)
        said = _said(code, text)
        if code == _TOO_LARGE or "5.3.4" in said:
            return Refused(said)
        return TryAgain(said, "server")

    def _judged(self, code: int, text: bytes | str, *, at_recipient: bool = False) -> Result:
        self._end(code)
        said = _said(code, text)
        status = STATUS.match(said.partition(" ")[2])
        subject = "" if status is None else status[2]
        if code == _CLOSING:
            return TryAgain(said, "silence")
        if code not in range(500, 600):
            return TryAgain(said, "mailbox" if subject == "2" else "provider")
        if code in _NO_LOGIN:
            return TryAgain(said, "server")
        if at_recipient and subject == "7":
            # Relaying denied, and the like: the operator can put it right, and the letter is still good.
            return TryAgain(said, "provider")
        if status is not None:
            failure = None if subject == "7" else failure_of(status[0])
        else:
            failure = _failure_of_code(code) if at_recipient else None
        return Refused(said, failure)

    def _end(self, code: int) -> None:
        """End this transaction, and the connection if the server cannot even say so."""
        try:
            if code == _CLOSING or self._server is None or self._server.rset()[0] not in _OK:
                self._drop()
        except OSError:
            self._drop()

    def _drop(self) -> None:
        """The connection is of no use any more; the next letter gets a new one."""
        if self._server is not None:
            self._server.close()
            self._server = None


def connect(way: Send, mailbox: str) -> smtplib.SMTP:
    """Return a connection over which letters can go, logged in if the settings say so. Raises Unavailable."""
    if way.user and way.security == "none" and not _is_this_machine(way.host):
        raise Unavailable(
            f"A password is not sent to {way.host} over an open connection;"
            ' set security = "starttls" or "tls" under [send].'
        )
    # The name to greet with is given: asking the system for it can take as long as a timeout.
    greeting = mailbox.rpartition("@")[2]
    server: smtplib.SMTP | None = None
    try:
        if way.security == "tls":
            server = smtplib.SMTP_SSL(
                way.host, way.port, greeting, timeout=way.timeout_seconds, context=_context(way)
            )
        else:
            server = smtplib.SMTP(way.host, way.port, greeting, way.timeout_seconds)
        server.ehlo_or_helo_if_needed()
        if way.security == "starttls":
            server.starttls(context=_context(way))
            server.ehlo_or_helo_if_needed()
        if way.user:
            _log_in(server, way)
    except BaseException as error:
        if server is not None:
            server.close()
        if isinstance(error, OSError | ValueError):
            raise Unavailable(_why_not(way, error)) from None
        raise
    return server


def _context(way: Send) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if way.ca_file is None else str(way.ca_file))
    except OSError as error:
        raise Unavailable(
            f"{way.ca_file} cannot be used ({error.strerror or plain(str(error))}); correct send.ca_file."
        ) from None


def _log_in(server: smtplib.SMTP, way: Send) -> None:
    """AUTH; nothing that the server says to it is repeated, because it may repeat what it was told."""
    password = way.password.get_secret_value()
    if not (way.user.isascii() and password.isascii()):
        raise Unavailable("user and password under [send] can have ASCII letters only; use others.")
    if not server.has_extn("auth"):
        raise Unavailable(f"{way.host} takes no password; leave user under [send] empty, or change security.")
    try:
        server.login(way.user, password)
    except smtplib.SMTPAuthenticationError as error:
        code = error.smtp_code
        if code in range(400, 500):
            raise Unavailable(f"{way.host} cannot check the password just now ({code}).") from None
        raise Unavailable(
            f"{way.host} does not take this user and password ({code}); correct them under [send]."
        ) from None
    except smtplib.SMTPServerDisconnected:
        raise
    except (smtplib.SMTPException, ValueError):
        raise Unavailable(f"{way.host} knows no way to log in that felix knows (PLAIN, LOGIN).") from None


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _why_not(way: Send, error: OSError | ValueError) -> str:
    where = f"{way.host}:{way.port}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"The certificate of {where} is not trusted ({plain(error.verify_message)});"
            " check host under [send], or name its authority as ca_file."
        )
    if isinstance(error, ssl.SSLError):
        return (
            f"{where} does not speak TLS as it should ({plain(error.reason or '')}); check port and security."
        )
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return f"{where} offers no STARTTLS; change security under [send]."
    return f"{where}: {_reason(error)}"


def _failure_of_code(code: int) -> Failure:
    """Return what a reply to RCPT without a status code says of the address: a full mailbox passes."""
    return "passing" if code == _TOO_LARGE else "lasting"


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _said(error.smtp_code, error.smtp_error)
    return plain(str(error)) or type(error).__name__


def _said(code: int, text: bytes | str) -> str:
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return plain(without_tokens(f"{code} {said}"))
