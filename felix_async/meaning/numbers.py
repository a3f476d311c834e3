"""Numbers in a text: in figures, in words, with signs, as roman figures, and counted in pictures of mice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.text import Text

_ROMAN: Final = re.compile(r"(?=[IVX]{2,5}$)X{0,2}(?:IX|IV|V?I{0,3})$")
_DIGITS: Final = {"I": 1, "V": 5, "X": 10}
_TENS: Final = range(20, 100, 10)


@dataclass(frozen=True, slots=True)
class Number:
    """A number and its span; `sign` is what was written or said before it, and `value` has it in it."""

    start: int
    end: int
    value: int
    sign: Literal["", "+", "-"] = ""


def number_at(text: Text, at: int) -> Number | None:
    """Return the number that begins at a position."""
    token = text.tokens[at]
    if token.kind == "emoji":
        return _counted(text, at)
    sign = _sign(text, at)
    if sign:
        behind = at + 1
        while behind < min(at + 5, len(text.tokens)) and text.tokens[behind].word in "….":
            behind += 1
        is_number = behind < len(text.tokens) and text.tokens[behind].value is not None
        number = number_at(text, behind) if is_number else None
        if number is None or number.sign or text.tokens[at].line != text.tokens[behind].line:
            return None
        return Number(at, number.end, -number.value if sign == "-" else number.value, sign)
    if token.value is None:
        return _roman(text, at)
    if token.word in words("numbered", "one") and not _counts(text, at):
        return None
    following = text.tokens[at + 1 : at + 3]
    if token.kind == "word" and token.value in _TENS and following:
        more = following[-1] if following[0].word == "-" else following[0]
        if more.kind == "word" and more.value is not None and 0 < more.value < 10:
            return Number(at, text.tokens.index(more, at) + 1, token.value + more.value)
    if not token.sign and (
        signed := phrases("signs", "below", "above").at(text, at + 1) if following else None
    ):
        below = signed.key == "below"
        return Number(at, signed.end, -token.value if below else token.value, "-" if below else "+")
    return Number(at, at + 1, token.value, token.sign)


def _sign(text: Text, at: int) -> Literal["", "+", "-"]:
    word = text.tokens[at].word
    if word in words("signs", "minus"):
        return "-"
    return "+" if word in words("signs", "plus") else ""


def _counts(text: Text, at: int) -> bool:
    """Return True if `one` is a number here: it stands for others in `this one`, and before a noun."""
    clause = text.clauses[text.clause_of[at]]
    before = text.tokens[at - 1].word if at > clause.start else ""
    behind = text.tokens[at + 1].word if at + 1 < clause.end else ""
    fits = not behind or behind in words("numbered", "behind_one")
    return fits and (not before or before in words("numbered", "before_one"))


def _roman(text: Text, at: int) -> Number | None:
    raw = text.tokens[at].raw
    clause = text.clauses[text.clause_of[at]] if text.clause_of[at] >= 0 else None
    if clause is None or clause.end - clause.start > 2 or not _ROMAN.match(raw):
        return None
    digits = [_DIGITS[letter] for letter in raw]
    pairs = zip(digits, [*digits[1:], 0], strict=True)
    return Number(at, at + 1, sum(-digit if digit < after else digit for digit, after in pairs))


def _counted(text: Text, at: int) -> Number | None:
    mice = words("pictures", "mouse")
    if text.tokens[at].word not in mice or (at and text.tokens[at - 1].word in mice):
        return None
    end = at
    while end < len(text.tokens) and text.tokens[end].word in mice:
        end += 1
    return Number(at, end, end - at) if end - at > 1 else None
