"""Two served games that differ only in what a seat must not know: its mails are the same, byte for byte.

Both games are played in step, by mail: the same people write the same lines at the same time. But the other
seats have other cards in the box and in the hand, put other cards face down before they exchange them, and
(in one of the games) ask and try what only they themselves are told about.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from felix_async.address import Token, address_of, encode_token
from felix_async.clock import text_of
from felix_async.draw import Dice, contribution
from felix_async.game.cards import PET_CARDS
from felix_async.game.state import Game
from felix_async.grammar import Order
from felix_async.inbox.process import Processor, process_all
from felix_async.service import Origin, Service
from felix_events.model import Card, Options
from felix_events.store.base import Tx
from felix_events.store.memory import MemoryStore
from felix_events.store.rows import Letter
from felix_notifiers.sending.channel import Result, Sent
from felix_notifiers.sending.send import Sender, send_due
from games import EPOCH, NAMES, SeededEntropy, players

MAILBOX = "felix@felix.test"


class ChosenSeed(SeededEntropy):
    """Secrets of which the game's seed is given; addresses are the same in every game, salts are not."""

    def __init__(self, seats: int, seed: bytes) -> None:
        super().__init__("served")
        self._salts = SeededEntropy(seed.hex())
        self._known = 2 + seats
        self._chosen = seed

    def __call__(self, length: int) -> bytes:
        drawn = super().__call__(length)
        if self._count == 2:
            return self._chosen
        return drawn if self._count <= self._known else self._salts(length)


@dataclass
class Post:
    """Takes every letter."""

    letters: list[Letter] = field(default_factory=list)

    def send(self, letter: Letter) -> Result:
        """Keep it."""
        self.letters.append(letter)
        return Sent()

    def close(self) -> None:
        """Nothing to let go of."""


class Served:
    """A game that is served; time stands still until it is moved."""

    def __init__(self, seats: int, seed: bytes) -> None:
        self.now: datetime = EPOCH
        self.store = MemoryStore()
        self.service = Service(lambda: self.now, ChosenSeed(seats, seed))
        self.processor = Processor(self.service, MAILBOX)
        self.sender = Sender(lambda: self.now, MAILBOX, b"the server's own secret")
        self.post = Post()
        self.written = 0
        with self.store.write() as tx:
            self.game_id, _ = self.service.open_table(
                tx,
                players(seats),
                origin=Origin("create", "host", "desk"),
                table_name="Thursday club",
                ruleset="felicity-2017",
                options=Options(start_seat=0),
            )
        self.deliver()

    def do(self, work: Callable[[Tx], Any]) -> Any:
        """Something in a transaction of its own."""
        with self.store.write() as tx:
            return work(tx)

    @property
    def game(self) -> Game:
        """The state now."""
        with self.store.read() as reader:
            return self.service.load(reader, self.game_id)

    def write(self, seat: int, text: str, message_id: str) -> None:
        """This seat answers its newest mail; all mail that follows goes out."""
        with self.store.read() as reader:
            secret = reader.seats(self.game_id)[seat].secret
        recipient = address_of(
            MAILBOX, encode_token(Token(self.game_id, seat, "move", self.game.seats[seat].turn), secret)
        )
        sender = f"{NAMES[seat].lower()}@players.test"
        raw = f"From: {sender}\r\nMessage-ID: {message_id}\r\nSubject: Re: felix\r\n\r\n{text}\r\n".encode()
        self.do(lambda tx: tx.keep_mail(text_of(self.now), recipient, sender, raw))
        process_all(self.do, self.processor)
        self.deliver()

    def deliver(self) -> None:
        """Send what is owed."""
        send_due(self.do, self.sender, self.post)

    def letters_to(self, seat: int) -> list[bytes]:
        """What this seat got, as it was sent."""
        return [letter.raw for letter in self.post.letters if letter.seat == seat]


def dealt(game_id: str, seats: int, seed: bytes) -> tuple[list[int], list[Card]]:
    """Which card each seat has boxed, and the dummy's cards, if everybody joins as in `Twins`."""
    contributions = [contribution(f"join-{seat}@players.test", "") for seat in range(seats)]
    dice = Dice(game_id, seed)
    boxed = [dice.stream(contributions, f"box/{seat}").below(len(PET_CARDS)) for seat in range(seats)]
    return boxed, dice.stream(contributions, "dummy").shuffled(PET_CARDS) if seats == 3 else []


class Twins:
    """The two games, for one seat that must not be able to tell them apart."""

    def __init__(self, seats: int, viewer: int, rounds: int) -> None:
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
        self.games = (Served(seats, first), Served(seats, second))

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

    def join(self) -> None:
        """Everybody joins, in mails that are the same in both games."""
        for served in self.games:
            for seat in range(self.seats):
                served.write(seat, "JOIN", f"<join-{seat}@players.test>")

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
            mine = theirs = self.numbers.choice([card for card in one if card in two])
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


@pytest.fixture(autouse=True)
def one_commitment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commitment is a hash over the seed, which says nothing and differs; here it is masked."""
    monkeypatch.setattr("felix_async.service.commit", lambda _game_id, _seed: "c" * 64)


CASES = [(3, 0, 2), (3, 2, 2), (4, 0, 4), (4, 3, 4), (5, 1, 3)]


def masked(raw: bytes) -> bytes:
    """A letter without its Message-ID and the boundary that is made from it."""
    return re.sub(rb"(?m)^Message-ID: .*|felix-[0-9a-f]{32}", b"-", raw)


@pytest.mark.parametrize(("seats", "viewer", "rounds"), CASES)
def test_hidden_cards_change_no_byte_of_a_seats_mails(seats: int, viewer: int, rounds: int) -> None:
    twins = Twins(seats, viewer, rounds)
    twins.play(lambda: None)
    one, two = (served.letters_to(viewer) for served in twins.games)
    assert len(one) > 4 * rounds
    assert one == two


@pytest.mark.parametrize(("seats", "viewer", "rounds"), CASES)
def test_what_others_ask_and_are_refused_shows_in_no_mail_of_a_seat(
    seats: int, viewer: int, rounds: int
) -> None:
    """Message-IDs count the mails of the server, and tell nobody what they count."""
    twins = Twins(seats, viewer, rounds)
    other = (viewer + 1) % seats
    twins.play(lambda: twins.write(other, "BID 99\nPLAY 7\nHAND\nHELP\nnonsense", only=1))
    one, two = (list(map(masked, served.letters_to(viewer))) for served in twins.games)
    assert one == two
    assert len(twins.games[1].letters_to(other)) > len(twins.games[0].letters_to(other))


def test_the_games_are_not_the_same_to_the_others() -> None:
    """Else the tests above would prove nothing."""
    twins = Twins(4, 0, 2)
    twins.play(lambda: None)
    for seat in (1, 2, 3):
        one, two = (served.letters_to(seat) for served in twins.games)
        assert len(one) == len(two)
        assert one != two
