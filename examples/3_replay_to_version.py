"""A log replayed to any version: the table as everybody saw it then.

A state is never stored, it is the fold of the first so many events. So every moment of a game can be had
again, from a file that `felix export` wrote, on a machine that never saw the server. Without a file the
example plays a game for itself.

    .venv/bin/python examples/3_replay_to_version.py
    .venv/bin/python examples/3_replay_to_version.py game.jsonl --until 40
"""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from felix_async.clock import system_clock
from felix_async.game.cards import card_text
from felix_async.game.folding import fold
from felix_async.game.narrate import retell
from felix_async.game.players import ComputerPlayer
from felix_async.game.sensible import sensible_player
from felix_async.game.views import RowCard, View, view
from felix_async.service import Service
from felix_cli.simulate import play_game
from felix_events.envelope import check_envelopes
from felix_events.export import read_export, write_export
from felix_events.store.sqlite import SqliteStore
from felix_events.tree import leaf, tree_root


def a_game() -> bytes:
    """An export of a game that three computer players have just played."""
    store = SqliteStore.in_memory()
    service = Service(system_clock, os.urandom)
    with store.write() as tx:
        minds: list[tuple[str, ComputerPlayer]] = [("sensible", sensible_player)] * 3
        game_id, _ = play_game(tx, service, minds, "felicity-2017", "example")
        return write_export(game_id, ["Anna", "Ben", "Cara"], "Example", tx.bodies(game_id))


def told(table: View, names: Sequence[str]) -> list[str]:
    """A table as lines."""
    if not table.row:
        return ["Nothing lies on the table at this moment."]

    def place(card: RowCard) -> str:
        owner = "dummy" if card.owner is None else names[card.owner]
        face = "face down" if card.placed else "nothing yet"
        return f"{owner}: {face if card.card is None else card_text(card.card)}"

    mice = [("taken" if card.taken else str(card.mice)) for card in table.mouse_cards]
    waited_for = [names[seat] for seat in table.asked]
    return [
        f"Round {table.round}, {table.phase}; highest bid {table.high_bid}; bank {table.bank}",
        f"Row: {', '.join(place(card) for card in table.row)}",
        f"Mouse cards: {', '.join(mice)}",
        f"Waiting for: {', '.join(waited_for) or 'nobody'}",
    ]


def main() -> None:
    """Read a log, and stop where it was asked to."""
    parser = ArgumentParser(description="Replay an exported game to a version of its log.")
    parser.add_argument("file", type=Path, nargs="?", help="an exported game; without one, a game is played")
    parser.add_argument("--until", type=int, default=40, help="the version to stop at (default: 40)")
    given = parser.parse_args()

    export = read_export(given.file.read_bytes() if given.file else a_game())
    names = export.header.names
    bodies = export.bodies[: max(1, given.until)]
    envelopes = check_envelopes(bodies)
    for line in retell(envelopes, "spectator", names):
        print(f"{line.step.version:4}  {line.text}")
    print()
    print(f"The table at version {len(bodies)} of {len(export.bodies)}, as everybody saw it:")
    game = fold(envelope.data for envelope in envelopes)
    for row in told(view(game, "spectator"), names):
        print(f"  {row}")
    print(f"Root of the log here: {tree_root(map(leaf, bodies)).hex()}")


if __name__ == "__main__":
    main()
