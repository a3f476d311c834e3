"""A running server: listener, fetcher, intake, writer, post and scheduler, each in a thread, wired together.

    mail in -> row -> 250 -> [intake] orders -> [writer] events + notices -> [post] letters -> mail out

Nobody but the writer thread holds the writing connection. `Server` is started and stopped; in between it
works by itself.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Final, TypeVar

from felix_async.clock import Clock, later, system_clock, text_of
from felix_async.inbox.delivery import is_ours
from felix_async.inbox.fetch import Fetcher
from felix_async.inbox.process import Processor
from felix_async.inbox.quota import TOGETHER, drop_strangers, forget_strangers, letters_over, over_quota
from felix_async.inbox.receive import Listener, Receiver
from felix_async.schedule.outage import beat, resume
from felix_async.schedule.retention import Retention
from felix_async.schedule.tick import BATCH, keep_time
from felix_async.service import Entropy, Service
from felix_async.settings import Settings, SettingsError
from felix_cli.archive import Archive
from felix_cli.claim import claim
from felix_cli.erasure import Forgetter
from felix_cli.intake import Intake
from felix_cli.jobs import Watch, make_jobs
from felix_cli.post import Post
from felix_cli.prune import Pruner
from felix_cli.upgrade import Telling
from felix_cli.wiring import SERVER_SECRET, make_service
from felix_events.store.base import Reader, StoreError, Tx
from felix_events.store.sqlite import SqliteStore
from felix_events.store.writer import Writer
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.alerts import Alerts, fault_in
from felix_notifiers.outbox.channel import Channel
from felix_notifiers.outbox.console import Console
from felix_notifiers.outbox.marks import Outbox
from felix_notifiers.outbox.smtp import SmtpChannel

log = logging.getLogger(__name__)
T = TypeVar("T")

_BLINK: Final = 60.0
"""Seconds without a heartbeat in which no mail server has been sent away for long."""
_RETRY: Final = 1800.0
"""Seconds after a start for which nobody's time is up: mail servers try again that late."""


class CannotListen(OSError):
    """The place in the settings cannot be listened at."""


