"""The table: the row, and what there is to say of it; and the reader's own cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from felix_async.game.views import RowCard
from felix_async.language.phrases import phrase
from felix_async.pictures import pictures
from felix_async.pictures.pictures import Face, face_of
from felix_notifiers.content import layout, standing, wording
from felix_notifiers.content.moves import Option
from felix_notifiers.content.snapshot import Snapshot

Standing = Literal["", "in", "leads", "moves", "out"]
"""The owner in the auction: still in, with the highest bid, to move, or out of it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the row: the card, whose it is, and how its owner is doing in the auction."""

    face: Face
    owner: str
    note: str
    standing: Standing = ""

    @property
    def aside(self) -> str:
        """Say that nobody else sees the card; '' if they do, or if the reader does not see it either."""
        return phrase("table.row.secret") if self.face.is_secret else ""


@dataclass(frozen=True, slots=True)
class Table:
    """The row, and what there is to say of the table in sentences."""

    row: Sequence[Place] = ()
    facts: Sequence[str] = ()

    def text(self) -> str:
        return layout.stacked(_row_lines(self.row) if self.row else "", layout.paragraphs(self.facts))

    def bare(self) -> Table:
        """Without drawings, which weigh more than all the words."""
        return replace(
            self,
            row=[replace(place, face=place.face.bare()) for place in self.row],
        )


@dataclass(frozen=True, slots=True)
class Hand:
    """The reader's cards, drawn unless they are offered to be tapped, and what else is theirs.

    Each of them may be tapped as the `next` card, for the round to come; `tap` and `typed` say how.
    """

    cards: Sequence[Face] = ()
    own: Sequence[str] = ()
    is_drawn: bool = True
    next: Sequence[Option] = ()
    tap: str = ""
    typed: str = ""

    def text(self) -> str:
        cards = f"{wording.HAND}: {', '.join(face.text for face in self.cards)}" if self.cards else ""
        told = layout.paragraph(f"{cards} {self.typed}")
        return layout.stacked(told, layout.bullets(self.own))

    def bare(self) -> Hand:
        """Without drawings."""
        return replace(self, cards=[face.bare() for face in self.cards], next=())


def table_of(game: Snapshot, facts: Sequence[str]) -> Table:
    """The table as the reader sees it."""
    return Table(_row_of(game) if game.table.phase == "bidding" else [], facts)


def _row_of(game: Snapshot) -> list[Place]:
    """The row from left to right."""
    return [
        Place(
            _face_in_row(game, place), owner_of(game, place.owner), _note(game, place), _standing(game, place)
        )
        for place in game.table.row
    ]


def owner_of(game: Snapshot, seat: int | None) -> str:
    """The name below a card; None is the dummy."""
    return phrase("table.row.nobody") if seat is None else game.who(seat)


def _face_in_row(game: Snapshot, place: RowCard) -> Face:
    """The card as the reader sees it: their own also where it lies face down."""
    if place.card is not None:
        return face_of(place.card)
    if place.owner == game.seat and game.own.placed is not None:
        return face_of(game.own.placed, is_secret=True)
    return (
        Face(wording.HIDDEN, "hidden", pictures.HIDDEN) if place.placed else Face(wording.MISSING, "missing")
    )


def _note(game: Snapshot, place: RowCard) -> str:
    return "" if place.owner is None else standing.in_auction(game, game.table.seats[place.owner])


def _standing(game: Snapshot, place: RowCard) -> Standing:
    if place.owner is None or game.table.phase != "bidding":
        return ""
    seat = game.table.seats[place.owner]
    if seat.passed:
        return "out"
    if game.table.to_move == seat.seat:
        return "moves"
    return "leads" if seat.bid and seat.bid == game.table.high_bid else "in"


def _row_lines(row: Sequence[Place]) -> str:
    """A line for each place: in columns if they fit, else as sentences."""
    cells = [(place.face.text, place.owner, f"{place.note} {place.aside}".strip()) for place in row]
    lines = layout.columns(cells)
    if max(map(layout.width, lines), default=0) <= layout.WIDTH:
        return "\n".join(lines)
    first, rest = layout.INDENT, layout.INDENT * 2
    return "\n".join(layout.fill(", ".join(filter(None, said)), first, rest) for said in cells)
