"""A game driven by hand: dealt in one line, and moved on by commands that must be allowed."""

from __future__ import annotations

from collections.abc import Sequence

from felix_async.draw import Dice, Draws, commit, contribution
from felix_async.game.commands import Command, Create, Join
from felix_async.game.folding import fold
from felix_async.game.rules import Context, Refusal, decide
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.game.state import Game
from felix_events.model import Options, Ruleset


def deal(
    players: Sequence[str],
    *,
    seed: bytes,
    ruleset: Ruleset = DEFAULT_RULESET,
    start_seat: int | None = None,
    game_id: str = "felix",
) -> tuple[Game, Dice]:
    """Return a game in which these 3 to 5 players have joined and got their cards, and its dice.

    All chance follows from the `seed` of 32 bytes; the start seat too, unless it is named. Raises ValueError.
    """
    create = Create(
        ruleset=ruleset,
        seats=list(players),
        options=Options(start_seat=start_seat),
        commitment=commit(game_id, seed),
    )
    joined = [Join(seat=seat, contribution=contribution("", name)) for seat, name in enumerate(players)]
    dice = Dice(game_id, seed)
    return play(Game(), dice, create, *joined), dice


def play(game: Game, dice: Draws, *commands: Command) -> Game:
    """Return the game after these commands; the one given stays as it is. A refusal raises ValueError."""
    for command in commands:
        decided = decide(command, game, Context(dice))
        if isinstance(decided, Refusal):
            raise ValueError(f"{decided.code}: {decided}")
        game = fold(decided, game)
    return game
