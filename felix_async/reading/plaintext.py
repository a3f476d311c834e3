"""From a plain text to its lines, with the paragraphs of format=flowed put together again (RFC 3676)."""

from __future__ import annotations

import re

from felix_async.reading.line import MAX_LINES, Line

_ENDS = re.compile(r"\r*\n")


def split_lines(text: str) -> list[str]:
    """The lines of a text; CR alone ends a line only where nothing else does.

    Form feeds and the like end none: half of a quoted line would stand there unquoted.

    >>> split_lines("a\\r\\r\\nb\\n\\nc")
    ['a', 'b', '', 'c']
    """
    if "\n" in text:
        return _ENDS.sub("\n", text).split("\n")
    return text.split("\r")


def plain_lines(text: str, *, flowed: bool = False, delsp: bool = False) -> list[Line]:
    """The lines of a plain text, not yet told apart."""
    lines = split_lines(text.removeprefix("\ufeff"))[:MAX_LINES]
    return [Line(line) for line in (unflow(lines, delsp=delsp) if flowed else lines)]


def unflow(lines: list[str], *, delsp: bool = False) -> list[str]:
    """Flowed lines as paragraphs; quotes keep their depth, and a signature's line stays alone.

    >>> unflow(["BID ", "5", "> one ", "> two", "-- ", " stuffed"])
    ['BID 5', '> one two', '-- ', 'stuffed']
    """
    paragraphs: list[list[str]] = []
    open_depth: int | None = None
    for line in lines:
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        is_sign = content == "-- "
        if open_depth != depth or is_sign:
            paragraphs.append([">" * depth + " " * bool(depth)])
        flows = content.endswith(" ") and not is_sign
        paragraphs[-1].append(content[:-1] if flows and delsp else content)
        open_depth = depth if flows else None
    return ["".join(paragraph) for paragraph in paragraphs]
