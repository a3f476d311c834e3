"""Games written down by hand, round by round, to be told again: what was open, who bid, who passed.

    retold(a_round("A:15 B:-8 C:3 D:5", "A1 B2 C- D- A-"))

Four play: A, B, C and D. `A1` is a bid, `A-` a pass; those of a round bring 2, 4 and 6 mice. With each pass
the next card is turned over, and the last bidder buys.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from felix_async.game.ledger import purses
from felix_async.game.scoring import open_sack, score, winners
from felix_async.game.state import Game, SeatState
from felix_async.game.story import Before, Step, Story
from felix_events import model as m
from felix_events.envelope import Envelope

LETTERS: Final = "ABCD"
_DOGS: Final[dict[str, m.Card]] = {"large": "large_dog", "small": "small_dog"}
_CATS: Final[dict[str, m.Card]] = {"-8": -8, "-5": -5, "0": 0, "3": 3, "5": 5, "8": 8, "11": 11, "15": 15}


def a_round(row: str, calls: str) -> tuple[str, str]:
    """The cards from left to right, each behind its owner; and who said what."""
    return row, calls


def retold(*rounds: tuple[str, str], phase: Literal["bidding", "ended", "abandoned"] = "ended") -> Story:
    """A game of these rounds; it need not have nine, whatever its end."""
    steps: list[Step] = []
    for number, (row, calls) in enumerate(rounds, 1):
        for before, event in _events(number, row, calls):
            steps.append(Step(before, _envelope(len(steps) + 1, event)))
    game = Game(phase=phase, players=list(range(4)), seats=[SeatState(letter) for letter in LETTERS])
    if phase == "ended":
        ends = purses((step.event for step in steps), game.players)
        game.scores = [score(ends[seat].won, ends[seat].mice) for seat in game.players]
        game.winners = winners(game.scores)
    return Story(tuple(steps), game)


def _envelope(version: int, event: m.Event) -> Envelope:
    kind, schema, at = event.type, event.schema_version, "2026-11-20T21:00:00.000000Z"
    return Envelope(
        game_id="k7m2p", version=version, type=kind, schema=schema, at=at, actor="seat", data=event
    )


def _events(number: int, row: str, calls: str) -> Iterator[tuple[Before, m.Event]]:
    """The events of a round, each with what it found."""
    cards = [(LETTERS.index(place[0]), (_CATS | _DOGS)[place[2:]]) for place in row.split()]
    yield Before(number - 1), m.RoundStarted(round=number, start_seat=0, mice_on_cards=[2, 4, 6], bank=0)
    price, buyer, is_open = 0, -1, 1
    for call in calls.split():
        seat, before = LETTERS.index(call[0]), Before(number, tuple(cards[:is_open]))
        if call[1:] == "-":
            yield before, m.PlayerPassed(seat=seat, mice=[2, 4, 6, 0][is_open - 1])
            is_open += 1
        else:
            buyer, price = seat, int(call[1:])
            yield before, m.BidPlaced(seat=seat, amount=price)
    sack = open_sack([card for _, card in cards], "felicity-2017")
    whole = Before(number, tuple(cards))
    if price:
        yield whole, m.SackSold(seat=buyer, price=price, chased=sack.chased, prize=sack.prize)
    else:
        yield whole, m.SackDiscarded()


def blinded(step: Step) -> Step:
    """The step, its event another one if that is secret: other cards dealt, or placed."""
    event = step.event
    if isinstance(event, m.HandDealt):
        event = event.model_copy(update={"cards": [0] * 9, "boxed": 0})
    elif isinstance(event, m.CardPlaced):
        event = event.model_copy(update={"card": 0})
    envelope = Envelope.model_construct(**{**dict(step.envelope), "data": event})
    return Step(step.before, envelope)
