"""The one thread that writes does what it is handed, in order, and gives back what came of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from felix_events.store.base import Store, StoreError, Tx, VersionConflict
from felix_events.store.rows import Sealed
from felix_events.store.writer import Writer


@pytest.fixture
def writer(store: Store) -> Iterator[Writer]:
    opened = Writer(store)
    yield opened
    opened.close()


def add(tx: Tx, text: str) -> int:
    """One more event, whatever is there already; the version."""
    version, _ = tx.append("k7m2p", tx.head("k7m2p")[0], [Sealed(text.encode())])
    return version


def adding(number: int) -> Callable[[Tx], int]:
    return lambda tx: add(tx, str(number))


def bodies(store: Store) -> list[bytes]:
    with store.read() as reader:
        return reader.bodies("k7m2p")


def test_work_is_done_in_the_order_in_which_it_came_and_the_results_come_back(
    writer: Writer, store: Store
) -> None:
    futures = [writer.submit(adding(number)) for number in range(20)]
    assert [future.result(timeout=30) for future in futures] == list(range(1, 21))
    assert writer.do(adding(20)) == 21
    assert bodies(store) == [str(number).encode() for number in range(21)]


def test_what_is_raised_comes_back_and_undoes_that_work_alone(writer: Writer, store: Store) -> None:
    def failing(tx: Tx) -> None:
        add(tx, "lost")
        tx.append("k7m2p", 0, [])

    writer.do(lambda tx: add(tx, "one"))
    with pytest.raises(VersionConflict):
        writer.do(failing)
    assert writer.do(lambda tx: add(tx, "two")) == 2
    assert bodies(store) == [b"one", b"two"]


def test_even_an_exit_is_only_that_works_end(writer: Writer) -> None:
    def leaving(tx: Tx) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        writer.do(leaving)
    assert writer.do(lambda tx: add(tx, "one")) == 1


def test_work_that_was_called_off_is_not_done(writer: Writer, store: Store) -> None:
    busy, go_on = threading.Event(), threading.Event()

    def wait(tx: Tx) -> None:
        busy.set()
        go_on.wait(timeout=30)

    waiting = writer.submit(wait)
    assert busy.wait(timeout=30)
    called_off = writer.submit(lambda tx: add(tx, "lost"))
    assert called_off.cancel()
    go_on.set()
    waiting.result(timeout=30)
    assert writer.do(lambda tx: add(tx, "one")) == 1
    with pytest.raises(CancelledError):
        called_off.result(timeout=30)


@dataclass
class Busy:
    """A writer that is kept busy, so that what is handed in meanwhile waits together."""

    writer: Writer
    go_on: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Busy:
        started = threading.Event()

        def wait(tx: Tx) -> None:
            started.set()
            self.go_on.wait(timeout=30)

        self.writer.submit(wait)
        assert started.wait(timeout=30)
        return self

    def __exit__(self, *_: object) -> None:
        self.go_on.set()


class CountingStore:
    """A store that counts its transactions, and fails in the ones that it is told to."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.writes = 0
        self.fails: set[int] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def write(self) -> Iterator[Tx]:
        self.writes += 1
        with self._store.write() as tx:
            yield tx
            if self.writes in self.fails:
                raise StoreError("the disk is full")


def test_what_waits_together_is_one_transaction(store: Store) -> None:
    counting = CountingStore(store)
    writer = Writer(cast(Store, counting))
    with Busy(writer):
        futures = [writer.submit(adding(number)) for number in range(20)]
    assert [future.result(timeout=30) for future in futures] == list(range(1, 21))
    writer.close()
    assert counting.writes == 2


def test_what_fails_among_others_is_undone_alone(writer: Writer, store: Store) -> None:
    def failing(tx: Tx) -> None:
        add(tx, "lost")
        raise ValueError("no")

    with Busy(writer):
        first = writer.submit(adding(1))
        failed = writer.submit(failing)
        last = writer.submit(adding(2))
    assert isinstance(failed.exception(timeout=30), ValueError)
    assert [first.result(timeout=30), last.result(timeout=30)] == [1, 2]
    assert bodies(store) == [b"1", b"2"]


def test_where_all_fails_each_is_tried_alone(store: Store) -> None:
    counting = CountingStore(store)
    writer = Writer(cast(Store, counting))
    counting.fails = {2, 4}
    with Busy(writer):
        futures = [writer.submit(adding(number)) for number in range(3)]
    assert [future.exception(timeout=30) is None for future in futures] == [True, False, True]
    writer.close()
    assert bodies(store) == [b"0", b"2"]


def test_closing_in_the_middle_of_many_finishes_them_all(store: Store) -> None:
    writer = Writer(store)
    with Busy(writer):
        futures = [writer.submit(adding(number)) for number in range(100)]
        closing = threading.Thread(target=writer.close)
        closing.start()
    closing.join(timeout=30)
    assert [future.result(timeout=0) for future in futures] == list(range(1, 101))


def test_where_the_store_is_in_trouble_for_one_the_others_are_done_all_the_same(store: Store) -> None:
    """Trouble with the store is not that one's fault alone: nothing of the common transaction counts."""

    def in_trouble(_: Tx) -> None:
        raise StoreError("the disk is full")

    counting = CountingStore(store)
    writer = Writer(cast(Store, counting))
    with Busy(writer):
        futures = [writer.submit(work) for work in (adding(1), in_trouble, adding(2))]
    assert [future.exception(timeout=30) is None for future in futures] == [True, False, True]
    writer.close()
    assert bodies(store) == [b"1", b"2"]
