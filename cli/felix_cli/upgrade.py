"""An older database that a command opens to write: brought up to date, and the operator sees how."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final

import click

from felix_cli.claim import is_served
from felix_cli.output import EXIT_PROBLEM, say
from felix_events.store.base import StoreError
from felix_events.store.sqlite import SqliteStore

LINE_SECONDS: Final = 30.0
"""Between two lines that say how far it is."""


class Telling:
    """Sentences, and a bar if stderr is a terminal, else a line now and then. Use it as a context manager."""

    def __init__(self, tell: Callable[[str], None] = say, note: Callable[[str], None] = say) -> None:
        self._tell = tell
        self._note = note
        self._stack = ExitStack()
        self._show: Callable[[str, int, int], None] | None = None

    def __enter__(self) -> Telling:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        if kind is KeyboardInterrupt and self._show is not None:
            self._tell("Stopped. What was moved stays moved; run the same command again to go on.")
            raise click.exceptions.Exit(EXIT_PROBLEM)

    def say(self, sentence: str) -> None:
        self._tell(sentence)

    def step(self, what: str, done: int, total: int) -> None:
        if self._show is None:
            self._show = self._bar() if sys.stderr.isatty() else self._lines()
        self._show(what, done, total)

    def _bar(self) -> Callable[[str, int, int], None]:
        from rich.console import Console
        from rich.progress import Progress

        bars = self._stack.enter_context(Progress(console=Console(stderr=True), transient=True))
        bar = bars.add_task("")
        return lambda what, done, total: bars.update(
            bar, description=what, completed=done, total=total or None
        )

    def _lines(self) -> Callable[[str, int, int], None]:
        last = time.monotonic()

        def show(what: str, done: int, total: int) -> None:
            nonlocal last
            if time.monotonic() - last >= LINE_SECONDS:
                last = time.monotonic()
                self._note(f"{what}: {100 * done // total} %" if total else f"{what} goes on")

        return show


def open_to_write(path: Path, *, create: bool = False) -> SqliteStore:
    """Open a database to write, and bring it up to date; StoreError while an older felix serves it."""
    if is_served(path) and path.is_file() and not SqliteStore.is_up_to_date(path):
        raise StoreError(
            f"A felix server of an older version works on {path}; stop it, and then do this once more."
        )
    with Telling() as telling:
        return SqliteStore.create(path, telling) if create else SqliteStore.open_to_write(path, telling)
