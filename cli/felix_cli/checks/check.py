"""One thing that the doctor looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check: its subject, True if it is well, the finding, and `advice` on what to do."""

    what: str
    well: bool
    found: str
    advice: str = ""
