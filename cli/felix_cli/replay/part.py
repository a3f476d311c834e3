"""The part of a game that is told: what --round, --from and --until take."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Final, Literal

from felix_async.clock import time_of
from felix_async.text import plain
from felix_cli.output import EXIT_COULD_NOT_LOOK, Problem, counted
from felix_events.envelope import Envelope
from felix_events.model import CardsTurned, GameAbandoned, GameEnded, RoundStarted

Option = Literal["--from", "--until", "--round"]
_ROUND: Final = re.compile(r"r([0-9]{1,3})", re.IGNORECASE | re.ASCII)
_STEP: Final = re.compile(r"v?([0-9]{1,9})", re.IGNORECASE | re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
FORMS: Final = 'a step like 40, a round like r5 or a time like 2026-11-25 or "2026-11-25 18:00"'


@dataclass(frozen=True, slots=True)
class Part:
    """The versions of a log that are told, from the first to the last."""

    first: int
    last: int


def part_of(
    envelopes: Sequence[Envelope], since: str | None, until: str | None, number: int | None, *, is_over: bool
) -> Part:
    """Return the part that is asked for, or all; Problem if there is no such part."""
    course = _Course(envelopes, is_over)
    if number is not None:
        return course.round(number, "--round")
    first = 1 if since is None else course.place(since, "--from").first
    last = course.size if until is None else course.place(until, "--until").last
    told = last if is_over else course.told(last)
    if told < first <= last:
        raise _wrong("While a game runs, the cards of a round are told once all of them lie there.")
    last = told
    if first > last:
        raise _wrong(f"Nothing lies between --from and --until: step {first} comes after step {last}.")
    return Part(first, last)


@dataclass(frozen=True, slots=True)
class _Course:
    envelopes: Sequence[Envelope]
    is_over: bool

    @property
    def size(self) -> int:
        """The last version."""
        return self.envelopes[-1].version

    def place(self, text: str, option: Option) -> Part:
        """Return the part that a text names: a step, a round, or what comes after or before a time."""
        if found := _ROUND.fullmatch(text):
            return self.round(int(found[1]), option)
        if found := _STEP.fullmatch(text):
            return self._step(int(found[1]), option)
        return self._time(text, option)

    def round(self, number: int, option: Option) -> Part:
        """Return a round, with all that was said and done until the next one began."""
        starts = [one.version for one in self.envelopes if isinstance(one.data, RoundStarted)]
        if not 1 <= number <= len(starts):
            had = f"the game {'has' if self.is_over else 'has had'} {counted(len(starts), 'round')}"
            raise _wrong(f"There is no round {number} for {option}: {had if starts else 'none has begun'}.")
        ends = [one.version for one in self.envelopes if isinstance(one.data, GameEnded | GameAbandoned)]
        after = [*starts[number:], *ends, self.size + 1]
        return Part(starts[number - 1], after[0] - 1)

    def told(self, last: int) -> int:
        """Return the same version, or the first of its round while the cards of that were placed."""
        if last == self.size:
            return last
        for one in sorted(self.envelopes, key=lambda one: -one.version):
            if one.version <= last and isinstance(one.data, CardsTurned):
                break
            if one.version <= last and isinstance(one.data, RoundStarted):
                return one.version
        return last

    def _step(self, version: int, option: Option) -> Part:
        if not 1 <= version <= self.size:
            steps = counted(self.size, "step")
            raise _wrong(f"There is no step {version} for {option}: the game has {steps}.")
        return Part(version, version)

    def _time(self, text: str, option: Option) -> Part:
        try:
            at = datetime.fromisoformat(text)
            if _DAY.fullmatch(text) and option == "--until":
                at = datetime.combine(at, time.max)
            # Without an offset it is by the clock of this machine.
            at = at.astimezone(UTC)
        except (ValueError, OverflowError):
            raise _wrong(f"{option} takes {FORMS}, and not {plain(text)}.") from None
        if not self.is_over:
            raise _wrong(
                "While a game runs nobody is told when a move was made, so"
                f" {option} takes a step like 40 or a round like r5."
            )
        times = [time_of(one.at) for one in self.envelopes]
        before = bisect_left(times, at) if option == "--from" else bisect_right(times, at)
        if option == "--from" and before == len(times):
            raise _wrong(f"Nothing happened after {plain(text)}: the game was over by then.")
        if option == "--until" and not before:
            raise _wrong(f"Nothing had happened by {plain(text)}: the game began later.")
        return Part(before + 1, before)


def _wrong(sentence: str) -> Problem:
    return Problem(sentence, EXIT_COULD_NOT_LOOK)
