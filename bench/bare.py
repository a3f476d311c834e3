"""A listener that appends the raw mail to SQLite before it says 250, and does nothing else.

python -m bench.bare DATABASE        prints where it listens, and runs until it is stopped
"""

from __future__ import annotations

import signal
import sqlite3
import sys
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session


class Appender:
    """Keeps each mail in a transaction of its own, in WAL mode with `synchronous=FULL`."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE IF NOT EXISTS mails (raw BLOB NOT NULL)")

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Append, then accept."""
        self._connection.execute("INSERT INTO mails (raw) VALUES (?)", (envelope.content,))
        return "250 OK"


class AnyPort(Controller):
    """Listens on a free port, and knows which."""

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        super()._trigger_server()  # type: ignore[no-untyped-call]


def main() -> None:
    """Listen until told to stop."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    controller = AnyPort(Appender(sys.argv[1]), hostname="127.0.0.1", port=0)
    controller.start()
    print(f"on 127.0.0.1:{controller.port}", flush=True)
    stop.wait()
    controller.stop()


if __name__ == "__main__":
    main()
