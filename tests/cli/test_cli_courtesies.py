"""Small courtesies of a terminal: pipes that are cut, misspelt words, help in every form."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import click
import pytest

from cli.conftest import Shelf
from cli.terminal import FELIX, Terminal, environment
from cli.test_cli_help import EVERYTHING
from each import each, one_in
from felix_async import __version__

LONG: Final = ["replay", "show", "export"]


def cut(*words: object) -> subprocess.CompletedProcess[bytes]:
    """Run felix with an output that nobody reads, as after `| head` has ended."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            [*FELIX, *map(str, words)],
            env=environment(),
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writer)


@pytest.mark.slow
@pytest.mark.parametrize("words", one_in(2, [*([name] for name in LONG), ["show", "--json"]]))
def test_a_pipe_that_is_cut_ends_a_command_in_silence(shelf: Shelf, words: list[str]) -> None:
    """Also where all that is printed would have fitted into the pipe."""
    done = cut(*words, shelf.over, "--db", shelf.database)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_audit_that_is_cut_has_no_findings(shelf: Shelf) -> None:
    assert cut("audit", "--all", "--db", shelf.database).returncode == 141


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["show", "--help"], ["help"]])
def test_help_may_be_cut(words: list[str]) -> None:
    done = cut(*words)
    assert (done.returncode, done.stderr) == (141, b"")


def test_errors_that_nobody_reads_are_no_trouble(terminal: Terminal) -> None:
    done = subprocess.run(
        f"{FELIX[0]} -c 'from felix_cli.main import cli; cli()' games --db none 2>&1 | true",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environment(),
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_a_closed_output_is_no_trouble() -> None:
    done = subprocess.run(
        [*FELIX, "--version"],
        env=environment(),
        stderr=subprocess.PIPE,
        preexec_fn=lambda: os.close(1),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_output_that_is_full_is_told(shelf: Shelf) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*FELIX, "show", shelf.over, "--db", str(shelf.database)],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert b"No space left" in done.stderr


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("exprot", "export"),
        ("gmaes", "games"),
        ("shwo", "show"),
        ("docter", "doctor"),
        ("helpp", "help"),
        ("version", "--version"),
    ],
)
def test_a_misspelt_command_is_recognised(terminal: Terminal, word: str, meant: str) -> None:
    assert terminal.refused(word, code=2) == f"No such command '{word}'. Did you mean '{meant}'?"


def test_version_has_a_short_form(terminal: Terminal) -> None:
    assert terminal.run("-V") == f"felix, version {__version__}\n"


@each("words", ["", "show", "mail", "mail inbox list"])
def test_help_explains_a_command(terminal: Terminal, words: str) -> None:
    assert terminal.run("help", *words.split()) == terminal.run(*words.split(), "--help")


def test_help_for_nothing_that_there_is(terminal: Terminal) -> None:
    assert terminal.refused("help", "exprot", code=2) == "No such command 'exprot'. Did you mean 'export'?"
    assert "inbox" in terminal.refused("help", "mail", "inbo", code=2)
    assert terminal.refused("help", "show", "x", code=2) == "felix show has no commands."


def test_felix_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "felix_cli", "help", "show"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("Usage: felix show ")


def test_an_export_to_a_dash_is_printed(terminal: Terminal, shelf: Shelf) -> None:
    printed = terminal.run("export", shelf.over, "-o", "-", "--db", shelf.database)
    assert printed == terminal.run("export", shelf.over, "--db", shelf.database)
    assert list(terminal.folder.iterdir()) == []


def test_a_game_that_is_over_is_shown_from_its_result_to_its_hash(terminal: Terminal, shelf: Shelf) -> None:
    told = terminal.json("show", shelf.file)
    lines = terminal.run("show", shelf.file).splitlines()
    scores = {name: score["total"] for name, score in zip(told["names"], told["view"]["scores"], strict=True)}
    best = max(scores, key=lambda name: scores[name])
    assert lines[2] == f"{best} won with {scores[best]}."
    assert [line.split()[0] for line in lines[5:8]] == sorted(scores, key=lambda name: -scores[name])
    assert lines[-2:] == [f"Log: {told['version']} events, root", f"  {told['root']}"]


# ---- the settings
WITH_SETTINGS: Final = [path for path, command in EVERYTHING.items() if not isinstance(command, click.Group)]


@each("path", [path for path in WITH_SETTINGS if path not in ("felix demo", "felix help")])
def test_settings_may_be_named_at_every_command_that_has_any(path: str) -> None:
    assert "--config" in [name for param in EVERYTHING[path].params for name in param.opts]


@pytest.mark.parametrize("words", ["--config there.toml games", "games --config there.toml"])
def test_settings_may_be_named_before_the_command(terminal: Terminal, shelf: Shelf, words: str) -> None:
    Path("there.toml").write_text(f'database = "{shelf.database}"\n')
    assert [game["game_id"] for game in terminal.json(*words.split())] == [shelf.over, shelf.running]


def test_settings_behind_the_command_count(terminal: Terminal, shelf: Shelf) -> None:
    Path("there.toml").write_text(f'database = "{shelf.database}"\n')
    words = ("--config", "missing.toml", "games", "--config", "there.toml")
    assert len(terminal.json(*words)) == 2
    assert terminal.refused("--config", "missing.toml", "games").startswith("missing.toml cannot be read")


def test_a_setting_that_is_misspelt_is_named_by_doctor_once(terminal: Terminal) -> None:
    Path("there.toml").write_text('mailbx = "felix@example.org"\n')
    assert terminal.run("--config", "there.toml", "doctor", code=1) == (
        "WRONG    settings: there.toml: mailbx: unknown setting (did you mean mailbox?); correct this key."
        " - nothing else was looked at\n"
    )


# ---- a move
def test_a_move_needs_no_quotes(desk: Terminal) -> None:
    game_id = desk.started()
    own = desk.json("show", game_id, "--as", "Anna")["view"]["own"]["0"]
    lowest = min(card for card in own["hand"] if isinstance(card, int))
    assert lowest < 0
    assert desk.run("move", game_id, "Anna", "PLAY", lowest, "--db", "felix.db").startswith("Anna placed")


def test_a_misspelt_option_of_a_move_is_one_still(desk: Terminal) -> None:
    said = desk.refused("move", desk.started(), "Anna", "PASS", "--yse", code=2)
    assert said == "No such option '--yse'. Did you mean '--yes'?"
