"""What a mail says: its headers as far as they can be read, and the lines that its writer wrote.

Strict on purpose: only text/plain is read. Quoted lines, what stands above them as an attribution, the
signature, and everything from an unquoted marker line on are not the writer's and are dropped. Whatever
is in the bytes, nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import Message
from email.utils import getaddresses
from hashlib import sha256
from typing import Final, TypeVar

from felix_async.grammar import clean
from felix_async.words import MARKER

MAX_LINES: Final = 50
MAX_DEPTH: Final = 20
"""Parts within parts; nobody writes deeper."""
MAX_HEADER_BYTES: Final = 65_536
MAX_FROM: Final = 1000
T = TypeVar("T")
_HEADERS_OF_CONTENT: Final = ("From", "To", "Subject", "Date", "In-Reply-To")
_ADDRESS: Final = re.compile(r"[^@\s<>\"(),:;]+@[^@\s<>\"(),:;]+")


@dataclass(frozen=True, slots=True)
class Letter:
    """A received mail, read. `lines` is None without plain text, `sender` is '' where it is in doubt.

    `authentication` are the values of all Authentication-Results, the topmost first.
    """

    headers: dict[str, str]
    sender: str
    message_id: str
    content_sha256: str
    lines: list[str] | None
    authentication: tuple[str, ...] = ()


def read_mail(raw: bytes) -> Letter:
    """The mail in these bytes, as well as it can be read."""
    message = _parse(raw)
    headers = _headers(message)
    return Letter(
        headers=headers,
        sender=_or(_sender, message, ""),
        message_id=headers.get("message-id", "").strip().strip("<>").strip(),
        content_sha256=_content_hash(raw, headers),
        lines=_or(_lines, message, None),
        authentication=_or(_authentication, message, ()),
    )


def written_lines(text: str) -> list[str]:
    """The lines that the writer wrote: cut at the marker, without quotes, attributions and signature."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    written: list[str] = []
    for line in lines:
        if _is_quoted(line):
            _drop_attribution(written)
            continue
        if clean(line) == MARKER or line.rstrip() == "--":
            break
        written.append(line)
    return [line for line in written if clean(line)][:MAX_LINES]


def _is_quoted(line: str) -> bool:
    return line.lstrip().startswith((">", "|"))


def _drop_attribution(written: list[str]) -> None:
    """Take back `On Friday felix wrote:` (on one or two lines) right above a quote."""
    while written and not clean(written[-1]):
        written.pop()
    if written and clean(written[-1]).endswith(":"):
        written.pop()
        if written and clean(written[-1]).startswith("On "):
            written.pop()


def _or(read: Callable[[Message], T], message: Message, otherwise: T) -> T:
    """What can be read of a message; `otherwise` where the library stumbles over it."""
    try:
        return read(message)
    except Exception:  # noqa: BLE001 - the library names no errors for this, and a mail may be any bytes
        return otherwise


def _parse(raw: bytes) -> Message:
    """The mail under the older policy, which takes headers as they stand; the newer one raises on real ones.

    A mail with more headers than any server writes is not parsed at all: it would take minutes.
    """
    head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    if len(head) > MAX_HEADER_BYTES:
        return Message()
    try:
        return message_from_bytes(raw, policy=policy.compat32)
    except RecursionError:
        return Message()


def _headers(message: Message) -> dict[str, str]:
    """Headers by lower-case name; the first of each, as some attacks add a second."""
    headers: dict[str, str] = {}
    for name, value in message.items():
        headers.setdefault(name.lower(), _writable(" ".join(str(value).split())))
    return headers


def _sender(message: Message) -> str:
    """The address in From, lower case; '' unless there is exactly one and it is written without tricks."""
    values = message.get_all("From", [])
    value = " ".join(str(values[0]).split()) if len(values) == 1 else ""
    if not value or len(value) > MAX_FROM:
        return ""
    addresses = getaddresses([value])
    if len(addresses) != 1 or policy.default.header_factory("From", value).defects:
        return ""
    address = addresses[0][1]
    # `alice@a.test<mallory@b.test>` must not pass for alice: the rest of the text names nobody else.
    named_otherwise = "@" in value.lower().replace(address.lower(), "")
    return (
        "" if named_otherwise or not address.isascii() or not _ADDRESS.fullmatch(address) else address.lower()
    )


def _authentication(message: Message) -> tuple[str, ...]:
    """What servers on the way say about the sender; whose word counts is decided elsewhere."""
    values = message.get_all("Authentication-Results", [])
    return tuple(" ".join(str(value).split()) for value in values)


def _lines(message: Message) -> list[str] | None:
    """The lines of the first plain text of the mail itself; attachments and attached mails are not orders."""
    parts = [(message, 0)]
    while parts:
        part, depth = parts.pop(0)
        if part.get_content_disposition() == "attachment" or part.get_filename() or depth > MAX_DEPTH:
            continue
        if part.get_content_maintype() == "multipart":
            payload = part.get_payload()
            inner = payload if isinstance(payload, list) else []
            parts[:0] = [(one, depth + 1) for one in inner if isinstance(one, Message)]
        elif part.get_content_type() == "text/plain":
            text = part.get_payload(decode=True)
            return written_lines(
                _decoded(text if isinstance(text, bytes) else b"", part.get_content_charset(""))
            )
    return None


def _decoded(payload: bytes, charset: str) -> str:
    try:
        return _writable(payload.decode(charset or "utf-8", "replace"))
    except (LookupError, ValueError):
        return payload.decode("utf-8", "replace")


def _writable(text: str) -> str:
    """The text without halves of characters, which some charsets can spell and no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _content_hash(raw: bytes, headers: dict[str, str]) -> str:
    """The mail without its Message-ID and what servers on the way added."""
    kept = [f"{name}: {headers.get(name.lower(), '')}" for name in _HEADERS_OF_CONTENT]
    unix = raw.replace(b"\r\n", b"\n")
    body = unix.partition(b"\n\n")[2].rstrip()
    return sha256("\n".join(kept).encode("utf-8", "surrogateescape") + b"\n\n" + body).hexdigest()
