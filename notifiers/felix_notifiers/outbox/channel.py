"""A channel for letters, and the results of one try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from felix_async.deliverability import Failure
from felix_events.store.rows import Letter

About = Literal["mailbox", "provider", "silence", "server"]
"""The extent of a failure for now: one mailbox, all of its domain, whoever kept us waiting, everybody."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The next server has the letter and is answerable for it."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class TryAgain:
    """Not now; `text` is what the other side said, or what is wrong with our own side."""

    text: str
    about: About = "mailbox"


@dataclass(frozen=True, slots=True)
class Refused:
    """Never; `text` is what the other side said, `failure` what that says of the address."""

    text: str
    failure: Failure | None = None


Result = Sent | TryAgain | Refused


class Channel(Protocol):
    """Takes letters, one at a time, and never raises because of the other side."""

    def send(self, letter: Letter) -> Result:
        """Try to send a letter, its bytes as they are."""
        ...

    def close(self) -> None:
        """The burst is over: let go of connections."""
        ...
