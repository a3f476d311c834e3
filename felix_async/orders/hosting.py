"""NEW, START, HOST, UNINVITE and CANCEL: how a table is opened, and what its host does with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from felix_async.clock import text_of
from felix_async.draw import contribution
from felix_async.game.commands import Cancel, HostCommand, Join, NameHost, Start, Uninvite
from felix_async.game.rules import Refusal, why_not
from felix_async.game.state import Game
from felix_async.language.clock_terms import terms_text
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import ALREADY_DONE, DONE, RULESET_NAMES
from felix_async.orders.context import Opened, OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.invitees import Party, instead_of, party_of
from felix_async.orders.listed import others_can_read
from felix_async.orders.quotas import A_DAY, is_used_up
from felix_async.orders.strangers import is_known_here
from felix_async.people import Named, name_of, seat_names, seats_called
from felix_async.service import Service
from felix_async.text import Harmless, plain
from felix_async.trouble import readable
from felix_events.envelope import canonical
from felix_events.model import DEFAULT_PACE, Options
from felix_events.store.base import Reader

MAX_OPEN: Final = 5
"""Tables of one host that wait for their players at the same time."""


def open_table(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Open a table, seat its players and let the writer host it and join; the answer goes to that seat."""
    reply = _opened(ctx, _once(ctx, received))
    return reply + Reply(effects=frozenset({"shows_key"})) if others_can_read(ctx) else reply


