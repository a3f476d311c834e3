"""Cards, the material for 3, 4 and 5 players, and one text form for each card.

>>> card_text("large_dog"), card_text(0), card_text(-8)
('large dog', 'rabbit', '−8')
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, get_args

from felix_async.language.phrases import signed
from felix_async.language.words import CARD_NAMES
from felix_events.model import Card

PET_CARDS: Final[tuple[Card, ...]] = get_args(Card)
"""One full set of ten, in the order in which a hand is shown and in which the draw counts."""

DOGS: Final[frozenset[Card]] = frozenset({"large_dog", "small_dog"})
RABBIT: Final[Card] = 0
ROUNDS: Final = 9
START_MICE: Final = 15
_PLACE: Final = {card: place for place, card in enumerate(PET_CARDS)}


@dataclass(frozen=True, slots=True)
class Material:
    """The mouse cards and the bank for a number of players (`rules`: Material)."""

    mouse_cards: tuple[int, ...]
    bank: int

    @property
    def filling(self) -> int:
        """The mice that it takes to fill all mouse cards."""
        return sum(self.mouse_cards)


MATERIAL: Final = {
    3: Material((3, 6), 21),
    4: Material((2, 4, 6), 27),
    5: Material((2, 3, 4, 6), 33),
}
"""By the number of players."""


def is_cat(card: Card) -> bool:
    """A cat counts points; the rabbit is no cat, and dogs are none."""
    return isinstance(card, int) and card != RABBIT


def cat_points(cards: Iterable[Card]) -> int:
    """The sum of the cats; rabbits and dogs count nothing."""
    return sum(card for card in cards if isinstance(card, int))


def in_order(cards: Iterable[Card]) -> list[Card]:
    """The cards as a hand is shown: −8 up to 15, then the dogs."""
    return sorted(cards, key=_PLACE.__getitem__)


def card_text(card: Card) -> str:
    """A card as people read it, with a true minus sign."""
    if card in CARD_NAMES:
        return CARD_NAMES[card]
    return signed(int(card))


def card_word(card: Card) -> str:
    """A card as people type it in an order: plain ASCII, and `read_line` reads it back."""
    return card_text(card).replace("−", "-")
