"""A database with mail in it: a player's, a stranger's, and what nobody should print as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.utils import parseaddr
from pathlib import Path
from typing import Final, TypeVar

from cli.terminal import Terminal
from felix_async.address import Token, address_of, encode_token
from felix_async.clock import system_clock, text_of
from felix_async.inbox.process import Processor, process_all
from felix_async.service import Service
from felix_async.settings import Settings
from felix_cli.wiring import make_service
from felix_events.store.base import Tx
from felix_events.store.rows import Letter, Mail, MailState
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.channel import Result, Sent
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox
from fresh import a_database
from games import NAMES

T = TypeVar("T")
MAILBOX: Final = "felix@localhost"
PEOPLE: Final = tuple(f"{name.lower()}@players.test" for name in NAMES[:3])
AT: Final = "2026-11-20T21:00:00.000000Z"
ESCAPES: Final = "\x1b[2J\x1b]0;owned\x07\x9b31m"
TURNED: Final = "‮desrever‏"
HOSTILE: Final = (
    f"{ESCAPES}{TURNED}<script>alert(1)</script>\u200b\u2028end",
    "Bcc: x\r\n\tX-Folded: y",
    "=?utf-8?b?G1szMW0=?= =?utf-8?q?=0D=0Aevil?=",
    "=?nonsense?q?=FF?=",
    "long " * 200_000,
)
"""Headers' values, each of them meant to do harm."""


@dataclass
class Post:
    """Takes every letter."""

    letters: list[Letter]

    def send(self, letter: Letter) -> Result:
        """Keep it."""
        self.letters.append(letter)
        return Sent()

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass
class Mailroom:
    """A game of three by mail in felix.db, and everything around it."""

    terminal: Terminal
    game_id: str

    def do(self, work: Callable[[Tx], T]) -> T:
        """Something in a transaction of its own."""
        store = SqliteStore.open_to_write(Path("felix.db"))
        try:
            with store.write() as tx:
                return work(tx)
        finally:
            store.close()

    def address(self, seat: int = 0, turn: int = 0) -> str:
        """Where this seat writes to, with the secret that it has now."""
        secret = self.do(lambda tx: tx.seats(self.game_id)[seat].secret)
        return address_of(MAILBOX, encode_token(Token(self.game_id, seat, "move", turn), secret))

    def keep(
        self,
        raw: bytes,
        state: MailState = "new",
        *,
        note: str = "",
        sender: str = PEOPLE[0],
        turn: int = 0,
    ) -> int:
        """A mail to the first seat, at this decision, and what became of it; its id."""
        recipient = self.address(turn=turn)

        def work(tx: Tx) -> int:
            mail_id = tx.keep_mail(AT, recipient, sender, raw)
            if state != "new":
                tx.settle_mail(mail_id, state, note=note)
            return mail_id

        return self.do(work)

    def mail(self, mail_id: int) -> Mail:
        """A mail as it is kept."""
        found = self.do(lambda tx: tx.mail(mail_id))
        assert found is not None
        return found

    @property
    def service(self) -> Service:
        """A service as the server has it."""
        return make_service(Settings())

    def process(self) -> int:
        """What a running server does with its inbox; how many mails there were."""
        return process_all(self.do, Processor(self.service, MAILBOX))

    def deliver(self) -> list[Letter]:
        """What a running server does with what is owed: the letters that went out."""
        post = Post([])
        send_due(self.do, Outbox(system_clock, Letters(MAILBOX, b"the server's own secret")), post)
        return post.letters

    def letter(self, number: int = 0, state: str = "ready", raw: bytes | None = None) -> int:
        """A letter to the first seat; its id."""
        data = a_mail("Your hand: -8, 3.", to=PEOPLE[0], reply_to=self.address()) if raw is None else raw

        def work(tx: Tx) -> int:
            letter = Letter(
                self.game_id, 0, PEOPLE[0], f"<{number}@felix>", data, AT, text_of(system_clock())
            )
            letter_id = tx.freeze(letter)
            if state == "sent":
                tx.mark_letter(letter_id, "sent", next_at=AT)
            elif state == "failed":
                tx.mark_letter(letter_id, "failed", next_at=AT, note="550 no such user")
            return letter_id

        return self.do(work)


_MADE: Final[list[tuple[str, bytes]]] = []
"""The id of that game, and its database."""


def a_mailroom(terminal: Terminal) -> Mailroom:
    """A new game of Anna, Ben and Cara; nobody has joined. It is made once in each process of the tests."""
    database = Path("felix.db")
    if not _MADE:
        a_database(database).close()
        people = [f"{name} <{address}>" for name, address in zip(NAMES, PEOPLE, strict=False)]
        game_id = terminal.new(*people, start=0)
        _MADE.append((game_id, database.read_bytes()))
    ((game_id, made),) = _MADE
    database.touch(0o600)
    database.write_bytes(made)
    return Mailroom(terminal, game_id)


def a_mail(
    text: str = "JOIN",
    *,
    sender: str = PEOPLE[0],
    to: str = "felix@localhost",
    subject: str = "Re: felix",
    reply_to: str = "",
    message_id: str = "1@players.test",
    headers: Sequence[str] = (),
) -> bytes:
    """A mail as bytes; what the headers hold is not looked at."""
    head = [f"From: {sender}", f"To: {to}", f"Subject: {subject}", f"Message-ID: <{message_id}>", *headers]
    head += [f"Reply-To: {reply_to}"] if reply_to else []
    return ("\r\n".join([*head, "", text]) + "\r\n").encode("utf-8", "surrogateescape")


def reply_address(letter: Letter) -> str:
    """Where the answer to a letter goes."""
    return parseaddr(str(message_from_bytes(letter.raw, policy=policy.default)["Reply-To"]))[1]
