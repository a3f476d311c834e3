"""One of two processes that race for the next version of a log; see `test_race.py`.

It answers each line on its input with a line: `look` with the version that it sees, `go` with `won VERSION`,
or with `lost EXPECTED ACTUAL`, and `again`, after a look at what is there now, with the version it added.
"""

from __future__ import annotations

import sys
from pathlib import Path

from felix_events.store.base import VersionConflict
from felix_events.store.rows import Sealed
from felix_events.store.sqlite import SqliteStore

GAME_ID = "k7m2p"


def main(path: Path, name: str) -> None:
    """Race until there is no more input."""
    store = SqliteStore.open_to_write(path)
    seen = tried = 0

    def look() -> int:
        with store.read() as reader:
            return reader.head(GAME_ID)[0]

    def append(expected: int) -> int:
        with store.write() as tx:
            return tx.append(GAME_ID, expected, [Sealed(f"{name}{tried}".encode())])[0]

    for line in sys.stdin:
        match line.strip():
            case "look":
                seen = look()
                answer = str(seen)
            case "go":
                tried += 1
                try:
                    answer = f"won {append(seen)}"
                except VersionConflict as conflict:
                    answer = f"lost {conflict.expected} {conflict.actual}"
            case _:
                answer = str(append(look()))
        print(answer, flush=True)
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
