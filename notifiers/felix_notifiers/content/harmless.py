"""Strangers' words before they go into a mail: one line, visible, short, and no other player's name.

`felix_async.text` takes out what steers a terminal, a header or the direction of writing, and
`felix_async.people` tells players apart; here is what a mail needs beyond that.
"""

from __future__ import annotations

from typing import Final

from felix_async.people import SHOWN_LENGTH, seat_names
from felix_async.text import Harmless, one_line, plain, unlinked

__all__ = ["LINE_LIMIT", "NAMELESS", "NAME_LIMIT", "one_line", "seat_names", "table_label", "table_name"]

NAMELESS: Final = plain("felix")
"""The name in mails of a table without one."""
NAME_LIMIT: Final = SHOWN_LENGTH
TABLE_LIMIT: Final = 40
LINE_LIMIT: Final = 200


def table_name(text: str) -> Harmless:
    """Return the name of a table, which may be empty."""
    return one_line(unlinked(text).replace("[", "(").replace("]", ")"), TABLE_LIMIT)


def table_label(name: str, game_id: str) -> Harmless:
    """Return `Thursday club k7m2p`, the words in brackets before each subject."""
    return plain(f"{table_name(name) or NAMELESS} {game_id}")
