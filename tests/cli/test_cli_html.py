"""A replay as a page: where it is written, over what it is not, and when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal
from felix_events.embedded import embedded_in

PAGE = Path("game.html")


def test_a_page_holds_the_log_of_its_game(terminal: Terminal, shelf: Shelf) -> None:
    result = terminal.invoke("replay", shelf.over, "--html", PAGE, "--db", shelf.database)
    assert (result.stdout, result.stderr) == ("", "Wrote game.html; open it in a browser.\n")
    assert embedded_in(PAGE.read_bytes()) == shelf.file.read_bytes()


def test_a_dash_is_standard_output(terminal: Terminal, shelf: Shelf) -> None:
    terminal.run("replay", shelf.file, "--html", PAGE)
    result = terminal.invoke("replay", shelf.file, "--html", "-")
    assert (result.stdout, result.stderr) == (PAGE.read_text("utf-8"), "")
    assert not Path("-").exists()


def test_a_page_out_of_a_file_is_that_out_of_the_database(terminal: Terminal, shelf: Shelf) -> None:
    terminal.run("replay", shelf.over, "--html", PAGE, "--db", shelf.database)
    terminal.run("replay", shelf.file, "--html", "other.html")
    assert Path("other.html").read_bytes() == PAGE.read_bytes()


def test_a_page_is_written_over_an_older_page(terminal: Terminal, shelf: Shelf) -> None:
    terminal.run("replay", shelf.file, "--html", PAGE)
    older = PAGE.read_bytes()
    at_end = terminal.run("replay", shelf.file, "--html", "-", "--end").encode()
    terminal.run("replay", shelf.file, "--html", PAGE, "--end")
    assert PAGE.read_bytes() == at_end != older


def test_a_page_is_written_over_nothing_but_a_page(terminal: Terminal, shelf: Shelf) -> None:
    PAGE.write_text("<!DOCTYPE html>\n<p>mine\n", encoding="utf-8")
    said = terminal.refused("replay", shelf.file, "--html", PAGE)
    assert said == "game.html is there already and is no felix page; name another file."
    assert PAGE.read_text("utf-8") == "<!DOCTYPE html>\n<p>mine\n"


def test_an_audit_vouches_for_the_log_of_a_page_and_not_for_its_story(
    terminal: Terminal, shelf: Shelf
) -> None:
    terminal.run("replay", shelf.file, "--html", PAGE)
    PAGE.write_text(PAGE.read_text("utf-8").replace("</li>", " by cheating</li>"), encoding="utf-8")
    said = terminal.run("audit", PAGE)
    assert said.startswith(terminal.run("audit", shelf.file))
    assert "not checked: page: only the log in it was read; `felix replay` tells the game by that" in said


def test_a_running_game_has_no_page_of_all_hands(terminal: Terminal, shelf: Shelf) -> None:
    said = terminal.refused("replay", shelf.running, "--as", "all", "--html", PAGE, "--db", shelf.database)
    assert said.startswith("The game is still running, so nobody may see everything.")
    assert not PAGE.exists()


@pytest.mark.parametrize(("viewer", "mode"), [("spectator", 0o644), ("Ben", 0o600)])
def test_a_players_page_of_a_running_game_is_for_its_owner(
    terminal: Terminal, shelf: Shelf, viewer: str, mode: int
) -> None:
    terminal.run("replay", shelf.running, "--as", viewer, "--html", PAGE, "--db", shelf.database)
    assert PAGE.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("viewer", ["spectator", "Ben"])
@pytest.mark.parametrize("is_over", [True, False])
def test_a_viewers_page_holds_that_viewers_log(
    terminal: Terminal, shelf: Shelf, viewer: str, is_over: bool
) -> None:
    game = shelf.over if is_over else shelf.running
    terminal.run("replay", game, "--as", viewer, "--html", PAGE, "--db", shelf.database)
    terminal.run("export", game, "--as", viewer, "-o", "one.jsonl", "--db", shelf.database)
    assert embedded_in(PAGE.read_bytes()) == Path("one.jsonl").read_bytes()


def test_a_file_for_one_viewer_makes_no_page(terminal: Terminal, shelf: Shelf) -> None:
    terminal.run("export", shelf.file, "--as", "Ben", "-o", "one.jsonl")
    said = terminal.refused("replay", "one.jsonl", "--html", PAGE, code=2)
    assert said == "This file holds only what Ben may know; ask for one with the whole game."
    assert not PAGE.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--html", "a.html", "--json"),
        ("--html", "a.html", "--step"),
        ("--html", "a.html", "--until", "9"),
        ("--end",),
    ],
)
def test_what_does_not_go_together_is_refused(
    terminal: Terminal, shelf: Shelf, words: tuple[str, ...]
) -> None:
    said = terminal.refused("replay", shelf.file, *words, code=2)
    assert said.endswith(("not both.", "give --html as well."))
    assert not Path("a.html").exists()
