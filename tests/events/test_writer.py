"""The one thread that writes does what it is handed, in order, and gives back what came of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError

import pytest

from felix_events.store.base import Sealed, Store, Tx, VersionConflict
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


def test_the_result_comes_back(writer: Writer) -> None:
    assert writer.do(lambda tx: add(tx, "one")) == 1
    assert writer.submit(lambda tx: add(tx, "two")).result(timeout=30) == 2


def test_work_is_done_in_the_order_in_which_it_came(writer: Writer, store: Store) -> None:
    futures = [writer.submit(adding(number)) for number in range(20)]
    assert [future.result(timeout=30) for future in futures] == list(range(1, 21))
    with store.read() as reader:
        assert reader.bodies("k7m2p") == [str(number).encode() for number in range(20)]


def test_what_is_raised_comes_back_and_undoes_that_work_alone(writer: Writer, store: Store) -> None:
    def failing(tx: Tx) -> None:
        add(tx, "lost")
        tx.append("k7m2p", 0, [])

    writer.do(lambda tx: add(tx, "one"))
    with pytest.raises(VersionConflict):
        writer.do(failing)
    assert writer.do(lambda tx: add(tx, "two")) == 2
    with store.read() as reader:
        assert reader.bodies("k7m2p") == [b"one", b"two"]


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


def test_closing_finishes_what_was_handed_in(store: Store) -> None:
    writer = Writer(store)
    futures = [writer.submit(adding(number)) for number in range(20)]
    writer.close()
    assert all(future.done() for future in futures)
    with store.read() as reader:
        assert reader.head("k7m2p")[0] == 20
