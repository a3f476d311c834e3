"""Mails for tests: from a table as `table.py` sets it, or from a log; and what can be read out of them."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, Final, overload
from urllib.parse import parse_qs, urlsplit

from felix_async.address import Token, address_of, encode_token
from felix_async.follow_up.answer import Answer, AnsweredLine, Section, Verdict
from felix_async.follow_up.kinds import Question, Whose
from felix_async.game.ledger import Purse
from felix_async.game.state import Game
from felix_async.game.story import Story
from felix_async.game.views import View, view
from felix_events.store.rows import Letter
from felix_notifiers.content.explained import short_answers
from felix_notifiers.content.harmless import table_label
from felix_notifiers.content.history import Told
from felix_notifiers.content.mail import Composed, Mail
from felix_notifiers.content.moves import ReplyTo
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.question import was_that_you
from felix_notifiers.mails.render import rendered
from games import NAMES, TABLE_NAME
from table import GAME_ID, Table

MAILBOX: Final = "felix@play.test"
TOKEN: Final = encode_token(Token(GAME_ID, 1, "move", 7), bytes(32))
REPLY_ADDRESS: Final = address_of(MAILBOX, TOKEN)
TURN: Final[frozenset[str]] = frozenset({"turn"})


def mail(
    table: Table | Game,
    seat: int,
    occasions: Set[str] = TURN,
    *,
    answer: Answer | None = None,
    history: Sequence[Told] = (),
    names: Sequence[str] = NAMES,
    table_name: str = TABLE_NAME,
    is_first: bool = True,
) -> Composed:
    """The mail that a seat gets about a table."""
    game = table.game if isinstance(table, Table) else table
    seen = snapshot(
        view(game, seat), names[: len(game.seats)], table_name=table_name, purses=true_purses(game)
    )
    return compose(Occasion(game=seen, kinds=occasions, answer=answer, history=history, is_first=is_first))


def true_purses(game: Game) -> dict[int, Purse]:
    """Return the mice and cats of all, out of the state: a test may set up a table without events."""
    if not game.round:
        return {}
    return {seat: Purse(game.seats[seat].mice, tuple(game.seats[seat].won)) for seat in game.players}


def snapshot(table: View, names: Sequence[str] = NAMES, **fields: Any) -> Snapshot:
    """A game as whoever sees this view knows it."""
    known: dict[str, Any] = {
        "game_id": GAME_ID,
        "table_name": TABLE_NAME,
        "kept_names": names,
        "reply_address": REPLY_ADDRESS,
    }
    return Snapshot(table=table, **(known | fields))


def changed(occasion: Occasion, **fields: Any) -> Occasion:
    """The same with other facts, those of the game among them."""
    of_game = {name: value for name, value in fields.items() if name in Snapshot.__dataclass_fields__}
    others = {name: value for name, value in fields.items() if name not in of_game}
    return replace(occasion, game=replace(occasion.game, **of_game), **others)


def the_question(address: str, whose: Whose = "other", **facts: Any) -> Mail:
    """The question to Ben whether a mail from that address was his."""
    asked = Question(game_id=GAME_ID, version=1, seat=1, due_at="", number=2, address=address, **facts)
    label = table_label(TABLE_NAME, GAME_ID)
    return was_that_you(asked, whose=whose, label=label, reply_address=REPLY_ADDRESS)


def compose(occasion: Occasion) -> Composed:
    """The mail about a game, in both its forms."""
    return rendered(mail_of(occasion))


def an_answer(
    *lines: tuple[str, Verdict, str],
    show: Sequence[Section] = (),
    subject: str = "",
    in_reply_to: str = "",
    code: str = "",
) -> Answer:
    """The answer to a mail of these lines; those that were refused were so with this code."""
    told = [
        AnsweredLine(text=text, verdict=verdict, why=why, code=code if verdict == "refused" else "")
        for text, verdict, why in lines
    ]
    return Answer(lines=told, show=list(show), subject=subject, in_reply_to=in_reply_to)


def in_short(occasion: Occasion, story: Story, show: Sequence[Section]) -> Occasion:
    """The answer to questions in plain words, about a game with this story."""
    blocks = short_answers(occasion.game, story, show, ReplyTo(REPLY_ADDRESS, "Re: Felix"))
    return changed(occasion, answer=an_answer(show=show), blocks=blocks)


def offered(composed: Composed) -> list[str]:
    """The lines that the text part offers as answers."""
    pieces = composed.text.split("\n\n")
    lists = (below for above, below in pairwise(pieces) if " ".join(above.split()).endswith(_OFFERS))
    lines = [line for below in lists for line in re.sub(r"\n {3,}", " ", below).splitlines()]
    return [order for line in lines for order in orders_in(line.strip())]


def orders_in(line: str) -> list[str]:
    """The answers of a line: `BID 3, 4 (or any number to 9)` offers two, `PASS (no mice)` one."""
    first, *rest = line.partition(" (")[0].split(", ")
    word = next((word for word in ("UP TO", "BID", "PLAY") if first.startswith(f"{word} ")), "")
    return [first, *(other if other.startswith(word) else f"{word} {other}" for other in rest)]


_OFFERS: Final = (
    "Reply with:",
    " already:",
    " this line:",
    " these lines:",
    " these:",
    " this:",
    '"):',
    ".test:",
)
"""How the words end that stand above a list of answers."""


@dataclass(frozen=True)
class Link:
    """A mailto link: where to, with which subject and body."""

    url: str
    address: str
    subject: str
    body: str


_PIECE: Final = 2_000


class Html(HTMLParser):
    """What a mail program sees in an HTML part."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[Link] = []
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.open: list[str] = []
        self._said: list[str] = []
        self._silent = False
        self.feed(html)
        self.close()

    @classmethod
    def beginning(cls, html: str, letters: int) -> str:
        """Return the words up to so many letters at the least; the rest is not parsed, which is dear."""
        seen, start = cls(""), 0
        while start < len(html) and len(" ".join(seen.words.split())) < letters:
            tag = html.find("<", start + _PIECE)
            end = len(html) if tag < 0 else tag
            seen.feed(html[start:end])
            start = end
        return seen.words

    @property
    def words(self) -> str:
        """All that is to be read in it."""
        return " ".join(self._said)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = dict(attrs)
        self.sources += [value for name, value in attrs if name in ("src", "background") and value]
        if tag == "a":
            url = values["href"] or ""
            query = parse_qs(urlsplit(url).query, strict_parsing=True)
            self.links.append(Link(url, urlsplit(url).path, query["subject"][0], query["body"][0]))
        if tag not in ("meta", "br", "wbr", "img"):
            self.open.append(tag)
        self._silent = tag in ("style", "title")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"
        self._silent = False

    def handle_data(self, data: str) -> None:
        if not self._silent and (words := data.strip()):
            self._said.append(words)


