"""The list of games, `games`: rows alone, so that ten thousand of them are listed in a moment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click

from felix_async.people import NAME_LENGTH, seat_names
from felix_async.text import plain
from felix_cli.output import print_json, print_table, say
from felix_cli.wiring import db_option, json_option, read_database
from felix_events.store.rows import Due, GameLine


@click.command()
@json_option
@db_option
def games(as_json: bool, db: Path | None) -> None:
    """List the games, the oldest first; `felix doctor` tells more of one that cannot be read.

    \b
    Example:
      felix games --json
    """
    with read_database(db) as reader:
        lines = reader.game_lines()
        apart = {trouble.game_id for trouble in reader.troubles()}
    if as_json:
        print_json([_json_of(line, line.game_id not in apart) for line in lines])
    elif lines:
        rows = [
            (
                line.game_id,
                "cannot be read" if line.game_id in apart else line.state,
                line.kind,
                str(line.size),
                "" if line.game_id in apart else _next_due(line.due),
                ", ".join(_shown(line.names)),
                plain(line.table_name),
            )
            for line in lines
        ]
        head = ("game", "state", "kind", "events", "due", "players", "table")
        print_table(head, rows)
    else:
        say("There are no games yet; `felix new --help` says how to start one.")


def _json_of(line: GameLine, is_readable: bool) -> dict[str, Any]:
    return {
        "game_id": line.game_id,
        "state": line.state,
        "is_readable": is_readable,
        "players": _shown(line.names),
        "table": plain(line.table_name),
        "kind": line.kind,
        "events": line.size,
        "created_at": line.created_at,
        "clock": _clock_in_words(line.clock),
        "deadlines": [{"seat": row.seat, "at": row.due_at} for row in line.due if row.kind == "deadline"],
        "paused_until": next((row.due_at for row in line.due if row.kind == "resume"), None),
    }


@cache
def _shown(names: tuple[str, ...]) -> Sequence[str]:
    return seat_names(names, 0, NAME_LENGTH)


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
    """The next deadline of a game, in UTC; '' if nobody is hurried."""
    if any(row.kind == "resume" for row in rows):
        return "paused"
    deadlines = [row.due_at for row in rows if row.kind == "deadline"]
    return f"{min(deadlines):.16}Z" if deadlines else ""
