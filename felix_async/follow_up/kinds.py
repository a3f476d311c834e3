"""The notices: what a seat is to be told, a class for each kind, with its facts and its policy.

A notice is kept in the transaction that gives rise to it, and becomes (part of) a letter later. In the
database it is a row (`felix_events.store.rows.NoticeRow`): its kind, a word that tells it from others of its
kind, seat and step (`about`), and JSON (`payload`). `dump` and `load` are the only ones that know how.

>>> notice = Reminder(game_id="k7m2p", version=9, seat=1, due_at="2026-11-22T10:00:00.000000Z", rung="50%")
>>> (dump(notice).kind, dump(notice).about, load(dump(notice)) == notice)
('reminder', '50%', True)

The key is the step and not the decision: the same decision is asked for once more when its player comes back,
or somebody takes the seat over, and both are told.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

import orjson

from felix_async.follow_up.answer import Answer as Told
from felix_async.follow_up.decisions import Early, Reminder, TimedOut, Turn
from felix_async.follow_up.disputed import Disputed, Settled
from felix_async.follow_up.notice import Addressed, Notice, Numbered, Policy
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_events.store.base import Tx
from felix_events.store.rows import NoticeRow

log = logging.getLogger(__name__)

START: Final = "start"
"""The reminder to a host that the table can begin."""
Whose = Literal["other", "own", "moved", "taken"]
"""The owner of an address: unknown; the reader; the reader, who has left it; another player."""
Reason = Literal["", "no token", "in doubt", "too costly", "a new key", "taken"]
"""Why a mail is answered, other than by what came of its lines; `taken`: once more, of an order in it."""
_REASON: Final = re.compile(r"(?:(no token|in doubt), )?(\d+)(?:, (.+))?")


# ---- what happens in a game, the most urgent first --------------------------------------------------


class Result(Notice):
    """The game has ended."""

    kind = "result"
    policy = Policy(in_digest=True, told_again=True, said_back=False, asks=False, alert=True)


class Cancelled(Notice):
    """The game, or the table before it, was given up."""

    kind = "cancelled"
    policy = Policy(in_digest=True, told_again=True, said_back=False, asks=False, alert=True)


class Withdrawn(Notice):
    """The reader's invitation was taken back."""

    kind = "withdrawn"
    policy = Policy(in_digest=False, told_again=True, said_back=False, asks=False, alert=True)


class Invitation(Notice):
    """The reader is invited to a table."""

    kind = "invitation"
    policy = Policy(in_digest=False, told_again=True, said_back=False, asks=False, alert=True)

    def is_stale(self, game: Game) -> bool:
        return game.phase != "inviting" or self.seat not in game.asked


class Vote(Notice):
    """Somebody wants a pause, an end, or the computer in a disputed seat."""

    kind = "vote"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)

    def is_stale(self, game: Game) -> bool:
        table = view(game, self.seat)
        is_there = not table.seats[self.seat].computer
        return not (is_there and any(self.seat not in vote.seats for vote in table.votes))


class Paused(Notice):
    """The game is paused."""

    kind = "paused"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)

    def is_stale(self, game: Game) -> bool:
        return game.is_over or not game.paused_until


class Resumed(Notice):
    """The game goes on."""

    kind = "resumed"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)

    def is_stale(self, game: Game) -> bool:
        return game.is_over or bool(game.paused_until)


class Absent(Notice):
    """To the host: the computer plays for somebody, or the reader hosts only since then."""

    kind = "absent"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)

    def is_stale(self, game: Game) -> bool:
        return game.is_over or self.seat != game.host


class TurnedDown(Notice):
    """To the host: whoever was asked to play on in `vacant` does not want to."""

    kind = "turned_down"
    policy = Policy(in_digest=False, told_again=False, said_back=False, asks=False, alert=False)
    key = "offer"
    offer: int = 0
    name: str = ""
    vacant: int = 0

    @property
    def key_text(self) -> str:
        return f"{self.vacant}/{self.offer}"

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        vacant, _, offer = text.partition("/")
        return {"vacant": vacant, "offer": offer} if offer else {}

    @classmethod
    def read_payload(cls, facts: dict[str, Any]) -> dict[str, Any]:
        # It was `seat` once.
        return {"vacant": facts.get("seat", 0), **facts}

    def is_stale(self, game: Game) -> bool:
        return game.is_over or not game.seats[self.vacant].computer


