"""The keys of a terminal, one by one, by names such as `shift-left`.

click's `getchar` leaves the terminal as it was between two keys: what is typed meanwhile would be shown, or
lost, and a replay that plays could not wait for a key. So here one mode lasts as long as keys are read.
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NoReturn

_KEY: Final = re.compile(r"\x1b\[[0-9;?]*[^0-9;?]|\x1bO.|\x1b|.", re.DOTALL)
_BEGUN: Final = re.compile(r".*\x1b(\[[0-9;?]*|O)?", re.DOTALL)
"""Text that may end in the middle of a key."""
_REST: Final = 0.05
"""Seconds within which the rest of a key comes."""
_NAMES: Final = {
    **dict.fromkeys(("\x1b[C", "\x1bOC"), "right"),
    **dict.fromkeys(("\x1b[D", "\x1bOD"), "left"),
    **dict.fromkeys(("\x1b[1;2C", "\x1b[c"), "shift-right"),
    **dict.fromkeys(("\x1b[1;2D", "\x1b[d"), "shift-left"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"), "home"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"), "end"),
    **dict.fromkeys(("\r", "\n"), "enter"),
    **dict.fromkeys(("\x7f", "\x08"), "backspace"),
    "\x1b": "escape",
}
"""The bytes that xterm, the Linux console and rxvt send for each key."""


STOP: Final = "stop"
"""Comes as a key if this process is to stop, by Ctrl-Z or a signal, until a shell goes on with it."""


def keys_in(text: str) -> list[str]:
    """Return the names of the keys in what a terminal sent; a letter is its own name."""
    return [_NAMES.get(key, key) for key in _KEY.findall(text)]


@dataclass(frozen=True, slots=True)
class Keyboard:
    """A terminal that sends each key at once, how it was before, and what can be read when a signal came."""

    terminal: int
    before: list[Any]
    woken: int

    def keys(self, seconds: float | None = None) -> list[str]:
        """Wait for keys, so long or without end; none if that time is over, or the window got another size.

        Raises EOFError if the terminal is gone.
        """
        ready, _, _ = select.select([self.terminal, self.woken], [], [], seconds)
        if self.woken in ready and signal.SIGTSTP in os.read(self.woken, 512):
            return [STOP]
        return keys_in(self._typed()) if self.terminal in ready else []

    def stop(self) -> None:
        """Stop this process, with the terminal as it was before; return when a shell has gone on with it."""
        here = termios.tcgetattr(self.terminal)
        termios.tcsetattr(self.terminal, termios.TCSADRAIN, self.before)
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, handler)
        termios.tcsetattr(self.terminal, termios.TCSADRAIN, here)

    def _typed(self) -> str:
        typed = self._read()
        while _BEGUN.fullmatch(typed) and select.select([self.terminal], [], [], _REST)[0]:
            typed += self._read()
        return typed

    def _read(self) -> str:
        try:
            data = os.read(self.terminal, 512)
        except OSError:
            data = b""
        if not data:
            raise EOFError
        return data.decode(errors="replace")


def _ended(*_: object) -> NoReturn:
    """End as `kill` wants it, but leave a terminal that can be used."""
    raise SystemExit(128 + signal.SIGTERM)


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Read the keys of this terminal; afterwards it is as it was before."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    # Without a handler of Python's, a new size of the window would wake nobody.
    handlers = {
        signal.SIGWINCH: signal.signal(signal.SIGWINCH, lambda *_: None),
        signal.SIGTSTP: signal.signal(signal.SIGTSTP, lambda *_: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, _ended),
    }
    wakeup = signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        yield Keyboard(terminal, before, woken)
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
        signal.set_wakeup_fd(wakeup)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(woken)
        os.close(waker)
