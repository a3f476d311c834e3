"""Stepping through a game on the whole screen of a terminal."""

from __future__ import annotations

import codecs
import fcntl
import io
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final

import pytest
from rich.cells import cell_len
from rich.console import Console

from cli.conftest import Shelf
from cli.terminal import FELIX, Terminal, environment
from felix_async.game.beats import Beat
from felix_async.game.names import Names
from felix_async.game.narrate import card_list
from felix_async.game.views import Viewer
from felix_async.language.phrases import phrase
from felix_async.replay.places import Course, Place, first_place, press
from felix_async.replay.replay import Replay
from felix_cli.output import Problem
from felix_cli.replay import stepper
from felix_cli.replay.stepper import Screen, Stepped, step_through
from games import NAMES, Played, a_game_played, a_running_game
from table import BEN

FULL: Final = "\x1b[?1049h"
LEFT: Final = "\x1b[?1049l"
"""What a terminal is sent to get a screen of its own, and to leave it."""
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@cache
def a_game(seats: int = 4, *, is_over: bool = True) -> Stepped:
    return stepped_through(a_game_played(seats) if is_over else a_running_game(seats))


def stepped_through(played: Played) -> Stepped:
    @cache
    def told_to(viewer: Viewer) -> Replay:
        return Replay(played.evidence, played.envelopes, viewer, Names(played.names))

    viewers: list[Viewer] = ["spectator", *range(len(played.names))]
    viewers += ["all"] if played.game().is_over else []
    return Stepped("Friday cats (k7m2p)", viewers, told_to)


def beats(viewer: Viewer = "spectator") -> Sequence[Beat]:
    """The beats of the game that is over."""
    return a_game().replay(viewer).beats


def screen(
    *keys: str,
    stepped: Stepped | None = None,
    width: int = 80,
    height: int = 24,
    viewer: Viewer = "spectator",
) -> list[str]:
    """The lines on a screen after these keys."""
    stepped = stepped or a_game()
    steps = stepped.course(viewer)
    place = first_place(steps, viewer)
    for key in keys:
        place = press(steps, place, key)
    return drawn(stepped, steps, place, width, height)


def drawn(stepped: Stepped, steps: Course, place: Place, width: int, height: int) -> list[str]:
    file = io.StringIO()
    console = Console(file=file, width=width, height=height, color_system=None, force_terminal=False)
    console.print(Screen(stepped, steps, place), end="")
    return [line.rstrip() for line in file.getvalue().splitlines()]


# What is on the screen


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("seats", [3, 5])
def test_every_beat_fits_the_screen(seats: int, width: int) -> None:
    stepped = a_game(seats)
    steps = stepped.course("all")
    place = press(steps, first_place(steps, "all"), "home")
    faults = []
    for _ in steps.stops:
        lines = drawn(stepped, steps, place, width, 24)
        if len(lines) != 24 or max(map(cell_len, lines)) > width:
            faults.append(place)
        place = press(steps, place, "right")
    assert faults == []


def test_a_low_window_keeps_the_sentence() -> None:
    assert beats()[2].text.split()[0] in " ".join(screen("right", height=8))


def test_a_low_window_spares_blank_lines_before_it_cuts_the_table() -> None:
    high = [line for line in screen("a", "right", height=40) if line]
    assert [line for line in screen("a", "right", height=len(high)) if line] == high


def test_a_table_that_is_cut_says_so() -> None:
    high = [line for line in screen("a", "right", height=40) if line]
    assert "\N{VERTICAL ELLIPSIS}" in screen("a", "right", height=len(high) - 1)


def deeds(lines: Sequence[str]) -> str:
    """The line that ends the row of cards: what the players have done."""
    return next(line for line in lines if "bids" in line or "passed" in line)


def test_a_low_window_cuts_what_is_said_of_a_decision_before_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Screen, "_beside", lambda _: ["why"] * 200)
    keys = ["a", "right", "right", "right"]
    low = screen(*keys, width=60, height=16)
    assert deeds(screen(*keys, width=60, height=60)) in low
    assert low[-3] == "\N{VERTICAL ELLIPSIS}"


