"""Letters that are written beside the store: what was read for them, and what is to be written down at once.

A letter takes ten times as long to write as to keep. So it is written from a view of the store that holds
nobody up, and kept in a short transaction that first asks all the same questions again: if one is answered
in another way now, the draft is thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from felix_async.follow_up.notice import Notice
from felix_events.store.base import Reader
from felix_events.store.rows import Letter
from felix_notifiers.mails.letters import Written

Question = tuple[str, tuple[Any, ...], tuple[tuple[str, Any], ...]]


class Asked:
    """Asks a reader, each question once, and remembers the answers."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._answers: dict[Question, Any] = {}

    @property
    def reader(self) -> Reader:
        """What letters are written from."""
        return cast("Reader", self)

    def still_holds(self, reader: Reader) -> bool:
        """Whether all the answers are the same now."""
        return all(
            getattr(reader, name)(*args, **dict(named)) == answer
            for (name, args, named), answer in self._answers.items()
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(*args: Any, **named: Any) -> Any:
            question = (name, args, tuple(named.items()))
            if question not in self._answers:
                self._answers[question] = getattr(self._reader, name)(*args, **named)
            return self._answers[question]

        return ask


@dataclass(frozen=True, slots=True)
class Settlement:
    """Notices that are dealt with together: the fresh ones are in the letter, if there is one, and the others
    came to nothing.
    """

    notices: Sequence[Notice]
    fresh: Sequence[Notice] = ()
    written: Written | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A letter that was frozen just now. It goes at once, unless it `may_wait` for a better hour, or nobody
    wants it: then what becomes of it is to be found out.
    """

    letter: Letter
    may_wait: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """What a game owes, written; `is_all` is False if there will be more to write once this is kept.

    `in_trouble` says that the game cannot be read, and that nothing but that is told.
    """

    game_id: str
    asked: Asked = field(repr=False)
    settlements: Sequence[Settlement] = ()
    is_all: bool = True
    in_trouble: bool = False
