"""The one place that makes things: settings, stores, the service, and a game out of a store or a file.

Each function imports what it needs by itself: a command that only looks at rows does not load the game.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from felix_async.clock import Clock, system_clock
from felix_async.people import NAME_LENGTH, seat_names
from felix_async.settings import CONFIG_VARIABLE, DATABASE_VARIABLE, Settings, read_settings
from felix_async.text import plain
from felix_cli.output import Problem
from felix_cli.upgrade import open_to_write
from felix_events.store.base import Reader, Tx
from felix_events.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from felix_async.audit.evidence import Evidence
    from felix_async.game.state import Game
    from felix_async.game.views import Viewer
    from felix_async.service import Entropy, Service
    from felix_events.envelope import Envelope

F = TypeVar("F", bound=Callable[..., Any])
SERVER_SECRET: Final = "message-id"
"""The name of the server's own secret in the database."""
_GAME_ID = re.compile(r"[a-z2-9]{3,12}")


@dataclass(frozen=True, slots=True)
class Subject:
    """A game to be looked at, out of a store or a file; names and table are safe to print."""

    game_id: str
    people: list[str]
    """The names that are kept, '' if a player was forgotten; `names` can be shown."""
    table: str
    evidence: Evidence

    @property
    def names(self) -> Sequence[str]:
        """The name of each seat; on a terminal seats are counted from 0."""
        return seat_names(self.people, 0, NAME_LENGTH)


def db_option(command: F) -> F:
    """`--db PATH`, or $FELIX_DB, or what felix.toml says."""
    return click.option(
        "--db",
        type=click.Path(path_type=Path),
        envvar=DATABASE_VARIABLE,
        help="The database.  [default: from felix.toml, else felix.db]",
    )(command)


def config_option(command: F) -> F:
    """`--config PATH`, or $FELIX_CONFIG, or ./felix.toml."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path),
        envvar=CONFIG_VARIABLE,
        help="The settings.  [default: felix.toml]",
    )(command)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
mask_option = click.option(
    "--mask-hashes", is_flag=True, help="Blank hashes over salted data, to compare output."
)
as_option = click.option(
    "--as",
    "viewer",
    metavar="SEAT|spectator|all",
    help="Whose eyes to see it with.  [default: spectator while the game runs, all afterwards]",
)
until_option = click.option("--until", type=click.IntRange(min=1), help="Stop after this version.")


def settings_for(db: Path | None, config: Path | None = None) -> Settings:
    """The settings, with the database that was named on the command line."""
    settings = read_settings(config)
    return settings if db is None else settings.model_copy(update={"database": db})


@contextmanager
def read_database(db: Path | None) -> Iterator[Reader]:
    """Open the database and look at one state of it."""
    with closing(SqliteStore.open_to_read(settings_for(db).database)) as store, store.read() as reader:
        yield reader


@contextmanager
def write_database(db: Path | None, *, create: bool = False) -> Iterator[Tx]:
    """Open the database for one transaction, which any exception rolls back; `create` makes a missing one."""
    with closing(open_to_write(settings_for(db).database, create=create)) as store, store.write() as tx:
        yield tx


def make_service(
    settings: Settings, *, clock: Clock = system_clock, entropy: Entropy = os.urandom
) -> Service:
    """The service of a real server, or of one with its own time and chance."""
    from felix_async.follow_up.notices import Hours
    from felix_async.service import Service

    hours = Hours(
        remind_after=settings.time.remind_after_hours * 3600,
        expire_after=settings.time.invitation_days * 24 * 3600,
        ladder=settings.time.reminders,
        digest_at=time.fromisoformat(settings.time.digest_at),
        rest_after=settings.time.rest_days * 24 * 3600,
        away=settings.time.away_days * 24 * 3600,
        zone=settings.time.zone,
    )
    return Service(
        clock,
        entropy,
        hours,
        settings.time.terms,
        strangers_a_day=settings.invitations.strangers_a_day,
        pause=settings.receive.pause,
    )


def is_game_id(target: str) -> bool:
    """Return True if this can be the id of a game: they have neither dots nor slashes."""
    return _GAME_ID.fullmatch(target) is not None


def is_file(target: str) -> bool:
    """Return True if a GAME|FILE argument names a file."""
    return not is_game_id(target) or Path(target).is_file()


def look_up(target: str, db: Path | None) -> Subject:
    """The game with this id in the database, or the one in this file; Problem if there is none."""
    from felix_async.audit.evidence import evidence_of

    if is_file(target):
        return subject_in(Path(target))
    with read_database(db) as reader:
        evidence = evidence_of(reader, target)
        if evidence is None:
            raise Problem(f"There is no game {plain(target)}; `felix games` lists those there are.")
        game = reader.game(target)
        names = _named([plain(seat.name) for seat in reader.seats(target)], evidence.bodies)
        return Subject(target, names, plain(game.table_name if game else ""), evidence)


def subject_in(path: Path) -> Subject:
    """The game in an exported file."""
    from felix_async.audit.evidence import evidence_in
    from felix_events.export import read_export

    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        what = "game or file" if path.name == str(path) else "file"
        why = getattr(error, "strerror", None) or "no file can have this name"
        raise Problem(f"There is no {what} {plain(str(path))} to read ({why}).") from None
    export = read_export(data)
    header = export.header
    names = _named([plain(name) for name in header.names], export.bodies)
    return Subject(header.game_id, names, plain(header.table), evidence_in(export))


def _named(names: list[str], bodies: Sequence[bytes]) -> list[str]:
    """A name for each seat, also if a file has too few."""
    from felix_events.envelope import Unreadable, check_envelope
    from felix_events.model import GameCreated

    try:
        created = check_envelope(bodies[0]).data if bodies else None
    except Unreadable:
        return names
    seats = len(created.seats) if isinstance(created, GameCreated) else 0
    return names[:seats] + [f"Seat {seat}" for seat in range(len(names), seats)]


def followed(subject: Subject, until: int | None) -> tuple[list[Envelope], Game]:
    """The envelopes up to a version, and the state after them.

    Of a game that still runs an earlier state has no deadlines: they tell when the table rested then.
    """
    from felix_async.game.folding import fold
    from felix_events.envelope import check_envelopes

    bodies = subject.evidence.bodies
    envelopes = check_envelopes(bodies[:until])
    if not envelopes:
        raise Problem("This log holds no events.")
    try:
        game = fold(envelope.data for envelope in envelopes)
        if len(envelopes) < len(bodies) and b'"type":"seed_revealed"' not in bodies[-1]:
            game.seats = [replace(seat, time=replace(seat.time, deadline=None)) for seat in game.seats]
        return envelopes, game
    except (LookupError, ValueError, TypeError):
        raise Problem("This log cannot be followed; `felix audit` says where it goes wrong.") from None


def viewer_of(text: str | None, game: Game) -> Viewer:
    """`--as` as a viewer who may see this game; what everybody may see if it was not given."""
    from felix_async.game.narrate import default_viewer

    viewer = default_viewer(game) if text is None else _parse_viewer(text, len(game.seats))
    if viewer == "all" and not game.is_over:
        raise Problem("This game still runs, and nobody may see all of it; take --as spectator, or a seat.")
    return viewer


def _parse_viewer(text: str, seats: int) -> Viewer:
    if text in ("spectator", "all"):
        return "all" if text == "all" else "spectator"
    if text.isascii() and text.isdigit() and int(text) < seats:
        return int(text)
    raise Problem(f"No such viewer: {plain(text)}. Use a seat from 0 to {seats - 1}, spectator, or all.", 2)
