"""The table of a replay: as a viewer saw it at a version, or as all see it afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_async.game.views import View, Viewer, view
from felix_events.envelope import Envelope
from felix_events.model import CardPlaced, RoundStarted, SackDiscarded, SackSold


def table_at(envelopes: Sequence[Envelope], version: int, viewer: Viewer, *, is_over: bool) -> View:
    """Return the table after so many events of a log; `is_over` says that its game is over.

    Of a game that runs an earlier table has no deadlines and whole reserves: they tell when it rested then;
    and no cards of a round before all lie there: they tell who was first. A sack that was just sold still
    lies there. Raises ValueError if all of a running game is asked for.
    """
    until = envelopes[:version]
    game = fold(envelope.data for envelope in until)
    if not is_over and len(until) < len(envelopes):
        game = untimed(game, until)
    table = _seen(game, viewer) if is_over else view(game, viewer)
    if game.phase != "between" or not game.round:
        return table
    sold = max(place for place, one in enumerate(until) if isinstance(one.data, SackSold | SackDiscarded))
    before = fold(envelope.data for envelope in until[:sold])
    return replace(table, row=view(before, "spectator").row)


def untimed(game: Game, envelopes: Sequence[Envelope]) -> Game:
    """The state after these events without what tells who moved when, or before whom."""
    if game.phase == "placing":
        began = max(one.version for one in envelopes if isinstance(one.data, RoundStarted))
        game = fold(
            one.data for one in envelopes if one.version < began or not isinstance(one.data, CardPlaced)
        )
    reserve = game.clock.reserve if game.clock is not None else 0
    game.seats = [
        replace(seat, time=replace(seat.time, deadline=None, reserve=reserve)) for seat in game.seats
    ]
    return game


def _seen(game: Game, viewer: Viewer) -> View:
    """A table of a game that is over by now, with all hands for whoever sees all of it."""
    if viewer != "all" or game.is_over:
        return view(game, viewer)
    own = {seat: view(game, seat).own[seat] for seat in range(len(game.seats))}
    return replace(view(game, "spectator"), viewer="all", own=own)
