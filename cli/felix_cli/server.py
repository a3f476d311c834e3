"""A running server: listener, fetcher, writer, post and scheduler, each in its thread, wired together.

    mail in -> row -> 250 -> [writer] orders -> events + notices -> [post] letters -> mail out

Nobody but the writer thread holds the writing connection. `Server` is started and stopped; in between it
works by itself.
"""

from __future__ import annotations

import fcntl
import logging
import os
import sys
import threading
import time
from collections import deque
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Final

from felix_async.clock import Clock, system_clock
from felix_async.inbox.delivery import is_ours
from felix_async.inbox.fetch import Fetcher
from felix_async.inbox.process import Processor
from felix_async.inbox.receive import Listener, Receiver
from felix_async.scheduler import keep_time, scheduler
from felix_async.service import Entropy, Service
from felix_async.settings import Settings, SettingsError
from felix_cli.wiring import SERVER_SECRET, make_service
from felix_events.store.base import StoreError, Tx
from felix_events.store.sqlite import SqliteStore
from felix_events.store.writer import Writer
from felix_notifiers.alerts import Alerts, fault_in
from felix_notifiers.channel import Channel
from felix_notifiers.console import Console
from felix_notifiers.send import Sender, send_due
from felix_notifiers.smtp import SmtpChannel

log = logging.getLogger(__name__)

_TICK_SECONDS: Final = 60.0
_RUSH: Final = 8
"""So many mails within `_RUSH_SECONDS` are a rush: moves go first then, and letters wait."""
_RUSH_SECONDS: Final = 0.25
_POST_PATIENCE: Final = 0.5
"""Seconds after which a game's letters are written though the rush goes on."""
_LOOK_SECONDS: Final = 5.0


