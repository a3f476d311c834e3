"""A real `felix serve` is killed at each step of its work, while players write to it and get its mail.

The parent is the rest of the world: the players' mail server, which takes every letter and forgets none; the
players, who answer each decision, in plain words or exactly, and often in advance; and their mail
server's queue, which delivers a mail again until it hears 250. It looks into the database from outside, and
kills (`kill -9`) when it sees the state that it waits for: a mail acknowledged, a mail stored, its events
written, an order out of plain words done after its pause, a letter frozen, a letter delivered and not yet
marked as sent, or in the middle of a start. Then the next server goes on with the same database.
"""

from __future__ import annotations

import os
import queue
import re
import smtplib
import sqlite3
import subprocess
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path
from random import Random
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session

from cli.terminal import FELIX, environment
from felix_async.address import decode_token, token_in
from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_of
from felix_async.clock import system_clock
from felix_async.follow_up.answer import Answer
from felix_async.inbox.receive import Listener
from felix_async.service import Origin, Player, Service
from felix_events.store.packing import raw_of
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.content.offers import decisions_in, offers_in
from kill.in_advance import check_chains, check_steps, mails_heard, unheard

MOMENTS: Final = ("acknowledged", "stored", "processed", "paused", "frozen", "delivered", "starting")
"""What a kill waits for; they take turns."""
GAMES: Final = 3
NAMES: Final = ("anna", "ben", "cara")
PATIENCE: Final = 30.0
LONGEST_PAUSE: Final = 0.004
"""Seconds, at the most, from an acknowledgement to the kill: about as long as a step takes."""
LONGEST_START: Final = 0.8
MOST_ANSWERS: Final = 2
"""To one address: what is said in advance may come too late, and is said anew in turn."""
_MAILBOX: Final = "felix@felix.test"
_MAY_BE_STALE: Final = ("turn", "early", "invitation")
"""The kinds of notices that end without a letter where it would come too late."""
_DUE: Final = "due_at <= strftime('%Y-%m-%dT%H:%M:%f', 'now')"
"""A notice that waits for the morning is no work that is left."""
_OWED: Final = f"SELECT count(*) FROM notices WHERE settled = 0 AND {_DUE} AND notice_id > ?"  # noqa: S608  # from the line above
_OVER: Final = f"SELECT kind, letter_id, payload FROM notices WHERE settled = 1 OR {_DUE}"  # noqa: S608  # from the line above
_STATES: Final = {
    "stored": "SELECT count(*) FROM inbox WHERE state = 'new' AND mail_id > ?",
    "processed": _OWED,
    "paused": "SELECT count(*) - ? FROM questions WHERE state = 'yes'",
    "frozen": "SELECT count(*) FROM letters WHERE state = 'ready' AND letter_id > ?",
}
_LAST: Final = {
    "stored": "SELECT coalesce(max(mail_id), 0) FROM inbox",
    "processed": "SELECT coalesce(max(notice_id), 0) FROM notices",
    "paused": "SELECT count(*) FROM questions WHERE state = 'yes'",
    "frozen": "SELECT coalesce(max(letter_id), 0) FROM letters",
}
_WAITING: Final = "SELECT count(*) FROM questions WHERE state = 'open' AND due_at <> ''"
_DROPPED: Final = "SELECT message_id FROM letters WHERE state = 'dropped'"
_AT_REST: Final = ("stored", "processed", "frozen")
_CRASHED_BEFORE: Final = "SELECT count(*) FROM inbox WHERE state = 'new' AND tries > 0"
"""A mail that was next in three crashes goes to quarantine; it is let through before the next kill."""