def read(raw: bytes) -> EmailMessage:
    """A mail as its reader's program parses it."""
    return message_from_bytes(raw, policy=default)


class Mails(Sequence[EmailMessage]):
    """Letters as their readers' programs parse them, each when it is first looked at: parsing is dear."""

    def __init__(self, letters: Sequence[Letter]) -> None:
        self._letters = letters
        self._parsed: dict[int, EmailMessage] = {}

    def __len__(self) -> int:
        return len(self._letters)

    @overload
    def __getitem__(self, place: int) -> EmailMessage: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[EmailMessage]: ...

    def __getitem__(self, place: int | slice) -> EmailMessage | Sequence[EmailMessage]:
        if isinstance(place, slice):
            return [self[number] for number in range(len(self))[place]]
        at = range(len(self))[place]
        if at not in self._parsed:
            self._parsed[at] = read(self._letters[at].raw)
        return self._parsed[at]

    def __eq__(self, other: object) -> bool:
        return [*self] == other

    __hash__ = None  # type: ignore[assignment]


def part(message: EmailMessage, kind: str) -> str:
    """The text or the HTML of a mail, with the line ends of this machine."""
    body = message.get_body((kind,))
    assert body is not None, f"the mail has no {kind} part"
    text = body.get_content()
    assert isinstance(text, str)
    return text.replace("\r\n", "\n")
