"""An IMAP server with one folder, in this process, that misbehaves when it is told to."""

from __future__ import annotations

import base64
import re
import select
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

USER: Final = "felix"
PASSWORD: Final = 'the "secret" \\word'
EVERYTHING: Final = ("IDLE", "MOVE", "UIDPLUS", "AUTH=PLAIN")
ANY_FLAG: Final = ("\\Seen", "\\Answered", "\\Deleted", "\\*")


@dataclass
class Kept:
    """A mail on the server; `told_size` is what it says of it, where that is a lie."""

    raw: bytes
    flags: set[str] = field(default_factory=set)
    told_size: int | None = None


class Command(NamedTuple):
    """A command as it came, and the connection to answer on."""

    connection: Connection
    tag: str
    line: str


Fault = Callable[[Command], None]


def hang_up(command: Command) -> None:
    """Close the connection without a word."""
    command.connection.close()


def say_bye(command: Command) -> None:
    """Close it with one."""
    command.connection.send("* BYE the server goes down for the night")
    command.connection.close()


def refuse(command: Command) -> None:
    """NO: it cannot be done."""
    command.connection.send(f"{command.tag} NO [UNAVAILABLE] not today")


def not_understand(command: Command) -> None:
    """BAD, with the command in it, as some servers write."""
    command.connection.send(f"{command.tag} BAD cannot parse: {command.line}")


def say_nothing(command: Command) -> None:
    """Leave the client waiting."""


def talk_nonsense(command: Command) -> None:
    """An answer that no protocol knows."""
    command.connection.send("* 1 FETCH (UID (((( RFC822.SIZE")
    command.connection.send(f"{command.tag} OK done")


def break_off(command: Command) -> None:
    """Announce a body, send a part of it, and hang up."""
    command.connection.send("* 1 FETCH (UID 1 BODY[]<0> {1000}")
    command.connection.send("From: anna@players.test")
    command.connection.close()


def boast(command: Command) -> None:
    """Announce a body of a gigabyte, and begin to send it."""
    command.connection.send("* 1 FETCH (UID 1 BODY[]<0> {1000000000}")
    with suppress(OSError):
        for _ in range(30):
            command.connection.send(b"x" * 1_000_000)


class ImapServer:
    """Use it as a context manager; `deliver` puts mails into its folder."""

    def __init__(
        self,
        *,
        capabilities: Sequence[str] = EVERYTHING,
        permanent: Sequence[str] | None = ANY_FLAG,
        tls: ssl.SSLContext | None = None,
        starttls: ssl.SSLContext | None = None,
    ) -> None:
        self.capabilities = capabilities
        self.permanent = permanent
        self.tls, self.starttls = tls, starttls
        self.uid_validity, self.uid_next = 7, 1
        self.mails: dict[int, Kept] = {}
        self.folders: dict[str, list[bytes]] = {}
        self.commands: list[str] = []
        self.connections: list[Connection] = []
        self.changed = threading.Condition()
        self._faults: list[tuple[re.Pattern[str], Fault, int]] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> ImapServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Only a shutdown wakes a thread that waits in accept().
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        for connection in list(self.connections):
            connection.close()
            connection.thread.join()

    def deliver(self, *raws: bytes, flags: Sequence[str] = (), told_size: int | None = None) -> list[int]:
        """New mails; their UIDs."""
        with self.changed:
            uids = list(range(self.uid_next, self.uid_next + len(raws)))
            self.uid_next += len(raws)
            for uid, raw in zip(uids, raws, strict=True):
                self.mails[uid] = Kept(raw, set(flags), told_size)
            self.changed.notify_all()
        return uids

    def on(self, pattern: str, fault: Fault, times: int = 1) -> None:
        """Answer the next commands that match with this fault."""
        self._faults.append((re.compile(pattern), fault, times))

    def fault_for(self, line: str) -> Fault | None:
        """What to do instead of answering this command well."""
        for number, (pattern, fault, times) in enumerate(self._faults):
            if pattern.match(line):
                if times == 1:
                    del self._faults[number]
                else:
                    self._faults[number] = (pattern, fault, times - 1)
                return fault
        return None

    def count(self, pattern: str) -> int:
        """How many commands matched."""
        return sum(re.match(pattern, line) is not None for line in self.commands)

    def wait_until(self, true: Callable[[], bool], seconds: float = 10.0) -> None:
        """Until something has happened here."""
        with self.changed:
            assert self.changed.wait_for(true, seconds), self.commands[-20:]

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._listening.accept()
            except OSError:
                return
            self.connections.append(Connection(self, accepted))


