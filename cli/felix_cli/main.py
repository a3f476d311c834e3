"""The list of commands, each imported when it is called.

A command's module is imported when it is called, so that `felix --help` and `felix --version` answer at
once: the list below is all they need.
"""

from __future__ import annotations

import importlib
from typing import Any, Final

import click

from felix_async import __version__

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("felix_cli.demo:demo", "Play a whole game by real e-mail on this machine."),
    "init": ("felix_cli.serving:init", "Set up a server: felix.toml and its database."),
    "serve": ("felix_cli.serving:serve", "Run the server: receive mail, play, answer, remind."),
    "doctor": ("felix_cli.doctor:doctor", "Say what is wrong with a server's set-up."),
    "backup": ("felix_cli.backup:backup", "Copy the database while a server runs."),
    "new": ("felix_cli.games:new", "Start a game and invite its players."),
    "games": ("felix_cli.games_list:games", "List the games."),
    "show": ("felix_cli.games:show", "Show one game's table."),
    "move": ("felix_cli.games:move", "Make a move at the host's desk."),
    "replay": ("felix_cli.records:replay", "Tell what happened in a game."),
    "audit": ("felix_cli.records:audit", "Check whether a game is sound."),
    "export": ("felix_cli.records:export", "Write a game to a file."),
    "import": ("felix_cli.records:import_", "Import an exported game (read-only)."),
    "simulate": ("felix_cli.simulate:simulate", "Play games between computer players."),
    "mail": ("felix_cli.mail:mail", "Inspect and manage mail."),
}
"""Command -> where it is, and its line in the list."""


class LazyGroup(click.Group):
    """A group that knows its commands' names and imports a command only to run it or to explain it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what felix itself says of a problem becomes one sentence and an exit code."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from felix_cli.output import problem_of

            problem = problem_of(error)
            if problem is None:
                raise
            raise problem from error


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="felix")
def cli() -> None:
    """felix: play the card game Felix, The Cat in the Sack, by e-mail.

    \b
    Example:
      felix demo
    """
