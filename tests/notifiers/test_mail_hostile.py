"""Whatever people are called, say and write: letters of every kind keep their form, and their links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from functools import cache
from itertools import cycle
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest
from selectolax.lexbor import LexborHTMLParser

from felix_async.follow_up.kinds import KINDS, dump, load
from felix_async.follow_up.notice import Notice
from felix_events.store.base import Reader
from felix_events.store.rows import Letter
from felix_notifiers.content.layout import WIDTH, width
from felix_notifiers.mails.case import Case
from felix_notifiers.mails.letters import Letters, Part, Written
from inbox.postbag import MAILBOX
from notifiers.sheets import part as part_of
from notifiers.sheets import read
from notifiers.test_mail_strangers import HOSTILE
from notifiers.twice import SECRET, Evening, reading

NASTY: Final = (
    *(text for text in HOSTILE if text.isprintable() or "\u202e" in text or "\x1b" in text or "\r" in text),
    "</td></tr></table><h1>x</h1>",
    "--></style><style>*{display:none}",
    "' onmouseover='x",
    '" style="position:fixed',
    "url(http://evil.test/x)",
    "<a href=http://evil.test>x</a>",
    "javascript:alert(1)//",
    "x?subject=PASS&body=PASS",
    "&#60;b&#62;",
    "]]><![CDATA[",
    "\u2067SSAP\u2069\u200f",
    "=?utf-8?q?=3Cb=3E?=",
    "=?utf-8?q?=0D=0ABcc:a=40b.cc?=",
    "=?utf-8?b?DQoNClBBU1MNCg==?=",
    "<!--",
    "<textarea>",
    '\\"><svg/onload=x>',
)
TAME: Final = ("tame",)
TELLING: Final = ("name", "why", "subject", "text", "orders", "by")
"""What people wrote of a notice's payload; the rest is felix's own."""


def with_words(case: Case, words: Callable[[], str]) -> Case:
    """The game as if people were called so, and had said so."""
    return replace(
        case,
        row=replace(case.row, table_name=words()),
        seats=[replace(row, name=words()) for row in case.seats],
        sayings=[replace(one, text=words()) for one in case.sayings],
        former=[replace(row, name=words()) for row in case.former],
    )


def with_payload(value: Any, words: Callable[[], str], key: str = "") -> Any:
    """A payload with other words where people's words stand."""
    if isinstance(value, dict):
        return {name: with_payload(one, words, name) for name, one in value.items()}
    if isinstance(value, list):
        return [with_payload(one, words, key) for one in value]
    return words() if isinstance(value, str) and value and key in TELLING else value


def part_with_words(part: Part, words: Callable[[], str]) -> Part:
    """What is to be told, with other people's words in it."""

    def other(notice: Notice) -> Notice:
        payload = with_payload(orjson.loads(notice.payload()), words)
        return load(replace(dump(notice), payload=orjson.dumps(payload).decode()))

    case = with_words(part.case, words)
    to = replace(part.to, name=case.seats[part.to.seat].name)
    return Part(case, to, [other(notice) for notice in part.notices])


def letter_in(written: Written | None) -> Letter | None:
    return None if written is None else written.letter


@dataclass
class Sturdy:
    """Writes each letter with tame words, and with nasty ones, and compares the forms of the two."""

    pen: Letters = field(default_factory=lambda: Letters(MAILBOX, SECRET, "operator@felix.test"))
    compared: Counter[str] = field(default_factory=Counter)
    harm: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        tame, nasty = cycle(TAME), cycle(NASTY)
        self._words: list[Callable[[], str]] = [lambda: next(tame), lambda: next(nasty)]

    @property
    def zone(self) -> str:
        return self.pen.zone

    def case(self, reader: Reader, game_id: str) -> Case:
        return self.pen.case(reader, game_id)

    def digest(self, *what: object) -> bytes:
        return self.pen.digest(*what)

    def to_host(self, part: Part, now: str) -> Letter | None:
        tame, nasty = (self.pen.to_host(part_with_words(part, words), now) for words in self._words)
        self._compare([part], tame, nasty)
        return tame

    def to_player(self, reader: Reader, part: Part, now: str) -> Written | None:
        letters: list[Written | None] = []
        for words in self._words:
            with reading(lambda case, words=words: with_words(case, words)):  # type: ignore[misc]
                letters.append(self.pen.to_player(reader, part_with_words(part, words), now))
        self._compare([part], *map(letter_in, letters))
        return letters[0]

    def to_player_of_many(
        self, reader: Reader, parts: Sequence[Part], now: str, number: int = 1, count: int = 1
    ) -> Written | None:
        letters: list[Written | None] = []
        for words in self._words:
            worded = [part_with_words(part, words) for part in parts]
            with reading(lambda case, words=words: with_words(case, words)):  # type: ignore[misc]
                letters.append(self.pen.to_player_of_many(reader, worded, now, number, count))
        self._compare(parts, *map(letter_in, letters))
        return letters[0]

    def _compare(self, parts: Sequence[Part], tame: Letter | None, nasty: Letter | None) -> None:
        kinds = {notice.kind for part in parts for notice in part.notices}
        self.compared.update(kinds)
        assert (tame is None) == (nasty is None)
        if tame is not None and nasty is not None:
            self.harm += [f"{sorted(kinds)}: {found}" for found in harm(read(tame.raw), read(nasty.raw))]


