"""Answers on offer: the orders that are likely now, each as words to type and as a link to tap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from felix_async.game.views import View
from felix_async.language.grammar import Order
from felix_notifiers.content.pictures import Face, face_of
from felix_notifiers.content.snapshot import Snapshot

RAISES: Final = (0, 1, 2, 4)
"""The offered bids, as mice above the least one; the rest is for the player to type."""


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

    `typed` is for the text part, if that says it in yet other words. `is_aside` says that it is not
    waited for, and so not the answer to tap before all others.
    """

    words: str
    order: str
    to: ReplyTo
    face: Face | None = None
    typed: str = ""
    is_aside: bool = False

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


def may_exchange(game: Snapshot) -> bool:
    """Return True if the reader's card lies in the row, and may still be exchanged."""
    return game.own.placed is not None and bool(game.own.choices.plays) and not game.is_asked


def exchanges(game: Snapshot) -> list[Order]:
    """The cards that may lie there instead."""
    plays = game.own.choices.plays
    return [Order("PLAY", card=card) for card in plays if card != game.own.placed]


def mailto(address: str, subject: str, body: str) -> str:
    """A link that opens a mail filled in (RFC 6068). Some read a bare `+` as a blank, so it is escaped."""
    return _up_to_body(address, subject) + quote(body.replace("\n", "\r\n"), safe="")


@lru_cache(maxsize=8)
def _up_to_body(address: str, subject: str) -> str:
    """The same for all links of a mail."""
    local, _, host = address.rpartition("@")
    return f"mailto:{quote(local, safe='')}@{host}?subject={quote(subject, safe='')}&body="
