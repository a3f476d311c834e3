"""Sentences out of the folder of a language, by their keys, with what is to be filled in.

A placeholder is a name in braces, for a text, a number or a list; a name and forms of a word, as
in `{mice:mouse|mice}`, are for the form that goes with the number. Filled-in text is never looked at
again, so a player's name may have braces.

>>> phrase("events.bid_placed.other", who="{Ben}", mice=1)
'{Ben} bid 1 mouse.'
>>> phrase("events.round_started.filled.you", round=2, mice=["2", "4", "6"])
'Round 2: you start; the mouse cards hold 2, 4 and 6.'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from felix_async.language.data import LanguageError, table

Value = str | int | Sequence[str]
_FIELD: Final = re.compile(r"\{(?P<name>[a-z_]+)(?::(?P<forms>[^{}]*))?\}")
_ENDS: Final = (".", ":", "?")
_NUMBERS: Final = 200
"""Whole numbers below this take every form that a language has."""


def phrase(key: str, /, **values: Value) -> str:
    """Return the sentence of a key, filled in: `mails.frame.about` is in `[frame]` of `mails.toml`.

    A whole sentence begins with a capital if a former player comes first; names stay as they are written.
    Raises KeyError if there is no such sentence, or a value that it needs is not given.
    """
    sentence = _sentence(key)
    text = filled(sentence, **values)
    if sentence.startswith("{") and sentence.endswith(_ENDS) and text.startswith(_former()):
        return first_capital(text)
    return text


def filled(sentence: str, /, **values: Value) -> str:
    """Return a sentence with its placeholders filled in."""
    return "".join(
        text if name is None else _shown(values[name], forms) for text, name, forms in pieces_of(sentence)
    )


def placeholders(sentence: str) -> dict[str, int]:
    """Return the names of what a sentence needs, each with the number of forms that go with it, or 0."""
    needed: dict[str, int] = {}
    for _, name, forms in pieces_of(sentence):
        if name is not None:
            needed[name] = max(needed.get(name, 0), len(forms))
    return needed


@cache
def pieces_of(sentence: str) -> tuple[tuple[str, str | None, tuple[str, ...]], ...]:
    """Return a sentence in pieces: a text, or the name of what goes there and the forms that go with it."""
    pieces: list[tuple[str, str | None, tuple[str, ...]]] = []
    end = 0
    for found in _FIELD.finditer(sentence):
        forms = found["forms"]
        pieces.append((sentence[end : found.start()], None, ()))
        pieces.append(("", found["name"], () if forms is None else tuple(forms.split("|"))))
        end = found.end()
    return (*pieces, (sentence[end:], None, ()))


def joined(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    lists = table("events.toml")["lists"]
    if len(parts) < 2:
        return "".join(parts)
    return f"{lists['between'].join(parts[:-1])}{lists['last']}{parts[-1]}"


def first_capital(text: str) -> str:
    """The text with a capital in front; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def signed(number: int) -> str:
    """`12`, `−3`, with a true minus sign."""
    return f"−{-number}" if number < 0 else str(number)


def plus(number: int) -> str:
    """`+12`, `−3`, `0`: points that were gained or lost."""
    return f"+{number}" if number > 0 else signed(number)


@lru_cache(512)
def form_for(number: int, language: str) -> int:
    """Return which form of a word goes with a number in a language, from 0 on. Raises LanguageError.

    >>> [form_for(number, "pl") for number in (1, 2, 5, 13, 23)]
    [0, 1, 2, 2, 1]
    """
    plurals = _plurals(language)
    return plurals.index(form) if (form := _rule(language)(abs(number))) in plurals else len(plurals) - 1


def forms_in(language: str) -> int:
    """Return how many forms a word has in a language, as whole numbers need them."""
    return len(_plurals(language))


@cache
def _rule(language: str) -> Callable[[int], str]:
    if language == "en":
        # As the CLDR has it; to load that takes longer than to tell a game.
        return lambda number: "one" if number == 1 else "other"
    # Here, so that no command loads it that tells no number.
    from babel.core import Locale, UnknownLocaleError

    try:
        return Locale.parse(language, sep="-").plural_form
    except (UnknownLocaleError, ValueError):
        raise LanguageError(f"{language!r} in mails.toml is no language, as `en` or `pt-BR` is.") from None


@cache
def _plurals(language: str) -> tuple[str, ...]:
    """The names of the forms that numbers take (CLDR); above these many they begin anew."""
    taken = set(map(_rule(language), range(_NUMBERS)))
    return tuple(form for form in ("zero", "one", "two", "few", "many", "other") if form in taken)


@cache
def _sentence(key: str) -> str:
    file, *names = key.split(".")
    found: Any = table(f"{file}.toml")
    for name in names:
        found = found[name]
    if not isinstance(found, str):
        raise KeyError(f"{key} is no sentence")
    return found


@cache
def _former() -> str:
    """Return the name within a sentence of somebody who was forgotten."""
    former: str = table("events.toml")["words"]["former"]
    return former


def _shown(value: Value, forms: Sequence[str]) -> str:
    if isinstance(value, int):
        if not forms:
            return signed(value)
        return forms[min(form_for(value, table("mails.toml")["language"]), len(forms) - 1)]
    return value if isinstance(value, str) else joined(value)
