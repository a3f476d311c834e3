"""Somebody at a terminal who types, sees what is written, and may press Ctrl-C: felix behind a pty."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Final

from cli.terminal import FELIX, environment

_PATIENCE: Final = 60.0
"""Seconds without anything new after which a test gives up."""
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Typist:
    """A command in a terminal of so many columns; `screen` is all that was written so far."""

    def __init__(self, folder: Path, *words: object, columns: int = 80) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._process = subprocess.Popen(
            [*FELIX, *map(str, words)],
            cwd=folder,
            env=environment() | {"TERM": "xterm", "PYTHONUTF8": "1", "COLUMNS": str(columns)},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            # Keys such as Ctrl-C go to whoever has this terminal.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self._bytes = b""
        self._seen = 0

    def __enter__(self) -> Typist:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        os.close(self._ours)

    @property
    def screen(self) -> str:
        """What was written until now, without colours."""
        return _ESCAPES.sub("", self._bytes.decode("utf-8", "replace")).replace("\r", "")

    def until(self, *words: str) -> str:
        """Wait for any of these words, and return what was written since the last that were waited for."""
        end = time.monotonic() + _PATIENCE
        while not (found := [place for one in words if (place := self._end_of(one)) >= 0]):
            assert self._read(end), f"none of {words} in:\n{self.screen}"
        before, self._seen = self.screen[self._seen : min(found)], min(found)
        return before

    def _end_of(self, words: str) -> int:
        place = self.screen.find(words, self._seen)
        return -1 if place < 0 else place + len(words)

    def type(self, line: str) -> None:
        """Type a line, and press Enter."""
        self.press(f"{line}\n".encode())

    def press(self, keys: bytes) -> None:
        """Press these keys; b"\\x03" is Ctrl-C."""
        os.write(self._ours, keys)

    def left(self) -> int:
        """Wait for the end of the command; its exit code."""
        while self._read(time.monotonic() + _PATIENCE):
            pass
        return self._process.wait(_PATIENCE)

    def interrupt(self, words: str) -> int:
        """Press Ctrl-C until these words come, and wait for the end; its exit code.

        Python loses a Ctrl-C that comes just as it begins to read a line.
        """
        while words not in self.screen:
            assert self._process.poll() is None, self.screen
            self.press(b"\x03")
            again = time.monotonic() + 5
            while words not in self.screen and self._read(again):
                pass
        return self.left()

    def kill(self) -> None:
        """Pull the plug."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait(_PATIENCE)

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(0.0, end - time.monotonic()))
        try:
            more = os.read(self._ours, 65536) if ready else b""
        except OSError:
            # The other side is closed.
            more = b""
        self._bytes += more
        return bool(more)