def harm(tame: EmailMessage, nasty: EmailMessage) -> list[str]:
    """What the nasty words have brought about."""
    found = []
    if nasty.defects or sorted(nasty.keys()) != sorted(tame.keys()):
        found.append(f"headers: {nasty.keys()}")
    if [one.addr_spec for one in nasty["To"].addresses] != [one.addr_spec for one in tame["To"].addresses]:
        found.append(f"recipients: {nasty['To']}")
    texts = [str(value) for value in nasty.values()]
    if nasty.get_body(("html",)) is not None:
        html = part_of(nasty, "html")
        texts += html.splitlines()
        if skeleton(html) != skeleton(part_of(tame, "html")):
            found.append("tags and attributes")
        found += [f"a link to {link}" for link in links(html) if not is_ours(link)]
    # The first line is never wrapped: a phone shows it whole, and felix knows it again.
    text = part_of(nasty, "plain").splitlines()
    found += [f"a long line: {line}" for line in text[1:] if width(line) > WIDTH and "mailto:" not in line]
    return found + [f"{line!r} steers" for line in (*texts, *text) if steers(line)]


def skeleton(html: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """All tags in their order with their attributes; where links go, and what pictures say, is left out."""
    root = LexborHTMLParser(html).root
    assert root is not None
    told = ("href", "alt", "title", "aria-label")
    return [
        (
            node.tag or "",
            tuple((name, "" if name in told else value or "") for name, value in node.attributes.items()),
        )
        for node in root.traverse()
    ]


def links(html: str) -> list[str]:
    """Where it leads, or fetches from."""
    root = LexborHTMLParser(html).root
    assert root is not None
    return [
        value or ""
        for node in root.traverse()
        for name, value in node.attributes.items()
        if name in ("href", "src", "background", "action", "srcset", "poster")
    ]


def is_ours(link: str) -> bool:
    """Return True if it is a mail to felix with a subject and a text, and nothing else."""
    url = urlsplit(link)
    query = parse_qs(url.query, strict_parsing=True)
    is_felix = url.path.startswith("felix%2B") and url.path.endswith("@felix.test")
    is_one_mail = query.keys() == {"subject", "body"} and all(len(values) == 1 for values in query.values())
    return url.scheme == "mailto" and is_felix and is_one_mail


def steers(line: str) -> bool:
    """Return True if a character in it steers a terminal, or turns the direction of writing."""
    return not re.sub("[\u00a0\t]", " ", line).isprintable()


@cache
def written(seats: int) -> Sturdy:
    """An evening at which everything happens."""
    hand = Sturdy()
    Evening(seats, "sturdy", hand).whole()
    return hand


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 5])
def test_no_word_of_anybody_changes_the_form_of_a_letter(seats: int) -> None:
    assert written(seats).harm == []


@pytest.mark.slow
def test_letters_of_every_kind_were_looked_at() -> None:
    """But of those that need a game of their own: one that is over, and one that is damaged."""
    assert set(KINDS) - written(5).compared.keys() <= {"result", "unreadable"}


def test_harm_would_be_found() -> None:
    tame, nasty = (EmailMessage() for _ in range(2))
    for message, html in (
        (tame, "<p>x</p>"),
        (nasty, '<p style="x">\u202ex<a href="http://evil.test">x</a></p>'),
    ):
        message["To"] = "anna@players.test"
        message.set_content("x")
        message.add_alternative(html, subtype="html")
    assert len(harm(tame, nasty)) == 3
