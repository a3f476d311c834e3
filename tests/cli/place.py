"""A place at a table of `play` without a terminal: somebody with a list of answers, and paper to write on."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_of
from felix_async.service import Service
from felix_cli.play.sitting import Sitting
from felix_cli.play.table import Table
from felix_events.store.base import Store
from games import SeededEntropy, SteppingClock

Read = Callable[[str], str]


class Place:
    """A place at a table in a database of its own, and all that was written there."""

    def __init__(self, store: Store, *, players: int = 4, seed: str = "a") -> None:
        self.store = store
        self.service = Service(SteppingClock(), SeededEntropy(seed))
        self.table = Table.opened(
            store, self.service, name="Mia", players=players, ruleset="felicity-2017", seeded=True
        )
        self.paper = io.StringIO()

    @property
    def text(self) -> str:
        """What was written."""
        return self.paper.getvalue()

    def sit(self, read: Read, width: int = 80) -> None:
        """Play with these answers; EOFError when they end."""
        Sitting(self.table, Console(file=self.paper, width=width), read).play()

    def say(self, *lines: str) -> str:
        """Say these lines and leave; what was written meanwhile."""
        said, begun = iter(lines), len(self.text)

        def read(_prompt: str) -> str:
            line = next(said, None)
            if line is None:
                raise EOFError
            return line

        with pytest.raises(EOFError):
            self.sit(read)
        return " ".join(self.text[begun:].split())

    def advised(self, _prompt: str) -> str:
        """Ask for a hint, and do that."""
        order, _ = self.table.hint()
        return order

    def is_sound(self) -> bool:
        """Return True if the audit finds nothing."""
        with self.store.read() as reader:
            evidence = evidence_of(reader, self.table.game_id)
        assert evidence is not None
        return audit(evidence).sound
