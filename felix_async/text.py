"""Strangers' text made harmless: for a terminal, a log line, a message, a header.

>>> plain("Anna\\r\\nBcc: x\\x1b[31m")
'Anna Bcc: x[31m'
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Final, NewType

Harmless = NewType("Harmless", str)
"""Strangers' text as one visible line: made by `plain` and `one_line`, and nowhere else."""
_LIMIT: Final = 200
_MARKS: Final = 2
"""Accents that one letter may carry; towers of them reach into the lines above."""
_BLANKS: Final = dict.fromkeys((0x034F, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0), " ")
"""Letters and marks that are drawn as nothing."""
_SCHEME: Final = re.compile(
    r"\b(?:[a-z][a-z0-9+.-]{1,20}:(?=//)|(?:mailto|tel|sms|javascript|data):(?=\S))|//+", re.I
)
_DOT: Final = re.compile(r"(?<=\w)[.\u3002\uff0e\uff61](?=[^\W\d_]{2}|xn--)", re.I)
"""A full stop of whatever script before what may be the last part of a domain; `J.R.` and `3.5` have none."""
MAX_LINE: Final = 400
"""Characters of a line that are read; no order is longer."""
_INVISIBLE: Final = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060\u00ad\u200e\u200f"))
_TYPED: Final = {
    **dict.fromkeys(map(ord, "−–—‐‑‒"), "-"),
    **dict.fromkeys(map(ord, "‘’‛ʼ"), "'"),
    **dict.fromkeys(map(ord, "“”„‟«»"), '"'),
}
_ODD: Final = {"No": "\ufffd", "Cs": ""}
_STRUCK: Final = re.compile("[^\u0335-\u0338][\u0335-\u0338]+")
"""A letter with a stroke through it."""
_BULLET: Final = re.compile(r"^[*•·‣◦]\s+|^-\s+(?=[^\W\d_])")
_BOLD: Final = re.compile(r"^([*_`]{1,3})(.*?)\1[.,!]*$")


def plain(text: str, limit: int = _LIMIT) -> Harmless:
    """Return one line of at most `limit` characters, without controls, invisible marks and bidi signs."""
    if not text.isprintable():
        text = "".join(" " if char.isspace() else char for char in text if char.isspace() or _shows(char))
    line = " ".join(text.split())
    return Harmless(line if len(line) <= limit else f"{line[: limit - 1]}…")


@lru_cache(maxsize=64)
def clean(line: str) -> str:
    """Return a line without the odd blanks, dashes, bullets and bold of mail programs, and all invisible."""
    line = line[:MAX_LINE]
    if line.isascii():
        return _undecorated(line)
    # A raised 2 is a footnote, and NFKC would make `1²` twelve; half a character is nothing at all.
    kept = "".join(_ODD.get(unicodedata.category(char), char) for char in line.translate(_INVISIBLE))
    # One character may stand for eighteen.
    return _undecorated(unicodedata.normalize("NFKC", kept)[:MAX_LINE].translate(_TYPED))


def without_struck(line: str) -> str:
    """Return a line without what is struck out in it, between `~~` or with a stroke through each letter.

    >>> without_struck("~~BID 7~~ BID 8")
    ' BID 8'
    """
    line = line[:MAX_LINE]
    if "~~" in line:
        kept = line.split("~~")
        line = "".join(kept[::2]) + ("~~" + kept[-1] if len(kept) % 2 == 0 else "")
    return line if line.isascii() else _STRUCK.sub("", line)


def _undecorated(text: str) -> str:
    text = " ".join(text.split())
    if text[:1].isalnum():
        return text
    text = _BULLET.sub("", text)
    bold = _BOLD.match(text)
    return bold.group(2).strip() if bold else text


def one_line(text: str, limit: int = _LIMIT) -> Harmless:
    """Return the text as one visible line, and no taller than a line."""
    if text.isascii():
        return plain(text, limit)
    line = plain(unicodedata.normalize("NFC", text).translate(_BLANKS), limit)
    if line.isascii():
        return line  # marks are none of these
    kept = ""
    for is_mark, run in groupby(line, _is_mark):
        chars = "".join(run)
        # Marks with no letter before them would sit on whatever felix writes there.
        kept += chars[: _MARKS if kept else 0] if is_mark else chars
    return Harmless(kept.strip())


def _is_mark(char: str) -> bool:
    return unicodedata.combining(char) != 0 or unicodedata.category(char) in ("Mn", "Me")


def unlinked(text: str) -> str:
    """Return the text without what a mail program would make a link of: people get names unasked.

    >>> unlinked("Win https://evil.example/x now"), unlinked("www.evil.example"), unlinked("J.R. in St. Ives")
    ('Win evil example/x now', 'www evil example', 'J.R. in St. Ives')
    """
    words = text.split()
    if "".join(words).isalnum():
        return " ".join(words)  # as most names
    return " ".join(_DOT.sub(" ", _SCHEME.sub(" ", text)).split())


def _shows(char: str) -> bool:
    """Letters, digits, signs and marks; no controls, formats (bidi, zero width), surrogates, unassigned."""
    return unicodedata.category(char)[0] != "C"
