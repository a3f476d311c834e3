"""How many mails in which nothing is done are answered: enough for people, and no loop with a machine.

Only answers to mails that changed nothing count. A mail without a single order is more likely a machine's:
of those fewer are answered. Whoever goes on gets fewer by the day; the last answer says until when.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.clock import DAY, later
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import Answer
from felix_async.follow_up.kinds import load_all
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

_HOUR: Final = 3600
_WORDLESS: Final = ("not understood", "ignored")
"""Verdicts on the lines of a mail that holds no order."""
Limits = Sequence[tuple[int, int]]
"""Within so many seconds, so many answers."""
IDLE: Final[Limits] = ((_HOUR, 20), (DAY, 30), (3 * DAY, 40))
"""To mails that change nothing."""
WORDLESS: Final[Limits] = ((_HOUR, 10), (DAY, 15), (3 * DAY, 25))
"""To those among them that hold no order."""


@dataclass(slots=True)
class Patience:
    """The answers to a seat lately to mails that changed nothing; looked up if they are asked for."""

    reader: Reader
    seat: SeatRow
    now: str
    _answered: list[tuple[str, bool]] | None = field(default=None, init=False)

    def is_over(self, answer: Answer | None = None) -> bool:
        """Return True if this answer, or any to a mail with an order, would be one too many."""
        return self._until(answer, []) is not None

    def silent_until(self, answer: Answer) -> str | None:
        """From when on mails like this are answered again, if this answer is the last until then."""
        return self._until(answer, [(self.now, _is_wordless(answer))])

    def _until(self, answer: Answer | None, more: list[tuple[str, bool]]) -> str | None:
        answered = sorted([*self._lately(), *more])
        until = [_full_until([at for at, _ in answered], IDLE, self.now)]
        if answer is not None and _is_wordless(answer):
            until.append(_full_until([at for at, wordless in answered if wordless], WORDLESS, self.now))
        return max((one for one in until if one is not None), default=None)

    def _lately(self) -> list[tuple[str, bool]]:
        """The time of each of those answers, and True if the mail held no order."""
        if self._answered is None:
            since = later(self.now, -max(window for window, _ in IDLE))
            self._answered = [
                (notice.due_at, _is_wordless(notice.answer))
                for notice in answers_since(self.reader, self.seat, since)
                # An erased one may have named somebody who was forgotten.
                if not notice.is_erased and not notice.answer.changed
            ]
        return self._answered


def answers_since(reader: Reader, seat: SeatRow, since: str) -> list[kinds.Answer]:
    """Return the answers that a seat was given lately, erased ones among them."""
    rows = reader.notices(seat.game_id, since)
    told = load_all(row for row in rows if (row.seat, row.kind) == (seat.seat, kinds.Answer.kind))
    return [one for one in told if isinstance(one, kinds.Answer)]


def _is_wordless(answer: Answer) -> bool:
    return all(line.verdict in _WORDLESS for line in answer.lines)


def _full_until(times: Sequence[str], limits: Limits, now: str) -> str | None:
    """When the first of these falls out of a window that is full, None if none is."""
    ends = []
    for window, most in limits:
        recent = [at for at in times if at > later(now, -window)]
        if len(recent) >= most:
            ends.append(later(recent[-most], window))
    return max(ends, default=None)
