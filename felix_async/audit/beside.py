"""Looks at the rows of a database beside a log: what they share, and what they have found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.audit.audit import Finding
from felix_async.audit.evidence import Evidence, created_in
from felix_async.game.folding import apply
from felix_async.game.state import Game, initial_state
from felix_events import model as m
from felix_events.envelope import Envelope, Private
from felix_events.store.base import Reader
from felix_events.store.packing import BytesTable
from felix_events.store.rows import GameRow

CHECK: Final = "database"
MOST: Final = 20
"""So many findings are told of a game, and how many more there are."""


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
    odd: list[Finding] = field(default_factory=list)
    not_checked: Counter[str] = field(default_factory=Counter)
    """How many rows were not looked at, by the reason."""
    sat: list[Sequence[str]] = field(init=False)
    """The players by seat after each version, and before the first."""
    turns: list[Sequence[int]] = field(init=False)
    """The number of each seat's decision after each version."""
    hosts: list[int | None] = field(init=False)
    """The seat of the host after each version."""
    game: Game = field(init=False)

    def __post_init__(self) -> None:
        """Follow the log once."""
        seats, self.game = created_in(self.envelopes).seats, initial_state()
        self.sat, self.turns, self.hosts = [seats], [(0,) * len(seats)], [None]
        for envelope in self.envelopes:
            apply(self.game, envelope.data)
            self.sat.append([state.player_id for state in self.game.seats])
            self.hosts.append(self.game.host)
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
            self.odd.append(Finding(CHECK, max(version, 1), expected, found, seat=seat))

    def has_text(
        self, raw: bytes, table: BytesTable, row_id: int, version: int, seat: int | None = None
    ) -> bool:
        """Return True if there is the text of a mail or a letter; note why, if there is none."""
        what = "mail" if table == "inbox_bytes" else "letter"
        if not raw and self.reader.has_bytes(table, row_id):
            self.expect(False, version, f"{what} {row_id} as it can be read", "damaged bytes", seat)
        elif not raw:
            self.not_checked[f"{what}s whose text is erased or retired"] += 1
        return bool(raw)
