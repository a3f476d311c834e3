"""The list of orders, out of HELP: first those that fit the reader's situation, then the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.language.words import ANSWERS, HELP, MOVES, QUESTIONS, WORD_OF
from felix_async.orders.registry import ORDERS
from felix_notifiers.content import layout, wording
from felix_notifiers.content.moves import Option, ReplyTo
from felix_notifiers.content.snapshot import Snapshot

Line = tuple[str, str]
"""An order, and what it does."""


_WIDEST: Final = 18
"""Columns for an order and the gap behind it, at most: what a longer one does stands below it."""


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders that fit, the others in their groups, and what is said before and after all of them.

    `more` is what may be asked for besides.
    """

    before: str
    fitting: Sequence[Line]
    groups: Sequence[Sequence[Line]]
    after: str
    more: Sequence[Option] = ()

    def text(self) -> str:
        return layout.stacked(
            layout.titled(wording.ORDERS_NOW, layout.paragraph(self.before), _lines(self.fitting)),
            layout.titled(wording.ORDERS_ELSE, *map(_lines, self.groups)),
            layout.paragraph(self.after),
        )


def orders_of(game: Snapshot, to: ReplyTo) -> Orders:
    """The orders that this reader's table takes now; the mail says already that a card may be exchanged."""
    words = tuple(WORD_OF[order] for order in _fitting(game) if game.table.is_over or not _is_after(order))
    fitting = [line for group in ALL.groups for line in group if _is_one_of(line, words)]
    taken = tuple(WORD_OF[word] for word in ORDERS if _is_taken(word, game))
    others = [[line for line in group if _is_one_of(line, taken)] for group in ALL.groups]
    groups = [[line for line in group if line not in fitting] for group in others]
    after = "" if game.own.choices.plays else ALL.after
    more = [to.option(WORD_OF["RULES"])]
    return Orders(ALL.before, fitting, [group for group in groups if group], after, more)


def _lines(lines: Sequence[Line]) -> str:
    """Orders and what they do, in two columns."""
    fitting = [len(order) + len(layout.INDENT) for order, _ in lines]
    columns = max((width for width in fitting if width <= _WIDEST), default=_WIDEST)
    return "\n".join(_line(order, meaning, columns) for order, meaning in lines)


def _line(order: str, meaning: str, columns: int) -> str:
    """An order and what it does; below it if the order is long."""
    below = " " * (len(layout.INDENT) + columns)
    if len(order) >= columns:
        return f"{layout.INDENT}{order}\n{layout.fill(meaning, below, below)}"
    return layout.fill(meaning, f"{layout.INDENT}{order:<{columns}}", below)


def _fitting(game: Snapshot) -> Sequence[str]:
    """Return the orders that make sense now."""
    table = game.table
    if table.phase == "ended":
        return ("REMATCH", "NEW", *QUESTIONS)
    if table.is_over or not table.is_in(game.seat):
        return ("NEW", *QUESTIONS)
    hosting = [word for word, order in ORDERS.items() if order.host_only and table.host == game.seat]
    if table.phase == "inviting":
        before = [word for word in hosting if ORDERS[word].when != "playing"]
        return (*before, *ANSWERS, *QUESTIONS)
    moves = MOVES[:1] if table.phase == "placing" else MOVES[1:]
    votes = ("PAUSE", "RESUME", "ABANDON") if table.clock is not None else ()
    during = [word for word in hosting if ORDERS[word].when == "playing" and word != "STANDS"]
    if table.disputes:
        during += ["DISPUTE", "HANDOVER", *(["STANDS"] if table.host == game.seat else [])]
    return (*moves, *QUESTIONS, "SAY", *votes, *during)


def _is_after(word: str) -> bool:
    """Return True of an order that is for games that are over."""
    return ORDERS[word].when == "over"


def _is_taken(word: str, game: Snapshot) -> bool:
    """Return True if the table takes an order of the reader as it is now."""
    table, order = game.table, ORDERS[word]
    if order.host_only and table.host != game.seat:
        return False
    if table.is_over:
        return order.when in ("over", "always")
    is_inviting = table.phase in ("new", "inviting")
    return order.when in ("always", "open", "inviting" if is_inviting else "playing")


def _is_one_of(line: Line, words: Sequence[str]) -> bool:
    begun = [word for word in WORD_OF.values() if f"{line[0]} ".startswith(f"{word} ")]
    return max(begun, key=len, default="") in words


def _read() -> Orders:
    before, *groups, after = HELP.strip().split("\n\n")
    return Orders(before, [], [_orders(group) for group in groups], after)


def _orders(group: str) -> list[Line]:
    # The meaning of an order may be on the next line, further in.
    lines = re.sub(r"\n {3,}", "  ", group).splitlines()
    pairs = [line.strip().partition("  ") for line in lines]
    return [(order, meaning.strip()) for order, _, meaning in pairs]


ALL: Final = _read()
"""All orders in their groups."""
