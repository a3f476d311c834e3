"""One connection to a mailbox by IMAP: what waits there, its bytes, and that it is done with.

Mail that felix has taken is marked on the server, by the keyword `$FelixDone`; where the server keeps no
keywords, by `\\Answered`. Not by `\\Seen`: a mail that a human opened first would be lost. Everything is
named by its UID, bodies are only peeked at, and each step has a timeout. Errors are whatever `imapclient`,
`ssl` and `socket` raise; `reason_of` makes a sentence of them without the password in it.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from imapclient import IMAPClient
from imapclient.exceptions import CapabilityError, IMAPClientAbortError, IMAPClientError, LoginError

from felix_async.settings import Fetch
from felix_async.text import plain

KEYWORD: Final = "$FelixDone"
ANSWERED: Final = "\\Answered"
SEEN: Final = "\\Seen"
DELETED: Final = "\\Deleted"
WINDOW: Final = 100_000
"""UIDs asked about at once, so that the answer is no longer than the megabyte that imaplib reads."""
BATCH: Final = 100
"""Mails that one command names."""
SHORTEST_IDLE: Final = 2.0
"""Seconds of the first IDLE after mail was there."""
IDLE_SECONDS: Final = 28 * 60.0
"""A server may hang up on a client that is silent for 30 minutes (RFC 2177 says: renew before 29)."""
_SLACK: Final = 65_536
"""Bytes that a server may announce where none were asked for, as of a folder's odd name."""
_SLICE_SECONDS: Final = 0.2
"""How often a waiting connection looks whether it is to stop."""
_SEARCHES: Final = {
    KEYWORD: (["UNKEYWORD", KEYWORD], ["KEYWORD", KEYWORD]),
    ANSWERED: (["UNANSWERED"], ["ANSWERED"]),
}
"""A mark -> how to find mails without it, and with it."""


class MailboxError(Exception):
    """The mailbox cannot be used as it is set up; `str()` says what to change."""


class _Literals:
    """Reads the bytes that a server announces, as long as they are no more than were asked for."""

    def __init__(self, client: Any) -> None:
        # The library has no way to bound them: it would read whatever is announced into memory.
        imap = client._imap
        self._read: Callable[[int], bytes] = imap.read
        imap.read = self._bounded
        self.left = _SLACK

    def _bounded(self, size: int) -> bytes:
        self.left -= size
        if self.left < 0:
            raise IMAPClientAbortError(f"it announces {size} bytes, more than were asked for")
        return self._read(size)


