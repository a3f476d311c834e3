"""The words and phrases of `meaning.toml`, made ready once, when they are first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from felix_async.language.data import table
from felix_async.meaning.phrases import Phrases
from felix_async.meaning.tokens import reads_as


@cache
def words(section: str, key: str) -> frozenset[str]:
    """Return the words of a list, as they read."""
    listed: list[str] = _section(section)[key]
    return frozenset(read for word in listed for read in (reads_as(word) if " " not in word else (word,)))


@cache
def phrases(section: str, *keys: str) -> Phrases:
    """Return the phrases of a section, or of some of its lists."""
    entries = _section(section)
    return Phrases({key: [_spelled_out(phrase) for phrase in entries[key]] for key in keys or entries})


def _spelled_out(phrase: str) -> str:
    """A phrase with the words of each class (`<it>`) in its place."""
    if "<" not in phrase:
        return phrase
    for name, members in _section("classes").items():
        phrase = phrase.replace(f"<{name}>", members)
    return phrase


def _section(section: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = table("meaning.toml")[section]
    return found
