"""A table in the database at which one person plays, at a terminal, and the computer in all other seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.game.ahead import NOTHING, has_ended, standing
from felix_async.game.cards import card_text
from felix_async.game.commands import Join, order_text
from felix_async.game.narrate import reasons_text
from felix_async.game.players import Decision
from felix_async.game.preview import previewed
from felix_async.game.state import Game
from felix_async.game.story import Step, Story
from felix_async.game.table import Refusal
from felix_async.game.views import View, view
from felix_async.language.order import Order, order_of
from felix_async.meaning.meaning import GRAMMAR
from felix_async.orders.ahead import said_by
from felix_async.people import NAME_LENGTH, Named, name_of, seat_names
from felix_async.service import Origin, Outcome, Service, advised
from felix_async.text import plain
from felix_events.envelope import check_envelopes
from felix_events.model import Options, Reason, Ruleset
from felix_events.store.base import Reader, Store, Tx

YOU: Final = 0
"""The seat of the person at the terminal."""
KIND: Final = "local"
"""A game of which no server writes to anybody."""
_COMPUTERS: Final = ("Anna", "Ben", "Cara", "Dan", "Eve")


@dataclass
class Table:
    """The table, its names by seat, and the story as far as it was read."""

    store: Store
    service: Service
    game_id: str
    names: Sequence[str] = ()
    story: Story = field(default_factory=Story)

    @classmethod
    def opened(
        cls, store: Store, service: Service, *, name: str, players: int, ruleset: Ruleset, seeded: bool
    ) -> Table:
        """Open a table at which everybody has joined, and play until the person is asked."""
        others = [one for one in _COMPUTERS if one.casefold() != name.casefold()][: players - 1]
        with store.write() as tx:
            people = service.identified(tx, [Named(name_of(one)) for one in (name, *others)])
            game_id, outcome = service.open_table(
                tx,
                people,
                origin=Origin(f"play/{service.entropy(16).hex()}", "host", "desk", order="NEW"),
                table_name="",
                ruleset=ruleset,
                kind=KIND,
                # Asked one after the other: nobody's answer has to wait for another one's.
                options=Options(seeded=seeded, pace="in turn"),
            )
            _done(outcome)
            table = cls(store, service, game_id)
            for seat in range(players):
                join = Join(seat=seat, contribution=service.entropy(32).hex())
                _done(service.handle(tx, game_id, join, table._origin(tx, seat, "JOIN")))
            table._let_computers_play(tx)
        table.read()
        return table

    @classmethod
    def taken_up(cls, store: Store, service: Service, game_id: str) -> Table:
        """Go on with a table, also if somebody was interrupted there."""
        table = cls(store, service, game_id)
        table.go_on()
        return table

    @property
    def game(self) -> Game:
        """The game as far as it was read."""
        return self.story.game

    @property
    def view(self) -> View:
        """The table as the person sees it."""
        return view(self.game, YOU)

    def go_on(self) -> Sequence[Step]:
        """Play until the person is asked, whoever has moved meanwhile; return what has happened since."""
        with self.store.write() as tx:
            self._let_computers_play(tx)
        return self.read()

    def read(self) -> Sequence[Step]:
        """Read what has happened since, and return it."""
        known = len(self.story.steps)
        with self.store.read() as reader:
            self.names = seat_names([row.name for row in reader.seats(self.game_id)], limit=NAME_LENGTH)
            self.story = self.story.and_then(check_envelopes(reader.bodies(self.game_id, after=known)))
        return self.story.steps[known:]

    def do(self, order: Order, line: str, *, inferred: bool = False) -> Refusal | None:
        """Do what the person orders, or keep it for later, and let the computer players answer."""
        said, turn = said_by(self.game, YOU, order), self.game.seats[YOU].turn
        if order.next is not None and order.next == order.card:
            return Refusal("next/played_now", {"card": plain(card_text(order.next))})
        with self.store.write() as tx:
            origin = self._origin(tx, YOU, str(order), turn, line, inferred=inferred)
            if said.gives:
                outcome = self.service.instruct(tx, self.game_id, said.gives, origin, said.move)
            else:
                assert said.move is not None, "an order that is neither of them is none of the game's"
                outcome = self.service.handle(tx, self.game_id, said.move, origin)
            if outcome.refusal is None:
                self._let_computers_play(tx)
        return outcome.refusal

    def kept(self) -> list[str]:
        """Return what the person has said in advance, a sentence or two each."""
        with self.store.read() as reader:
            ahead = self.service.ahead(reader, self.game_id).get(YOU, NOTHING)
        return previewed(standing(ahead, self.game), self.game, YOU)

    def ended(self) -> str:
        """Return the limit that has ended because a card has turned, as it was said; '' if none has."""
        with self.store.read() as reader:
            given = self.service.ahead(reader, self.game_id).get(YOU, NOTHING).auction
        return str(order_of(given.order)) if given is not None and has_ended(given, self.game) else ""

    def drop(self, line: str) -> bool:
        """Forget what the person has said in advance; False if there was nothing."""
        with self.store.write() as tx:
            origin = self._origin(tx, YOU, line, self.game.seats[YOU].turn, line)
            return bool(self.service.drop_orders(tx, self.game_id, YOU, "asked", origin))

    def hint(self) -> tuple[str, list[str]]:
        """Return the order that the computer would give in this seat, knowing no more, and its reasons."""
        with self.store.read() as reader:
            decision = self._decision(reader, self.game, YOU)
        # How near the next card came is of use to nobody who has to choose.
        told = [reason for reason in decision.reasons if reason.what != "next_best"]
        reasons = [_payable(one, self.game.seats[YOU].mice) for one in told]
        return order_text(decision.move), reasons_text(reasons, to_seat=True)

    def _let_computers_play(self, tx: Tx) -> None:
        while True:
            game = self.service.load(tx, self.game_id)
            seat = next((seat for seat in game.asked if seat != YOU), None)
            if game.is_over or seat is None:
                return
            decision = self._decision(tx, game, seat)
            origin = self._origin(tx, seat, order_text(decision.move))
            _done(self.service.handle(tx, self.game_id, decision.move, origin))

    def _decision(self, reader: Reader, game: Game, seat: int) -> Decision:
        return advised(reader.game(self.game_id), game, seat, f"computer/{game.version}")

    def _origin(
        self,
        tx: Tx,
        seat: int,
        order: str,
        turn: int | None = None,
        line: str | None = None,
        *,
        inferred: bool = False,
    ) -> Origin:
        command_id = f"play/{self.game_id}/{tx.head(self.game_id)[0]}"
        if seat != YOU:
            return Origin(command_id, "computer", "computer", order=order)
        command_id += f"/{self.service.entropy(8).hex()}"
        grammar = None if line is None else GRAMMAR
        return Origin(
            command_id, "seat", "desk", None, order, turn, line=line, grammar=grammar, inferred=inferred
        )


def _done(outcome: Outcome) -> None:
    """Raise AssertionError if the move of a computer player was refused."""
    assert outcome.refusal is None, f"a computer player was refused: {outcome.refusal}"


def _payable(reason: Reason, mice: int) -> Reason:
    """Return a reason with no bid above these mice: a sack may be worth more than its seat can pay."""
    is_above = reason.what == "bids_up_to" and isinstance(reason.value, int) and reason.value > mice
    return reason.model_copy(update={"value": mice}) if is_above else reason
