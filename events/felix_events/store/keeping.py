"""Which mails and letters still have their bytes, and taking those away while the rows stay."""

from __future__ import annotations

from typing import Protocol

from felix_events.store.lines import LetterLine, MailLine
from felix_events.store.remembering import Remembering

_MAILS = (
    "SELECT mail_id, received_at, recipient, sender, size, state, tries, note, player_id"
    " FROM inbox_bytes CROSS JOIN inbox USING (mail_id) WHERE mail_id > ? ORDER BY mail_id LIMIT ?"
)
_UNDONE = " UNION ALL ".join(
    # State by state, because each has an index of its own.
    "SELECT mail_id, received_at, recipient, sender, size, state, tries, note, player_id"  # noqa: S608 - constants
    f" FROM inbox JOIN inbox_bytes USING (mail_id) WHERE state = '{state}'"
    " AND mail_id NOT IN (SELECT mail_id FROM held WHERE confirmed < 2)"
    for state in ("quarantined", "ignored", "duplicate")
)
_LETTERS = (
    "SELECT letter_id, game_id, seat, recipient, created_at, next_at, size, state, tries, note"
    " FROM letter_bytes CROSS JOIN letters USING (letter_id) WHERE letter_id > ? ORDER BY letter_id LIMIT ?"
)


class AsksKept(Protocol):
    """What can be asked of any store."""

    def mails_kept(self, after: int, limit: int) -> list[MailLine]:
        """The oldest mails that have their bytes, with ids above `after`."""

    def letters_kept(self, after: int, limit: int) -> list[LetterLine]:
        """The oldest letters that have their bytes, with ids above `after`."""

    def undone_kept(self) -> list[MailLine]:
        """Mails that have their bytes, of which nothing was done and no player is asked; the newest first."""


class DropsKept(AsksKept, Protocol):
    """What any store takes away."""

    def drop_mail_bytes(self, mail_id: int) -> None:
        """Keep of a mail that it came and what became of it, but not its bytes: `raw` is b"" from now on."""

    def drop_letter_bytes(self, letter_id: int) -> None:
        """Keep of a letter that it was written and what became of it, but not its bytes."""


class KeptInTables(Remembering):
    """The same in SQL."""

    def mails_kept(self, after: int, limit: int) -> list[MailLine]:
        return [MailLine(**row) for row in self._rows(_MAILS, (after, limit))]

    def letters_kept(self, after: int, limit: int) -> list[LetterLine]:
        return [LetterLine(**row) for row in self._rows(_LETTERS, (after, limit))]

    def undone_kept(self) -> list[MailLine]:
        return [MailLine(**row) for row in self._rows(f"{_UNDONE} ORDER BY mail_id DESC")]

    def drop_mail_bytes(self, mail_id: int) -> None:
        self._sql("DELETE FROM inbox_bytes WHERE mail_id = ?", (mail_id,))

    def drop_letter_bytes(self, letter_id: int) -> None:
        self._sql("DELETE FROM letter_bytes WHERE letter_id = ?", (letter_id,))
