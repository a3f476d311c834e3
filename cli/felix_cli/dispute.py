"""The disputes of a game: `dispute`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from felix_async.game.votes import OVER, needed, voters
from felix_async.orders.dispute import Verdict, lies_hidden, look_at, moves_of, raised_late
from felix_async.provenance import public_part
from felix_async.time.times import moment
from felix_cli.completion import complete_game
from felix_cli.naming import is_file
from felix_cli.output import EXIT_COULD_NOT_LOOK, Problem, print_json
from felix_cli.wiring import db_option, followed, json_option, look_up, read_database, settings_for
from felix_events.model import DisputeRaised, DisputeSettled

_WORTH: Final[dict[Verdict, str]] = {
    "kept": "the record is sound, and its message is kept",
    "record": "the record is sound; its message is not kept any more",
    "desk": "it was entered at the host's desk",
    "odd": "what is kept does not fit; `felix audit` says more",
}
_OVER: Final = {
    "stands": "the host let it stand",
    "withdrawn": "the player took it back, or left",
    "expired": "it was open for seven days",
    "handed_over": "the players handed the seat over to the computer",
    "late": "the game was over, so all were told by letter and its log does not have it",
}


@click.command()
@click.argument("game", shell_complete=complete_game)
@json_option
@db_option
def dispute(game: str, as_json: bool, db: Path | None) -> None:
    """Tell of the disputes of a game: who denies which move, what is kept of it, and where it is.

    \b
    Example:
      felix dispute k7m2p
    """
    if is_file(game):
        raise Problem("A file holds no messages: name a game of the database.", EXIT_COULD_NOT_LOOK)
    found = list(_disputes(game, db))
    if as_json:
        print_json(found)
        return
    for one in found:
        click.echo("\n".join(_lines(one)))
    if not found:
        click.echo("Nothing in this game is or was disputed.")


def _lines(one: dict[str, Any]) -> Iterator[str]:
    worth: Verdict = one["verdict"]
    move = one["move"] or "a card that lies face down"
    yield f"{one['name']} denies {move} (step {one['made_at']}, round {one['round']}):"
    over = _OVER[one["how"]] if one["how"] else f"open until {moment(one['lapses'], 'UTC')}"
    yield f"  raised {moment(one['raised_at'], 'UTC')}; {over}"
    if one["votes"]:
        yield f"  {one['votes']} of {one['needed']} votes for handing the seat over"
    yield f"  {_WORTH[worth]}"
    if one["mail_id"] is not None:
        yield f"  felix mail inbox show --game {one['game_id']} --version {one['made_at']}"


def _disputes(target: str, db: Path | None) -> Iterator[dict[str, Any]]:
    subject, mailbox = look_up(target, db), settings_for(db).mailbox
    envelopes, game = followed(subject, None)
    with read_database(db) as reader:
        raised = [
            (one.version, one.at, one.data.seat, one.data.turn, one.data.lapses)
            for one in envelopes
            if isinstance(one.data, DisputeRaised)
        ]
        late = raised_late(reader, subject.game_id)
        raised += [(len(envelopes), one.due_at, one.by, one.denied, "") for one in late]
        for version, at, seat, turn, lapses in raised:
            made = next(iter(moves_of(envelopes[:version], seat, [turn])), None)
            if made is None:
                why = f"The dispute of step {version} is about no move of this log"
                raise Problem(f"{why}; `felix audit {subject.game_id}` says more.")
            looked = look_at(reader, subject.evidence, envelopes, made, mailbox)
            after = (one.data for one in envelopes[version:])
            over = (one.how for one in after if isinstance(one, DisputeSettled) and one.seat == seat)
            how = next(over, None) if lapses else "late"
            mail = None if looked.found is None else looked.found.mail
            yield {
                "game_id": subject.game_id,
                "seat": seat,
                "name": subject.names_then.at(version)[seat],
                "move": "" if lies_hidden(game, made) else public_part(made.move),
                "round": made.round,
                "made_at": made.version,
                "raised_at": at,
                "lapses": lapses or None,
                "how": how,
                "votes": 0 if how else len(voters(game, OVER[seat])),
                "needed": 0 if how else needed(game),
                "verdict": looked.verdict,
                "mail_id": None if mail is None else mail.mail_id,
            }
