"""Whom a player knows by name: everybody whom they have sat at a table with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from felix_async.people import matching
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """Somebody whom a player knows, by the name that was looked for, with the newest seat."""

    name: str
    seat: SeatRow


@dataclass(slots=True)
class Acquaintances:
    """The acquaintances of one player; `more` are seats that count beside theirs."""

    reader: Reader
    player_id: str
    more: Sequence[SeatRow] = ()
    _newest: list[SeatRow] | None = field(default=None, init=False)
    _earlier: list[Acquaintance] | None = field(default=None, init=False)

    @property
    def newest(self) -> list[SeatRow]:
        """Each by the newest seat."""
        if self._newest is None:
            self._newest = [*self.reader.co_players(self.player_id), *self.more]
        return self._newest

    def called(self, wanted: str) -> list[Acquaintance]:
        """Who is called so, or else who was once, at a table of the player's."""
        found = matching(wanted, [seat.name for seat in self.newest], whole_words=True)
        if found:
            return [Acquaintance(self.newest[number].name, self.newest[number]) for number in found]
        if self._earlier is None:
            self._earlier = list(self._once())
        once = self._earlier
        found = matching(wanted, [one.name for one in once], whole_words=True)
        # Who had the name at several tables is one person.
        return list({once[number].seat.player_id: once[number] for number in found}.values())

    def name_of(self, player_id: str) -> str:
        """What somebody was last called; '' for nobody whom the player knows."""
        return next((seat.name for seat in self.newest if seat.player_id == player_id), "")

    def _once(self) -> Iterator[Acquaintance]:
        """Every name that somebody had at a table where the player sat, too: no others are theirs to know."""
        shared = {seat.game_id for seat in self.reader.seats_of(self.player_id)}
        for newest in self.newest:
            for seat in self.reader.seats_of(newest.player_id):
                if seat.game_id in shared and seat.name:
                    yield Acquaintance(seat.name, newest)
