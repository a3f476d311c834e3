"""What the reader may say before it is asked, and what they have said: a limit, a pass, the next card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.game.cards import card_text
from felix_async.language.grammar import Order
from felix_async.language.order import order_of
from felix_async.language.phrases import phrase
from felix_async.pictures.pictures import face_of
from felix_notifiers.content.moves import Option, ReplyTo
from felix_notifiers.content.snapshot import Snapshot

RAISES: Final = (1, 3, 5, 8)
"""The offered limits, as mice above the least bid: a limit is for a while, and any other can be typed."""
_FEW: Final = 2
"""Limits that are offered beside bids."""
_UP_TO: Final = str(Order("UPTO", limit=0)).removesuffix("0")


def early_options(game: Snapshot, to: ReplyTo) -> list[Option]:
    """A few limits for a reader whose turn is to come, one to fill in, and PASS."""
    limits, bids = _limits(game), game.table.in_advance().bids
    others = [blank(to)] if bids is not None and bids[0] < bids[1] else []
    return [to.option(Order("PASS")), *map(to.option, limits), *others]


def limits_beside(game: Snapshot, to: ReplyTo) -> list[Option]:
    """A few limits for a reader who is asked for a bid, and one to fill in."""
    bids = game.own.choices.bids
    if bids is None or bids[0] == bids[1]:
        return []
    amounts = _amounts(game)
    few = amounts[1 : 1 + _FEW] or amounts
    before = _before_the_card(game)
    if before in amounts and before not in few:
        few = sorted([*few[: _FEW - 1], before])
    return [*(to.option(Order("UPTO", limit=amount)) for amount in few), blank(to)]


def blank(to: ReplyTo) -> Option:
    """A limit whose number the reader fills in before they send it."""
    return to.option(_UP_TO, shown=phrase("table.early.blank", order=_UP_TO.strip()))


def _limits(game: Snapshot) -> list[Order]:
    return [Order("UPTO", limit=amount) for amount in _amounts(game)]


def _amounts(game: Snapshot) -> list[int]:
    """Limits from just above the least bid to many mice more, as far as the reader has as many.

    One that a card has ended is among them: it is likely enough.
    """
    bids = game.own.choices.bids or game.table.in_advance().bids
    if bids is None or game.is_last_bidder:
        return []
    least, most = bids
    amounts = [least + more for more in RAISES if least + more <= most] or [most]
    before = _before_the_card(game)
    if least <= before <= most and before not in amounts:
        amounts = sorted([*amounts[: len(RAISES) - 1], before])
    return amounts


def _before_the_card(game: Snapshot) -> int:
    """The limit that the reader gave before the last card turned, 0 if there was none."""
    return 0 if game.ended is None else game.ended.order.limit or 0


def next_cards(game: Snapshot, to: ReplyTo) -> list[Option]:
    """The cards of the hand, each to tap as the one for the next round; none if none is to be chosen."""
    if game.table.phase != "bidding" or game.table.seats[game.seat].computer:
        return []
    cards = game.table.in_advance().cards
    return [to.option(Order("NEXT", next=card), face=face_of(card)) for card in cards]


def next_tapped(game: Snapshot) -> str:
    """Say how to give the next card, or another one, by a tap."""
    return phrase("table.early.next_tap" if game.ahead.card is None else "table.early.next_tap_other")


def next_typed(options: Sequence[Option]) -> str:
    """Say how to give the next card in writing; '' if there is none to give."""
    cats = [option for option in options if option.face is not None and option.face.look == "good"]
    return phrase("table.early.next_typed", order=(cats or options)[0].order) if options else ""


def ended(game: Snapshot) -> str:
    """Say that the reader's limit has ended with the card; '' if there was none."""
    if game.ended is None or game.ahead.auction is not None:
        return ""
    return phrase("table.early.ended", order=str(order_of(game.ended.order)))


def said(game: Snapshot) -> list[str]:
    """What the reader has said in advance, as far as it still counts.

    A limit has done its work where the reader is asked all the same.
    """
    told: list[str] = []
    auction, card = game.ahead.auction, game.ahead.card
    if auction is not None and not game.is_asked:
        key = "pass" if auction.order.kind == "pass" else "bid"
        told.append(phrase(f"table.early.said.{key}", order=str(order_of(auction.order))))
    if card is not None and card.order.card is not None:
        number, shown = card.order.round + 1, card_text(card.order.card)
        told.append(phrase("table.early.said_card", round=number, card=shown))
    return told
