"""What somebody says before their turn, in words of their own, until felix keeps it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from felix_async.game.ahead import NOTHING, answers, standing
from felix_async.game.cards import card_text
from felix_async.game.moment import row_of, waits_in_auction
from felix_async.game.sensible import card_in_advance, sensible_player
from felix_async.game.views import View
from felix_async.language.grammar import Order
from felix_async.language.order import order_of
from felix_async.meaning.situation import situation_of
from people.parlour import Arrived

if TYPE_CHECKING:
    from people.evening import Evening


class Saying:
    """An answer of a seat in the auction that is not in turn: how far it goes, or that it is out."""

    def __init__(self, evening: Evening, seat: int) -> None:
        parlour = evening.parlour
        self.evening, self.seat = evening, seat
        self.person = evening.people[seat]
        self.table = parlour.view(seat)
        self.before = situation_of(self.table, tuple(parlour.names))
        self.row = row_of(parlour.game)
        limit = most_of(evening, self.table, seat)
        is_out = limit < self.before.least
        order = Order("PASS") if is_out else Order("UPTO", limit=limit)
        if self.before.nexts and evening.chance.random() < evening.habits.cards:
            order = Order(
                order.word, limit=order.limit, next=card_in_advance(self.table, seat, evening.numbers)
            )
        self.order = order
        self.stood: Order | None = None
        self.text = ""
        self.answer: Arrived | None = None

    def write(self) -> None:
        """One mail."""
        self.stood = self._kept()
        self.text = self.person.in_advance(self.order, self.before)
        self.answer = self.evening.say(self.seat, self.person.signed(self.text))

    def settle(self) -> None:
        """Once the pause is over, felix keeps it, unless a card has turned meanwhile."""
        if self.answer is None:
            self._note("silence")
        kept = self._kept()
        if self._is_late() or kept == self.order:
            return
        # Less was kept than was said: nothing new, or all but the card.
        is_less = kept in (None, self.stood, replace(self.order, next=None))
        self._note("not done" if is_less else "wrong", did=str(kept))
        self.evening.say(self.seat, str(self.order))
        kept = self._kept()
        assert self._is_late() or kept == self.order, f"{self.evening.seed}: {self.order} {self.answer}"

    def _is_late(self) -> bool:
        game = self.evening.parlour.game
        return row_of(game) != self.row or not waits_in_auction(game, self.seat)

    def _kept(self) -> Order | None:
        """What felix keeps for the seat."""
        parlour = self.evening.parlour
        with parlour.store.read() as reader:
            ahead = parlour.service.ahead(reader, parlour.game_id).get(self.seat, NOTHING)
        found = [order_of(given.order) for given in standing(ahead, parlour.game).given]
        if not found:
            return None
        card = next((one.next for one in found if one.next is not None), None)
        # A card that was chosen with an earlier answer stands beside this one.
        return replace(found[0], next=card if self.order.next is not None else None)

    def _note(self, fault: str, **more: Any) -> None:
        fields = {
            "phase": "bidding",
            "early": True,
            "hand": [card_text(card) for card in self.before.nexts],
            "mice": self.before.mice,
            "high": self.before.high,
            "want": {"do": str(self.order)},
        }
        self.evening.note(fault, self.seat, self.text, self.answer, **(fields | more))


def may_speak(evening: Evening, seat: int) -> bool:
    """Return True if it is another's turn, somebody else leads, and nothing is said for the next bid."""
    parlour = evening.parlour
    game = parlour.game
    with parlour.store.read() as reader:
        ahead = parlour.service.ahead(reader, parlour.game_id).get(seat, NOTHING)
    is_asked = waits_in_auction(game, seat) and not answers(ahead, game, seat) and not game.must_pass(seat)
    return is_asked and game.seats[seat].bid < max(1, game.high_bid)


def most_of(evening: Evening, table: View, seat: int) -> int:
    """How far a sensible player would go; 0 if that is not said."""
    reasons = sensible_player(table, seat, evening.numbers).reasons
    found = [reason.value for reason in reasons if reason.what == "bids_up_to"]
    return min(int(str(found[0])), table.own[seat].mice) if found else 0
