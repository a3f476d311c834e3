"""Erasing a person: which rows are theirs, and what stays of letters to others, who were told their name."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_KEPT: Final = (b"message-id", b"reply-to")
"""By these an answer to a letter is known: which letter, and which address of ours."""
_FIELD: Final = re.compile(rb"^[^\s:][^:\n]*:.*\n?(?:[ \t].*\n?)*", re.MULTILINE)
NOBODY: Final = ("", "<>")
"""The envelope's sender of a bounce."""

ADDRESSES: Final = (
    "SELECT address FROM addresses WHERE player_id = :me"
    # What another player writes from, too, is theirs to keep.
    " UNION SELECT address FROM adopted WHERE player_id = :me"
    " AND address NOT IN (SELECT address FROM addresses WHERE player_id != :me)"
    " AND address NOT IN (SELECT address FROM adopted WHERE player_id != :me)"
)
NAMES: Final = (
    "SELECT name FROM seats WHERE player_id = :me UNION SELECT name FROM former WHERE player_id = :me"
)
_MINE: Final = (
    # In a seat that was lost sits somebody else: what they got is among what others were told.
    "(SELECT game_id, seat FROM seats WHERE player_id = :me"
    " UNION SELECT game_id, -1 FROM former WHERE player_id = :me) AS mine"
)
NEAR: Final = (
    # Who sits or sat at a table of theirs.
    f"SELECT player_id FROM seats JOIN {_MINE} USING (game_id)"  # noqa: S608 - constants
    f" UNION SELECT player_id FROM former JOIN {_MINE} USING (game_id)"
)
_SAID_BY: Final = (
    f"game_id IN (SELECT game_id FROM {_MINE}) AND text != ''"  # noqa: S608 - constants
    " AND :me = coalesce((SELECT player_id FROM former WHERE former.game_id = sayings.game_id"
    " AND former.seat = sayings.seat AND former.version > sayings.version ORDER BY version LIMIT 1),"
    " (SELECT player_id FROM seats WHERE seats.game_id = sayings.game_id AND seats.seat = sayings.seat))"
)
SAID: Final = f"SELECT text FROM sayings WHERE {_SAID_BY}"  # noqa: S608 - constants
EMPTY_SAID: Final = f"UPDATE sayings SET text = '', salt = x'' WHERE {_SAID_BY}"  # noqa: S608 - constants
REPEATING: Final = ("answer", "question", "claim", "substitute", "seat_closed")
"""Notices that may repeat an address which somebody else has written."""


def cut_down(raw: bytes) -> bytes:
    """What stays of a letter that named somebody who was forgotten: two header fields, and no text.

    >>> cut_down(b"To: ben@example.org\\nMessage-ID: <1@felix>\\nReply-To:\\n felix@here.org\\n\\nAnna.\\n")
    b'Message-ID: <1@felix>\\nReply-To:\\n felix@here.org\\n\\n'
    """
    head, _, _ = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    fields = [field.group() for field in _FIELD.finditer(head)]
    kept = [field.rstrip(b"\n") for field in fields if field.partition(b":")[0].strip().lower() in _KEPT]
    return b"".join(field + b"\n" for field in kept) + b"\n" if kept else b""


def is_cut(raw: bytes) -> bool:
    """Whether a letter was erased or cut down, and is nothing to send."""
    return raw == cut_down(raw)


def names_one_of(text: str | bytes, addresses: Collection[str]) -> bool:
    """Whether one of these addresses stands in a text, in letters of any size."""
    found = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return any(address.lower() in found.lower() for address in addresses)
