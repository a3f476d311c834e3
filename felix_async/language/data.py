"""Which language felix writes and reads: a folder of `language/`, or one that somebody tries out.

A language is a folder of data files. They are read once, while the modules that need them are imported.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

VARIABLE: Final = "FELIX_LANGUAGE"
"""The environment's name of a language: of a folder of `language/`, or the path of another folder."""
DEFAULT: Final = "en"
TABLES: Final = (
    "orders.toml",
    "answers.toml",
    "events.toml",
    "glance.toml",
    "lobby.toml",
    "mails.toml",
    "meaning.toml",
    "moments.toml",
    "page.toml",
    "people.toml",
    "play.toml",
    "questions.toml",
    "replay.toml",
    "result.toml",
    "stepper.toml",
    "table.toml",
)
"""The tables that each language has."""
RULES_FILE: Final = "rules.txt"


class LanguageError(Exception):
    """The words of a language cannot be read; the message is one sentence for an operator."""


@cache
def folder() -> Traversable:
    """Return the folder of the language that this process speaks. Raises LanguageError if there is none."""
    return folder_of(os.environ.get(VARIABLE) or DEFAULT)


def folder_of(name: str) -> Traversable:
    """Return the folder of a language, by its name or by a path. Raises LanguageError if there is none."""
    if name in languages():
        return _words().joinpath(name)
    path = Path(name).expanduser()
    if (path / TABLES[0]).is_file():
        return path
    known = ", ".join(languages())
    raise LanguageError(
        f"There is no language {name!r} here; set {VARIABLE} to one of these: {known}; or to a folder."
    )


def languages() -> list[str]:
    """Return the languages that come with felix."""
    return sorted(entry.name for entry in _words().iterdir() if entry.joinpath(TABLES[0]).is_file())


@cache
def table(file: str) -> Mapping[str, Any]:
    """Return a table of the language in use; it has every key that the English one has, or LanguageError."""
    words = read_table(folder(), file)
    if folder() != folder_of(DEFAULT):
        lacking = sorted(set(keys_of(read_table(folder_of(DEFAULT), file))) - set(keys_of(words)))
        if lacking:
            raise LanguageError(f"{folder()}/{file} lacks words that felix needs: {', '.join(lacking)}.")
    return words


def in_every_language(file: str) -> Mapping[str, Any]:
    """Return a table that is the same whatever language felix speaks."""
    return read_table(_words(), file)


def read_table(language: Traversable, file: str) -> dict[str, Any]:
    """Return a table of a language's folder. Raises LanguageError."""
    try:
        return tomllib.loads(read_text(language, file))
    except tomllib.TOMLDecodeError as error:
        raise LanguageError(f"{language}/{file} is not TOML: {error}.") from None


def read_text(language: Traversable, file: str) -> str:
    """Return a file of a language's folder. Raises LanguageError."""
    try:
        return language.joinpath(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise LanguageError(f"{language}/{file} is not there, or no UTF-8 text.") from None


def keys_of(words: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Yield the full names of a table's entries: `refusals.game/over`."""
    for key, value in words.items():
        if isinstance(value, Mapping):
            yield from keys_of(value, f"{before}{key}.")
        else:
            yield f"{before}{key}"


def any_of(phrases: Iterable[str]) -> str:
    """Return a regular expression for any of these, the longest that fits."""
    longest_first = sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))
    return f"(?:{'|'.join(map(re.escape, longest_first))})"


def _words() -> Traversable:
    return files("felix_async.language")
