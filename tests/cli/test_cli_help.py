"""The door: what there is, said quickly, and with an example for everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import click
import pytest

from cli.terminal import FELIX, Terminal, environment
from each import each
from felix_async import __version__
from felix_cli.main import COMMANDS, cli
from games import NAMES

HEAVY: Final = ("pydantic", "sqlite_utils", "aiosmtpd", "apscheduler", "jinja2", "rich", "felix_events")
GAME: Final = (
    "felix_events.model",
    "felix_events.envelope",
    "felix_async.game",
    "felix_async.language.grammar",
    "felix_async.meaning",
    "felix_async.inbox",
    "felix_async.service",
    "felix_notifiers",
    "lark",
    "apscheduler",
)

ANYWHERE: Final = Terminal(Path())


def all_commands() -> list[tuple[str, click.Command]]:
    """Every command and group, with the words that call it."""
    found: list[tuple[str, click.Command]] = [("felix", cli)]
    for path, command in found:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                found.append((f"{path} {name}", inner))
    return found


EVERYTHING = dict(all_commands())


@each("path", EVERYTHING)
def test_every_help_ends_with_an_example_that_names_the_command(path: str) -> None:
    words = path.split()[1:]
    text = ANYWHERE.run(*words, "--help")
    description, _, options = text.partition("\nOptions:")
    example = description.rstrip().rpartition("Example:\n")[2].splitlines()
    assert example[0].strip().startswith(path if words else "felix ")
    assert options


@each("path", EVERYTHING)
def test_every_option_says_what_it_is_for(path: str) -> None:
    obvious = {"players", "ruleset", "games"}
    options = [p for p in EVERYTHING[path].params if isinstance(p, click.Option)]
    silent = [p.opts[-1] for p in options if not p.help and p.opts[-1].strip("-") not in obvious]
    assert silent == []


@each("path", EVERYTHING)
def test_every_command_begins_with_one_sentence(path: str) -> None:
    help_text = EVERYTHING[path].help or ""
    first = " ".join(help_text.partition("\n\n")[0].split())
    assert first.endswith(".")
    assert first[0].isupper() or path == "felix"


@each("path", EVERYTHING)
def test_no_list_cuts_a_sentence(path: str) -> None:
    command = EVERYTHING[path]
    if isinstance(command, click.Group):
        listed = command.get_help(click.Context(command, terminal_width=80)).partition("Commands:\n")[2]
        assert "..." not in listed


def test_the_list_names_every_command_in_order() -> None:
    text = ANYWHERE.run("--help")
    listed = [line.split()[0] for line in text.partition("Commands:\n")[2].splitlines() if line.strip()]
    assert listed == list(COMMANDS)
    assert [command.name for path, command in EVERYTHING.items() if path.count(" ") == 1] == list(COMMANDS)


def test_the_contract_of_words_is_kept() -> None:
    desk = {"init", "serve", "doctor", "new", "games", "show", "move"}
    assert desk | {"demo", "replay", "audit", "export", "import", "simulate", "mail"} <= set(COMMANDS)
    assert "felix mail preview" in EVERYTHING


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_is_asked_for_in_two_ways(flag: str) -> None:
    assert "Play a whole game by real e-mail" in ANYWHERE.run(flag)


def test_the_version_is_printed() -> None:
    assert ANYWHERE.run("--version") == f"felix, version {__version__}\n"


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_version_and_help_import_nothing_heavy(flag: str) -> None:
    program = (
        "import sys\n"
        "from felix_cli.main import cli\n"
        f"cli([{flag!r}], standalone_mode=False)\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stderr == "[]\n"
    assert "felix" in done.stdout


def test_an_unknown_command_is_wrong_usage(terminal: Terminal) -> None:
    assert terminal.refused("resign", code=2) == "No such command 'resign'."


def test_an_unknown_option_is_wrong_usage(terminal: Terminal) -> None:
    assert "--loud" in terminal.refused("games", "--loud", code=2)


def test_felix_is_a_command_of_its_own(terminal: Terminal) -> None:
    done = subprocess.run(
        [*FELIX, "--version"], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout == f"felix, version {__version__}\n"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_list_of_games_loads_neither_the_game_nor_the_grammar(desk: Terminal, form: list[str]) -> None:
    """What these bring along is most of what a felix server loads."""
    desk.new(*NAMES, clock="2 days a move")
    program = (
        "import sys\n"
        "from felix_cli.main import cli\n"
        f"cli(['games', '--db', 'felix.db', *{form}], standalone_mode=False)\n"
        f"print([name for name in {GAME} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stderr == "[]\n"
    assert "Thursday club" in done.stdout
