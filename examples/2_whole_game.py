"""A whole game between computer players, in memory: played through the service, then folded and told.

The service joins the rules with a store: it loads a game, decides, appends the events, and owes the players
what follows. The players see nothing but their own view. What is left at the end is the log, and everything
that is printed here comes out of it.

    .venv/bin/python examples/2_whole_game.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_of
from felix_async.clock import system_clock
from felix_async.draw import Numbers, Stream, contribution
from felix_async.game.commands import Join, SeatCommand
from felix_async.game.folding import fold
from felix_async.game.narrate import describe
from felix_async.game.players import random_player
from felix_async.game.sensible import sensible_player
from felix_async.game.views import view
from felix_async.service import Origin, Player, Service
from felix_events.envelope import decode_events
from felix_events.store.base import Store
from felix_events.store.sqlite import SqliteStore

NAMES: Final = ("Anna", "Ben", "Cara", "Dan")
MINDS: Final = (sensible_player, random_player, sensible_player, random_player)


def play(store: Store, service: Service, numbers: Numbers) -> str:
    """Play a game to its end; its id. Each command is a transaction of its own, as in a real server."""
    with store.write() as tx:
        game_id, opened = service.open_table(
            tx,
            [Player(name.lower(), name) for name in NAMES],
            origin=Origin("open", "computer", "computer"),
            table_name="Kitchen table",
            ruleset="felicity-2017",
            kind="simulated",
        )
    assert opened.refusal is None
    for number, command in enumerate(orders(store, service, game_id, numbers)):
        with store.write() as tx:
            outcome = service.handle(tx, game_id, command, Origin(f"order-{number}", "computer", "computer"))
        assert outcome.refusal is None, f"{command} was refused: {outcome.refusal}"
    return game_id


def orders(store: Store, service: Service, game_id: str, numbers: Numbers) -> Iterator[SeatCommand]:
    """The commands of the players, one after the other, until the game is over."""
    for seat, name in enumerate(NAMES):
        yield Join(seat=seat, contribution=contribution(f"<join@{name.lower()}>", "may the best cat win"))
    while True:
        with store.read() as reader:
            game = service.load(reader, game_id)
        if game.is_over:
            return
        seat = game.asked[numbers.below(len(game.asked))]
        yield MINDS[seat](view(game, seat), seat, numbers).move


def main() -> None:
    """Play, then read the log: what happened, the state that it folds to, and whether it is sound."""
    store = SqliteStore.in_memory()
    service = Service(system_clock, os.urandom)
    game_id = play(store, service, Stream(os.urandom(32), "players"))
    with store.read() as reader:
        bodies = reader.bodies(game_id)
        evidence = evidence_of(reader, game_id)
    assert evidence is not None
    events = decode_events(bodies)
    for version, event in enumerate(events, 1):
        print(f"{version:4}  {describe(event, NAMES)}")
    game = fold(events)
    print(f"Folded: {len(events)} events, {sum(map(len, bodies))} bytes, state {game.standing!r}.")
    print(f"Winners: {', '.join(NAMES[seat] for seat in game.winners)}.")
    print(f"Audit: {'sound' if audit(evidence).sound else 'not sound'}.")


if __name__ == "__main__":
    main()