def test_a_high_window_leaves_its_room_below_what_is_told() -> None:
    keys = ["a", "right", "right", "right"]
    high, higher = (screen(*keys, height=height) for height in (40, 50))
    assert (higher[:36], higher[-3:]) == (high[:36], high[-3:])


def test_the_sentence_of_the_beat_stands_below() -> None:
    assert beats()[3].text in screen("right", "right")


def test_inside_a_beat_the_sentence_is_that_of_the_step() -> None:
    line = beats()[2].lines[0]
    assert line.text in screen("shift-right")


def test_the_place_is_told() -> None:
    assert phrase("replay.listing.round", round=1) in screen("right")[-2]


def test_a_bar_tells_how_far_one_has_been() -> None:
    bar = screen("end", "r", "right")[-2].rpartition(" ")[2]
    assert re.fullmatch("━+●─+", bar)


def test_what_was_not_seen_is_dotted() -> None:
    bar = screen("right")[-2].rpartition(" ")[2]
    assert re.fullmatch("━*●·+", bar)


def test_a_spectator_sees_no_hand() -> None:
    assert not any("hand" in line for line in screen("right"))


def test_a_seats_eyes_see_its_hand_only() -> None:
    lines = screen("right", "2")
    assert (lines[0].endswith(phrase("stepper.eyes.seat", who="Ben")), *_hands(lines)) == (True, "Ben")


def test_all_hands_are_open_to_all() -> None:
    assert _hands(screen("right", "a")) == list(NAMES[:4])


def _hands(lines: Sequence[str]) -> list[str]:
    """Whose mice are told; of those who see nothing of their own there are none."""
    return re.findall(r"^(\w+)(?: has|,) \d+ mice", "\n".join(lines), re.MULTILINE)


def test_whoever_is_to_move_is_told() -> None:
    who = NAMES[a_game().course("all").acting[beats("all")[2].lines[-1].step.version]]
    assert phrase("stepper.eyes.acts", who=who) in screen("w", "right")[0]


def test_the_help_tells_of_every_key() -> None:
    lines = screen("?", width=40)
    keys = [phrase(f"stepper.keys.{key}") for key in stepper.KEYS]
    assert [line for line in keys if not any(line in one for one in lines)] == []


def test_the_help_tells_whose_eyes_the_numbers_are() -> None:
    assert "1 Anna, 2 Ben, 3 Cara, 4 Dan" in " ".join(screen("?"))


def test_a_low_window_has_room_for_the_help_alone() -> None:
    assert any(line.startswith("q ") for line in screen("w", "right", "?", width=60, height=17))


def test_a_refusal_stands_at_the_foot() -> None:
    lines = screen("a", stepped=a_game(is_over=False))
    assert lines[-1] == phrase("stepper.refused.not_all")


def test_what_is_typed_is_shown() -> None:
    assert "r5" in screen("g", "r", "5")[-1]


def test_a_replay_that_plays_says_so() -> None:
    assert screen(" ")[-1] == phrase("stepper.screen.plays")


def test_a_sack_that_was_sold_still_lies_there() -> None:
    sale = next(place for place, beat in enumerate(beats()) if beat.kind == "sale")
    at_sale, before = (screen(*["right"] * (place - 1)) for place in (sale, sale - 1))
    assert at_sale[2:7] == before[2:7]


def test_who_acts_may_do_this_and_that() -> None:
    hand = card_list(a_game_played().game(15).seats[BEN].hand)
    assert phrase("stepper.may.place", who="Ben", cards=hand) in " ".join(screen("w", "shift-right"))


def test_whoever_acts_is_not_told_what_it_comes_to() -> None:
    assert "Ben, by mail: BID 3." in " ".join(screen("a", "right", "shift-right"))
    assert "by mail" not in " ".join(screen("w", "right", "shift-right"))


