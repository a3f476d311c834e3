"""An auction as a short story: `Dan bid 6 · you 7 · Cara out, +2 · the 11 turned up · Dan 8.`"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.game.narrate import the_cards
from felix_async.game.story import Step
from felix_async.language.phrases import first_capital, phrase
from felix_events.model import BidPlaced, CardsTurned, PlayerPassed

_BETWEEN: Final = "\u00a0· "


def is_link(step: Step) -> bool:
    """Return True if a step is a bid, a pass or a card that turned, told together with those around it.

    A host's deed has a sentence of its own.
    """
    return isinstance(step.event, BidPlaced | PlayerPassed | CardsTurned) and step.envelope.actor != "host"


def chain(steps: Sequence[Step], names: Sequence[str], you: int | None = None) -> str:
    """Tell what happened in an auction shortly, in order, to a reader who sits at seat `you`."""
    told: list[str] = []
    has_bid = False
    for step in steps:
        event = step.event
        if isinstance(event, CardsTurned):
            told.append(phrase("events.cards_turned.short", cards=the_cards(event.cards)))
            continue
        if isinstance(event, BidPlaced):
            key, mice = ("bid" if has_bid else "first_bid"), event.amount
            has_bid = True
        else:
            assert isinstance(event, PlayerPassed), "nothing else is told in a chain"
            key, mice = ("some" if event.mice else "none"), event.mice
            key += "_forced" if event.seat == step.before.poor else ""
        who, whose = names[event.seat], "you" if event.seat == you else "other"
        if key == "bid" and whose == "other" and who[-1:].isdigit():
            whose = "numbered"
        told.append(phrase(f"events.chain.{key}.{whose}", who=who, mice=mice))
    sentence = phrase("events.chain.told", steps=_BETWEEN.join(told))
    is_name = getattr(steps[0].event, "seat", you) != you if steps else True
    return sentence if is_name else first_capital(sentence)
