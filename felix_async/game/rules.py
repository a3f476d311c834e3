"""The decider: what a command does to a game, as events, or why it does nothing.

`decide` is pure. Chance comes in with the context and goes out in the events; no later reading of the log
draws again. Numbers in brackets name the paragraphs of `docs/rules.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from felix_async.draw import Draws
from felix_async.game.cards import PET_CARDS, ROUNDS, card_text
from felix_async.game.commands import Bid, Command, Create, Decline, Join, Pass, Play
from felix_async.game.fold import apply
from felix_async.game.scoring import open_sack, score, winners
from felix_async.game.state import Game
from felix_async.words import REFUSALS
from felix_events.model import (
    BidPlaced,
    Card,
    CardPlaced,
    CardsTurned,
    DummyDealt,
    Event,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    HandDealt,
    PlayerDeclined,
    PlayerInvited,
    PlayerJoined,
    PlayerPassed,
    RoundStarted,
    SackDiscarded,
    SackSold,
    SeedRevealed,
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a command does nothing: a stable code, and what the sentence for the sender needs.

    `str()` is that sentence. It may speak of what only the sender may know, and goes to nobody else.
    """

    code: str
    details: dict[str, int | str] = field(default_factory=dict)

    def __str__(self) -> str:
        return REFUSALS[self.code].format(**self.details)


@dataclass(frozen=True, slots=True)
class Context:
    """What the world adds to a command: the game's dice."""

    dice: Draws


def decide(command: Command, game: Game, context: Context) -> list[Event] | Refusal:
    """The events that a command causes; no event where all is already as asked; or a refusal."""
    return _refusal(command, game) or _step(command, game.copy(), context)


def advance(command: Command, game: Game, context: Context) -> list[Event] | Refusal:
    """`decide`, with the events applied to a state that the caller made and nobody else has seen."""
    return _refusal(command, game) or _step(command, game, context)


def is_over(game: Game) -> bool:
    """Whether nothing can be asked of this game any more."""
    return game.is_over


# ---- refusals: a ladder for each command, first match wins ------------------------------------------


def _refusal(command: Command, game: Game) -> Refusal | None:
    if isinstance(command, Create):
        return _refuse_create(command, game)
    if game.phase == "new":
        return Refusal("game/unknown")
    if not 0 <= command.seat < len(game.seats):
        return Refusal("seat/unknown", {"seats": len(game.seats)})
    if game.is_over:
        return Refusal("game/over")
    match command:
        case Join() | Decline():
            return _refuse_answer(command, game)
        case Play():
            return _refuse_play(command, game)
        case Bid():
            return _refuse_turn(command.seat, game) or _refuse_bid(command, game)
        case Pass():
            return _refuse_turn(command.seat, game)


def _refuse_create(command: Create, game: Game) -> Refusal | None:
    seats = len(command.seats)
    if game.phase != "new":
        return Refusal("game/exists")
    if not 3 <= seats <= 5:
        return Refusal("table/size", {"players": seats})
    if len(set(command.seats)) != seats:
        return Refusal("table/player_twice")
    if command.options.start_seat is not None and command.options.start_seat >= seats:
        return Refusal("seat/unknown", {"seats": seats})
    return None


def _refuse_answer(command: Join | Decline, game: Game) -> Refusal | None:
    if game.phase != "inviting":
        return Refusal("game/already_started")
    if game.seats[command.seat].answer == "joined":
        return Refusal("seat/already_joined") if isinstance(command, Join) else Refusal("seat/joined")
    return None


def _refuse_play(command: Play, game: Game) -> Refusal | None:
    seat = game.seats[command.seat]
    if game.phase == "inviting":
        return Refusal("game/not_started")
    if game.phase != "placing":
        return Refusal("row/complete")
    if command.card != seat.placed and command.card not in seat.hand:
        return Refusal("card/not_in_hand", {"card": card_text(command.card)})
    return None


def _refuse_turn(seat: int, game: Game) -> Refusal | None:
    if game.phase == "inviting":
        return Refusal("game/not_started")
    if game.phase == "placing":
        return Refusal("auction/not_open")
    if game.seats[seat].passed:
        return Refusal("turn/already_passed")
    if game.to_move != seat:
        return Refusal("turn/not_yours")
    return None


def _refuse_bid(command: Bid, game: Game) -> Refusal | None:
    mice = game.seats[command.seat].mice
    if command.amount < game.high_bid + 1:
        return Refusal("bid/too_low", {"amount": command.amount, "least": game.high_bid + 1})
    if command.amount > 1 and len(game.bidders) == 1 and mice:
        return Refusal("bid/last_pays_one")
    if command.amount > mice:
        return Refusal("bid/above_mice", {"amount": command.amount, "mice": mice})
    return None


# ---- consequences: events, each seen by the next ----------------------------------------------------


def _step(command: Command, game: Game, context: Context) -> list[Event]:
    return list(_STEPS[type(command)](_Table(game, context.dice), command))


class _Table:
    """A game being moved on: `do` applies an event and hands it on."""

    def __init__(self, game: Game, dice: Draws) -> None:
        self.game = game
        self.dice = dice

    def do(self, event: Event) -> Event:
        apply(self.game, event)
        return event


