"""A table drawn for a terminal of 40 columns or more: the row, the bids, the mouse cards and bank, the hands.

It is made from a view, so that it shows what the viewer may see and nothing else. Colours only repeat what
the words say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

from rich import box
from rich.align import Align
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from felix_async.game.cards import DOGS, card_text, is_cat
from felix_async.game.narrate import mice_text
from felix_async.game.views import OwnView, RowCard, View
from felix_async.language.phrases import phrase
from felix_events.model import Card

_NARROWEST: Final = 8
"""The columns of a card of the row, at least: five of them fit into 40."""
_WIDEST: Final = 14
_HIGH: Final = 3
"""The lines within a card of the row."""
_BACK: Final = "▒"


def table_drawing(view: View, names: Sequence[str], width: int) -> RenderableType:
    """Return the drawing of a table, `width` columns wide; the names are those of the seats."""
    parts: list[RenderableType] = []
    if view.row:
        size = max(_NARROWEST, min(_WIDEST, width // len(view.row)))
        places = max(1, width // size)
        rows = (view.row[start : start + places] for start in range(0, len(view.row), places))
        parts += [_row(view, row, names, size) for row in rows]
    if view.mouse_cards:
        parts.append(_mice(view, width))
    for own in view.own.values():
        parts += _own(own, names[own.seat], width, alone=len(view.own) == 1)
    return Group(*parts)


def _row(view: View, row: Sequence[RowCard], names: Sequence[str], size: int) -> Table:
    """Cards side by side, below each its owner, and what the owner does."""
    grid = Table.grid()
    for _ in row:
        grid.add_column(width=size, justify="center", overflow="fold")
    grid.add_row(*(_card(view, place, size) for place in row))
    grid.add_row(*(_owner(view, place, names, size) for place in row))
    grid.add_row(*(_deeds(view, place) for place in row))
    return grid


def _card(view: View, place: RowCard, size: int) -> Panel:
    """A card of the row: open, face down, or not there yet; one that the viewer knows shows what it is."""
    own = None if place.owner is None else view.own.get(place.owner)
    known = place.card if own is None or place.card is not None else own.placed
    if known is not None:
        face = Text(_on_card(known), _style(known), justify="center")
        if place.card is None:
            face = Text("\n").join([_back(size), face])
    elif place.placed:
        face = Text("\n").join([_back(size)] * _HIGH)
    else:
        face = Text(phrase("table.row.missing"), "dim", justify="center")
    style = "" if place.card is not None else "dim"
    return Panel(
        Align(face, "center", vertical="middle", height=_HIGH), box=box.ROUNDED, padding=0, border_style=style
    )


def _back(size: int) -> Text:
    return Text(_BACK * (size - 2), "dim")


def _owner(view: View, place: RowCard, names: Sequence[str], size: int) -> Padding:
    """Who owns a card, in two lines at most, and what they do; as wide as the inside of the card."""
    if place.owner is None:
        return Padding(Text(phrase("table.row.nobody"), "dim"), (0, 1))
    name = Text(names[place.owner], "bold" if place.owner == view.to_move else "")
    name.truncate(2 * (size - 2), overflow="ellipsis")
    return Padding(name, (0, 1))


def _deeds(view: View, place: RowCard) -> Text:
    """What an owner did in the auction, and whether it is asked."""
    if place.owner is None:
        return Text()
    told, seat = [], view.seats[place.owner]
    if seat.passed:
        told.append(Text(phrase("table.drawing.passed"), "dim"))
    elif seat.bid:
        is_highest = seat.bid == view.high_bid
        told.append(Text(phrase("table.drawing.bids", mice=seat.bid), "bold" if is_highest else ""))
    elif seat.seat == view.start_seat:
        told.append(Text(phrase("table.drawing.starts")))
    if seat.seat == view.to_move:
        told.append(Text(phrase("table.drawing.to_move"), "bold"))
    return Text("\n").join(told)


def _mice(view: View, width: int) -> Text:
    """The mouse cards, which of them are gone, and which the next to pass takes; and the bank."""
    told, upcoming = [], "next"
    for card in view.mouse_cards:
        state = "taken" if card.taken else upcoming if card.mice else "empty"
        told.append(phrase(f"table.drawing_mouse_card.{state}", number=card.number))
        upcoming = "later" if state == "next" else upcoming
    cards = " ".join(f"[{one}]".replace(" ", "\N{NO-BREAK SPACE}") for one in told)
    bank = phrase("table.drawing.bank", mice=view.bank).replace(" ", "\N{NO-BREAK SPACE}")
    return Text("\n".join(wrap(f"{phrase('table.drawing.mouse_cards')} {cards}  {bank}", width)))


def _own(own: OwnView, name: str, width: int, *, alone: bool) -> Iterator[RenderableType]:
    """What a seat has: as cards in a hand if it is the only one, else in a line."""
    mice = mice_text(own.mice)
    hand, won = _listed("hand", own.hand), _listed("won", own.won)
    if not alone:
        line = Text(f"{name}, {mice}")
        yield Text("; ").join(filter(None, [line, hand, won]))
        return
    yield Text(phrase("table.drawing.own", who=name, mice=mice))
    yield from _hand(own.hand, width)
    if won:
        yield won


def _listed(key: str, cards: Sequence[Card]) -> Text:
    if not cards:
        return Text()
    told = Text(", ").join(Text(card_text(card), _style(card)) for card in cards)
    return Text(" ").join([Text(phrase(f"table.drawing_cards.{key}")), told])


def _hand(cards: Sequence[Card], width: int) -> Iterator[Table]:
    """The cards of a hand side by side, in as many rows as the width makes of them."""
    row: list[Card] = []
    for card in cards:
        if row and sum(map(_columns, [*row, card])) > width:
            yield _side_by_side(row)
            row = []
        row.append(card)
    if row:
        yield _side_by_side(row)


def _side_by_side(cards: Sequence[Card]) -> Table:
    grid = Table.grid()
    for card in cards:
        grid.add_column(width=_columns(card), no_wrap=True)
    grid.add_row(*(Panel(Text(card_text(card), _style(card)), box=box.ROUNDED, padding=0) for card in cards))
    return grid


def _columns(card: Card) -> int:
    return len(card_text(card)) + 2


def _on_card(card: Card) -> str:
    """A card's name, a word on each line."""
    return card_text(card).replace(" ", "\n")


def _style(card: Card) -> str:
    if card in DOGS:
        return "bold yellow"
    if is_cat(card):
        return "bold green" if int(card) > 0 else "bold red"
    return "bold"
