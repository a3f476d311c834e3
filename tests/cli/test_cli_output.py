"""Tables on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from cli.conftest import Shelf
from cli.terminal import FELIX, environment
from each import one_in
from felix_cli.output import echo_fitting, felix, fitted, print_table, problem_of, table_lines, wrapped


@pytest.mark.parametrize(("mode", "name"), [(0o700, "felix"), (0o600, "/there/bin/felix")])
def test_felix_is_called_by_its_name_if_a_shell_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, name: str
) -> None:
    (tmp_path / "felix").write_text("")
    (tmp_path / "felix").chmod(mode)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["/there/bin/felix"])
    assert felix() == name


def test_columns_are_as_wide_as_a_terminal_shows_them() -> None:
    """A Chinese character takes two columns."""
    assert table_lines(("player", "cats"), [("李娜", "3"), ("Anna", "12")]) == [
        "player  cats",
        "李娜    3",
        "Anna    12",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("  Round 1", ["=   Round 1"]),
        ("王小明 bid 3 mice", ["= 王小明 bid", "--- 3 mice"]),
        ("a  b\N{NO-BREAK SPACE}cd efg", ["= a  b\N{NO-BREAK SPACE}cd", "--- efg"]),
        ("🐱🐱🐱🐱🐱🐱", ["= 🐱🐱🐱🐱", "--- 🐱🐱"]),
    ],
)
def test_a_text_is_broken_by_columns_between_words(text: str, lines: list[str]) -> None:
    assert wrapped(text, 12, "= ", "--- ") == lines


@pytest.mark.parametrize(
    ("is_terminal", "told"), [(True, "  not in the\n    log: x\n"), (False, "  not in the log: x\n")]
)
def test_a_line_fits_on_a_terminal_and_is_one_for_a_script(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_terminal: bool, told: str
) -> None:
    monkeypatch.setattr("felix_cli.output.text_width", lambda: 12)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    echo_fitting("  not in the log: x")
    assert capsys.readouterr().out == told


def test_a_table_without_rows_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("player",), [])
    assert capsys.readouterr().out == ""


def test_trouble_with_a_file_names_it() -> None:
    problem = problem_of(PermissionError(13, "Permission denied", "felix-demo.db"))
    assert problem is not None
    assert problem.message == "That did not work: felix-demo.db: Permission denied."


HEAD = ("game", "kind", "players", "due")
ROW = ("my32z", "played", "Anna, Ben and 李娜", "today 23:12")


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (80, "my32z  played  Anna, Ben and 李娜  today 23:12"),
        (46, "my32z  played  Anna, Ben and 李娜  today 23:12"),
        (45, "my32z  Anna, Ben and 李娜  today 23:12"),
        (36, "my32z  Anna, Ben and…  today 23:12"),
        (30, "my32z  Anna, Ben…  today 23:12"),
        (10, "my32z  Anna,…  today 23:12"),
    ],
)
def test_a_table_is_made_to_fit_by_what_can_be_spared_and_cut(width: int, line: str) -> None:
    head, rows = fitted(HEAD, [ROW], width, ("kind",), ("players",))
    assert table_lines(head, rows)[1] == line


def test_a_table_that_fits_is_left_as_it_is() -> None:
    assert fitted(HEAD, [ROW], 80, ("kind",), ("players",)) == ([*HEAD], [[*ROW]])


def on_a_terminal(*words: object, columns: int, lines: int = 24, pager: str = "cat") -> list[str]:
    """The lines that a command prints on a terminal of this width."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    env = {name: value for name, value in environment().items() if name not in ("COLUMNS", "LINES")}
    env["PAGER"] = pager
    running = subprocess.Popen(
        [*FELIX, *map(str, words)], env=env, stdin=follower, stdout=follower, stderr=subprocess.DEVNULL
    )
    os.close(follower)
    data = b""
    try:
        while more := os.read(leader, 65_536):
            data += more
    except OSError:
        pass  # The other end is closed: Linux says so by an error.
    finally:
        os.close(leader)
        running.wait(60)
    return data.decode().replace("\r\n", "\n").splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("columns", one_in(2, [60, 80]))
@pytest.mark.parametrize("words", [["games"], ["games", "--open"], ["show", "{}"], ["replay", "{}"]])
def test_what_is_printed_fits_the_terminal(shelf: Shelf, words: list[str], columns: int) -> None:
    named = [word.format(shelf.over) for word in words]
    lines = on_a_terminal(*named, "--db", shelf.database, columns=columns)
    assert lines
    assert max(map(len, lines)) <= max(columns, 66)
    if words[0] == "replay":
        assert max(map(len, lines)) <= columns


def test_a_closed_output_is_no_bug(shelf: Shelf) -> None:
    shell = ["sh", "-c", '"$@" >&-', "sh", *FELIX, "replay", str(shelf.file)]
    done = subprocess.run(shell, env=environment(), capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
