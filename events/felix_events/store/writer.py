"""One thread that writes. Everybody else hands it a closure and gets a future.

The mail listener, the scheduler and the sender live in threads of their own; a transaction that two of
them shared would be rolled back by one under the other's hands. So none of them holds a connection.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from felix_events.store.base import Store, StoreError, Tx

T = TypeVar("T")
_Job = tuple[Callable[[Tx], Any], "Future[Any]"]


class Writer:
    """Runs closures one after the other, each in a transaction of its own, in the order they came."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._door = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="felix-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Tx], T]) -> Future[T]:
        """Have `work` done; its result, or what it raised (then nothing is written), is in the future.

        StoreError once the writer is closed.
        """
        future: Future[T] = Future()
        with self._door:
            if self._closed:
                raise StoreError("This server has stopped writing; start it again.")
            self._jobs.put((work, future))
        return future

    def do(self, work: Callable[[Tx], T]) -> T:
        """Have `work` done, and wait for it."""
        return self.submit(work).result()

    def close(self) -> None:
        """Finish what was handed in, then stop."""
        with self._door:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, future = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                with self._store.write() as tx:
                    result = work(tx)
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the future
                future.set_exception(error)
            else:
                future.set_result(result)
