"""Every text of the three people once, each in a situation in which it makes sense."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from felix_async.game.cards import PET_CARDS, in_order
from felix_async.language.grammar import Order
from felix_async.meaning.situation import Situation
from people.persona import KINDS, Persona, personas

_DONE: Final = {
    "PLAY": ("place", "change_card", "next_card"),
    "BID": ("bid", "least", "first", "all", "change_bid"),
    "PASS": ("pass", "pass_first", "change_pass", "next_pass"),
}
"""The kinds of texts with which a move is made, by its word."""
_ASKED: Final = {word: f"unsure_{KINDS[word]}" for word in _DONE}


@dataclass(frozen=True)
class Worded:
    """A text, the situation of its writer, and the move that it makes: None if it makes none."""

    who: str
    kind: str
    text: str
    before: Situation
    do: Order | None


def worded(seed: str) -> Iterator[Worded]:
    """All their texts."""
    for person in personas(seed):
        for word, kinds in _DONE.items():
            for kind in kinds:
                yield from _each(person, word, kind, is_done=True)
        for word, kind in _ASKED.items():
            yield from _each(person, word, kind, is_done=False)
        for text in person.words["join"]:
            yield Worded(person.name, "join", text, Situation("inviting"), Order("JOIN"))
        for kind in ("questions", "alone"):
            for one in person.words[kind]:
                move, before = _somewhere(person, "BID", kind)
                text = person.filled(one if isinstance(one, str) else one[1], move, before)
                yield Worded(person.name, kind, text, before, None)


def _each(person: Persona, word: str, kind: str, *, is_done: bool) -> Iterator[Worded]:
    for text in person.words[kind]:
        move, before = _somewhere(person, word, kind)
        filled = person.signed(person.filled(text, move, before))
        yield Worded(person.name, kind, filled, before, move if is_done else None)


def _somewhere(person: Persona, word: str, kind: str) -> tuple[Order, Situation]:
    chance: Random = person.chance
    names = person.others
    if word == "PLAY":
        plays = tuple(in_order(chance.sample(PET_CARDS, chance.randint(3, 9))))
        return Order("PLAY", card=chance.choice(plays)), Situation("placing", plays, mice=15, names=names)
    high = 0 if kind in ("first", "pass_first") else chance.randint(1, 9)
    mice = high + chance.randint(3, 9)
    bidder = chance.choice(names) if high else ""
    amount = {"least": high + 1, "all": mice}.get(kind, chance.randint(high + 1, mice))
    before = Situation(
        "bidding", mice=mice, high=high, least=high + 1, most=mice, high_bidder=bidder, names=names
    )
    return Order(word, amount=amount if word == "BID" else None), before
