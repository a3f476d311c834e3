"""Delete the bytes of mail whose game is long over, and keep the rows.

Everything that an audit looks at stays, and so does what shows a mail that comes twice: logs, hashes, keys,
rows. The bytes of a message go when each game that it is about has been over for so many days, and it is at
least as old itself. Mail that is still to be sent or dealt with, or that lies in quarantine, is left alone.

A mail that was cut down because it named somebody who was forgotten goes in any case, and sooner: what is
left of it is there for the others to prove their moves by.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from felix_async.address import decode_token, token_in
from felix_async.clock import DAY, Clock, later, text_of
from felix_async.game.disputes import LONGEST_DISPUTE
from felix_async.orders.dispute import OPEN_AFTER
from felix_async.settings import Keep
from felix_events.envelope import Unreadable, check_envelope
from felix_events.store.base import Damaged, Reader, Tx
from felix_events.store.rows import LetterLine, MailLine, games_of_cut

STEP: Final = 500
"""Rows that are looked at in one view of the store."""
TOGETHER: Final = 50
"""Rows that lose their bytes in one transaction."""
EVIDENCE_DAYS: Final = (OPEN_AFTER + LONGEST_DISPUTE) // DAY
"""For so long after the end of its games a mail that was cut down is kept: a move may be disputed, and that
may go on.
"""
Table = Literal["letters", "inbox"]


@dataclass(frozen=True, slots=True)
class Step:
    """The rows of one step whose bytes may go, and how many bytes that are."""

    table: Table
    ids: list[int]
    size: int


@dataclass(slots=True)
class Retention:
    """One walk through all mail, the oldest first, step by step."""

    keep: Keep
    mailbox: str
    clock: Clock
    _after: dict[Table, int] = field(default_factory=dict)
    _ends: dict[str, str | None] = field(default_factory=dict)

    def begin(self) -> None:
        """Begin with the oldest mail again."""
        self._after = {"letters": 0, "inbox": 0} if self.keep.letters_days else {"inbox": 0}
        self._ends.clear()

    def find(self, reader: Reader) -> Step | None:
        """Look at some more rows; None at the end."""
        while self._after:
            table = next(iter(self._after))
            step = self._in_letters(reader) if table == "letters" else self._in_inbox(reader)
            if step is not None:
                return step
            del self._after[table]
        return None

    def _in_letters(self, reader: Reader) -> Step | None:
        before = self._before(self.keep.letters_days)
        lines = [
            line for line in reader.letters_kept(self._after["letters"], STEP) if line.created_at < before
        ]
        if not lines:
            return None
        self._after["letters"] = lines[-1].letter_id
        gone = [line for line in lines if line.state != "ready" and self._is_over(reader, line, before)]
        return Step("letters", [line.letter_id for line in gone], sum(line.size for line in gone))

    def _in_inbox(self, reader: Reader) -> Step | None:
        before = self._before(EVIDENCE_DAYS)
        lines = [line for line in reader.mails_kept(self._after["inbox"], STEP) if line.received_at < before]
        if not lines:
            return None
        self._after["inbox"] = lines[-1].mail_id
        gone = [
            line
            for line in lines
            if line.state not in ("new", "quarantined") and self._is_done_with(reader, line)
        ]
        return Step("inbox", [line.mail_id for line in gone], sum(line.size for line in gone))

    def _before(self, days: int) -> str:
        return later(text_of(self.clock()), -days * DAY)

    def _is_over(self, reader: Reader, line: LetterLine, before: str) -> bool:
        """Return True if all games that a letter tells of are long over."""
        games = {line.game_id, *(notice.game_id for notice in reader.notices_in(line.letter_id))}
        return self._are_over(reader, games, before)

    def _is_done_with(self, reader: Reader, line: MailLine) -> bool:
        """The same of a message: its address names a game; else it counts for all games of who wrote it."""
        if cut_for := games_of_cut(line.note):
            return self._are_over(reader, cut_for, self._before(EVIDENCE_DAYS))
        before = self._before(self.keep.inbox_days)
        if not self.keep.inbox_days or line.received_at >= before:
            return False
        token = decode_token(token_in(line.recipient, self.mailbox) or "")
        if token is not None:
            return self._are_over(reader, [token.game_id], before)
        if line.player_id is None:
            return False
        games = {seat.game_id for seat in reader.seats_of(line.player_id)}
        games |= {seat.game_id for seat in reader.former_of(line.player_id)}
        return self._are_over(reader, games, before)

    def _are_over(self, reader: Reader, games: Iterable[str], before: str) -> bool:
        for game_id in games:
            if game_id not in self._ends:
                self._ends[game_id] = closed_at(reader, game_id)
            end = self._ends[game_id]
            if end is None or end >= before:
                return False
        return True


def closed_at(reader: Reader, game_id: str) -> str | None:
    """Return when a game ended and nothing about it was open any more; None if it is not that far.

    This is the one place that says so: what can be open about a game that is over, as a dispute, goes here.
    """
    row = reader.game(game_id)
    if row is None or not row.is_over or reader.trouble(game_id) is not None:
        return None
    try:
        last = reader.bodies(game_id, after=row.size - 1)
        return check_envelope(last[-1]).at if last else None
    except (Damaged, Unreadable):
        return None


def drop(tx: Tx, table: Table, ids: Iterable[int]) -> None:
    """Take the bytes of these rows away, unless they have come to be needed meanwhile."""
    for row_id in ids:
        if table == "letters":
            letters = tx.letters_kept(row_id - 1, 1)
            if letters and letters[0].letter_id == row_id and letters[0].state != "ready":
                tx.drop_letter_bytes(row_id)
        else:
            mails = tx.mails_kept(row_id - 1, 1)
            if mails and mails[0].mail_id == row_id and mails[0].state not in ("new", "quarantined"):
                tx.drop_mail_bytes(row_id)