def _opened(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    refusal = None
    party: Party | Refusal = Party()
    if ctx.tx.outcome(received.command_id) is None:
        refusal = refuse_opening(ctx.tx, ctx.service, ctx.player_id)
        party = party_of(ctx, received) if refusal is None else refusal
    if isinstance(party, Refusal):
        return refused_opening(ctx, received, party, may_list=party is not refusal)
    with ctx.tx.savepoint():
        game_id, refusal = _open(ctx, received, party)
    if refusal is not None:
        return refused(received, refusal)
    seats = ctx.tx.seats(game_id)
    guests = [name_of(seat.name) for seat in seats[1:]]
    told = [DONE["NEW"], phrase("answers.tables.invited", names=guests), terms_told(ctx, game_id)]
    reply = done(received, " ".join(told), changed=True)
    return replace(reply, opened=(Opened(seats[0], reply.lines[0]),))


def refused_opening(ctx: OrderContext, received: ReceivedOrder, refusal: Refusal, *, may_list: bool) -> Reply:
    """Refuse a NEW, and offer the message that would be taken if another list would do."""
    is_listed = may_list and refusal.code != "new/enough_strangers"
    return refused(received, refusal, instead_of(ctx, received) if is_listed else "")


def terms_told(ctx: OrderContext, game_id: str) -> str:
    """By which rules this table plays, how much time a move may take, and who is asked, in sentences."""
    game = ctx.service.load(ctx.tx, game_id)
    told = [phrase("answers.tables.rules", edition=RULESET_NAMES[game.ruleset])]
    if game.clock is None:
        told.append(phrase("answers.tables.no_clock"))
    else:
        told.append(phrase("answers.tables.clock", terms=terms_text(game.clock)))
    if game.options.pace != DEFAULT_PACE:
        told.append(phrase("answers.tables.in_turn"))
    return " ".join(told)


def _once(ctx: OrderContext, received: ReceivedOrder) -> ReceivedOrder:
    """The order, known by its mail alone: sent to several of felix's addresses, it opens one table."""
    mail = (ctx.player_id, ctx.source.message_id, ctx.source.content_sha256)
    number = received.command_id.rpartition("/")[2]
    return replace(received, command_id=f"new/{sha256(canonical(mail)).hexdigest()}/{number}")


def _open(ctx: OrderContext, received: ReceivedOrder, party: Party) -> tuple[str, Refusal | None]:
    """The table, with its host at it; or why there is none."""
    host = ctx.row
    # The host is known by their id: an adopted address would make them somebody new.
    named = ctx.service.identified(ctx.tx, [Named(name_of(host.name)), *party.names])
    players = [replace(named[0], player_id=host.player_id), *named[1:]]
    origin = ctx.origin(received.command_id, "host", str(Order("NEW", text=party.table)))
    game_id, outcome = ctx.service.open_table(
        ctx.tx,
        players,
        origin=origin,
        table_name=party.table,
        ruleset=party.ruleset,
        options=Options(pace=party.pace),
        host=0,
        clock=party.clock,
    )
    if outcome.refusal is not None or outcome.repeated:
        return game_id, outcome.refusal
    words = contribution(ctx.source.message_id, received.order.text)
    joining = replace(
        origin, command_id=f"{received.command_id}/join", actor="seat", order=str(Order("JOIN"))
    )
    joined = ctx.service.handle(ctx.tx, game_id, Join(seat=0, contribution=words), joining)
    return game_id, joined.refusal


def refuse_opening(reader: Reader, service: Service, player_id: str) -> Refusal | None:
    """Why this player may open no table now: each of them sends mail to other people."""
    if not service.is_open and not is_known_here(reader, service, player_id):
        return Refusal("new/not_joined")
    waiting, opened = 0, list[str]()
    for seat in readable(reader, reader.seats_of(player_id)):
        row = reader.game(seat.game_id)
        if row is None or row.kind != "played":
            continue
        waiting += row.state == "inviting" and service.load(reader, seat.game_id).host == seat.seat
        if row.opened_by == seat.seat:
            opened.append(row.created_at)
    if is_used_up("tables", opened, text_of(service.clock())):
        return Refusal("new/enough_today", {"count": A_DAY["tables"]})
    if waiting >= MAX_OPEN:
        return Refusal("new/enough_open", {"count": MAX_OPEN})
    return None


def host_command(ctx: OrderContext, order: Order) -> HostCommand | Refusal:
    """The command of the order."""
    match order.word:
        case "START":
            return Start(seat=ctx.seat)
        case "CANCEL":
            return Cancel(seat=ctx.seat)
    names = [row.name for row in ctx.tx.seats(ctx.game_id)]
    found = seat_named(order.text, names)
    if isinstance(found, Refusal):
        return found
    return NameHost(seat=ctx.seat, to=found) if order.word == "HOST" else Uninvite(seat=ctx.seat, whom=found)


def seat_named(wanted: str, names: Sequence[str]) -> int | Refusal:
    """The seat of the player who is called so; a clear beginning of the name is enough."""
    found = seats_called(wanted, names)
    if len(found) == 1:
        return found[0]
    name, known = plain(wanted, 40), seat_names(names)
    if found:
        return Refusal("name/ambiguous", {"name": name, "names": [known[seat] for seat in found]})
    there = [shown for shown, kept in zip(known, names, strict=True) if kept]
    return Refusal("name/unknown", {"name": name, "names": there})


def host(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Do what the host asks of the table, and say how it stands then."""
    names, before = names_at(ctx), ctx.game
    command = _naming_refused(received.order, ctx.seat, before) or host_command(
        ctx, _by_name(ctx, received.order, names)
    )
    if isinstance(command, Refusal):
        return refused(received, _with_likely_names(command, received.order, ctx.seat, before, names))
    whom = command.to if isinstance(command, NameHost) else None
    whom = command.whom if isinstance(command, Uninvite) else whom
    # The log keeps no name, so that somebody can be forgotten: the seat says who is meant.
    kept = Order(received.order.word, text="" if whom is None else str(whom))
    outcome = ctx.command(command, received, order=str(kept), actor="host")
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    if not outcome.events:
        return done(received, ALREADY_DONE)
    return done(received, _told(received.order.word, names, whom, before, ctx.game), changed=True)


def _naming_refused(order: Order, seat: int, game: Game) -> Refusal | None:
    """Why the player in this seat may not do this, whomever they name; None if it depends on the name."""
    if order.word not in ("HOST", "UNINVITE"):
        return None
    nobody = NameHost(seat=seat, to=-1) if order.word == "HOST" else Uninvite(seat=seat, whom=-1)
    refusal = why_not(nobody, game)
    return None if refusal is None or refusal.code == "seat/unknown" else refusal


def _by_name(ctx: OrderContext, order: Order, names: Sequence[str]) -> Order:
    """The order with a name instead of an address, if a player at the table writes from there."""
    address = order.text.strip("<> ").lower()
    rows = ctx.tx.seats(ctx.game_id) if "@" in address else []
    found = next((row.seat for row in rows if address in row.addresses), None)
    return order if found is None else replace(order, text=names[found])


def _with_likely_names(
    refusal: Refusal, order: Order, seat: int, game: Game, names: Sequence[Harmless]
) -> Refusal:
    """The refusal of an unknown name, with the names that would do."""
    if refusal.code != "name/unknown":
        return refusal
    if order.word == "UNINVITE":
        likely = [other for other in game.answered("invited", "joined") if other != seat]
    else:
        at_table = game.answered("joined") if game.phase == "inviting" else game.humans
        likely = [other for other in at_table if other != seat]
    if not likely:
        return Refusal("host/not_at_the_table")
    return Refusal(refusal.code, {**refusal.details, "names": _at(names, likely)})


def who_is_in(ctx: OrderContext) -> str:
    """Name those who have joined beside the writer; the answer says anyway who is waited for."""
    game, names = ctx.game, names_at(ctx)
    if game.phase != "inviting":
        return "" if game.is_over else phrase("answers.tables.begun", names=_at(names, game.players))
    others = [seat for seat in game.answered("joined") if seat != ctx.seat]
    told = [phrase("answers.tables.others_in", names=_at(names, others))] if others else []
    return " ".join([*told, phrase("answers.tables.at_start")])


def names_at(ctx: OrderContext) -> list[Harmless]:
    """The names at the writer's table, by seat, as all messages have them."""
    return seat_names([seat.name for seat in ctx.tx.seats(ctx.game_id)])


def _told(word: str, names: Sequence[Harmless], whom: int | None, before: Game, after: Game) -> str:
    """Tell what an order of the host did."""
    if word == "START":
        missing = [seat for seat in before.answered("invited") if seat not in after.players]
        told = [phrase("answers.tables.begun", names=_at(names, after.players))]
        told += [phrase("answers.tables.without", names=_at(names, missing))] if missing else []
        return " ".join(told)
    if whom is None:
        return DONE[word]
    if word == "HOST":
        return phrase("answers.tables.host_now", who=names[whom])
    told = [phrase("answers.tables.uninvited", who=names[whom])]
    if after.is_over:
        return " ".join([*told, phrase("answers.tables.called_off")])
    joined = after.answered("joined")
    told += [phrase("answers.tables.in_now", names=_at(names, joined))] if joined else []
    return " ".join([*told, *_waiting(after, names)])


def _waiting(game: Game, names: Sequence[Harmless]) -> list[str]:
    asked = _at(names, game.asked)
    if asked:
        return [phrase("answers.tables.waiting", names=asked)]
    return [phrase("answers.tables.up_to_host", who=names[game.host])] if game.host is not None else []


def _at(names: Sequence[Harmless], seats: Sequence[int]) -> list[Harmless]:
    return [names[seat] for seat in seats]
