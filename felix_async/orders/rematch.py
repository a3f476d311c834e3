"""REMATCH: another game with the same players, the same clock and the same pace, each in their own seat.

There is one rematch of a game at a time, whoever asks for it and how often: who asks first opens the table
and hosts it, and everybody else who asks takes their seat there. One that was closed before it began is none:
who asks then, at either table, opens another for the players of the game before it. Of one that was played
the next is the rematch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from felix_async.draw import contribution
from felix_async.game.commands import Join
from felix_async.game.folding import fold
from felix_async.game.lobby import FEWEST
from felix_async.game.state import Game
from felix_async.game.table import Refusal
from felix_async.language.phrases import phrase
from felix_async.language.words import CONTRIBUTED, DONE
from felix_async.orders.context import Opened, OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.hosting import refuse_opening, terms_told
from felix_async.orders.invitees import again_with
from felix_async.orders.strangers import too_many_strangers
from felix_async.people import FORMER, name_of
from felix_async.service import Origin, Outcome, Player, Service
from felix_events.envelope import decode_events
from felix_events.model import GameStarted, Options
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import SeatRow

WhyNot = Literal["declined", "uninvited", "left", "without_mail"]
"""Why somebody of a game is not asked for the next one."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """The game that a REMATCH opened or joined: its id ('' if there is none), and the outcome.

    `opened` says that this opened the table. `invited` are the names of those who were invited now,
    `left_out` of those who cannot be, by the reason (who was forgotten has the name '').
    """

    game_id: str
    outcome: Outcome
    opened: bool = False
    invited: list[str] = field(default_factory=list)
    left_out: Mapping[WhyNot, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Before:
    """The game of which a table is the rematch: its seats, and those of them who were not asked again."""

    game_id: str
    not_asked: Sequence[SeatRow] = ()


def rematch(
    tx: Tx, service: Service, game_id: str, seat: int, *, contribution: str, origin: Origin
) -> Rematch:
    """Open the rematch of a finished game for the player of this seat, or take their seat in it.

    `contribution` is what the asker's mail puts into the draw (`felix_async.draw`), since they have joined;
    `origin` is that of the order, and its `command_id` names the JOIN. Refused with
    `rematch/not_over`, `rematch/too_few`, `rematch/left_out`, `seat/not_playing` if the asker had no part
    in the game, and, for whoever is in already, `seat/already_joined` or `game/already_started`.
    """
    asked = service.load(tx, game_id)
    if not asked.is_over:
        return Rematch("", Outcome(asked.version, refusal=Refusal("rematch/not_over")))
    player_id = asked.seats[seat].player_id
    old_id, opened = _current(tx, game_id)
    if opened is not None:
        return _joined(tx, service, opened, player_id, contribution, origin)
    old = service.load(tx, old_id)
    found = _seat_of(old, player_id)
    if found is None:
        return Rematch("", Outcome(old.version, refusal=Refusal("rematch/left_out")))
    seat = found
    if not old.took_part(seat):
        return Rematch("", Outcome(old.version, refusal=Refusal("seat/not_playing")))
    rows = tx.seats(old_id)
    coming = [row for row in rows if row.seat == seat or _why_not(old, row) is None]
    left_out = _left_out(old, [row for row in rows if row not in coming])
    if len(coming) < FEWEST:
        refusal = Refusal("rematch/too_few", {"players": len(coming)})
        return Rematch("", Outcome(old.version, refusal=refusal), left_out=left_out)
    asker = next(row for row in coming if row.seat == seat)
    guests = [row.player_id for row in coming if row is not asker]
    enough = too_many_strangers(tx, service, guests, asker)
    if enough is not None:
        return Rematch("", Outcome(old.version, refusal=enough))
    new_id, outcome = service.open_table(
        tx,
        [Player(row.player_id, row.name, None) for row in coming],
        origin=replace(origin, command_id=_command_id(tx, old_id), turn=None),
        table_name=_table_name(tx, old_id),
        ruleset=old.ruleset,
        options=Options(start_seat=_next_start(tx, old_id, old, coming), pace=old.options.pace),
        clock=old.clock,
        host=[row.seat for row in coming].index(seat),
        rematch_of=old_id,
    )
    if outcome.refusal is not None:
        return Rematch("", outcome)
    joined = _joined(tx, service, new_id, player_id, contribution, origin)
    invited = [row.name for row in coming if row.seat != seat]
    return replace(joined, opened=True, invited=invited, left_out=left_out)


def is_opened(reader: Reader, game_id: str) -> bool:
    """Return True if REMATCH at this game would open no table, because there is one already."""
    return _current(reader, game_id)[1] is not None


def before(reader: Reader, game_id: str) -> Before | None:
    """The game that was played and of which this table is the rematch; None if there is none."""
    old_id = _rematch_of(reader, game_id)
    if not old_id:
        return None
    old = fold(decode_events(reader.bodies(old_id)))
    if not old.has_begun:
        return None
    here = {row.player_id for row in reader.seats(game_id)}
    rows = reader.seats(old_id)
    missing = [row for row in rows if old.took_part(row.seat) and row.player_id not in here]
    return Before(old_id, missing)


def without_mail(reader: Reader, game_id: str) -> list[int]:
    """The seats of a game whose players no REMATCH reaches."""
    return [row.seat for row in reader.seats(game_id) if row.address is None or not row.name]


def _current(reader: Reader, game_id: str) -> tuple[str, str | None]:
    """The game for whose players another one is opened, and that one, if it waits for them or plays."""
    while _never_began(reader, game_id) and (old_id := _rematch_of(reader, game_id)):
        game_id = old_id
    while opened := [row for row in reader.rematches(game_id) if not _never_began(reader, row.game_id)]:
        # There is one at a time.
        game_id, before = opened[-1].game_id, game_id
        if not opened[-1].is_over:
            return before, game_id
    return game_id, None


def _seat_of(game: Game, player_id: str) -> int | None:
    return next((seat for seat, state in enumerate(game.seats) if state.player_id == player_id), None)


def _rematch_of(reader: Reader, game_id: str) -> str:
    """The game of which this one is the rematch, '' for none."""
    row = reader.game(game_id)
    return "" if row is None else row.rematch_of


def _command_id(reader: Reader, game_id: str) -> str:
    """The id of the command that opens the next rematch."""
    before = len(reader.rematches(game_id))
    return f"rematch/{game_id}/{before + 1}" if before else f"rematch/{game_id}"


def _never_began(reader: Reader, game_id: str) -> bool:
    """Return True if this table was closed before its game began."""
    row = reader.game(game_id)
    if row is None or row.state != "abandoned":
        return False
    return not any(isinstance(event, GameStarted) for event in decode_events(reader.bodies(game_id)))


def _joined(
    tx: Tx, service: Service, game_id: str, player_id: str, contribution: str, origin: Origin
) -> Rematch:
    """The seat of this player at the new table, taken."""
    game = service.load(tx, game_id)
    seat = _seat_of(game, player_id)
    if seat is None:
        return Rematch(game_id, Outcome(game.version, refusal=Refusal("rematch/left_out")))
    join = Join(seat=seat, contribution=contribution)
    return Rematch(game_id, service.handle(tx, game_id, join, replace(origin, turn=None)))


def _why_not(old: Game, row: SeatRow) -> WhyNot | None:
    """Why this player is not asked: had no seat, has left, or gets no mail; None for whoever can come."""
    state = old.seats[row.seat]
    if not old.took_part(row.seat):
        return "declined" if state.answer == "declined" else "uninvited"
    if state.gone or not row.name:
        return "left"
    return "without_mail" if row.address is None else None


def _left_out(old: Game, rows: Sequence[SeatRow]) -> dict[WhyNot, list[str]]:
    """The names of those who are not asked, by the reason; who did not play is none of a game's players."""
    names: dict[WhyNot, list[str]] = {}
    for row in rows:
        why = _why_not(old, row)
        if why is not None and (old.took_part(row.seat) or not old.has_begun):
            names.setdefault(why, []).append(row.name)
    return names


