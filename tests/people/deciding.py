"""A decision before somebody, from the first word about it to the move that is done."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from felix_async.game.cards import card_text
from felix_async.game.commands import order_text
from felix_async.game.sensible import sensible_player
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import MISUNDERSTOOD
from felix_async.meaning.situation import situation_of
from felix_events.envelope import check_envelopes
from felix_events.model import BidPlaced, CardPlaced, PlayerPassed
from people.in_advance import most_of
from people.parlour import Arrived

if TYPE_CHECKING:
    from people.evening import Evening

Ways = Sequence[tuple[str, float]]
_NOT_UNDERSTOOD = " ".join(MISUNDERSTOOD["order/unknown"].split()[:5])


class Deciding:
    """One decision of one seat. Its player sees the table, chooses a move, and writes until it is done."""

    def __init__(self, evening: Evening, seat: int) -> None:
        parlour = evening.parlour
        self.evening, self.seat = evening, seat
        self.person = evening.people[seat]
        self.table = parlour.view(seat)
        self.hand = self.table.own[seat].hand
        self.before = situation_of(self.table, tuple(parlour.names))
        self.version = parlour.game.version
        self.move = self._chosen()
        self.meant_first = self.move
        self.way = _drawn(evening.chance, evening.ways)
        self.text = ""
        self.answer: Arrived | None = None
        self.is_over = False

    def write(self) -> None:
        """The first mails: doubt, a question or talk may come before the move."""
        person = self.person
        if self.way == "unsure":
            self._say_nothing_to_do(person.said("unsure_", self.move, self.before), {"ask": True})
        elif self.way == "question":
            topic, text = person.pick("questions")
            self._say_nothing_to_do(text, {"info": topic})
        elif self.way == "alone":
            self._say_nothing_to_do(person.said("alone", self.move, self.before), {"talk": True})
        if self.is_over:
            return
        if self.way == "later":
            self.meant_first = self.evening.chance.choice(self._others() or [self.move])
            self.text = person.move(self.meant_first, self.before)
        else:
            self.text = self._in_words()
        self.answer = self._say(self.text)

    def write_again(self) -> None:
        """Who meant something else corrects it, while that is possible."""
        if self.way != "later" or self.is_over:
            return
        if self._done():
            self.move = self.meant_first
            return
        self.text = self.person.said("later_", self.move, self.before)
        self.answer = self._say(self.text)

    def settle(self) -> None:
        """Once the pause is over, the move must be done; who sees that it is not writes again."""
        if self.is_over:
            return
        done = self._done()
        if self.answer is None and not done:
            self._note("silence")
        if not done:
            self._note("not done")
            done = self._try_again()
        elif self.answer is not None and _NOT_UNDERSTOOD in self.answer.told:
            self._note("not understood, though done")
        if done[-1] != self.move and not self._is_within_limit(done[0]):
            self._note("wrong", did=str(done[-1]))

    # ---- what is written

    def _in_words(self) -> str:
        person, move, before = self.person, self.move, self.before
        if move.word == "UPTO":
            return person.in_advance(move, before)
        if self.way == "changed":
            return person.said("change_", move, before)
        if self.way == "limit" and move.word == "BID":
            return person.said("limit", move, before)
        if self.way == "next" and move.word != "BID" and self.before.nexts:
            return person.said("next_", move, before)
        said = person.move(move, before)
        if self.way == "beside":
            return self._joined(said, person.filled(person.pick("beside")[1], move, before))
        if self.way == "talk":
            talk = person.said("talk", move, before)
            is_first = self.evening.chance.random() < 0.4
            return self._joined(talk, said) if is_first else self._joined(said, talk)
        return said

    def _joined(self, one: str, other: str) -> str:
        """Two sentences in one mail."""
        between = self.evening.chance.choice((" ", " ", "\n", "\n\n"))
        return f"{one}{between if one[-1] in '.!?)' else between.replace(' ', '. ')}{other}"

    def _try_again(self) -> list[Order]:
        """Read the answer: YES, if it asks for the right thing, else the order as it offers it."""
        told = "" if self.answer is None else self.answer.told
        if "Answer YES" in told and str(self.move) in told:
            self._say(str(self.person.pick("yes")))
            self.evening.pause()
            if done := self._done():
                return done
        self.evening.say(self.seat, str(self.move))
        self.evening.pause()
        done = self._done()
        assert done, f"{self.evening.seed}: {self.person.name} cannot {self.move}: {told}"
        return done

    def _say(self, text: str) -> Arrived | None:
        return self.evening.say(self.seat, self.person.signed(text))

    def _say_nothing_to_do(self, text: str, want: dict[str, Any]) -> None:
        """A mail on which nothing may be done, also after the pause; it is answered."""
        answer = self._say(text)
        self.evening.pause()
        if done := self._done():
            self._note("acted", text, answer, want=want, did=str(done[-1]))
            self.is_over = True
        elif answer is None:
            self._note("silence", text, answer, want=want)
        elif "info" in want and _NOT_UNDERSTOOD in answer.told:
            self._note("question", text, answer, want=want)

    # ---- what is meant, and what is done

    def _chosen(self) -> Order:
        """A sensible move, sometimes a higher bid."""
        order = read_line(order_text(sensible_player(self.table, self.seat, self.evening.numbers).move))
        assert isinstance(order, Order)
        if order.amount is not None and self.evening.chance.random() < self.evening.habits.limits:
            return Order("UPTO", limit=max(order.amount, most_of(self.evening, self.table, self.seat)))
        if order.amount is not None and self.evening.chance.random() < 0.4:
            return Order("BID", amount=min(self.before.most, order.amount + self.evening.chance.randrange(4)))
        return order

    def _others(self) -> list[Order]:
        possible = [one for one in self.before.possible if one != self.move]
        return possible[:4] + possible[-1:]

    def _is_within_limit(self, done: Order) -> bool:
        """Return True if it is a bid up to the limit that was named."""
        if self.move.word == "UPTO":
            return done.amount is not None and done.amount <= (self.move.limit or 0)
        limit = self.move.amount or 0
        return self.way == "limit" and done.amount is not None and done.amount <= limit

    def _done(self) -> list[Order]:
        """The moves of this seat since it was asked."""
        with self.evening.parlour.store.read() as reader:
            made = check_envelopes(reader.bodies(self.evening.parlour.game_id))[self.version :]
        found: list[Order] = []
        for event in (one.data for one in made if one.actor == "seat"):
            match event:
                case CardPlaced(seat=self.seat, card=card) if self.before.decision == "placing":
                    found.append(Order("PLAY", card=card))
                case BidPlaced(seat=self.seat, amount=amount) if self.before.decision == "bidding":
                    found.append(Order("BID", amount=amount))
                case PlayerPassed(seat=self.seat) if self.before.decision == "bidding":
                    found.append(Order("PASS"))
        return found

    def _note(self, fault: str, text: str = "", answer: Arrived | None = None, **more: Any) -> None:
        """Keep a fault as a line of a corpus of answers is kept, with what came back."""
        fields = {
            "phase": self.before.decision,
            "hand": [card_text(card) for card in self.hand],
            "mice": self.before.mice,
            "high": self.before.high,
            "want": {"do": str(self.move)},
            "way": self.way,
        }
        self.evening.note(fault, self.seat, text or self.text, answer or self.answer, **(fields | more))


def _drawn(chance: Random, ways: Ways) -> str:
    """One of these ways; '' for what is left."""
    drawn = chance.random()
    for way, share in ways:
        drawn -= share
        if drawn < 0:
            return way
    return ""
