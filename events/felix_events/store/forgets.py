"""What a store offers for forgetting somebody bit by bit; how it is done in SQL, `forget_steps` says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from felix_events.store.forget_steps import ForgetStep, Sql, begin, do_step, forget_letter, next_step

_LEFT_OVER = (
    "SELECT 1 FROM leftovers WHERE player_id = :player_id AND (letter_id = :letter_id"
    " OR notice_id IN (SELECT notice_id FROM notices WHERE letter_id = :letter_id)) LIMIT 1"
)


class AsksForgetting(Protocol):
    """What can be asked of any store."""

    def forgettings(self) -> list[str]:
        """Whom this store has begun to forget, and not ended to."""

    def is_left_over(self, player_id: str, letter_id: int) -> bool:
        """Return True if this letter, or a notice in it, waited as this player was forgotten."""

    def next_forget_step(self, player_id: str) -> ForgetStep | None:
        """What to erase next of somebody; None once nothing of them is in any row."""


class Forgets(AsksForgetting, Protocol):
    """What any store does bit by bit; `Tx.forget` does all of it at once."""

    def begin_to_forget(
        self, player_id: str, letters: Iterable[int] = (), notices: Iterable[int] = ()
    ) -> None:
        """Do what must hold at once, and note that the rest is to be done.

        These `letters` and `notices` wait and may name the player: they go once they are sent.
        """

    def do_forget_step(self, step: ForgetStep) -> None:
        """Erase what was found."""

    def end_forgetting(self, player_id: str) -> None:
        """Nothing is left to be done for this person."""

    def forget_letter(self, letter_id: int, player_id: str, *, is_theirs: bool) -> None:
        """A letter that waited while somebody was forgotten has gone: it says nothing of them any more."""


class ForgettingInTables:
    """The same in SQL."""

    _sql: Sql

    def forgettings(self) -> list[str]:
        return [
            player_id for (player_id,) in self._sql("SELECT player_id FROM forgettings ORDER BY player_id")
        ]

    def next_forget_step(self, player_id: str) -> ForgetStep | None:
        return next_step(self._sql, player_id)

    def is_left_over(self, player_id: str, letter_id: int) -> bool:
        found = self._sql(_LEFT_OVER, {"player_id": player_id, "letter_id": letter_id})
        return found.fetchone() is not None

    def begin_to_forget(
        self, player_id: str, letters: Iterable[int] = (), notices: Iterable[int] = ()
    ) -> None:
        begin(self._sql, player_id)
        for letter_id, notice_id in [*((one, 0) for one in letters), *((0, one) for one in notices)]:
            self._sql(
                "INSERT INTO leftovers (player_id, letter_id, notice_id) VALUES (?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (player_id, letter_id, notice_id),
            )

    def do_forget_step(self, step: ForgetStep) -> None:
        do_step(self._sql, step)

    def end_forgetting(self, player_id: str) -> None:
        self._sql("DELETE FROM forgettings WHERE player_id = ?", (player_id,))

    def forget_letter(self, letter_id: int, player_id: str, *, is_theirs: bool) -> None:
        forget_letter(self._sql, letter_id, player_id, is_theirs=is_theirs)