class Mailbox:
    """A logged-in connection. `open` selects the folder and is to be called first, and again after a wait."""

    def __init__(self, client: IMAPClient, settings: Fetch) -> None:
        self._client = client
        self._literals = _Literals(client)
        self._settings = settings
        self._mark: str | None = None
        self._uid_next = 0
        self._patience = SHORTEST_IDLE
        self.uid_validity = 0
        self.tells: bool = client.has_capability("IDLE")
        """Return True if the server says by itself that mail has come."""

    @classmethod
    def connect(cls, settings: Fetch) -> Mailbox:
        """Connect, make the connection private as the settings say, and log in.

        Whatever a server announces, no more is read of it than was asked for.
        """
        client: Any = IMAPClient(
            settings.host,
            settings.port,
            ssl=settings.security == "tls",
            ssl_context=_trust(settings) if settings.security == "tls" else None,
            timeout=settings.timeout_seconds,
        )
        try:
            # imaplib writes a command in pieces, and each would wait for the answer to the one before.
            client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if settings.security == "starttls":
                client.starttls(_trust(settings))
            _log_in(client, settings)
            return cls(client, settings)
        except BaseException:
            with suppress(OSError):
                client.shutdown()
            raise

    def open(self) -> None:
        """Select the folder, and find out how mails can be marked there."""
        self._literals.left = _SLACK
        try:
            selected = self._client.select_folder(self._settings.folder)
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            raise MailboxError(
                f"its folder {plain(self._settings.folder)} cannot be opened and written to"
                f" ({plain(_text(error))}); change fetch.folder"
            ) from error
        self.uid_validity = int(selected.get(b"UIDVALIDITY", 0))
        self._uid_next = int(selected.get(b"UIDNEXT", 0))
        self._mark = _mark_of([flag.decode("latin-1") for flag in selected.get(b"PERMANENTFLAGS", ())])
        if self._mark is None and not self._settings.done_folder:
            raise MailboxError(
                "it keeps no marks on mails; set fetch.done_folder, to have them moved instead"
            )

    def waiting(self) -> list[int]:
        """The UIDs of all mails that are not yet done, the oldest first."""
        without, _ = _SEARCHES[self._mark] if self._mark else ([], [])
        return self._search(without)

    def _search(self, criteria: Sequence[str]) -> list[int]:
        starts = range(1, max(self._uid_next, 2), WINDOW)
        found: list[int] = []
        for first in starts:
            # The last window is open: mail may have come since the folder was selected.
            last = "*" if first == starts[-1] else str(first + WINDOW - 1)
            found += self._client.search(["UID", f"{first}:{last}", *criteria, "UNDELETED"])
        return sorted(set(found))

    def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        """The sizes in bytes, as the server tells them; a mail that is gone meanwhile is left out."""
        found = self._client.fetch(uids, ["RFC822.SIZE"])
        return {uid: int(found[uid][b"RFC822.SIZE"]) for uid in uids if b"RFC822.SIZE" in found.get(uid, {})}

    def bodies(self, uids: Sequence[int], most: int) -> dict[int, bytes]:
        """The mails, at most so many bytes of each, whatever size was told; one that is gone is left out."""
        return self._parts(uids, f"BODY.PEEK[]<0.{most}>", most)

    def heads(self, uids: Sequence[int], most: int) -> dict[int, bytes]:
        """The headers of mails, at most so many bytes of each."""
        return self._parts(uids, f"BODY.PEEK[HEADER]<0.{most}>", most)

    def _parts(self, uids: Sequence[int], what: str, most: int) -> dict[int, bytes]:
        self._literals.left = len(uids) * most + _SLACK
        found = self._client.fetch(uids, [what])
        parts: dict[int, bytes] = {}
        for uid in uids:
            for key, value in found.get(uid, {}).items():
                if key.startswith(b"BODY["):
                    parts[uid] = value if isinstance(value, bytes) else str(value or "").encode()
        return parts

    def done(self, uids: Sequence[int]) -> None:
        """Mark mails as taken and read; if no mark is kept, move them."""
        for some in batches(uids):
            if self._mark:
                self._client.add_flags(some, [self._mark, SEEN], silent=True)
            else:
                self._move(some)

    def tidy(self) -> None:
        """Move what is marked into the folder for it, if there is one."""
        if self._settings.done_folder and self._mark:
            for some in batches(self._search(_SEARCHES[self._mark][1])):
                self._move(some)

    def _move(self, uids: Sequence[int]) -> None:
        try:
            self._carry(uids)
        except IMAPClientAbortError:
            raise
        except IMAPClientError:
            # The folder may be missing; what the server says to that differs too much to be looked at.
            with suppress(IMAPClientError):
                self._client.create_folder(self._settings.done_folder)
            try:
                self._carry(uids)
            except IMAPClientAbortError:
                raise
            except IMAPClientError as error:
                raise MailboxError(
                    f"mails cannot be moved to {plain(self._settings.done_folder)}"
                    f" ({plain(_text(error))}); change fetch.done_folder"
                ) from error

    def _carry(self, uids: Sequence[int]) -> None:
        folder = self._settings.done_folder
        if self._client.has_capability("MOVE"):
            self._client.move(uids, folder)
            return
        self._client.copy(uids, folder)
        self._client.add_flags(uids, [DELETED], silent=True)
        # A plain EXPUNGE would remove what others have marked, too; then these stay, marked as deleted.
        if self._client.has_capability("UIDPLUS"):
            self._client.uid_expunge(uids)

    def wait(self, seconds: float, wake: threading.Event) -> None:
        """Wait for mail: by IDLE until something happens, else the whole time; until `wake` at the most.

        News in the very moment in which IDLE begins go unnoticed until IDLE ends. So the
        first one after mail was there is short, and each one doubles.
        """
        if not self.tells:
            wake.wait(seconds)
            return
        end = time.monotonic() + min(seconds, IDLE_SECONDS, self._patience)
        self._patience *= 2
        self._client.idle()
        while not wake.is_set() and (left := end - time.monotonic()) > 0:
            told = self._client.idle_check(min(left, _SLICE_SECONDS))
            # Nothing, and too early: the connection is gone, and the next step says so.
            gone = not told and end - time.monotonic() > left - min(left, _SLICE_SECONDS) / 2
            if gone or any(response[0] != b"OK" for response in told):
                break
        self._client.idle_done()

    def has_news(self) -> None:
        """There was mail: more may follow soon."""
        self._patience = SHORTEST_IDLE

    def close(self) -> None:
        """Say good-bye, without waiting long for an answer."""
        with suppress(Exception):
            self._client.socket().settimeout(1)
            self._client.logout()
            return
        with suppress(Exception):
            self._client.shutdown()

    def abort(self) -> None:
        """Cut the connection; whoever waits for it in another thread gets an error at once."""
        with suppress(Exception):
            self._client.socket().shutdown(socket.SHUT_RDWR)


