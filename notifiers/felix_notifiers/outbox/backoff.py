"""Backoff: the mail providers that are left alone for now, so that one that is down holds up nobody else.

A lane is the domain of a recipient. Whoever keeps us waiting is put aside at once, whoever says "later"
again and again after a few letters. Several lanes in a row that fall silent mean that our own server is in
trouble, and then everybody waits. What a lane knows is not stored: each letter has its own time to be tried
again, and that is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from felix_events.store.rows import lane_of
from felix_notifiers.outbox.channel import Result, TryAgain

PAUSES: Final = (60, 5 * 60, 15 * 60)
"""Seconds that a silent lane is left alone, by how often it was before; the last one stays."""
IN_A_ROW: Final = 5
"""So many letters told "later" one after the other, and their lane waits for the shortest pause."""
SILENT_LANES: Final = 3
"""So many lanes that fell silent one after the other, and everybody waits for the shortest pause."""


@dataclass(slots=True)
class _Lane:
    """How often one fell silent and was told to come later, and until when it is left alone."""

    silences: int = 0
    later: int = 0
    until: datetime | None = None


@dataclass(slots=True)
class Backoff:
    """The providers that are put aside, and our own server if it is."""

    _lanes: dict[str, _Lane] = field(default_factory=dict)
    _server: _Lane = field(default_factory=_Lane)
    _silent: set[str] = field(default_factory=set)
    """The lanes that fell silent since anything was heard."""

    def note(self, recipient: str, result: Result, now: datetime) -> str | None:
        """Learn from a try; the lane that is put aside by it ('' if that is everybody), or None."""
        name = lane_of(recipient)
        about = result.about if isinstance(result, TryAgain) else None
        if about == "server":
            _pause(self._server, now)
            return ""
        if about == "silence":
            _pause(self._lanes.setdefault(name, _Lane()), now)
            self._silent.add(name)
            if len(self._silent) < SILENT_LANES:
                return name
            self._silent.clear()
            self._server.until = now + timedelta(seconds=PAUSES[0])
            return ""
        self._server = _Lane()
        self._silent.clear()
        if about == "provider":
            return self._put_off(name, now)
        self._lanes.pop(name, None)
        return None

    def _put_off(self, name: str, now: datetime) -> str | None:
        lane = self._lanes.setdefault(name, _Lane())
        lane.later += 1
        if lane.later < IN_A_ROW:
            return None
        self._lanes[name] = _Lane(until=now + timedelta(seconds=PAUSES[0]))
        return name

    def aside(self, now: datetime) -> list[str]:
        """The lanes that are left alone now."""
        return [name for name, lane in self._lanes.items() if _waits(lane, now)]

    def waits(self, recipient: str, now: datetime) -> bool:
        """Return True if a letter to this address is not tried now."""
        lane = self._lanes.get(lane_of(recipient))
        return self.all_wait(now) or (lane is not None and _waits(lane, now))

    def all_wait(self, now: datetime) -> bool:
        """Return True if our own server is left alone now."""
        return _waits(self._server, now)


def _pause(lane: _Lane, now: datetime) -> None:
    lane.until = now + timedelta(seconds=PAUSES[min(lane.silences, len(PAUSES) - 1)])
    lane.silences += 1


def _waits(lane: _Lane, now: datetime) -> bool:
    return lane.until is not None and now < lane.until
