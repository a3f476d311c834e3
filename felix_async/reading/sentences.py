"""Orders that stand alone on their lines, and are yet a part of the sentence around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.language.grammar import changes, clean
from felix_async.reading.signs import is_greeting, tells_of_another
from felix_async.reading.verdicts import Understood

_ENDS: Final = (".", "!", "…", "?")


def within_sentences(said: Sequence[tuple[int, Understood]], paragraphs: Sequence[int]) -> set[int]:
    """Return the numbers of the lines that a sentence above may turn into something else, or a `?` below.

    Such a sentence goes on to the end of its line, and holds a negation, a condition or a question, or tells
    what somebody else wrote. `paragraphs` are those of the lines, by their numbers.
    """
    within: set[int] = set()
    is_open = False
    above = -1
    for number, line in said:
        goes_on = above >= 0 and number == above + 1 and paragraphs[number] == paragraphs[above]
        text = clean(line.text)
        is_open &= goes_on
        if is_open:
            within.add(number)
        if goes_on and text and not text.strip("?! "):
            within.add(above)
        is_own = line.place == "written" and line.verdict != "order"
        is_open = is_own and not _ends(text) and (is_open or changes(text) or tells_of_another(text))
        above = number
    return within


def _ends(text: str) -> bool:
    return is_greeting(text) or text.endswith(_ENDS)
