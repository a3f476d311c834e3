"""Nine rounds: what may be placed, bid and passed, and what follows from it.

Numbers in brackets name the paragraphs of `docs/rules.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from felix_async.game.cards import ROUNDS, card_text
from felix_async.game.commands import Bid, Move, Pass, Play
from felix_async.game.scoring import open_sack, score, winners
from felix_async.game.state import Game
from felix_async.game.table import Refusal, Table
from felix_async.text import plain
from felix_events.model import (
    BidPlaced,
    Card,
    CardPlaced,
    CardsTurned,
    Event,
    GameEnded,
    PlayerPassed,
    RoundStarted,
    SackDiscarded,
    SackSold,
)

# These events are few, and come again in every game.
_placed = lru_cache(1024)(CardPlaced)
_bid = lru_cache(1024)(BidPlaced)
_passed = lru_cache(1024)(PlayerPassed)

# ---- refusals: a ladder for each command, first match wins ------------------------------------------


def refuse_move(command: Move, game: Game) -> Refusal | None:
    """Return why this seat may not make this move now, None if it may, whoever moves for it."""
    if game.phase == "inviting":
        return Refusal("game/not_started")
    if command.seat not in game.players:
        return Refusal("seat/not_playing")
    # By type, as in all that each move passes: models take four times as long to say what they are not.
    if type(command) is Play:
        return _refuse_play(command, game)
    refusal = _refuse_turn(command.seat, game)
    return refusal or (_refuse_bid(command, game) if type(command) is Bid else None)


def _refuse_play(command: Play, game: Game) -> Refusal | None:
    seat = game.seats[command.seat]
    if game.phase != "placing":
        return Refusal("row/complete")
    if command.card != seat.placed and command.card not in seat.hand:
        return Refusal("card/not_in_hand", {"card": plain(card_text(command.card))})
    return None


def _refuse_turn(seat: int, game: Game) -> Refusal | None:
    if game.phase == "placing":
        return Refusal("auction/card_lies") if game.seats[seat].has_placed else Refusal("auction/not_open")
    if game.seats[seat].passed:
        return Refusal("turn/already_passed")
    if game.to_move != seat:
        bid = game.seats[seat].bid
        return Refusal("bid/stands", {"amount": bid}) if bid else Refusal("turn/not_yours")
    return None


def _refuse_bid(command: Bid, game: Game) -> Refusal | None:
    mice = game.seats[command.seat].mice
    if not mice:
        return Refusal("bid/no_mice")
    if mice < game.high_bid + 1:
        return Refusal("bid/too_poor", {"mice": mice, "least": game.high_bid + 1})
    if command.amount < game.high_bid + 1:
        return Refusal("bid/too_low", {"amount": command.amount, "least": game.high_bid + 1})
    if command.amount > 1 and len(game.bidders) == 1:
        return Refusal("bid/last_pays_one")
    if command.amount > mice:
        return Refusal("bid/above_mice", {"amount": command.amount, "mice": mice})
    return None


# ---- consequences: events, each seen by the next ----------------------------------------------------


def start_round(table: Table) -> Iterator[Event]:
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
            yield table.do(_placed(seat=seat, card=table.game.seats[seat].hand[0]))
        yield table.do(CardsTurned(cards=_next_cards(table.game, 1)))


def play(table: Table, command: Play) -> Iterator[Event]:
    if table.game.seats[command.seat].placed == command.card:
        return
    yield table.do(_placed(seat=command.seat, card=command.card))
    if all(table.game.seats[seat].has_placed for seat in table.game.players):
        yield table.do(CardsTurned(cards=_next_cards(table.game, 1)))


def bid(table: Table, command: Bid) -> Iterator[Event]:
    yield table.do(_bid(seat=command.seat, amount=command.amount))
    if table.game.bidders == [command.seat]:
        yield from _sell(table, command.seat)


def pass_(table: Table, command: Pass) -> Iterator[Event]:
    """Take the lowest mouse card's mice, turn the next card (Round 3); a last seat gets nothing (Round 5)."""
    game = table.game
    last = game.bidders == [command.seat]
    yield table.do(_passed(seat=command.seat, mice=0 if last else game.mice_on_cards[game.taken]))
    if last:
        yield table.do(SackDiscarded())
        yield from _next_round(table)
        return
    bidders = table.game.bidders
    hidden = table.game.row_size - len(table.game.turned)
    yield table.do(CardsTurned(cards=_next_cards(table.game, hidden if len(bidders) == 1 else 1)))
    if len(bidders) == 1 and table.game.high_bid:
        yield from _sell(table, bidders[0])


def pass_the_poor(table: Table) -> Iterator[Event]:
    """Each seat whose turn it is and that has too few mice to bid passes by the rules (Round 3 and 5)."""
    while (seat := table.game.passes_by_rule) is not None:
        yield from pass_(table, Pass(seat=seat))


def _sell(table: Table, seat: int) -> Iterator[Event]:
    """The buyer pays, the dogs do their work, the buyer keeps the rest (Round 4 and 6)."""
    sack = open_sack(table.game.turned, table.game.ruleset)
    price = table.game.high_bid
    yield table.do(SackSold(seat=seat, price=price, chased=sack.chased, prize=sack.prize))
    yield from _next_round(table)


def _next_round(table: Table) -> Iterator[Event]:
    if table.game.round < ROUNDS:
        yield from start_round(table)
        return
    game = table.game
    scores = [
        score(state.won, state.mice) if seat in game.players else None
        for seat, state in enumerate(game.seats)
    ]
    yield table.do(GameEnded(scores=scores, winners=winners(scores)))
    yield from table.open_all()


def _next_cards(game: Game, number: int) -> list[Card]:
    """The leftmost cards of the row that still lie face down."""
    row = [card for card in game.row() if card is not None]
    return row[len(game.turned) : len(game.turned) + number]
