"""A second opinion on which lines of a mail are new: that of mail-parser-reply.

It knows sign-offs and attributions of fifteen languages by their words, where our own rules look at forms.
It is asked about the beginning of a mail only, and about short lines: its patterns are no match for hostile
text of any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.language.grammar import clean

MAX_LINES: Final = 60
MAX_CHARS: Final = 200
"""How much is shown to it: so many lines, and so much of each."""


def dropped_lines(lines: Sequence[str]) -> list[int]:
    """The numbers of the lines that it takes for somebody else's, of those that say something.

    Lines beyond the first ones are not shown to it; they count as dropped.
    """
    shown = [clean(line)[:MAX_CHARS] for line in lines[:MAX_LINES]]
    kept = _kept("\n".join(shown)) if sum(map(bool, shown)) > 1 else shown
    dropped: list[int] = []
    position = 0
    for number, line in enumerate(shown):
        if not line:
            continue
        try:
            position = kept.index(line, position) + 1
        except ValueError:
            dropped.append(number)
    return dropped + [number for number in range(MAX_LINES, len(lines)) if lines[number].strip()]


def _kept(text: str) -> list[str]:
    # Imported late: what compiles its patterns needs it, and `felix --help` does not.
    from mailparser_reply import EmailReplyParser
    from mailparser_reply.constants import MAIL_LANGUAGES

    message = EmailReplyParser(languages=list(MAIL_LANGUAGES)).read(text)
    return [line.strip() for line in message.replies[0].body.split("\n")] if message.replies else []
