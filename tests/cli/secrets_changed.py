"""The same game with other secrets: everything changed that one viewer must not know, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Any

import orjson

from felix_async.game.cards import PET_CARDS, in_order
from felix_async.game.view import Viewer
from felix_events.envelope import canonical
from felix_events.model import (
    Card,
    CardPlaced,
    CardsTurned,
    DummyDealt,
    Event,
    HandDealt,
    SackDiscarded,
    SackSold,
)
from games import Played


def with_other_secrets(played: Played, viewer: Viewer, seed: str) -> Played:
    """A running game with other hidden cards for everybody but the viewer, and other salts and hashes.

    Cards that were turned over stay as they are. Of each other seat, and of the dummy, the cards that
    nobody has seen are dealt anew among the places where they may be: in the hand, in the box, face down.
    """
    numbers = Random(seed)
    changes = {owner: _mixed(unseen, numbers) for owner, unseen in _unseen(played.events).items()}
    bodies = [
        canonical(_changed(orjson.loads(body), event, changes, viewer, numbers))
        for body, event in zip(played.evidence.bodies, played.events, strict=True)
    ]
    evidence = replace(played.evidence, bodies=bodies, private_records={}, kept=None)
    return Played(played.game_id, evidence, played.names)


def _unseen(events: Iterable[Event]) -> dict[int | None, list[Card]]:
    """By owner (None: the dummy), the cards that were never turned over."""
    unseen: dict[int | None, list[Card]] = {}
    row: dict[int | None, Card] = {}
    pile: list[Card] = []
    start = turned = 0
    for event in events:
        match event:
            case HandDealt():
                unseen[event.seat] = list(PET_CARDS)
            case DummyDealt():
                unseen[None] = list(PET_CARDS)
                pile = list(event.pile)
            case CardPlaced():
                row[event.seat] = event.card
            case CardsTurned():
                seats = len([owner for owner in unseen if owner is not None])
                owners: list[int | None] = [None] if None in unseen else []
                owners += [(start + step) % seats for step in range(seats)]
                for card in event.cards:
                    owner = owners[turned]
                    assert card == (pile[0] if owner is None else row[owner]), "turned from left to right"
                    unseen[owner].remove(card)
                    turned += 1
            case SackSold() | SackDiscarded():
                row, pile, turned = {}, pile[1:], 0
        start = getattr(event, "start_seat", start)
    return unseen


def _mixed(cards: list[Card], numbers: Random) -> dict[Card, Card]:
    """Each card as another one of these, as far as there are others."""
    shift = numbers.randrange(1, len(cards)) if len(cards) > 1 else 0
    return dict(zip(cards, cards[shift:] + cards[:shift], strict=True))


def _changed(
    fields: dict[str, Any],
    event: Event,
    changes: dict[int | None, dict[Card, Card]],
    viewer: Viewer,
    numbers: Random,
) -> dict[str, Any]:
    owner = getattr(event, "seat", None)
    if "private" in fields and owner != viewer:
        fields["private"] = sha256(numbers.randbytes(8)).hexdigest()
    if not event.secret or owner == viewer:
        return fields
    other = changes[owner]
    fields["salt"] = numbers.randbytes(16).hex()
    data = fields["data"]
    for name in ("card", "boxed"):
        if name in data:
            data[name] = other.get(data[name], data[name])
    if "pile" in data:
        data["pile"] = [other.get(card, card) for card in data["pile"]]
    if "cards" in data:
        data["cards"] = in_order(other.get(card, card) for card in data["cards"])
    return fields
