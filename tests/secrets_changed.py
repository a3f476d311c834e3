"""The same game with other secrets: everything changed that one viewer must not know, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import groupby
from random import Random

from felix_async.clock import later
from felix_async.game.cards import PET_CARDS, in_order
from felix_async.game.story import Story
from felix_async.game.views import Viewer, may_know
from felix_events import model as m
from felix_events.envelope import Envelope, encode_envelope
from games import Played


def with_other_secrets(played: Played, viewer: Viewer, seed: str) -> Played:
    """A running game with other hidden cards for everybody but the viewer, and other salts and hashes.

    Cards that were turned over stay as they are. Of each other seat, and of the dummy, the cards that
    nobody has seen are dealt anew among the places where they may be: in the hand, in the box, face down.
    """
    evidence = replace(
        played.evidence,
        bodies=[_encoded(envelope) for envelope in other_secrets(played.envelopes, viewer, Random(seed))],
        private_records={},
        kept=None,
    )
    return Played(played.game_id, evidence, played.names)


def other_secrets(envelopes: Sequence[Envelope], viewer: Viewer, numbers: Random) -> list[Envelope]:
    """The same for a log alone: another one that can have been written, and looks the same to the viewer."""
    unseen = _unseen(envelope.data for envelope in envelopes)
    changes = {owner: _mixed(cards, numbers) for owner, cards in unseen.items()}
    return [_changed(envelope, changes, viewer, numbers) for envelope in envelopes]


def with_other_times(played: Played, numbers: Random) -> Played:
    """A running game with moves at other times, and cards placed in another order, that stands as it stands.

    The times since when it waits now stay, and the deadlines that run.
    """
    story = Story.of(played.envelopes)
    running = {state.time.deadline.at for state in story.game.seats if state.time.deadline is not None}
    changed: list[Envelope] = []
    for envelope in _reordered(played.envelopes, numbers):
        event = envelope.data
        if isinstance(event, m.DeadlineSet) and event.at not in running:
            event = event.model_copy(
                update={"reserve_from": _earlier(event.reserve_from), "at": _earlier(event.at)}
            )
        at = envelope.at if envelope.at in story.since.values() else _earlier(envelope.at)
        changed.append(envelope.model_copy(update={"at": at, "data": event}))
    bodies = [_encoded(envelope) for envelope in changed]
    return Played(
        played.game_id,
        replace(played.evidence, bodies=bodies, private_records={}, kept=None),
        played.names,
    )


def _reordered(envelopes: Sequence[Envelope], numbers: Random) -> list[Envelope]:
    """The same, but that the cards which are placed one right after another are so in another order."""
    found: list[Envelope] = []
    for is_card, run in groupby(envelopes, lambda one: isinstance(one.data, m.CardPlaced)):
        some = list(run)
        if is_card and len({getattr(one.data, "seat", None) for one in some}) == len(
            some
        ):  # nobody exchanged
            places = [(one.version, one.at) for one in some]
            numbers.shuffle(some)
            some = [
                one.model_copy(update={"version": version, "at": at})
                for one, (version, at) in zip(some, places, strict=True)
            ]
        found += some
    return found


def _earlier(at: str) -> str:
    return later(at, -30)


def _encoded(envelope: Envelope) -> bytes:
    return encode_envelope(
        envelope.data,
        game_id=envelope.game_id,
        version=envelope.version,
        at=envelope.at,
        actor=envelope.actor,
        salt=envelope.salt,
        private=envelope.private,
    )


def _unseen(events: Iterable[m.Event]) -> dict[int | None, list[m.Card]]:
    """By owner (None: the dummy), the cards that were never turned over."""
    unseen: dict[int | None, list[m.Card]] = {}
    row: dict[int | None, m.Card] = {}
    pile: list[m.Card] = []
    start = turned = 0
    for event in events:
        match event:
            case m.HandDealt():
                unseen[event.seat] = list(PET_CARDS)
            case m.DummyDealt():
                unseen[None] = list(PET_CARDS)
                pile = list(event.pile)
            case m.CardPlaced():
                row[event.seat] = event.card
            case m.CardsTurned():
                seats = len([owner for owner in unseen if owner is not None])
                owners: list[int | None] = [None] if None in unseen else []
                owners += [(start + step) % seats for step in range(seats)]
                for card in event.cards:
                    owner = owners[turned]
                    assert card == (pile[0] if owner is None else row[owner]), "turned from left to right"
                    unseen[owner].remove(card)
                    turned += 1
            case m.SackSold() | m.SackDiscarded():
                row, pile, turned = {}, pile[1:], 0
        start = getattr(event, "start_seat", start)
    return unseen


def _mixed(cards: list[m.Card], numbers: Random) -> dict[m.Card, m.Card]:
    """Each card as another one of these, as far as there are others."""
    shift = numbers.randrange(1, len(cards)) if len(cards) > 1 else 0
    return dict(zip(cards, cards[shift:] + cards[:shift], strict=True))


def _changed(
    envelope: Envelope, changes: dict[int | None, dict[m.Card, m.Card]], viewer: Viewer, numbers: Random
) -> Envelope:
    event = envelope.data
    owner: int | None = getattr(event, "seat", None)
    update: dict[str, object] = {}
    if envelope.private is not None and owner != viewer:
        update["private"] = sha256(numbers.randbytes(8)).hexdigest()
    if not may_know(event, viewer):
        update["salt"] = numbers.randbytes(16).hex()
        update["data"] = event.model_copy(update=_other_cards(event, changes[owner]))
    return envelope.model_copy(update=update)


def _other_cards(event: m.Event, other: Mapping[m.Card, m.Card]) -> dict[str, object]:
    match event:
        case m.HandDealt():
            cards = in_order(other.get(card, card) for card in event.cards)
            return {"cards": cards, "boxed": other.get(event.boxed, event.boxed)}
        case m.DummyDealt():
            pile = [other.get(card, card) for card in event.pile]
            return {"pile": pile, "boxed": other.get(event.boxed, event.boxed)}
        case m.CardPlaced():
            return {"card": other.get(event.card, event.card)}
    raise TypeError(f"{event.type} is no secret")
