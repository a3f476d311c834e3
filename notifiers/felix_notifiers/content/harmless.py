"""Strangers' words before they go into a message: one line, visible, short, and no other player's name.

`felix_async.text` takes out what steers a terminal, a header or the direction of writing, and
`felix_async.people` tells players apart; here is what a mail needs beyond that.
"""

from __future__ import annotations

import re
from typing import Final

from felix_async.people import SHOWN_LENGTH, seat_names
from felix_async.text import Harmless, one_line, plain, unlinked

__all__ = [
    "FELIX",
    "LINE_LIMIT",
    "NAMELESS",
    "NAME_LIMIT",
    "one_line",
    "seat_names",
    "sender_name",
    "table_label",
    "table_name",
]

NAMELESS: Final = plain("felix")
"""The name in mails of a table without one."""
NAME_LIMIT: Final = SHOWN_LENGTH
TABLE_LIMIT: Final = 40
LINE_LIMIT: Final = 200
FELIX: Final = plain("Felix")
"""Whom a mail is from."""
_SENDER_LIMIT: Final = 25
_ADDRESS_SIGNS: Final = re.compile(r'[<>@"`\\«»‟“”„‹›]|=\?')
"""With one of these a name may look like an address, or like the quotes around one."""


def table_name(text: str) -> Harmless:
    """Return the name of a table, which may be empty."""
    return one_line(unlinked(text).replace("[", "(").replace("]", ")"), TABLE_LIMIT)


def sender_name(name: str = "") -> Harmless:
    """Return whom a mail is from: `Felix`, or `Felix · Thursday club` if it is about a table with a name.

    >>> sender_name("Friday <cats@mail.test>"), sender_name("")
    ('Felix · Friday cats mail test', 'Felix')
    """
    table = plain(_ADDRESS_SIGNS.sub(" ", table_name(name)), _SENDER_LIMIT)
    return plain(f"{FELIX} · {table}") if table else FELIX


def table_label(name: str, game_id: str) -> Harmless:
    """Return `Thursday club k7m2p`, by which small print and an operator know a table."""
    return plain(f"{table_name(name) or NAMELESS} {game_id}")
