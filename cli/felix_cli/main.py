"""The list of commands, each imported when it is called.

A command's module is imported when it is called, so that `felix --help` and `felix --version` answer at
once: the list below is all they need.
"""

from __future__ import annotations

import importlib
import os
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TextIO

import click

import felix_cli.loading  # noqa: F401  # before anything else is loaded
from felix_async import __version__
from felix_cli.config import config_option

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("felix_cli.demo:demo", "Play a whole game by real e-mail on this machine."),
    "play": ("felix_cli.play.command:play", "Play here and now against computer players."),
    "init": ("felix_cli.serving:init", "Set up a server: felix.toml and its database."),
    "serve": ("felix_cli.serving:serve", "Run the server: receive mail, play, answer, remind."),
    "doctor": ("felix_cli.doctor:doctor", "Say what is wrong with a server's set-up."),
    "backup": ("felix_cli.backup:backup", "Copy the database while a server runs."),
    "new": ("felix_cli.games:new", "Start a game and invite its players."),
    "games": ("felix_cli.games_list:games", "List the games."),
    "show": ("felix_cli.games:show", "Show one game's table."),
    "move": ("felix_cli.games:move", "Make a move at the host's desk."),
    "replay": ("felix_cli.replay.command:replay", "Tell what happened in a game."),
    "audit": ("felix_cli.records:audit", "Check whether a game is sound."),
    "dispute": ("felix_cli.dispute:dispute", "Tell of the moves that players deny."),
    "export": ("felix_cli.records:export", "Write a game to a file."),
    "import": ("felix_cli.records:import_", "Import an exported game (read-only)."),
    "simulate": ("felix_cli.simulate:simulate", "Play games between computer players."),
    "mail": ("felix_cli.mail:mail", "Inspect and manage mail."),
    "help": ("felix_cli.main:help_", "Explain a command."),
}
"""Command -> where it is, and its line in the list."""
EXIT_CUT: Final = 141
"""The exit code of a program that SIGPIPE ended."""


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; one that is misspelt is answered with those that may be meant."""
        word = args[0]
        if not ctx.resilient_parsing and word[:1] != "-" and self.get_command(ctx, word) is None:
            from difflib import get_close_matches

            near = " or ".join(repr(name) for name in get_close_matches(word, [*COMMANDS, "--version"]))
            ctx.fail(f"No such command {word!r}.{f' Did you mean {near}?' if near else ''}")
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the words before a command; `--help` and `--version` are printed here."""
        if not sys.stdout:
            # It was closed (`>&-`): nobody wants to read what felix prints.
            sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
        with silent_if_cut():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what felix itself says of a problem becomes one sentence and an exit code."""
        try:
            with silent_if_cut():
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from felix_cli.output import problem_of

            problem = problem_of(error)
            if problem is None:
                raise
            raise problem from error


@contextmanager
def silent_if_cut() -> Iterator[None]:
    """End in silence if whoever read the output, as `head` does, has read enough of it."""
    try:
        yield
    except BrokenPipeError:
        cut = [stream for stream in (sys.stdout, sys.stderr) if stream and _is_cut(stream)]
        if not cut:
            raise
        for stream in cut:
            # The rest in it would be written when Python ends, and fail once more.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise SystemExit(EXIT_CUT) from None


def _is_cut(stream: TextIO) -> bool:
    """Return True if nobody can read what is written there any more."""
    poll = select.poll()
    poll.register(stream.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _at(ctx: click.Context, words: Sequence[str]) -> click.Context:
    """Return where these words lead from the first command; there must be such a command."""
    at = ctx.find_root()
    for word in words:
        if not isinstance(at.command, click.Group):
            raise click.UsageError(f"{at.command_path} has no commands.", at)
        name, command, _ = at.command.resolve_command(at, [word])
        if command is None:
            raise click.UsageError(f"No such command {word!r}.", at)
        at = click.Context(command, at, name)
    return at


def _complete_command(ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
    """Offer the commands behind those that stand there."""
    try:
        at = _at(ctx, ctx.params.get("words") or ())
    except click.UsageError:
        return []
    names = at.command.list_commands(at) if isinstance(at.command, click.Group) else []
    return [name for name in names if name.startswith(typed)]


@click.command("help")
@click.argument("words", metavar="[COMMAND]...", nargs=-1, shell_complete=_complete_command)
@click.pass_context
def help_(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Explain a command, as its --help does.

    \b
    Example:
      felix help show
    """
    click.echo(_at(ctx, words).get_help())


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="felix")
@config_option
def cli() -> None:
    """felix: play the card game Felix, The Cat in the Sack, by e-mail.

    \b
    Example:
      felix demo
    """
