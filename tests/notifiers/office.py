"""A post office for tests: a room to play in, a sender, and a channel that does as it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from functools import partial
from typing import Any, TypeVar

from felix_async.clock import text_of
from felix_async.game.commands import Command, Play
from felix_events.store.base import Tx
from felix_events.store.rows import Letter, NoticeRow
from felix_notifiers.outbox.channel import Result, Sent
from felix_notifiers.outbox.claim import Do, Look, claim, pending
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox
from games import Room
from notifiers.sheets import Mails

T = TypeVar("T")


@dataclass
class Tray:
    """A channel that gives the answers it was told to give, and then says yes."""

    answers: list[Result] = field(default_factory=list)
    taken: list[Letter] = field(default_factory=list)
    closed: int = 0

    def send(self, letter: Letter) -> Result:
        """Take a letter."""
        self.taken.append(letter)
        return self.answers.pop(0) if self.answers else Sent()

    def close(self) -> None:
        """Count the bursts."""
        self.closed += 1


@dataclass
class Post:
    """A room with a sender; its clock stands still unless a test moves it."""

    room: Room
    outbox: Outbox
    tray: Tray = field(default_factory=Tray)

    def do(self, work: Callable[[Tx], T]) -> T:
        """One transaction."""
        with self.room.store.write() as tx:
            return work(tx)

    def open(self, seats: int = 4, **options: Any) -> str:
        """A table with invitations owed."""
        return self.room.open(seats, **options)

    def started(self, seats: int = 4, **options: Any) -> str:
        """A game in round 1, all mail about its opening gone."""
        game_id = self.open(seats, **options)
        self.claim()
        self.room.join_all(game_id)
        return game_id

    def move(self, game_id: str, *commands: Command) -> None:
        """Moves that are allowed."""
        for command in commands:
            outcome = self.room.do(game_id, command)
            assert outcome.refusal is None, outcome.refusal

    def claim(self) -> int:
        """Claim what is owed now."""
        return claim_owed(self.do, self.outbox)

    def send(self) -> list[Result]:
        """A whole burst."""
        return send_due(self.do, self.outbox, self.tray)

    def letters(self) -> list[Letter]:
        """All letters, in the order in which they were frozen."""
        with self.room.store.read() as reader:
            return reader.letters()

    def mails(self) -> Sequence[EmailMessage]:
        """All letters, as they are read."""
        return Mails(self.letters())

    def wait(self, **time: float) -> None:
        """Let time pass."""
        self.room.clock.now += timedelta(**time)

    def unsettled(self) -> int:
        """How many notices are owed still."""
        with self.room.store.read() as reader:
            return len(reader.pending("9999"))


def recipients(letters: Sequence[Letter]) -> list[str]:
    """Whom these letters go to."""
    return [letter.recipient for letter in letters]


def claim_owed(do: Do, outbox: Outbox, look: Look | None = None) -> int:
    """Claim what is due in all games; how many letters that gives."""
    games: list[str] = (look or do)(partial(pending, now=text_of(outbox.clock())))
    return sum(len(claim(do, look or do, outbox.writer, outbox.clock, game_id)) for game_id in games)


def claim_in(tx: Tx, outbox: Outbox) -> None:
    """Claim what is due in all games, in a transaction that somebody opened."""
    claim_owed(lambda work: work(tx), outbox)


def owe(post: Post, game_id: str, seat: int, kind: str, **changes: Any) -> None:
    """Owe a notice about the game as it stands now."""
    game = post.room.game(game_id)
    fields: dict[str, Any] = {"due_at": text_of(post.room.clock()), "turn": game.seats[seat].turn}
    notice = NoticeRow(game_id, game.version, seat, kind, **(fields | changes))
    assert post.do(lambda tx: tx.enqueue(notice))


def place_all(post: Post, game_id: str) -> None:
    """Everybody places the first card of the hand."""
    for seat in range(len(post.room.game(game_id).seats)):
        post.move(game_id, Play(seat=seat, card=post.room.game(game_id).seats[seat].hand[0]))
