"""Games and their tables: `new`, `show`, `move`."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from felix_async.address import Token, token_in
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.game.views import view
from felix_async.language.clock_terms import DAY, Unclear, terms_named, terms_text
from felix_async.language.grammar import Misread, Order, read_line
from felix_async.language.phrases import joined
from felix_async.language.words import DONE, PACE_NAMES
from felix_async.meaning.situation import Situation, situation_of
from felix_async.orders.context import OrderContext, ReceivedOrder, Source
from felix_async.orders.execute import execute
from felix_async.orders.hosting import names_at
from felix_async.orders.listed import Asked, option_in
from felix_async.orders.registry import ORDERS
from felix_async.people import NAME_LENGTH, Named, named, seat_names
from felix_async.reading.sender import Writer
from felix_async.service import Origin
from felix_async.settings import Settings
from felix_async.text import plain
from felix_cli.desk import what_happened, why_misread, why_refused
from felix_cli.heard import heard, said_in
from felix_cli.naming import game_named, seat_named, viewer_of
from felix_cli.output import Problem, print_json, say
from felix_cli.tables import MASKED, table_json, table_text
from felix_cli.wiring import (
    as_option,
    db_option,
    followed,
    game_argument,
    json_option,
    look_up,
    make_service,
    mask_option,
    seat_argument,
    settings_for,
    target_argument,
    until_option,
    write_database,
)
from felix_events.lines import root_over
from felix_events.model import DEFAULT_PACE, Options, Pace, Ruleset, Terms

_BELOW_ZERO: Final = re.compile(r"^-(?=[0-9]+$)", re.ASCII)
RULESETS: Final = ("felicity-2017", "felix-2007")


def _rules(_context: click.Context, _option: click.Parameter, written: str) -> Ruleset:
    """Rules as a NEW by mail names them: `2007`, `felix-2007`, `rules 2007`."""
    found = option_in(written)
    if not isinstance(found, str):
        raise click.BadParameter(f"{plain(written)} is not one of 2017, 2007, {', '.join(RULESETS)}.")
    return found


def pace_named(_context: click.Context, _option: click.Parameter, written: str | None) -> Pace | None:
    """Return a pace that is named as in a NEW by mail: `in turn`, `one after the other`, `together`."""
    if written is None:
        return None
    found = option_in(written)
    if not isinstance(found, Asked):
        raise click.BadParameter(f"{plain(written)} is neither together nor in-turn.")
    return found.pace


@click.command()
@click.option(
    "--player", "players", multiple=True, required=True, metavar='"NAME <ADDRESS>"', help="A player; 3 to 5."
)
@click.option("--table", default="", help="A name for the table.")
@click.option(
    "--ruleset",
    callback=_rules,
    default=DEFAULT_RULESET,
    show_default=True,
    metavar="2017|2007",
    help="The rules, as in a NEW by mail.",
)
@click.option("--start", metavar="PLAYER", help="The player who starts.  [default: drawn]")
@click.option(
    "--host",
    metavar="PLAYER",
    help="The player who may begin with those who are in, or call it off.  [default: the first]",
)
@click.option("--no-host", is_flag=True, help="Nobody hosts: all must join, and one DECLINE ends it.")
@click.option(
    "--clock",
    help='How much time a move may take: "12 hours a move and a week in reserve, no weekends in '
    'Europe/Berlin", "no clock".  [default: time.clock of the settings]',
)
@click.option(
    "--pace",
    callback=pace_named,
    default=DEFAULT_PACE,
    show_default=True,
    metavar="together|in-turn",
    help="Who is asked when a card is turned over: everybody still in the auction, or one after the other.",
)
@json_option
@db_option
def new(
    players: tuple[str, ...],
    table: str,
    ruleset: Ruleset,
    start: str | None,
    host: str | None,
    no_host: bool,
    clock: str | None,
    pace: Pace,
    as_json: bool,
    db: Path | None,
) -> None:
    """Start a game and invite its players, in the order in which they sit.

    A player without an address is moved at the host's desk. The game begins when all
    have joined, or when its host writes START. When the time for a move is up, felix makes it.

    \b
    Example:
      felix new --table "Thursday club" --player "Anna <anna@example.org>" \\
        --player "Ben <ben@example.org>" --player "Cara <cara@example.org>" \\
        --clock "2 days a move, no weekends"
    """
    settings = settings_for(db)
    service = make_service(settings)
    terms = service.terms if clock is None else _clock(clock, settings)
    named = _people(players, settings.mailbox)
    names = [one.name for one in named]
    with write_database(db) as tx:
        origin = Origin(_desk_id(), "host", "desk", order="NEW")
        game_id, outcome = service.open_table(
            tx,
            service.identified(tx, named),
            origin=origin,
            table_name=plain(table, NAME_LENGTH),
            ruleset=ruleset,
            options=Options(start_seat=None if start is None else seat_named(start, names), pace=pace),
            host=None if no_host else seat_named(host or "0", names),
            clock=terms,
        )
        if outcome.refusal is not None:
            raise Problem(str(outcome.refusal))
        seats = tx.seats(game_id)
    invited = [seat.name for seat in seats if seat.address is not None]
    if as_json:
        print_json({"game_id": game_id, "ruleset": ruleset, "clock": terms_text(terms), "invited": invited})
        return
    click.echo(game_id)
    at_desk = [seat.name for seat in seats if seat.address is None]
    if at_desk:
        say(f"Moved with `felix move`: {joined(at_desk)}.")
    if invited:
        say(f"Invited: {joined(invited)}. Invitations go out while `felix serve` runs. Ask them to look")
        say(f"for a message from {settings.mailbox}, also in the spam folder.")
    in_turn = "" if pace == DEFAULT_PACE else f" Who is asked: {PACE_NAMES[pace]}."
    say(f"The rules: {ruleset}. The clock: {terms_text(terms)}.{in_turn}")


@click.command()
@target_argument
@as_option
@until_option
@mask_option
@json_option
@db_option
def show(
    target: str, viewer: str | None, until: int | None, mask_hashes: bool, as_json: bool, db: Path | None
) -> None:
    """Show one game's table, from the database or an exported file.

    \b
    Example:
      felix show k7m2p --as Ben
    """
    subject = look_up(target, db)
    _, game = followed(subject, until)
    seen_by = viewer_of(viewer, game, subject)
    over = root_over(subject.evidence.bodies[:until])
    root = MASKED if mask_hashes or over is None else over.hex()
    if as_json:
        print_json(table_json(subject, game, seen_by, root))
    else:
        for line in table_text(subject, game, seen_by, root):
            click.echo(line)


class _WithCards(click.Command):
    """A command in whose words a card may be below zero: `PLAY -8` is no option -8."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        order = [_BELOW_ZERO.sub("\N{MINUS SIGN}", word) for word in args[2:]]
        return super().parse_args(ctx, [*args[:2], *order])


