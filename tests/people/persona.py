"""People at the table: their moves in words of their own, which are in a file each (`*.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from felix_async.game.cards import PET_CARDS, card_text
from felix_async.game.commands import Bid, Move, Pass, Play, order_text
from felix_async.game.views import View
from felix_events.model import Card

FOLDER: Final = Path(__file__).parent
FILES: Final = ("mia", "karen", "juergen")
NAMES: Final = ("Mia", "Karen", "Jürgen")
_WORDS: Final = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)


@dataclass
class Persona:
    """Somebody who writes. Of the words of a kind none comes twice before all were used."""

    name: str
    words: dict[str, Any]
    chance: Random
    others: tuple[str, ...] = ()
    _left: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def program(self) -> str:
        """The mail program of this person."""
        return str(self.words["program"])

    def pick(self, key: str) -> Any:
        """One of the texts of this kind."""
        if not self._left.get(key):
            self._left[key] = self.chance.sample(self.words[key], len(self.words[key]))
        return self._left[key].pop()

    def signed(self, text: str) -> str:
        """The text, perhaps with a signature below it."""
        return text + str(self.chance.choice(self.words["signature"]))

    def move(self, move: Move, table: View, *, changed: bool = False, later: bool = False) -> str:
        """A move in words: at once, as a mail that changes its mind, or as the second mail that does."""
        kind = _KINDS[type(move)]
        if changed:
            key = f"change_{kind}"
        elif later:
            key = f"later_{kind}"
        else:
            key = self._key(move, table)
        return self.filled(str(self.pick(key)), move, table)

    def unsure(self, move: Move, table: View) -> str:
        """Words about which a friend would ask back."""
        return self.filled(str(self.pick(f"unsure_{_KINDS[type(move)]}")), move, table)

    def filled(self, text: str, move: Move, table: View) -> str:
        """A template with what it names filled in."""
        seat = move.seat
        own = table.own[seat]
        amount = move.amount if isinstance(move, Bid) else 0
        bidder = next((n for n, v in enumerate(table.seats) if v.bid == table.high_bid), None)
        a, b = self.chance.sample(self.others, 2)
        card = move.card if isinstance(move, Play) else None
        others = [one for one in own.choices.plays or own.hand if one != card]
        other = self._called(self.chance.choice(others)) if others else ""
        amounts = [n for n in range(table.high_bid + 1, own.mice + 1) if n != amount][:4]
        return text.format(
            card="" if card is None else self._called(card),
            other_card=other,
            n=amount,
            word=_WORDS[amount] if amount < len(_WORDS) else amount,
            wrong=other if isinstance(move, Play) else self.chance.choice(amounts or [table.high_bid + 1]),
            more=max(amount, table.high_bid + 1) + 1,
            high=table.high_bid,
            mice=own.mice,
            left=own.mice - amount,
            bidder=NAMES[bidder] if table.high_bid and bidder is not None else a,
            a=a,
            b=b,
            round=table.round,
            order=order_text(move),
        )

    def _key(self, move: Move, table: View) -> str:
        if isinstance(move, Play):
            return "place"
        if isinstance(move, Pass):
            return "pass" if table.high_bid else "pass_first"
        keys = ["bid"] * 4
        if move.amount == table.own[move.seat].mice:
            keys.append("all")
        if not table.high_bid:
            keys.append("first")
        elif move.amount == table.high_bid + 1:
            keys += ["least"]
        return self.chance.choice(keys)

    def _called(self, card: Card) -> str:
        """A card by one of the names that this person has for it."""
        return str(self.chance.choice(self.words["cards"][str(card)]))


_KEYS: Final = ("place", "bid", "first", "least", "all", "pass", "pass_first")
_EXACT: Final = {str(card): [card_text(card)] for card in PET_CARDS}
_KINDS: Final[dict[type, str]] = {Play: "card", Bid: "bid", Pass: "pass"}


def personas(seed: str) -> list[Persona]:
    """The three of them, in the order of their seats."""
    return [
        Persona(
            name,
            tomllib.loads((FOLDER / f"{file}.toml").read_text("utf-8")),
            Random(f"{seed}/{name}"),
            _others(name),
        )
        for name, file in zip(NAMES, FILES, strict=True)
    ]


def _others(name: str) -> tuple[str, ...]:
    return tuple(other for other in NAMES if other != name)


def clerks(seed: str) -> list[Persona]:
    """Three who write exact orders and nothing else."""
    words = {key: ["{order}"] for key in _KEYS} | {
        "join": ["JOIN"],
        "signature": [""],
        "program": "gmail",
        "cards": _EXACT,
    }
    return [Persona(name, words, Random(f"{seed}/{name}"), _others(name)) for name in NAMES]


def chosen(chance: Random, shares: Sequence[tuple[str, float]]) -> str:
    """One of these by its share; "plain" is what is left."""
    drawn = chance.random()
    for name, share in shares:
        drawn -= share
        if drawn < 0:
            return name
    return "plain"
