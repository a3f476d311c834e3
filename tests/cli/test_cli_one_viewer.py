"""`felix export --as`: a file for one viewer, which other commands read for this one and nobody else."""

from __future__ import annotations

import stat
from pathlib import Path

import orjson
import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal
from each import each
from golden.make_golden import GOLDEN, kept_game

FILES = [("over", "Ben"), ("over", "spectator"), ("running", "Ben"), ("running", "spectator")]


@pytest.fixture
def folder(terminal: Terminal, shelf: Shelf) -> Terminal:
    """A terminal beside files for Ben and for a spectator, of a game that is over and of one that runs."""
    for which, who in FILES:
        game_id = shelf.over if which == "over" else shelf.running
        terminal.run("export", game_id, "--as", who, "-o", f"{which}-{who}.jsonl", "--db", shelf.database)
    return terminal


def told(terminal: Terminal, *words: object) -> object:
    """What a command prints with --json, but for the hashes that a file for one viewer may lack."""
    lines = terminal.json(*words)
    return [line | {"leaf": "", "actor": ""} for line in lines] if isinstance(lines, list) else lines


def test_a_replay_and_a_table_from_the_file_are_those_from_the_database(
    folder: Terminal, shelf: Shelf
) -> None:
    for which, who in FILES:
        game_id = shelf.over if which == "over" else shelf.running
        file, kept = f"{which}-{who}.jsonl", (game_id, "--as", who, "--db", shelf.database)
        assert folder.run("replay", file) == folder.run("replay", *kept)
        assert told(folder, "replay", file) == told(folder, "replay", *kept)
        assert folder.run("show", file, "--mask-hashes") == folder.run("show", *kept, "--mask-hashes")


def test_a_file_for_one_viewer_is_sound_and_says_what_was_not_checked(folder: Terminal) -> None:
    for which, who in FILES:
        said = folder.run("audit", f"{which}-{who}.jsonl")
        assert ": sound (" in said
        assert "not checked: moves: " in said


def test_it_is_shown_to_nobody_else(folder: Terminal) -> None:
    for command in ("replay", "show"):
        for who in ("Cara", "all", "2"):
            said = folder.refused(command, "over-Ben.jsonl", "--as", who, code=2)
            assert said == "This file holds only what Ben may know; ask for one with the whole game."
        said = folder.refused(command, "over-spectator.jsonl", "--as", "Ben", code=2)
        assert said == "This file holds only what a spectator may know; ask for one with the whole game."


def test_a_spectator_may_look_at_the_file_of_a_seat(folder: Terminal, shelf: Shelf) -> None:
    kept = (shelf.over, "--as", "spectator", "--db", shelf.database)
    assert folder.run("replay", "over-Ben.jsonl", "--as", "spectator") == folder.run("replay", *kept)


@each(
    "words",
    ["export FILE --as spectator", "export FILE", "import FILE", "mail preview FILE 1"],
)
def test_what_needs_the_whole_game_says_so(folder: Terminal, words: str) -> None:
    said = folder.refused(*words.replace("FILE", "over-Ben.jsonl").split(), code=2)
    assert said == "This file holds only what Ben may know; ask for one with the whole game."


def test_the_file_of_a_running_game_is_private_where_it_holds_cards(folder: Terminal) -> None:
    assert stat.S_IMODE(Path("running-Ben.jsonl").stat().st_mode) == 0o600
    assert stat.S_IMODE(Path("running-spectator.jsonl").stat().st_mode) == 0o644


def test_a_warning_says_what_the_file_of_a_running_game_holds(terminal: Terminal, shelf: Shelf) -> None:
    said = {
        who: terminal.invoke("export", shelf.running, "--as", who, "--db", shelf.database).stderr
        for who in ("Ben", "spectator", "all")
    }
    assert said["Ben"] == "This game still runs: the file holds cards of a player, so keep it to yourself.\n"
    assert said["spectator"] == ""
    assert "hidden cards" in said["all"]


def test_nobody_of_that_name_gets_no_file(terminal: Terminal, shelf: Shelf) -> None:
    words = ("export", shelf.over, "--as", "Zoe", "-o", "zoe.jsonl", "--db", shelf.database)
    assert terminal.refused(*words, code=2).startswith("Nobody here is called Zoe")
    assert not Path("zoe.jsonl").exists()


def test_a_file_for_everybody_makes_one_for_a_seat(
    terminal: Terminal, shelf: Shelf, folder: Terminal
) -> None:
    data = terminal.run("export", shelf.file, "--as", "Ben")
    assert data == Path("over-Ben.jsonl").read_text("utf-8")
    assert orjson.loads(data.splitlines()[0])["viewer"] == 1


def test_a_table_out_of_the_file_of_a_running_game_has_the_number_of_what_is_told(terminal: Terminal) -> None:
    """Deadlines that run no longer are not told, and not counted."""
    game = kept_game(next(script.path for script in GOLDEN if script.course == "hurried"))
    running = game.until(game.step_ends()[-9])
    Path("whole.jsonl").write_bytes(running.export())
    for who in ("Ben", "spectator"):
        terminal.run("export", "whole.jsonl", "--as", who, "-o", f"{who}.jsonl")
        told = Path(f"{who}.jsonl").read_text("utf-8").count('{"told":')
        assert terminal.json("show", f"{who}.jsonl")["version"] == told < running.size
        assert terminal.json("show", f"{who}.jsonl", "--until", 60)["version"] == 60


def test_an_early_version_of_a_file_for_one_viewer_is_shown(folder: Terminal, shelf: Shelf) -> None:
    for who in ("Ben", "spectator"):
        kept = (shelf.over, "--as", who, "--db", shelf.database)
        for until in (9, 30):
            one = folder.run("show", f"over-{who}.jsonl", "--until", until, "--mask-hashes")
            assert one == folder.run("show", *kept, "--until", until, "--mask-hashes")