class Newcomer(Notice):
    """Somebody plays on in a seat of the table."""

    kind = "newcomer"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=False)

    def is_stale(self, game: Game) -> bool:
        return game.is_over


class Lobby(Notice):
    """To the host of a table that has not begun: who answered; with the rung `START`, that it could begin."""

    kind = "lobby"
    policy = Policy(in_digest=False, told_again=False, said_back=False, asks=False, alert=True)
    key = "rung"
    rung: str = ""

    @property
    def waits_for_day(self) -> bool:
        return self.rung == START

    def is_stale(self, game: Game) -> bool:
        return game.phase != "inviting" or self.seat != game.host


class News(Notice):
    """Something happened, for players on NOTIFY ALL. In an older one `saying` was said after the end."""

    kind = "news"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)
    key = "saying"
    saying: int = 0

    @property
    def key_text(self) -> str:
        return f"said {self.saying}" if self.saying else ""

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        return super().read_key(text.removeprefix("said "))


class Talk(Notice):
    """Somebody has said something; `saying` is its place if that was after the end.

    It waits a while for more words; every letter that goes before takes them along, and nothing is left.
    """

    kind = "talk"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)
    key = "saying"
    saying: int = 0

    @property
    def key_text(self) -> str:
        return f"said {self.saying}" if self.saying else ""

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        return super().read_key(text.removeprefix("said "))


# ---- what follows from a message ------------------------------------------------------------------------


class Answer(Notice):
    """The answer to a message of the reader."""

    kind = "answer"
    policy = Policy(in_digest=False, told_again=False, said_back=True, asks=False, alert=False)
    key = "mail_id"
    mail_id: int = 0
    reason: Reason = ""
    answer: Told = Told(lines=[])

    @property
    def key_text(self) -> str:
        return f"{self.mail_id}, {self.reason}" if self.reason else str(self.mail_id)

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        found = _REASON.fullmatch(text)
        return {} if found is None else {"mail_id": found[2], "reason": found[1] or found[3] or ""}

    def payload(self) -> str:
        return self.answer.model_dump_json()

    @classmethod
    def read_payload(cls, facts: dict[str, Any]) -> dict[str, Any]:
        # An older one may tell of wishes that could not be kept then.
        return {"answer": {name: fact for name, fact in facts.items() if name != "later"}} if facts else {}

    @classmethod
    def goes_stale(cls) -> bool:
        # One in a letter is not quiet, and was never.
        return False

    def is_stale(self, game: Game) -> bool:
        return self.answer.quiet


class Question(Numbered):
    """Asks whether a message from an `address` was the reader's.

    `orders` are the words of the orders in it, `provider` by whom it came if nobody vouches for it,
    `believed` that YES holds for later mails that come so, `until` when the next such question may be asked
    if this was the last one for a while. A mail that would open a `table` is about no game: `guests` is set.
    """

    kind = "question"
    policy = Policy(in_digest=False, told_again=False, said_back=True, asks=True, alert=False)
    address: str = ""
    orders: tuple[str, ...] = ()
    provider: str = ""
    believed: bool = False
    until: str = ""
    whose: Whose | None = None
    table: str = ""
    guests: tuple[str, ...] | None = None
    in_reply_to: str = ""


class Claim(Numbered, Addressed):
    """To a new address: whether letters shall go there. One that is `taken` is only told so."""

    kind = "claim"
    policy = Policy(in_digest=False, told_again=False, said_back=True, asks=True, alert=False)
    whose: Whose | None = None

    @property
    def question_number(self) -> int:
        return 0 if self.whose == "taken" else self.number


class Moved(Addressed):
    """To the old address: letters go to another one. YES to the question `number` (0: none) takes it back."""

    kind = "moved"
    policy = Policy(in_digest=False, told_again=False, said_back=False, asks=False, alert=False)
    key = "question"
    question: int = 0
    address: str = ""
    number: int = 0

    @property
    def question_number(self) -> int:
        return self.number

    @property
    def key_text(self) -> str:
        return f"{self.question} {self.due_at}"

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        return super().read_key(text.partition(" ")[0])


