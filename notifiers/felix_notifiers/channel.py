"""A way out for letters, and what may come of one try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from felix_events.store.base import Letter


@dataclass(frozen=True, slots=True)
class Sent:
    """The next server has the letter and is answerable for it."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class TryAgain:
    """Not now; `text` is what the other side said."""

    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Never; `text` is what the other side said."""

    text: str


Result = Sent | TryAgain | Refused


class Channel(Protocol):
    """Takes letters, one at a time, and never raises because of the other side."""

    def send(self, letter: Letter) -> Result:
        """Try to send a letter, its bytes as they are."""
        ...

    def close(self) -> None:
        """The burst is over: let go of connections."""
        ...
