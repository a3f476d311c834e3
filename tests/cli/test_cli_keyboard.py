"""The keys of a terminal."""

from __future__ import annotations

import os
import pty
import signal
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from each import each
from felix_cli.terminal.keyboard import STOP, Keyboard, keyboard, keys_in


@each(
    ("sent", "names"),
    lambda: [
        ("\x1b[C", ["right"]),
        ("\x1bOC", ["right"]),
        ("\x1b[D", ["left"]),
        ("\x1bOD", ["left"]),
        ("\x1b[1;2C", ["shift-right"]),
        ("\x1b[1;2D", ["shift-left"]),
        ("\x1b[c", ["shift-right"]),
        ("\x1b[d", ["shift-left"]),
        ("\x1b[H", ["home"]),
        ("\x1bOH", ["home"]),
        ("\x1b[1~", ["home"]),
        ("\x1b[7~", ["home"]),
        ("\x1b[F", ["end"]),
        ("\x1bOF", ["end"]),
        ("\x1b[4~", ["end"]),
        ("\x1b[8~", ["end"]),
        ("\r", ["enter"]),
        ("\n", ["enter"]),
        ("\x7f", ["backspace"]),
        ("\x08", ["backspace"]),
        ("\x1b", ["escape"]),
        ("q", ["q"]),
        (" ", [" "]),
        ("[", ["["]),
        ("\x1b[C\x1b[C[q", ["right", "right", "[", "q"]),
        ("g57\r", ["g", "5", "7", "enter"]),
        ("\x1b[15~\x1b[1;5C", ["\x1b[15~", "\x1b[1;5C"]),
    ],
)
def test_what_a_terminal_sends_is_known(sent: str, names: list[str]) -> None:
    assert keys_in(sent) == names


@dataclass(frozen=True)
class Desk:
    """A terminal: what is typed goes into `typed`, and `felix` reads it."""

    typed: int
    felix: int

    def type(self, text: str) -> None:
        os.write(self.typed, text.encode())


@pytest.fixture
def desk_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A terminal that felix takes its keys from."""
    leader, follower = pty.openpty()
    with os.fdopen(follower, "rb", buffering=0) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield Desk(leader, follower)
    os.close(leader)


def test_keys_are_read_as_they_are_typed(desk_keys: Desk) -> None:
    with keyboard() as board:
        desk_keys.type("\x1b[C")
        assert board.keys() == ["right"]


def test_the_rest_of_a_key_is_waited_for(desk_keys: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a slow line an arrow comes in two pieces."""
    pieces = iter(["\x1b[", "1;2", "D"])
    monkeypatch.setattr(Keyboard, "_read", lambda _: next(pieces))
    with keyboard() as board:
        desk_keys.type("x")
        assert board.keys() == ["shift-left"]


def test_keys_that_were_typed_before_are_not_lost(desk_keys: Desk) -> None:
    """While felix is being loaded, say."""
    desk_keys.type("]")
    with keyboard() as board:
        assert board.keys() == ["]"]


def test_escape_alone_is_a_key(desk_keys: Desk) -> None:
    with keyboard() as board:
        desk_keys.type("\x1b")
        assert board.keys() == ["escape"]


def test_keys_are_waited_for_only_so_long(desk_keys: Desk) -> None:
    with keyboard() as board:
        assert board.keys(0.0) == []


def test_a_new_size_of_the_window_ends_the_wait(desk_keys: Desk) -> None:
    with keyboard() as board:
        os.kill(os.getpid(), signal.SIGWINCH)
        assert board.keys() == []


def test_a_terminal_that_is_gone_is_an_error(desk_keys: Desk) -> None:
    leader, follower = pty.openpty()
    with keyboard() as board:
        os.close(leader)
        gone = Keyboard(follower, [], board.woken)
        with pytest.raises(EOFError):
            gone.keys()
    os.close(follower)


def test_a_process_that_is_to_stop_gives_the_terminal_back_until_it_goes_on(
    desk_keys: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = []

    def stop(_: int, number: int) -> None:
        stopped.append((number, signal.getsignal(number), termios.tcgetattr(desk_keys.felix)))

    before = termios.tcgetattr(desk_keys.felix)
    with keyboard() as board:
        os.kill(os.getpid(), signal.SIGTSTP)
        assert board.keys() == [STOP]
        mode = termios.tcgetattr(desk_keys.felix)
        monkeypatch.setattr(os, "kill", stop)
        board.stop()
        assert termios.tcgetattr(desk_keys.felix) == mode != before
    assert stopped == [(signal.SIGTSTP, signal.SIG_DFL, before)]


def test_keys_are_not_shown(desk_keys: Desk) -> None:
    with keyboard():
        assert not termios.tcgetattr(desk_keys.felix)[3] & (termios.ECHO | termios.ICANON)


def test_the_terminal_is_as_before_afterwards(desk_keys: Desk) -> None:
    before = termios.tcgetattr(desk_keys.felix)
    with keyboard():
        pass
    assert termios.tcgetattr(desk_keys.felix) == before


def test_the_terminal_is_as_before_after_an_error(desk_keys: Desk) -> None:
    before = termios.tcgetattr(desk_keys.felix)
    with pytest.raises(KeyboardInterrupt), keyboard():
        raise KeyboardInterrupt
    assert termios.tcgetattr(desk_keys.felix) == before


def test_signals_go_where_they_went_before(desk_keys: Desk) -> None:
    before = signal.getsignal(signal.SIGWINCH)
    with keyboard():
        pass
    assert signal.getsignal(signal.SIGWINCH) == before
