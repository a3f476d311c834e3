"""The tools of the rules: a refusal, the dice, and a game that is moved on event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from felix_async.draw import Draws
from felix_async.game.folding import apply
from felix_async.game.state import Game
from felix_async.language.phrases import filled
from felix_async.language.words import REFUSALS
from felix_async.text import Harmless
from felix_events.model import Event, SeatLogsClosed, SeedRevealed
from felix_events.tree import EMPTY_ROOT

Detail = int | Harmless | Sequence[Harmless]
"""Values to fill into the sentence of a refusal; text that a stranger wrote is harmless."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A stable code for why a command does nothing, and the details of the sentence for its sender.

    `str()` is that sentence. It may speak of what only the sender may know, and goes to nobody else.
    """

    code: str
    details: Mapping[str, Detail] = field(default_factory=dict)

    def __str__(self) -> str:
        return filled(REFUSALS[self.code], **self.details)


def _no_logs(seats: int) -> list[str]:
    """The roots of so many logs in which there is nothing."""
    return [EMPTY_ROOT.hex()] * seats


def _rests(_game: Game) -> bool:
    return False


class Context(NamedTuple):
    """The dice of the game, the time of a command, and that of the event before.

    Both times are as `felix_async.clock` writes them; `last` is '' if there is no event before. `follows`
    returns True if somebody moves at once in that state, by an order that was given in advance: no clock runs
    before that. `roots` returns the roots of the own logs of so many seats.
    """

    dice: Draws
    now: str = ""
    last: str = ""
    follows: Callable[[Game], bool] = _rests
    roots: Callable[[int], list[str]] = _no_logs


class Table:
    """A game being moved on: `do` applies an event and hands it on."""

    def __init__(self, game: Game, context: Context) -> None:
        self.game = game
        self.dice = context.dice
        self.now = context.now
        self.context = context

    def do(self, event: Event) -> Event:
        """Apply the event, and return it."""
        apply(self.game, event)
        return event

    def open_all(self) -> Iterator[Event]:
        """At the end: what the seats have kept to themselves is bound to the game, and the seed is shown."""
        if self.game.options.seat_logs_closed:
            yield self.do(SeatLogsClosed(roots=self.context.roots(len(self.game.seats))))
        yield self.do(SeedRevealed(seed=self.dice.seed.hex()))
