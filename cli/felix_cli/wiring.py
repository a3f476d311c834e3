"""The one place that makes things: settings, stores, the service, and a game out of a store or a file.

Each function imports what it needs by itself: a command that only looks at rows does not load the game, and
one that is asked for its help loads nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from felix_async.clock import Clock, system_clock
from felix_async.text import plain
from felix_async.variables import (
    DATABASE_VARIABLE,
    DEFAULT_CONFIG,
    DEFAULT_DATABASE,
    environment_has_settings,
)
from felix_cli.completion import complete_game, complete_seat, complete_target, complete_viewer
from felix_cli.config import config_option, config_path
from felix_cli.naming import for_one_viewer, game_named, is_file
from felix_cli.output import EXIT_COULD_NOT_LOOK, Problem, counted, say

if TYPE_CHECKING:
    from felix_async.audit.evidence import Evidence
    from felix_async.game.names import Names
    from felix_async.game.state import Game
    from felix_async.game.views import Viewer
    from felix_async.replay.replay import Replay
    from felix_async.service import Entropy, Service
    from felix_async.settings import Settings
    from felix_events.envelope import Envelope
    from felix_events.store.base import Reader, Tx

F = TypeVar("F", bound=Callable[..., Any])
SERVER_SECRET: Final = "message-id"
"""The name of the server's own secret in the database."""
_MAX_FILE: Final = 1 << 26
"""Bytes of a file that are read; the longest games have a hundredth of it."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A game to be looked at, out of a store or a file; names and table are safe to print."""

    game_id: str
    people: list[str]
    """The names that are kept, '' if a player was forgotten; `names` can be shown."""
    table: str
    evidence: Evidence
    first: int = 1
    """The number of the first seat, where two share a name."""
    former: Sequence[tuple[int, int, str]] = ()
    """Who sat in a seat before somebody else: the version from which on they did not, the seat, the name."""
    words: Mapping[int, str] = field(default_factory=dict)
    """What was said, by version of the log; nothing of players who were forgotten."""
    in_page: bool = False
    """It comes out of a page, which tells of it in words of its own."""

    @property
    def title(self) -> str:
        """The name of the table, or ours, and the game's id."""
        return f"{self.table or 'Felix'} ({self.game_id})"

    @property
    def names(self) -> Sequence[str]:
        """The name of each seat."""
        from felix_async.people import NAME_LENGTH, seat_names

        return seat_names(self.people, self.first, NAME_LENGTH)

    @property
    def names_then(self) -> Names:
        """The names by seat at each version."""
        from felix_async.game.names import Names

        return Names(self.names, self.former)

    def replay(self, envelopes: Sequence[Envelope], viewer: Viewer) -> Replay:
        """Return the game as far as these events go, told to a viewer who may see it."""
        from felix_async.replay.replay import Replay

        return Replay(self.evidence, envelopes, viewer, self.names_then, self.table, self.words)

    @property
    def viewer(self) -> Viewer:
        """Who it is for: `"all"`, but for a file that holds what one viewer may know."""
        return self.evidence.viewer

    def whole(self) -> Subject:
        """Return the same; Problem if it is a file that holds only what one viewer may know."""
        if self.viewer != "all":
            raise for_one_viewer(self.viewer, self.people)
        return self

    def as_written(self) -> Subject:
        """Return the same; Problem if its log is not what was written: a file of it would pass for sound."""
        from felix_async.audit.evidence import not_as_written

        if not_as_written(self.evidence) is not None:
            raise Problem(
                "This log was changed after it was written, so no file is made of it. Keep a copy of the"
                f" database; `felix audit {self.game_id}` says more."
            )
        return self

    def for_scripts(self) -> Subject:
        """Return the same, with seats counted from 0."""
        return replace(self, first=0)


def db_option(command: F) -> F:
    """`--db PATH`, or $FELIX_DB, or what the settings say; and `--config PATH` for these."""
    option = click.option(
        "--db",
        type=click.Path(path_type=Path),
        envvar=DATABASE_VARIABLE,
        help="The database.  [default: from felix.toml, else felix.db]",
    )
    return config_option(option(command))


target_argument = click.argument("target", metavar="GAME|FILE", shell_complete=complete_target)
game_argument = click.argument("game_id", metavar="GAME", shell_complete=complete_game)
seat_argument = click.argument("seat", metavar="SEAT", shell_complete=complete_seat)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
mask_option = click.option(
    "--mask-hashes", is_flag=True, help="Blank hashes over salted data, to compare output."
)
as_option = click.option(
    "--as",
    "viewer",
    metavar="PLAYER|spectator|all",
    shell_complete=complete_viewer,
    help="Whose eyes to see it with.  [default: spectator while the game runs, all afterwards]",
)
until_option = click.option("--until", type=click.IntRange(min=1), help="Stop after this version.")


def settings_for(db: Path | None) -> Settings:
    """The settings that were named on the command line, with the database that was named there."""
    from felix_async.settings import read_settings

    settings = read_settings(config_path())
    return settings if db is None else settings.model_copy(update={"database": db})


