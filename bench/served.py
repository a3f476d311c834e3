"""A felix server whose letters go nowhere, and which says how much processor time it has used.

python -P served.py FOLDER SEED…      with the felix to be measured on PYTHONPATH

It is run by `bench.letters` on this felix and on an older one, so it uses nothing but what both have. It
makes a database with a table for each seed, serves it, and says on which port. Then it answers lines: `time`
with the seconds used so far, an address with the newest letter to it (base64, '' for none).
"""

from __future__ import annotations

import sys
import time
from base64 import b64encode
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.games import open_table
from felix_async.settings import Settings
from felix_cli import server
from felix_events.store.rows import Letter
from felix_events.store.sqlite import SqliteStore

try:
    from felix_notifiers.outbox.channel import Sent
except ModuleNotFoundError:
    # The older felix has it in another room.
    from felix_notifiers.sending.channel import Sent  # type: ignore[import-not-found,no-redef]

MAILBOX = "felix@felix.test"
FIRST_DAY = datetime(2026, 1, 1, 1, tzinfo=UTC)
"""An hour after the tables were opened, so that nothing has become due since."""


class Clock:
    """A clock that goes on by a millisecond whenever somebody looks."""

    def __init__(self) -> None:
        self._now = FIRST_DAY

    def __call__(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now


class Nowhere:
    """Takes every letter at once, and keeps the newest to each address."""

    def __init__(self) -> None:
        self.newest: dict[str, bytes] = {}

    def send(self, letter: Letter) -> Sent:
        """Take one."""
        self.newest[letter.recipient] = letter.raw
        return Sent()

    def close(self) -> None:
        """There is nothing to close."""


def main() -> None:
    """Serve until there are no more lines."""
    folder, seeds = Path(sys.argv[1]), sys.argv[2:]
    with closing(SqliteStore.create(folder / "felix.db")) as store:
        for seed in seeds:
            open_table(store, seed)
    nowhere = Nowhere()
    server._channel = lambda settings: nowhere
    settings = Settings.model_validate(
        {"database": folder / "felix.db", "mailbox": MAILBOX, "listen": {"port": 0}}
    )
    with server.Server(settings, clock=Clock()) as served:
        print(served.listener.port, flush=True)
        for line in sys.stdin:
            asked = line.strip()
            raw = nowhere.newest.get(asked, b"")
            print(time.process_time() if asked == "time" else b64encode(raw).decode("ascii"), flush=True)


if __name__ == "__main__":
    main()
