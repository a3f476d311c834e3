"""From sitting down at a table, a new or an unfinished one, to the result."""

from __future__ import annotations

import getpass
import os
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from felix_async.people import Name, name_of
from felix_async.service import Entropy, Service
from felix_async.text import plain
from felix_cli.naming import game_named
from felix_cli.output import EXIT_COULD_NOT_LOOK, Problem, felix, say, text_width, wrapped
from felix_cli.play.sitting import Sitting
from felix_cli.play.table import KIND, Table
from felix_cli.upgrade import open_to_write
from felix_cli.wiring import make_service, settings_for
from felix_events.model import Ruleset
from felix_events.store.base import Store


@dataclass(frozen=True, slots=True)
class New:
    """A game to be opened, as far as its player has said something of it."""

    players: int = 4
    ruleset: Ruleset = "felicity-2017"
    name: str | None = None
    seed: int | None = None


def sit_down(db: Path | None, game_id: str | None, new: New | None) -> None:
    """Play until the game is over; EOFError with its id if its player leaves.

    Without a new one it is the game that is named, or the newest one that is unfinished, else a new one.
    """
    settings = settings_for(db)
    # Makes lines that are typed easier to change.
    with suppress(ImportError):
        import readline  # noqa: F401  # to import it is to use it
    with closing(open_to_write(settings.database, create=True)) as store:
        known = None if new is not None else _unfinished(store, game_id)
        if known is not None:
            table = Table.taken_up(store, make_service(settings), known)
            going = f"Going on with {known}; `{felix()} play --new` begins another game."
            say("\n".join(wrapped(going, text_width())))
        else:
            new = new or New()
            table = _opened(store, make_service(settings, entropy=_entropy(new.seed)), new)
        try:
            Sitting(table, Console(highlight=False), _line).play()
        except (KeyboardInterrupt, EOFError):
            raise EOFError(table.game_id) from None
    here = f" --db {db}" if db else ""
    again = f"{felix()} replay {table.game_id}{here}"
    say(f"\nFor another game:\n  {felix()} play --new{here}")
    say(f"To look again, here or in a browser:\n  {again}\n  {again} --html {table.game_id}.html")


def _entropy(seed: int | None) -> Entropy:
    if seed is None:
        return os.urandom
    # It comes with much that nobody needs who just plays.
    from felix_cli.simulate import SeededEntropy

    return SeededEntropy(f"play/{seed}")


def _opened(store: Store, service: Service, new: New) -> Table:
    return Table.opened(
        store,
        service,
        name=_name(new.name),
        players=new.players,
        ruleset=new.ruleset,
        seeded=new.seed is not None,
    )


def _unfinished(store: Store, named: str | None) -> str | None:
    """The game that is named, or the newest unfinished one of these; None if there is none."""
    with store.read() as reader:
        if named is None:
            mine = [row for row in reader.games() if row.kind == KIND and not row.is_over]
            return max(mine, key=lambda row: row.created_at).game_id if mine else None
        game_id = game_named(reader, named)
        row = reader.game(game_id)
    if row is None or row.kind != KIND:
        raise Problem(f"{game_id} is not a game of `felix play`; `felix move` moves in the others.")
    if row.is_over:
        raise Problem(f"{game_id} is over; `felix replay {game_id}` tells it.")
    return game_id


def _name(said: str | None) -> Name:
    """The name that was given, or the one of whoever is logged in."""
    if said is not None:
        if not name_of(said):
            raise Problem(f"{plain(said) or 'That'} is no name to be called by.", EXIT_COULD_NOT_LOOK)
        return name_of(said)
    try:
        return name_of(getpass.getuser().capitalize()) or name_of("Anna")
    except (KeyError, OSError):
        return name_of("Anna")


def _line(prompt: str) -> str:
    try:
        return input(prompt)
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
