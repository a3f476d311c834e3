"""One round, played in Python: the rules alone, without a store, a clock or a mail.

`decide` turns a command into events or into a refusal, `fold` turns events into a state. That is the whole
core; everything else of felix brings commands to it and events away from it.

    .venv/bin/python examples/1_one_round.py
"""

from __future__ import annotations

from typing import Final

import felix_async.game as felix

NAMES: Final = ("Anna", "Ben", "Cara", "Dan")
GAME_ID: Final = "k7m2p"
SEED: Final = bytes(32)
"""All chance of a game; a server draws these 32 bytes, and shows them when the game is over."""
ROW: Final[tuple[felix.Card, ...]] = (11, -5, 0, "small_dog")
"""The cards that the four will place."""


def move(game: felix.Game, command: felix.Command) -> felix.Game:
    """The game after a command; tells what happened, or why nothing did."""
    decided = felix.decide(command, game, felix.Context(felix.Dice(GAME_ID, SEED)))
    if isinstance(decided, felix.Refusal):
        print(f"  refused ({decided.code}): {decided}")
        return game
    for event in decided:
        print(f"  {felix.describe(event, NAMES)}")
    return felix.fold(decided, game)


def open_table() -> felix.Game:
    """A table for four at which everybody has joined; Anna (seat 0) starts."""
    create = felix.Create(
        ruleset="felicity-2017",
        seats=[name.lower() for name in NAMES],
        options=felix.Options(start_seat=0),
        commitment=felix.commit(GAME_ID, SEED),
    )
    game = move(felix.Game(), create)
    for seat in range(len(NAMES)):
        game = move(game, felix.Join(seat=seat, contribution=f"{seat}" * 64))
    return game


def play_round(game: felix.Game) -> felix.Game:
    """Everybody places a card; Anna and Ben bid against each other; Ben buys, and a dog helps him."""
    for seat, card in enumerate(ROW):
        game = move(game, felix.Play(seat=seat, card=card))
    for command in (
        felix.Bid(seat=0, amount=3),
        felix.Bid(seat=1, amount=3),  # too low: refused, and nothing has changed
        felix.Bid(seat=1, amount=4),
        felix.Pass(seat=2),
        felix.Pass(seat=3),
        felix.Pass(seat=0),
    ):
        game = move(game, command)
    return game


def main() -> None:
    """Play the round, and say who owns what."""
    print("The table:")
    game = open_table()
    print("The round:")
    game = play_round(game)
    print(f"After the round, at version {game.version} of the log:")
    for name, seat in zip(NAMES, game.seats, strict=True):
        print(f"  {name}: {seat.mice} mice, won {seat.won}")


if __name__ == "__main__":
    main()
