"""A whole game by real e-mail on this machine, then its replay and audit: `demo`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import click

from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, evidence_of
from felix_async.game.cards import ROUNDS
from felix_async.game.commands import Bid, order_text
from felix_async.game.names import Names
from felix_async.game.narrate import retell
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.game.state import Game
from felix_async.game.story import Story
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import WORD_OF
from felix_async.service import Entropy, Origin, Player, advised
from felix_async.settings import Listen, Send, Settings
from felix_async.text import plain
from felix_cli.games import RULESETS
from felix_cli.mail_robots import Exchange, MailPlayers
from felix_cli.output import Problem, felix, from_here, say, text_width
from felix_cli.replay.html import write_page
from felix_cli.server import Server
from felix_cli.simulate import SeededEntropy
from felix_cli.tables import moment_lines, score_lines
from felix_cli.wiring import look_up
from felix_events.envelope import check_envelopes
from felix_events.model import GameEnded, Options, Ruleset, SackDiscarded, SackSold
from felix_events.store.sqlite import SqliteStore

NAMES: Final = ("Anna", "Ben", "Cara", "Dan", "Eve")
MAILBOX: Final = "felix@felix.test"
_MIDDLE: Final = 3
"""Mice that somebody has bid when an auction is worth a look."""
_PATIENCE: Final = 60.0
"""Seconds without any mail after which the demo gives up."""


@click.command()
@click.option("--players", type=click.IntRange(3, 5), default=4, show_default=True)
@click.option("--ruleset", type=click.Choice(RULESETS), default=DEFAULT_RULESET, show_default=True)
@click.option("--seed", type=int, help="Play the same game again.  [default: chance]")
@click.option(
    "--db", type=click.Path(path_type=Path), help="A new database.  [default: felix-demo.db, or -2 …]"
)
def demo(players: int, ruleset: Ruleset, seed: int | None, db: Path | None) -> None:
    """Play a whole game by real e-mail on this machine.

    A server is started on loopback, computer players get turn messages over SMTP and answer them by
    mail; each of them knows what its seat may know. The database stays, for looking at, and a page of the
    game for a browser.

    \b
    Example:
      felix demo --players 3 --seed 7
    """
    database = _new_database(db)
    SqliteStore.create(database).close()
    entropy: Entropy = os.urandom if seed is None else SeededEntropy(f"demo/{seed}/{players}/{ruleset}")
    started = time.monotonic()
    shown: Exchange | None = None
    with MailPlayers(f"{seed}", _PATIENCE) as mail_players:
        settings = Settings(
            database=database,
            mailbox=MAILBOX,
            listen=Listen(port=0),
            send=Send(port=mail_players.port, timeout_seconds=10),
        )
        with Server(settings, entropy=entropy) as server:
            game_id = _open_table(server, NAMES[:players], ruleset, seeded=seed is not None)
            say(f"Game {game_id}: {', '.join(NAMES[:players])} play by mail on this machine.")
            mail_players.advise = partial(_advised, server, game_id)
            with _progress() as tell:
                for exchange in mail_players.play(MAILBOX, server.listener.port, players):
                    shown = shown or (exchange if _is_telling(exchange) else None)
                    tell(_status(server, game_id, mail_players))
            seconds = time.monotonic() - started
            say(f"Played in {seconds:.1f} seconds: {_counts(mail_players)}.")
            with server.store.read() as reader:
                evidence = evidence_of(reader, game_id)
    assert evidence is not None, "just played"
    if shown is not None:
        _show(shown)
    _tell_end(evidence, NAMES[:players], database)


def _advised(server: Server, game_id: str, address: str) -> str:
    """Return what the computer would write in the seat of this player, '' if nothing is asked there."""
    with server.store.read() as reader:
        game, row = server.service.load(reader, game_id), reader.game(game_id)
    seat = next(seat for seat, name in enumerate(NAMES) if address == _address(name))
    if seat not in game.asked:
        return ""
    # The same whatever the order in which cards come in.
    decision = advised(row, game, seat, f"demo/{seat}/{game.seats[seat].turn}")
    limit = next((reason.value for reason in decision.reasons if reason.what == "bids_up_to"), None)
    if isinstance(decision.move, Bid) and isinstance(limit, int) and limit > decision.move.amount:
        return f"{WORD_OF['UPTO']} {min(limit, game.seats[seat].mice)}"
    return order_text(decision.move)


def _is_telling(exchange: Exchange) -> bool:
    """Return True of a message in the middle of an auction that was answered with a limit."""
    bids = [order.amount for order in map(read_line, exchange.offers) if isinstance(order, Order)]
    least = min((amount for amount in bids if amount is not None), default=0)
    return least > _MIDDLE and exchange.order.startswith(WORD_OF["UPTO"])


def _show(exchange: Exchange) -> None:
    """Print a message and its answer, as they went by."""
    message = exchange.message
    click.echo("A turn message of this game:\n")
    for name in ("From", "To", "Subject"):
        click.echo(f"  {name}: {plain(str(message[name]), 200)}")
    click.echo("")
    for line in exchange.text.splitlines():
        click.echo(f"  {line}".rstrip())
    click.echo(f"\nIts answer:\n\n  {exchange.order}\n")


def _open_table(server: Server, names: tuple[str, ...], ruleset: Ruleset, *, seeded: bool) -> str:
    entropy = server.service.entropy
    with_ids = [Player(f"p-{name.lower()}", name, _address(name)) for name in names]
    origin = Origin(f"demo/{entropy(16).hex()}", "host", "desk", order="NEW")
    game_id, outcome = server.writer.do(
        lambda tx: server.service.open_table(
            tx,
            with_ids,
            origin=origin,
            table_name="Demo table",
            ruleset=ruleset,
            # Asked together, the hour and the order of the messages would decide, and no seed.
            options=Options(seeded=seeded, pace="in turn"),
        )
    )
    if outcome.refusal is not None:
        raise Problem(str(outcome.refusal))
    server.wake_post()
    return game_id


def _address(name: str) -> str:
    return f"{name.lower()}@players.test"


def _status(server: Server, game_id: str, mail_players: MailPlayers) -> str:
    with server.store.read() as reader:
        game = server.service.load(reader, game_id)
    return f"{_where(game)} {_counts(mail_players)}"


def _counts(mail_players: MailPlayers) -> str:
    return f"{mail_players.received} turn mails and answers received, {mail_players.sent} sent"


def _where(game: Game) -> str:
    waiting = ", ".join(NAMES[seat] for seat in game.asked)
    if game.phase == "inviting":
        return f"Inviting: waiting for {waiting}."
    if game.is_over:
        return "The game is over."
    what = "placing cards" if game.phase == "placing" else f"bidding, highest {game.high_bid}"
    return f"Round {game.round} of {ROUNDS}, {what}: waiting for {waiting}."


@contextmanager
def _progress() -> Iterator[Callable[[str], object]]:
    """The place of the game: one live line on a terminal, a line for each change of round elsewhere."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("Starting") as status:
            yield status.update
        return
    last = ""

    def tell(line: str) -> None:
        nonlocal last
        head = line.partition(",")[0].partition(":")[0].partition(".")[0]
        if head != last:
            last = head
            say(line)

    yield tell


