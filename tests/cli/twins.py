"""Two served games that differ only in what a seat must not know, played in step.

The same people write the same lines at the same time. But the other seats have other cards in the box and in
the hand, put other cards face down before they exchange them, and (in one of the games) ask and try what only
they themselves are told about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from felix_async.address import Token, address_of, encode_token
from felix_async.clock import text_of
from felix_async.draw import Dice, contribution
from felix_async.game.cards import PET_CARDS
from felix_async.game.commands import Pass, Play
from felix_async.game.moment import coming, row_of
from felix_async.game.players import Decision, because
from felix_async.game.state import Game
from felix_async.game.views import View
from felix_async.inbox.process import Processor, process_all
from felix_async.language.grammar import Order
from felix_async.schedule.tick import tick
from felix_async.service import Origin, Service
from felix_events.model import Card, Options, Terms
from felix_events.store.base import Tx
from felix_events.store.rows import Letter
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.alerts import Alerts
from felix_notifiers.outbox.channel import Result, Sent
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox
from games import EPOCH, NAMES, SeededEntropy, players

MAILBOX = "felix@felix.test"
SALT = 16
"""Bytes of a salt; seeds and the secrets of seats are longer, all else is shorter."""


class ChosenSeed(SeededEntropy):
    """Secrets of which the first seed is given; addresses are the same in every game, salts are not."""

    def __init__(self, seed: bytes) -> None:
        super().__init__("served")
        self._salts = SeededEntropy(seed.hex())
        self._chosen = [seed]

    def __call__(self, length: int) -> bytes:
        if length == SALT:
            return self._salts(length)
        drawn = super().__call__(length)
        return self._chosen.pop() if self._chosen and length == len(self._chosen[0]) else drawn


@dataclass
class Post:
    """Takes every letter, and notes when."""

    clock: Callable[[], datetime]
    letters: list[tuple[datetime, Letter]] = field(default_factory=list)

    def send(self, letter: Letter) -> Result:
        """Keep it."""
        self.letters.append((self.clock(), letter))
        return Sent()

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass
class Bell(Alerts):
    """Short notices to everybody, noted with their time."""

    clock: Callable[[], datetime] = lambda: EPOCH
    rung: list[tuple[datetime, str, str]] = field(default_factory=list)

    def wanted(self, recipient: str) -> bool:
        """Everybody wants them."""
        return True

    def tell(self, recipient: str, text: str) -> None:
        """Note it."""
        self.rung.append((self.clock(), recipient, text))


class Served:
    """A game that is served; time stands still until it is moved."""

    def __init__(self, seats: int, seed: bytes, clock: Terms | None = None) -> None:
        self.now: datetime = EPOCH
        self.clock = clock
        self.seats = seats
        self.store = SqliteStore.in_memory()
        self.service = Service(lambda: self.now, ChosenSeed(seed))
        self.processor = Processor(self.service, MAILBOX)
        self.bell = Bell({}, clock=lambda: self.now)
        self.outbox = Outbox(lambda: self.now, Letters(MAILBOX, b"the server's own secret"), alerts=self.bell)
        self.post = Post(lambda: self.now)
        self.written = 0
        self.tables: list[str] = []
        self.open()

    def open(self) -> None:
        """Another table; of the first one the seed is given, all others are the same everywhere."""
        with self.store.write() as tx:
            game_id, _ = self.service.open_table(
                tx,
                players(self.seats),
                origin=Origin(f"create/{len(self.tables)}", "host", "desk"),
                table_name="Thursday club",
                ruleset="felicity-2017",
                options=Options(start_seat=0),
                clock=self.clock,
            )
        self.tables.append(game_id)
        self.deliver()

    @property
    def game_id(self) -> str:
        """The first table."""
        return self.tables[0]

    def do(self, work: Callable[[Tx], Any]) -> Any:
        """Something in a transaction of its own."""
        with self.store.write() as tx:
            return work(tx)

    @property
    def game(self) -> Game:
        """The state now."""
        with self.store.read() as reader:
            return self.service.load(reader, self.game_id)

    def write(
        self, seat: int, text: str, message_id: str, table: int = 0, *, is_delivered: bool = True
    ) -> None:
        """This seat answers its newest mail; all mail that follows goes out, unless there is more to come."""
        game_id = self.tables[table]
        with self.store.read() as reader:
            secret = reader.seats(game_id)[seat].secret
            game = self.service.load(reader, game_id)
        token = Token(game_id, seat, "move", coming(game, seat), row_of(game))
        recipient = address_of(MAILBOX, encode_token(token, secret))
        sender = f"{NAMES[seat].lower()}@players.test"
        raw = f"From: {sender}\r\nMessage-ID: {message_id}\r\nSubject: Re: felix\r\n\r\n{text}\r\n".encode()
        self.do(lambda tx: tx.keep_mail(text_of(self.now), recipient, sender, raw))
        process_all(self.do, self.processor)
        if is_delivered:
            self.deliver()

    def deliver(self) -> None:
        """Send what is owed."""
        send_due(self.do, self.outbox, self.post)

    def wait(self, until: datetime) -> None:
        """Time goes by; what is due is done, and told."""
        self.now = until
        tick(self.do, self.service)
        self.deliver()

    def letters_to(self, seat: int) -> list[bytes]:
        """What this seat got, as it was sent."""
        return [letter.raw for _, letter in self.post.letters if letter.seat == seat]

    def told(self, seat: int) -> list[tuple[datetime, str, bytes | str]]:
        """When this seat got what, short notices too, and where."""
        address = f"{NAMES[seat].lower()}@players.test"
        letters = [(at, one.recipient, one.raw) for at, one in self.post.letters if one.seat == seat]
        return [*letters, *(note for note in self.bell.rung if note[1] == address)]


def dealt(game_id: str, seats: int, seed: bytes) -> tuple[list[int], list[Card]]:
    """Which card each seat has boxed, and the dummy's cards, if everybody joins as in `Twins`."""
    contributions = [contribution(f"join-{seat}@players.test", "") for seat in range(seats)]
    dice = Dice(game_id, seed)
    boxed = [dice.stream(contributions, f"box/{seat}").below(len(PET_CARDS)) for seat in range(seats)]
    return boxed, dice.stream(contributions, "dummy").shuffled(PET_CARDS) if seats == 3 else []


