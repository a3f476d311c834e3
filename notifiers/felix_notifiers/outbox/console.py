"""Letters on a terminal instead of by mail: for trying things out, and for looking at what was sent."""

from __future__ import annotations

from dataclasses import dataclass
from email import message_from_bytes
from email.policy import default
from typing import Final, TextIO

from felix_async.text import plain
from felix_events.store.rows import Letter
from felix_notifiers.outbox.channel import Result, Sent

_HEADERS: Final = ("From", "To", "Reply-To", "Subject")
_WIDEST: Final = 998


@dataclass(frozen=True, slots=True)
class Console:
    """Prints each letter's text part."""

    stream: TextIO

    def send(self, letter: Letter) -> Result:
        """Print a letter, whatever is in it, without anything that steers a terminal."""
        encoding = self.stream.encoding or "utf-8"
        text = printed(letter.raw).encode(encoding, "replace").decode(encoding)
        self.stream.write(f"{text}\n")
        return Sent("printed")

    def close(self) -> None:
        """What was printed is there."""
        self.stream.flush()


def printed(raw: bytes) -> str:
    """The main headers and the text part of a message, safe to print."""
    message = message_from_bytes(raw, policy=default)
    headers = [f"{name}: {plain(str(message[name] or ''), _WIDEST)}" for name in _HEADERS]
    body = message.get_body(("plain",))
    text = "" if body is None else body.get_content()
    return "\n".join([*headers, "", *(_visible(line) for line in text.splitlines()), ""])


def _visible(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + plain(line, _WIDEST)
