"""The names of then: who was called what at each version of a log.

>>> names = Names(["Anna", "Zoe"], [(43, 1, "Ben")])
>>> names.at(42), names.at(43)
(('Anna', 'Ben'), ('Anna', 'Zoe'))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.people import FORMER, seat_names


@dataclass(frozen=True, slots=True)
class Names:
    """The names by seat, and those of players whose seat somebody else has taken.

    `former` are (version, seat, name): so the seat was called up to, but not at, the version at which
    somebody else took it; '' if that player was forgotten.
    """

    now: Sequence[str]
    former: Sequence[tuple[int, int, str]] = ()

    def at(self, version: int) -> tuple[str, ...]:
        """Return the names by seat of those who sat there at a version, no two alike."""
        then = list(self.now)
        for until, seat, name in sorted(self.former, reverse=True):
            if version < until:
                then[seat] = name or FORMER
        if len({name.casefold() for name in then}) == len(then):
            return tuple(then)
        return tuple(seat_names(["" if name == FORMER else name for name in then]))
