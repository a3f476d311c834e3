"""Looks at the rows of a database beside a log: what they share, and what they have found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.audit.evidence import Evidence
from felix_async.game.folding import apply
from felix_async.game.state import Game, initial_state
from felix_events import model as m
from felix_events.envelope import Envelope, Private
from felix_events.store.base import Reader
from felix_events.store.rows import GameRow

MOST: Final = 20
"""So many findings are told of a game, and how many more there are."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A row that is not what the log says: of which version, and of whose own log if it is one."""

    version: int
    expected: str
    found: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """An event that a private record belongs to, in the game's log, or in that of a `seat`.

    `until` is the version of the game's log after which it happened.
    """

    envelope: Envelope
    record: Private
    seat: int | None
    until: int


@dataclass(slots=True)
class Looks:
    """A game as its log has it, and the store that its rows are in."""

    reader: Reader
    evidence: Evidence
    envelopes: Sequence[Envelope]
    row: GameRow
    named: Sequence[Named]
    odd: list[Odd] = field(default_factory=list)
    not_checked: Counter[str] = field(default_factory=Counter)
    """How many rows were not looked at, by the reason."""
    seats: list[str] = field(init=False)
    """The players by seat at the end of the log."""
    sat: list[Sequence[str]] = field(init=False)
    """The same after each version, and before the first."""
    turns: list[Sequence[int]] = field(init=False)
    """The number of each seat's decision after each version."""
    game: Game = field(init=False)

    def __post_init__(self) -> None:
        """Follow the log once."""
        created = self.envelopes[0].data
        assert isinstance(created, m.GameCreated), "checked with the bytes"
        self.seats, self.game = list(created.seats), initial_state()
        sat: Sequence[str] = tuple(self.seats)
        self.sat, self.turns = [sat], [(0,) * len(self.seats)]
        for envelope in self.envelopes:
            event = envelope.data
            if isinstance(event, m.SeatTaken):
                self.seats[event.seat] = event.player_id
                sat = tuple(self.seats)
            apply(self.game, event)
            self.sat.append(sat)
            self.turns.append([state.turn for state in self.game.seats])

    @property
    def game_id(self) -> str:
        """The game's id."""
        return self.evidence.game_id

    @property
    def size(self) -> int:
        """The version of the end of the log."""
        return len(self.envelopes)

    @property
    def is_imported(self) -> bool:
        """Return True if nobody ever played the game on this server."""
        return self.row.kind == "imported"

    @property
    def is_by_mail(self) -> bool:
        """Return True if its messages are in the inbox, and its letters are real ones."""
        return self.row.kind == "played"

    def at(self, version: int) -> m.Event | None:
        """Return the event of a version, None if the log has none."""
        return self.envelopes[version - 1].data if 0 < version <= self.size else None

    def expect(self, fits: object, version: int, expected: str, found: str, seat: int | None = None) -> None:
        """Note that something was found in place of what was expected, unless it fits."""
        if not fits:
            self.odd.append(Odd(max(version, 1), expected, found, seat))


def pairs(rows: Mapping[int, object]) -> str:
    """Return the keys of rows as a finding names them; `none` if there are none."""
    return ", ".join(map(str, rows)) or "none"
