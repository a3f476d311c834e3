"""A town: players with mailboxes, a felix of their own, and the mail servers between them.

Each test has a town with domains that no other test uses, so that mail that is still on its way from an
earlier one can never arrive in a later one.
"""

from __future__ import annotations

import signal
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from cli.terminal import FELIX, Terminal, environment
from felix_async.address import Token, address_of, encode_token
from felix_async.clock import system_clock, text_of
from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_events.store.base import Reader
from felix_events.store.rows import Letter, Mail, SeatRow
from felix_events.store.sqlite import SqliteStore
from real.daemons import HOST, PATIENCE, free_port, running, until
from real.dovecot import PASSWORD, Dovecot, Inbox
from real.postfix import Postfix

WayIn = Literal["lmtp", "smtp", "imap"]
"""How felix gets its mail: handed over by Postfix, or out of a mailbox of Dovecot's."""
POLL_SECONDS: Final = 600
"""From one look into the mailbox to the next, if nothing tells that there is mail."""


@dataclass(frozen=True, slots=True)
class Town:
    """Domains of its own on servers that many towns share."""

    dovecot: Dovecot
    postfix: Postfix
    felix_domain: str
    players_domain: str
    folder: Path

    @property
    def mailbox(self) -> str:
        """Where players write to."""
        return f"felix@{self.felix_domain}"

    def address(self, name: str) -> str:
        """A player's address; its mailbox is Dovecot's."""
        return f"{name}@{self.players_domain}"

    def inbox(self, name: str) -> AbstractContextManager[Inbox]:
        """A player's mail."""
        return self.dovecot.inbox(self.address(name))

    def felix(self, way_in: WayIn = "lmtp", more: str = "", send_port: int = 0) -> Felix:
        """A felix for this town, with a database and no games, not yet running; Postfix knows the way to it.

        `more` is more of felix.toml, `send_port` another server for felix's letters than Postfix.
        """
        port = free_port()
        lines = [f'mailbox = "{self.mailbox}"']
        if way_in == "imap":
            password = self.folder / "imap-password"
            password.write_text(PASSWORD)
            password.chmod(0o600)
            lines += ["[listen]", 'protocol = "off"', "[fetch]", f'host = "{HOST}"']
            lines += [f"port = {self.dovecot.imap_port}", 'security = "none"']
            lines += [f"poll_seconds = {POLL_SECONDS}"]
            lines += [f'user = "{self.mailbox}"', f'password_file = "{password}"']
            self.postfix.routes.transports[self.felix_domain] = self.dovecot.route
        else:
            lines += ["[listen]", f'protocol = "{way_in}"', f"port = {port}"]
            where = f"lmtp:inet:{HOST}:{port}" if way_in == "lmtp" else f"smtp:[{HOST}]:{port}"
            self.postfix.routes.transports[self.felix_domain] = where
        lines += ["[send]", f"port = {send_port or self.postfix.port}", more]
        config = self.folder / "felix.toml"
        config.write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert tomllib.loads(config.read_text(encoding="utf-8"))
        felix = Felix(self, Terminal(self.folder), config, 0 if way_in == "imap" else port)
        felix.terminal.run("init", "--config", config)
        return felix


@dataclass(frozen=True, slots=True)
class Felix:
    """`felix serve` for a town: started and stopped as often as a test likes, on one database and port."""

    town: Town
    terminal: Terminal
    config: Path
    port: int

    @property
    def database(self) -> Path:
        """The file with everything in it."""
        return self.config.with_name("felix.db")

    @property
    def log(self) -> str:
        """What it has said on standard error, over all its starts."""
        return self.config.with_name("felix.log").read_text(encoding="utf-8")

    @contextmanager
    def serving(self, with_signal: signal.Signals = signal.SIGTERM) -> Iterator[subprocess.Popen[bytes]]:
        """A process of its own, from the moment when it takes mail; it must end well when told to."""
        said = self.config.with_name("felix.log")
        before = len(self.log) if said.exists() else 0
        with running(
            [*FELIX, "serve", "--config", str(self.config)],
            ports=[self.port] if self.port else [],
            log=said,
            environment=environment(),
        ) as process:
            until(lambda: process.poll() is not None or "felix " in self.log[before:], "felix to start")
            assert process.poll() is None, self.log[before:]
            yield process
            process.send_signal(with_signal)
            assert process.wait(PATIENCE) == (0 if with_signal == signal.SIGTERM else -with_signal)

    def new(self, *names: str, **addresses: str) -> str:
        """A new game for players of this town, or of anywhere; its id."""
        people = {name: self.town.address(name) for name in names} | addresses
        words = [word for name, at in people.items() for word in ("--player", f"{name.title()} <{at}>")]
        # These players answer when it is their turn.
        words += ["--pace", "in-turn"]
        told: dict[str, Any] = self.terminal.json("new", "--db", self.database, *words)
        game_id: str = told["game_id"]
        return game_id

    def events(self, game_id: str) -> list[dict[str, Any]]:
        """What has happened, as a spectator sees it."""
        told: list[dict[str, Any]] = self.terminal.json("replay", game_id, "--db", self.database)
        return told

    def mails(self) -> list[Mail]:
        """The inbox."""
        with self._reading() as reader:
            return reader.mails()

    def letters(self) -> list[Letter]:
        """All that was frozen, sent or not."""
        with self._reading() as reader:
            return reader.letters()

    def seats(self, game_id: str) -> Sequence[SeatRow]:
        """Who sits where."""
        with self._reading() as reader:
            return reader.seats(game_id)

    def token_address(self, game_id: str, seat: int) -> str:
        """Where this seat writes to before the game has started; nobody but felix and the player knows it."""
        secret = self.seats(game_id)[seat].secret
        return address_of(self.town.mailbox, encode_token(Token(game_id, seat, "move", 0), secret))

    def answered(self, game_id: str, seat: int) -> list[AnsweredLine]:
        """What felix made of each line that this seat wrote, mail after mail."""
        with self._reading() as reader:
            notices = [n for n in reader.notices(game_id) if n.kind == "answer" and n.seat == seat]
        return [line for notice in notices for line in Answer.model_validate_json(notice.payload).lines]

    def at_rest(self) -> bool:
        """Return True if nothing waits to be read, to be written now, or to be sent."""
        with self._reading() as reader:
            return not (
                reader.mails("new") or reader.pending(text_of(system_clock())) or reader.letters("ready")
            )

    @contextmanager
    def _reading(self) -> Iterator[Reader]:
        store = SqliteStore.open_to_read(self.database)
        try:
            with store.read() as reader:
                yield reader
        finally:
            store.close()
