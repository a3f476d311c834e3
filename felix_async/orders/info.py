"""The orders that change nothing: what each of them asks the answer to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from felix_async.follow_up.answer import Section

SECTIONS: Final[Mapping[str, Section]] = {
    "HAND": "hand",
    "STATUS": "status",
    "HELP": "help",
    "HISTORY": "history",
    "RULES": "rules",
    "GAMES": "games",
    "RESEND": "resend",
}
"""Order -> the section of the answer."""
