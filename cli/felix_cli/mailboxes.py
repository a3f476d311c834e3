"""Shared by the lists of mails and of letters: arguments, a mail shown, a change told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from felix_async.text import plain
from felix_cli.mail_text import body_of, headers_of
from felix_cli.output import Problem, print_json, say

F = TypeVar("F", bound=Callable[..., Any])
MOST: Final = 10_000
ALL: Final = 2**31
LARGEST_ID: Final = 2**63
"""No row of a database has an id of this size."""

id_argument = click.argument("id_", metavar="ID", type=int)
ids_argument = click.argument("ids", metavar="ID...", type=int, nargs=-1, required=True)
any_ids_argument = click.argument("ids", metavar="[ID]...", type=int, nargs=-1)
limit_option = click.option(
    "--limit", type=click.IntRange(1, MOST), default=20, show_default=True, help="So many."
)
before_option = click.option(
    "--before", type=click.IntRange(1, LARGEST_ID - 1), metavar="ID", help="Those older than this one."
)
game_option = click.option("--game", metavar="GAME", help="Those of one game.")
all_option = click.option(
    "--all", "everything", is_flag=True, help="All of them, instead of some by their ids."
)
body_option = click.option(
    "--body", is_flag=True, help="The text too: it may show a player's hand, or whatever a stranger wrote."
)
raw_option = click.option(
    "--raw",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Write the mail to a file as it is, instead of showing it; who holds that file may be able to move.",
)


def chosen(ids: Sequence[int], everything: bool) -> Sequence[int]:
    """The ids; none of them stands for all."""
    if everything == bool(ids):
        raise click.UsageError("Name some ids, or take --all.")
    return ids


def say_older(count: int, limit: int, last: int, what: str) -> None:
    """Say how to go on if a list was cut."""
    if not count:
        say(f"There are no such {what}.")
    elif count == limit:
        say(f"There may be older ones: --before {last}")


def tell_changed(what: str, ids: Sequence[int], state: str, as_json: bool, now: str) -> None:
    """Say what was changed; `now` is what becomes of it."""
    if as_json:
        print_json([{f"{what}_id": id_, "state": state} for id_ in ids])
        return
    for id_ in ids:
        click.echo(f"{what.capitalize()} {id_}: {now}.")
    if not ids:
        say(f"There are no such {what}s.")


def show_mail(
    facts: dict[str, object], data: bytes, *, body: bool, raw_to: Path | None, as_json: bool
) -> None:
    """Show a mail: its facts and headers, its text if asked for; or write its bytes to a file."""
    if raw_to is not None:
        _write(raw_to, data)
        return
    headers = headers_of(data)
    lines = body_of(data) if body else []
    if as_json:
        print_json({**facts, "headers": headers, **({"body": lines} if body else {})})
        return
    width = max(map(len, facts)) + 2
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' ').ljust(width)}{'' if value is None else value}".rstrip())
    for text in ["", *(f"{name}: {value}" for name, value in headers), *([""] if body else []), *lines]:
        click.echo(text.rstrip())


def _write(target: Path, data: bytes) -> None:
    """A mail's bytes in a new file that only its owner can read, or on stdout, but on no terminal."""
    if str(target) == "-":
        if sys.stdout.isatty():
            raise Problem("A mail as it is may do anything to a terminal; name a file after --raw.")
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
