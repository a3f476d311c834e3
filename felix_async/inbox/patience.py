"""How many messages in which nothing is done are answered: all that people write, and no loop with a machine.

Only answers to mails that changed nothing count. A machine says the same again and again, but for numbers and
dates: of such mails a few are answered. However a machine varies its words, there is an end to it, too, far
above what anybody at a table needs; the words that only show something count there alone. The last answer
says until when there is no other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Literal

from felix_async.clock import DAY, later
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import Answer
from felix_async.follow_up.kinds import load_all
from felix_async.language.words import MONTHS, WEEKDAYS
from felix_async.orders.questions import is_saying
from felix_async.reading.reader import Reading
from felix_async.reading.understand import MAX_WRITTEN
from felix_async.text import MAX_LINE
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

_HOUR: Final = 3600
Limits = Sequence[tuple[int, int]]
"""Within so many seconds, so many answers."""
SAME: Final[Limits] = ((_HOUR, 10), (DAY, 15), (3 * DAY, 25))
"""To mails that say the same and change nothing."""
ANY: Final[Limits] = ((_HOUR, 100), (DAY, 200), (3 * DAY, 300))
"""To mails of whatever words that change nothing."""
Bound = Literal["same", "any"]
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DATES: Final = frozenset(word for words in (*WEEKDAYS, *MONTHS) for word in words)


def words_of(reading: Reading) -> str:
    """Return a digest of the words of a mail, without numbers and dates; '' if it only asks to be shown
    something.
    """
    written = [line for line in reading.said if line.place == "written"][:MAX_WRITTEN]
    if written and all(line.verdict == "order" and line.only_asks for line in written):
        return ""
    chunks = (chunk for line in written for chunk in line.text[:MAX_LINE].lower().split())
    plain = (word for chunk in chunks if not _has_digit(chunk) for word in _LETTERS.findall(chunk))
    return sha256(" ".join(word for word in plain if word not in _DATES).encode()).hexdigest()[:16]


def _has_digit(chunk: str) -> bool:
    return any(char.isdigit() for char in chunk)


@dataclass(slots=True)
class Patience:
    """The answers lately to a seat, for a mail with these `words`; looked up if they are asked for."""

    reader: Reader
    seat: SeatRow
    now: str
    words: str = ""
    _answers: list[kinds.Answer] | None = field(default=None, init=False)

    def is_over(self) -> bool:
        """Return True if an answer to a mail with these words that changes nothing would be one too many."""
        return self._until([]) is not None

    def silent_until(self) -> tuple[str, Bound] | None:
        """From when on mails like this are answered again, if this answer is the last until then, and by
        which bound.
        """
        return self._until([self.now])

    def tries(self) -> int:
        """Return the number of mails that were not understood one after the other, up to now."""
        answers = self._lately()
        return answers[-1].answer.tries if answers and not answers[-1].is_erased else 0

    def has_offered_to_say(self) -> bool:
        """Return True if an answer lately offered to say something to the others."""
        return any(any(map(is_saying, one.answer.offers)) for one in self._lately() if not one.is_erased)

    def _until(self, more: list[str]) -> tuple[str, Bound] | None:
        # An erased one may have named somebody who was forgotten.
        idle = [one for one in self._lately() if not one.is_erased and not one.answer.changed]
        same = [one.due_at for one in idle if one.answer.words == self.words]
        bounds: list[tuple[list[str], Limits, Bound]] = [([one.due_at for one in idle], ANY, "any")]
        bounds += [(same, SAME, "same")] if self.words else []
        until = [
            (end, bound)
            for times, limits, bound in bounds
            if (end := _full_until(sorted([*times, *more]), limits, self.now)) is not None
        ]
        return max(until, default=None)

    def _lately(self) -> list[kinds.Answer]:
        if self._answers is None:
            since = later(self.now, -max(window for window, _ in ANY))
            self._answers = answers_since(self.reader, self.seat, since)
        return self._answers


def answers_since(reader: Reader, seat: SeatRow, since: str) -> list[kinds.Answer]:
    """Return the answers that a seat was given lately, erased ones among them."""
    rows = reader.notices(seat.game_id, since)
    told = load_all(row for row in rows if (row.seat, row.kind) == (seat.seat, kinds.Answer.kind))
    return [one for one in told if isinstance(one, kinds.Answer)]


def is_missed(answer: Answer) -> bool:
    """Return True if nothing in a mail was understood."""
    verdicts = {line.verdict for line in answer.lines}
    return "not understood" in verdicts and verdicts <= {"not understood", "ambiguous", "ignored"}


def _full_until(times: Sequence[str], limits: Limits, now: str) -> str | None:
    """When the first of these falls out of a window that is full, None if none is."""
    ends = []
    for window, most in limits:
        recent = [at for at in times if at > later(now, -window)]
        if len(recent) >= most:
            ends.append(later(recent[-most], window))
    return max(ends, default=None)
