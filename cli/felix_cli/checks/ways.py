"""The ways in and out, tried as felix uses them: the listener, the mail server, the mailbox, short notices.

Nothing is sent here, and nothing that is found in a mailbox is touched. What a server says to a password is
not repeated: some repeat what they were told.
"""

from __future__ import annotations

import errno
import ipaddress
import smtplib
import socket
import ssl
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError, LoginError

from felix_async.settings import Fetch, Listen, Send, Settings
from felix_cli.checks.check import Check
from felix_notifiers.outbox.alerts import fault_in

FOREIGN: Final = "nobody@felix.invalid"
_STEP_SECONDS: Final = 10.0
"""For one step of a conversation; a server that needs longer would lose felix's mail as well."""


class Unavailable(Exception):
    """A server cannot be worked with; `advice` says what to do."""

    def __init__(self, found: str, advice: str) -> None:
        super().__init__(found)
        self.advice = advice


def look_at_listener(settings: Settings, served: bool) -> Check:
    """The running server answers, and to strangers' addresses with 550; without one, the place is free."""
    listen = settings.listen
    where = f"{listen.host}:{listen.port}"
    if listen.protocol == "off":
        fetched = f"mail is fetched from {settings.fetch.host}" if settings.fetch.host else ""
        return Check("listen", True, f"off; {fetched or 'mail has to come by `felix mail receive`'}")
    if served and listen.port == 0:
        return Check("listen", True, "a server runs, on a port that only it knows", "give [listen] a port")
    return _answers(listen, settings.mailbox, where) if served else _is_free(listen, where)


