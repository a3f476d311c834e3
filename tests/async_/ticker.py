"""One of two processes that look at the same time at what is due; see `test_tick_race.py`.

It says `ready` when it has opened the database, looks when it is told `go`, and then says how many due rows
it dealt with. Its clock stands at the time that it was given.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from felix_async.clock import time_of
from felix_async.schedule.outage import beat
from felix_async.schedule.tick import tick
from felix_async.service import Service
from felix_events.store.base import Tx
from felix_events.store.sqlite import SqliteStore


def main(path: Path, now: str) -> None:
    """Look whenever there is a line of input, until there is no more."""
    store = SqliteStore.open_to_write(path)
    at = time_of(now)
    service = Service(lambda: at, os.urandom)

    def do(work: Callable[[Tx], Any]) -> Any:
        with store.write() as tx:
            return work(tx)

    print("ready", flush=True)
    for _ in sys.stdin:
        print(tick(do, service), beat(do, service), flush=True)
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
