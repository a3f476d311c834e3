"""Games between computer players, into the database: `simulate`."""

from __future__ import annotations

import hmac
import itertools
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click

from felix_async.draw import Stream
from felix_async.game.commands import Join
from felix_async.game.players import ComputerPlayer, random_player, share_player, sharing
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.game.sensible import sensible_player
from felix_async.game.views import view
from felix_async.service import Origin, Outcome, Player, Service
from felix_cli.games import RULESETS, pace_named
from felix_cli.output import Problem, counted, print_json, progress, say
from felix_cli.upgrade import open_to_write
from felix_cli.wiring import db_option, json_option, make_service, settings_for
from felix_events.model import Options, Pace, Ruleset
from felix_events.store.base import Tx

PLAYERS: Final[dict[str, ComputerPlayer]] = {
    "sensible": sensible_player,
    "random": random_player,
    "share": share_player,
}
_SHARES: Final = {f"share{percent}": percent for percent in range(10, 201, 10)}
"""Players who bid up to another share: share40 bids 40 per cent."""
SEATS: Final = 4
_FIRST_DAY: Final = datetime(2026, 1, 1, tzinfo=UTC)


class SeededEntropy:
    """Bytes that look random and follow from a seed: for games that can be played again, and no others."""

    def __init__(self, seed: str) -> None:
        self._key = seed.encode()
        self._count = 0

    def __call__(self, size: int) -> bytes:
        self._count += 1
        return hmac.digest(self._key, b"entropy" + self._count.to_bytes(8), "sha256")[:size]