def test_what_is_said_of_a_decision_stands_below_it() -> None:
    decisions = a_game().replay("all").decisions
    passed = next(place for place, beat in enumerate(beats()) if beat.kind == "pass")
    (made,) = [one for one in decisions.values() if one.version == beats()[passed].lines[0].version]
    assert f"by mail: PASS. {' '.join(made.why)}" in " ".join(screen("a", *["right"] * (passed - 1)))


def test_nobody_else_is_told_of_a_decision() -> None:
    assert a_game().replay("spectator").decisions == {}


# A terminal


@dataclass
class Window:
    """A process in a terminal of its own: what is typed, and what it shows."""

    leader: int
    process: subprocess.Popen[bytes]
    sent: str = field(default="")
    decoder: codecs.IncrementalDecoder = field(default_factory=codecs.getincrementaldecoder("utf-8"))
    """Decode what was read so far; it may end within a letter."""

    def press(self, keys: str, until: str) -> str:
        """The screen once it shows this text, after keys."""
        start = len(self.sent)
        os.write(self.leader, keys.encode())
        return self.shown(until, start)

    def shown(self, until: str, start: int = 0) -> str:
        while until not in _ESCAPE.sub("", self.sent[start:]):
            assert select.select([self.leader], [], [], 30)[0], self.sent[start:]
            self.sent += self.decoder.decode(os.read(self.leader, 65_536))
        return _ESCAPE.sub("", self.sent[start:])

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.leader, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    def end(self) -> int:
        """The exit code; what is sent until then is kept."""
        try:
            while data := os.read(self.leader, 65_536):
                self.sent += self.decoder.decode(data)
        except OSError:
            pass  # The other end is closed: Linux says so by an error.
        return self.process.wait(60)


