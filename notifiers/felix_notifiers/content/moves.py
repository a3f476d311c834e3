"""Answers on offer: the orders that are likely now, each as words to type and as a link to tap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from typing import Final, Literal
from urllib.parse import quote

from felix_async.game.views import View
from felix_async.language.grammar import Order
from felix_async.language.words import WORD_OF
from felix_async.pictures.pictures import Face, face_of
from felix_notifiers.content.snapshot import Snapshot

RAISES: Final = (0, 1, 2, 4)
"""The offered bids, as mice above the least one; the rest is for the player to type."""
A_ROW: Final = 5
"""So many numbers stand side by side."""
_ASIDE_ROW: Final = 3
Rank = Literal["move", "aside", "destructive"]
_DESTRUCTIVE: Final = tuple(
    f"{WORD_OF[word]} " for word in ("UNINVITE", "CANCEL", "ABANDON", "HANDOVER", "RESIGN")
)
_ASIDE: Final = tuple(
    f"{WORD_OF[word]} "
    for word in ("DECLINE", "HELP", "STATUS", "HAND", "HISTORY", "RULES", "GAMES", "ORDERS")
)


@dataclass(frozen=True, slots=True)
class ReplyTo:
    """The addressee of an answer: an address of felix's, and the subject of the mail that answers."""

    address: str
    subject: str

    def option(
        self, order: Order | str, *, shown: str = "", typed: str = "", face: Face | None = None
    ) -> Option:
        """Offer an order, `shown` in other words if it has any; `typed` is what the text part says."""
        card = order.card if isinstance(order, Order) else None
        face = face or (None if card is None else face_of(card))
        return Option(shown or str(order), str(order), self, face, typed)


@dataclass(frozen=True, slots=True)
class Option:
    """An answer on offer: `words` to tap, and the `order` that they stand for; `face` if it is about a card.

    `typed` is for the text part, if that says it in yet other words; `note` says what comes of it.
    """

    words: str
    order: str
    to: ReplyTo
    face: Face | None = None
    typed: str = ""
    note: str = ""

    @property
    def rank(self) -> Rank:
        """A move looks like all others; what is no move is smaller, and what destroys is small print."""
        begins = f"{self.order} ".startswith
        return "destructive" if begins(_DESTRUCTIVE) else "aside" if begins(_ASIDE) else "move"

    @property
    def is_limit(self) -> bool:
        """True if it is a limit and nothing besides: felix bids for the reader."""
        return self.order.startswith(WORD_OF["UPTO"]) and self.order.count(" ") == 2

    @property
    def is_bid(self) -> bool:
        """True if it is a bid and nothing besides."""
        return self.order.startswith(WORD_OF["BID"]) and self.order.count(" ") == 1

    @property
    def number(self) -> str:
        """Its name behind others of its kind."""
        return self.words.rpartition(" ")[2]

    @property
    def is_blank(self) -> bool:
        """True if the reader fills in the rest before they send it: there is nothing to type."""
        return self.order.endswith(" ")

    @property
    def url(self) -> str:
        """The option as a link: it opens a mail with the order in its body."""
        return mailto(self.to.address, self.to.subject, self.order)


def likely_orders(table: View, seat: int) -> list[Order]:
    """The orders to offer to a seat that the table waits for; none for the others."""
    if seat not in table.asked or table.seats[seat].gone:
        return []
    if table.phase == "inviting":
        # A host does not give the seat back, but calls the game off or lets somebody else host it.
        return [Order("JOIN"), Order("CANCEL" if seat == table.host else "DECLINE")]
    choices = table.own[seat].choices
    if choices.plays:
        return [Order("PLAY", card=card) for card in choices.plays]
    least, most = choices.bids or (1, 0)
    bids = [Order("BID", amount=least + more) for more in RAISES if least + more <= most]
    return [*bids, Order("PASS")]


def in_rows(options: Sequence[Option], across: int = 1) -> list[list[Option]]:
    """Put answers side by side, so many `across`; where each move has a line, bids have one, and limits.

    What comes with a note stands alone.

    >>> to = ReplyTo("felix@mail.test", "")
    >>> offered = [to.option(order) for order in ("PASS", "BID 7", "BID 8", "UP TO 9", "UP TO ")]
    >>> [[option.words for option in row] for row in in_rows(offered)]
    [['PASS'], ['BID 7', 'BID 8'], ['UP TO 9', 'UP TO ']]
    >>> [[option.words for option in row] for row in in_rows(offered[:3], across=3)]
    [['PASS', 'BID 7', 'BID 8']]
    """
    rows: list[list[Option]] = []
    for kind, alike in groupby(options, key=partial(_kind, is_list=across == 1)):
        row = [*alike]
        widest = across if kind == "move" else _ASIDE_ROW if kind == "aside" else A_ROW
        rows += [row[first : first + widest] for first in range(0, len(row), widest)]
    return rows


def _kind(option: Option, *, is_list: bool) -> str:
    """The pieces that stand side by side."""
    is_own = is_list and (option.is_bid or option.is_limit)
    return option.note or (option.order.partition(" ")[0] if is_own else option.rank)


def may_exchange(game: Snapshot) -> bool:
    """Return True if the reader's card lies in the row, and may still be exchanged."""
    return game.own.placed is not None and bool(game.own.choices.plays) and not game.is_asked


def exchanges(game: Snapshot) -> list[Order]:
    """The cards that may lie there instead."""
    plays = game.own.choices.plays
    return [Order("PLAY", card=card) for card in plays if card != game.own.placed]


def mailto(address: str, subject: str, body: str) -> str:
    """A link that opens a mail filled in (RFC 6068), to nobody yet if there is no address.

    Some read a bare `+` as a blank, so it is escaped. The address has no name before it, although it is long:
    with one, some mail programs open nothing, or a mail to nobody.
    """
    return _up_to_body(address, subject) + quote(body.replace("\n", "\r\n"), safe="")


@lru_cache(maxsize=8)
def _up_to_body(address: str, subject: str) -> str:
    """The same for all links of a mail."""
    local, _, host = address.rpartition("@")
    to = f"{quote(local, safe='')}@{host}" if address else ""
    return f"mailto:{to}?subject={quote(subject, safe='')}&body="
