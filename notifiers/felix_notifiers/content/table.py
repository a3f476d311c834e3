"""The table: the row, the mouse cards and everybody's mice; and the reader's own cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from felix_async.game.narrate import mice_text
from felix_async.game.views import RowCard
from felix_notifiers.content import layout, standing, wording
from felix_notifiers.content.moves import Option
from felix_notifiers.content.pictures import Face, Picture, face_of, mice
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


@dataclass(frozen=True, slots=True)
class MiceCard:
    """A mouse card with the mice on it, and whether somebody has taken them; perhaps without a picture."""

    mice: str
    taken: bool
    picture: Picture | None


@dataclass(frozen=True, slots=True)
class Table:
    """The row, what lies on the table in mice, and what there is to say of it in sentences.

    `mouse_cards` are those of the ledger, to be drawn.
    """

    title: str = ""
    row: Sequence[Place] = ()
    ledger: Sequence[standing.Entry] = ()
    mouse_cards: Sequence[MiceCard] = ()
    facts: Sequence[str] = ()

    def text(self) -> str:
        row = layout.titled(self.title, _row_lines(self.row)) if self.row else ""
        ledger = _ledger_lines(self.ledger) if self.ledger else ""
        return layout.stacked(row, ledger, layout.bullets(self.facts))

    def bare(self) -> Table:
        """Without drawings, which weigh more than all the words."""
        return replace(
            self,
            row=[replace(place, face=replace(place.face, bare=True)) for place in self.row],
            mouse_cards=[replace(card, picture=None) for card in self.mouse_cards],
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
        cards = f"{wording.HAND}: {', '.join(face.text for face in self.cards)}." if self.cards else ""
        told = layout.paragraph(f"{cards} {self.typed}")
        return layout.stacked(told, layout.bullets(self.own))

    def bare(self) -> Hand:
        """Without drawings."""
        return replace(self, cards=[replace(face, bare=True) for face in self.cards], next=())


def table_of(game: Snapshot, facts: Sequence[str]) -> Table:
    """The table as the reader sees it."""
    row, cards = _row_of(game), _mouse_cards_of(game)
    return Table(standing.row_title(game.table.round), row, standing.money(game), cards, facts)


def _row_of(game: Snapshot) -> list[Place]:
    """The row from left to right."""
    return [
        Place(_face_in_row(place), game.who(place.owner), _note(game, place), _standing(game, place))
        for place in game.table.row
    ]


def _mouse_cards_of(game: Snapshot) -> list[MiceCard]:
    """The mouse cards of this round, the lowest first; none if they are empty."""
    cards = game.table.mouse_cards
    if not any(card.mice for card in cards):
        return []
    return [MiceCard(mice_text(card.mice), card.taken, mice(card.mice)) for card in cards]


def _face_in_row(place: RowCard) -> Face:
    if place.card is not None:
        return face_of(place.card)
    return Face(wording.HIDDEN, "hidden") if place.placed else Face(wording.MISSING, "missing")


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
    """One numbered line for each place: in columns if they fit, else as sentences."""
    cells = [(f"{number}.", place.face.text, place.owner, place.note) for number, place in enumerate(row, 1)]
    lines = layout.columns(cells)
    if max(map(layout.width, lines), default=0) <= layout.WIDTH:
        return "\n".join(lines)
    return "\n".join(
        layout.fill(", ".join(filter(None, said)), f"{layout.INDENT}{number} ", " " * 5)
        for number, *said in cells
    )


def _ledger_lines(entries: Sequence[standing.Entry]) -> str:
    """The accounts, the amounts under each other."""
    widest = max(layout.width(entry.label) for entry in entries)
    first = [f"{layout.INDENT}{layout.pad(entry.label, widest)}  " for entry in entries]
    rest = " " * len(first[0])
    return "\n".join(
        layout.fill(entry.text, start, rest) for start, entry in zip(first, entries, strict=True)
    )
