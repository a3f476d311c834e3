"""A terminal for each test, and games to look at that no test changes."""

from __future__ import annotations

import io
import logging
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.terminal import Terminal, a_game_in
from felix_async.clock import time_of
from felix_cli import local
from felix_cli.logs import OneLine
from fresh import a_database


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Terminal(tmp_path)


@pytest.fixture
def desk(terminal: Terminal) -> Terminal:
    """A terminal in a folder with an empty felix.db."""
    a_database(Path("felix.db")).close()
    return terminal


class WallClock:
    """The clock of the machine that a terminal stands on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def set(self, now: str, zone: str) -> None:
        """It is this time now, and the machine stands there."""
        self._monkeypatch.setenv("TZ", zone)
        time.tzset()
        self._monkeypatch.setattr(local, "system_clock", lambda: time_of(now))


@pytest.fixture
def wall_clock() -> Iterator[WallClock]:
    """A clock that a test sets; others go by it again afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        yield WallClock(patch)
    time.tzset()


@pytest.fixture
def new_year(wall_clock: WallClock) -> WallClock:
    """The clock on the first of January 2026, in UTC."""
    wall_clock.set("2026-01-01T12:00:00.000000Z", "UTC")
    return wall_clock


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is logged by anybody, at any level, as a server writes it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(OneLine())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


@dataclass(frozen=True)
class Shelf:
    """A database with a game that is over and one that runs; and the first one as a file."""

    database: Path
    over: str
    running: str
    file: Path


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """To be looked at only."""
    folder = tmp_path_factory.mktemp("shelf")
    database, file = folder / "shelf.db", folder / "over.jsonl"
    over = a_game_in(database, 3, mails=True)
    running = a_game_in(database, 4, seed="b", until_round=4, mails=True)
    Terminal(folder).run("export", over, "-o", file, "--db", database)
    return Shelf(database, over, running, file)


@pytest.fixture(scope="session")
def first_auction(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A database with a game in its first auction: Anna has bid 3, and Ben is asked."""
    folder = tmp_path_factory.mktemp("auction")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        a_database(Path("felix.db")).close()
        terminal = Terminal(folder)
        game_id = terminal.started()
        terminal.place_all(game_id)
        terminal.run("move", game_id, 0, "BID 3")
    return folder / "felix.db", game_id


@pytest.fixture
def auction(terminal: Terminal, first_auction: tuple[Path, str]) -> str:
    """The id of that game, in a felix.db of the terminal's own."""
    database, game_id = first_auction
    shutil.copy(database, "felix.db")
    return game_id
