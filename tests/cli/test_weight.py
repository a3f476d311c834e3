"""How much a game by mail makes the database do, what it leaves in it, and what a look at a game loads.

Measured: 30 pages of the write-ahead log for a move with its letters (71 when rows held the bytes of mails
and letters), 29.5 statements until it is kept and dealt with, 0.9 MB for a game of four. A card that is
placed takes 26 of them, one for what was said in advance; three answers of the sixteen are about a row of
before, and take up to 39: the order is tried, so that it can be offered once more.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from by_mail import Cost, costs, game_by_mail
from cli.conftest import Shelf
from cli.terminal import environment
from felix_events.store.sqlite import SqliteStore

GAME_BYTES = 1_200_000
"""The most bytes that the game by mail with seed 7 may leave behind."""


@pytest.fixture(scope="module")
def moves(tmp_path_factory: pytest.TempPathFactory) -> list[Cost]:
    """What the first moves of a game cost."""
    return costs(tmp_path_factory.mktemp("weight") / "felix.db", 16)


@pytest.mark.slow
def test_a_move_with_its_letters_writes_few_pages(moves: list[Cost]) -> None:
    assert sum(move.letters for move in moves) > len(moves)
    assert sum(move.pages for move in moves) / len(moves) <= 30


def test_a_move_is_kept_and_dealt_with_in_few_statements(moves: list[Cost]) -> None:
    """Three of them ask if the player is told of a clean order, too."""
    assert sum(move.keeping + move.dealing for move in moves) / len(moves) <= 33


@pytest.mark.slow
def test_a_game_leaves_little_behind(tmp_path: Path) -> None:
    path = tmp_path / "felix.db"
    letters = sum(cost.letters for cost in game_by_mail(path))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    assert letters > 90
    assert path.stat().st_size <= GAME_BYTES


@pytest.mark.slow
def test_every_move_of_a_whole_game_writes_few_pages(tmp_path: Path) -> None:
    moves = list(game_by_mail(tmp_path / "felix.db"))[4:-1]
    assert sum(move.pages for move in moves) / len(moves) <= 31
    assert max(move.pages for move in moves) <= 45


def test_letters_take_little_room(tmp_path: Path) -> None:
    path = tmp_path / "felix.db"
    costs(path, 4)
    with closing(sqlite3.connect(path)) as connection:
        (packed, size, plain) = connection.execute(
            "SELECT sum(length(data)), sum(size), sum(dictionary = 0) FROM letter_bytes"
        ).fetchone()
    assert plain == 0
    assert packed < size / 8
    with closing(SqliteStore.open_to_read(path)) as store, store.read() as reader:
        assert all(letter.raw.startswith(b"From: Felix") for letter in reader.letters())


# ---- what is loaded -----------------------------------------------------------------------------------
TOLD = (
    "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
    "from felix_cli.main import cli; cli(prog_name='felix')"
)
"""A command that names the modules that it loaded."""


def loaded(folder: Path, *words: object) -> set[str]:
    """Return the modules that a command loads, and the packages that they are in."""
    env = {name: value for name, value in environment().items() if not name.startswith("FELIX_")}
    done = subprocess.run(
        [sys.executable, "-c", TOLD, *map(str, words)],
        cwd=folder,
        env=env,
        capture_output=True,
        timeout=60,
        check=True,
    )
    modules = done.stderr.decode().split()
    return {".".join(parts[:size]) for parts in (one.split(".") for one in modules) for size in (1, 2)}


def test_the_help_of_replay_is_told_without_the_game(tmp_path: Path) -> None:
    found = loaded(tmp_path, "replay", "--help")
    assert not found & {"pydantic", "rich", "orjson", "sqlite3", "felix_events", "felix_async.game"}


def test_an_audit_without_messages_loads_nothing_that_reads_them(shelf: Shelf, tmp_path: Path) -> None:
    assert not loaded(tmp_path, "audit", "--help") & {"dkim", "dns", "felix_notifiers.content", "selectolax"}
    found = loaded(tmp_path, "audit", shelf.file)
    assert "felix_async.audit" in found
    assert not found & {"dkim", "dns", "felix_notifiers.content", "selectolax"}


def test_a_replay_loads_neither_what_writes_nor_what_colours(shelf: Shelf, tmp_path: Path) -> None:
    for words in (["replay", shelf.file], ["replay", shelf.over, "--db", shelf.database]):
        found = loaded(tmp_path, *words)
        assert "felix_async.game" in found
        assert not found & {"sqlite_utils", "pydantic_settings", "asyncio", "babel", "jinja2", "lark"}
        assert not found & {"rich.console", "rich.table", "rich.live", "multiprocessing", "aiosmtpd"}
        assert "felix_async.settings" not in found
