"""The one thread that writes: closures in their order, each in a transaction of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from functools import partial
from pathlib import Path

import pytest

from felix_events.store.base import Store, StoreError, Tx
from felix_events.store.writer import Writer
from fresh import a_database


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    kept = a_database(tmp_path / "felix.db")
    yield kept
    kept.close()


@pytest.fixture
def writer(store: Store) -> Iterator[Writer]:
    started = Writer(store)
    yield started
    started.close()


def names(store: Store) -> list[str]:
    """Which secrets are kept; a convenient table to write to."""
    with store.read() as reader:
        return [name for name in map(str, range(300)) if reader.secret(name) is not None]


def keep(tx: Tx, name: str) -> None:
    tx.keep_secret(name, b"x")


def test_what_the_work_gives_is_the_result_once_it_is_committed(store: Store, writer: Writer) -> None:
    def work(tx: Tx) -> str:
        tx.keep_secret("1", b"x")
        return "done"

    assert writer.do(work) == "done"
    assert names(store) == ["1"]


class Bad(BaseException):
    """Not even an Exception."""


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), Bad()])
def test_what_the_work_raises_comes_back_and_nothing_is_written(
    store: Store, writer: Writer, error: BaseException
) -> None:
    def fail(tx: Tx) -> None:
        tx.keep_secret("1", b"x")
        raise error

    future = writer.submit(fail)
    assert future.exception() is error
    assert names(store) == []


def test_after_a_failure_the_next_one_is_done(store: Store, writer: Writer) -> None:
    def fail(tx: Tx) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        writer.do(fail)
    writer.do(lambda tx: tx.keep_secret("2", b"x"))
    assert names(store) == ["2"]


def test_work_is_done_in_the_order_in_which_it_came(store: Store, writer: Writer) -> None:
    order: list[int] = []

    def work(tx: Tx, number: int) -> None:
        tx.keep_secret(str(number), b"x")
        order.append(number)

    for number in range(50):
        writer.submit(partial(work, number=number))
    writer.do(lambda tx: None)
    assert order == list(range(50))
    assert names(store) == [str(number) for number in range(50)]


def test_many_threads_may_hand_in_work_and_no_two_transactions_mix(store: Store, writer: Writer) -> None:
    inside: list[int] = []
    overlaps: list[int] = []

    def work(tx: Tx, number: int) -> int:
        inside.append(number)
        tx.keep_secret(str(number), b"x")
        overlaps.extend(inside[1:])
        inside.remove(number)
        if number % 5 == 0:
            raise ValueError(number)
        return number

    def hand_in(start: int) -> None:
        for number in range(start, start + 20):
            writer.submit(partial(work, number=number))

    threads = [threading.Thread(target=hand_in, args=(start,)) for start in (0, 20, 40, 60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.do(lambda tx: None)
    assert overlaps == []
    assert names(store) == [str(number) for number in range(80) if number % 5]


def test_work_is_done_in_one_thread_that_is_not_the_callers(writer: Writer) -> None:
    threads = {writer.do(lambda tx: threading.current_thread().name) for _ in range(3)}
    assert threads == {"felix-writer"}


def test_closing_finishes_what_was_handed_in(store: Store) -> None:
    writer = Writer(store)
    gate = threading.Event()
    writer.submit(lambda tx: gate.wait(30))
    futures = [writer.submit(partial(keep, name=str(number))) for number in range(10)]
    closer = threading.Thread(target=writer.close)
    closer.start()
    gate.set()
    closer.join()
    assert all(future.done() for future in futures)
    assert names(store) == [str(number) for number in range(10)]


def test_work_taken_back_before_its_turn_is_not_done(store: Store, writer: Writer) -> None:
    gate = threading.Event()
    writer.submit(lambda tx: gate.wait(30))
    future = writer.submit(lambda tx: tx.keep_secret("1", b"x"))
    assert future.cancel()
    gate.set()
    writer.do(lambda tx: None)
    assert names(store) == []
    with pytest.raises(CancelledError):
        future.result()


def test_after_closing_nothing_is_taken_any_more(store: Store) -> None:
    writer = Writer(store)
    writer.close()
    with pytest.raises(StoreError, match="stop"):
        writer.submit(partial(keep, name="1"))
    writer.close()
    assert names(store) == []
