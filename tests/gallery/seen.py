"""A mail as programs show it that do not keep to what it says: in inverted colours, or without its styles."""

from __future__ import annotations

import re
from typing import Final, Literal

from gallery.looks import Scheme

Manner = Literal["light", "dark", "inverted", "stripped"]
MANNERS: Final[tuple[Manner, ...]] = ("light", "dark", "inverted", "stripped")
_INVERTING: Final = "<style>html{background:#fff;filter:invert(1) hue-rotate(180deg)}</style></head>"
_SHEETS: Final = re.compile(r"<style>.*?</style>", re.DOTALL)
_STYLES: Final = re.compile(r' (?:style|class)="[^"]*"')


def as_shown(html: str, manner: Manner) -> str:
    """The mail as it comes to eyes; what is `inverted` is so by the program, which knows of no dark mode."""
    if manner == "inverted":
        return html.replace("</head>", _INVERTING)
    return _STYLES.sub("", _SHEETS.sub("", html)) if manner == "stripped" else html


def scheme_of(manner: Manner) -> Scheme:
    """The colour scheme that a program has which shows it so."""
    return "dark" if manner == "dark" else "light"
