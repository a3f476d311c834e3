"""A language that nobody speaks: English with every letter changed, so that words in the code show."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from felix_async.language import data as language

_PLAIN: Final = "abcdefghijklmnopqrstuvwxyz"
_TWINS: Final = "áḃćďéḟğĥíĵķĺṁńóṕɋŕśťúṽŵẋýź"
_ACCENTED: Final = str.maketrans(_PLAIN + _PLAIN.upper(), _TWINS + _TWINS.upper())
SPOKEN: Final = "eo"
"""A language with two forms for numbers, as English has them."""
_KEPT: Final = re.compile(r"\{[a-z_]+|`[^`]*`")
"""What is no word of ours: the name of what is filled in, and a command."""


def accented(text: str) -> str:
    """A text with every letter changed; places to fill in stay, and their forms are changed like the rest."""
    kept = _KEPT.findall(text)
    changed = [part.translate(_ACCENTED) for part in _KEPT.split(text)]
    return "".join(part + name for part, name in zip(changed, [*kept, ""], strict=True))


def write_language(folder: Path) -> Path:
    """The language in a folder."""
    english = language.folder_of(language.DEFAULT)
    folder.mkdir()
    for file in language.TABLES:
        words = tomllib.loads(language.read_text(english, file))
        lines = [
            f'language = "{SPOKEN}"' if line.startswith('"language"') else line for line in _lines(words)
        ]
        (folder / file).write_text("\n".join(lines), "utf-8")
    rules = accented(language.read_text(english, language.RULES_FILE))
    (folder / language.RULES_FILE).write_text(rules, "utf-8")
    return folder


def _lines(words: Mapping[str, Any], name: str = "") -> list[str]:
    lines = [f"[{name}]"] if name else []
    tables = {key: value for key, value in words.items() if isinstance(value, Mapping)}
    lines += [f"{json.dumps(key)} = {_value(value)}" for key, value in words.items() if key not in tables]
    for key, value in tables.items():
        lines += _lines(value, f"{name}.{json.dumps(key)}" if name else json.dumps(key))
    return lines


def _value(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(accented(value), ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {_value(of)}' for key, of in value.items())}}}"
    return json.dumps(value)
