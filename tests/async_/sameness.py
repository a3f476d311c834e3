"""The same game twice: once with orders given in advance, and once with each of its moves made by hand.

What the players want is drawn before: the order in which a seat plays its cards, and how far it goes for a
row. At the first table they say so early, in turn, with a card for the next round, say something else and
think better of it, or drop it and are asked; at the second one each is asked, and answers. This plays
10,000 games twice, from number 1 on, and says what differs:

    PYTHONPATH=tests python -m async_.sameness 10000 1
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from felix_async.audit.audit import audit
from felix_async.game.ahead import LAST_CHOSEN
from felix_async.game.cards import PET_CARDS
from felix_async.game.commands import Bid, Give, Move, Pass, Play
from felix_async.game.folding import apply
from felix_async.game.state import Game, initial_state
from felix_async.service import Origin, Outcome
from felix_events.envelope import check_envelopes
from felix_events.model import Card, CardPlaced, DeadlineSet, Event, ReserveSpent, Terms
from games import RULESETS, Room, a_room
from written import said_text

CLOCK: Final = Terms(move=86400, reserve=3600, zone="Europe/Berlin", weekends=False, away=0)
CLOCK_EVENTS: Final = (DeadlineSet, ReserveSpent)


@dataclass(frozen=True)
class Wants:
    """What the players of a table want, by a word and a number of players."""

    seats: int
    word: str

    def drawn(self, *about: object) -> Random:
        """Chance that is the same at both tables, whoever asks when."""
        return Random(f"{self.word}/{about}")

    def card(self, round_: int, seat: int, hand: list[Card]) -> Card:
        """The card of a seat for this round, out of this hand."""
        wish = list(PET_CARDS)
        self.drawn("cards", seat).shuffle(wish)
        return min(hand, key=wish.index)

    def slow(self, round_: int) -> int | None:
        """The seat that waits until all others have made up their minds; None if nobody thinks twice."""
        numbers = self.drawn("slow", round_)
        return numbers.randrange(self.seats) if numbers.random() < 0.5 else None

    def cards(self, round_: int, seat: int, hand: list[Card]) -> list[Card]:
        """The cards that a seat puts down in a round, one after another: the last one stays."""
        final = self.card(round_, seat, hand)
        others = [card for card in hand if card != final]
        numbers = self.drawn("exchanged", round_, seat)
        if self.slow(round_) in (None, seat) or not others or numbers.random() < 0.6:
            return [final]
        return [numbers.choice(others), final]

    def goes_until(self, round_: int, seat: int) -> int:
        """The number of cards with which a seat has enough of the round."""
        return self.drawn("round", round_, seat).choice((1, 2, 3, 4, 6, 6, 6, 6))

    def amounts(self, game: Game, seat: int) -> tuple[int | None, int]:
        """The bid that this row is opened with, if any, and how far the seat goes for it; 0 is PASS."""
        turned = len(game.turned)
        if turned >= self.goes_until(game.round, seat):
            return None, 0
        numbers = self.drawn("row", game.round, turned, seat)
        limit = min(numbers.choice((0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 7, 9, 30)), game.seats[seat].mice)
        first = numbers.randint(1, limit) if limit and numbers.random() < 0.4 else None
        return first, limit

    def move(self, game: Game, seat: int) -> Move:
        """The answer to a bid that is asked for now."""
        (first, limit), least = self.amounts(game, seat), game.high_bid + 1
        if least > limit:
            return Pass(seat=seat)
        if first is None or first < least or game.bidders == [seat]:
            return Bid(seat=seat, amount=least)
        return Bid(seat=seat, amount=first)


@dataclass
class Playing:
    """A table on which these wants are played, in an order of words and moves that is drawn anew for each."""

    wants: Wants
    room: Room
    game_id: str
    numbers: Random
    talk: float
    lie: dict[int, list[Card]] = field(default_factory=dict)
    """The cards that each seat has put down in this round."""
    said: int = 0

    @property
    def game(self) -> Game:
        with self.room.store.read() as reader:
            return self.room.service.load(reader, self.game_id)

    def say(self, *gives: Give, move: Move | None = None) -> Outcome:
        self.said += 1
        origin = Origin(f"said-{self.said}", "seat", "mail", "0" * 64, said_text(gives, move))
        with self.room.store.write() as tx:
            outcome = self.room.service.instruct(tx, self.game_id, gives, origin, move)
        assert outcome.refusal is None, f"{gives} {move}: {outcome.refusal}"
        return outcome

    def do(self, move: Move) -> None:
        outcome = self.room.do(self.game_id, move)
        assert outcome.refusal is None, f"{move}: {outcome.refusal}"

    def drop(self, seat: int) -> None:
        self.said += 1
        origin = Origin(f"said-{self.said}", "seat", "mail", "0" * 64, "DROP")
        with self.room.store.write() as tx:
            self.room.service.drop_orders(tx, self.game_id, seat, "asked", origin)

    # ---- what is said early -------------------------------------------------------------------------
    def chance(self, one_in: float) -> bool:
        return self.numbers.random() < self.talk / one_in

    def spoken_early(self, game: Game) -> None:
        """Those who are not asked say what they want, or something else that they take back."""
        for seat in self.numbers.sample(game.players, len(game.players)):
            if self.chance(2):
                self.next_card(game, seat)
            if seat in game.asked or seat not in game.bidders or game.phase != "bidding":
                continue
            if self.chance(3):
                self.early(game, seat)

    def early(self, game: Game, seat: int) -> None:
        if self.chance(2):
            self.untrue(game, seat)
            if self.chance(2):
                self.drop(seat)
                return
            if (true := self.auction(game, seat)) is None:
                self.drop(seat)
                return
        elif (true := self.auction(game, seat)) is None:
            return
        self.say(true)
        if self.chance(6):
            self.drop(seat)

    def untrue(self, game: Game, seat: int) -> None:
        """An order that nobody wants, and that is not left standing."""
        mice, least = game.seats[seat].mice, game.high_bid + 1
        if mice < least or self.numbers.random() < 0.3:
            self.say(Give(seat=seat, kind="pass"))
            return
        amount = self.numbers.randint(least, mice)
        self.say(Give(seat=seat, kind="bid", limit=amount, then=self.numbers.choice(("pass", "ask"))))

    def auction(self, game: Game, seat: int) -> Give | None:
        """The order that does what a seat wants for this row, in one of its forms; None if there is none."""
        (first, limit), least = self.wants.amounts(game, seat), game.high_bid + 1
        is_in_turn = game.to_move == seat
        if limit < least:
            passes_round = len(game.turned) >= self.wants.goes_until(game.round, seat)
            if game.bidders != [seat] and (is_in_turn or passes_round):
                return Give(seat=seat, kind="pass")
            return None
        if first is not None and (first < least or game.bidders == [seat]):
            first = None
        form = self.numbers.randrange(6)
        if form == 0 and first is not None:
            return Give(seat=seat, kind="bid", first=first, then="ask")
        if form == 1:
            less = self.numbers.randint(max(first or 0, least), limit)
            return Give(seat=seat, kind="bid", first=first, limit=less, then="ask")
        return Give(seat=seat, kind="bid", first=first, limit=limit, then=("pass", "ask")[form == 2])

    def next_card(self, game: Game, seat: int) -> None:
        """The card for the next round, sometimes another one first; at times it is taken back."""
        give = self.card_to_come(game, seat)
        if give is None:
            return
        hand = game.seats[seat].hand
        if self.chance(4):
            self.say(give.model_copy(update={"card": self.numbers.choice(hand)}))
        self.say(give)
        if self.chance(6):
            self.drop(seat)

    def card_to_come(self, game: Game, seat: int) -> Give | None:
        """The order for the next round's card, once this round's lies for good."""
        if game.round >= LAST_CHOSEN or game.phase != "bidding" or self.wants.slow(game.round + 1) == seat:
            return None
        return Give(seat=seat, kind="next", card=self.cards(game, seat, game.round + 1)[0])

    # ---- what is asked ------------------------------------------------------------------------------
    def cards(self, game: Game, seat: int, round_: int) -> list[Card]:
        state = game.seats[seat]
        hand = list(state.hand)
        if state.placed is not None and state.placed not in hand and round_ == game.round:
            hand.append(state.placed)
        return self.wants.cards(round_, seat, hand)

    def placed_one(self, game: Game) -> None:
        """Somebody puts a card down, or exchanges it; the slow one waits until all others lie for good."""
        slow = self.wants.slow(game.round)
        ready: list[tuple[int, Card]] = []
        for seat in game.players:
            state = game.seats[seat]
            wanted = self.cards(game, seat, game.round)
            if not state.has_placed:
                ready.append((seat, wanted[0]))
            elif state.placed != wanted[-1]:
                ready.append((seat, wanted[-1]))
        quick = [one for one in ready if one[0] != slow]
        seat, card = self.numbers.choice(quick or ready)
        self.do(Play(seat=seat, card=card))

    def bid_by_order(self, game: Game, seat: int) -> None:
        """Whoever is in turn says more than the move, or the move with a card behind it."""
        gives = [one for one in (self.card_to_come(game, seat),) if one is not None]
        order = self.auction(game, seat)
        if order is not None and self.numbers.random() < 0.7:
            self.say(order, *gives)
        elif gives:
            self.say(*gives, move=self.wants.move(game, seat))
        else:
            self.do(self.wants.move(game, seat))

    def play(self, *, orders: bool) -> None:
        """To the end."""
        while not (game := self.game).is_over:
            if orders:
                self.spoken_early(game)
                if self.game.version != game.version:
                    raise AssertionError("nothing happens at a table that waits for somebody else")
            if game.phase == "placing":
                self.placed_one(game)
                continue
            seat = game.to_move
            assert seat is not None, "the table waits for somebody"
            if orders and self.numbers.random() < self.talk:
                self.bid_by_order(game, seat)
            else:
                self.do(self.wants.move(game, seat))


def played(number: int, *, orders: bool) -> tuple[Room, str]:
    """The game of this number, with orders or by hand."""
    numbers = Random(f"same/{number}")
    seats, ruleset, clock = 3 + number % 3, RULESETS[number // 3 % 2], CLOCK if number // 6 % 2 else None
    talk = numbers.choice((0.2, 0.6, 1.0))
    room = a_room(f"same/{number}")
    game_id = room.open(seats, ruleset=ruleset, clock=clock)
    room.join_all(game_id)
    table = Playing(Wants(seats, f"{number}"), room, game_id, Random(f"{number}/{orders}"), talk)
    table.play(orders=orders)
    return room, game_id


# ---- the same? --------------------------------------------------------------------------------------
def told(room: Room, game_id: str) -> tuple[dict[tuple[int, int], list[Card]], list[tuple[str, object]]]:
    """The cards that were put down by round and seat, and all else that is not the clock's, in order."""
    cards: dict[tuple[int, int], list[Card]] = {}
    rest: list[tuple[str, object]] = []
    round_ = 0
    for envelope in check_envelopes(bodies(room, game_id)):
        event: Event = envelope.data
        round_ = getattr(event, "round", round_)
        if isinstance(event, CardPlaced):
            cards.setdefault((round_, event.seat), []).append(event.card)
        elif event.type == "seat_logs_closed":
            rest.append((envelope.actor, event.type))
        elif not isinstance(event, CLOCK_EVENTS):
            rest.append((envelope.actor, event))
    return cards, rest