class Server:
    """One felix server on one database. Use it as a context manager."""

    def __init__(
        self, settings: Settings, *, clock: Clock = system_clock, entropy: Entropy = os.urandom
    ) -> None:
        if fault := fault_in(settings.alerts):
            raise SettingsError(fault)
        self.settings = settings
        # The claim comes first: the store of another server may be in the middle of something.
        self._only_one = claim(settings.database)
        try:
            with Telling(log.warning, log.info) as telling:
                self.store = SqliteStore.open_to_write(settings.database, telling)
        except BaseException:
            os.close(self._only_one)
            raise
        self.writer = Writer(self.store)
        self.service: Service = make_service(settings, clock=clock, entropy=entropy)
        letters = Letters(settings.mailbox, self._secret(entropy), settings.operator, settings.time.zone)
        processor = Processor(
            self.service, settings.mailbox, settings.receive.authserv_id, settings.bounces, letters
        )
        alerts = Alerts(settings.alerts) if settings.alerts else None
        outbox = Outbox(clock, letters, settings.bounces, alerts)
        self._watch = Watch()
        self._post = Post(self.writer.do, self._view, outbox, _channel(settings), self._watch)
        self._intake = Intake(self.store, self.writer, processor, self._watch, self.wake_post)
        listen = settings.listen
        self.listener = Listener(
            Receiver(self.writer, clock, self._is_ours, self.kept),
            host=listen.host,
            port=listen.port,
            protocol="lmtp" if listen.protocol == "lmtp" else "smtp",
            max_bytes=listen.max_bytes,
            peers=[str(peer) for peer in listen.peers],
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
        self._clock = clock
        self._began = text_of(clock())
        self._deaf_from, self._deaf_until = self._silence(self._began)
        self._archive = None
        self._forgetter = Forgetter(self.store, self.writer.do)
        jobs = {
            "tick": self._tick,
            "send": self.wake_post,
            "fetch": self._fetch,
            "heartbeat": self._beat,
            "resume": self._resume,
            "forget": self._forgetter.look,
            "strangers": self._drop_strangers,
            "prune": Pruner(
                Retention(settings.keep, settings.mailbox, clock),
                self._view,
                self.writer.do,
                clock,
                self.store.give_back,
            ).look,
        }
        if settings.backup.folder is not None:
            self._archive = Archive(settings.backup, settings.database, clock)
            jobs["backup"] = self._archive.look
        self.scheduler = make_jobs(jobs, self._watch)

    def __enter__(self) -> Server:
        # An outage is dealt with before the first message: what the message asks for begins after it.
        self._look_first()
        try:
            if self._listens:
                self.listener.start()
        except OSError as error:
            self._close()
            raise CannotListen(error.errno, error.strerror or str(error)) from error
        except BaseException:
            self._close()
            raise
        try:
            if os.pread(self._only_one, 1, 0):
                self._intake.recover()
            # Stands there until the server stops in an orderly way: what is found at a start is a crash.
            os.pwrite(self._only_one, b"running\n", 0)
        except BaseException:
            self._stop_listening()
            self._close()
            raise
        self._post.start()
        self.scheduler.start()
        if self._fetches:
            self._fetcher.start()
        self._intake.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop_listening()
        if self._fetches:
            self._fetcher.stop()
        if self._archive is not None:
            self._archive.stop()
        self._forgetter.stop()
        self.scheduler.shutdown(wait=True)
        self._intake.stop()
        self._beat_last()
        self._post.stop()
        self.writer.close()
        try:
            os.ftruncate(self._only_one, 0)
        except OSError as error:
            log.warning(
                "the stop could not be noted (%s); the next start takes it for a crash", error.strerror
            )
        self._close()

    def kept(self) -> None:
        """A message has come in."""
        self._post.kept()
        self._intake.look()

    def wake_post(self) -> None:
        """Let the post look at once: there are notices to send."""
        self._post.wake()

    def _stop_listening(self) -> None:
        if self._listens:
            self.listener.stop()
        else:
            self.listener.loop.close()

    def _heard(self, since: str) -> str:
        """Until when all mail that was written for felix after a time is known to be kept."""
        now = text_of(self._clock())
        if since < self._began and now < self._deaf_until:
            return self._deaf_from
        return self._fetcher.heard_until() if self._fetches else now

    def _silence(self, now: str) -> tuple[str, str]:
        """Return from when until when mail may wait elsewhere because no server was here to take it."""
        with self.store.read() as reader:
            last = reader.last_beat()
        if last is None or now <= later(last, _BLINK):
            return "", ""
        return last, later(now, _RETRY)

    def _look_first(self) -> None:
        """The first tick; trouble with it stops no server, because the next one comes soon."""
        try:
            keep_time(self.writer.do, self.service, self._heard)
            resume(self.writer.do, self.service)
        except Exception:
            log.exception("what is due could not be looked at; it will be tried again")

    def _tick(self) -> None:
        """Look at what is due, and at mail that was left lying by trouble with the disk."""
        if keep_time(self.writer.do, self.service, self._heard):
            self._post.wake()
        if self._fetches and self._view(self._must_fetch):
            self._fetcher.look()
        self._intake.look()

    def _must_fetch(self, reader: Reader) -> bool:
        """Return True if something that somebody may have corrected waits for a look into the mailbox."""
        due, heard = reader.questions_due(text_of(self._clock()), BATCH), self._fetcher.heard_until()
        return any(question.due_at > heard for question in due)

    def _resume(self) -> None:
        """Look whether games that could not be read can be read again."""
        if resume(self.writer.do, self.service):
            self._intake.look()

    def _drop_strangers(self) -> None:
        """Keep no more of what strangers send than the settings say."""
        keep, mailbox = self.settings.keep, self.settings.mailbox
        over = self._view(partial(over_quota, keep=keep, mailbox=mailbox, now=text_of(self._clock())))
        for start in range(0, len(over), TOGETHER):
            self.writer.do(partial(drop_strangers, mail_ids=over[start : start + TOGETHER]))
        keeping = partial(letters_over, keep=keep, now=text_of(self._clock()))
        if old := self._view(keeping)[:TOGETHER]:
            self.writer.do(partial(forget_strangers, letter_ids=old))
        if over:
            log.info("the text of %d mails of strangers is not kept any more; see keep.strangers", len(over))

    def _fetch(self) -> None:
        """Look for mail that another process left, and after the fetcher in its own thread."""
        if self._fetches and self._fetcher.revive():
            log.error("no mail was fetched: the fetcher had ended; it was started again")
        self._intake.look()

    def _beat(self) -> None:
        """Note that felix is alive; if what is due is not looked at any more, it is not."""
        if not self._watch.hangs("tick"):
            beat(self.writer.do, self.service)

    def _beat_last(self) -> None:
        """Note until when felix was alive, as exactly as it can be said."""
        try:
            self._beat()
        except StoreError as error:
            log.warning("the last heartbeat could not be noted: %s", error)

    def _view(self, work: Callable[[Reader], T]) -> T:
        """Have this done with what is committed now, while others write."""
        with self.store.read() as reader:
            return work(reader)

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
