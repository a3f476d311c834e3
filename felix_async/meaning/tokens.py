"""The words, numbers and marks of a text, each as it was written and as it reads.

A word reads in small letters, spelled out: `I'll` is the two words `i will`, and `pls` is `please`. A
number is written in figures (`8`, `-8`, `−8`, `8️⃣`); number words are words, and their tokens have the
value, too. What is written in figures and is no whole number (a time, a price, a date, a decimal) is a
`figure` and has no value.

>>> [token.word for token in tokens_of("I'll bid 7, pls!", 0)]
['i', 'will', 'bid', '7', ',', 'please', '!']
>>> [(token.word, token.kind, token.value) for token in tokens_of("minus eight at 7:30", 0)]
[('minus', 'word', None), ('eight', 'word', 8), ('at', 'word', None), ('7:30', 'figure', None)]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

from felix_async.language.data import table
from felix_async.language.words import NUMBER_WORDS

Kind = Literal["word", "number", "figure", "emoji", "mark"]


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, emoji or mark.

    `word` is how it reads and `raw` how it was written; `start` and `end` are the columns of `raw` in its
    line. The words of one spelling (`I'll`) share `raw`. `sign` is what stands right before the figures,
    and `value` has it in it. `capital` is True if the first letter is a capital and the others are not.
    """

    word: str
    raw: str
    kind: Kind
    line: int
    start: int
    end: int
    value: int | None = None
    sign: Literal["", "+", "-"] = ""
    capital: bool = False


_TYPED: Final = {
    **dict.fromkeys(map(ord, "‘’‛ʼ´`"), "'"),
    **dict.fromkeys(map(ord, "“”„‟«»"), '"'),
    **dict.fromkeys(map(ord, "−‐‑‒"), "-"),
    **dict.fromkeys(map(ord, "–—"), "—"),
}
_ODD: Final = "\ufffd"
"""In place of figures that are none in a line: raised, in a circle, a half."""
_ODD_FIGURES: Final = re.compile(
    "[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u218f\u2460-\u249b\u24ea-\u24ff\u2776-\u2793"
    "\u3220-\u3229\u3248-\u324f\u3251-\u325f\u3280-\u3289\u32b1-\u32bf]"
)
_SKINS: Final = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_KEYCAP: Final = "\ufe0f\u20e3"
_KEYCAPS: Final = re.compile("(?<=[0-9])\ufe0f?\u20e3(?=[0-9]\ufe0f?\u20e3)")
"""Between two figures in boxes that are one number."""
_FIGURES: Final = re.compile(
    r"""
      (?P<other> (?:£|€|\$|¥)[ ]?\d[\d.,]* k?                        # a price
        | \d{1,2} [:h.] \d{2} (?![\d.]) (?:[ ]?[ap]m\b | h\b )?      # a time, or 5.38
        | \d+ : \d+ (?: : \d+ )?                                   # a score
        | \d+ (?: [.,/] \d+ )+ \.?                                 # a decimal, a date, a part
        | 0x [\da-f]+
        | \d+[ ]?(?: % | °[ ]?[cf]? | €|£|\$ )
        | \d+[ ]?(?: am | pm ) \b
        | \d+ (?: st | nd | rd | th ) \b                           # an ordinal
        | \d+ (?: min | mins | h | hrs | hr | km | kg | g | cm | mm | m | ml | l | k | gb | mb | s | x ) \b
        | (?<!\d) \d{1,4} (?:[ ]?[-][ ]?\d+ )+                         # a range, a telephone
      )
    | (?P<number> [+-]? \d+ ) (?: er\b )? (?![\d])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SPACED: Final = re.compile(r"[-—] ?(\d{1,3})(?![\d:.,]\d)")
"""A dash of any kind with a blank behind it is a minus where nothing stands before it."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*'?")
_ASCII_FACE: Final = re.compile(
    r"[:;xX][-']?[)(DPpOo3|/\\]+(?!\w)|<3|\^_?\^|:'\(|[xX]{2,}(?!\w)|\b[xX]{1,4}$"
)
_SHORTEST_SLIP: Final = 3
_FACES_BEGIN: Final = ":;xX<^"
_REPEATED: Final = re.compile(r"([^\W\d_])\1{2,}")


def tokens_of(text: str, line: int) -> Iterator[Token]:
    """Yield the tokens of one line, in order."""
    text = typed(text)
    at, length = 0, len(text)
    while at < length:
        char = text[at]
        if char.isspace():
            at += 1
            continue
        if char.isdecimal() or char in "+-—£€$¥":
            found = _figures(text, at)
            if found is not None:
                end, kind, value, sign = found
                raw = text[at:end]
                yield Token(raw.casefold(), raw, kind, line, at, end, value, sign)
                at = end
                continue
        begins = char in _FACES_BEGIN and (at == 0 or not text[at - 1].isalnum())
        if begins and (face := _ASCII_FACE.match(text, at)):
            yield Token(face[0], face[0], "emoji", line, at, face.end())
            at = face.end()
            continue
        if word := _WORD.match(text, at):
            yield from _words(word[0], line, at, word.end())
            at = word.end()
            continue
        category = unicodedata.category(char)
        if category[0] not in "MC" and char not in _SKINS:
            is_picture = category == "So" and char != _ODD
            yield Token(char, char, "emoji" if is_picture else "mark", line, at, at + 1)
        at += 1


