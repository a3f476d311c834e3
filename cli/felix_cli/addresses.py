"""Players' ways to write and be written to: `mail revoke`, and `mail addresses` with list, start and stop."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from felix_async.clock import system_clock, text_of
from felix_async.game.commands import Restore
from felix_async.language.words import RENEWED, RESTORED
from felix_async.orders.rekeying import enqueue_again, rekey
from felix_async.reading.authentication import provider_text
from felix_async.service import Origin, Service
from felix_async.text import plain
from felix_cli.claim import is_served
from felix_cli.completion import complete_address, complete_game, complete_seat
from felix_cli.mail_text import shown
from felix_cli.naming import game_named, seat_named
from felix_cli.output import Problem, counted, print_json, print_table, say
from felix_cli.wiring import (
    SERVER_SECRET,
    db_option,
    json_option,
    make_service,
    read_database,
    settings_for,
    write_database,
)
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import AddressRow, Belief, SeatRow

_LONGEST_ADDRESS: Final = 320
_WHY: Final = {"": "", "bounces": "it bounces", "asked": "asked for", "moved": "letters go elsewhere"}


@click.command()
@click.argument("game", required=False, shell_complete=complete_game)
@click.argument("seat", required=False, shell_complete=complete_seat)
@click.option("--all", "everybody", is_flag=True, help="Every seat of every open game: after a restore.")
@json_option
@db_option
def revoke(game: str | None, seat: str | None, everybody: bool, as_json: bool, db: Path | None) -> None:
    """Revoke all reply addresses of a seat and send new ones.

    Use it if a message got into the wrong hands. With --all, use it for a restored database: messages that it
    does not know were sent since, and no answer to them may be taken for an answer to a later one. The server
    must be stopped for that. Each of these games notes in its log that the server was set back.

    \b
    Example:
      felix mail revoke k7m2p Cara
      felix mail revoke --all
    """
    if everybody == (game is not None) or (game is None) != (seat is None):
        raise Problem("Give a game and a player, or --all and neither.", 2)
    settings = settings_for(db)
    service = make_service(settings)
    if everybody and is_served(settings.database):
        raise Problem("A server works on this database; stop it, and start it again afterwards.")
    name, games = "", 0
    with write_database(db) as tx:
        if game is not None and seat is not None:
            player = _seat(tx, service, game, seat)
            told, name = [_revoke(tx, service, player, RENEWED)], shown(player.name, 40)
        else:
            # Ids of letters begin again where the copy ended, and no two letters may have one Message-ID.
            tx.renew_secret(SERVER_SECRET, secrets.token_bytes(32))
            open_games = _open_games(tx, service)
            for game_id in open_games:
                service.handle(
                    tx, game_id, Restore(), Origin(f"desk/{secrets.token_hex(16)}", "host", "desk")
                )
            games, seats = len(open_games), [seat for game_id in open_games for seat in tx.seats(game_id)]
            # A seat without a secret has no addresses, as its player asked to be forgotten, and gets none.
            told = [_revoke(tx, service, player, RESTORED) for player in seats if player.secret]
    if as_json:
        print_json(told if everybody else told[0])
    elif everybody:
        _say_of_all(games, told)
    else:
        _say_of_one(told[0], name)


def _revoke(tx: Tx, service: Service, player: SeatRow, words: str) -> dict[str, object]:
    """Give a seat a new secret, and owe it a message with new addresses."""
    is_told = rekey(tx, service, player, words)
    return {"game_id": player.game_id, "seat": player.seat, "mail": is_told}


def _open_games(tx: Tx, service: Service) -> list[str]:
    """Every game that is played by mail and is not over."""
    games = [game.game_id for game in tx.games() if game.kind == "played"]
    return [game_id for game_id in games if not service.load(tx, game_id).is_over]


def _say_of_one(told: Mapping[str, object], name: str) -> None:
    click.echo(f"All reply addresses of {name} ({told['game_id']}) are revoked.")
    if told["mail"]:
        click.echo("A message with new ones is waiting; a running server sends it within seconds.")
    else:
        click.echo("There is no address to write to, so no new ones go out: see `felix mail addresses list`.")


def _say_of_all(games: int, told: Sequence[Mapping[str, object]]) -> None:
    letters = sum(bool(row["mail"]) for row in told)
    click.echo(f"All reply addresses of {counted(games, 'open game')} are revoked.")
    if games:
        click.echo(
            f"{'Its log says' if games == 1 else 'Their logs say'} that the server was set back to a backup."
        )
    waiting = counted(letters, "seat")
    click.echo(f"Messages with new ones are waiting for {waiting}; they go out when the server starts.")


@click.group()
def addresses() -> None:
    """Players' e-mail addresses, and whether mail goes there.

    \b
    Example:
      felix mail addresses list
    """


@addresses.command("list")
@click.option("--game", metavar="GAME", shell_complete=complete_game, help="Only one game's players.")
@click.option("--stopped", is_flag=True, help="Only those to which no mail goes.")
@json_option
@db_option
def list_addresses(game: str | None, stopped: bool, as_json: bool, db: Path | None) -> None:
    """List addresses, their bounces, and where mail stopped.

    \b
    Example:
      felix mail addresses list --stopped
    """
    with read_database(db) as reader:
        game = None if game is None else game_named(reader, game)
        told = [_told(row, reader) for row in _rows(reader, game) if row.stopped or not stopped]
    if as_json:
        print_json(told)
        return
    cells = [
        [str(row["address"]), str(row["name"]), f"{row['score']:g}", _WHY.get(str(row["stopped"]), "")]
        for row in told
    ]
    print_table(["address", "player", "bounces", "stopped"], cells, cut=("player",))
    if not cells:
        say("There are no such addresses.")


@addresses.command("start")
@click.argument("address", shell_complete=complete_address)
@json_option
@db_option
def start_address(address: str, as_json: bool, db: Path | None) -> None:
    """Resume mail to an address and forget its bounces. Its player is sent any open question.

    \b
    Example:
      felix mail addresses start anna@example.org
    """
    service = make_service(settings_for(db))
    with write_database(db) as tx:
        row = _address(tx, address)
        if not row.stopped and not row.score:
            raise Problem(f"Mail goes to {shown(row.address)} already.")
        tx.note_address(replace(row, score=0.0, scored_at="", stopped=""))
        seats = tx.seats_of(row.player_id) if row.stopped else []
        about = f"started-{text_of(system_clock())}"
        games = [player.game_id for player in seats if enqueue_again(tx, service, player, about, "")]
    if as_json:
        print_json({"address": row.address, "stopped": "", "mails_about": games})
        return
    click.echo(f"Mail goes to {shown(row.address)} again.")
    if games:
        click.echo(f"Its player is asked in {', '.join(games)}; a message about it is waiting.")


@addresses.command("stop")
@click.argument("address", shell_complete=complete_address)
@json_option
@db_option
def stop_address(address: str, as_json: bool, db: Path | None) -> None:
    """Stop mail to an address. Its player can still write, and can have mail sent to another one.

    \b
    Example:
      felix mail addresses stop anna@example.org
    """
    with write_database(db) as tx:
        row = _address(tx, address)
        if row.stopped:
            raise Problem(f"Mail to {shown(row.address)} is stopped already.")
        tx.note_address(replace(row, stopped="asked"))
    if as_json:
        print_json({"address": row.address, "stopped": "asked"})
    else:
        click.echo(f"No more mail goes to {shown(row.address)}.")


def _seat(tx: Tx, service: Service, game: str, seat: str) -> SeatRow:
    """The seat of a game that is played on by mail; Problem if there is none."""
    game_id = game_named(tx, game)
    row = tx.game(game_id)
    if row is None:
        raise Problem(f"Of game {game_id} there is a log alone; `felix doctor` says more.")
    if row.kind != "played":
        raise Problem(f"The game {game_id} is {row.kind}, so nobody writes or is written to about it.")
    if service.load(tx, game_id).is_over:
        raise Problem(f"The game {game_id} is over, and its addresses move nothing.")
    seats = tx.seats(game_id)
    return seats[seat_named(seat, [row.name for row in seats])]


def _rows(reader: Reader, game_id: str | None) -> Sequence[AddressRow]:
    if game_id is None:
        return reader.addresses()
    return [row for seat in reader.seats(game_id) for row in reader.addresses(seat.player_id)]


def _address(reader: Reader, address: str) -> AddressRow:
    player_id = reader.player_at(address.lower())
    rows = [] if player_id is None else reader.addresses(player_id)
    for row in rows:
        if row.address == address.lower():
            return row
    raise Problem(f"No player has the address {shown(address)}; `felix mail addresses list` lists them.")


def _told(row: AddressRow, reader: Reader) -> dict[str, object]:
    seats = reader.seats_of(row.player_id)
    return {
        "address": plain(row.address, _LONGEST_ADDRESS),
        "player_id": shown(row.player_id),
        "name": shown(seats[0].name, 40) if seats else "",
        "games": [seat.game_id for seat in seats],
        "score": row.score,
        "scored_at": row.scored_at,
        "stopped": row.stopped,
    }


@addresses.command()
@json_option
@db_option
def unsigned(as_json: bool, db: Path | None) -> None:
    """List the providers by which unsigned mail is accepted. Each was confirmed by its player.

    \b
    Example:
      felix mail addresses unsigned
    """
    with read_database(db) as reader:
        told = [_belief_told(belief, reader) for belief in reader.beliefs()]
    if as_json:
        print_json(told)
        return
    columns = ("address", "name", "provider", "since")
    cells = [[str(row[column]) for column in columns] for row in told]
    print_table(["address", "player", "provider", "since"], cells)
    if not cells:
        say("No unsigned mail is taken for a player's.")


@addresses.command()
@click.argument("address", shell_complete=complete_address)
@json_option
@db_option
def doubt(address: str, as_json: bool, db: Path | None) -> None:
    """Ask again about unsigned mail from an address. Its player's earlier YES no longer counts.

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


def _belief_told(belief: Belief, reader: Reader) -> dict[str, object]:
    seats = reader.seats_of(belief.player_id)
    return {
        "address": shown(belief.address),
        "player_id": shown(belief.player_id),
        "name": shown(seats[0].name, 40) if seats else "",
        "provider": shown(provider_text(belief.provider)),
        "since": belief.since,
    }
