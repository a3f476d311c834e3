"""Games and seats as people name them at a terminal, settings that are named, and what a shell completes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner

from cli.conftest import Shelf
from cli.terminal import ENV_OFF, FELIX, Terminal, environment
from cli.test_cli_help import EVERYTHING
from each import each
from felix_cli.main import cli
from felix_cli.naming import games_called, seat_named
from felix_cli.output import Problem
from felix_events.store.rows import GameRow
from felix_events.store.sqlite import SqliteStore
from fresh import a_database

AT: Final = "2026-11-02T10:00:00.000000Z"
LOOKS: Final = ["show", "replay", "audit", "export"]


def looked(shelf: Shelf, command: str, game: str, terminal: Terminal) -> str:
    return terminal.run(command, game, "--db", shelf.database)


# ---- games --------------------------------------------------------------------------------------------
@each("command", LOOKS)
def test_a_game_is_named_by_the_beginning_of_its_id_in_any_case(
    terminal: Terminal, shelf: Shelf, command: str
) -> None:
    whole = looked(shelf, command, shelf.over, terminal)
    for named in (shelf.over.upper(), shelf.over[:4], shelf.over[:4].upper()):
        assert looked(shelf, command, named, terminal) == whole


def test_a_move_names_its_game_and_its_player_shortly(terminal: Terminal, auction: str) -> None:
    terminal.run("move", auction[:4].upper(), "ben", "BID 4")
    assert terminal.json("show", auction)["view"]["seats"][1]["bid"] == 4


@pytest.mark.parametrize(
    "words",
    [
        ["mail", "preview", "{}", "ann"],
        ["mail", "revoke", "{}", "Anna"],
        ["mail", "addresses", "list", "--game", "{}"],
        ["mail", "letters", "list", "--game", "{}"],
        ["mail", "inbox", "list", "--game", "{}"],
    ],
)
def test_mail_commands_name_games_shortly(desk: Terminal, words: list[str]) -> None:
    game_id = desk.new("Anna <anna@players.test>", "Ben", "Cara")
    assert desk.run(*(word.format(game_id[:4].upper()) for word in words), "--json")


def test_a_beginning_of_two_games_is_asked_about(tmp_path: Path) -> None:
    store = a_database(tmp_path / "felix.db")
    with store.write() as tx:
        for game_id in ("my32z", "my3kp", "my3"):
            tx.add_game(GameRow(game_id, "", "played", AT, None))
        assert games_called(tx, "MY") == ["my3", "my32z", "my3kp"]
        assert games_called(tx, "my3") == ["my3"]
        assert games_called(tx, "my3k") == ["my3kp"]
        assert [games_called(tx, text) for text in ("m", "", "my%", "zz", "my3-")] == [[]] * 5
    store.close()
    terminal = Terminal(tmp_path)
    said = terminal.refused("show", "my", "--db", tmp_path / "felix.db")
    assert said == "my may be my3, my32z or my3kp; write more of it."


def test_a_file_of_that_name_goes_first(terminal: Terminal, shelf: Shelf) -> None:
    Path(shelf.over[:4]).write_bytes(shelf.file.read_bytes())
    assert terminal.run("show", shelf.over[:4]) == terminal.run("show", shelf.file)


# ---- seats --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "seat"), [("Ben", 1), ("BEN", 1), ("c", 2), ("Anna", 0), ("0", 0), ("2", 2), (" ben ", 1)]
)
def test_a_seat_is_named_by_its_player_or_counted_from_0(text: str, seat: int) -> None:
    assert seat_named(text, ["Anna", "Ben", "Cara"]) == seat


def test_two_of_one_name_are_told_apart_as_they_are_shown() -> None:
    names = ["Ben", "Cara", "ben"]
    with pytest.raises(Problem, match=r"^ben may be Ben \(seat 1\) or ben \(seat 3\); write 0 or 2\.$"):
        seat_named("ben", names)
    assert [seat_named(text, names) for text in ("Ben (seat 1)", "BEN (SEAT 3)", "0", "2")] == [0, 2, 0, 2]


def test_a_number_counts_seats_also_where_somebody_is_called_so() -> None:
    assert seat_named("2", ["2", "Ben", "Cara"]) == 2


def test_a_number_of_five_thousand_digits_is_nobodys() -> None:
    with pytest.raises(Problem, match="Nobody here is called 1111"):
        seat_named("1" * 5000, ["Anna", "Ben"])


def test_nobody_is_meant_by_a_name_that_nobody_has() -> None:
    with pytest.raises(Problem, match=r"^Nobody here is called Zoe; at this table are Anna, Ben and Cara\.$"):
        seat_named("Zoe", ["Anna", "Ben", "Cara"])


def test_a_game_is_seen_with_the_eyes_of_a_player_by_name(terminal: Terminal, shelf: Shelf) -> None:
    db = ["--db", shelf.database]
    for command in ("show", "replay"):
        by_name = terminal.run(command, shelf.running, "--as", "ben", *db)
        assert by_name == terminal.run(command, shelf.running, "--as", 1, *db)
        assert by_name != terminal.run(command, shelf.running, *db)


def test_the_words_spectator_and_all_are_no_names(desk: Terminal) -> None:
    game_id = desk.new("all", "Ben", "Cara")
    assert desk.refused("show", game_id, "--as", "all").startswith("The game is still running")
    assert desk.run("show", game_id, "--as", "0")


def test_no_seat_numbers_are_shown_to_people(terminal: Terminal, auction: str) -> None:
    text = terminal.run("show", auction, "--as", "Anna")
    assert "seat" not in text
    assert [line.split()[0] for line in text.splitlines() if line.startswith(("Anna  ", "Ben  "))]


def test_scripts_count_seats_from_0(desk: Terminal) -> None:
    """People read them from 1, as in messages."""
    game_id = desk.new("Anna", "you", "Cara")
    assert "Anna, you (seat 2), Cara" in desk.run("games")
    assert desk.json("games")[0]["players"] == ["Anna", "you (seat 1)", "Cara"]
    assert desk.json("show", game_id)["names"] == ["Anna", "you (seat 1)", "Cara"]
    assert "you (seat 2)" in desk.run("replay", game_id)
    assert "you (seat 1)" in "".join(step["text"] for step in desk.json("replay", game_id))
    desk.run("move", game_id, "you (seat 2)", "JOIN")


def test_a_new_table_names_who_hosts_and_who_starts(desk: Terminal) -> None:
    words = [word for name in ("Anna", "Ben", "Cara") for word in ("--player", name)]
    game_id = desk.json("new", *words, "--host", "cara", "--start", "Ben")["game_id"]
    (created,) = (step for step in desk.json("replay", game_id) if step["type"] == "game_created")
    assert created["data"]["options"]["start_seat"] == 1
    desk.run("move", game_id, "Cara", "CANCEL")


# ---- settings -----------------------------------------------------------------------------------------
@each("path", EVERYTHING)
def test_settings_can_be_named_wherever_a_database_can(path: str) -> None:
    options = {name for param in EVERYTHING[path].params for name in param.opts}
    assert ("--db" in options) <= ("--config" in options or path in {"felix demo"})


def test_the_settings_that_are_named_count(terminal: Terminal) -> None:
    Path("server").mkdir()
    terminal.run("init", "--config", "server/felix.toml", "--mailbox", "felix@cats.test")
    words = ["new", "--player", "Anna <a@y.test>", "--player", "Ben", "--player", "Cara"]
    said = terminal.invoke(*words, "--config", "server/felix.toml")
    assert "felix@cats.test" in said.stderr
    assert said.stdout.strip() in terminal.run("games", "--config", "server/felix.toml")
    assert not Path("felix.db").exists()


# ---- completion ---------------------------------------------------------------------------------------
def asked_by_bash(line: str) -> dict[str, str]:
    """The variables in which bash asks for the last word of this line."""
    last = str(line.count(" "))
    return {"_FELIX_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": last}


def completed(line: str, **more: str) -> list[str]:
    """Return the words that bash would offer for the last one of this line."""
    done = CliRunner(env=ENV_OFF | asked_by_bash(line) | more).invoke(cli, [], prog_name="felix")
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.strip().splitlines()


@pytest.mark.slow
def test_a_shell_asks_a_process_of_its_own(shelf: Shelf) -> None:
    line = f"felix show --db {shelf.database} "
    done = subprocess.run(
        FELIX, env=environment() | asked_by_bash(line), capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout.strip().splitlines(), done.stderr) == (completed(line), "")


def test_a_shell_completes_games_the_newest_first(shelf: Shelf) -> None:
    db = f"--db {shelf.database}"
    assert completed(f"felix show {db} ") == [f"plain,{shelf.running}", f"plain,{shelf.over}"]
    assert completed(f"felix move {db} {shelf.over[:4]}") == [f"plain,{shelf.over}"]
    assert completed("felix audit ", FELIX_DB=str(shelf.database))[1:] == [f"plain,{shelf.over}"]


def test_a_shell_completes_files_where_no_game_begins_so(shelf: Shelf) -> None:
    assert completed(f"felix show --db {shelf.database} ./x") == ["file,./x"]


def test_a_shell_completes_players(shelf: Shelf) -> None:
    begin = f"felix show --db {shelf.database} {shelf.running} --as "
    assert completed(begin) == [
        f"plain,{name}" for name in ("spectator", "all", "Anna", "Ben", "Cara", "Dan")
    ]
    assert completed(f"{begin}b") == ["plain,Ben"]
    assert completed(f"felix move --db {shelf.database} {shelf.running[:4]} ca") == ["plain,Cara"]


def test_a_shell_completes_messages_and_letters(desk: Terminal) -> None:
    db = f"--db {Path('felix.db').absolute()}"
    desk.new("Anna <anna@players.test>", "Ben", "Cara")
    assert completed(f"felix mail inbox show {db} ") == []
    assert completed(f"felix mail letters show {db} ") == []
    assert completed(f"felix mail addresses stop {db} ") == ["plain,anna@players.test"]


def offers(line: str) -> list[str]:
    """Return the words that are offered beside files."""
    return [found for found in completed(line) if not found.startswith("file,")]


@pytest.mark.parametrize("name", ["$(touch x)", "*", "a b", "Ann`id`", "Ann;ls", "a,b"])
def test_a_name_that_a_shell_might_obey_is_not_offered(desk: Terminal, name: str) -> None:
    game_id = desk.new(name, "Ben", "Cara")
    db = Path("felix.db").absolute()
    assert completed(f"felix move --db {db} {game_id} ") == ["plain,Ben", "plain,Cara"]


@pytest.mark.parametrize(
    "line", ["felix show ", "felix move x ", "felix show --as ", "felix mail inbox show "]
)
def test_where_there_is_nothing_a_shell_is_told_nothing(terminal: Terminal, line: str) -> None:
    assert offers(line) == []
    Path("felix.toml").write_text("what is this")
    assert offers(line) == []


def test_completion_offers_fifty_games_at_most(tmp_path: Path) -> None:
    store: SqliteStore = a_database(tmp_path / "felix.db")
    ids = [f"game{one}{two}" for one in "abcdefgh" for two in "abcdefgh"]
    with store.write() as tx:
        for number, game_id in enumerate(ids):
            at = f"2026-11-02T10:{number // 60:02}:{number % 60:02}.000000Z"
            tx.add_game(GameRow(game_id, "", "played", at, None))
    store.close()
    offered = completed("felix show ", FELIX_DB=os.fspath(tmp_path / "felix.db"))
    assert offered == [f"plain,{game_id}" for game_id in reversed(ids[-50:])]


def test_every_argument_that_names_a_game_is_completed() -> None:
    bare = click.Argument(["x"]).shell_complete
    for path, command in EVERYTHING.items():
        for param in command.params:
            if "GAME" in (param.metavar or "") or param.name in ("game", "game_id"):
                assert param._custom_shell_complete is not None, (path, param.name, bare)


def test_a_shell_completes_commands_to_explain() -> None:
    assert completed("felix help re") == ["plain,replay"]
    assert completed("felix help mail in") == ["plain,inbox"]
    assert completed("felix help games ") == completed("felix help nothing ") == []