@pytest.fixture
def window(shelf: Shelf) -> Iterator[Window]:
    """The game that is over, stepped through in 80 columns."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    off = ("COLUMNS", "LINES", "NO_COLOR")
    env = {name: value for name, value in environment().items() if name not in off} | {
        "TERM": "xterm-256color"
    }
    words = ["replay", shelf.over, "--step", "--db", str(shelf.database)]
    process = subprocess.Popen([*FELIX, *words], env=env, preexec_fn=partial(os.login_tty, follower))
    os.close(follower)
    yield Window(leader, process)
    process.kill()
    process.wait()
    os.close(leader)


def test_a_game_is_stepped_through(window: Window) -> None:
    window.shown(phrase("stepper.screen.hint"))
    window.press("\x1b[C\x1b[1;2C", "Round 1")
    window.press("gr9\r", "Round 9")
    window.press("1", phrase("stepper.eyes.seat", who="Anna"))
    os.write(window.leader, b"q")
    assert (window.end(), window.sent.count(FULL), window.sent.count(LEFT)) == (0, 1, 1)


@pytest.mark.slow
def test_ctrl_c_gives_the_terminal_back(window: Window) -> None:
    window.shown(phrase("stepper.screen.hint"))
    os.write(window.leader, b"\x03")
    assert (window.end(), window.sent.endswith(f"\x1b[?25h{LEFT}")) == (130, True)


def test_kill_gives_the_terminal_back(window: Window) -> None:
    window.shown(phrase("stepper.screen.hint"))
    window.process.terminate()
    assert (window.end(), window.sent.endswith(f"\x1b[?25h{LEFT}")) == (143, True)


@pytest.mark.slow
def test_another_size_is_drawn_anew(window: Window) -> None:
    window.shown(phrase("stepper.screen.hint"))
    start = len(window.sent)
    window.resize(40, 24)
    lines = window.shown(phrase("stepper.screen.hint"), start).replace("\r", "").splitlines()
    # The first line may begin with the rest of the one that was being drawn.
    assert max(map(cell_len, lines[1:])) == 40


@pytest.mark.slow
def test_a_replay_plays_until_a_key_is_pressed(window: Window) -> None:
    window.shown(phrase("stepper.screen.hint"))
    window.press(" ", "Round 1")
    assert phrase("stepper.screen.hint") in window.press("x", phrase("stepper.screen.hint"))


# Whose eyes there are


def stepped_in(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, *words: object
) -> tuple[Stepped, Viewer, int | None]:
    """What the command would step through, with whose eyes it begins, and at which version, if any."""
    found: list[tuple[Stepped, Viewer, int | None]] = []
    monkeypatch.setattr(stepper, "step_through", lambda *given: found.append(given))
    terminal.run("replay", *words, "--step")
    return found[0]


def test_a_game_that_is_over_has_all_eyes(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    stepped, viewer, _ = stepped_in(terminal, monkeypatch, shelf.over, "--db", shelf.database)
    assert (stepped.viewers, viewer) == (["spectator", 0, 1, 2, "all"], "all")


def test_a_running_game_has_no_eyes_that_see_all(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    stepped, viewer, _ = stepped_in(terminal, monkeypatch, shelf.running, "--db", shelf.database)
    assert (stepped.viewers, viewer) == (["spectator", 0, 1, 2, 3], "spectator")


@pytest.mark.parametrize(("words", "version"), [((), None), (("--from", "40"), 40)])
def test_it_opens_where_it_is_told_to(
    terminal: Terminal,
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
    words: Sequence[str],
    version: int | None,
) -> None:
    assert stepped_in(terminal, monkeypatch, shelf.file, *words)[2] == version


@pytest.mark.parametrize("game", ["over", "running"])
def test_a_file_for_one_seat_has_its_eyes_and_a_spectators(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    file = terminal.folder / "ben.jsonl"
    terminal.run("export", getattr(shelf, game), "--as", "Ben", "-o", file, "--db", shelf.database)
    stepped, viewer, _ = stepped_in(terminal, monkeypatch, file)
    assert (stepped.viewers, viewer) == (["spectator", 1], 1)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["over", "running"])
def test_a_file_for_one_seat_is_stepped_through_to_its_end(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    file = terminal.folder / "ben.jsonl"
    terminal.run("export", getattr(shelf, game), "--as", "Ben", "-o", file, "--db", shelf.database)
    stepped, _, _ = stepped_in(terminal, monkeypatch, file)
    steps = stepped.course(1)
    place, seen = press(steps, first_place(steps, 1), "home"), 0
    for _ in steps.versions:
        for eyes in ("2", "0"):
            place = press(steps, place, eyes)
            seen += len(drawn(stepped, steps, place, 80, 24))
        place = press(steps, place, "shift-right")
    assert (seen, place.version) == (48 * len(steps.versions), steps.versions[-1])


# No terminal


def test_without_a_terminal_there_is_nothing_to_step_on(terminal: Terminal, shelf: Shelf) -> None:
    sentence = terminal.refused("replay", shelf.file, "--step", code=2)
    assert sentence == "--step takes the whole screen of a terminal, and this is none."


def test_it_is_stepped_through_or_printed_for_a_script(terminal: Terminal, shelf: Shelf) -> None:
    assert "not both" in terminal.refused("replay", shelf.file, "--step", "--json", code=2)


def test_an_error_gives_the_terminal_back(monkeypatch: pytest.MonkeyPatch) -> None:
    leader, follower = pty.openpty()
    before = termios.tcgetattr(follower)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(stepper, "table_drawing", lambda *_: 1 // 0)
    with os.fdopen(os.dup(follower), "rb", 0) as stdin, os.fdopen(os.dup(follower), "w") as stdout:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(sys, "stdout", stdout)
        with pytest.raises(ZeroDivisionError):
            step_through(a_game(), "all")
    after, sent = termios.tcgetattr(follower), ""
    while LEFT not in sent:
        assert select.select([leader], [], [], 30)[0], sent
        sent += os.read(leader, 4096).decode()
    os.close(leader)
    os.close(follower)
    assert (after, sent.count(FULL)) == (before, 1)


def test_a_dumb_terminal_has_no_screen(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    leader, follower = pty.openpty()
    with os.fdopen(follower, "r+b", 0) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(sys, "stdout", stdin)
        with pytest.raises(Problem):
            step_through(a_game(), "all")
    os.close(leader)
