"""A kept message as a statement: what a letter of felix's says of a game, or what a player wrote.

Letters are known by headers that no mail program makes up. Their text is taken in paragraphs: one that felix
writes begins with felix's own words, and a player's words stand inside of one, behind a mark of their own.
What no header binds to the text is not believed: the boundary of the parts follows from the Message-ID.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import cached_property
from hashlib import sha256
from typing import Final

from felix_async.address import Token, decode_token
from felix_async.audit.kept.mailboxes import KeptMail, NotUsable
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import CONTRIBUTED, LOOP_HEADER
from felix_async.reading.html import hypertext_lines
from felix_async.reading.line import bare
from felix_async.reading.mime import bounded, forms_of, head_of, message_of, plain_lines
from felix_async.reading.reader import open_bytes
from felix_async.text import plain
from felix_events.envelope import MOST_OF_ID

ONCE: Final = ("From", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "Content-Type")
"""Headers of which nobody would know which one counts if there were two."""
_TOKEN: Final = re.compile(r"\+([a-z2-7]{20,100})(?:@|=40|%40)", re.I)
_SOFT_BREAK: Final = re.compile(rb"=\r?\n")
_SUBJECT: Final = 60
_HERE: Final = "\0"
"""Stands for a hash in a sentence."""
_HASH: Final = r"([0-9a-f]{64})\b.*"
_DONE: Final = re.compile(r'- "([^"]+)": Done\.[^"]*')
_PLAYERS_WORDS: Final = "  | "
"""Stands before each line of what players said."""
_FEW: Final = 20
_BEGINNING: Final = 1000


@dataclass(frozen=True)
class Mail:
    """A mail with what its headers say; `ways` are the bytes that it may have come in."""

    place: str
    ways: list[bytes] = field(repr=False)
    head: Message = field(repr=False)

    @cached_property
    def message_id(self) -> str:
        """The Message-ID without its brackets, as private records have it: no longer."""
        return self._header("Message-ID").strip("<> ")[:MOST_OF_ID]

    @cached_property
    def date(self) -> datetime | None:
        """The time that it says of itself."""
        try:
            found = parsedate_to_datetime(self._header("Date"))
        except (ValueError, OverflowError):
            return None
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found

    @cached_property
    def subject(self) -> str:
        """The subject, decoded."""
        try:
            return str(make_header(decode_header(self._header("Subject"))))
        except (ValueError, LookupError, MessageError):
            return self._header("Subject")

    @property
    def told(self) -> str:
        """The mail as a finding names it."""
        date = plain(self._header("Date"))
        of = f" of {date}" if date else ""
        return f'"{plain(self.subject, _SUBJECT)}"{of}, Message-ID <{plain(self.message_id, 80)}>'

    def token_in(self, *headers: str) -> Token | None:
        """The first token in the addresses of these headers."""
        return next(iter(self.tokens_in(*headers)), None)

    def tokens_in(self, *headers: str) -> list[Token]:
        """All tokens in the addresses of these headers."""
        values = (value for name in headers for value in self.head.get_all(name, [])[:_FEW])
        found = (decode_token(token) for value in values for token in _TOKEN.findall(str(value)))
        return list(filter(None, found))

    @cached_property
    def message(self) -> Message:
        """The mail with all its parts."""
        try:
            return message_of(bounded(self.ways[0]))
        except RecursionError:
            return Message()

    @property
    def is_forward(self) -> bool:
        """True if another mail is attached to it."""
        return any(part.get_content_type() == "message/rfc822" for part in self.message.walk())

    @cached_property
    def lines(self) -> list[str]:
        """All lines that stand in it, and its subject: a player's order is one of them."""
        found = [self.subject]
        for text in forms_of(self.message):
            lines = (
                hypertext_lines(text.content)
                if text.html
                else plain_lines(text.content, flowed=text.flowed, delsp=text.delsp)
            )
            found += [line.text for line in lines]
        return [bare(line) for line in found]

    @cached_property
    def orders(self) -> list[Order]:
        """The orders in lines of its writer's own, its subject left out; none if its text was cut short."""
        forms = forms_of(self.message)
        boundary = self.head.get_boundary("")
        is_whole = (
            f"--{boundary}--".encode() in self.ways[0]
            if boundary
            else any(text.content.endswith("\n") for text in forms)
        )
        lines = open_bytes(self.ways[0]).reading.lines or () if is_whole else ()
        found = (read_line(line.text) for line in lines if line.place == "written")
        return [one for one in found if isinstance(one, Order)]

    @cached_property
    def tokens_within(self) -> list[Token]:
        """The tokens that stand anywhere in its bytes, as they do where a letter is quoted."""
        text = _SOFT_BREAK.sub(b"", self.ways[0]).decode("ascii", "replace")
        found = (decode_token(token) for token in dict.fromkeys(_TOKEN.findall(text)))
        return [token for token in found if token is not None]

    @property
    def is_torn_letter(self) -> bool:
        """True if it is one of felix's that has lost headers: it was cut, or its line ends were doubled."""
        return b"\r\r\n" in self.ways[0][:_BEGINNING] or self.token_in("Reply-To") is not None

    def _header(self, name: str) -> str:
        # Not `get`: of bytes that are no ASCII it keeps nothing.
        values = (str(value) for key, value in self.head.raw_items() if key.lower() == name.lower())
        text = next(values, "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return " ".join(text.split())


@dataclass(frozen=True)
class Letter(Mail):
    """A letter of felix's."""

    @cached_property
    def token(self) -> Token | None:
        """The moment of a game that it was written at; only the server can make one."""
        return self.token_in("Reply-To")

    @cached_property
    def files(self) -> list[bytes]:
        """The logs and the pages that are attached to it."""
        parts = (part for part in self.message.walk() if (part.get_filename() or "").startswith("felix-"))
        found = (part.get_payload(decode=True) for part in parts)
        return [data for data in found if isinstance(data, bytes)]

    @cached_property
    def paragraphs(self) -> list[list[str]]:
        """The lines of its text by paragraph, but for those with what players said."""
        text = next((text.content for text in forms_of(self.message) if not text.html), "")
        blocks = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\N{NO-BREAK SPACE}", " "))
        lines = ([line.rstrip() for line in block.strip("\n").split("\n")] for block in blocks)
        return [one for one in lines if not any(line.startswith(_PLAYERS_WORDS) for line in one)]

    @property
    def seal(self) -> str | None:
        """The commitment that the invitation tells."""
        return self._hash_in(phrase("lobby.invitation.seal", commitment=_HERE))

    @property
    def share(self) -> str | None:
        """The contribution that the answer to JOIN tells."""
        return self._hash_in(CONTRIBUTED.format(hash=_HERE))

    @property
    def done(self) -> Iterator[str]:
        """The lines of the mail it answers that it says it obeyed.

        One with quotation marks in it is left out: behind them a player can write what felix would.
        """
        for block in self.paragraphs:
            if block[0].startswith('- "'):
                bullets = re.split(r"\n(?=- )", "\n".join(block))
                found = (_DONE.fullmatch(" ".join(bullet.split())) for bullet in bullets)
                yield from (one[1] for one in found if one is not None)

    def _hash_in(self, said: str) -> str | None:
        begins = said.partition(_HERE)[0]
        pattern = re.compile(re.escape(begins) + _HASH)
        found = (pattern.fullmatch(" ".join(map(str.strip, block))) for block in self.paragraphs)
        return next((one[1] for one in found if one is not None), None)


def read(kept: KeptMail) -> Mail | NotUsable:
    """Return a kept mail, a `Letter` if it is one of felix's; or why nothing can be told from it."""
    head = message_of(bounded(head_of(kept.raw) + b"\r\n\r\n"))
    mail = Mail(kept.place, kept.ways, head)
    boundary = head.get_boundary("")
    if LOOP_HEADER not in head and not boundary.startswith("felix-"):
        return mail
    letter = Letter(kept.place, kept.ways, head)
    doubled = next((name for name in ONCE if len(head.get_all(name, [])) > 1), None)
    if doubled is not None:
        return NotUsable(kept.place, f"a letter with more than one {doubled}, which felix does not write")
    bound = f"felix-{sha256(f'<{letter.message_id}>'.encode()).hexdigest()[:32]}"
    if boundary.removesuffix("-files") != bound:
        return NotUsable(
            kept.place, "a letter whose headers or body were made anew: its parts do not fit its Message-ID"
        )
    if f"--{boundary}--".encode() not in kept.raw:
        return NotUsable(kept.place, "a letter that was cut short")
    return letter
