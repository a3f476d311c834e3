"""The things on a table as they are drawn: cards, places in the row, mouse cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from felix_async.game.cards import DOGS, RABBIT, card_text
from felix_async.game.narrate import mice_text
from felix_async.game.views import RowCard
from felix_events.model import Card
from felix_notifiers.content import standing, wording
from felix_notifiers.content.scene import Scene
from felix_notifiers.pages.pictures import Picture, mice, shown

Look = Literal["good", "bad", "rabbit", "dog", "hidden", "missing"]
Standing = Literal["", "in", "leads", "moves", "out"]
"""Where an owner is in the auction: still in, with the highest bid, to move, or out of it."""


@dataclass(frozen=True, slots=True)
class Face:
    """A card as it is drawn; `small` where its animal is, `bare` without one."""

    text: str
    look: Look
    small: bool = False
    bare: bool = False

    @property
    def picture(self) -> Picture | None:
        """The animal on it; a place without a card has none."""
        return None if self.bare or self.look == "missing" else shown(self.look)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the row: the card, whose it is, and where its owner stands in the auction."""

    face: Face
    owner: str
    note: str
    standing: Standing = ""


@dataclass(frozen=True, slots=True)
class MiceCard:
    """A mouse card with the mice on it, and whether somebody has taken them; perhaps without a picture."""

    mice: str
    taken: bool
    picture: Picture | None


def face_of(card: Card) -> Face:
    """A card that lies open, or is its owner's to see."""
    if card in DOGS:
        return Face(card_text(card), "dog", small=card == "small_dog")
    if card == RABBIT:
        return Face(card_text(card), "rabbit")
    return Face(card_text(card), "bad" if isinstance(card, int) and card < 0 else "good")


def row_of(scene: Scene) -> list[Place]:
    """The row from left to right."""
    return [
        Place(_face_in_row(place), scene.who(place.owner), _note(scene, place), _standing(scene, place))
        for place in scene.table.row
    ]


def mouse_cards_of(scene: Scene) -> list[MiceCard]:
    """The mouse cards of this round, the lowest first; none where they are empty."""
    cards = scene.table.mouse_cards
    if not any(card.mice for card in cards):
        return []
    return [MiceCard(mice_text(card.mice), card.taken, mice(card.mice)) for card in cards]


def _face_in_row(place: RowCard) -> Face:
    if place.card is not None:
        return face_of(place.card)
    return Face(wording.HIDDEN, "hidden") if place.placed else Face(wording.MISSING, "missing")


def _note(scene: Scene, place: RowCard) -> str:
    return "" if place.owner is None else standing.in_auction(scene, scene.table.seats[place.owner])


def _standing(scene: Scene, place: RowCard) -> Standing:
    if place.owner is None or scene.table.phase != "bidding":
        return ""
    seat = scene.table.seats[place.owner]
    if seat.passed:
        return "out"
    if scene.table.to_move == seat.seat:
        return "moves"
    return "leads" if seat.bid and seat.bid == scene.table.high_bid else "in"
