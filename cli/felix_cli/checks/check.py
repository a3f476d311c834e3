"""One thing that the doctor looked at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check: its subject, True if it is well, the finding, and `advice` on what to do.

    Of what was `skipped` the finding says why.
    """

    what: str
    well: bool
    found: str
    advice: str = ""
    skipped: bool = False

    @property
    def mark(self) -> str:
        """The verdict in a word."""
        return "skipped" if self.skipped else "ok" if self.well else "WRONG"
