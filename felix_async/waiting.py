"""Since when the table has waited for whom."""

from __future__ import annotations

from collections.abc import Iterable

from felix_async.game.fold import apply
from felix_async.game.state import initial_state
from felix_events.envelope import Envelope


def asked_since(envelopes: Iterable[Envelope]) -> dict[int, str]:
    """The seats that are waited for after these events, each with the time at which that began.

    Whoever comes back to a seat that the computer played for is waited for from then on.
    """
    game = initial_state()
    since: dict[tuple[int, int], str] = {}
    for envelope in envelopes:
        apply(game, envelope.data)
        asked = [(seat, game.seats[seat].turn) for seat in game.asked if not game.seats[seat].computer]
        since = {decision: since.get(decision, envelope.at) for decision in asked}
    return {seat: at for (seat, _), at in since.items()}