class Connection:
    """One client."""

    def __init__(self, server: ImapServer, accepted: socket.socket) -> None:
        self.server = server
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = accepted
        self.file = accepted.makefile("rb")
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def send(self, line: str | bytes) -> None:
        """A line to the client."""
        with suppress(OSError):
            self.socket.sendall((line.encode() if isinstance(line, str) else line) + b"\r\n")

    def close(self) -> None:
        """Hang up."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def _wrap(self, context: ssl.SSLContext) -> None:
        self.file.close()
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.file = self.socket.makefile("rb")

    def _serve(self) -> None:
        with suppress(OSError, ValueError):
            if self.server.tls is not None:
                self._wrap(self.server.tls)
            self.send(f"* OK [CAPABILITY {self._capabilities()}] ready")
            while line := self.file.readline().decode().rstrip("\r\n"):
                self._answer(line)
        self.close()
        self.file.close()

    def _capabilities(self) -> str:
        offered = ["IMAP4rev1", *self.server.capabilities]
        return " ".join([*offered, "STARTTLS"] if self.server.starttls else offered)

    def _answer(self, line: str) -> None:
        tag, _, rest = line.partition(" ")
        fault = self.server.fault_for(rest)
        if fault is not None:
            self._note(rest)
            fault(Command(self, tag, rest))
            return
        words = rest.split()
        name = words[1] if words[0] == "UID" else words[0]
        done = getattr(self, f"_{name.lower()}")(tag, rest)
        # A command is noted when its answer is on the way, so that who waits for it sees what it did.
        self._note(rest)
        if done:
            self.send(f"{tag} {done}")

    def _note(self, rest: str) -> None:
        with self.server.changed:
            self.server.commands.append(rest)
            self.server.changed.notify_all()

    def _capability(self, tag: str, rest: str) -> str:
        self.send(f"* CAPABILITY {self._capabilities()}")
        return "OK done"

    def _starttls(self, tag: str, rest: str) -> str:
        assert self.server.starttls is not None
        self.send(f"{tag} OK begin")
        self._wrap(self.server.starttls)
        return ""

    def _authenticate(self, tag: str, rest: str) -> str:
        self.send("+ ")
        _, user, password = base64.b64decode(self.file.readline()).decode().split("\0")
        return "OK in" if (user, password) == (USER, PASSWORD) else f"NO {password} is wrong"

    def _login(self, tag: str, rest: str) -> str:
        quoted = PASSWORD.replace("\\", "\\\\").replace('"', '\\"')
        return "OK in" if rest == f'LOGIN "{USER}" "{quoted}"' else f"NO {PASSWORD} is wrong"

    def _select(self, tag: str, rest: str) -> str:
        if '"INBOX"' not in rest and " INBOX" not in rest:
            return "NO no such folder"
        self.send(f"* {len(self.server.mails)} EXISTS")
        self.send("* 0 RECENT")
        self.send("* FLAGS (\\Seen \\Answered \\Deleted)")
        if self.server.permanent is not None:
            self.send(f"* OK [PERMANENTFLAGS ({' '.join(self.server.permanent)})] limited")
        self.send(f"* OK [UIDVALIDITY {self.server.uid_validity}] valid")
        self.send(f"* OK [UIDNEXT {self.server.uid_next}] next")
        return "OK [READ-WRITE] selected"

    def _search(self, tag: str, rest: str) -> str:
        words = rest.split()[2:]
        first, _, last = words[1].partition(":")
        found = [
            str(uid)
            for uid, mail in sorted(self.server.mails.items())
            if int(first) <= uid <= (int(last) if last != "*" else uid) and _matches(mail, words[2:])
        ]
        self.send(" ".join(["* SEARCH", *found]))
        return "OK found"

    def _fetch(self, tag: str, rest: str) -> str:
        sequence, what = rest.split(" ", 3)[2:]
        for uid in _uids(sequence):
            if uid in self.server.mails:
                mail = self.server.mails[uid]
                self.send(f"* {uid} FETCH (UID {uid} ".encode() + _item(mail, what) + b")")
        return "OK fetched"

    def _store(self, tag: str, rest: str) -> str:
        sequence, _, flags = rest.split(" ", 4)[2:]
        with self.server.changed:
            for uid in _uids(sequence):
                if uid in self.server.mails:
                    self.server.mails[uid].flags |= set(flags.strip("()").split())
        return "OK stored"

    def _move(self, tag: str, rest: str) -> str:
        answer = self._copy(tag, rest)
        if answer.startswith("OK"):
            self._remove(_uids(rest.split()[2]))
        return answer

    def _copy(self, tag: str, rest: str) -> str:
        sequence, folder = rest.split(" ", 3)[2:]
        kept = self.server.folders.get(folder.strip('"'))
        if kept is None:
            return "NO [TRYCREATE] no such folder"
        kept += [self.server.mails[uid].raw for uid in _uids(sequence) if uid in self.server.mails]
        return "OK copied"

    def _expunge(self, tag: str, rest: str) -> str:
        assert rest.startswith("UID EXPUNGE "), "would remove what others have deleted"
        self._remove([uid for uid in _uids(rest.split()[2]) if "\\Deleted" in self.server.mails[uid].flags])
        return "OK gone"

    def _remove(self, uids: Sequence[int]) -> None:
        with self.server.changed:
            for uid in uids:
                self.server.mails.pop(uid, None)

    def _create(self, tag: str, rest: str) -> str:
        self.server.folders[rest.split(" ", 1)[1].strip('"')] = []
        return "OK made"

    def _idle(self, tag: str, rest: str) -> str:
        count = len(self.server.mails)
        self.send("+ idling")
        self._note("IDLE begun")
        while not select.select([self.socket], [], [], 0.01)[0]:
            if len(self.server.mails) != count:
                count = len(self.server.mails)
                self.send(f"* {count} EXISTS")
        assert self.file.readline() in (b"DONE\r\n", b"")
        return "OK idled"

    def _logout(self, tag: str, rest: str) -> str:
        self.send("* BYE good night")
        return "OK out"


def _uids(sequence: str) -> list[int]:
    """`1:3,7` as numbers."""
    found: list[int] = []
    for part in sequence.split(","):
        first, _, last = part.partition(":")
        found += range(int(first), int(last or first) + 1)
    return found


def _matches(mail: Kept, criteria: Sequence[str]) -> bool:
    words = iter(criteria)
    for word in words:
        flag = next(words) if word.endswith("KEYWORD") else "\\" + word.removeprefix("UN").title()
        if (flag in mail.flags) == word.startswith("UN"):
            return False
    return True


def _item(mail: Kept, what: str) -> bytes:
    if what == "(RFC822.SIZE)":
        size = len(mail.raw) if mail.told_size is None else mail.told_size
        return f"RFC822.SIZE {size}".encode()
    asked = re.fullmatch(r"\(BODY\.PEEK\[(HEADER)?\]<0\.([0-9]+)>\)", what)
    assert asked, what
    raw = mail.raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if asked[1] else mail.raw
    part = raw[: int(asked[2])]
    return f"BODY[{asked[1] or ''}]<0> {{{len(part)}}}\r\n".encode() + part
