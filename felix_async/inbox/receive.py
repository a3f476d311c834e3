"""The way in: an SMTP or LMTP listener that says 250 only when the message is on disk.

A mail is kept raw, one inbox row for each recipient, before anybody tries to understand it. Trouble with
the disk is 451 (the sending server tries again), an address that is not ours is 550 at RCPT.

The memory that a client can make felix use is bounded: so many connections, so many bytes of a mail, so
many of a line, and on each connection one mail at a time, as its next one is taken after the commit.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Collection
from typing import Any, Final, Literal

from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from felix_async.clock import Clock, text_of
from felix_async.inbox.delivery import MAX_RECIPIENTS
from felix_events.store.base import StoreError, Tx
from felix_events.store.writer import Writer

log = logging.getLogger(__name__)

MAX_CONNECTIONS: Final = 50
"""Clients at the same time; a mail server in front of felix opens twenty at the most."""
KEPT_FREE: Final = 25
"""Of these, so many are for peers that are known: this machine, and `listen.peers`."""
MAX_FROM_PEER: Final = 5
"""Clients at the same time from one address that is not known."""
IDLE_SECONDS: Final = 60.0
"""From one command of a client to its next, the bytes of a mail included; a mail server says QUIT by then."""
MAX_LINE_BYTES: Final = 65_536
"""Bytes without a line's end that are read at all; more than 1,001 are answered with 500."""
_IDENT: Final = "felix"


class Receiver:
    """Answers aiosmtpd: may this recipient be, and is this mail kept."""

    def __init__(
        self, writer: Writer, clock: Clock, is_ours: Callable[[str], bool], kept: Callable[[], object]
    ) -> None:
        self._writer = writer
        self._clock = clock
        self._is_ours = is_ours
        self._kept = kept

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, rcpt_options: list[str]
    ) -> str:
        """550 for an address that is not ours, before any of the mail is taken."""
        if len(envelope.rcpt_tos) >= MAX_RECIPIENTS:
            return "452 too many recipients"
        try:
            # One look into an index; to hand it to another thread would take longer.
            ours = self._is_ours(address)
        except StoreError:
            log.exception("an address could not be looked up; its sender will try again")
            return "451 cannot look this address up now, try again later"
        if not ours:
            log.debug("refused a mail to %s", address)
            return "550 no such address here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Keep the mail for each recipient in one transaction, and only then accept it."""
        raw = envelope.content
        assert isinstance(raw, bytes), "the listener does not decode"
        recipients = list(envelope.rcpt_tos)
        # One that is named twice gets one mail, and by LMTP two statuses.
        once: dict[str, str] = {}
        for recipient in recipients:
            once.setdefault(recipient.lower(), recipient)
        sender = envelope.mail_from or ""
        received_at = text_of(self._clock())

        def keep(tx: Tx) -> list[int]:
            return [tx.keep_mail(received_at, recipient, sender, raw) for recipient in once.values()]

        try:
            kept = await asyncio.wrap_future(self._writer.submit(keep))
        except Exception:
            log.exception("a mail could not be kept; its sender will try again")
            return _statuses(server, recipients, "451 cannot keep this mail now, try again later")
        for mail_id in kept:
            log.info("mail %d: kept, %d bytes", mail_id, len(raw))
        self._kept()
        return _statuses(server, recipients, "250 kept")


class _Connections:
    """Notes a protocol's connections and their peers, and ends one that sends a line without an end.

    aiosmtpd answers a line that is too long when it ends; until then it would keep all of it.
    """

    open: dict[object, str]
    peer: str
    _unended = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.open[self] = self.peer
        super().connection_made(transport)  # type: ignore[misc]

    def connection_lost(self, error: Exception | None) -> None:
        self.open.pop(self, None)
        super().connection_lost(error)  # type: ignore[misc]

    def data_received(self, data: bytes) -> None:
        end = data.rfind(b"\n")
        self._unended = self._unended + len(data) if end < 0 else len(data) - end - 1
        if self._unended > MAX_LINE_BYTES:
            self.transport.abort()  # type: ignore[attr-defined]
            return
        super().data_received(data)  # type: ignore[misc]


class _SmtpConnection(_Connections, SMTP):
    pass


class _LmtpConnection(_Connections, LMTP):
    pass


class _Doorman(asyncio.Protocol):
    """Let a client in, or send it away if it is one too many; it comes again later."""

    def __init__(self, admit: Callable[[str], asyncio.Protocol | None]) -> None:
        self._admit = admit

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        connection = self._admit(str((transport.get_extra_info("peername") or ("",))[0]))
        if connection is None:
            transport.write(b"421 too many connections, try again later\r\n")
            transport.close()
            return
        transport.set_protocol(connection)
        connection.connection_made(transport)


class Listener(Controller):
    """The listening socket, in a thread of its own. `port` is the real one once it has started."""

    def __init__(
        self,
        receiver: object,
        *,
        host: str,
        port: int,
        protocol: Literal["smtp", "lmtp"] = "smtp",
        max_bytes: int,
        idle_seconds: float = IDLE_SECONDS,
        peers: Collection[str] = (),
    ) -> None:
        super().__init__(
            receiver,
            hostname=host,
            port=port,
            # Asked for once: aiosmtpd alone would ask the name service for every connection.
            server_hostname=socket.getfqdn(),
            data_size_limit=max_bytes,
            ident=_IDENT,
            timeout=idle_seconds,
        )
        self._protocol = protocol
        self._open: dict[object, str] = {}
        self._peers = frozenset(peers)

    def factory(self) -> asyncio.Protocol:
        """The protocol of one connection, until its origin is known."""
        return _Doorman(self.admit)

    def admit(self, peer: str) -> asyncio.Protocol | None:
        """The protocol of a connection from this address; None if it is one too many.

        Whoever is not known can neither take all places nor many of those that are left.
        """
        if not self._is_known(peer):
            strangers = [one for one in self._open.values() if not self._is_known(one)]
            if len(strangers) >= MAX_CONNECTIONS - KEPT_FREE or strangers.count(peer) >= MAX_FROM_PEER:
                return None
        if len(self._open) >= MAX_CONNECTIONS:
            return None
        kind: type[Any] = _LmtpConnection if self._protocol == "lmtp" else _SmtpConnection
        connection = kind(self.handler, **self.SMTP_kwargs)
        connection.open = self._open
        connection.peer = peer
        return connection  # type: ignore[no-any-return]

    def _is_known(self, peer: str) -> bool:
        """Return True if a peer is this machine, or a mail server that the settings name."""
        peer = peer.removeprefix("::ffff:")
        return peer in self._peers or peer == "::1" or peer.startswith("127.")

    def _run(self, ready_event: threading.Event) -> None:
        """Say at once when the port cannot be had; aiosmtpd alone would wait for five seconds."""
        super()._run(ready_event)
        if self._thread_exception is not None:
            self.loop.close()
            ready_event.set()

    def _trigger_server(self) -> None:
        """Learn the real port before aiosmtpd connects to it to see whether it answers."""
        if self._thread_exception is not None:
            raise self._thread_exception
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


def _statuses(server: SMTP, recipients: list[str], status: str) -> str:
    """LMTP wants one status for each recipient (RFC 2033, section 4.2)."""
    return "\r\n".join([status] * len(recipients)) if isinstance(server, LMTP) else status
