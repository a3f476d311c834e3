"""Everybody's mice and cats so far, a line each: they follow from what all have seen (`game/ledger.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.game.cards import START_MICE
from felix_async.game.ledger import Purse
from felix_async.language.phrases import phrase, plus, signed
from felix_notifiers.content import layout, standing, wording
from felix_notifiers.content.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Holding:
    """A player, the mice and the cats, and what both are worth together."""

    who: str
    mice: str
    cats: str
    total: str


@dataclass(frozen=True, slots=True)
class Everybody:
    """A line for each player, the reader first, and what else lies on the table in mice."""

    title: str = ""
    holdings: Sequence[Holding] = ()
    more: Sequence[str] = ()

    def text(self) -> str:
        listed = "\n".join(_lines(self.holdings)) if self.holdings else ""
        return layout.stacked(
            layout.titled(self.title, listed) if listed else "", layout.paragraphs(self.more)
        )


def everybody_of(game: Snapshot, *, has_bank: bool = False) -> Everybody:
    """Return what all have while a game runs; nobody's before something has changed.

    With `has_bank` also what the bank has, and what passes bring.
    """
    if game.table.phase not in ("placing", "bidding"):
        return Everybody()
    more: list[str] = []
    if has_bank:
        # While cards are placed that is said anyway; with a turn the next one's mice stand behind the word.
        more += [standing.passes(game)] if game.table.phase == "bidding" else []
        more.append(phrase("table.mice.bank", mice=game.table.bank))
    if all(purse == Purse() for purse in game.purses.values()):
        # In an auction the line of worth says what the reader has.
        alike = [phrase("table.mice.all", mice=START_MICE)] if game.table.phase == "placing" else []
        return Everybody(more=[" ".join([*alike, *more])])
    told = [" ".join(more)] if more else []
    count = len(game.names)
    seats = sorted(game.purses, key=lambda seat: (seat - game.seat) % count)
    return Everybody(phrase("mails.headings.everybody"), [_holding(game, seat) for seat in seats], told)


def _holding(game: Snapshot, seat: int) -> Holding:
    purse = game.purses[seat]
    return Holding(
        game.who(seat),
        phrase("table.mice.mice", mice=purse.mice),
        phrase("table.mice.cats", points=plus(purse.cats) if purse.cats else "+0"),
        phrase("table.mice.total", points=signed(purse.mice + purse.cats)),
    )


def _lines(holdings: Sequence[Holding]) -> list[str]:
    """A line each, below heads: in columns if they fit."""
    heads = wording.HOLDING_HEADS
    told = [(one.who, one.mice, one.cats, one.total) for one in holdings]
    lines = layout.columns([("", *heads), *told])
    if max(map(layout.width, lines)) <= layout.WIDTH:
        return lines
    first, rest = layout.INDENT, layout.INDENT * 2
    named = ((who, zip(heads, values, strict=True)) for who, *values in told)
    return [
        layout.fill(f"{who}: {', '.join(f'{head} {value}' for head, value in pairs)}", first, rest)
        for who, pairs in named
    ]