class Farewell(Addressed):
    """The last letter to somebody who was forgotten."""

    kind = "farewell"
    policy = Policy(in_digest=False, told_again=False, said_back=False, asks=False, alert=False)
    in_reply_to: str = ""


# ---- a seat that changes hands -----------------------------------------------------------------------


class _ToSubstitute(Numbered, Addressed):
    """About the offer `number`, as often as it was asked about (`again`)."""

    @property
    def about(self) -> str:
        return f"{self.number} {self.again}".rstrip()

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        number, _, again = text.partition(" ")
        return {**super().read_key(number), "again": again}


class Offer(_ToSubstitute):
    """Asks whether the reader plays on for somebody: `by` is the host's seat, `until` when the offer ends."""

    kind = "substitute"
    policy = Policy(in_digest=False, told_again=False, said_back=False, asks=True, alert=False)
    name: str = ""
    by: int = 0
    until: str = ""


class SeatClosed(_ToSubstitute):
    """To whoever was asked to play on: why the seat is not to be had any more."""

    kind = "seat_closed"
    policy = Policy(in_digest=False, told_again=False, said_back=False, asks=False, alert=False)
    why: str = ""


class SeatLost(Addressed):
    """To a former player: somebody plays on for them."""

    kind = "seat_lost"
    policy = Policy(in_digest=False, told_again=False, said_back=False, asks=False, alert=False)
    name: str = ""


class Unreadable(Addressed):
    """The record of a `game` is damaged; `mail` names what the reader wrote about it ('': nothing)."""

    kind = "unreadable"
    policy = Policy(in_digest=False, told_again=False, said_back=False, asks=False, alert=False)
    key = "mail"
    mail: str = ""
    game: str = ""
    table: str = ""
    wrote: bool = False


class Unreachable(Notice):
    """To the operator: no more mail goes to the address of a player, and why."""

    kind = "unreachable"
    policy = Policy(in_digest=False, told_again=False, said_back=False, asks=False, alert=False)
    address: str = ""
    why: str = ""

    @property
    def key_text(self) -> str:
        return f"{self.address} {self.due_at[:10]}"

    @classmethod
    def is_alone(cls) -> bool:
        return True


KINDS: Final[Mapping[str, type[Notice]]] = {
    one.kind: one
    for one in (
        *(Claim, Question, Result, Cancelled, Withdrawn, Turn, TimedOut, Invitation, Reminder),
        *(Disputed, Early, Vote, Settled, Paused, Resumed, Absent, TurnedDown),
        *(Newcomer, Lobby, News, Answer, Talk),
        *(Moved, Farewell, Offer, SeatClosed, SeatLost, Unreadable, Unreachable),
    )
}
"""All kinds, the most urgent first: a message about several of them is named after the first."""


_SHARED: Final = ("game_id", "version", "seat", "due_at", "turn", "notice_id")


def dump(notice: Notice) -> NoticeRow:
    """Return the row of a notice."""
    shared = {name: getattr(notice, name) for name in _SHARED}
    payload = "{}" if notice.is_erased else notice.payload()
    return NoticeRow(kind=notice.kind, about=notice.about, payload=payload, **shared)


def load(row: NoticeRow) -> Notice:
    """Return the notice of a row; facts that were erased have their defaults. Raises ValueError."""
    kind = KINDS.get(row.kind)
    if kind is None:
        raise ValueError(f"notice {row.notice_id} is of no known kind: {row.kind!r}")
    shared = {name: getattr(row, name) for name in _SHARED}
    facts = orjson.loads(row.payload)
    if not isinstance(facts, dict):
        raise ValueError(f"notice {row.notice_id} has a payload that is no object")
    shared["is_erased"] = not facts and kind.has_payload()
    return kind.model_validate({**kind.read_payload(facts), **kind.read_about(row.about), **shared})


def load_all(rows: Iterable[NoticeRow]) -> list[Notice]:
    """Return the notices of rows; one that cannot be read is logged and left out."""
    notices: list[Notice] = []
    for row in rows:
        try:
            notices.append(load(row))
        except ValueError:
            log.exception("notice %d about game %s cannot be read", row.notice_id, row.game_id)
    return notices


def enqueue(tx: Tx, notice: Notice) -> bool:
    """Keep a notice until it is in a letter; return False if it was kept, or told, before."""
    return tx.enqueue(dump(notice))
