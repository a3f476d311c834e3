"""`simulate --calendar`: a year is played into a new database, and what came of it is told."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import click

from felix_async.service import Entropy
from felix_async.text import plain
from felix_cli.output import Problem, print_json, progress, say
from felix_cli.upgrade import open_to_write
from felix_cli.wiring import settings_for
from felix_cli.year.answering import Ways
from felix_cli.year.calendar import Year, a_year
from felix_events.store.base import Store

WRONG: Final = ("twice", "after_move", "in_quiet_hours", "deadlines_missed")
"""What must be 0."""
_MOST_FAULTS: Final = 20
_LABELS: Final = {
    "games": "games",
    "ended": "games that are over",
    "with_result": "of these with a result",
    "people": "people",
    "letters": "letters sent",
    "reminders": "reminders among them",
    "twice": "reminders sent twice",
    "after_move": "reminders after the move",
    "in_quiet_hours": "reminders in quiet hours",
    "time_outs": "moves made by the clock",
    "deadlines_missed": "deadlines missed",
    "absences": "absences declared",
    "pauses": "pauses",
    "outages": "outages",
    "days_per_game": "days of a game",
    "stops_per_game": "decisions for which alone a table waited",
    "asking_letters": "letters that asked for a decision",
    "asks_per_game": "of these about a game",
    "asks_per_decision": "times that a decision was asked for",
    "mails_per_player": "letters about a game for each player",
    "answers_per_player": "letters that answer a message, for each player",
    "spared_per_player": "orders that need no such letter, for each player",
    "early_answers": "answers before it was their turn",
    "late_answers": "answers to another card",
}


def report(
    db: Path | None,
    *,
    days: int,
    games: int,
    seed: int,
    entropy: Entropy,
    ways: Ways,
    players: int | None,
    as_json: bool,
) -> None:
    """Play a year and tell what came of it; Problem if the database holds games, or a count is not 0."""
    path = settings_for(db).database
    with closing(open_to_write(path, create=True)) as store:
        _check_empty(store, path)
        with _quietly():
            year = a_year(
                store, days=days, games=games, seed=f"{seed}", entropy=entropy, ways=ways, players=players
            )
            for _ in progress(_game_by_game(year, games), games, "playing"):
                pass
    result = year.result()
    if as_json:
        print_json({"seed": seed, "days": days, **result})
    else:
        for line in lines(result):
            click.echo(line)
        say(f"The same again, in a new database: --calendar {days} --games {games} --seed {seed}.")
    for fault in year.world.tally.faults[:_MOST_FAULTS]:
        say(fault)
    unended = result["games"] - result["ended"]
    if unended or any(result[name] for name in WRONG):
        raise Problem("Something happened in this year that must not happen; the lines above say what.")


def lines(result: dict[str, Any]) -> list[str]:
    """The figures in words."""
    width = max(len(label) for label in _LABELS.values())
    return [f"{label.ljust(width)}  {_figure(result[name])}" for name, label in _LABELS.items()]


def _figure(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['mean']} on average, {value['median']} in the middle"
    return f"{value}"


def _game_by_game(year: Year, games: int) -> Iterator[int]:
    """One step for each game that is over, and at the end those that never were."""
    told = 0
    for over in year.run():
        yield from range(told, over)
        told = over
    yield from range(told, games)


def _check_empty(store: Store, path: Path) -> None:
    with store.read() as reader:
        if reader.logs():
            raise Problem(f"{plain(str(path))} holds games; name a new file with --db.")


@contextmanager
def _quietly() -> Iterator[None]:
    """Without what a server tells its operator about outages and providers: there is none."""
    handler = logging.NullHandler()
    loggers = [logging.getLogger(name) for name in ("felix_async", "felix_notifiers")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
