"""Whoever answers in the very words that a letter proposes needs no other word, and gets no other letter."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random
from typing import Final

import pytest

from each import one_in
from felix_async.follow_up.answer import Answer
from felix_async.inbox.receipts import FIRST_MOVES
from felix_async.language.grammar import Order
from felix_async.language.proposed import proposed
from felix_async.meaning.situation import situation_of
from felix_events.envelope import decode_events
from felix_events.model import DEFAULT_PACE, BidPlaced, CardPlaced, PlayerPassed, SackSold
from people.parlour import Parlour, a_parlour

NAMES: Final = ("Anna", "Ben", "Cara")
AROUND: Final = ("{}", "{}", "{}.", "ok, {}", "{} please", "Hi felix,\n\n{}\n\nThanks", "{}\n\n{name}")
"""Courtesies; they stand around some of the words."""
_SAID: Final = re.compile(r"in your own words \(([^)]*)\)")


@dataclass
class Proposals:
    """A game in which all that is answered was proposed; and what was answered."""

    parlour: Parlour
    chance: Random
    said: list[str] = field(default_factory=list)
    read: int = 0
    made: list[int] = field(default_factory=lambda: [0] * len(NAMES))

    def play(self) -> None:
        """From the invitations to the result."""
        for seat in range(len(NAMES)):
            self.parlour.write(seat, "JOIN")
        while not self.parlour.game.is_over:
            self.parlour.wait(self.chance.randrange(1, 40))
            self._answer(self.chance.choice(self.parlour.game.asked))

    def _answer(self, seat: int) -> None:
        orders = {proposed(order): order for order in situation_of(self.parlour.view(seat)).possible}
        words = self._words(seat) or list(orders)
        said = self.chance.choice(words)
        order, version = orders[said], self.parlour.game.version
        text = self.chance.choice(AROUND).format(said, name=NAMES[seat])
        self.parlour.write(seat, text)
        with self.parlour.store.read() as reader:
            events = decode_events(reader.bodies(self.parlour.game_id, version))
            notices = [one for one in reader.notices(self.parlour.game_id) if one.kind == "answer"]
        answer = Answer.model_validate_json(max(notices, key=lambda one: one.notice_id).payload)
        assert [(line.verdict, line.order) for line in answer.lines] == [("done", "")], (text, answer)
        assert _is_move(events[0], seat, order), (text, events[0])
        is_sold = any(isinstance(event, SackSold) for event in events)
        assert answer.quiet or is_sold or self.made[seat] < FIRST_MOVES, (text, answer)
        self.made[seat] += 1
        self.said.append(said)

    def _words(self, seat: int) -> list[str]:
        """The words that the newest letter of a seat proposes, the way to type them."""
        told = _SAID.search(self.parlour.boxes[seat][-1].told)
        words = [] if told is None else re.findall(r'"([^"]*)"', told[1])
        self.read += bool(words)
        return words


def _is_move(event: object, seat: int, order: Order) -> bool:
    match event:
        case CardPlaced():
            return (event.seat, event.card) == (seat, order.card)
        case BidPlaced():
            return (event.seat, event.amount) == (seat, order.amount)
    return isinstance(event, PlayerPassed) and (event.seat, order) == (seat, Order("PASS"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", one_in(6, range(12)))
def test_what_a_letter_proposes_is_done_at_once_and_is_the_move_that_it_names(seed: int) -> None:
    parlour = a_parlour(NAMES, f"proposed {seed}", is_awake=True, pace=DEFAULT_PACE)
    game = Proposals(parlour, Random(seed))
    game.play()
    assert game.read > 3
    assert len({*game.said}) > 10
