"""Strangers' words before they go into a mail: one line, visible, short, and nobody else's name.

`felix_async.text.plain` takes out what steers a terminal, a header or the direction of writing; here is
what a mail needs beyond that.

>>> seat_names(["Ben", "BEN", "you", "\\x1b[2J"])
['Ben', 'BEN (seat 1)', 'you (seat 2)', '[2J']
>>> seat_names(["", "a former player"])
['a former player', 'a former player (seat 1)']
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from felix_async.language import table
from felix_async.replay import FORMER
from felix_async.text import plain, unlinked
from felix_async.words.phrases import phrase

NAMELESS: Final = "felix"
"""What a table without a name is called."""
NAME_LIMIT: Final = 30
TABLE_LIMIT: Final = 40
LINE_LIMIT: Final = 200
_MARKS: Final = 2
"""Accents that one letter may carry; towers of them reach into the lines above."""
_TAKEN: Final = frozenset(name.casefold() for name in table("mails.toml")["names"]["taken"])
"""What felix itself calls somebody."""
_BLANKS: Final = dict.fromkeys((0x034F, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0), " ")
"""Letters and marks that are drawn as nothing."""


def one_line(text: str, limit: int = LINE_LIMIT) -> str:
    """The text as one visible line."""
    line = plain(unicodedata.normalize("NFC", text).translate(_BLANKS), limit)
    kept = ""
    for is_mark, run in groupby(line, _is_mark):
        chars = "".join(run)
        # Marks with no letter before them would sit on whatever felix writes there.
        kept += chars[: _MARKS if kept else 0] if is_mark else chars
    return kept.strip()


def seat_names(names: Sequence[str]) -> list[str]:
    """The names as a mail shows them, by seat: never empty, no two alike, none that felix uses itself.

    Who was forgotten has no name any more, and is called a former player.
    """
    lines = [one_line(unlinked(name), NAME_LIMIT) if name else FORMER for name in names]
    shown: list[str] = []
    seen: Counter[str] = Counter()
    for seat, line in enumerate(lines):
        key = line.casefold()
        is_taken = key in _TAKEN and bool(names[seat])
        if not line:
            shown.append(phrase("mails.names.seat", seat=seat))
        elif is_taken or seen[key]:
            shown.append(phrase("mails.names.beside", name=line, seat=seat))
        else:
            shown.append(line)
        seen[key] += 1
    return shown


def table_name(text: str) -> str:
    """The name of a table, which may be empty."""
    return one_line(unlinked(text), TABLE_LIMIT).replace("[", "(").replace("]", ")")


def table_label(name: str, game_id: str) -> str:
    """`Thursday club k7m2p`: what stands in brackets before each subject."""
    return f"{table_name(name) or NAMELESS} {game_id}"


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) != 0 or unicodedata.category(char) in ("Mn", "Me")
