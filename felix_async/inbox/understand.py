"""Which orders a mail holds: every line of it, with a verdict and a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from felix_async.grammar import Misread, Order, clean, read_line
from felix_async.inbox.reader import Letter
from felix_async.words import LEFT_ASIDE, STOP_WORDS

MAX_MISREAD: Final = 5
"""Lines not understood in a row that end the reading of a mail."""


@dataclass(frozen=True, slots=True)
class Understood:
    """A line, what it is taken for, and why; `order` is to be done, or (verdict "asked") asked about."""

    text: str
    verdict: Literal["order", "asked", "not understood", "ambiguous", "ignored"]
    why: str = ""
    order: Order | None = None


def understand(letter: Letter) -> list[Understood]:
    """The lines of a mail in their order."""
    lines: list[Understood] = []
    misread = 0
    written = letter.lines or []
    for number, line in enumerate(written):
        if misread == MAX_MISREAD or clean(line).rstrip(".,!").lower() in STOP_WORDS:
            rest = [one for one in written[number:] if clean(one).rstrip(".,!").lower() not in STOP_WORDS]
            return [*lines, *(Understood(one, "ignored", LEFT_ASIDE) for one in rest)]
        read = read_line(line)
        if isinstance(read, Misread):
            verdict = "asked" if read.meant is not None else read.kind
            lines.append(Understood(line, verdict, str(read), read.meant))
            misread += 1
        else:
            lines.append(Understood(line, "order", order=read))
            misread = 0
    return lines
