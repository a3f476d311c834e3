"""Whose unsigned mail is believed: `mail addresses unsigned`, and `mail addresses doubt`."""

from __future__ import annotations

from pathlib import Path

import click

from felix_async.reading.authentication import provider_text
from felix_cli.mailtext import shown
from felix_cli.output import Problem, print_json, print_table, say
from felix_cli.wiring import db_option, json_option, read_database, write_database
from felix_events.store.base import Reader
from felix_events.store.rows import Belief


@click.command()
@json_option
@db_option
def unsigned(as_json: bool, db: Path | None) -> None:
    """List from where unsigned mail is taken for a player's, because they said so.

    \b
    Example:
      felix mail addresses unsigned
    """
    with read_database(db) as reader:
        told = [_told(belief, reader) for belief in reader.beliefs()]
    if as_json:
        print_json(told)
        return
    columns = ("address", "name", "provider", "since")
    cells = [[str(row[column]) for column in columns] for row in told]
    print_table(["address", "player", "provider", "since"], cells)
    if not cells:
        say("No unsigned mail is taken for a player's.")


@click.command()
@click.argument("address")
@json_option
@db_option
def doubt(address: str, as_json: bool, db: Path | None) -> None:
    """Ask its player about unsigned mail from an address again, whatever they said.

    \b
    Example:
      felix mail addresses doubt anna@example.org
    """
    with write_database(db) as tx:
        of = {one.player_id for one in tx.beliefs() if one.address == address.lower()}
        count = sum(tx.doubt(player_id, address.lower()) for player_id in of)
    if not count:
        raise Problem(
            f"No unsigned mail from {shown(address)} is taken for a player's;"
            " `felix mail addresses unsigned` lists what is."
        )
    if as_json:
        print_json({"address": address.lower(), "ended": count})
    else:
        click.echo(f"Unsigned mail from {shown(address)} is asked about again.")


def _told(belief: Belief, reader: Reader) -> dict[str, object]:
    seats = reader.seats_of(belief.player_id)
    return {
        "address": shown(belief.address),
        "player_id": shown(belief.player_id),
        "name": shown(seats[0].name, 40) if seats else "",
        "provider": shown(provider_text(belief.provider)),
        "since": belief.since,
    }
