"""Bids and passes of one auction in one sentence: `Dan bid 6, you 7, Dan 8, you passed and took 4.`"""

from __future__ import annotations

from collections.abc import Sequence

from felix_async.game.story import Step
from felix_async.language.phrases import first_capital, phrase
from felix_events.model import BidPlaced, PlayerPassed


def is_link(step: Step) -> bool:
    """Return True if a step is a bid or a pass, which is told together with those around it.

    A host's deed has a sentence of its own.
    """
    return isinstance(step.event, BidPlaced | PlayerPassed) and step.envelope.actor != "host"


def chain(steps: Sequence[Step], names: Sequence[str], you: int | None = None) -> str:
    """Tell bids and passes of one auction shortly, in order, to a reader who sits at seat `you`."""
    told: list[str] = []
    has_bid = False
    for step in steps:
        event = step.event
        if isinstance(event, BidPlaced):
            key, mice = ("bid" if has_bid else "first_bid"), event.amount
            has_bid = True
        else:
            assert isinstance(event, PlayerPassed), "nothing else is told in a chain"
            key, mice = ("some" if event.mice else "none"), event.mice
            key += "_forced" if event.seat == step.before.poor else ""
        whose = "you" if event.seat == you else "other"
        told.append(phrase(f"events.chain.{key}.{whose}", who=names[event.seat], mice=mice))
    sentence = phrase("events.chain.told", steps=", ".join(told))
    return first_capital(sentence) if steps and getattr(steps[0].event, "seat", None) == you else sentence
