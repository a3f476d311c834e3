"""Before the game: who is invited, who comes, and who may begin it. And the deal, which ends this part.

A game with a host begins when all who were invited have joined, or when the host says so. One without a
host begins when all have joined, and one refusal ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from felix_async.game import commands as c
from felix_async.game.cards import PET_CARDS
from felix_async.game.rounds import start_round
from felix_async.game.state import Game
from felix_async.game.table import Refusal, Table
from felix_async.text import plain
from felix_async.time.zones import is_zone
from felix_events import model as m

FEWEST: Final = 3
MOST: Final = 5

# ---- refusals: a ladder for each command, first match wins ------------------------------------------


def refuse_create(command: c.Create, game: Game) -> Refusal | None:
    """Return why this table cannot be opened, None if it can."""
    seats = len(command.seats)
    if game.phase != "new":
        return Refusal("game/exists")
    if not FEWEST <= seats <= MOST:
        return Refusal("table/size", {"players": seats})
    if len(set(command.seats)) != seats:
        return Refusal("table/player_twice")
    named = (command.options.start_seat, command.host)
    if any(seat is not None and not 0 <= seat < seats for seat in named):
        return Refusal("seat/unknown", {"seats": seats})
    if command.clock is not None and not is_zone(command.clock.zone):
        return Refusal("clock/unknown_zone", {"zone": plain(command.clock.zone)})
    return None


def refuse_answer(command: c.Join | c.Decline, game: Game) -> Refusal | None:
    """Return why this answer to an invitation is refused, None if it is not."""
    answer = game.seats[command.seat].answer
    if game.phase != "inviting":
        is_in = isinstance(command, c.Decline) and command.seat in game.players
        return Refusal("game/not_to_decline") if is_in else Refusal("game/already_started")
    if answer == "uninvited":
        return Refusal("invitation/uninvited")
    if answer == "expired":
        return Refusal("invitation/expired")
    if isinstance(command, c.Join):
        return Refusal("seat/already_joined") if answer == "joined" else None
    return Refusal("host/cancel_or_hand_over") if command.seat == game.host else None


def refuse_host(command: c.HostCommand, game: Game) -> Refusal | None:
    """Return why the player who asks may not do this with the table, None if they may."""
    if command.seat != game.host:
        return Refusal("host/only")
    if isinstance(command, c.NameHost):
        return _refuse_name_host(command, game)
    if game.phase != "inviting":
        is_cancel = isinstance(command, c.Cancel)
        return Refusal("game/not_to_cancel") if is_cancel else Refusal("game/already_started")
    if isinstance(command, c.Start):
        return _refuse_start(command, game)
    if isinstance(command, c.Uninvite):
        return _refuse_uninvite(command, game)
    return None


def refuse_clock(command: c.Expire | c.Close, game: Game) -> Refusal | None:
    """Return why it is not the time for this, None if it is."""
    if isinstance(command, c.Close):
        return Refusal("table/not_deserted") if game.phase != "inviting" and _will_be_back(game) else None
    if game.phase != "inviting":
        return Refusal("game/already_started")
    return None if game.seats[command.seat].answer == "invited" else Refusal("invitation/answered")


def _will_be_back(game: Game) -> bool:
    """Return True if somebody is at the table, or has said until when they are away."""
    return bool(game.humans) or any(game.seats[seat].time.absence is not None for seat in game.players)


def _refuse_start(command: c.Start, game: Game) -> Refusal | None:
    joined = game.answered("joined")
    if len(joined) < FEWEST:
        return Refusal("start/too_few", {"players": len(joined)})
    return None if command.seat in joined else Refusal("start/join_first")


def _refuse_name_host(command: c.NameHost, game: Game) -> Refusal | None:
    if not 0 <= command.to < len(game.seats):
        return Refusal("seat/unknown", {"seats": len(game.seats)})
    return None if command.to in game.may_host else Refusal("host/not_at_the_table")


def _refuse_uninvite(command: c.Uninvite, game: Game) -> Refusal | None:
    if not 0 <= command.whom < len(game.seats):
        return Refusal("seat/unknown", {"seats": len(game.seats)})
    if command.whom == game.host:
        return Refusal("host/cancel_or_hand_over")
    if game.seats[command.whom].answer not in ("invited", "joined"):
        return Refusal("invitation/answered")
    return None


# ---- consequences: events, each seen by the next ----------------------------------------------------


def create(table: Table, command: c.Create) -> Iterator[m.Event]:
    """A table, its host and its clock, and an invitation for each seat."""
    yield table.do(
        m.GameCreated(
            ruleset=command.ruleset,
            seats=command.seats,
            options=command.options,
            commitment=command.commitment,
        )
    )
    if command.host is not None:
        yield table.do(m.HostNamed(seat=command.host))
    if command.clock is not None:
        yield table.do(m.ClockSet(terms=command.clock))
    for seat in range(len(command.seats)):
        yield table.do(m.PlayerInvited(seat=seat))


def join(table: Table, command: c.Join) -> Iterator[m.Event]:
    """The seat is taken; with the last one the game begins."""
    yield table.do(m.PlayerJoined(seat=command.seat, contribution=command.contribution))
    if all(seat.answer == "joined" for seat in table.game.seats):
        yield from start(table)


def give_back(table: Table, seat: int) -> Iterator[m.Event]:
    """The seat stays empty; hosting goes to the next who has joined."""
    yield table.do(m.PlayerDeclined(seat=seat))
    yield from _without(table, seat, m.GameAbandoned(reason="cancelled"))


def decline(table: Table, command: c.Decline) -> Iterator[m.Event]:
    """The seat stays empty, unless it was given back before."""
    if table.game.seats[command.seat].answer != "declined":
        yield from give_back(table, command.seat)


def uninvite(table: Table, command: c.Uninvite) -> Iterator[m.Event]:
    """The seat stays empty, because the host says so."""
    yield table.do(m.PlayerUninvited(seat=command.whom))
    yield from _without_enough(table)


def expire(table: Table, command: c.Expire) -> Iterator[m.Event]:
    """The seat stays empty, because there was no answer; hosting goes to the next who has joined."""
    yield table.do(m.InvitationExpired(seat=command.seat))
    yield from _without(table, command.seat, m.GameAbandoned(reason="expired"))


def name_host(table: Table, command: c.NameHost) -> Iterator[m.Event]:
    """Another host, unless it is the same."""
    if command.to != table.game.host:
        yield table.do(m.HostNamed(seat=command.to))


def cancel(table: Table, _command: c.Cancel) -> Iterator[m.Event]:
    """There is no game."""
    yield from abandon(table, m.GameAbandoned(reason="cancelled"))


def close(table: Table, _command: c.Close) -> Iterator[m.Event]:
    """There is no game: it was not begun in time, or no player came back to it."""
    yield from abandon(
        table, m.GameAbandoned(reason="expired" if table.game.phase == "inviting" else "deserted")
    )


def abandon(table: Table, why: m.GameAbandoned) -> Iterator[m.Event]:
    """An end without a result; the seed is shown all the same."""
    yield table.do(why)
    yield from table.open_all()


def start(table: Table, _command: c.Start | None = None) -> Iterator[m.Event]:
    """Start seat, hands, the dummy's pile, and round 1 (Setup 1–4)."""
    game, dice = table.game, table.dice
    joined = game.answered("joined")
    yield table.do(m.GameStarted(start_seat=start_seat(table, joined)))
    for seat in joined:
        boxed = PET_CARDS[dice.stream(game.contributions, f"box/{seat}").below(len(PET_CARDS))]
        cards = [card for card in PET_CARDS if card != boxed]
        yield table.do(m.HandDealt(seat=seat, cards=cards, boxed=boxed))
    if len(joined) == FEWEST:
        *pile, boxed = dice.stream(game.contributions, "dummy").shuffled(PET_CARDS)
        yield table.do(m.DummyDealt(pile=pile, boxed=boxed))
    yield from start_round(table)


