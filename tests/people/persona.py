"""People at the table: their moves in words of their own, which are in a file each (`*.toml`)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from felix_async.game.cards import PET_CARDS, card_text
from felix_async.language.grammar import Order
from felix_async.meaning.situation import Situation
from felix_events.model import Card

_LONG_WORD: Final = re.compile(r"\b[a-z]{4,}\b")
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
    typos: float = 0
    """How often two letters of a word come in the wrong order."""
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
        """The text, perhaps with a slip of the thumb in it, and with a signature below it."""
        if self.chance.random() < self.typos and (words := [*_LONG_WORD.finditer(text)]):
            at = self.chance.choice(words).start() + 1
            text = f"{text[:at]}{text[at + 1]}{text[at]}{text[at + 2 :]}"
        return text + str(self.chance.choice(self.words["signature"]))

    def move(self, move: Order, before: Situation) -> str:
        """A move in words."""
        return self.said(self._key(move, before), move, before)

    def in_advance(self, order: Order, before: Situation) -> str:
        """A limit, or a pass, in words, and the card for the next round behind it."""
        key = "limit" if order.word == "UPTO" else "out"
        text = self.said(f"{key}_early" if before.is_early else key, order, before)
        if order.next is None:
            return text
        card = self.filled(str(self.pick("then_card")), Order("NEXT", card=order.next), before)
        return f"{text}{'' if text[-1] in '.!?)' else self.chance.choice((',', '.'))} {card}"

    def said(self, key: str, move: Order, before: Situation) -> str:
        """A text of this kind about a move; a kind that ends in `_` has a word for each kind of move."""
        return self.filled(
            str(self.pick(f"{key}{KINDS[move.word]}" if key[-1] == "_" else key)), move, before
        )

    def filled(self, text: str, move: Order, before: Situation) -> str:
        """A template with what it names filled in."""
        amount = move.amount or move.limit or 0
        a, b = self.chance.sample(self.others, 2)
        others = [one for one in before.plays or before.nexts or PET_CARDS if one != move.card]
        other = self._called(self.chance.choice(others)) if others else ""
        amounts = [n for n in range(before.least, before.most + 1) if n != amount][:4]
        return text.format(
            card="" if move.card is None else self._called(move.card),
            other_card=other,
            n=amount,
            word=_WORDS[amount] if amount < len(_WORDS) else amount,
            wrong=other if move.word == "PLAY" else self.chance.choice(amounts or [before.least]),
            more=max(amount, before.least) + 1,
            high=before.high,
            mice=before.mice,
            left=before.mice - amount,
            bidder=before.high_bidder or a,
            a=a,
            b=b,
            order=move,
        )

    def _key(self, move: Order, before: Situation) -> str:
        if move.word == "PLAY":
            return "place"
        if move.word == "PASS":
            return "pass" if before.high else "pass_first"
        keys = ["bid"] * 4
        if move.amount == before.mice:
            keys.append("all")
        if not before.high:
            keys.append("first")
        elif move.amount == before.least:
            keys.append("least")
        return self.chance.choice(keys)

    def _called(self, card: Card) -> str:
        """A card by one of the names that this person has for it."""
        return str(self.chance.choice(self.words["cards"][str(card)]))


_KEYS: Final = ("place", "bid", "first", "least", "all", "pass", "pass_first")
_EXACT: Final = {str(card): [card_text(card)] for card in PET_CARDS}
KINDS: Final = {"PLAY": "card", "BID": "bid", "UPTO": "bid", "PASS": "pass"}
"""The words for the kinds of moves in the names of kinds of texts."""


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