class Server:
    """One felix server on one database. Use it as a context manager."""

    def __init__(
        self, settings: Settings, *, clock: Clock = system_clock, entropy: Entropy = os.urandom
    ) -> None:
        if fault := fault_in(settings.alerts):
            raise SettingsError(fault)
        self.settings = settings
        self.store = SqliteStore.open_to_write(settings.database)
        try:
            self._only_one = _claim(settings.database)
        except StoreError:
            self.store.close()
            raise
        self.writer = Writer(self.store)
        self.service: Service = make_service(settings, clock=clock, entropy=entropy)
        self._processor = Processor(
            self.service, settings.mailbox, settings.receive.authserv_id, settings.bounces
        )
        self._sender = Sender(
            clock,
            settings.mailbox,
            self._secret(entropy),
            operator=settings.operator,
            zone=settings.time.zone,
            limits=settings.bounces,
            alerts=Alerts(settings.alerts) if settings.alerts else None,
        )
        self._channel = _channel(settings)
        listen = settings.listen
        self.listener = Listener(
            Receiver(self.writer, clock, self._is_ours, self.kept),
            host=listen.host,
            port=listen.port,
            protocol="lmtp" if listen.protocol == "lmtp" else "smtp",
            max_bytes=listen.max_bytes,
        )
        self._listens = listen.protocol != "off"
        self._fetcher = Fetcher(
            settings.fetch,
            settings.mailbox,
            max_bytes=listen.max_bytes,
            writer=self.writer,
            clock=clock,
            kept=self.kept,
        )
        self._fetches = bool(settings.fetch.host)
        self._post = threading.Thread(target=self._deliver_forever, name="felix-post", daemon=True)
        self._mail_is_owed = threading.Event()
        self._kept: deque[float] = deque(maxlen=_RUSH)
        self._stopping = threading.Event()
        # What was left by a crash is dealt with one by one: the mail that was next is the one to be counted.
        self._after_a_crash = False
        self._scheduler = scheduler(
            {"tick": (_TICK_SECONDS, self._tick), "look": (_LOOK_SECONDS, self._look)}
        )

    def __enter__(self) -> Server:
        try:
            if self._listens:
                self.listener.start()
        except BaseException:
            self._close()
            raise
        try:
            if os.pread(self._only_one, 1, 0):
                self._after_a_crash = True
                self.writer.do(self._processor.recover)
            # Stands there until the server stops in an orderly way: what is found at a start is a crash.
            os.pwrite(self._only_one, b"running\n", 0)
        except BaseException:
            self._stop_listening()
            self._close()
            raise
        self._post.start()
        self._scheduler.start()
        if self._fetches:
            self._fetcher.start()
        self.work()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop_listening()
        if self._fetches:
            self._fetcher.stop()
        self._scheduler.shutdown(wait=True)
        self._stopping.set()
        self._mail_is_owed.set()
        self._post.join()
        if self._sender.alerts is not None:
            self._sender.alerts.close()
        self.writer.close()
        os.ftruncate(self._only_one, 0)
        self._close()

    def kept(self) -> None:
        """A mail has come in."""
        self._kept.append(time.monotonic())
        self.work()

    def work(self) -> None:
        """There is mail to deal with: one transaction for each in the writer's thread, then the post."""
        try:
            one_by_one = self._after_a_crash
            done = self.writer.submit(
                self._processor.process_next if one_by_one else self._processor.process_some
            )
        except StoreError:
            log.info("the server stops; what is in the inbox waits for the next start")
            return
        done.add_done_callback(self._go_on)

    def owed(self) -> None:
        """Something was owed to players: let the post look at once."""
        self._mail_is_owed.set()

    def _go_on(self, done: Future[bool]) -> None:
        error = done.exception()
        if error is not None:
            log.error("the inbox could not be worked on; it will be tried again", exc_info=error)
        elif done.result():
            self.work()
        else:
            self._after_a_crash = False
            self._mail_is_owed.set()

    def _stop_listening(self) -> None:
        if self._listens:
            self.listener.stop()
        else:
            self.listener.loop.close()

    def _tick(self) -> None:
        """Look at what is due, and at mail that was left lying by trouble with the disk."""
        if keep_time(self.writer.do, self.service):
            self._mail_is_owed.set()
        self.work()

    def _look(self) -> None:
        """Look for what another process left: mail out of a pipe, and what a move at the desk owes."""
        self._mail_is_owed.set()
        self.work()

    def _deliver_forever(self) -> None:
        while True:
            self._mail_is_owed.wait()
            self._mail_is_owed.clear()
            try:
                self._deliver()
            except Exception:
                # Whatever it was: no mail would go out any more if this thread ended.
                log.exception("the post could not go out; it will be tried again")
            if self._stopping.is_set():
                return

    def _let_mail_in_first(self) -> None:
        """Wait in a rush, but not for long; what the mails do then goes into fewer letters."""
        patience = time.monotonic() + _POST_PATIENCE
        while self._in_a_rush() and time.monotonic() < patience:
            if self._stopping.wait(_RUSH_SECONDS / _RUSH):
                return

    def _in_a_rush(self) -> bool:
        return len(self._kept) == _RUSH and time.monotonic() - self._kept[0] < _RUSH_SECONDS

    def _deliver(self) -> None:
        """Freeze what is owed and send what is ready, burst by burst; never inside a transaction."""
        while send_due(self.writer.do, self._sender, self._channel, self._let_mail_in_first):
            if self._stopping.is_set():
                return

    def _is_ours(self, address: str) -> bool:
        with self.store.read() as reader:
            return is_ours(reader, address, self.settings.mailbox)

    def _secret(self, entropy: Entropy) -> bytes:
        def keep(tx: Tx) -> bytes:
            tx.keep_secret(SERVER_SECRET, entropy(32))
            return tx.secret(SERVER_SECRET) or b""

        return self.writer.do(keep)

    def _close(self) -> None:
        self.writer.close()
        self.store.close()
        os.close(self._only_one)


def _channel(settings: Settings) -> Channel:
    send = settings.send
    if send.channel == "console":
        return Console(sys.stdout)
    return SmtpChannel(send, settings.mailbox)


def _claim(database: Path) -> int:
    """Be the only server on this database; the claim ends with the process, however it ends."""
    claim = os.open(f"{database}.serve.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(claim)
        raise StoreError(f"Another felix server works on {database}; stop it first.") from None
    return claim
