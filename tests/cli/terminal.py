"""A terminal in a folder of its own: felix's commands, what they print, and what they leave behind."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
from click.testing import CliRunner, Result

from felix_cli.main import cli
from fresh import a_database
from games import NAMES, Room, a_room

ENV_OFF: Final = {"FELIX_DB": None, "FELIX_CONFIG": None}
FELIX: Final = [sys.executable, "-c", "from felix_cli.main import cli; cli(prog_name='felix')"]
"""felix as a process of its own, whatever is installed where."""


@dataclass
class Terminal:
    """Somebody's terminal; the current folder is `folder`."""

    folder: Path

    def invoke(self, *words: object) -> Result:
        """A command, in this process; an exception that felix does not expect goes on."""
        # With `color`, click leaves escapes in what it prints, as it does on a terminal.
        result = CliRunner(env=ENV_OFF).invoke(cli, list(map(str, words)), prog_name="felix", color=True)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def run(self, *words: object, code: int = 0) -> str:
        """What a command prints as its result."""
        result = self.invoke(*words)
        assert result.exit_code == code, result.output
        return result.stdout

    def json(self, *words: object, code: int = 0) -> Any:
        """What a command prints with --json."""
        return orjson.loads(self.run(*words, "--json", code=code))

    def refused(self, *words: object, code: int = 1) -> str:
        """The one sentence of a command that does nothing."""
        result = self.invoke(*words)
        assert result.exit_code == code, result.output
        assert result.stdout == ""
        assert_harmless(result.stderr)
        start, _, sentence = result.stderr.removesuffix("\n").rpartition("\n")
        assert sentence.startswith("Error: ")
        assert start.startswith("Usage: felix") if start else sentence.endswith(".")
        return sentence.removeprefix("Error: ")

    def new(
        self,
        *players: str,
        table: str = "Thursday club",
        start: int | None = None,
        clock: str = "",
        pace: str = "",
    ) -> str:
        """A new game in felix.db, which is there; its id."""
        words = [word for player in players for word in ("--player", player)]
        words += [] if start is None else ["--start", str(start)]
        words += ["--clock", clock] if clock else []
        words += ["--pace", pace] if pace else []
        game_id: str = self.json("new", "--table", table, *words)["game_id"]
        return game_id

    def started(self, seats: int = 3, clock: str = "") -> str:
        """A game where everybody has joined, at the desk; Anna starts."""
        game_id = self.new(*NAMES[:seats], start=0, clock=clock)
        for seat in range(seats):
            self.run("move", game_id, seat, f"JOIN words of {seat}")
        return game_id

    def hand(self, game_id: str, seat: int) -> list[int | str]:
        """The cards of a seat, as it sees them itself."""
        view = self.json("show", game_id, "--as", seat)["view"]
        cards: list[int | str] = view["own"][str(seat)]["hand"]
        return cards

    def place_all(self, game_id: str) -> None:
        """Every seat that is asked for a card places the first of its hand."""
        for seat in self.json("show", game_id)["view"]["asked"]:
            self.run("move", game_id, seat, f"PLAY {self.hand(game_id, seat)[0]}".replace("_", " "))

    def process(self, *words: object, **settings: Any) -> subprocess.CompletedProcess[bytes]:
        """A command as a real process, without the terminal's own variables."""
        return subprocess.run(
            [*FELIX, *map(str, words)],
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            timeout=60,
            check=False,
            **settings,
        )


def environment() -> dict[str, str]:
    """The environment of a process that is to be told nothing about a database."""
    return {name: value for name, value in os.environ.items() if name not in ENV_OFF}


def dump(database: Path) -> list[str]:
    """Everything that is in a database, as SQL."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return list(connection.iterdump())


def assert_harmless(text: str) -> None:
    """No control character but the line feed, and nothing that changes the direction of writing."""
    bad = [char for char in text if char not in "\n\N{NO-BREAK SPACE}" and not char.isprintable()]
    assert not bad, f"{bad} in {text!r}"


def a_room_in(database: Path, seed: str = "room") -> Room:
    """A place to play on a database in a file; its store wants to be closed."""
    return a_room(seed, a_database(database))


def a_game_in(
    database: Path, seats: int = 4, *, seed: str = "a", until_round: int = 0, mails: bool = False
) -> str:
    """A game played by computer players with mail addresses, up to the auction of a round or to the end;
    with the `mails` that an audit expects in the inbox.
    """
    room = a_room_in(database, seed)
    with room.store.read() as reader:
        before = len(reader.games())
    room.commands = 10_000 * before
    try:
        game_id = room.open(seats, command_id=f"create-{before}")
        room.join_all(game_id)
        room.play(
            game_id,
            seed=seed,
            until=lambda game: game.is_over or (game.round == until_round and game.phase == "bidding"),
        )
        if mails:
            room.enter_mails(10_000 * before)
    finally:
        room.store.close()
    return game_id
