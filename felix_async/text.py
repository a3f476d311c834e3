"""Strangers' text made harmless: for a terminal, a log line, a mail, a header.

>>> plain("Anna\\r\\nBcc: x\\x1b[31m")
'Anna Bcc: x[31m'
"""

from __future__ import annotations

import unicodedata

_LIMIT = 200


def plain(text: str, limit: int = _LIMIT) -> str:
    """One line without control characters, invisible marks and changes of direction, at most `limit` long."""
    if not text.isprintable():
        text = "".join(" " if char.isspace() else char for char in text if char.isspace() or _shows(char))
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _shows(char: str) -> bool:
    """Letters, digits, signs and marks; no controls, formats (bidi, zero width), surrogates, unassigned."""
    return unicodedata.category(char)[0] != "C"
