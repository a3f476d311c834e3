"""A table drawn for a terminal of 40 columns or more: the row, the bids, the mouse cards and bank, the hands.

It is made from a view, so that it shows what the viewer may see and nothing else. Colours only repeat what
the words say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from rich.text import Text

from felix_async.game.cards import DOGS, card_text, is_cat
from felix_async.game.narrate import mice_text
from felix_async.game.views import OwnView, RowCard, View
from felix_async.language.phrases import phrase
from felix_cli.output import wrapped
from felix_events.model import Card

_NARROWEST: Final = 8
"""The columns of a card of the row, at least: five of them fit into 40."""
_WIDEST: Final = 14
_HIGH: Final = 3
"""The lines within a card of the row."""
_BACK: Final = "▒"


def table_drawing(view: View, names: Sequence[str], width: int, *, is_to_viewer: bool = False) -> Text:
    """Return the drawing of a table, `width` columns wide; the names are those of the seats.

    It may be told to the viewer, or of them.
    It is one text, so that it can be had without colours for nothing, as its `plain`.
    """
    lines: list[Text] = []
    if view.row:
        size = max(_NARROWEST, min(_WIDEST, width // len(view.row)))
        places = max(1, width // size)
        for start in range(0, len(view.row), places):
            lines += _row(view, view.row[start : start + places], names, size)
    if view.mouse_cards:
        lines += map(Text, _mice(view, width))
    for own in view.own.values():
        who = "" if is_to_viewer else names[own.seat]
        lines += _own(own, who, width, alone=len(view.own) == 1)
    return Text("\n").join(lines)


def _row(view: View, row: Sequence[RowCard], names: Sequence[str], size: int) -> Iterator[Text]:
    """Cards side by side, below each its owner, and what the owner does."""
    yield from _side_by_side([_card(view, place, size) for place in row], size)
    yield from _side_by_side([_owner(view, place, names, size - 2) for place in row], size)
    yield from _side_by_side([list(_deeds(view, place)) for place in row], size)


def _side_by_side(blocks: Sequence[Sequence[Text]], size: int) -> Iterator[Text]:
    for parts in zip_longest(*blocks):
        line = Text().join(_centred(part or Text(), size) for part in parts)
        line.rstrip()
        yield line


def _centred(text: Text, size: int) -> Text:
    text = text.copy()
    text.align("center", size)
    return text


def _card(view: View, place: RowCard, size: int) -> list[Text]:
    """A card of the row: open, face down, or not there yet; one that the viewer knows shows what it is."""
    own = None if place.owner is None else view.own.get(place.owner)
    known = place.card if own is None or place.card is not None else own.placed
    back = Text(_BACK * (size - 2), "dim")
    face = [] if known is None else [Text(word, _style(known)) for word in card_text(known).split()]
    if place.card is None and place.placed:
        face = [back, *face, back, back][:_HIGH]
    elif place.card is None:
        face = [Text(line, "dim") for line in wrapped(phrase("table.row.missing"), size - 2)]
    face = [*[Text()] * ((_HIGH - len(face)) // 2), *face]
    face += [Text()] * (_HIGH - len(face))
    return _framed([_centred(line, size - 2) for line in face], "" if place.card is not None else "dim")


def _framed(lines: Sequence[Text], style: str = "") -> list[Text]:
    """Return lines of the same width within a frame."""
    edge, side = "─" * lines[0].cell_len, Text("│", style)
    return [
        Text(f"╭{edge}╮", style),
        *(Text().join([side, line, side]) for line in lines),
        Text(f"╰{edge}╯", style),
    ]


def _owner(view: View, place: RowCard, names: Sequence[str], size: int) -> list[Text]:
    """Return the name of the card's owner, in at most two lines."""
    if place.owner is None:
        return [Text(phrase("table.row.nobody"), "dim")]
    first, *others = wrapped(names[place.owner], size)
    second = Text(" ".join(others))
    second.truncate(size, overflow="ellipsis")
    style = "bold" if place.owner == view.to_move else ""
    return [Text(line, style) for line in (first, second.plain) if line]


def _deeds(view: View, place: RowCard) -> Iterator[Text]:
    """Return the last bid or the pass of the card's owner, and whether the table waits for this seat."""
    if place.owner is None:
        return
    seat = view.seats[place.owner]
    if seat.passed:
        yield Text(phrase("table.drawing.passed"), "dim")
    elif seat.bid:
        is_highest = seat.bid == view.high_bid
        yield Text(phrase("table.drawing.bids", mice=seat.bid), "bold" if is_highest else "")
    elif seat.seat == view.start_seat:
        yield Text(phrase("table.drawing.starts"))
    if seat.seat == view.to_move:
        yield Text(phrase("table.drawing.to_move"), "bold")


def _mice(view: View, width: int) -> list[str]:
    """The mouse cards, which of them are gone, and which the next to pass takes; and the bank."""
    told, upcoming = [], "next"
    for card in view.mouse_cards:
        state = "empty" if not card.mice else "taken" if card.taken else upcoming
        told.append(phrase(f"table.drawing_mouse_card.{state}", number=card.number))
        upcoming = "later" if state == "next" else upcoming
    cards = " ".join(f"[{one}]".replace(" ", "\N{NO-BREAK SPACE}") for one in told)
    bank = phrase("table.drawing.bank", mice=view.bank).replace(" ", "\N{NO-BREAK SPACE}")
    return wrapped(f"{phrase('table.drawing.mouse_cards')} {cards}  {bank}", width)


def _own(own: OwnView, name: str, width: int, *, alone: bool) -> Iterator[Text]:
    """Return a seat's mice and cards, without a name the reader's. A hand shown `alone` is drawn."""
    mice = mice_text(own.mice)
    won = _listed("won", own.won)
    if not alone:
        yield from _wrapped([f"{name}, {mice}", _listed("hand", own.hand), won], width)
        return
    yield from _wrapped(
        [phrase("table.drawing.own" if name else "table.drawing.own_you", who=name, mice=mice)], width
    )
    yield from _hand(own.hand, width)
    yield from _wrapped([won], width)


def _listed(key: str, cards: Sequence[Card]) -> str:
    if not cards:
        return ""
    return f"{phrase(f'table.drawing_cards.{key}')} {', '.join(map(card_text, cards))}"


def _wrapped(parts: Sequence[str], width: int) -> Iterator[Text]:
    return map(Text, wrapped("; ".join(filter(None, parts)), width))


def _hand(cards: Sequence[Card], width: int) -> Iterator[Text]:
    """The cards of a hand side by side, in as many rows as the width makes of them."""
    row: list[list[Text]] = []
    for card in cards:
        drawn = _framed([Text(card_text(card), _style(card))])
        if row and sum(one[0].cell_len for one in [*row, drawn]) > width:
            yield from _lines(row)
            row = []
        row.append(drawn)
    if row:
        yield from _lines(row)


def _lines(cards: Sequence[Sequence[Text]]) -> Iterator[Text]:
    for parts in zip(*cards, strict=True):
        yield Text().join(parts)


def _style(card: Card) -> str:
    if card in DOGS:
        # Yellow cannot be read on white.
        return "bold magenta"
    if is_cat(card):
        return "bold green" if int(card) > 0 else "bold red"
    return "bold"