def bodies(room: Room, game_id: str) -> list[bytes]:
    with room.store.read() as reader:
        return list(reader.bodies(game_id))


def clocks_that_ran_nowhere(room: Room, game_id: str) -> Iterator[str]:
    """Deadlines that were set for a seat at which the table did not come to rest."""
    found: list[tuple[str, int, int]] = []
    last = ""
    game = initial_state()
    for envelope in check_envelopes(bodies(room, game_id)):
        if envelope.at != last:
            yield from _ran_nowhere(game, found, last)
            found, last = [], envelope.at
        apply(game, envelope.data)
        if isinstance(envelope.data, DeadlineSet):
            found.append((envelope.at, envelope.data.seat, envelope.data.turn))
    yield from _ran_nowhere(game, found, last)


def _ran_nowhere(game: Game, found: list[tuple[str, int, int]], at: str) -> Iterator[str]:
    waiting = {(at, seat, game.seats[seat].turn) for seat in game.awaited}
    for one in found:
        if one not in waiting:
            yield f"{one} was set, and the table waits for {waiting}"
    if game.clock is not None and game.phase != "inviting":
        for seat in game.awaited:
            if game.seats[seat].time.deadline is None:
                yield f"no clock runs for seat {seat} at {at}"


def faults(number: int, *, audited: bool = False) -> list[str]:
    """What differs between the two games of a number."""
    one, two = played(number, orders=True), played(number, orders=False)
    first, second = told(*one), told(*two)
    found = []
    if first[0] != second[0]:
        found.append(f"cards: {first[0]} {second[0]}")
    if first[1] != second[1]:
        place = next(
            (at for at, pair in enumerate(zip(first[1], second[1], strict=False)) if pair[0] != pair[1]), -1
        )
        found.append(f"event {place}: {first[1][place - 2 : place + 2]} {second[1][place - 2 : place + 2]}")
    found += clocks_that_ran_nowhere(*one)
    if audited:
        found += map(str, audit(one[0].evidence(one[1])).findings)
    return [f"game {number}: {what}" for what in found]


if __name__ == "__main__":
    for n in range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[1])):
        for fault in faults(n, audited=n % 10 == 0):
            print(fault, flush=True)
