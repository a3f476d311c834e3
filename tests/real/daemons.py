"""Other people's programs in a test: looked for, started in a folder of their own, waited for, ended."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import pytest

HOST: Final = "127.0.0.1"
PATIENCE: Final = 60.0
"""Seconds until a test gives up waiting for something that should come at once."""
_LOOK_AGAIN: Final = 0.02
"""Seconds between two looks at a program that tells nobody when it is done."""
_PLACES: Final = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin{os.pathsep}/sbin"
T = TypeVar("T")


def need(*programs: str, root: bool = False) -> None:
    """Skip the test where a program is not installed, or where it takes root and we are somebody else."""
    missing = [program for program in programs if found(program) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}: CONTRIBUTING.md says how to get these programs")
    if root and os.geteuid() != 0:
        pytest.skip(f"needs root, to start {programs[0]}")


def found(program: str) -> str | None:
    """Where a program is installed; servers are often in a folder that is not on everybody's path."""
    return shutil.which(program, path=_PLACES)


def free_port() -> int:
    """A port on loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder that servers running as somebody else can enter, gone afterwards.

    pytest's own folders have names so long that the path of a Unix socket in them would be cut (108 bytes).
    """
    folder = Path(tempfile.mkdtemp(prefix="felix-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def until(
    look: Callable[[], T | None], what: str, patience: float = PATIENCE, *, look_again: float = _LOOK_AGAIN
) -> T:
    """What `look` finds, as soon as it finds something; a test that waits in vain fails and says for what."""
    end = time.monotonic() + patience
    while True:
        seen = look()
        if seen:
            return seen
        assert time.monotonic() < end, f"waited {patience:.0f} s in vain for {what}"
        time.sleep(look_again)


def answers(port: int) -> bool:
    """Return True if somebody listens there."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


@contextmanager
def running(
    command: Sequence[str],
    *,
    ports: Sequence[int],
    log: Path,
    pid_file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    with_signal: signal.Signals = signal.SIGTERM,
) -> Iterator[subprocess.Popen[bytes]]:
    """A server from the moment when all its ports answer; ended by its process id, with a signal.

    A server that starts under a wrapper names its own id in `pid_file`.
    """
    with log.open("ab") as said:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )

    def ready() -> bool:
        assert process.poll() is None, f"{command[0]} ended at once: {log.read_text(errors='replace')}"
        return all(answers(port) for port in ports)

    try:
        until(ready, f"{command[0]} to listen")
        yield process
    finally:
        target = process.pid if pid_file is None or not pid_file.exists() else int(pid_file.read_text())
        if process.poll() is None:
            os.kill(target, with_signal)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(
                f"{command[0]} did not end when told to: {log.read_text(errors='replace')}"
            ) from None
