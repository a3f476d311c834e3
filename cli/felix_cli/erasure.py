"""Forgetting: what FORGET ME has begun is done bit by bit, beside the moves of everybody else.

What is to be erased is looked for in views of the store, which hold up nobody; what was found is erased in
transactions as short as that of a move. Then the file gives back its free pages, and what stands between its
rows is wiped. After a crash it goes on where it was, but for the wiping, which begins anew.

A page that was wiped stays wiped unless it is written meanwhile. Then it gets rows that live: nothing else of
them is left. But SQLite can also put a page as it is, with what stands between its rows, in the place of
another: as rows move between neighbours, and as the file gives back its last pages. So what is still to be
wiped may come to stand behind the wiping, and all pages are gone over twice. Anything left would have to
have been moved so in both rounds.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from felix_events.store.base import Tx
from felix_events.store.rows import ForgetStep
from felix_events.store.sqlite import SqliteStore

log = logging.getLogger(__name__)

_PAUSE: Final = 0.002
"""Seconds between two steps, in which others come first."""
_RETRY: Final = 0.1
"""Seconds until a step is tried again that a reader was in the way of."""
_TRIES: Final = 10
"""Of one step, in one look; the next look goes on with it."""
_ROUNDS: Final = 2


class Forgetter:
    """Forgets whom `store` has begun to forget; `do` opens a transaction in the writer's thread."""

    def __init__(self, store: SqliteStore, do: Callable[[Callable[[Tx], Any]], Any]) -> None:
        self._store = store
        self._do = do
        self._stopped = threading.Event()
        self._wiped: tuple[int, int] | None = None
        """The round of the wiping, and the page that comes next; None if no wiping has begun."""

    def stop(self) -> None:
        """End with the step in hand; the next start goes on."""
        self._stopped.set()

    def look(self) -> None:
        """Forget all that there is to forget now."""
        with self._store.read() as reader:
            players = reader.forgettings()
        for player_id in players:
            while (step := self._next(player_id)) is not None:
                self._wiped = None
                self._do(partial(_do_step, step=step))
                if self._stopped.wait(_PAUSE):
                    return
        if players and self._wipe():
            for player_id in players:
                self._do(partial(_end, player_id=player_id))
            log.info(
                "somebody was forgotten: nothing of theirs is left in the database or its files; copies that"
                " were made before, as backups and by an update, still have it"
            )

    def _next(self, player_id: str) -> ForgetStep | None:
        with self._store.read() as reader:
            return reader.next_forget_step(player_id)

    def _wipe(self) -> bool:
        """Take the free pages out of the file, and wipe between the rows; False if that has to wait."""
        if self._wiped is None:
            while self._store.give_back():
                if self._stopped.wait(_PAUSE):
                    return False
            self._wiped = 1, 1
        number, page = self._wiped
        tries = 0
        while number <= _ROUNDS:
            following = self._store.scrub(page)
            # A reader, as of a backup, needs the write-ahead log: this page waits, the others stay wiped.
            tries = tries + 1 if following == page else 0
            number, page = (number + 1, 1) if following is None else (number, following)
            self._wiped = number, page
            if tries == _TRIES or self._stopped.wait(_RETRY if tries else _PAUSE):
                return False
        self._wiped = None
        return True


def _do_step(tx: Tx, step: ForgetStep) -> None:
    tx.do_forget_step(step)


def _end(tx: Tx, player_id: str) -> None:
    """It has ended, unless more of them was found meanwhile."""
    if tx.next_forget_step(player_id) is None:
        tx.end_forgetting(player_id)
