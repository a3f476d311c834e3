"""A line of the list below a NEW, taken to pieces: friends, and options in plain words. Pure.

>>> items_of("1. Dora <dora@example.org>, Emil emil@example.org")
['Dora <dora@example.org>', 'Emil emil@example.org']
>>> items_of("players: dora@example.org emil@example.org")
['dora@example.org', 'emil@example.org']
>>> ruleset_in("the rules of 2007"), table_name_in("Table name: Friday cats")
('felix-2007', 'Friday cats')
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from felix_async.language.words import (
    AND,
    AROUND_RULES,
    ME,
    PLAYERS_OPTION,
    PLEASE,
    RULES_OPTION,
    RULESET_WORDS,
    TABLE_OPTION,
    WITH,
)
from felix_async.people import name_of
from felix_events.model import Ruleset


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_ITEMS: Final = re.compile(r'(?:"[^"]*"|[^,;])+')
_NUMBERED: Final = re.compile(r"\(?\d{1,2}[.)]\s+")
_LABEL: Final = re.compile(
    rf"(?:{_any(PLAYERS_OPTION)})\s*(?::|$)\s*|(?:{_any(WITH)})\s+(?=\S)", re.IGNORECASE
)
_TABLE: Final = re.compile(
    rf"(?:{_any(TABLE_OPTION)})(?:\s*[:=]\s*|\s+)(?P<name>.+)", re.IGNORECASE | re.DOTALL
)
_RULES: Final = re.compile(rf"\b(?:{_any(RULES_OPTION)})\b")
_AND: Final = re.compile(rf"\s+(?:{_any(AND)})\s+", re.IGNORECASE)
_FIRST_AND: Final = re.compile(rf"(?:{_any(AND)})\s+", re.IGNORECASE)
_PLEASE: Final = re.compile(rf",?\s+(?:{_any(PLEASE)})$", re.IGNORECASE)
_ANGLED: Final = re.compile(r"[^<>]*<[^<>]*>")
_YEAR: Final = re.compile(r"(?:[a-z]+[ -])?(?:19|20)\d\d")


def items_of(line: str) -> list[str]:
    """What a cleaned line lists: what stands between commas or semicolons, and between addresses."""
    line = unlabelled(line).rstrip(" .!")
    parts = [part.strip() for part in line.split(";") if part.strip()]
    if len(parts) > 1 and all(part.count("@") == 1 for part in parts):
        # `Smith, Dora <dora@example.org>; …`, as address books write it.
        return [_unnumbered(part) for part in parts]
    found = [item.strip() for item in _ITEMS.findall(line)]
    return [_unnumbered(piece) for item in found if item for piece in _addressed(item)]


def unlabelled(line: str) -> str:
    """A line without its number in the list, and without `players:` or the like before it."""
    line = _unnumbered(line.strip())
    found = _LABEL.match(line)
    return line if found is None else without_please(line[found.end() :])


def without_please(text: str) -> str:
    """A text without the `please` at its end."""
    return _PLEASE.sub("", text.rstrip(" .!"))


def is_labelled(line: str) -> bool:
    """Whether it says before them that players follow."""
    return _LABEL.match(_unnumbered(line.strip())) is not None


def parted(item: str) -> list[str]:
    """What stands before an `and` and behind it; one part where there is none."""
    return [part.strip() for part in _AND.split(item) if part.strip()]


def table_name_in(text: str) -> str | None:
    """What the table shall be called, where the text says so."""
    found = _TABLE.fullmatch(text)
    return name_of(found["name"]) or None if found is not None else None


def ruleset_in(text: str) -> Ruleset | None:
    """The rules that a text names, in whichever order, and nothing else."""
    words = [word for word in _words(text) if word not in RULES_OPTION and word not in AROUND_RULES]
    return RULESET_WORDS.get(" ".join(words))


def speaks_of_rules(text: str) -> bool:
    """Whether rules are meant, also where nobody knows which: `rules 2012`, `old rules`, `2012`."""
    words = _words(text)
    is_about = bool(words) and (words[0] in RULES_OPTION or words[-1] in RULES_OPTION)
    return "@" not in text and (is_about or _YEAR.fullmatch(" ".join(words)) is not None)


def is_me(text: str) -> bool:
    """Whether the host means themselves."""
    return text.strip().rstrip(".,!").lower() in ME


def _words(text: str) -> list[str]:
    small = _RULES.sub(RULES_OPTION[0], text.lower().rstrip(".,! "))
    return [word for word in re.split(r"[\s:=-]+", small) if word]


def _unnumbered(text: str) -> str:
    return _NUMBERED.sub("", text, count=1) if _NUMBERED.match(text) else text


def _addressed(item: str) -> list[str]:
    """The pieces of an item that holds several addresses, each with the name before it."""
    if item.count("@") < 2:
        return [item]
    if "<" in item:
        pieces = [piece.strip() for piece in _ANGLED.findall(item)]
        rest = _ANGLED.sub("", item).strip()
        pieces += [rest] if rest else []
    else:
        pieces, words = [], []
        for word in item.split():
            words.append(word)
            if "@" in word:
                pieces.append(" ".join(words))
                words = []
        pieces += [" ".join(words)] if words else []
    pieces = [_FIRST_AND.sub("", piece, count=1) if _FIRST_AND.match(piece) else piece for piece in pieces]
    # An address that is written twice names one person, and one with two names in it nobody.
    return pieces if all(piece.count("@") == 1 for piece in pieces) else [item]