@dataclass
class Post:
    """The players' mail server: what felix sent, and what is on its way to felix."""

    chance: Random
    letters: dict[str, bytes] = field(default_factory=dict)
    arrivals: Counter[str] = field(default_factory=Counter)
    waiting: list[tuple[str, str, bytes]] = field(default_factory=list)
    acknowledged: list[tuple[str, bytes]] = field(default_factory=list)
    tries: int = 0
    at_delivery: Callable[[], object] = print
    answering: bool = True
    _answers: Counter[str] = field(default_factory=Counter)
    _new: queue.SimpleQueue[tuple[str, bytes]] = field(default_factory=queue.SimpleQueue)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Take a letter for good; felix may be dead before it hears so."""
        assert isinstance(envelope.content, bytes)
        self._new.put((envelope.rcpt_tos[0], envelope.content))
        self.at_delivery()
        return "250 OK"

    def read(self) -> None:
        """The players read what has come, and write their answers."""
        while not self._new.empty():
            player, raw = self._new.get()
            message = message_from_bytes(raw, policy=policy.default)
            message_id = str(message["Message-ID"])
            assert self.letters.setdefault(message_id, raw) == raw, f"{message_id} came with other bytes"
            self.arrivals[message_id] += 1
            address = parseaddr(str(message["Reply-To"]))[1]
            offers = decisions_in(message)
            is_early = not any(offer.startswith(("BID", "PLAY", "JOIN")) for offer in offers)
            is_answered = is_for_question(address) or self._answers[address] == MOST_ANSWERS
            if self.answering and offers and not is_answered:
                self._answers[address] += 1
                number = self._answers.total()
                order = "JOIN" if "JOIN" in offers else self._in_advance(message)
                order = order or in_words(self.chance.choice(offers), 0 if is_early else number)
                head = f"From: {player}\r\nMessage-ID: <{number}@players.test>\r\nSubject: Re: felix\r\n\r\n"
                self.waiting.append((address, player, f"{head}{order}\r\n".encode()))

    def _in_advance(self, message: EmailMessage) -> str:
        """What to say of what the mail offers to say in advance; '' if it offers nothing, or none of that."""
        offers = [offer for offer in offers_in(message) if not offer.endswith(" ")]
        limits = [offer for offer in offers if offer.startswith("UP TO ")]
        cards = [offer for offer in offers if offer.startswith("NEXT ")]
        if not limits or self.chance.random() < 0.3:
            return ""
        said = [self.chance.choice(limits), *(cards and [self.chance.choice(cards)])]
        return ", ".join(said[: self.chance.randint(1, 2)])

    def deliver(self, protocol: str, port: int) -> bool:
        """Try the oldest mail once; whether it was acknowledged."""
        recipient, sender, raw = self.waiting[0]
        client_of = smtplib.LMTP if protocol == "lmtp" else smtplib.SMTP
        self.tries += 1
        try:
            with client_of("127.0.0.1", port, local_hostname="players.test", timeout=PATIENCE) as client:
                client.sendmail(sender, [recipient], raw)
                self.acknowledged.append((recipient, raw))
                del self.waiting[0]
                return True
        except smtplib.SMTPServerDisconnected:
            return raw in [kept for _, kept in self.acknowledged[-1:]]
        except (OSError, smtplib.SMTPException) as error:
            if getattr(error, "smtp_code", 0) >= 500:
                raise
            return False


def is_for_question(address: str) -> bool:
    """Return True if this is where what felix took from plain words is corrected: nobody does."""
    token = decode_token(token_in(address, _MAILBOX) or "")
    return token is not None and token.purpose == "question"


def in_words(order: str, number: int) -> str:
    """Every other order as somebody says it who has not read HELP."""
    words = order.lower().replace("play ", "play the ")
    return f"hmm, I'll {words} then" if number % 2 else order


@dataclass
class Siege:
    """One database, and the servers that work on it one after the other."""

    folder: Path
    chance: Random
    post: Post
    kills: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    in_words: int = 0
    longest_chain: int = 0

    @property
    def database(self) -> Path:
        """Where everything is."""
        return self.folder / "felix.db"

    @contextmanager
    def looking(self) -> Iterator[sqlite3.Connection]:
        """A look into the database from outside."""
        uri = f"file:{self.database}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE, check_same_thread=False)) as looking:
            yield looking

    def ask(self, sql: str, *values: object) -> int:
        """One number."""
        with self.looking() as looking:
            return int(looking.execute(sql, values).fetchone()[0])

    def open_tables(self) -> None:
        """See to it that there is something to play."""
        with closing(SqliteStore.open_to_write(self.database)) as store, store.write() as tx:
            service = Service(system_clock, os.urandom)
            for _ in range(GAMES - sum(game.state in ("inviting", "running") for game in tx.games())):
                people = [
                    Player(f"p-{name}", name.title(), f"{name}@players.test")
                    for name in ("anna", "ben", "cara")
                ]
                origin = Origin(f"new/{os.urandom(8).hex()}", "host", "desk")
                service.open_table(tx, people, origin=origin, table_name="", ruleset="felicity-2017")

    def start(self, protocol: str, sink: int) -> subprocess.Popen[bytes]:
        """A server, just started."""
        (self.folder / "felix.toml").write_text(
            f'mailbox = "{_MAILBOX}"\n[listen]\nprotocol = "{protocol}"\nport = 0\n[send]\nport = {sink}\n'
            "[receive]\npause = 1\n"
        )
        with (self.folder / "said").open("wb") as said:
            words = [*FELIX, "serve", "--config", str(self.folder / "felix.toml")]
            return subprocess.Popen(words, env=environment(), stdout=said, stderr=said)

    def port_of(self, child: subprocess.Popen[bytes]) -> int | None:
        """Where it listens, as soon as it says so; None where it is dead."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            told = re.search(rb"felix takes [LS]MTP on [0-9.]+:([0-9]+) for ", self.said())
            if told:
                return int(told[1])
            if child.poll() is not None:
                return None
            time.sleep(0.005)
        raise AssertionError(self.said())

    def said(self) -> bytes:
        """What the last server has said."""
        return (self.folder / "said").read_bytes()

    def attack(self, number: int, sink: int) -> None:
        """One server, from its start to its sudden end."""
        moment = MOMENTS[number % len(MOMENTS)]
        protocol = ("smtp", "lmtp")[number // len(MOMENTS) % 2]
        self.open_tables()
        base = {state: self.ask(sql) for state, sql in _LAST.items()}
        child = self.start(protocol, sink)
        over = threading.Event()

        def kill() -> None:
            child.kill()
            over.set()

        watcher = threading.Thread(target=self._watch, args=(moment, base, kill, over))
        watcher.start()
        self.post.at_delivery = kill if moment == "delivered" and self._settled() else lambda: None
        acknowledgements = self.chance.randint(1, 4)
        try:
            port = self.port_of(child)
            deadline = time.monotonic() + PATIENCE
            while child.poll() is None and port is not None:
                assert time.monotonic() < deadline, f"nobody waits so long for: {moment}"
                if moment == "delivered" and self._settled():
                    self.post.at_delivery = kill
                self.post.read()
                if not self.post.waiting:
                    time.sleep(0.001)
                elif not self.post.deliver(protocol, port):
                    time.sleep(0.002)
                else:
                    acknowledgements -= 1
                    if moment == "acknowledged" and acknowledgements <= 0 and self._settled():
                        time.sleep(self.chance.uniform(0, LONGEST_PAUSE))
                        kill()
        finally:
            kill()
            child.wait()
            watcher.join()
            self.post.at_delivery = lambda: None
        self.kills[moment] += 1
        self.post.read()
        self.check()

    def _settled(self) -> bool:
        return self.ask(_CRASHED_BEFORE) == 0

    def _watch(
        self, moment: str, base: dict[str, int], kill: Callable[[], None], over: threading.Event
    ) -> None:
        """Kill when the database shows what is waited for, or some time after the start."""
        if moment == "starting":
            over.wait(self.chance.uniform(0, LONGEST_START))
            kill()
        elif moment in _STATES:
            with self.looking() as looking:
                while not over.is_set():
                    (count,) = looking.execute(_STATES[moment], (base[moment],)).fetchone()
                    if count and not looking.execute(_CRASHED_BEFORE).fetchone()[0]:
                        kill()
                    # The state may last for less than a millisecond.
                    over.wait(0.0001)

    def check(self) -> None:
        """What was acknowledged is there, and nothing was done twice; note what the kill left behind."""
        with self.looking() as looking:
            kept: dict[tuple[str, bytes], list[str]] = defaultdict(list)
            for recipient, state, *bytes_ in looking.execute(
                "SELECT recipient, state, size, dictionary, data FROM inbox JOIN inbox_bytes USING (mail_id)"
            ):
                kept[recipient, raw_of(bytes_)].append(state)
            letters = dict(looking.execute("SELECT message_id, state FROM letters"))
            owed = looking.execute("SELECT count(*) FROM notices WHERE settled = 0").fetchone()[0]
        for mail in self.post.acknowledged:
            assert mail in kept, f"acknowledged and lost: {mail!r}"
        for mail, states in kept.items():
            assert set(states) <= {"new", "done", "duplicate"}, (mail, states)
            assert states.count("done") <= 1, f"done twice: {mail!r}"
        assert set(self.post.letters) <= set(letters), "a letter came that nobody knows of"
        with closing(SqliteStore.open_to_read(self.database)) as store, store.read() as reader:
            for game_id in reader.logs():
                self.longest_chain = max(self.longest_chain, check_chains(reader, game_id).longest)
        self.found["mail stored, not processed"] += any("new" in states for states in kept.values())
        self.found["events written, no letter frozen"] += owed > 0
        self.found["letter frozen, not delivered"] += bool(
            {name for name, state in letters.items() if state == "ready"} - set(self.post.letters)
        )
        self.found["letter delivered, not marked"] += any(
            letters[message_id] == "ready" for message_id in self.post.letters
        )
        self.found["stored, and not acknowledged"] += bool(
            self.post.waiting and (self.post.waiting[0][0], self.post.waiting[0][2]) in kept
        )

    def finish(self, sink: int) -> None:
        """One server that is left alone until nothing is left to do; then everything must add up."""
        self.post.answering = False
        child = self.start("smtp", sink)
        try:
            port = self.port_of(child)
            assert port is not None, self.said()
            deadline = time.monotonic() + 2 * PATIENCE
            while self.post.waiting or not self._at_rest():
                assert time.monotonic() < deadline, "it does not come to rest"
                self.post.read()
                if self.post.waiting:
                    self.post.deliver("smtp", port)
                else:
                    time.sleep(0.01)
            child.terminate()
            assert child.wait(PATIENCE) == 0
        finally:
            child.kill()
            child.wait()
        self.post.read()
        self.check()
        self.check_all()

    def _at_rest(self) -> bool:
        with self.looking() as looking:
            counts = [looking.execute(_STATES[name], (0,)).fetchone()[0] for name in _AT_REST]
            counts += looking.execute(_WAITING).fetchone()
        return not any(counts)

    def check_all(self) -> None:
        """Each mail moved its game once, each notice ended in a letter that came, and each log is sound."""
        with self.looking() as looking:
            done = looking.execute("SELECT sha256 FROM inbox WHERE state = 'done'").fetchall()
            notices = looking.execute(_OVER).fetchall()
            names = dict(looking.execute("SELECT letter_id, message_id FROM letters"))
            dropped = {name for (name,) in looking.execute(_DROPPED)}
            packed = looking.execute(
                "SELECT message_id, size, dictionary, data FROM letters JOIN letter_bytes USING (letter_id)"
            )
            raws = {message_id: raw_of(bytes_) for message_id, *bytes_ in packed}
        assert len(done) == len(set(self.post.acknowledged)), "each mail was done once"
        # An early ask is needless if its answer came before it could go, and then it is dropped.
        needed = {name: raw for name, raw in raws.items() if name not in dropped - set(self.post.letters)}
        assert needed == self.post.letters, "every letter came, as it was frozen, and no other"
        for kind, letter_id, payload in notices:
            if letter_id is not None:
                assert letter_id in names
            elif kind == "answer":
                assert Answer.model_validate_json(payload).quiet, f"an answer ended nowhere: {payload}"
            else:
                assert kind in _MAY_BE_STALE, f"a notice of kind {kind} ended nowhere"
        heard: set[str] = set()
        with closing(SqliteStore.open_to_read(self.database)) as store, store.read() as reader:
            for game_id in reader.logs():
                evidence = evidence_of(reader, game_id)
                assert evidence is not None
                report = audit(evidence)
                assert report.sound, [str(finding) for finding in report.findings]
                check_steps(reader, game_id)
                heard |= mails_heard(reader, game_id)
            assert heard <= {sha256 for (sha256,) in done}, "an event of nobody"
            assert unheard(reader, heard) == [], "each mail did what its answer says"
        self.in_words = self.ask(_LAST["paused"])


def kill_often(folder: Path, rounds: int, seed: int, talk: Callable[[str], None] = print) -> Siege:
    """So many servers, one after the other, on one database; AssertionError at the first thing lost."""
    talk(f"{rounds} servers killed, seed {seed}")
    chance = Random(seed)
    siege = Siege(folder, chance, Post(chance))
    SqliteStore.create(siege.database).close()
    sink = Listener(siege.post, host="127.0.0.1", port=0, max_bytes=1_000_000)
    sink.start()
    try:
        for number in range(rounds):
            siege.attack(number, sink.port)
        siege.finish(sink.port)
    finally:
        sink.stop()
    post = siege.post
    talk(f"{post.tries} mails tried, {len(post.acknowledged)} acknowledged, {len(post.letters)} letters came")
    talk(f"{sum(post.arrivals.values()) - len(post.letters)} letters came twice, as they were")
    talk(f"{siege.in_words} orders out of plain words were done after a pause")
    talk(f"{siege.longest_chain} moves by orders in advance followed at once, at the most")
    talk(", ".join(f"{count} kills left: {what}" for what, count in sorted(siege.found.items())))
    return siege
