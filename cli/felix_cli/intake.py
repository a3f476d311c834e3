"""The intake: a thread that reads the messages that wait, and has the writer deal with them.

Only the dealing has a transaction open. While a mail is read, however long that takes, others are kept, time
runs out, and letters go.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from felix_async.clock import text_of
from felix_async.inbox.process import Processor
from felix_async.inbox.waiting import MAX_TOGETHER, Readings, Stuck, put_aside
from felix_cli.jobs import Watch
from felix_events.store.base import Reader, Store
from felix_events.store.writer import Writer

log = logging.getLogger(__name__)
T = TypeVar("T")


class Intake:
    """Deals with received mail from `start` to `stop`; `done` is told whenever nothing waits any more."""

    def __init__(
        self, store: Store, writer: Writer, processor: Processor, watch: Watch, done: Callable[[], object]
    ) -> None:
        self._store = store
        self._writer = writer
        self._processor = processor
        self._watch = watch
        self._done = done
        self._readings = Readings(processor.mailbox, processor.authserv_id)
        self._after_a_crash = False
        self._thread = threading.Thread(target=self._work_forever, name="felix-intake", daemon=True)
        self._mail_waits = threading.Event()
        self._stopping = threading.Event()

    def recover(self) -> None:
        """After a crash deal with messages one by one: the one that was next is the one to be counted."""
        self._after_a_crash = True
        self._writer.do(self._processor.recover)

    def start(self) -> None:
        """Begin with what waits already."""
        self.look()
        self._thread.start()

    def stop(self) -> None:
        """End with the messages in hand; the others wait for the next start."""
        self._stopping.set()
        self._mail_waits.set()
        if self._thread.ident is not None:
            self._thread.join()

    def look(self) -> None:
        """There may be mail to deal with."""
        self._mail_waits.set()

    def _work_forever(self) -> None:
        while not self._stopping.is_set():
            self._mail_waits.wait()
            self._mail_waits.clear()
            try:
                while not self._stopping.is_set() and self._work():
                    continue
            except Exception:
                # Whatever it was: no mail would be dealt with any more if this thread ended.
                log.exception("the inbox could not be worked on; it will be tried again")

    def _work(self) -> bool:
        """Read and deal with a few of the oldest messages; False if none waits."""
        with self._watch.at_work("intake"):
            if self._readings.begin(self._shown, 1 if self._after_a_crash else MAX_TOGETHER):
                try:
                    self._writer.do(partial(self._processor.process_some, readings=self._readings))
                except Stuck as stuck:
                    now = text_of(self._processor.service.clock())
                    put_aside(self._writer.do, stuck, self._processor.mailbox, now)
                return True
        self._after_a_crash = False
        self._done()
        return False

    def _shown(self, look: Callable[[Reader], T]) -> T:
        with self._store.read() as reader:
            return look(reader)