def _next_start(reader: Reader, game_id: str, old: Game, coming: Sequence[SeatRow]) -> int | None:
    """The seat, at the new table, after the one that started the first round.

    If none did, the one that was to; None if that was not said.
    """
    events = decode_events(reader.bodies(game_id))
    started = next((event.start_seat for event in events if isinstance(event, GameStarted)), None)
    first = old.options.start_seat if started is None else started + 1
    if first is None:
        return None
    seats = len(old.seats)
    return min(range(len(coming)), key=lambda place: (coming[place].seat - first) % seats)


def _table_name(reader: Reader, game_id: str) -> str:
    row = reader.game(game_id)
    return "" if row is None else row.table_name


# ---- the order --------------------------------------------------------------------------------------

_TO_BE_NAMED: Final = ("rematch/too_few", "rematch/left_out", "rematch/over")
"""Refusals after which a NEW with the same players, by name, may do."""


def play_again(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Open the rematch, or take the writer's seat in it; the answer goes to that seat.

    The player who opens one invites people, as with NEW; one who joins does not.
    """
    if ctx.game.is_over and not is_opened(ctx.tx, ctx.game_id):
        refusal = refuse_opening(ctx.tx, ctx.service, ctx.player_id)
        if refusal is not None:
            return refused(received, refusal)
    words = contribution(ctx.source.message_id, received.order.text)
    origin = ctx.origin(received.command_id, "seat", str(received.order))
    with ctx.tx.savepoint():
        came = rematch(ctx.tx, ctx.service, ctx.game_id, ctx.seat, contribution=words, origin=origin)
    if came.outcome.refusal is not None:
        refusal = came.outcome.refusal
        return refused(received, refusal, again_with(ctx) if refusal.code in _TO_BE_NAMED else "")
    seat = next(row for row in ctx.tx.seats(came.game_id) if row.player_id == ctx.player_id)
    reply = done(received, " ".join(_told(ctx, came)), small=CONTRIBUTED.format(hash=words), changed=True)
    return replace(reply, opened=(Opened(seat, reply.lines[0], invites=came.opened),))


def _told(ctx: OrderContext, came: Rematch) -> list[str]:
    """Tell who is invited, and who is not."""
    if not came.opened:
        return [DONE["JOIN"]]
    return [
        DONE["REMATCH"],
        phrase("answers.tables.invited", names=_named(came.invited)),
        *(
            phrase(f"answers.tables.left_out.{why}", names=_named(names))
            for why, names in came.left_out.items()
        ),
        terms_told(ctx, came.game_id),
    ]


def _named(names: Sequence[str]) -> list[str]:
    return [name_of(name) or FORMER for name in names]
