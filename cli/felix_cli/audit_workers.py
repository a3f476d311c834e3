"""All games of a database audited, by as many processes as there are cores; in order, whoever is done first.

Games do not depend on each other, so a few at a time are handed to each process, and this one does its share.
Each opens the database for itself, for reading, and ends when this one does, however that happens.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from itertools import count
from math import ceil
from pathlib import Path
from sqlite3 import DatabaseError
from typing import Final

from felix_async.audit.audit import Finding, Report, audit
from felix_async.audit.beside import CHECK
from felix_async.audit.database import Whole, look_at_whole, look_beside
from felix_async.audit.evidence import evidence_of
from felix_async.text import plain
from felix_cli.output import EXIT_COULD_NOT_LOOK, Problem
from felix_events.store.base import Damaged, Reader
from felix_events.store.errors import LOOK_FIRST
from felix_events.store.sqlite import SqliteStore

WORTH_IT: Final = 300
"""Games from which on several processes are quicker: each has felix to load first."""
_AT_ONCE: Final = 32
"""Games at most that a process is handed at a time; an end that somebody asks for waits for so many."""

_DAMAGED: Final = ("pages of the database that can be read", f"damaged ones; {LOOK_FIRST[:-1]}")


def audit_all(path: Path, game_ids: Sequence[str], processes: int | None = None) -> Iterator[Report]:
    """The reports on these games, in their order, from so many processes; by default as many as are worth it.

    StoreError if the database cannot be read.
    """
    if processes is None:
        processes = _cores() if len(game_ids) >= WORTH_IT else 1
    if processes == 1:
        store = SqliteStore.open_to_read(path)
        try:
            yield from _audited(store, game_ids)
        finally:
            store.close()
        return
    # Not by forking this process: a connection to SQLite must not be carried over, and threads are not.
    context = multiprocessing.get_context("spawn")
    # This process is one of them: the others have felix to load first.
    pool = ProcessPoolExecutor(processes - 1, context, initializer=_begin, initargs=(Path.cwd(),))
    try:
        yield from _shared_out(pool, path, _parts(game_ids, processes))
    except BrokenProcessPool:
        raise Problem(
            "A process of the audit was ended from outside; if memory is short, run"
            " `taskset -c 0 felix audit --all`, which is one process.",
            EXIT_COULD_NOT_LOOK,
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _parts(game_ids: Sequence[str], processes: int) -> list[Sequence[str]]:
    """The games in parts that get smaller towards the end, so that all are done at the same time."""
    parts, start = [], 0
    while start < len(game_ids):
        size = min(_AT_ONCE, ceil((len(game_ids) - start) / (2 * processes)))
        parts.append(game_ids[start : start + size])
        start += size
    return parts


def _shared_out(pool: ProcessPoolExecutor, path: Path, parts: Sequence[Sequence[str]]) -> Iterator[Report]:
    """The reports on these parts, in order; whatever no other process has begun, this one does."""
    futures = [pool.submit(_audit_part, path, part) for part in parts[1:]]
    store = SqliteStore.open_to_read(path)
    try:
        yield from _audited(store, parts[0])
        done: dict[int, list[Report]] = {}
        waiting = iter(range(len(futures)))
        for place, future in enumerate(futures):
            while place not in done and not future.done():
                mine = next((one for one in waiting if futures[one].cancel()), None)
                if mine is None:
                    break
                done[mine] = list(_audited(store, parts[mine + 1]))
            yield from done.pop(place, None) or future.result()
    finally:
        store.close()


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin(folder: Path) -> None:
    """Make a process of the pool ready; it looks at its parent alone to know when to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.chdir(folder)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "in a process of the pool"
    parent.join()
    os._exit(1)


def _audit_part(path: Path, game_ids: Sequence[str]) -> list[Report]:
    return list(_audited(_opened(path), game_ids))


@cache
def _opened(path: Path) -> SqliteStore:
    """The store of a process of the pool, as long as that lives."""
    return SqliteStore.open_to_read(path)


def _audited(store: SqliteStore, game_ids: Sequence[str]) -> Iterator[Report]:
    with store.read() as reader:
        for game_id in game_ids:
            yield audit_one(reader, game_id)


def audit_one(reader: Reader, game_id: str) -> Report:
    """The report on one game; that its pages cannot be read is a finding, too."""
    try:
        evidence = evidence_of(reader, game_id)
    except (Damaged, DatabaseError):
        # The pages of one game say nothing of those of the others.
        return _unreadable(game_id, *_DAMAGED, _damaged_version(reader, game_id))
    if evidence is None:
        # Rows whose game id is not even text: the store lists them, and cannot find them by it.
        return _unreadable(game_id, "rows under the id of a game", "rows under bytes that are none")
    report = audit(evidence)
    try:
        look_beside(reader, evidence, report)
    except (Damaged, DatabaseError):
        report.findings.append(Finding(CHECK, 1, *_DAMAGED))
    return report


def audit_whole(reader: Reader, path: Path, game_id: str | None = None) -> Whole:
    """The report on what belongs to no game alone; with a game, on no rows of others."""
    try:
        return look_at_whole(reader, path.name, game_id)
    except (Damaged, DatabaseError):
        # The report on the game itself says that, if it is its pages.
        return Whole(path.name, 0, [Finding(CHECK, 0, *_DAMAGED)] if game_id is None else [])


def _damaged_version(reader: Reader, game_id: str) -> int:
    """The first version that cannot be read; 1 if all can be, and the damage is beside them."""
    for version in count(1):
        try:
            if not reader.bodies(game_id, version - 1, version):
                break
        except (Damaged, DatabaseError):
            return version
    return 1


def _unreadable(game_id: str, expected: str, found: str, version: int = 1) -> Report:
    return Report(plain(game_id), 0, [Finding("bytes", version, expected, found)])
