"""What a store offers for forgetting somebody bit by bit; how it is done in SQL, `forget_steps` says."""

from __future__ import annotations

from typing import Protocol

from felix_events.store.forget_steps import ForgetStep, Sql, begin, do_step, forget_letter, next_step


class AsksForgetting(Protocol):
    """What can be asked of any store."""

    def forgettings(self) -> list[str]:
        """Whom this store has begun to forget, and not ended to."""
        ...

    def next_forget_step(self, player_id: str) -> ForgetStep | None:
        """What to erase next of somebody; None once nothing of them is in any row."""
        ...


class Forgets(AsksForgetting, Protocol):
    """What any store does bit by bit; `Tx.forget` does all of it at once."""

    def begin_to_forget(self, player_id: str) -> None:
        """Do what must hold at once, and note that the rest is to be done."""
        ...

    def do_forget_step(self, step: ForgetStep) -> None:
        """Erase what was found."""
        ...

    def end_forgetting(self, player_id: str) -> None:
        """Nothing is left to be done for this person."""
        ...

    def forget_letter(self, letter_id: int, player_id: str, *, is_theirs: bool) -> None:
        """A letter that waited while somebody was forgotten has gone: it says nothing of them any more."""
        ...


class ForgettingInTables:
    """The same in SQL."""

    _sql: Sql

    def forgettings(self) -> list[str]:
        return [
            player_id for (player_id,) in self._sql("SELECT player_id FROM forgettings ORDER BY player_id")
        ]

    def next_forget_step(self, player_id: str) -> ForgetStep | None:
        return next_step(self._sql, player_id)

    def begin_to_forget(self, player_id: str) -> None:
        begin(self._sql, player_id)

    def do_forget_step(self, step: ForgetStep) -> None:
        do_step(self._sql, step)

    def end_forgetting(self, player_id: str) -> None:
        self._sql("DELETE FROM forgettings WHERE player_id = ?", (player_id,))

    def forget_letter(self, letter_id: int, player_id: str, *, is_theirs: bool) -> None:
        forget_letter(self._sql, letter_id, player_id, is_theirs=is_theirs)
