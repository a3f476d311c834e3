"""Counts: mice and cards are conserved, and the result follows from what was won and paid. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from felix_async.audit.draw_check import playing
from felix_async.audit.evidence import Flaw, created_in
from felix_async.game.cards import PET_CARDS, ROUNDS, START_MICE
from felix_async.game.folding import apply
from felix_async.game.scoring import score, winners
from felix_async.game.state import Game, initial_state
from felix_events import model as m
from felix_events.envelope import Envelope

_WEIGHT: Final[dict[m.Card | None, int]] = {card: 1 << (6 * place) for place, card in enumerate(PET_CARDS)}
_WEIGHT[None] = 0
"""A card as a digit of one number, so that a sum of them counts each kind (at most 6 of each)."""
_FULL_SET: Final = sum(_WEIGHT.values())
_DEALS_CARDS: Final[frozenset[type[m.Event]]] = frozenset({m.HandDealt, m.DummyDealt})
_MOVES_MICE: Final[frozenset[type[m.Event]]] = frozenset({m.RoundStarted, m.PlayerPassed, m.SackSold})
_MOVES_CARDS: Final = _DEALS_CARDS | {m.CardPlaced, m.SackSold, m.SackDiscarded}


def check_count(envelopes: Sequence[Envelope], *, cards: bool) -> None:
    """Check that mice are conserved after every event, and cards if all `cards` are there. Raises Flaw."""
    game = initial_state()
    mice = full = 0
    for version, event in numbered(envelopes):
        apply(game, event)
        if type(event) is m.GameStarted:
            mice = game.bank + START_MICE * len(game.players)
        if type(event) in _MOVES_MICE and _mice(game) != mice:
            raise Flaw(version, f"{mice} mice in the game", str(_mice(game)))
        if type(event) in _DEALS_CARDS:
            full += _FULL_SET
        if cards and type(event) in _MOVES_CARDS and _cards(game) != full:
            raise Flaw(version, "every card in one place", "a card too many or too few")


def numbered(envelopes: Sequence[Envelope]) -> Iterator[tuple[int, m.Event]]:
    """The events with their versions."""
    return ((envelope.version, envelope.data) for envelope in envelopes)


def _mice(game: Game) -> int:
    return (
        sum([game.seats[seat].mice for seat in game.players])
        + sum(game.mice_on_cards[game.taken :])
        + game.bank
    )


def _cards(game: Game) -> int:
    """All cards, wherever they are, as one number."""
    cards: list[m.Card | None] = [*game.dummy, *game.box, game.dummy_boxed]
    for seat in game.seats:
        cards += seat.hand
        cards += seat.won
        cards += (seat.boxed, seat.placed)
    return sum(map(_WEIGHT.__getitem__, cards))


def check_scores(envelopes: Sequence[Envelope]) -> None:
    """Added up from the passes and the sales alone: the fold has no part in it."""
    created = created_in(envelopes)
    seats = playing([envelope.data for envelope in envelopes])
    mice = [START_MICE for _ in created.seats]
    won: list[list[m.Card]] = [[] for _ in created.seats]
    last_round = 0
    for version, event in numbered(envelopes):
        if type(event) is m.RoundStarted:
            last_round = event.round
        elif type(event) is m.PlayerPassed:
            mice[event.seat] += event.mice
        elif type(event) is m.SackSold:
            mice[event.seat] -= event.price
            won[event.seat] += event.prize
        elif type(event) is m.GameEnded:
            scores = [score(won[seat], mice[seat]) if seat in seats else None for seat in range(len(mice))]
            if last_round != ROUNDS:
                raise Flaw(version, f"an end after round {ROUNDS}", f"one after round {last_round}")
            if event.scores != scores:
                raise Flaw(version, f"scores {_totals(scores)}", f"{_totals(event.scores)}")
            if event.winners != winners(scores):
                raise Flaw(version, f"winners {winners(scores)}", f"winners {event.winners}")


def _totals(scores: Sequence[m.Score | None]) -> list[int | None]:
    return [None if score is None else score.total for score in scores]
