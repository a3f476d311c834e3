"""What a seat may answer: orders that are likely now, each as words to type and as a link to tap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from felix_async.game.views import View
from felix_async.language.grammar import Order
from felix_events.model import Card
from felix_notifiers.content.scene import Scene

RAISES: Final = (0, 1, 2, 4)
"""How far above the least bid the offered bids are; the rest is for the player to type."""


@dataclass(frozen=True, slots=True)
class Move:
    """An order that its reader may give now; `card` where it places one."""

    words: str
    url: str
    card: Card | None = None


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


def may_exchange(scene: Scene) -> bool:
    """Whether the reader's card lies in the row, and may still be exchanged."""
    return scene.own.placed is not None and bool(scene.own.choices.plays) and not scene.is_asked


def exchanges(scene: Scene) -> list[Order]:
    """The cards that may lie there instead."""
    plays = scene.own.choices.plays
    return [Order("PLAY", card=card) for card in plays if card != scene.own.placed]


def mailto(address: str, subject: str, body: str) -> str:
    """A link that opens a mail filled in (RFC 6068). Some read a bare `+` as a blank, so it is escaped."""
    body = body.replace("\n", "\r\n")
    local, _, host = address.rpartition("@")
    local, subject, body = (quote(part, safe="") for part in (local, subject, body))
    return f"mailto:{local}@{host}?subject={subject}&body={body}"


def link_for(order: Order, address: str, subject: str) -> Move:
    """An order as words to type, and as a link that answers to `address` with it."""
    return Move(str(order), mailto(address, subject, str(order)), order.card)


def moves_of(table: View, seat: int, address: str, subject: str) -> list[Move]:
    """The likely orders, with links that answer to `address`; an order is in the body, not in the subject."""
    return [link_for(order, address, subject) for order in likely_orders(table, seat)]
