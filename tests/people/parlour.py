"""A table of people who know nothing but their mails: they read what comes, and answer in words of their own.

Real are the way in and the way out, from bytes to bytes, and what falls due. The clock is moved by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Final, TypeVar

from felix_async.clock import text_of
from felix_async.game.state import Game
from felix_async.game.views import View, view
from felix_async.inbox.process import Processor, process_all
from felix_async.schedule.tick import tick
from felix_async.service import Origin, Player, Service
from felix_events.model import DEFAULT_PACE, Options, Pace
from felix_events.store.base import Store, Tx
from felix_events.store.rows import Choice, Letter
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.channel import Result, Sent
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox
from games import SeededEntropy
from notifiers.sheets import part, read

MAILBOX: Final = "felix@felix.test"
EVENING: Final = datetime(2026, 11, 20, 19, tzinfo=UTC)
T = TypeVar("T")


@dataclass(frozen=True)
class Written:
    """Somebody's words to felix, without what they are an answer to."""

    seat: int
    at: datetime
    text: str


@dataclass(frozen=True)
class Arrived:
    """A mail in somebody's mailbox."""

    seat: int
    at: datetime
    message: EmailMessage

    @property
    def subject(self) -> str:
        """Its subject."""
        return str(self.message["Subject"])

    @property
    def text(self) -> str:
        """What a terminal shows of it."""
        return part(self.message, "plain")

    @property
    def told(self) -> str:
        """The same in one line."""
        return " ".join(self.text.split())


def _nothing(_mail: Arrived) -> str:
    return ""


def _marked(mail: Arrived) -> str:
    quoted = "\n".join(f"> {line}".rstrip() for line in mail.text.splitlines())
    return f"\n\nOn {mail.at:%a, %d %b %Y at %H:%M}, felix <{MAILBOX}> wrote:\n\n{quoted}"


def _below(mail: Arrived) -> str:
    head = f"Von: felix <{MAILBOX}>\nGesendet: {mail.at:%d.%m.%Y %H:%M}\nBetreff: {mail.subject}"
    return f"\n\n-----Ursprüngliche Nachricht-----\n{head}\n\n{mail.text}"


QUOTES: Final[dict[str, Callable[[Arrived], str]]] = {
    "phone": _nothing,
    "gmail": _marked,
    "outlook": _below,
}
"""What mail programs put below an answer: nothing, the mail with marks, the mail as it is."""


@dataclass
class Parlour:
    """A table, and a mailbox for each of its people."""

    store: Store
    service: Service
    processor: Processor
    outbox: Outbox
    names: Sequence[str]
    game_id: str
    boxes: list[list[Arrived]]
    now: datetime = EVENING
    log: list[Written | Arrived] = field(default_factory=list)
    """Everything that was written or came, in order."""
    _on_the_way: list[Letter] = field(default_factory=list)

    # ---- what people do

    def write(self, seat: int, text: str, program: str = "gmail") -> list[Arrived]:
        """Answer the newest mail, quoting it as this program does; return the mails that come of it."""
        mail = self.boxes[seat][-1]
        self.log.append(Written(seat, self.now, text))
        to = parseaddr(str(mail.message["Reply-To"]))[1]
        raw = self._reply(seat, text + QUOTES[program](mail), mail)
        self._do(lambda tx: tx.keep_mail(text_of(self.now), to, self.address(seat), raw))
        process_all(self._do, self.processor)
        return self._deliver()

    def wait(self, minutes: float = 1) -> list[Arrived]:
        """Let time pass; return the mails that come meanwhile."""
        self.now += timedelta(minutes=minutes)
        tick(self._do, self.service)
        return self._deliver()

    # ---- what only the test sees

    @property
    def game(self) -> Game:
        """The state now."""
        with self.store.read() as reader:
            return self.service.load(reader, self.game_id)

    def view(self, seat: int) -> View:
        """What a seat may know."""
        return view(self.game, seat)

    def address(self, seat: int) -> str:
        """The address of a player."""
        return f"{address_word(self.names[seat])}@players.test"

    def _reply(self, seat: int, text: str, mail: Arrived) -> bytes:
        written = sum(isinstance(one, Written) for one in self.log)
        # It goes into the deal, which a letter more must not change: as if each mail had one answer.
        number = len(self.names) - 1 + 2 * written
        reply = EmailMessage()
        reply["From"] = f"{self.names[seat]} <{self.address(seat)}>"
        reply["To"] = str(mail.message["Reply-To"])
        reply["Subject"] = f"Re: {mail.subject.removeprefix('Re: ')}"
        reply["Date"] = self.now
        reply["In-Reply-To"] = str(mail.message["Message-ID"])
        reply["Message-ID"] = f"<{number}.{address_word(self.names[seat])}@players.test>"
        reply.set_content(text + "\n")
        return bytes(reply)

    def _deliver(self) -> list[Arrived]:
        tray = _Tray(self._on_the_way)
        while send_due(self._do, self.outbox, tray):
            continue
        arrived = []
        for letter in self._on_the_way:
            arrived.append(Arrived(letter.seat, self.now, read(letter.raw)))
            self.boxes[letter.seat].append(arrived[-1])
            self.log.append(arrived[-1])
        self._on_the_way.clear()
        return arrived

    def _do(self, work: Callable[[Tx], T]) -> T:
        with self.store.write() as tx:
            return work(tx)


@dataclass
class _Tray:
    letters: list[Letter]

    def send(self, letter: Letter) -> Result:
        self.letters.append(letter)
        return Sent("250 OK")

    def close(self) -> None:
        pass


def address_word(name: str) -> str:
    """The part of an address that a name gives."""
    return name.lower().replace("ü", "ue")


def a_parlour(
    names: Sequence[str], seed: str, *, is_awake: bool = False, pace: Pace = DEFAULT_PACE
) -> Parlour:
    """A table at which these people are invited, each with the invitation in the mailbox.

    If they are all awake, they want mail at any hour.
    """
    store = SqliteStore.in_memory()
    parlour: Parlour

    def clock() -> datetime:
        return parlour.now if made else EVENING

    made = False
    service = Service(clock, SeededEntropy(seed))
    with store.write() as tx:
        game_id, _ = service.open_table(
            tx,
            [
                Player(f"p-{number}", name, f"{address_word(name)}@players.test")
                for number, name in enumerate(names)
            ],
            origin=Origin("create", "host", "desk"),
            table_name="Cats & sacks",
            ruleset="felicity-2017",
            options=Options(pace=pace),
        )
        for number in range(len(names) if is_awake else 0):
            tx.choose(Choice(f"p-{number}", quiet=""))
    outbox = Outbox(clock, Letters(MAILBOX, bytes(range(32))))
    parlour = Parlour(
        store, service, Processor(service, MAILBOX), outbox, names, game_id, [[] for _ in names]
    )
    made = True
    parlour._deliver()
    return parlour
