"""An older database that a command opens to write: brought up to date, and the operator sees how."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from felix_cli.claim import is_served
from felix_cli.output import say
from felix_events.store.base import StoreError
from felix_events.store.sqlite import SqliteStore


class Telling:
    """Sentences on stderr, and a bar where that is a terminal. Use it as a context manager."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._show: Callable[[str, int, int], None] | None = None

    def __enter__(self) -> Telling:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def say(self, sentence: str) -> None:
        say(sentence)

    def step(self, what: str, done: int, total: int) -> None:
        if self._show is None:
            self._show = self._bar() if sys.stderr.isatty() else _nothing
        self._show(what, done, total)

    def _bar(self) -> Callable[[str, int, int], None]:
        from rich.console import Console
        from rich.progress import Progress

        bars = self._stack.enter_context(Progress(console=Console(stderr=True), transient=True))
        bar = bars.add_task("")
        return lambda what, done, total: bars.update(
            bar, description=what, completed=done, total=total or None
        )


def _nothing(what: str, done: int, total: int) -> None:
    """A log is no place for a bar."""


def open_to_write(path: Path, *, create: bool = False) -> SqliteStore:
    """Open a database to write, and bring it up to date; StoreError while an older felix serves it."""
    if is_served(path) and path.is_file() and not SqliteStore.is_up_to_date(path):
        raise StoreError(
            f"A felix server of an older version works on {path}; stop it, and then do this once more."
        )
    with Telling() as telling:
        return SqliteStore.create(path, telling) if create else SqliteStore.open_to_write(path, telling)
