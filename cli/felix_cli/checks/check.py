"""One thing that the doctor looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, whether it is well, what was found; `advice` is what to do, or to know."""

    what: str
    well: bool
    found: str
    advice: str = ""