class Twins:
    """The two games, for one seat that must not be able to tell them apart."""

    def __init__(self, seats: int, viewer: int, rounds: int, clock: Terms | None = None) -> None:
        self.seats, self.viewer, self.rounds = seats, viewer, rounds
        self.numbers = Random(f"{seats}/{viewer}")
        first = bytes(32)
        game_id = Served(seats, first).game_id
        boxed, dummy = dealt(game_id, seats, first)
        for number in range(1, 100_000):
            second = number.to_bytes(32)
            other, pile = dealt(game_id, seats, second)
            same = [boxed[seat] == other[seat] for seat in range(seats)]
            if same == [seat == viewer for seat in range(seats)] and pile[:rounds] == dummy[:rounds]:
                break
        self.boxed = [[[PET_CARDS[box]] for box in boxes] for boxes in (boxed, other)]
        self.games = (Served(seats, first, clock), Served(seats, second, clock))

    @property
    def public(self) -> Game:
        """The first game; of the second one, only what is public is the same."""
        return self.games[0].game

    def write(self, seat: int, *texts: str, only: int | None = None) -> None:
        """The seat writes in both games at the same time: the same text, or one for each."""
        moment = self.games[0].now + timedelta(minutes=1)
        for number, served in enumerate(self.games):
            served.now = moment
            if only in (None, number):
                message_id = f"<{served.written}-{seat}@players.test>"
                served.written += only is None
                served.write(seat, texts[number % len(texts)], f"x{message_id}" if only else message_id)

    def join(self, table: int = 0) -> None:
        """Everybody joins, in mails that are the same in both games."""
        for served in self.games:
            for seat in range(self.seats):
                served.write(seat, "JOIN", f"<join-{seat}{table or ''}@players.test>", table)

    def wait(self, *, hours: int) -> None:
        """Time goes by in both games, a few hours at a time."""
        start = self.games[0].now
        for passed in range(6, hours + 1, 6):
            for served in self.games:
                served.wait(start + timedelta(hours=passed))

    def alike(self, table: View, seat: int, _numbers: object) -> Decision:
        """A computer player that does the same in both games: no word of the hidden card can come from it."""
        own = table.own[seat]
        if not own.choices.plays:
            return Decision(Pass(seat=seat), [because("cannot_bid")])
        boxed = {card for game in self.boxed for card in game[seat]}
        card = next(card for card in own.choices.plays if card not in boxed)
        return Decision(Play(seat=seat, card=card), [because("cannot_bid")])

    def hands(self, seat: int) -> list[list[Card]]:
        """The seat's cards in each of the games, a card that lies face down included."""
        states = [served.game.seats[seat] for served in self.games]
        return [state.hand + ([] if state.placed is None else [state.placed]) for state in states]

    def place(self, seat: int, *, hidden: bool = False) -> None:
        """The same card in both games, or (`hidden`) another one in each."""
        one, two = self.hands(seat)
        if hidden:
            mine = self.numbers.choice(one)
            theirs = self.numbers.choice([card for card in two if card != mine])
        else:
            # What lies there already is no exchange, and nobody is told of it.
            there = {served.game.seats[seat].placed for served in self.games}
            mine = theirs = self.numbers.choice([card for card in one if card in two and card not in there])
        self.write(seat, str(Order("PLAY", card=mine)), str(Order("PLAY", card=theirs)))

    def place_all(self, *, hidden: bool) -> None:
        """A placement: others place what they like and exchange it, the viewer asks and is refused."""
        order = [seat for seat in range(self.seats) if seat != self.viewer]
        for seat in order:
            self.place(seat, hidden=True)
        self.write(self.viewer, "STATUS\nHAND\nBID 3\nPLAY 7")
        if not hidden:
            for seat in order:
                self.place(seat)
        self.place(self.viewer)

    def bid(self) -> None:
        """One bid or pass of whoever is asked."""
        game = self.public
        seat = game.to_move
        assert seat is not None
        mice = game.seats[seat].mice
        raising = game.high_bid < min(mice, 4) and self.numbers.random() < 0.6
        text = f"BID {game.high_bid + 1}" if raising else "PASS"
        if seat == self.viewer:
            self.write(seat, "BID 99")
        self.write(seat, text)

    def play(self, after_each: Callable[[], None]) -> None:
        """All rounds; in the last one other cards lie face down, and the start player's card is turned."""
        self.join()
        for number in range(1, self.rounds + 1):
            last = number == self.rounds
            self.place_all(hidden=last and self.public.start_seat == self.viewer)
            after_each()
            while self.public.round == number and not last:
                size = self.public.version
                self.bid()
                assert self.public.version > size, "a legal bid is done"
                after_each()
        self.write(self.viewer, "STATUS\nHAND")
