"""Delete old mail: a running server's job, and the command `mail prune`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from felix_async.clock import Clock, system_clock
from felix_async.schedule.retention import TOGETHER, Retention, Step, Table, drop
from felix_cli.output import counted, print_json
from felix_cli.upgrade import Telling, open_to_write
from felix_cli.wiring import db_option, json_option, settings_for
from felix_events.store.base import Reader, Tx
from felix_events.store.sqlite import SqliteStore

log = logging.getLogger(__name__)

_EVERY: Final = timedelta(days=1)
"""Between the beginnings of two walks through all mail."""


class Pruner:
    """Goes through old mail while a server runs: a few hundred rows at each look."""

    def __init__(
        self,
        retention: Retention,
        view: Callable[[Callable[[Reader], Any]], Any],
        do: Callable[[Callable[[Tx], Any]], Any],
        clock: Clock,
        give_back: Callable[[], bool],
    ) -> None:
        self._retention = retention
        self._view = view
        self._do = do
        self._clock = clock
        self._give_back = give_back
        self._has_room = False
        self._begin_at: datetime | None = None
        self._walks = False

    def look(self) -> None:
        """Take one step, and begin anew once a day; in between, make the file smaller bit by bit."""
        now = self._clock()
        if not self._walks:
            if self._begin_at is not None and now < self._begin_at:
                self._has_room = self._has_room and self._give_back()
                return
            self._retention.begin()
            self._begin_at, self._walks = now + _EVERY, True
        step: Step | None = self._view(self._retention.find)
        if step is None:
            self._walks = False
            return
        for ids in _batches(step.ids):
            self._do(partial(drop, table=step.table, ids=ids))
        if step.ids:
            self._has_room = True
            log.info("the bytes of %d old rows of %s are not kept any more", len(step.ids), step.table)


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be dropped, and drop nothing.")
@json_option
@db_option
def prune(dry_run: bool, as_json: bool, db: Path | None) -> None:
    """Delete the text of old messages, as `[keep]` says.

    That a message came or went, and its outcome, stays; so does all that an audit looks at. What FORGET ME
    left of messages of others goes 37 days after the end of their games, in any case. A running server does
    the same by itself, once a day.

    \b
    Example:
      felix mail prune --dry-run
    """
    settings = settings_for(db)
    retention = Retention(settings.keep, settings.mailbox, system_clock)
    with Telling() as telling:
        # Looked at first: if there is nothing to drop, nothing is opened to be written.
        dropped, size = _walk(SqliteStore.open_to_read(settings.database), retention, telling, drops=False)
        if any(dropped.values()) and not dry_run:
            dropped, size = _walk(open_to_write(settings.database), retention, telling, drops=True)
    if as_json:
        print_json(
            {"dry_run": dry_run, "letters": dropped["letters"], "mails": dropped["inbox"], "bytes": size}
        )
        return
    if not (settings.keep.letters_days or settings.keep.inbox_days or any(dropped.values())):
        click.echo(
            "All mail is kept for ever; set keep.letters_days or keep.inbox_days in felix.toml to change it."
        )
        return
    what = f"{counted(dropped['letters'], 'letter')} and {counted(dropped['inbox'], 'mail')}"
    would = "Would drop" if dry_run else "Dropped"
    click.echo(f"{would} the text of {what}, {size / 1e6:.1f} MB; what became of them stays known.")


def _walk(
    store: SqliteStore, retention: Retention, telling: Telling, *, drops: bool
) -> tuple[dict[Table, int], int]:
    """Go through all mail, and close the store; how many rows of each table, and how many bytes, may go."""
    found: dict[Table, int] = {"letters": 0, "inbox": 0}
    size = 0
    retention.begin()
    try:
        for number, step in enumerate(_steps(store, retention), 1):
            telling.step("Looking through old mail", number, 0)
            for ids in _batches(step.ids) if drops else ():
                with store.write() as tx:
                    drop(tx, step.table, ids)
            found[step.table] += len(step.ids)
            size += step.size
        while drops and store.give_back():
            telling.step("Making the file smaller", 0, 0)
    finally:
        store.close()
    return found, size


def _steps(store: SqliteStore, retention: Retention) -> Iterator[Step]:
    while True:
        with store.read() as reader:
            step = retention.find(reader)
        if step is None:
            return
        yield step


def _batches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), TOGETHER):
        yield ids[start : start + TOGETHER]
