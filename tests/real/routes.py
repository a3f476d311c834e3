"""Where Postfix takes the mail of each domain: a table that a test changes while Postfix runs.

Postfix asks this server for each recipient (socketmap_table(5)), so that a changed route needs no reload,
and counts at once.
"""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from real.daemons import HOST

_LONGEST: Final = 100_000
"""Bytes of one question (the manual page's own limit)."""


@dataclass(slots=True)
class Routes:
    """`transports`: domain -> `lmtp:inet:host:port` and such. `aliases`: address -> address."""

    port: int
    transports: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def look_up(self, question: str) -> str:
        """The answer to `table key`: `OK value` or `NOTFOUND `."""
        table, _, key = question.lower().partition(" ")
        # Postfix asks such a table for the whole address, and never for its domain alone.
        value = self.aliases.get(key) if table == "aliases" else self.transports.get(key.rpartition("@")[2])
        return "NOTFOUND " if value is None else f"OK {value}"


class _Answers(socketserver.StreamRequestHandler):
    """One connection of one Postfix process: netstrings in, netstrings out."""

    server: _Server

    def handle(self) -> None:
        while True:
            head = b""
            while not head.endswith(b":"):
                byte = self.rfile.read(1)
                if not byte:
                    return
                head += byte
            length = int(head[:-1])
            assert length < _LONGEST
            question = self.rfile.read(length + 1)[:-1].decode()
            answer = self.server.routes.look_up(question).encode()
            self.wfile.write(b"%d:%s," % (len(answer), answer))


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    # Postfix keeps its connections; nobody waits for their threads.
    block_on_close = False
    routes: Routes


@contextmanager
def a_route_table() -> Iterator[Routes]:
    """An empty table, with a server that answers for it."""
    with _Server((HOST, 0), _Answers) as server:
        server.routes = Routes(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, name="routes", kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.routes
        finally:
            server.shutdown()
            thread.join()
