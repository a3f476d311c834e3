"""The command `play`: sit down at a table in this terminal, and leave it with one sentence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from felix_cli.completion import complete_game
from felix_cli.output import EXIT_COULD_NOT_LOOK, Problem, felix, say
from felix_cli.wiring import db_option

if TYPE_CHECKING:
    from felix_events.model import Ruleset

_RULES: Final[dict[str, Ruleset]] = {"2017": "felicity-2017", "2007": "felix-2007"}


@click.command()
@click.argument("game_id", metavar="[GAME]", required=False, shell_complete=complete_game)
@click.option("--players", type=click.IntRange(3, 5), help="You and the others.  [default: 4]")
@click.option("--rules", type=click.Choice([*_RULES]), help="Whose rules.  [default: 2017]")
@click.option("--name", help="Your name at the table.  [default: the one that you are logged in with]")
@click.option("--seed", type=int, help="The same seed deals the same cards, in a new database.")
@click.option("--new", "is_new", is_flag=True, help="Begin another game, though one is unfinished.")
@db_option
def play(
    game_id: str | None,
    players: int | None,
    rules: str | None,
    name: str | None,
    seed: int | None,
    is_new: bool,
    db: Path | None,
) -> None:
    """Play in this terminal, now, against computer players: no mail, no set-up.

    Say what you do as in a message: BID 5, PASS, or your own words; HINT tells what the computer would do and
    why, HELP lists the rest. The game is kept, so it can be left, replayed and audited. An unfinished one
    goes on, unless an option asks for a new one.

    \b
    Example:
      felix play
      felix play --players 3 --seed 7
    """
    if not _is_at_terminal():
        raise Problem("`felix play` needs a terminal to play in.", EXIT_COULD_NOT_LOOK)
    is_new = is_new or any(option is not None for option in (players, rules, name, seed))
    if game_id is not None and is_new:
        raise click.UsageError("A game that goes on keeps its players, rules and names.")
    try:
        # All that is needed takes a while to load.
        from felix_cli.play.session import New, sit_down

        new = New(players or 4, _RULES[rules or "2017"], name, seed) if is_new else None
        sit_down(db, game_id, new)
    except (KeyboardInterrupt, EOFError) as left:
        click.echo("")
        again = " ".join(filter(None, [felix(), "play", str(left) or game_id, f"--db {db}" if db else ""]))
        say(f"You left the table. To go on:\n  {again}")


def _is_at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
