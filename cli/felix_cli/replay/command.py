"""The command `replay`: a game told again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import click

from felix_async.clock import time_of
from felix_async.game.names import Names
from felix_async.game.narrate import Line, retell
from felix_async.game.state import Game
from felix_async.game.views import Hidden, Viewer
from felix_async.replay.beside import Told
from felix_cli.beside import fields_of, lines_of, told_beside
from felix_cli.local import zones
from felix_cli.naming import is_file, one_of, viewer_of
from felix_cli.output import EXIT_INTERRUPTED, print_json, terminal_width
from felix_cli.wiring import (
    Subject,
    as_option,
    db_option,
    followed,
    json_option,
    look_up,
    mask_option,
    target_argument,
    until_option,
)
from felix_events.envelope import Envelope
from felix_events.lines import is_told, leaf_in
from felix_events.model import DeadlineSet, RoundStarted

_HASHES: Final = ("commitment", "contribution", "seed")
_BEFORE: Final = "0123456789:- "
"""All that may stand before the text of a line."""


@click.command()
@target_argument
@as_option
@until_option
@click.option("--step", "by_step", is_flag=True, help="Step through it on the whole screen, key by key.")
@click.option("--follow", "follows", is_flag=True, help="Go on with what happens, until the game is over.")
@click.option(
    "--html",
    "html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it as a page for a browser, which opens at the deal.",
)
@click.option("--end", "at_end", is_flag=True, help="Let that page open at the result.")
@mask_option
@json_option
@db_option
def replay(
    target: str,
    viewer: str | None,
    until: int | None,
    by_step: bool,
    follows: bool,
    html: Path | None,
    at_end: bool,
    mask_hashes: bool,
    as_json: bool,
    db: Path | None,
) -> None:
    """Tell what happened in a game, step by step; when it happened, once the game is over.

    \b
    Example:
      felix replay k7m2p --as Cara --until 40
    """
    ways = {"--step": by_step, "--follow": follows, "--html": html is not None, "--json": as_json}
    if sum(ways.values()) > 1:
        raise click.UsageError(
            f"Give {one_of([way for way, is_given in ways.items() if is_given])}, not both."
        )
    if follows and (is_file(target) or until is not None):
        raise click.UsageError(
            "--follow takes a game of the database, and no --until: a file does not go on."
        )
    if html is not None and until is not None:
        raise click.UsageError("--html holds the whole game: give no --until.")
    if html is None and at_end:
        raise click.UsageError("--end is for a page: give --html as well.")
    subject = look_up(target, db)
    if as_json:
        subject = subject.for_scripts()
    envelopes, game = followed(subject, until)
    seen_by = viewer_of(viewer, game, subject.people, subject.viewer)
    if by_step:
        _step(subject, envelopes, game, seen_by)
        return
    if html is not None:
        # Here, because templates take as long to load as all else.
        from felix_cli.replay.html import write_page

        write_page(subject, envelopes, game, seen_by, html, at_end=at_end)
        return
    if follows:
        _follow(subject, seen_by, db)
        return
    names = Names(subject.names, subject.former)
    told = (line for line in retell(envelopes, seen_by, names) if not _is_over(line, game))
    beside = told_beside(subject, envelopes, seen_by, is_over=game.is_over)
    if as_json:
        print_json([_line_json(subject, line, mask_hashes, beside) for line in told])
        return
    times = f"; times: {zones()}" if game.is_over else ""
    click.echo(f"{_title(subject)}{times}")
    width = terminal_width()
    for line in _lines(told, beside):
        click.echo(line if width is None else _wrapped(line, width))


def _step(subject: Subject, envelopes: Sequence[Envelope], game: Game, viewer: Viewer) -> None:
    # Here, because the drawing takes as long to load as all else.
    from felix_async.replay.replay import Replay, replay_of
    from felix_cli.replay.stepper import Stepped, step_through

    def told_to(eyes: Viewer) -> Replay:
        names = Names(subject.names, subject.former)
        return replay_of(subject.evidence, envelopes, eyes, names, table=subject.table, words=subject.words)

    viewers: list[Viewer] = ["spectator", *range(len(game.seats))]
    viewers += ["all"] if game.is_over else []
    if subject.viewer != "all":
        viewers = [eyes for eyes in viewers if eyes in (subject.viewer, "spectator")]
    step_through(Stepped(_title(subject), viewers, told_to), viewer)


def _follow(subject: Subject, viewer: Viewer, db: Path | None) -> None:
    from felix_cli.replay.follow import new_beats

    click.echo(_title(subject))
    width = terminal_width()
    try:
        for beat in new_beats(subject, viewer, db):
            line = f"{beat.last or '':4}  {beat.text}"
            click.echo(line if width is None else _wrapped(line, width))
    except KeyboardInterrupt:
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None


def _title(subject: Subject) -> str:
    return f"{subject.table or 'Felix'} ({subject.game_id})"


def _wrapped(line: str, width: int) -> str:
    """Return a line in lines that fit, the text of each below that of the first."""
    indent = " " * min(len(line) - len(line.lstrip(_BEFORE)), width // 2)
    return "\n".join(wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)) or line


def _is_over(line: Line, game: Game) -> bool:
    """Return True of a deadline of a running game that does not run any more."""
    event = line.step.event
    if game.standing != "running" or not isinstance(event, DeadlineSet):
        return False
    return game.seats[event.seat].time.deadline is None


def _line_json(subject: Subject, line: Line, mask_hashes: bool, beside: Told) -> dict[str, Any]:
    step, hidden = line.step, isinstance(line.event, Hidden)
    data: dict[str, Any]
    if isinstance(line.event, Hidden):
        data = {} if line.event.seat is None else {"seat": line.event.seat}
    else:
        data = line.event.model_dump()
    body = subject.evidence.bodies[step.version - 1]
    if mask_hashes:
        data = {key: "-" if key in _HASHES else value for key, value in data.items()}
    return {
        "version": line.version,
        "at": line.at,
        "type": step.envelope.type,
        "actor": step.envelope.actor,
        "hidden": hidden,
        "data": data,
        "text": line.text,
        "leaf": "-" if mask_hashes or line.version is None or is_told(body) else leaf_in(body).hex(),
        **fields_of(beside, step.version),
    }


def _lines(told: Iterator[Line], beside: Told) -> Iterator[str]:
    for line in told:
        step = line.step
        if isinstance(step.event, RoundStarted):
            yield ""
        when = "" if line.at is None else f"{time_of(line.at).astimezone():%Y-%m-%d %H:%M}  "
        yield f"{line.version or '':4}  {when}{line.text}"
        yield from lines_of(beside, step.version)
