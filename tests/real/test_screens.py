"""The stepper and `felix play` in tmux: a terminal that draws what it is sent."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.terminal import FELIX, environment
from games import a_game_played
from real.daemons import PATIENCE, found, need, short_folder, until


@dataclass(frozen=True, slots=True)
class Screen:
    """A window of tmux, 80 columns wide."""

    folder: Path

    def run(self, *words: str) -> None:
        """Run a command of felix in it; the window stays when that has ended."""
        self._tmux(
            "new-session", "-d", "-x", "80", "-y", "30", *FELIX, *words, ";", "set", "remain-on-exit", "on"
        )

    def press(self, *keys: str) -> None:
        """Press keys, as tmux calls them."""
        self._tmux("send-keys", *keys)

    def shows(self, text: str) -> None:
        """Wait for a text on the screen."""
        until(lambda: text in self._tmux("capture-pane", "-p"), f"{text!r} on the screen")

    def ends(self) -> None:
        """Wait for the command to end; tmux does not always know how."""
        until(lambda: self._tmux("display-message", "-p", "#{pane_dead}") == "1\n", "the end of felix")

    def close(self) -> None:
        """End what runs in it."""
        self._tmux("kill-server")

    def _tmux(self, *words: str) -> str:
        return subprocess.run(
            [found("tmux") or "tmux", "-S", f"{self.folder}/tmux", "-f", os.devnull, *words],
            cwd=self.folder,
            env=environment() | {"TERM": "xterm-256color"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        ).stdout


@pytest.fixture
def screen() -> Iterator[Screen]:
    """A window of its own."""
    need("tmux")
    with short_folder() as folder:
        yield (made := Screen(folder))
        made.close()


def test_a_game_is_stepped_through(screen: Screen) -> None:
    played = a_game_played(4)
    (screen.folder / "one.jsonl").write_bytes(played.export())
    screen.run("replay", "one.jsonl", "--step")
    screen.press("]", "]")
    screen.shows("Round 2")
    screen.press("End")
    screen.shows(" won")
    screen.press("q")
    screen.ends()


def test_a_game_is_played_to_its_first_answers(screen: Screen) -> None:
    screen.run("play", "--seed", "5", "--name", "Mia", "--db", "mia.db")
    screen.shows("Mouse cards")
    screen.press("hint", "Enter")
    screen.shows("I would say")
    screen.press("quit", "Enter")
    screen.ends()
