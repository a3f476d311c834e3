"""The channel to a mail server: SMTP (RFC 5321), one recipient for each transaction."""

from __future__ import annotations

import smtplib
from dataclasses import dataclass, field
from email.parser import BytesHeaderParser

from felix_async.text import plain
from felix_events.store.base import Letter
from felix_notifiers.channel import Refused, Result, Sent, TryAgain


@dataclass(slots=True)
class SmtpChannel:
    """Hands letters to one server, over one connection for a burst of them.

    A server that cannot be reached is asked once for a burst: `close` ends it.
    """

    host: str
    port: int
    mailbox: str
    timeout: float = 30
    _server: smtplib.SMTP | None = field(default=None, repr=False)
    _down: str | None = None

    def send(self, letter: Letter) -> Result:
        """Try once. A 5xx to the recipient or to the letter is for good, to ourselves it is not."""
        if not (letter.recipient.isascii() and letter.recipient.isprintable()):
            return Refused("The address has letters that SMTP cannot carry.")
        if self._down is not None:
            return TryAgain(self._down)
        try:
            server = self._server or self._connected()
            server.sendmail(envelope_sender(letter.raw, self.mailbox), [letter.recipient], letter.raw)
        except smtplib.SMTPRecipientsRefused as error:
            return self._judged(*error.recipients[letter.recipient])
        except smtplib.SMTPDataError as error:
            return self._judged(error.smtp_code, error.smtp_error)
        except TimeoutError as error:
            # It greets and then says nothing: the rest of the burst need not wait for it too.
            self._drop()
            self._down = _reason(error)
            return TryAgain(self._down)
        except (OSError, UnicodeError) as error:  # every other smtplib.SMTPException is an OSError, too
            self._drop()
            return TryAgain(_reason(error))
        return Sent()

    def close(self) -> None:
        """Say goodbye to the server, if it is still there."""
        self._down = None
        if self._server is not None:
            try:
                self._server.quit()
            except OSError:
                self._server.close()
            self._server = None

    def _connected(self) -> smtplib.SMTP:
        # The name to greet with is given: asking the system for it can take as long as a timeout.
        greeting = self.mailbox.rpartition("@")[2]
        try:
            self._server = smtplib.SMTP(self.host, self.port, greeting, self.timeout)
            self._server.ehlo_or_helo_if_needed()
        except OSError as error:
            self._down = _reason(error)
            raise
        return self._server

    def _judged(self, code: int, text: bytes | str) -> Result:
        if code == 421:
            self._drop()
        return Refused(_said(code, text)) if 500 <= code < 600 else TryAgain(_said(code, text))

    def _drop(self) -> None:
        """The connection is of no use any more; the next letter gets a new one."""
        if self._server is not None:
            self._server.close()
            self._server = None


def envelope_sender(raw: bytes, mailbox: str) -> str:
    """Where a bounce goes: to our mailbox, and nowhere for an answer (RFC 3834: an empty return path)."""
    kind = BytesHeaderParser().parsebytes(raw).get("Auto-Submitted", "")
    return "" if kind.strip().lower() == "auto-replied" else mailbox


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _said(error.smtp_code, error.smtp_error)
    return plain(str(error)) or type(error).__name__


def _said(code: int, text: bytes | str) -> str:
    return plain(f"{code} {text.decode('utf-8', 'replace') if isinstance(text, bytes) else text}")
