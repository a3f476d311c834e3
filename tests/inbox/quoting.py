"""What mail programs make of a letter that they quote, beyond a sign before each line."""

from __future__ import annotations

import re
from collections.abc import Iterator


def broken(text: str, columns: int, *, blank: str = ">", counted: str = "letters") -> str:
    """A text as a program quotes it that breaks lines behind its signs: only first pieces have one."""
    return "\n".join(
        piece
        for line in text.splitlines()
        for piece in (pieces(f"> {line}", columns, counted) if line else [blank])
    )


def pieces(line: str, columns: int, counted: str) -> Iterator[str]:
    """The pieces of a line; the blanks between two are dropped."""
    piece = ""
    for word in re.findall(r"\s*\S+", line):
        if piece and size(piece + word, counted) > columns:
            yield piece
            word = word.lstrip()
            piece = word
        else:
            piece += word
    yield piece


def size(text: str, counted: str) -> int:
    return len(text.encode()) if counted == "bytes" else len(text)
