"""Find players by the names they had at tables shared with the writer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from felix_async.people import matching
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """Somebody whom a player knows, by the name that was looked for, with the newest seat."""

    name: str
    seat: SeatRow


@dataclass(frozen=True)
class Acquaintances:
    """The acquaintances of one player."""

    reader: Reader
    player_id: str

    @cached_property
    def newest(self) -> list[Acquaintance]:
        """Each by the newest seat."""
        return [Acquaintance(seat.name, seat) for seat in self.reader.co_players(self.player_id)]

    @cached_property
    def earlier(self) -> list[Acquaintance]:
        """Every name that somebody had at a table of the player's: no others are theirs to know."""
        shared = {seat.game_id for seat in self.reader.seats_of(self.player_id)}
        return [
            Acquaintance(seat.name, newest.seat)
            for newest in self.newest
            for seat in self.reader.seats_of(newest.seat.player_id)
            if seat.game_id in shared and seat.name
        ]

    def called(self, wanted: str) -> list[Acquaintance]:
        """Return those who are called so, or else those who were once."""
        return _called(wanted, self.newest) or _called(wanted, self.earlier)

    def name_of(self, player_id: str) -> str:
        """Return the newest name of somebody, '' if the player does not know them."""
        return next((one.name for one in self.newest if one.seat.player_id == player_id), "")


def _called(wanted: str, known: Sequence[Acquaintance]) -> list[Acquaintance]:
    found = matching(wanted, [one.name for one in known], whole_words=True)
    # A player who had the name at several tables is one person.
    return list({known[number].seat.player_id: known[number] for number in found}.values())