def start_seat(table: Table, joined: list[int]) -> int:
    """The seat that was named, or the next clockwise that plays; else one is drawn."""
    named = table.game.options.start_seat
    if named is None:
        return joined[table.dice.stream(table.game.contributions, "start").below(len(joined))]
    return min(joined, key=lambda seat: (seat - named) % len(table.game.seats))


def _without(table: Table, seat: int, hostless: m.GameAbandoned) -> Iterator[m.Event]:
    """Go on without a seat; `hostless` is the end of the game if nobody can host it instead."""
    if seat == table.game.host:
        seats = len(table.game.seats)
        joined = table.game.answered("joined")
        heirs = [heir for step in range(1, seats) if (heir := (seat + step) % seats) in joined]
        if not heirs:
            yield from abandon(table, hostless)
            return
        yield table.do(m.HostNamed(seat=heirs[0]))
    yield from _without_enough(table)


def _without_enough(table: Table) -> Iterator[m.Event]:
    """A table without a host wants everybody; one with a host ends when three can no longer be found."""
    still = table.game.answered("invited", "joined")
    if table.game.host is None or len(still) < FEWEST:
        missed = table.game.answered("expired") and not table.game.answered("declined", "uninvited")
        yield from abandon(table, m.GameAbandoned(reason="expired" if missed else "declined"))
