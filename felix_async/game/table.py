"""The tools of the rules: a refusal, the dice, and a game that is moved on event by event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from felix_async.draw import Draws
from felix_async.game.folding import apply
from felix_async.game.state import Game
from felix_async.language.phrases import filled
from felix_async.language.words import REFUSALS
from felix_async.text import Harmless
from felix_events.model import Event

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


@dataclass(frozen=True, slots=True)
class Context:
    """The dice of the game, the time of a command, and that of the event before.

    Both times are as `felix_async.clock` writes them; `last` is '' if there is no event before.
    """

    dice: Draws
    now: str = ""
    last: str = ""


class Table:
    """A game being moved on: `do` applies an event and hands it on."""

    def __init__(self, game: Game, context: Context) -> None:
        self.game = game
        self.dice = context.dice
        self.now = context.now

    def do(self, event: Event) -> Event:
        """Apply the event, and return it."""
        apply(self.game, event)
        return event
