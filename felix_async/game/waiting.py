"""Since when the table has waited for whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from felix_async.game.folding import apply
from felix_async.game.state import Game, initial_state
from felix_events.envelope import Envelope

Since = Mapping[tuple[int, int], str]
"""The decisions that are waited for, by seat and turn, each with the time at which that began."""


def asked_since(envelopes: Iterable[Envelope]) -> dict[int, str]:
    """The seats that are waited for after these events, each with the time at which that began.

    Whoever comes back to a seat that the computer played for is waited for from then on.
    """
    return by_seat(apply_all(initial_state(), {}, envelopes))


def apply_all(game: Game, since: Since, envelopes: Iterable[Envelope]) -> Since:
    """Change a state that the caller made, event by event, and tell what is waited for then; `since` is what
    was before.
    """
    for envelope in envelopes:
        apply(game, envelope.data)
        asked = [(seat, game.seats[seat].turn) for seat in game.asked if not game.seats[seat].computer]
        since = {decision: since.get(decision, envelope.at) for decision in asked}
    return since


def by_seat(since: Since) -> dict[int, str]:
    """The seats alone."""
    return {seat: at for (seat, _), at in since.items()}
