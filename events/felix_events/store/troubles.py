"""Which games cannot be read: a row for each, so that it is said once, and each goes on in the end."""

from __future__ import annotations

from typing import Protocol

from felix_events.store.remembering import Remembering, remembered
from felix_events.store.rows import Trouble

_TROUBLE = "SELECT game_id, since, why FROM troubles"


class AsksTroubles(Protocol):
    """What can be asked of any store."""

    def troubles(self) -> list[Trouble]:
        """The games that could not be read, by id."""

    def trouble(self, game_id: str) -> Trouble | None:
        """What is wrong with a game, None if nothing is known to be."""


class NotesTroubles(AsksTroubles, Protocol):
    """What any store notes."""

    def note_trouble(self, trouble: Trouble) -> bool:
        """Note that a game cannot be read; False if that is known already."""

    def end_trouble(self, game_id: str) -> None:
        """The game can be read again."""


class TroublesInTables(Remembering):
    """The same in SQL."""

    @remembered("troubles")
    def troubles(self) -> list[Trouble]:
        return [Trouble(**row) for row in self._rows(f"{_TROUBLE} ORDER BY game_id")]

    def trouble(self, game_id: str) -> Trouble | None:
        # There are few or none, and they are asked for again and again.
        return next((one for one in self.troubles() if one.game_id == game_id), None)

    def note_trouble(self, trouble: Trouble) -> bool:
        values = (trouble.game_id, trouble.since, trouble.why)
        cursor = self._sql(
            "INSERT INTO troubles (game_id, since, why) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", values
        )
        return cursor.rowcount == 1

    def end_trouble(self, game_id: str) -> None:
        self._sql("DELETE FROM troubles WHERE game_id = ?", (game_id,))
