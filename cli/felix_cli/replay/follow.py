"""`felix replay --follow`: a game told while it is played."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from felix_async.game.beats import Beat, untold
from felix_async.game.views import Viewer
from felix_async.replay.replay import Replay
from felix_cli.output import EXIT_INTERRUPTED, text_width
from felix_cli.replay.part import Part
from felix_cli.replay.telling import Telling
from felix_cli.wiring import Subject, followed, look_up, read_database

_SECONDS: Final = 1.0
"""How often the database is looked at."""


def follow(subject: Subject, viewer: Viewer, db: Path | None) -> None:
    """Print a game of the database beat by beat, until it is over."""
    click.echo(subject.title)
    last: Beat | None = None
    telling: Telling | None = None
    is_shown = False

    def wait(seconds: float) -> None:
        """Wait; the first time draw the table, as it is when the others are waited for."""
        nonlocal is_shown
        if telling is not None and not is_shown:
            _print(telling.now(last))
        is_shown = True
        time.sleep(seconds)

    try:
        for replay, beat in new_beats(subject, viewer, db, wait):
            part = Part(1, replay.envelopes[-1].version)
            telling = Telling(subject.title, replay, part, text_width(), is_live=True)
            _print(telling.beat(beat, last))
            last = beat
    except KeyboardInterrupt:
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None


def _print(lines: Iterable[Text]) -> None:
    for line in lines:
        click.echo(line.plain)


def new_beats(
    subject: Subject, viewer: Viewer, db: Path | None, wait: Callable[[float], object] | None = None
) -> Iterator[tuple[Replay, Beat]]:
    """Tell a game of the database from its beginning, and go on as it is played until it is over.

    What comes is told once: a beat that goes on is told in parts. Beside each is the game as it is then.
    """
    told: set[int] = set()
    while True:
        envelopes, game = followed(subject, None)
        replay = subject.replay(envelopes, viewer)
        for beat in untold(replay.beats, frozenset(told), replay.names):
            told.update(line.step.version for line in beat.lines)
            yield replay, beat
        if game.is_over:
            return
        while _version(subject, db) == game.version:
            (wait or time.sleep)(_SECONDS)
        subject = look_up(subject.game_id, db)


def _version(subject: Subject, db: Path | None) -> int:
    with read_database(db) as reader:
        return reader.head(subject.game_id)[0]