def _is_free(listen: Listen, where: str) -> Check:
    with socket.socket(socket.AF_INET6 if ":" in listen.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((listen.host, listen.port))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            found = "taken by another program" if taken else str(error.strerror)
            return Check(
                "listen", False, f"{where} is {found}" if taken else f"{where}: {found}", "change [listen]"
            )
    return Check("listen", True, f"{where} is free for `felix serve`")


def _answers(listen: Listen, mailbox: str, where: str) -> Check:
    kind = smtplib.LMTP if listen.protocol == "lmtp" else smtplib.SMTP
    restart = "restart `felix serve`, so that it works with these settings"
    try:
        client = kind(_nearby(listen.host), listen.port, mailbox.rpartition("@")[2])
        with closing(client):
            client.timeout = _STEP_SECONDS
            client.ehlo()
            client.mail(mailbox)
            code, _ = client.rcpt(FOREIGN)
            with suppress(OSError):
                client.quit()
    except (OSError, ValueError) as error:
        return Check("listen", False, f"a server runs, but {where} does not answer: {_said(error)}", restart)
    if code != 550:
        advice = f"another program may listen at {where}; {restart}"
        return Check(
            "listen", False, f"{where} answers a foreign address with {code} and not with 550", advice
        )
    return Check("listen", True, f"a server answers at {where}, and refuses foreign addresses")


def _nearby(host: str) -> str:
    """Return the address of a listener that takes mail at every address of this machine."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)


# ---- out


def look_at_send(settings: Settings) -> Check:
    """Connect, make it private, log in, and ask whether a message to ourselves would be taken."""
    send = settings.send
    if send.channel == "console":
        return Check("send", True, "messages are printed, not sent")
    where = f"{send.host}:{send.port}"
    try:
        with closing(connect(send, settings.mailbox)) as server:
            for step, (code, _) in (
                ("mail from", server.mail(settings.mailbox)),
                ("mail to", server.rcpt(settings.mailbox)),
            ):
                if code >= 500:
                    advice = "let the mail server take it, or change mailbox and [send]"
                    return Check(
                        "send", False, f"{where} takes no {step} {settings.mailbox} ({code})", advice
                    )
                if code >= 400:
                    found = f"{where} takes no {step} {settings.mailbox} just now ({code})"
                    return Check(
                        "send", True, found, "felix tries again by itself; look again in some minutes"
                    )
            server.rset()
            with suppress(OSError):
                server.quit()
    except Unavailable as error:
        return Check("send", False, str(error), error.advice)
    except (OSError, ValueError) as error:
        return Check("send", False, f"{where} stopped answering: {_said(error)}", "look at the mail server")
    how = {"none": "without TLS", "starttls": "with STARTTLS", "tls": "with TLS"}[send.security]
    return Check("send", True, f"{where} takes mail, {how}{', logged in' if send.user else ''}")


def connect(send: Send, mailbox: str) -> smtplib.SMTP:
    """A connection to the mail server, private and logged in as the settings say. Raises Unavailable."""
    where = f"{send.host}:{send.port}"
    if send.user and send.security == "none" and not _is_this_machine(send.host):
        raise Unavailable(
            f"the password for {send.host} would go over an open connection",
            'set send.security to "starttls"',
        )
    greeting, seconds = mailbox.rpartition("@")[2], min(send.timeout_seconds, _STEP_SECONDS)
    server: smtplib.SMTP | None = None
    try:
        if send.security == "tls":
            context = _trust(send.ca_file, "send")
            server = smtplib.SMTP_SSL(send.host, send.port, greeting, timeout=seconds, context=context)
        else:
            server = smtplib.SMTP(send.host, send.port, greeting, seconds)
        server.ehlo_or_helo_if_needed()
        if send.security == "starttls":
            server.starttls(context=_trust(send.ca_file, "send"))
            server.ehlo_or_helo_if_needed()
        if send.user:
            server.login(send.user, send.password.get_secret_value())
    except BaseException as error:
        if server is not None:
            server.close()
        if isinstance(error, OSError | ValueError):
            raise _why_not(error, where, "send") from None
        raise
    return server


# ---- mailbox


def look_at_fetch(settings: Settings) -> Check | None:
    """Connect, make it private, log in, open the folder, and see whether messages can be put aside."""
    fetch = settings.fetch
    if not fetch.host:
        return None
    where = f"{fetch.host}:{fetch.port}"
    try:
        with closing(Mailbox(fetch)) as mailbox:
            count = mailbox.open()
            kept = mailbox.done_folder()
    except Unavailable as error:
        return Check("fetch", False, str(error), error.advice)
    except (OSError, ValueError, IMAPClientError) as error:
        return Check("fetch", False, f"{where} stopped answering: {_said(error)}", "look at the mail server")
    return Check("fetch", True, f"{where}: {count} messages in {fetch.folder}{kept}")


class Mailbox:
    """A mailbox that is looked into. Raises Unavailable, OSError or IMAPClientError."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        where = f"{fetch.host}:{fetch.port}"
        if fetch.security == "none" and not _is_this_machine(fetch.host):
            raise Unavailable(
                f"the password for {fetch.host} would go over an open connection",
                'set fetch.security to "tls"',
            )
        try:
            self.client: Any = IMAPClient(
                fetch.host,
                fetch.port,
                ssl=fetch.security == "tls",
                ssl_context=_trust(fetch.ca_file, "fetch") if fetch.security == "tls" else None,
                timeout=min(fetch.timeout_seconds, _STEP_SECONDS),
            )
        except (OSError, ValueError, IMAPClientError) as error:
            raise _why_not(error, where, "fetch") from None
        try:
            if fetch.security == "starttls":
                self.client.starttls(_trust(fetch.ca_file, "fetch"))
            self.client.login(fetch.user, fetch.password.get_secret_value())
        except BaseException as error:
            self.close()
            if isinstance(error, OSError | ValueError | IMAPClientError):
                raise _why_not(error, where, "fetch") from None
            raise

    def open(self, *, to_change: bool = False) -> int:
        """Select the folder; how many messages are in it."""
        try:
            return int(self.client.select_folder(self._fetch.folder, readonly=not to_change)[b"EXISTS"])
        except IMAPClientError as error:
            folder = self._fetch.folder
            raise Unavailable(
                f"the folder {folder} cannot be opened: {_said(error)}", "change fetch.folder"
            ) from None

    def done_folder(self) -> str:
        """Check the folder for read messages; a missing one is made to see that it can be, and removed."""
        folder = self._fetch.done_folder
        if not folder:
            return ""
        if self.client.folder_exists(folder):
            return f"; read ones go to {folder}"
        try:
            self.client.create_folder(folder)
            self.client.delete_folder(folder)
        except IMAPClientError as error:
            found = f"the folder {folder} is not there and cannot be made: {_said(error)}"
            raise Unavailable(found, "make it, or change fetch.done_folder") from None
        return f"; read ones go to {folder}, which felix will make"

    def close(self) -> None:
        """Let go of the connection."""
        try:
            self.client.logout()
        except (OSError, IMAPClientError):
            with suppress(OSError, AttributeError):
                self.client.shutdown()


# ---- short notices


def look_at_alerts(settings: Settings) -> Check | None:
    """Check whether what sends short notices is there, if somebody wants them."""
    if not settings.alerts:
        return None
    fault = fault_in(settings.alerts)
    if fault:
        return Check("alerts", False, fault, "no server starts with it")
    return Check("alerts", True, f"for {len(settings.alerts)} addresses; none was sent to try it")


# ---- what went wrong


def _why_not(error: Exception, where: str, section: str) -> Unavailable:
    """Say what a failed connection means and what to do, without what was said to a password."""
    match error:
        case Unavailable():
            return error
        case smtplib.SMTPAuthenticationError() | LoginError():
            found = f"{where} does not take this user and password"
            return Unavailable(found, f"correct {section}.user and the password")
        case ssl.SSLCertVerificationError():
            advice = f"correct {section}.host, or name the authority in {section}.ca_file"
            return Unavailable(f"the certificate of {where} is not trusted: {error.verify_message}", advice)
        case ssl.SSLError():
            found = f"{where} does not speak TLS as it should: {error.reason or _said(error)}"
            return Unavailable(found, f"correct {section}.port and {section}.security")
        case smtplib.SMTPNotSupportedError():
            found = f"{where} offers no STARTTLS, or takes no password"
            return Unavailable(found, f"correct {section}.security, or take {section}.user out")
        case UnicodeError():
            return Unavailable(
                f"{where}: user or password has letters that cannot be sent", f"correct [{section}]"
            )
        case _:
            advice = f"start the mail server, or correct {section}.host and {section}.port"
            return Unavailable(f"{where} does not answer: {_said(error)}", advice)


def _said(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return f"it says {error.smtp_code}"
    strerror = getattr(error, "strerror", None)
    return str(strerror or error) or type(error).__name__


def _trust(ca_file: Path | None, section: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
    except OSError as error:
        found = f"{ca_file} cannot be used: {error.strerror or error}"
        raise Unavailable(found, f"correct {section}.ca_file") from None


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
