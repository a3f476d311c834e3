"""The command `replay`: a game told again. What it needs is loaded once it is known what is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from felix_async.text import plain
from felix_cli.naming import is_file, viewer_of
from felix_cli.output import print_json, say, show_lines, text_width
from felix_cli.wiring import (
    Subject,
    as_option,
    db_option,
    followed,
    json_option,
    look_up,
    mask_option,
    target_argument,
)

if TYPE_CHECKING:
    from felix_async.game.state import Game
    from felix_async.game.views import Viewer
    from felix_events.envelope import Envelope

_SENSELESS: Final = {
    "--step": ("--follow", "--html", "--json", "--round", "--short", "--clock", "--why", "--who"),
    "--follow": ("--html", "--json", "--round", "--from", "--until", "--short", "--clock", "--why", "--who"),
    "--html": ("--json", "--round", "--from", "--until", "--short", "--clock", "--why", "--who"),
    "--json": ("--short", "--clock", "--why", "--who"),
    "--short": ("--clock", "--why", "--who"),
    "--round": ("--from", "--until"),
}
"""Options that say nothing beside another one."""


@click.command()
@target_argument
@as_option
@click.option("--short", is_flag=True, help="One line for each sack: its buyer, price, profit and cards.")
@click.option("--round", "number", type=click.IntRange(1), metavar="N", help="Tell this round alone.")
@click.option("--from", "since", metavar="WHERE", help="Begin at a step (40), a round (r5) or a time.")
@click.option("--until", metavar="WHERE", help="Stop after a step (40), a round (r5) or a time.")
@click.option("--clock", is_flag=True, help="Tell deadlines, too.")
@click.option("--why", is_flag=True, help="Tell why the computer moved as it did, too.")
@click.option(
    "--who", is_flag=True, help="Tell who made each step, by which message and line, as far as you may know."
)
@click.option("--step", "by_step", is_flag=True, help="Step through it on the whole screen; ? shows help.")
@click.option("--follow", "follows", is_flag=True, help="Go on with what happens, until the game is over.")
@click.option(
    "--html",
    "html",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE|-",
    help="Write it as a page for a browser, which opens at the deal; - is standard output.",
)
@click.option("--end", "at_end", is_flag=True, help="Let that page open at the result.")
@mask_option
@json_option
@db_option
def replay(
    target: str,
    viewer: str | None,
    short: bool,
    number: int | None,
    since: str | None,
    until: str | None,
    clock: bool,
    why: bool,
    who: bool,
    by_step: bool,
    follows: bool,
    html: Path | None,
    at_end: bool,
    mask_hashes: bool,
    as_json: bool,
    db: Path | None,
) -> None:
    """Tell what happened in a game; when it happened, once the game is over.

    A time is a day or a moment by the clock of this machine: 2026-11-25, "2026-11-25 18:00". What is long
    goes through $PAGER on a terminal.

    \b
    Example:
      felix replay k7m2p --as Cara --until r5
      felix replay k7m2p --short
    """
    _refuse_senseless(click.get_current_context())
    if follows and is_file(target):
        raise click.UsageError("--follow takes a game of the database: a file does not go on.")
    if html is None and at_end:
        raise click.UsageError("--end is for a page: give --html as well.")
    from felix_cli.replay.part import part_of

    subject = look_up(target, db)
    if as_json:
        subject = subject.for_scripts()
    envelopes, game = followed(subject, None)
    part = part_of(envelopes, since, until, number, is_over=game.is_over)
    if as_json:
        from felix_cli.replay.scripts import records

        print_json(records(subject, viewer, part, mask_hashes=mask_hashes))
        return
    if by_step:
        envelopes, game = followed(subject, part.last)
    seen_by = viewer_of(viewer, game, subject)
    if by_step:
        _step(subject, envelopes, game, seen_by, None if since is None else part.first)
    elif html is not None:
        from felix_cli.replay.html import write_page

        write_page(subject, seen_by, html, at_end=at_end)
        if str(html) != "-":
            say(f"Wrote {plain(str(html))}; open it in a browser.")
    elif follows:
        from felix_cli.replay.follow import follow

        follow(subject, seen_by, db)
    else:
        from felix_cli.replay.telling import Telling

        width, told = text_width(), subject.replay(envelopes, seen_by)
        telling = Telling(subject.title, told, part, width, tells_who=who)
        if who and not told.causes:
            over = "Nothing here tells by which messages the steps were made."
            say(over if game.is_over else "By which messages the steps were made is told after the game.")
        reasons = telling.reasons() if why else {}
        if why and not reasons:
            more = "; --step tells what it would do." if told.decisions else "."
            say(f"Nothing here tells why the computer moved{more}")
        show_lines(telling.short() if short else telling.whole(clock=clock, why=reasons), width)


def _refuse_senseless(ctx: click.Context) -> None:
    given = {one.opts[0] for one in ctx.command.params if ctx.params.get(one.name or "") not in (None, False)}
    for option, others in _SENSELESS.items():
        for other in others:
            if {option, other} <= given:
                raise click.UsageError(f"Give {option} or {other}, not both.")


def _step(
    subject: Subject, envelopes: Sequence[Envelope], game: Game, viewer: Viewer, since: int | None
) -> None:
    from felix_cli.replay.stepper import Stepped, step_through

    viewers: list[Viewer] = ["spectator", *range(len(game.seats))]
    viewers += ["all"] if game.is_over else []
    if subject.viewer != "all":
        viewers = [eyes for eyes in viewers if eyes in (subject.viewer, "spectator")]
    step_through(Stepped(subject.title, viewers, cache(partial(subject.replay, envelopes))), viewer, since)
