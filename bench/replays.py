"""A replay: told by a command, which is mostly imports, and shown by a browser.

The first view of a page is timed by the clock on the wall, as a browser is several processes and shares work
out among them; the empty page beside it goes the same way, so what the browser itself takes is in both.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

from bench.measure import Rounds, by_turns, time_of_children

if TYPE_CHECKING:
    from playwright.sync_api import Page

_GAMES: Final = Path(__file__).parent.parent / "examples" / "games"
TOLD: Final = _GAMES / "3-players.jsonl"
"""The game that is told: about 150 events, as in the other rows."""
SHOWN: Final = _GAMES / "4-players.html"
"""The page that is shown: of a game of more than 300 events."""
_PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
_EMPTY: Final = (
    '<!DOCTYPE html>\n<html lang="en" data-version="1"><meta charset="utf-8"><title>Empty</title>\n'
)
_WAIT: Final = """() => new Promise((shown) => {
  const look = () => document.documentElement.dataset.version ? shown() : requestAnimationFrame(look);
  look();
})"""
"""Ends with the first frame in which a page says what it shows."""


def find_chromium() -> str | None:
    """The browser, if this machine has it."""
    return next(filter(None, map(shutil.which, _PROGRAMS)), None)


def telling_rounds() -> Rounds:
    """A game told out of its file, beside the help of felix."""
    yield from _commands(["replay", str(TOLD)])


def help_rounds() -> Rounds:
    """The help of the command, beside the help of felix."""
    yield from _commands(["replay", "--help"])


def view_rounds(folder: Path, program: str) -> Rounds:
    """A page opened from its file until it shows its game, beside an empty one."""
    from playwright.sync_api import sync_playwright

    empty = folder / "empty.html"
    empty.write_text(_EMPTY, encoding="utf-8")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program)
        tab = browser.new_page(viewport={"width": 360, "height": 800})
        yield from by_turns(partial(_view, tab, SHOWN), partial(_view, tab, empty), clock=perf_counter)


def _view(tab: Page, page: Path) -> None:
    tab.goto(page.absolute().as_uri(), wait_until="commit")
    tab.evaluate(_WAIT)


def _commands(words: list[str]) -> Rounds:
    felix = str(Path(sys.executable).with_name("felix"))
    yield from by_turns(
        partial(_run, [felix, *words]), partial(_run, [felix, "--help"]), clock=time_of_children
    )


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
