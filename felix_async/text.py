"""Strangers' text made harmless: for a terminal, a log line, a mail, a header.

>>> plain("Anna\\r\\nBcc: x\\x1b[31m")
'Anna Bcc: x[31m'
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LIMIT = 200
_SCHEME: Final = re.compile(
    r"\b(?:[a-z][a-z0-9+.-]{1,20}:(?=//)|(?:mailto|tel|sms|javascript|data):(?=\S))|//+", re.I
)
_DOT: Final = re.compile(r"(?<=\w)[.\u3002\uff0e\uff61](?=[^\W\d_]{2}|xn--)", re.I)
"""A full stop of whatever script before what may be the last part of a domain; `J.R.` and `3.5` have none."""


def plain(text: str, limit: int = _LIMIT) -> str:
    """One line without control characters, invisible marks and changes of direction, at most `limit` long."""
    kept = "".join(" " if char.isspace() else char for char in text if char.isspace() or _shows(char))
    line = " ".join(kept.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def unlinked(text: str) -> str:
    """The text without what a mail program would make a link of: names go to people who asked for none.

    >>> unlinked("Win https://evil.example/x now"), unlinked("www.evil.example"), unlinked("J.R. in St. Ives")
    ('Win evil example/x now', 'www evil example', 'J.R. in St. Ives')
    """
    return " ".join(_DOT.sub(" ", _SCHEME.sub(" ", text)).split())


def _shows(char: str) -> bool:
    """Letters, digits, signs and marks; no controls, formats (bidi, zero width), surrogates, unassigned."""
    return unicodedata.category(char)[0] != "C"