def _new_database(named: Path | None) -> Path:
    """A new database: the demo sends what its database owes, and nobody's real game may be in it."""
    if named is not None:
        if named.exists():
            raise Problem(
                f"{named} is there already, and a demo needs a new database: name another with --db."
            )
        return named
    names = (Path(f"felix-demo{number}.db") for number in ["", *(f"-{n}" for n in range(2, 10_000))])
    return next(path for path in names if not path.exists())


def _tell_end(evidence: Evidence, names: Sequence[str], database: Path) -> None:
    """The game told again in short, the scores, the audit's verdict, and where to look further."""
    envelopes = check_envelopes(evidence.bodies)
    ended = next((one.data for one in reversed(envelopes) if isinstance(one.data, GameEnded)), None)
    if ended is None:
        raise Problem(
            f"Game {evidence.game_id} did not come to its end; `felix replay` tells how far it got."
        )
    for told in retell(envelopes, "all", names):
        if isinstance(told.event, SackSold | SackDiscarded):
            click.echo(f"Round {told.step.before.round}: {told.text}")
    click.echo("")
    for line in score_lines(names, ended.scores, ended.winners, text_width()):
        click.echo(line)
    click.echo("")
    for line in moment_lines(Story.of(envelopes), Names(names), text_width()):
        click.echo(line)
    report = audit(evidence)
    click.echo("")
    click.echo(f"Audit: {'sound' if report.sound else 'NOT SOUND'}, {report.size} events.")
    for finding in report.findings:
        click.echo(f"  {finding}")
    click.echo("")
    click.echo("To look further:")
    for verb in ("show", "replay", "replay --step", "audit", "export"):
        click.echo(f"  {felix()} {verb} {evidence.game_id} --db {from_here(database)}")
    page = database.with_suffix(".html")
    write_page(look_up(evidence.game_id, database), "all", page)
    click.echo("")
    click.echo(f"The replay, for a browser: {from_here(page)}")
    if not report.sound:
        raise click.exceptions.Exit(1)