class SteppingClock:
    """A clock that goes on by a minute whenever somebody looks."""

    def __init__(self) -> None:
        self._now = _FIRST_DAY

    def __call__(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now


class Tally:
    """The number of wins of each player; a shared win counts for each winner and as a part in shares."""

    def __init__(self, bots: Sequence[str]) -> None:
        self._bots = bots
        self._games = 0
        self._wins = [0] * len(bots)
        self._parts = [Fraction(0)] * len(bots)

    def count(self, winners: Sequence[int]) -> None:
        """One more game, won by these seats."""
        self._games += 1
        for seat in winners:
            self._wins[seat] += 1
            self._parts[seat] += Fraction(1, len(winners))

    def by_seat(self) -> list[dict[str, Any]]:
        """The wins of each seat, and its share of the games."""
        return [
            {"seat": seat, "bot": bot, "wins": self._wins[seat], "share": self._share(self._parts[seat])}
            for seat, bot in enumerate(self._bots)
        ]

    def by_bot(self) -> dict[str, float]:
        """The share of the games that each kind of player won, with all of its seats together."""
        return {
            bot: self._share(
                sum(part for name, part in zip(self._bots, self._parts, strict=True) if name == bot)
            )
            for bot in dict.fromkeys(self._bots)
        }

    def _share(self, part: Fraction | int) -> float:
        return round(float(part / self._games), 4)


def _habits(
    _context: click.Context, _option: click.Parameter, said: str | None
) -> tuple[float, float] | None:
    """Two shares, from two numbers of per cent."""
    if said is None:
        return None
    if said == "none":
        return 0.0, 0.0
    numbers = [int(part) for part in said.split(",") if re.fullmatch("[0-9]{1,3}", part.strip())]
    if len(numbers) != 2 or said.count(",") != 1 or max(numbers) > 100:
        raise click.BadParameter("take none, or two numbers from 0 to 100, like 80,60.")
    return numbers[0] / 100, numbers[1] / 100


@click.command()
@click.option("--games", "count", type=click.IntRange(1, 100_000), default=1, show_default=True)
@click.option(
    "--players",
    type=click.IntRange(3, 5),
    help="Seats at each table.  [default: 4; with --calendar 3, 4 or 5]",
)
@click.option("--ruleset", type=click.Choice(RULESETS), default=DEFAULT_RULESET, show_default=True)
@click.option("--seed", type=int, help="The same seed gives the same games.  [default: drawn, and told]")
@click.option(
    "--bots",
    default="sensible,random",
    show_default=True,
    help="Who plays, seat by seat, over again where there are more seats: sensible, random, share, or share40"
    " and the like.",
)
@click.option(
    "--calendar",
    "days",
    type=click.IntRange(30, 3660),
    metavar="DAYS",
    help="Play by mail instead, on a simulated clock, with invented people, for so many days.",
)
@click.option(
    "--pace",
    callback=pace_named,
    metavar="together|in-turn",
    help="With --calendar: is everybody still in an auction asked together when a card turns, or in turn?"
    "  [default: together]",
)
@click.option(
    "--habits",
    metavar="none|E,N",
    callback=_habits,
    help="With --calendar: E per cent answer early, or with a limit in turn, and N per cent give their next"
    " card as well.  [default: 80,60]",
)
@json_option
@db_option
def simulate(
    count: int,
    players: int | None,
    ruleset: Ruleset,
    seed: int | None,
    bots: str,
    days: int | None,
    pace: Pace | None,
    habits: tuple[float, float] | None,
    as_json: bool,
    db: Path | None,
) -> None:
    """Play games between computer players and keep them in the database, marked as simulated and seeded.

    The first game is started by seat 0, the next by seat 1, and so on round the table, so that no seat is
    better than another. With --json come, for each seat and for each kind of player, the share of the games
    that it won; a win of two counts as half a game for each of them.

    "share" bids up to 60 per cent of what the open cats add up to, "share40" up to 40, from 10 to 200.

    With --calendar the players are people who sleep, go on holiday and forget to answer, at tables of three
    to five with clocks of several kinds; --ruleset and --bots say nothing about them. It needs a new
    database, and counts what must not happen: a reminder sent twice, after the move, or in quiet hours, and a
    deadline that was missed.

    \b
    Example:
      felix simulate --games 100 --players 3 --seed 7
      felix simulate --games 1000 --bots sensible,share,share,share --json
      felix simulate --calendar 365 --games 200 --seed 1 --db year.db
      felix simulate --calendar 90 --pace in-turn --habits none --db year.db
    """
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    if days is not None:
        # The whole server comes along with it.
        from felix_cli.year.answering import DEFAULT, Ways
        from felix_cli.year.report import report

        report(
            db,
            days=days,
            games=count,
            seed=seed,
            entropy=SeededEntropy(f"{seed}"),
            ways=Ways(pace or DEFAULT.pace, *(habits or (DEFAULT.early, DEFAULT.ahead))),
            players=players,
            as_json=as_json,
        )
        return
    if pace is not None or habits is not None:
        raise click.UsageError("--pace and --habits are about people: they go with --calendar.")
    players = players or SEATS
    seated = _bots(bots, players)
    service = make_service(settings_for(db), clock=SteppingClock(), entropy=SeededEntropy(f"{seed}"))
    tally = Tally([name for name, _ in seated])
    game_ids = []
    with closing(open_to_write(settings_for(db).database, create=True)) as store:
        for number in progress(range(count), count, "playing"):
            with store.write() as tx:
                game_id, winners = play_game(
                    tx, service, seated, ruleset, f"{seed}/{number}", start=number % players
                )
            game_ids.append(game_id)
            tally.count(winners)
    if as_json:
        print_json({"seed": seed, "games": game_ids, "wins": tally.by_seat(), "shares": tally.by_bot()})
        return
    for game_id in game_ids:
        click.echo(game_id)
    told = ", ".join(f"seat {one['seat']} ({one['bot']}) {one['wins']}" for one in tally.by_seat())
    say(f"{counted(count, 'game')}, won by: {told}. The same again, in a new database: --seed {seed}.")


def play_game(
    tx: Tx,
    service: Service,
    seated: list[tuple[str, ComputerPlayer]],
    ruleset: Ruleset,
    label: str,
    *,
    start: int | None = None,
) -> tuple[str, list[int]]:
    """One whole game in the transaction given, started by `start`; its id, and the seats that won."""
    ids = _command_ids(tx, service)
    game_id, opened = service.open_table(
        tx,
        [Player(f"c-{seat}-{bot}", f"{bot.capitalize()} {seat}") for seat, (bot, _) in enumerate(seated)],
        origin=Origin(next(ids), "computer", "computer"),
        table_name=f"Simulation {label}",
        ruleset=ruleset,
        kind="simulated",
        options=Options(seeded=True, start_seat=start),
    )
    _done(opened)
    numbers = Stream(service.entropy(32), "players")
    for seat in range(len(seated)):
        join = Join(seat=seat, contribution=service.entropy(32).hex())
        _done(service.handle(tx, game_id, join, Origin(next(ids), "computer", "computer", order="JOIN")))
    while not (game := service.load(tx, game_id)).is_over:
        seat = game.asked[numbers.below(len(game.asked))]
        decision = seated[seat][1](view(game, seat), seat, numbers)
        _done(service.handle(tx, game_id, decision.move, Origin(next(ids), "computer", "computer")))
    return game_id, game.winners


def _bots(names: str, players: int) -> list[tuple[str, ComputerPlayer]]:
    wanted = [name.strip() for name in names.split(",")]
    unknown = [name for name in wanted if name not in PLAYERS and name not in _SHARES]
    if unknown:
        raise Problem(f"There is no computer player {unknown[0]!r}: take {' or '.join(PLAYERS)}.", 2)
    seated = [wanted[seat % len(wanted)] for seat in range(players)]
    return [(name, PLAYERS.get(name) or sharing(_SHARES[name])) for name in seated]


def _command_ids(tx: Tx, service: Service) -> Iterator[str]:
    """Ids for the commands of one game, new ones also if the same seed was played here before."""
    game = f"computer/{service.entropy(16).hex()}"
    while tx.outcome(f"{game}/0") is not None:
        game = f"computer/{service.entropy(16).hex()}"
    return (f"{game}/{number}" for number in itertools.count())


def _done(outcome: Outcome) -> None:
    """A computer player that breaks the rules is a bug, not a game."""
    if outcome.refusal is not None:
        raise AssertionError(f"a computer player was refused: {outcome.refusal.code}")
