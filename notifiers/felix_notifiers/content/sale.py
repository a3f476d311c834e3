"""The sale of a sack: its cards, the cat that was chased, and who paid how much for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from felix_async.game.cards import cat_points
from felix_async.game.narrate import dogs_work, the_cards
from felix_async.game.story import Before
from felix_async.language.phrases import phrase, signed
from felix_async.pictures.pictures import face_of
from felix_events.model import SackSold
from felix_notifiers.content import layout
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.table import Place, owner_of


@dataclass(frozen=True, slots=True)
class Sale:
    """The cards of a sack from left to right, if they are shown, and what its buyer paid and got.

    The text part has its round only above that.
    """

    title: str
    round_: str
    row: Sequence[Place]
    told: str

    def text(self) -> str:
        cards = [
            f"{place.face.text} ({', '.join(filter(None, (place.owner, place.note)))})" for place in self.row
        ]
        row = layout.fill(", ".join(cards), layout.INDENT, layout.INDENT) if cards else ""
        return layout.titled(self.round_, row, layout.paragraph(self.told))

    def in_words(self) -> Sale:
        """Without the cards."""
        return replace(self, row=())


def sale_of(game: Snapshot, sold: SackSold, before: Before) -> Sale:
    """Tell a sale to a reader of that table; `before` is the open row as the sale found it."""
    row = [Place(face_of(card), owner_of(game, owner), "") for owner, card in before.row]
    if sold.chased is not None:
        # Of two cats that are alike it makes no difference which.
        place = [card for _, card in before.row].index(sold.chased)
        chased = phrase("table.sale.chased")
        row[place] = replace(row[place], face=row[place].face.struck(), note=chased, standing="out")
    key, who = "you" if sold.seat == game.seat else "other", game.who(sold.seat)
    paid = phrase(
        f"table.sale.paid.{key}",
        who=who,
        mice=sold.price,
        cards=the_cards(sold.prize),
        points=signed(cat_points(sold.prize)),
    )
    title = phrase(f"table.sale.title.{key}", who=who, round=before.round)
    round_ = phrase("table.sale.title.typed", round=before.round)
    return Sale(title, round_, row, " ".join(filter(None, (dogs_work(sold, before), paid))))
