"""How many mails in which nothing is done are answered: enough for people, and no loop with a machine.

Only answers to mails that changed nothing count. A mail without a single order is more likely a machine's:
of those fewer are answered. Whoever goes on gets fewer by the day; the last answer says until when.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.clock import later
from felix_async.follow_up.answer import Answer
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR
_WORDLESS: Final = ("not understood", "ignored")
"""What is said of the lines of a mail that holds no order."""
Limits = Sequence[tuple[int, int]]
"""Within so many seconds, so many answers."""
IDLE: Final[Limits] = ((_HOUR, 20), (_DAY, 30), (3 * _DAY, 40))
"""To mails that change nothing."""
WORDLESS: Final[Limits] = ((_HOUR, 10), (_DAY, 15), (3 * _DAY, 25))
"""To those among them that hold no order."""


@dataclass(slots=True)
class Patience:
    """What a seat was answered lately to mails that changed nothing; looked up if it is asked for."""

    reader: Reader
    seat: SeatRow
    now: str
    _answered: list[tuple[str, bool]] | None = field(default=None, init=False)

    def is_over(self, answer: Answer | None = None) -> bool:
        """Whether this answer, or any to a mail with an order, would be one too many."""
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
        """When each of those answers was owed, and whether the mail held no order."""
        if self._answered is None:
            since = later(self.now, -max(window for window, _ in IDLE))
            owed = [
                (notice.due_at, Answer.from_json(notice.payload))
                for notice in self.reader.notices(self.seat.game_id, since)
                # An erased one may have named somebody who was forgotten.
                if (notice.kind, notice.seat) == ("answer", self.seat.seat) and notice.payload != "{}"
            ]
            self._answered = [(at, _is_wordless(answer)) for at, answer in owed if not answer.changed]
        return self._answered


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
