"""The list of games, `games`: rows alone, so that ten thousand of them are listed in a moment.

Of open games, which are few, `--open` reads the logs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click

from felix_async.people import NAME_LENGTH, seat_names
from felix_async.text import plain
from felix_cli.local import until, when, zones
from felix_cli.output import print_json, print_table, say, terminal_width
from felix_cli.wiring import db_option, json_option, read_database
from felix_events.store.base import Reader
from felix_events.store.rows import Due, GameLine


@click.command()
@click.option(
    "--open", "is_open", is_flag=True, help="Open games alone: who is waited for, since when, until when."
)
@json_option
@db_option
def games(is_open: bool, as_json: bool, db: Path | None) -> None:
    """List the games, the oldest first; `felix doctor` tells more of one that cannot be read.

    \b
    Example:
      felix games --open
    """
    with read_database(db) as reader:
        lines = [line for line in reader.game_lines() if not is_open or _is_open(line)]
        apart = {trouble.game_id for trouble in reader.troubles()}
        waits = (
            {line.game_id: _wait(reader, line) for line in lines if line.game_id not in apart}
            if is_open
            else {}
        )
    if as_json:
        print_json([_json_of(line, line.game_id not in apart, waits.get(line.game_id)) for line in lines])
    elif not lines:
        say(
            "No game is open."
            if is_open
            else "There are no games yet; `felix new --help` says how to start one."
        )
    elif is_open:
        rows = [_open_row(line, waits.get(line.game_id)) for line in lines]
        print_table(("game", "table", "waits for", "since", "until"), rows, cut=("table", "waits for"))
        say(f"Times: {zones()}.")
    else:
        rows = [_row(line, line.game_id not in apart) for line in lines]
        head = ("game", "state", "kind", "events", "due", "players", "table")
        print_table(head, rows, spare=("kind", "events"), cut=("players", "table"))


def _row(line: GameLine, is_readable: bool) -> Sequence[str]:
    return (
        line.game_id,
        line.state if is_readable else "cannot be read",
        line.kind,
        str(line.size),
        _next_due(line.due) if is_readable else "",
        ", ".join(_shown(line.names, 1)),
        plain(line.table_name),
    )


# ---- open games ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wait:
    """An open game's seats that are waited for, with since when and until when ('': there is no such time).

    `host` is the seat that may start a table at which everybody has answered, `rests` the end of a pause.
    """

    seats: Mapping[int, tuple[str, str]]
    host: int | None
    rests: str


def _is_open(line: GameLine) -> bool:
    return line.kind == "played" and line.state in ("inviting", "running")


def _wait(reader: Reader, line: GameLine) -> Wait:
    """Read an open game's log for who is waited for, as its messages do."""
    from felix_async.game.story import Story
    from felix_async.game.views import view
    from felix_events.envelope import check_envelopes

    story = Story.of(check_envelopes(reader.bodies(line.game_id)))
    table = view(story.game, "spectator")
    due = {seat.seat: "" if seat.time.deadline is None else seat.time.deadline.at for seat in table.seats}
    seats = {seat: (since, due[seat]) for seat, since in story.asked_since.items()}
    return Wait(seats, table.host if table.phase == "inviting" and not seats else None, table.paused_until)


def _open_row(line: GameLine, wait: Wait | None) -> Sequence[str]:
    names, table = _shown(line.names, 1), plain(line.table_name)
    if wait is None:
        return (line.game_id, table, "cannot be read", "", "")
    waits_for = ", ".join(names[seat] for seat in wait.seats) or "nobody"
    if wait.host is not None:
        waits_for = f"{names[wait.host]}, to start"
    since = min((since for since, _ in wait.seats.values()), default="")
    last = min((last for _, last in wait.seats.values() if last), default="")
    rests = f"paused until {until(wait.rests)}" if wait.rests else until(last) if last else ""
    return (line.game_id, table, waits_for, when(since) if since else "", rests)


# ---- as JSON ------------------------------------------------------------------------------------------


def _json_of(line: GameLine, is_readable: bool, wait: Wait | None) -> dict[str, Any]:
    waiting = wait and [
        {"seat": seat, "since": at, "until": last or None} for seat, (at, last) in wait.seats.items()
    ]
    return {
        "game_id": line.game_id,
        "state": line.state,
        "is_readable": is_readable,
        "players": _shown(line.names, 0),
        "table": plain(line.table_name),
        "kind": line.kind,
        "events": line.size,
        "created_at": line.created_at,
        "clock": _clock_in_words(line.clock),
        "deadlines": [{"seat": row.seat, "at": row.due_at} for row in line.due if row.kind == "deadline"],
        "paused_until": next((row.due_at for row in line.due if row.kind == "resume"), None),
        **({} if waiting is None else {"waiting": waiting}),
    }


@cache
def _shown(names: tuple[str, ...], first: int) -> Sequence[str]:
    return seat_names(names, first, NAME_LENGTH)


@cache
def _clock_in_words(clock: str) -> str:
    """The clock of a game in words; one that cannot be read is none, and the audit says so."""
    from pydantic import ValidationError

    from felix_async.language.clock_terms import terms_text
    from felix_events.timing import Terms

    try:
        return terms_text(Terms.model_validate_json(clock) if clock else None)
    except ValidationError:
        return terms_text(None)


def _next_due(rows: Sequence[Due]) -> str:
    """The next deadline of a game; '' if nobody is hurried."""
    if any(row.kind == "resume" for row in rows):
        return "paused"
    deadlines = [row.due_at for row in rows if row.kind == "deadline"]
    if not deadlines:
        return ""
    return f"{min(deadlines):.16}Z" if terminal_width() is None else until(min(deadlines))