def batches(uids: Sequence[int], most: int = BATCH) -> Iterator[Sequence[int]]:
    """So many at a time."""
    for start in range(0, len(uids), most):
        yield uids[start : start + most]


def reason_of(error: Exception, settings: Fetch) -> str:
    """Tell the operator what went wrong with a mailbox: one line, harmless, without the password."""
    match error:
        case MailboxError():
            reason = str(error)
        case LoginError():
            reason = f"it refuses the user or the password: {_text(error)}"
        case CapabilityError():
            reason = "it cannot do what is needed: " + _text(error)
        case ssl.SSLCertVerificationError():
            reason = f"its certificate is not trusted: {error.verify_message}"
        case TimeoutError():
            reason = "it does not answer in time"
        case socket.gaierror():
            reason = "there is no host of this name"
        case OSError():
            reason = error.strerror or "the connection was lost"
        case _:
            reason = _text(error)
    password = settings.password.get_secret_value()
    return plain(reason.replace(password, "…") if password else reason)


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__


def _trust(settings: Fetch) -> ssl.SSLContext:
    """Whom to believe: the system's authorities, or only those of the file that is named."""
    try:
        return ssl.create_default_context(cafile=settings.ca_file)
    except OSError as error:
        raise MailboxError(
            f"{settings.ca_file} holds no certificates ({error.strerror}); change fetch.ca_file"
        ) from error


def _log_in(client: Any, settings: Fetch) -> None:
    user, password = settings.user, settings.password.get_secret_value()
    if client.has_capability("AUTH=PLAIN"):
        client.plain_login(user, password)
        return
    try:
        client.login('"{}"'.format(user.replace("\\", "\\\\").replace('"', '\\"')), password)
    except UnicodeEncodeError:
        raise MailboxError("it takes user and password in plain ASCII only; change fetch.user") from None


def _mark_of(permanent: Sequence[str]) -> str | None:
    """The mark that a folder keeps, by its PERMANENTFLAGS; a server that tells none keeps the usual ones."""
    flags = {flag.lower() for flag in permanent}
    if "\\*" in flags or KEYWORD.lower() in flags:
        return KEYWORD
    return ANSWERED if ANSWERED.lower() in flags or not permanent else None