def _create(table: _Table, command: Create) -> Iterator[Event]:
    yield table.do(
        GameCreated(
            ruleset=command.ruleset,
            seats=command.seats,
            options=command.options,
            commitment=command.commitment,
        )
    )
    for seat in range(len(command.seats)):
        yield table.do(PlayerInvited(seat=seat))


def _join(table: _Table, command: Join) -> Iterator[Event]:
    yield table.do(PlayerJoined(seat=command.seat, contribution=command.contribution))
    if all(seat.answer == "joined" for seat in table.game.seats):
        yield from _start(table)


def _decline(table: _Table, command: Decline) -> Iterator[Event]:
    yield table.do(PlayerDeclined(seat=command.seat))
    yield table.do(GameAbandoned(reason="declined"))
    yield table.do(SeedRevealed(seed=table.dice.seed.hex()))


def _start(table: _Table) -> Iterator[Event]:
    """Start seat, hands, the dummy's pile, and round 1 (Setup 1–4)."""
    game, dice = table.game, table.dice
    seats = len(game.seats)
    named = game.options.start_seat
    drawn = dice.stream(game.contributions, "start").below(seats) if named is None else named
    yield table.do(GameStarted(start_seat=drawn))
    for seat in range(seats):
        boxed = PET_CARDS[dice.stream(game.contributions, f"box/{seat}").below(len(PET_CARDS))]
        cards = [card for card in PET_CARDS if card != boxed]
        yield table.do(HandDealt(seat=seat, cards=cards, boxed=boxed))
    if seats == 3:
        *pile, boxed = dice.stream(game.contributions, "dummy").shuffled(PET_CARDS)
        yield table.do(DummyDealt(pile=pile, boxed=boxed))
    yield from _start_round(table)


def _start_round(table: _Table) -> Iterator[Event]:
    """Fill the mouse cards, all or none (Round 7); in round 9 the last cards are placed by the rules."""
    game = table.game
    filling = game.material.filling
    filled = game.fill_next and game.bank >= filling
    mouse_cards = game.material.mouse_cards
    yield table.do(
        RoundStarted(
            round=game.round + 1,
            start_seat=game.start_seat,
            mice_on_cards=list(mouse_cards) if filled else [0] * len(mouse_cards),
            bank=game.bank - filling if filled else game.bank,
        )
    )
    if table.game.round == ROUNDS:
        for seat in table.game.clockwise(table.game.start_seat):
            yield table.do(CardPlaced(seat=seat, card=table.game.seats[seat].hand[0]))
        yield table.do(CardsTurned(cards=_next_cards(table.game, 1)))


def _play(table: _Table, command: Play) -> Iterator[Event]:
    if table.game.seats[command.seat].placed == command.card:
        return
    yield table.do(CardPlaced(seat=command.seat, card=command.card))
    if all(seat.has_placed for seat in table.game.seats):
        yield table.do(CardsTurned(cards=_next_cards(table.game, 1)))


def _bid(table: _Table, command: Bid) -> Iterator[Event]:
    yield table.do(BidPlaced(seat=command.seat, amount=command.amount))
    if table.game.bidders == [command.seat]:
        yield from _sell(table, command.seat)


def _pass(table: _Table, command: Pass) -> Iterator[Event]:
    """Take the lowest mouse card's mice, turn the next card (Round 3); a last seat gets nothing (Round 5)."""
    game = table.game
    last = game.bidders == [command.seat]
    yield table.do(PlayerPassed(seat=command.seat, mice=0 if last else game.mice_on_cards[game.taken]))
    if last:
        yield table.do(SackDiscarded())
        yield from _next_round(table)
        return
    bidders = table.game.bidders
    hidden = table.game.row_size - len(table.game.turned)
    yield table.do(CardsTurned(cards=_next_cards(table.game, hidden if len(bidders) == 1 else 1)))
    if len(bidders) == 1 and table.game.high_bid:
        yield from _sell(table, bidders[0])


def _sell(table: _Table, seat: int) -> Iterator[Event]:
    """The buyer pays, the dogs do their work, the buyer keeps the rest (Round 4 and 6)."""
    sack = open_sack(table.game.turned, table.game.ruleset)
    price = table.game.high_bid
    yield table.do(SackSold(seat=seat, price=price, chased=sack.chased, prize=sack.prize))
    yield from _next_round(table)


def _next_round(table: _Table) -> Iterator[Event]:
    if table.game.round < ROUNDS:
        yield from _start_round(table)
        return
    scores = [score(seat.won, seat.mice) for seat in table.game.seats]
    yield table.do(GameEnded(scores=scores, winners=winners(scores)))
    yield table.do(SeedRevealed(seed=table.dice.seed.hex()))


def _next_cards(game: Game, number: int) -> list[Card]:
    """The leftmost cards of the row that still lie face down."""
    row = [card for card in game.row() if card is not None]
    return row[len(game.turned) : len(game.turned) + number]


_STEPS: dict[type[Command], Callable[[_Table, Any], Iterator[Event]]] = {
    Create: _create,
    Join: _join,
    Decline: _decline,
    Play: _play,
    Bid: _bid,
    Pass: _pass,
}
