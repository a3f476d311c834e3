"""The listener under too much of everything: it stays up, and what it holds is bounded."""

from __future__ import annotations

import gc
import smtplib
import socket
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from felix_async.inbox import receive
from felix_async.inbox.receive import (
    KEPT_FREE,
    MAX_CONNECTIONS,
    MAX_FROM_PEER,
    MAX_LINE_BYTES,
    Listener,
    Receiver,
)
from felix_events.store.sqlite import SqliteStore
from felix_events.store.writer import Writer
from inbox.door import ANNA, MAX_BYTES, Door, deliver
from inbox.postbag import MAILBOX, a_mail, a_table


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    opened = Door("smtp", tmp_path_factory.mktemp("smtp"))
    yield opened
    opened.close()


@pytest.fixture
def client(door: Door) -> Iterator[smtplib.SMTP]:
    with door.smtp() as client:
        yield client


def test_a_client_that_is_one_too_many_is_sent_away_until_another_leaves(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receive, "MAX_CONNECTIONS", 3)
    clients = [door.smtp() for _ in range(3)]
    try:
        with pytest.raises(smtplib.SMTPConnectError) as sent_away:
            door.smtp()
        assert sent_away.value.smtp_code == 421
        clients.pop().quit()
        deadline = time.monotonic() + 10
        while len(door.listener._open) > 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        clients.append(door.smtp())
        assert clients[-1].noop()[0] == 250
    finally:
        for client in clients:
            client.close()


def admitted(listener: Listener, peers: Sequence[str]) -> list[str]:
    """Who gets a connection of those who come one after the other and stay."""
    came = []
    for peer in peers:
        connection = listener.admit(peer)
        if connection is not None:
            listener._open[connection] = peer
            came.append(peer)
    return came


@pytest.mark.parametrize("known", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "192.0.2.7"])
def test_connections_are_kept_free_for_peers_that_are_known(known: str) -> None:
    listener = Listener(object(), host="127.0.0.1", port=0, max_bytes=MAX_BYTES, peers=["192.0.2.7"])
    strangers = [f"198.51.100.{number}" for number in range(60)]
    assert len(admitted(listener, strangers)) == MAX_CONNECTIONS - KEPT_FREE
    assert len(admitted(listener, [known] * 60)) == KEPT_FREE
    listener.loop.close()


def test_one_stranger_takes_few_connections_and_others_the_rest() -> None:
    listener = Listener(object(), host="127.0.0.1", port=0, max_bytes=MAX_BYTES)
    assert len(admitted(listener, ["198.51.100.1"] * 50)) == MAX_FROM_PEER
    assert admitted(listener, ["198.51.100.2"]) == ["198.51.100.2"]
    listener.loop.close()


def test_a_client_that_says_nothing_is_hung_up_on() -> None:
    listener = Listener(object(), host="127.0.0.1", port=0, max_bytes=MAX_BYTES, idle_seconds=0.2)
    listener.start()
    try:
        with socket.create_connection(("127.0.0.1", listener.port), timeout=10) as silent:
            assert silent.recv(100).startswith(b"220 ")
            assert silent.recv(100) == b""
    finally:
        listener.stop()


def test_a_long_line_is_refused_and_the_connection_goes_on(door: Door, client: smtplib.SMTP) -> None:
    before = len(door.mails)
    assert deliver(client, [door.bag.address(0)], b"Subject: x\r\n\r\n" + b"x" * 5000 + b"\r\n") == 500
    assert len(door.mails) == before
    assert deliver(client, [door.bag.address(0)], a_mail("JOIN")) == 250


def test_a_line_without_an_end_is_hung_up_on_and_not_collected(door: Door, client: smtplib.SMTP) -> None:
    client.mail(ANNA)
    client.rcpt(door.bag.address(0))
    client.putcmd("data")
    assert client.getreply()[0] == 354

    def go_on() -> None:
        for _ in range(100 * MAX_LINE_BYTES // 1000):
            client.send(b"x" * 1000)
        client.getreply()

    with pytest.raises((OSError, smtplib.SMTPServerDisconnected)):
        go_on()


@pytest.mark.slow
def test_ten_thousand_mails_of_one_client_do_not_pile_up_in_memory(tmp_path: Path) -> None:
    """The next mail is taken when the last one is on disk, so that at most one waits for the writer."""
    usual = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # as in a server; tests/conftest.py lets rubbish lie for longer
    store = SqliteStore.create(tmp_path / "felix.db")
    writer = Writer(store)
    waiting: list[int] = []

    def look() -> None:
        waiting.append(writer._jobs.qsize())

    receiver = Receiver(writer, a_table().room.clock, lambda address: True, look)
    listener = Listener(receiver, host="127.0.0.1", port=0, protocol="smtp", max_bytes=MAX_BYTES)
    listener.start()
    raw = a_mail("\n".join(["x" * 70] * 50))
    try:
        with smtplib.SMTP("127.0.0.1", listener.port, "localhost") as client:
            client.ehlo()
            for number in range(10_000):
                if number == 9_000:
                    tracemalloc.start()
                assert deliver(client, [MAILBOX], raw) == 250
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.set_threshold(*usual)
        listener.stop()
        writer.close()
        with store.read() as reader:
            assert sum(1 for _ in reader.mails("new")) == 10_000
        store.close()
    assert max(waiting) <= 1
    assert most < 1_000_000, "the last thousand mails alone have 3.6 million bytes"
