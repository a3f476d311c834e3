"""What a server says of signals, locks, a full disk and too many rights."""

from __future__ import annotations

import fcntl
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from cli.terminal import Terminal
from cli.village import PATIENCE, Village, serving, settle_in
from felix_cli import serving as served
from felix_cli.serving import told_to_stop
from felix_events.store import files
from felix_events.store.base import StoreError
from felix_events.store.sqlite import SqliteStore


# ---- SIGHUP
@contextmanager
def hangups(meaning: signal.Handlers) -> Iterator[None]:
    """Hangups mean this to the test, and to what it starts."""
    before = signal.signal(signal.SIGHUP, meaning)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_hangup_of_the_terminal_that_it_runs_in_stops_it() -> None:
    with hangups(signal.SIG_DFL), told_to_stop(in_terminal=True) as is_told:
        os.kill(os.getpid(), signal.SIGHUP)
        assert is_told(10)


def test_elsewhere_it_goes_on_and_says_that_settings_are_read_at_the_start(
    terminal: Terminal, caplog: pytest.LogCaptureFixture
) -> None:
    with hangups(signal.SIG_DFL), told_to_stop() as is_told:
        os.kill(os.getpid(), signal.SIGHUP)
        assert not is_told(0.01)
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGTERM)
        assert is_told(10)
    assert "SIGHUP does nothing: felix reads its settings as it starts" in caplog.text


def test_what_is_to_be_ignored_stays_so() -> None:
    """Under nohup, in a terminal."""
    with hangups(signal.SIG_IGN), told_to_stop(in_terminal=True) as is_told:
        os.kill(os.getpid(), signal.SIGHUP)
        assert not is_told(0.01)


@pytest.mark.slow
def test_a_server_that_is_told_to_read_its_settings_goes_on(terminal: Terminal) -> None:
    """Even if this test runs under nohup, which hands on that hangups are ignored."""
    with Village() as village:
        settle_in(terminal, village)
        with hangups(signal.SIG_DFL), serving(terminal) as felix:
            felix.process.send_signal(signal.SIGHUP)
            until = time.monotonic() + PATIENCE
            while not any("SIGHUP does nothing" in line for line in felix.said):
                assert time.monotonic() < until, felix.said
                time.sleep(0.01)
            assert felix.stop() == 0


# ---- locks
@contextmanager
def held(hold: Callable[[], object], let_go: Callable[[], object]) -> Iterator[None]:
    """Somebody else has it for as long as a store writes nothing without a word, and a little longer."""
    hold()
    timer = threading.Timer(0.3, let_go)
    timer.start()
    try:
        yield
    finally:
        timer.join()


def test_a_lock_that_another_program_holds_is_told_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "felix.db"
    monkeypatch.setattr(files, "TIMEOUT", 0.05)
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT)
    with (
        closing(SqliteStore.create(path)) as store,
        held(lambda: fcntl.flock(lock, fcntl.LOCK_EX), lambda: fcntl.flock(lock, fcntl.LOCK_UN)),
        store.write() as tx,
    ):
        tx.beat("2026-01-01T00:00:00.000000Z")
    os.close(lock)
    waits, over = caplog.messages
    assert waits.startswith(f"felix waits: another program holds {path}.lock, and nothing is written until")
    assert over.startswith(f"felix goes on: {path}.lock was held by another program for ")


def test_a_database_that_another_program_has_locked_is_told_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "felix.db"
    monkeypatch.setattr(files, "TIMEOUT", 0.05)
    with closing(SqliteStore.create(path)) as store:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        with (
            closing(other),
            held(lambda: other.execute("BEGIN IMMEDIATE"), lambda: other.execute("ROLLBACK")),
            store.write() as tx,
        ):
            tx.beat("2026-01-01T00:00:00.000000Z")
        with store.read() as reader:
            assert reader.last_beat() == "2026-01-01T00:00:00.000000Z"
    waits, over = caplog.messages
    assert waits.startswith(f"felix waits: another program holds {path}, and nothing is written until")
    assert over.startswith(f"felix goes on: {path} was held by another program for ")


def test_however_often_it_gives_up_it_is_told_once_that_it_waits_and_once_that_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "felix.db"
    monkeypatch.setattr(files, "TIMEOUT", 0.01)
    monkeypatch.setattr(files, "_PATIENCE", 0.01)
    with closing(SqliteStore.create(path)) as store:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for _ in range(2):
                with pytest.raises(StoreError, match="in use by another program"), store.write():
                    pass
        for _ in range(2):
            with store.write():
                pass
    assert [message.partition(":")[0] for message in caplog.messages] == ["felix waits", "felix goes on"]


# ---- the end, and the beginning
@pytest.fixture
def stopped_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody tells each server to stop as soon as it runs."""

    @contextmanager
    def told(**_: object) -> Iterator[Callable[[float], bool]]:
        yield lambda _: True

    monkeypatch.setattr(served, "told_to_stop", told)


@pytest.fixture
def waiting(desk: Terminal) -> Terminal:
    """A terminal with settings for a server that listens nowhere."""
    Path("felix.toml").write_text('[listen]\nprotocol = "off"\n[send]\nchannel = "console"\n')
    return desk


@pytest.mark.usefixtures("stopped_at_once")
def test_a_disk_that_is_full_is_told_as_that(waiting: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(served, "_ways_in", is_full)
    said = waiting.invoke("serve").stderr
    assert "Error: felix cannot go on, and stops: No space left on device; look at the disk" in said
    assert "listen" not in said


@pytest.mark.usefixtures("stopped_at_once")
@pytest.mark.parametrize(("user", "is_told"), [(0, True), (1000, False)])
def test_a_server_with_the_rights_of_root_says_so(
    waiting: Terminal, monkeypatch: pytest.MonkeyPatch, user: int, is_told: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    said = waiting.invoke("serve").stderr
    assert ("felix runs as root" in said) == is_told