def _database(db: Path | None) -> Path:
    """The path of the database; settings are loaded only where there are any."""
    if config_path() is None and not DEFAULT_CONFIG.exists() and not environment_has_settings():
        return db or Path(os.environ.get(DATABASE_VARIABLE) or DEFAULT_DATABASE)
    return settings_for(db).database


@contextmanager
def read_database(db: Path | None) -> Iterator[Reader]:
    """Open the database and look at one state of it."""
    from felix_events.store.sqlite import SqliteStore

    with closing(SqliteStore.open_to_read(_database(db))) as store, store.read() as reader:
        yield reader


@contextmanager
def write_database(db: Path | None, *, create: bool = False) -> Iterator[Tx]:
    """Open the database for one transaction, which any exception rolls back; `create` makes a missing one."""
    from felix_cli.upgrade import open_to_write

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
        is_open=settings.invitations.open,
        pause=settings.receive.pause,
    )


def look_up(target: str, db: Path | None) -> Subject:
    """The game with this id in the database, or the one in this file; Problem if there is none.

    Says so if the log in the database is not what was written.
    """
    from felix_async.audit.evidence import evidence_of, not_as_written

    if is_file(target):
        return subject_in(Path(target))
    with read_database(db) as reader:
        game_id = game_named(reader, target)
        evidence = evidence_of(reader, game_id)
        assert evidence is not None, "it is known"
        flaw = not_as_written(evidence)
        if flaw is not None:
            say(f"Version {flaw.version} is not what was written; `felix audit {game_id}` says more.")
        game = reader.game(game_id)
        names = _named([plain(seat.name) for seat in reader.seats(game_id)], evidence)
        return Subject(
            game_id,
            names,
            plain(game.table_name if game else ""),
            evidence,
            former=[(row.version, row.seat, plain(row.name)) for row in reader.former(game_id)],
            words=_words(evidence),
        )


def _words(evidence: Evidence) -> dict[int, str]:
    from felix_events.envelope import MAX_SAYING

    return {version: plain(said.text, MAX_SAYING) for version, said in evidence.said.items()}


def subject_in(path: Path) -> Subject:
    """The game in an exported file, or in a page that holds one."""
    from felix_async.audit.evidence import evidence_in
    from felix_events.embedded import export_in
    from felix_events.export import read_export

    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE + 1)
    except (OSError, ValueError) as error:
        what = "game or file" if path.name == str(path) else "file"
        why = getattr(error, "strerror", None) or "no file can have this name"
        raise Problem(f"There is no {what} {plain(str(path))} to read ({why}).") from None
    if len(data) > _MAX_FILE:
        raise Problem(f"{plain(str(path))} is too long for a game: it has more than {_MAX_FILE >> 20} MiB.")
    exported = export_in(data)
    export = read_export(exported)
    header = export.header
    evidence = evidence_in(export)
    names = _named([plain(name) for name in header.names], evidence)
    former = [(version, seat, plain(name)) for version, seat, name in header.former if seat < len(names)]
    return Subject(
        header.game_id,
        names,
        plain(header.table),
        evidence,
        former=former,
        words=_words(evidence),
        in_page=len(exported) < len(data),
    )


def _named(names: list[str], evidence: Evidence) -> list[str]:
    """A name for each seat, also if a file has too few."""
    from felix_async.audit.redacted import envelopes_of
    from felix_events.envelope import Unreadable
    from felix_events.model import GameCreated

    try:
        first = [envelope.data for envelope in envelopes_of(evidence, 1)]
    except Unreadable:
        return names
    seats = sum(len(created.seats) for created in first if isinstance(created, GameCreated))
    return names[:seats] + [f"Seat {seat}" for seat in range(len(names), seats)]


def followed(subject: Subject, until: int | None) -> tuple[list[Envelope], Game]:
    """The envelopes up to a version, and the state after them.

    Of a game that still runs an earlier state tells not when the table rested, nor who placed a card first.
    """
    from felix_async.audit.redacted import envelopes_of
    from felix_async.game.folding import fold
    from felix_async.replay.tables import untimed

    bodies = subject.evidence.bodies
    envelopes = envelopes_of(subject.evidence, until)
    if not envelopes:
        raise Problem("This log holds no events.")
    if until is not None and until > len(bodies):
        steps = counted(len(bodies), "step")
        raise Problem(f"There is no step {until} for --until: the game has {steps}.", EXIT_COULD_NOT_LOOK)
    try:
        game = fold(envelope.data for envelope in envelopes)
        if until is not None and until < len(bodies) and b'"type":"seed_revealed"' not in bodies[-1]:
            game = untimed(game, envelopes)
            game.version = until
        if isinstance(subject.viewer, int) and subject.viewer >= len(game.seats):
            raise LookupError("a file for a seat that the table does not have")
        return envelopes, game
    except (LookupError, ValueError, TypeError):
        raise Problem("This log cannot be followed; `felix audit` says where it goes wrong.") from None
