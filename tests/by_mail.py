"""A whole game by mail in one process, and what it costs the database: nothing of it waits for a socket."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.utils import parseaddr
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from felix_async.clock import text_of
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.inbox.process import Processor
from felix_async.inbox.waiting import Readings
from felix_async.service import Origin, Player, Service
from felix_cli.demo import MAILBOX, NAMES
from felix_cli.mail_robots import MailPlayers
from felix_cli.simulate import SeededEntropy
from felix_events.model import Options
from felix_events.store.base import Tx
from felix_events.store.rows import Letter
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.channel import Result, Sent
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox

_FRAME: Final = 4096 + 24
"""A page and its head in a write-ahead log."""
_NOT_COUNTED: Final = re.compile(r"BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|--")
"""How statements begin that open or end something; and those of a trigger."""


@dataclass
class Cost:
    """What a mail made the database do, with the letters that followed from it."""

    letters: int = 0
    pages: int = 0
    keeping: int = 0
    dealing: int = 0
    writing: int = 0
    """Statements until the mail is kept, until it is dealt with, and until its letters are gone."""


@dataclass
class Taken:
    """A mail server that takes every letter."""

    letters: list[Letter] = field(default_factory=list)

    def send(self, letter: Letter) -> Result:
        """Take one."""
        self.letters.append(letter)
        return Sent("250 OK")

    def close(self) -> None:
        """Nothing to let go of."""


def game_by_mail(path: Path, *, players: int = 4, seed: int = 7) -> Generator[Cost, None, None]:
    """Play a game as `felix demo` does, but all are asked together; what each mail cost."""
    with closing(SqliteStore.create(path)) as store:
        yield from _Game(store, players, seed).play()


def letters_by_mail(path: Path, *, players: int, seed: int) -> list[bytes]:
    """Play that game; all its letters as they went out, headers and all."""
    with closing(SqliteStore.create(path)) as store:
        game = _Game(store, players, seed)
        for _ in game.play():
            continue
        return [letter.raw for letter in game._server.letters]


def mails_of(
    path: Path, *, players: int = 3, seed: int = 7, also: str = ""
) -> tuple[list[Letter], list[bytes]]:
    """Play that game; all its letters as they went out, and all mails of the players.

    They write these lines `also`, below each of their orders.
    """
    with closing(SqliteStore.create(path)) as store:
        game = _Game(store, players, seed, also)
        for _ in game.play():
            continue
        return game._server.letters, game._sent


class _Game:
    def __init__(self, store: SqliteStore, players: int, seed: int, also: str = "") -> None:
        self._also = also
        self._store = store
        self._now = datetime(2026, 11, 20, 21, tzinfo=UTC)
        self._service = Service(self._clock, SeededEntropy(f"demo/{seed}/{players}/{DEFAULT_RULESET}"))
        self._sender = Outbox(self._clock, Letters(MAILBOX, b"the server's own secret"))
        self._processor = Processor(self._service, MAILBOX)
        self._readings = Readings(MAILBOX)
        self._server = Taken()
        self._players = MailPlayers(f"{seed}", 1)
        self._names = NAMES[:players]
        assert store._writer is not None
        self._writer = store._writer
        self._sent: list[bytes] = []
        self._statements = 0
        self._last = ""

    def play(self) -> Generator[Cost, None, None]:
        """Open the table, and let the players answer until nobody has anything to say."""
        with closing(self._players._listener.loop), closing(sqlite3.connect(self._store.path)) as beside:
            # Who reads keeps the write-ahead log from being begun anew, and its length counts all pages.
            beside.execute("BEGIN")
            beside.execute("SELECT * FROM sqlite_schema").fetchone()
            self._writer.set_trace_callback(self._count)
            self._do(self._open)
            self._send()
            answered = 0
            while answered < len(self._server.letters):
                answer = self._players._answer(
                    message_from_bytes(self._server.letters[answered].raw, policy=policy.default)
                )
                answered += 1
                if answer is not None and self._also:
                    order, _, rest = answer.get_content().partition("\n")
                    answer.set_content(f"{order}\n{self._also}\n{rest}")
                if answer is not None:
                    yield self._cost_of(parseaddr(str(answer["To"]))[1], str(answer["From"]), bytes(answer))

    def _cost_of(self, to: str, sender: str, raw: bytes) -> Cost:
        self._now += timedelta(minutes=7)
        self._sent.append(raw)
        cost = Cost()
        letters, pages = len(self._server.letters), self._pages()
        keep = partial(self._keep, to=to, sender=parseaddr(sender)[1], raw=raw)
        cost.keeping = self._counted(partial(self._do, keep))
        cost.dealing = self._counted(self._deal)
        cost.writing = self._counted(self._send)
        cost.letters, cost.pages = len(self._server.letters) - letters, self._pages() - pages
        return cost

    def _open(self, tx: Tx) -> None:
        self._service.open_table(
            tx,
            [Player(f"p-{name.lower()}", name, f"{name.lower()}@players.test") for name in self._names],
            origin=Origin("demo", "host", "desk", order="NEW"),
            table_name="Demo table",
            ruleset=DEFAULT_RULESET,
            options=Options(seeded=True),
        )

    def _keep(self, tx: Tx, to: str, sender: str, raw: bytes) -> None:
        tx.keep_mail(text_of(self._now), to, sender, raw)

    def _deal(self) -> None:
        while self._readings.begin(self._shown):
            self._do(partial(self._processor.process_some, readings=self._readings))

    def _send(self) -> None:
        while send_due(self._do, self._sender, self._server):
            continue

    def _do(self, work: Callable[[Tx], Any]) -> Any:
        with self._store.write() as tx:
            return work(tx)

    def _shown(self, look: Callable[[Any], Any]) -> Any:
        with self._store.read() as reader:
            return look(reader)

    def _count(self, statement: str) -> None:
        # One that sets off triggers is told again for each of them.
        self._statements += _NOT_COUNTED.match(statement) is None and statement != self._last
        self._last = statement

    def _counted(self, work: Callable[[], object]) -> int:
        before = self._statements
        work()
        return self._statements - before

    def _pages(self) -> int:
        return Path(f"{self._store.path}-wal").stat().st_size // _FRAME

    def _clock(self) -> datetime:
        return self._now


def costs(path: Path, most: int) -> list[Cost]:
    """What the moves of the first round cost, so many at the most; to sit down is no move."""
    with closing(game_by_mail(path)) as game:
        return list(islice(game, 4, 4 + most))
