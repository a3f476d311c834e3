"""Moves by mail, storage side, for a felix that is measured beside another one: see `bench.moves`.

python -P moved.py FOLDER      with the felix to be measured on PYTHONPATH

It uses nothing but what both have. For each line that it reads it plays some moves of whole games, one after
the other, and says how much processor time they took, and how many they were.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import count, islice
from pathlib import Path

from bench.games import Step, Table, open_table, write_script
from felix_events.store.base import Store
from felix_events.store.sqlite import SqliteStore

AT_A_TIME = 40


def moves(store: Store) -> Iterator[tuple[Table, Step]]:
    """Game after game, each written down before its first move."""
    for number in count():
        script = write_script(f"moved-{number}")
        table = open_table(store, script.seed)
        yield from ((table, step) for step in script.moves)


def main() -> None:
    """Play until there are no more lines."""
    with closing(SqliteStore.create(Path(sys.argv[1]) / "moves.db")) as store:
        coming = moves(store)
        for _ in sys.stdin:
            some = list(islice(coming, AT_A_TIME))
            before = time.process_time()
            for table, step in some:
                table.move(step)
            print(time.process_time() - before, len(some), flush=True)


if __name__ == "__main__":
    main()
