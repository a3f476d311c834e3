"""play: whole games at a terminal against computer players, left and taken up again, and sound."""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.place import Place
from cli.terminal import Terminal
from cli.typist import Typist
from felix_cli.play import command, session
from fresh import a_database

QUESTION = "HELP or QUIT.\n> "
HINT = re.compile(r"I would say ([A-Z0-9 -]+)\.")
SEEN = "Enter goes on. "
END = "To look again, here or in a browser:"
LEFT = "You left the table. To go on:\n"


@pytest.fixture
def typist(terminal: Terminal) -> Iterator[Typist]:
    """Somebody who has just sat down with two others."""
    with Typist(terminal.folder, "play", "--players", 3, "--seed", 7, "--name", "Mia") as typist:
        typist.until(QUESTION)
        yield typist


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of this process believe that somebody sits there."""
    monkeypatch.setattr(command, "_is_at_terminal", lambda: True)


@pytest.fixture
def leaving(monkeypatch: pytest.MonkeyPatch, at_terminal: None) -> None:
    """Whoever sits down leaves at the first question."""

    def left(_prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr(session, "_line", left)


def the_game(terminal: Terminal) -> str:
    """The id of the one game there is."""
    (game,) = terminal.json("games")
    assert (game["kind"], game["table"]) == ("local", "")
    return str(game["game_id"])


@pytest.mark.slow
def test_a_card_is_played_and_the_auction_told(typist: Typist) -> None:
    typist.type("HINT")
    order = HINT.search(typist.until(QUESTION))
    assert order is not None
    typist.type(order[1])
    assert "turned up" in typist.until(QUESTION)


@pytest.mark.slow
def test_the_readme_shows_how_it_goes(typist: Typist) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    shown = "> bid 1" + readme.partition("```text\n> bid 1")[2].partition("```")[0]
    told = ""
    for words in ("play 8", "bid 1", "hint"):
        typist.type(words)
        told += typist.until(QUESTION)
    lines = (line.rstrip() for line in told.replace("\N{NO-BREAK SPACE}", " ").splitlines())
    assert shown in "\n".join(lines)


@pytest.mark.slow
def test_a_whole_game_is_played_by_the_hints_that_are_written(typist: Typist, terminal: Terminal) -> None:
    told = ""
    while END not in told:
        typist.type("hint")
        order = HINT.search(" ".join(typist.until(QUESTION).split()))
        assert order is not None
        typist.type(order[1])
        while (told := typist.until(QUESTION, END, SEEN)).endswith(SEEN):
            typist.type("")
    assert typist.left() == 0
    game_id = the_game(terminal)
    again = f"replay {game_id}"
    assert [line.partition(again)[2] for line in typist.screen.splitlines()[-2:]] == [
        "",
        f" --html {game_id}.html",
    ]
    assert ": sound (" in terminal.run("audit", game_id)


@pytest.mark.slow
def test_the_readme_shows_such_a_table(typist: Typist) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    shown = readme.partition("goes on with it.\n\n```text\n> ")[2].partition("```")[0]
    assert shown.startswith("bid 1\n")
    for line in ("PLAY 8", "bid 1", "hint"):
        typist.type(line)
        typist.until(QUESTION)
    screen = "\n".join(line.rstrip() for line in typist.screen.replace("\N{NO-BREAK SPACE}", " ").split("\n"))
    assert shown in screen


@pytest.mark.slow
def test_quit_leaves_with_one_sentence(typist: Typist, terminal: Terminal) -> None:
    typist.type("quit")
    assert typist.left() == 0
    assert typist.screen.partition(LEFT)[2].endswith(f" play {the_game(terminal)}\n")


@pytest.mark.slow
def test_ctrl_d_leaves_with_the_same_sentence(typist: Typist, terminal: Terminal) -> None:
    typist.press(b"\x04")
    assert typist.left() == 0
    assert typist.screen.partition(LEFT)[2].endswith(f" play {the_game(terminal)}\n")


@pytest.mark.slow
def test_ctrl_c_leaves_with_the_same_sentence(typist: Typist) -> None:
    assert typist.interrupt(LEFT) == 0
    assert "Traceback" not in typist.screen


def test_ctrl_c_leaves_while_nothing_is_asked_yet(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, at_terminal: None
) -> None:
    def interrupted(*_: object, **_settings: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "open_to_write", interrupted)
    result = terminal.invoke("play")
    assert (result.exit_code, result.stderr[: len(LEFT)]) == (0, LEFT)


@pytest.mark.slow
def test_a_killed_game_is_taken_up_again(typist: Typist, terminal: Terminal) -> None:
    game_id = the_game(terminal)
    typist.kill()
    with Typist(terminal.folder, "play") as again:
        assert f"Going on with {game_id};" in again.until(QUESTION)


def test_a_new_game_begins_beside_an_unfinished_one(terminal: Terminal, leaving: None) -> None:
    terminal.run("play")
    terminal.run("play", "--new")
    assert len(terminal.json("games")) == 2


def test_the_game_that_was_left_is_named(terminal: Terminal, leaving: None) -> None:
    terminal.run("play")
    older = the_game(terminal)
    terminal.run("play", "--new")
    assert terminal.invoke("play", older).stderr.endswith(f" play {older}\n")


def test_no_sentence_is_cut_within_a_word(
    terminal: Terminal, leaving: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.run("play")
    monkeypatch.setenv("COLUMNS", "40")
    told = terminal.invoke("play").stderr.partition("You left")[0]
    assert "begins another game." in " ".join(told.split())
    assert max(map(len, told.splitlines())) <= 40


@pytest.mark.slow
def test_forty_columns_are_enough(terminal: Terminal) -> None:
    with Typist(terminal.folder, "play", "--players", 5, columns=40) as typist:
        typist.type("HELP")
        typist.until("own words")
        typist.until("> ")
        assert max(map(len, typist.screen.split("\n"))) <= 40


@pytest.mark.slow
def test_a_line_that_is_no_text_is_asked_again(typist: Typist) -> None:
    typist.press(b"\xff\xfe\n")
    assert "Traceback" not in typist.until(QUESTION)


def test_the_game_is_as_the_options_say(terminal: Terminal, leaving: None) -> None:
    terminal.run("play", "--players", 5, "--rules", "2007", "--name", "Zoë", "--seed", 3)
    shown = terminal.json("show", the_game(terminal))
    assert shown["view"]["ruleset"] == "felix-2007"
    assert shown["names"] == ["Zoë", "Anna", "Ben", "Cara", "Dan"]
    assert shown["view"]["options"]["seeded"] is True


def test_without_options_four_play_by_the_newer_rules(terminal: Terminal, leaving: None) -> None:
    terminal.run("play")
    shown = terminal.json("show", the_game(terminal))
    assert (shown["view"]["ruleset"], len(shown["names"])) == ("felicity-2017", 4)
    assert shown["view"]["options"]["seeded"] is False


def test_no_two_at_the_table_have_one_name(terminal: Terminal, leaving: None) -> None:
    terminal.run("play", "--name", "ben")
    assert terminal.json("show", the_game(terminal))["names"] == ["ben", "Anna", "Cara", "Dan"]


def test_the_newest_unfinished_game_goes_on(terminal: Terminal, leaving: None) -> None:
    terminal.run("play", "--seed", 1)
    terminal.run("play", "--seed", 2)
    newest = max(terminal.json("games"), key=lambda game: game["created_at"])["game_id"]
    assert terminal.invoke("play").stderr.startswith(f"Going on with {newest};")


def test_whoever_has_no_name_here_is_called_anna(
    terminal: Terminal, leaving: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> str:
        raise KeyError

    monkeypatch.setattr(getpass, "getuser", nobody)
    terminal.run("play")
    assert terminal.json("show", the_game(terminal))["names"] == ["Anna", "Ben", "Cara", "Dan"]


def test_a_pipe_is_refused(terminal: Terminal) -> None:
    assert terminal.refused("play", code=2) == "`felix play` needs a terminal to play in."


@pytest.mark.parametrize("words", [["--players", 2], ["--players", 6], ["--rules", "1999"], ["--seed", "x"]])
def test_play_used_wrongly_is_exit_2(terminal: Terminal, words: list[object]) -> None:
    terminal.refused("play", *words, code=2)
    assert list(terminal.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["zzzzz"], "There is no game zzzzz"),
        (["--name", "<>"], "<> is no name to be called by."),
        (["zzzzz", "--new"], "A game that goes on keeps its players, rules and names."),
    ],
)
def test_what_cannot_be_played_is_one_sentence(
    terminal: Terminal, at_terminal: None, words: list[str], why: str
) -> None:
    result = terminal.invoke("play", *words)
    assert result.exit_code in (1, 2)
    assert f"Error: {why}" in result.stderr


def test_a_game_by_mail_is_not_taken_up(desk: Terminal, at_terminal: None) -> None:
    game_id = desk.started()
    said = desk.refused("play", game_id)
    assert said.startswith(f"{game_id} is not a game of `felix play`;")


def test_a_game_that_is_over_is_not_taken_up(terminal: Terminal, at_terminal: None) -> None:
    with closing(a_database(Path("felix.db"))) as store:
        place = Place(store, players=3)
        place.sit(place.advised)
    game_id = place.table.game_id
    assert terminal.refused("play", game_id) == f"{game_id} is over; `felix replay {game_id}` tells it."
