"""Lines below an order that may take it back, or put another one in its place, though they are no order.

`sorry, not 7 but 8` and `scratch that` are plain language, as are `sorry I'm late` and `how are the 3 kids?`:
a number counts only if a word of correction is beside it, and if it stands where a move may end.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from felix_async.language.grammar import Order, clean, moves_in
from felix_async.language.terminals import any_of, move_pattern
from felix_async.language.words import (
    AFTER_AN_ORDER,
    ANSWERS,
    BEFORE_AN_ORDER,
    CARD_WORDS,
    CONDITIONS,
    CORRECTIONS,
    DOG,
    KINDS,
    MICE,
    NUMBER_WORDS,
    WORD_OF,
)

_CORRECTING: Final = re.compile(rf"(?<![\w']){any_of(CORRECTIONS['words'])}(?![\w'])")
_MOVE: Final = re.compile(move_pattern())
_NAMES: Final = (*NUMBER_WORDS[2:], *(name for name, card in CARD_WORDS.items() if card == 0 or DOG in name))
"""Numbers and cards in letters; `one` and `big` say too many other things."""
_BEHIND: Final = any_of(
    (*AFTER_AN_ORDER, *CORRECTIONS["words"], *CORRECTIONS["behind"], *CONDITIONS, *MICE, *KINDS)
)
_ENDS: Final = rf"(?= ?(?:$|[;!?)\"']|[.,:](?!\d)|[-/] )| {_BEHIND}(?![\w']))"
_VALUE: Final = re.compile(
    rf"(?<![\w.,:/$€£#%+-])(?P<value>-?\d{{1,3}}|{any_of(_NAMES)}|{WORD_OF['PASS'].lower()}){_ENDS}"
)
_NOT_BEFORE: Final = re.compile(rf"(?<![\w']){any_of(CORRECTIONS['not_before'])} $")
_AROUND: Final = any_of((*BEFORE_AN_ORDER, *AFTER_AN_ORDER, *CORRECTIONS["words"], *CORRECTIONS["around"]))
_BACK: Final = (
    f"(?:{any_of(CORRECTIONS['verbs'])} {any_of(CORRECTIONS['things'])}|{any_of(CORRECTIONS['phrases'])})"
)
_TAKES_BACK: Final = re.compile(f"(?:{_AROUND} )*{_BACK}(?: {_AROUND})*")
_ALONE: Final = re.compile(f"(?:{_AROUND} )*{any_of(CORRECTIONS['alone'])}(?: {_AROUND})*")
_CLAUSES: Final = re.compile(r"[.,;:!?()]+ ?| -+ ")
_MOST_WORDS: Final = 8
"""A clause of more words than these says more than that something is taken back."""


def takes_back(line: str) -> bool:
    """Whether a line says that what stands above it is not to be done.

    >>> takes_back("oops, please scratch that!"), takes_back("Don't forget it is my turn to cook")
    (True, False)
    """
    small = clean(line).lower()
    clauses = [clause.strip() for clause in _CLAUSES.split(small) if clause.strip()]
    whole = " ".join(clauses)
    short = (clause for clause in clauses if len(clause.split()) <= _MOST_WORDS)
    if any(_TAKES_BACK.fullmatch(clause) for clause in short):
        return True
    return len(whole.split()) <= _MOST_WORDS and _ALONE.fullmatch(whole) is not None


def instead_of(line: str, given: Order | None, words: Collection[str]) -> tuple[Order, ...]:
    """The other answers to the decision of these words that a line below an order may put in its place.

    >>> [str(order) for order in instead_of("sorry, not 7 but 8", Order("BID", amount=7), ("BID", "PASS"))]
    ['BID 8']
    >>> instead_of("Sorry, 3 days late", Order("BID", amount=7), ("BID", "PASS"))
    ()
    """
    text = clean(line)
    small = text.lower()
    if len(small) != len(text):
        return ()
    named = _named(text, small, corrects=_CORRECTING.search(small) is not None, words=words)
    return tuple(dict.fromkeys(order for order in named if order.word in words and order != given))


def _named(text: str, small: str, *, corrects: bool, words: Collection[str]) -> Iterator[Order]:
    for move in _MOVE.finditer(small):
        if text[move.start() : move.end()].isupper() or (corrects and " " in move[0]):
            yield from moves_in(move[0])
    for word in ANSWERS:
        if re.search(rf"(?<![\w']){WORD_OF[word]}(?![\w'])", text) or (
            corrects and re.search(rf"(?<![\w']){WORD_OF[word].lower()}{_ENDS}", small)
        ):
            yield Order(word)
    bare = "PLAY" if "PLAY" in words else "BID"
    for value in _VALUE.finditer(small) if corrects else ():
        if _NOT_BEFORE.search(small, 0, value.start()) is None:
            is_pass = value[0] == WORD_OF["PASS"].lower()
            yield from moves_in(value[0] if is_pass else f"{WORD_OF[bare].lower()} {value[0]}")
