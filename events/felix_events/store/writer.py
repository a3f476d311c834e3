"""One thread that writes. Everybody else hands it a closure and gets a future.

The message listener, the scheduler and the sender live in threads of their own; a transaction that two of
them shared would be rolled back by one under the other's hands. So none of them holds a connection.

All that waits is committed together: waiting for the disk costs more than most of the work. Each
closure has a part of the transaction of its own, and if the whole fails, they are done one by one. So a
closure must have no effects but through its `Tx`: it may be called twice.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from felix_events.store.base import Store, StoreError, Tx

MAX_TOGETHER: Final = 32
"""Closures of one transaction."""
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
            waiting = [job, *self._others()]
            ready = [one for one in waiting if one is not None and one[1].set_running_or_notify_cancel()]
            if len(ready) == 1 or not self._do_together(ready):
                for work, future in ready:
                    self._do_alone(work, future)
            if waiting[-1] is None:
                return

    def _others(self) -> list[_Job | None]:
        """Return the other jobs that wait; None, which ends it all, only as the last."""
        others: list[_Job | None] = []
        while len(others) < MAX_TOGETHER - 1 and (not others or others[-1] is not None):
            try:
                others.append(self._jobs.get_nowait())
            except queue.Empty:
                break
        return others

    def _do_alone(self, work: Callable[[Tx], Any], future: Future[Any]) -> None:
        try:
            with self._store.write() as tx:
                result = work(tx)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the future
            future.set_exception(error)
        else:
            future.set_result(result)

    def _do_together(self, jobs: list[_Job]) -> bool:
        """Do all of it in one transaction; False, and nothing is done, if the store is in trouble."""
        came: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with self._store.write() as tx:
                for work, future in jobs:
                    try:
                        with tx.savepoint():
                            came.append((future, work(tx), None))
                    except (StoreError, sqlite3.Error, OSError, MemoryError):
                        raise
                    except BaseException as error:  # noqa: BLE001 - as above
                        came.append((future, None, error))
        except (StoreError, sqlite3.Error, OSError, MemoryError):
            return False
        for future, result, trouble in came:
            if trouble is None:
                future.set_result(result)
            else:
                future.set_exception(trouble)
        return True
