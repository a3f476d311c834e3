"""Shared by the lists of messages and of letters: arguments, one of them shown, a change told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from felix_async.text import plain
from felix_cli.completion import complete_game, complete_id
from felix_cli.local import when
from felix_cli.mail_text import body_of, headers_of
from felix_cli.naming import game_named, games_called
from felix_cli.output import Problem, print_json, say, terminal_width
from felix_events.store.base import Reader

F = TypeVar("F", bound=Callable[..., Any])
MOST: Final = 10_000
ALL: Final = 2**31
NOUNS: Final = {"mail": "message", "letter": "letter"}
"""A row's name for scripts -> its name for people."""
LARGEST_ID: Final = 2**63
"""No row of a database has an id of this size."""

id_argument = click.argument("id_", metavar="ID", type=int, shell_complete=complete_id)
maybe_id_argument = click.argument(
    "id_", metavar="[ID]", type=int, required=False, shell_complete=complete_id
)
version_option = click.option(
    "--version", "version", type=click.IntRange(min=1), metavar="V", help="The message that made this step."
)
ids_argument = click.argument(
    "ids", metavar="ID...", type=int, nargs=-1, required=True, shell_complete=complete_id
)
any_ids_argument = click.argument("ids", metavar="[ID]...", type=int, nargs=-1, shell_complete=complete_id)
limit_option = click.option(
    "--limit", type=click.IntRange(1, MOST), default=20, show_default=True, help="How many."
)
before_option = click.option(
    "--before", type=click.IntRange(1, LARGEST_ID - 1), metavar="ID", help="Only those before this ID."
)
game_option = click.option(
    "--game", metavar="GAME", shell_complete=complete_game, help="Only those of one game."
)
all_option = click.option("--all", "everything", is_flag=True, help="All of them, instead of some by ID.")
body_option = click.option(
    "--body", is_flag=True, help="The text too; it may show a player's hand, or anything a stranger wrote."
)
raw_option = click.option(
    "--raw",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Write the raw message to a file instead of showing it; this file may let its reader move.",
)


def game_asked(reader: Reader, text: str | None) -> str | None:
    """Return the game after --game; one that the database does not know may stand in an address."""
    return game_named(reader, text) if text is not None and games_called(reader, text) else text


def chosen(ids: Sequence[int], everything: bool) -> Sequence[int]:
    """The ids; none of them stands for all."""
    if everything == bool(ids):
        raise click.UsageError("Give some IDs, or --all.")
    return ids


def with_short_times(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with times as people read them, if people do; a script is given them as they are kept."""
    if terminal_width() is None:
        return [*rows]
    return [
        {key: when(value) if key.endswith("_at") else value for key, value in row.items()} for row in rows
    ]


def say_older(last: int | None, what: str, *, is_cut: bool) -> None:
    """Say how to go on if a list was cut behind the row with this id; None: the list is empty."""
    if last is None:
        say(f"There are no such {what}.")
    elif is_cut:
        say(f"There are older ones: --before {last}")


def tell_changed(what: str, ids: Sequence[int], state: str, as_json: bool, now: str) -> None:
    """Say what was changed; `now` is what becomes of it."""
    if as_json:
        print_json([{f"{what}_id": id_, "state": state} for id_ in ids])
        return
    noun = NOUNS[what]
    for id_ in ids:
        click.echo(f"{noun.capitalize()} {id_}: {now}.")
    if not ids:
        say(f"There are no such {noun}s.")


def show_mail(
    facts: dict[str, object],
    data: bytes,
    *,
    body: bool,
    raw_to: Path | None,
    as_json: bool,
    first: Sequence[str] = (),
) -> None:
    """Show a message: its facts and headers, its text if asked for; or write its bytes to a file.

    The lines that come `first` are for people alone.
    """
    if raw_to is not None:
        _write(raw_to, data)
        return
    headers = headers_of(data)
    lines = body_of(data) if body else []
    if as_json:
        print_json({**facts, "headers": headers, **({"body": lines} if body else {})})
        return
    for line in first:
        click.echo(line)
    width = max(map(len, facts)) + 2
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' ').ljust(width)}{'' if value is None else value}".rstrip())
    for text in ["", *(f"{name}: {value}" for name, value in headers), *([""] if body else []), *lines]:
        click.echo(text.rstrip())


def _write(target: Path, data: bytes) -> None:
    """A message's bytes in a new file that only its owner can read, or on stdout, but on no terminal."""
    if str(target) == "-":
        if sys.stdout.isatty():
            raise Problem("A raw message may do anything to a terminal; name a file after --raw.")
        click.echo(data, nl=False)
        return
    try:
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    except FileExistsError:
        raise Problem(f"{plain(str(target))} is there already; name another file.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no file can have this name"
        raise Problem(f"{plain(str(target))} cannot be written: {why}.") from None