@click.command(cls=_WithCards)
@game_argument
@seat_argument
@click.argument("words", metavar="ORDER...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Make the move that plain words stand for.")
@json_option
@db_option
def move(game_id: str, seat: str, words: tuple[str, ...], yes: bool, as_json: bool, db: Path | None) -> None:
    """Make a move for a player at the host's desk; everybody will see that the host did it.

    SEAT is the player's name, or the beginning of it; a number counts seats from 0, for scripts.

    ORDER is PLAY, BID, PASS, JOIN, DECLINE, RESIGN, PAUSE, RESUME, ABANDON or AWAY with its days (for this
    game alone), as in a message; for the player who hosts also START, CANCEL, "UNINVITE Ben" and "HOST Ben".
    "UP TO 7", "NEXT 11" and a move before its turn are kept until their time comes; nobody sees them before;
    ORDERS shows what is kept, and DROP forgets it. Plain words work too: felix says what it would do; add
    --yes to do it.

    \b
    Example:
      felix move k7m2p Ben BID 5
      felix move k7m2p Ben "too rich for me" --yes
    """
    order = " ".join(words)
    read = read_line(order)
    if isinstance(read, Order) and (ORDERS[read.word].command is None or read == Order("AWAY")):
        shows = f"felix show {plain(game_id)} --as {plain(seat)}"
        raise Problem(f"The desk makes moves only; `{shows}` shows the table.")
    command_id = _desk_id()
    with write_database(db) as tx:
        game_id = game_named(tx, game_id)
        rows = tx.seats(game_id)
        row = rows[seat_named(seat, [one.name for one in rows])]
        writer = Writer(row, Token(game_id, row.seat, "move", 0), "")
        service = make_service(settings_for(db))
        ctx = OrderContext(tx, service, writer, Source("desk", message_id=command_id), turn=0)
        if isinstance(read, Misread):
            seen = situation_of(view(ctx.game, row.seat), tuple(names_at(ctx)))
            read = _meant(order, read, seen, yes=yes)
        before, names = ctx.game.version, seat_names([one.name for one in rows], limit=NAME_LENGTH)
        reply = execute(ctx, ReceivedOrder(read, str(read), command_id))
        outcome, line = reply.outcome, reply.lines[0]
        if outcome is None or outcome.refusal is not None:
            # Within the transaction: what was refused leaves no trace.
            raise Problem(why_refused(ctx, names, line, None if outcome is None else outcome.refusal))
        is_asked = read.word in ("ORDERS", "DROP")
        said = line.why if is_asked or line.why != DONE.get(read.word) else ""
        happened = what_happened(ctx, names, before)
    if as_json:
        told = {"said": said} if said else {}
        print_json({"game_id": game_id, "version": outcome.version, "events": outcome.events, **told})
    elif is_asked:
        click.echo(f"{names[row.seat]} would read: {said}")
    else:
        click.echo(happened or f"Kept for {names[row.seat]}: {plain(str(read))}.")
        if said:
            click.echo(f"{names[row.seat]} would read: {said}")


def _meant(words: str, read: Misread, situation: Situation, *, yes: bool) -> Order:
    """The move that plain words stand for, if it is to be made; Problem if not, or if there is none."""
    is_order = read.code == "order/no_card_like_that" and words.split()[-1].lstrip("-−").isdigit()
    found = heard(said_in(words), situation)
    if is_order or not (found.do or (found.meaning.doubt and found.ask)):
        raise Problem(why_misread(read))
    if found.do is None:
        raise Problem(f"Which move is that? Write one of these: {', '.join(map(str, found.ask))}.")
    if not yes:
        raise Problem(f"I would take this as {found.do}. Write it that way, or add --yes.")
    return found.do


def _people(texts: Sequence[str], mailbox: str) -> list[Named]:
    """The players as they were named on the command line."""
    people = []
    for text in texts:
        one = named(text)
        if one is None:
            raise Problem(f"{plain(text)} holds no e-mail address that felix can use.")
        if not one.name:
            raise Problem("A player needs a name.")
        if token_in(one.address, mailbox) is not None:
            raise Problem(f"{mailbox} is felix's own address, and felix does not play.")
        people.append(one)
    return people


def _clock(written: str, settings: Settings) -> Terms | None:
    """The clock that was named; its weekends are those of the settings' zone, if it names no other."""
    time = settings.time
    terms = terms_named(written, time.terms, time.zone, time.away_days * DAY)
    if isinstance(terms, Unclear):
        raise Problem(terms.why, 2)
    return terms


def _desk_id() -> str:
    return f"desk/{secrets.token_hex(16)}"