def reads_as(word: str) -> tuple[str, ...]:
    """Return the words that a word in small letters is read as."""
    return _spellings().get(word) or (word,)


def typed(text: str) -> str:
    """The text with plain quotes and signs; figures in a box are figures, and a ten in a box is 10."""
    if text.isascii():
        return text
    text = _KEYCAPS.sub("", text).replace(_KEYCAP, " ").replace("\u20e3", " ").replace("\U0001f51f", " 10 ")
    return unicodedata.normalize("NFKC", _ODD_FIGURES.sub(_ODD, text)).translate(_TYPED)


def _figures(text: str, at: int) -> tuple[int, Kind, int | None, Literal["", "+", "-"]] | None:
    found = _FIGURES.match(text, at)
    before = text[at - 1] if at else " "
    if found is None:
        spaced = _SPACED.match(text, at)
        if spaced and not text[:at].strip():
            return spaced.end(), "number", -int(spaced[1]), "-"
        return None
    if found["other"]:
        return found.end(), "figure", None, ""
    figures = found["number"]
    if figures[0] in "+-" and before.isalnum():
        return None  # `round-8`: the dash is none of the number's
    end = found.end()
    if end < len(text) and (text[end].isalpha() or text[end] == _ODD):
        return _end_of_word(text, end), "figure", None, ""
    if len(figures) > 5:
        return end, "figure", None, ""
    return end, "number", int(figures), "+" if figures[0] == "+" else "-" if figures[0] == "-" else ""


def _end_of_word(text: str, at: int) -> int:
    while at < len(text) and (text[at].isalnum() or text[at] == _ODD):
        at += 1
    return at


def _words(raw: str, line: int, start: int, end: int) -> Iterator[Token]:
    is_capital = raw[:1].isupper() and not raw[1:].isupper()
    for word in _spelled_out(raw.casefold()):
        yield Token(word, raw, "word", line, start, end, _numbers().get(word), "", is_capital)


@lru_cache(maxsize=4096)
def _spelled_out(small: str) -> tuple[str, ...]:
    """The words that one in small letters reads as, however it is spelled."""
    if small in _spellings():
        return _spellings()[small]
    short = _REPEATED.sub(r"\1", small)
    if short != small:
        double = _REPEATED.sub(r"\1\1", small)
        return _spellings().get(short) or (double if double in _no_slips() else short,)
    stem = small.removesuffix("'s")
    if stem != small and stem in _named():
        return stem, reads_as("is")[0]
    return (_meant_by(small) or small,)


def _meant_by(slip: str) -> str | None:
    """The word that this is with a letter too many or too few, or two changed; None if it is none."""
    if len(slip) < _SHORTEST_SLIP or slip in _no_slips():
        return None
    found = [right for right in _slips_of().get(slip[0], ()) if _is_slip(slip, right)]
    return found[0] if len(found) == 1 else None


def _is_slip(word: str, right: str) -> bool:
    if word == right or abs(len(word) - len(right)) > 1:
        return False
    at = next((at for at, (one, other) in enumerate(zip(word, right, strict=False)) if one != other), None)
    if len(word) == len(right):
        assert at is not None
        return word[at : at + 2] == right[at : at + 2][::-1] and word[at + 2 :] == right[at + 2 :]
    longer, shorter = (word, right) if len(word) > len(right) else (right, word)
    at = len(shorter) if at is None else at
    return longer[at + 1 :] == shorter[at:]


@cache
def _slips_of() -> Mapping[str, Sequence[str]]:
    """The words that slips are known of, by their first letters."""
    listed: list[str] = table("meaning.toml")["slips_of"]
    found: dict[str, list[str]] = {}
    for word in dict.fromkeys([*listed, *(word for word in _numbers() if len(word) > _SHORTEST_SLIP)]):
        found.setdefault(word[0], []).append(word)
    return found


@cache
def _named() -> frozenset[str]:
    """What `'s` may stand behind for `is`: numbers, and what cards are called."""
    return frozenset(
        (*_numbers(), *table("meaning.toml")["slips_of"], *table("meaning.toml")["cards"]["dog"])
    )


@cache
def _no_slips() -> frozenset[str]:
    return frozenset((*table("meaning.toml")["no_slips"], *_numbers(), *table("meaning.toml")["slips_of"]))


@cache
def _spellings() -> Mapping[str, tuple[str, ...]]:
    entries: list[list[str]] = table("meaning.toml")["spellings"]
    return {spelling: tuple(entry[0].split()) for entry in entries for spelling in entry[1:]}


@cache
def _numbers() -> Mapping[str, int]:
    more: Mapping[str, list[str]] = table("meaning.toml")["numbers"]
    return {
        **{word: value for value, word in enumerate(NUMBER_WORDS)},
        **{word: int(value) for value, words in more.items() for word in words},
    }
