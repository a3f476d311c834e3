"""The library: `import felix_async.game as felix` is a game that one can drive, and lists what is legal."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import felix_async.game as felix
from anything import moves
from each import each
from games import a_game_played

SEED = bytes(32)


def offered() -> set[str]:
    """The names that a type checker finds, as `__init__` imports them."""
    tree = ast.parse(Path(felix.__file__).read_text("utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    return {name.name for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names}


def test_every_name_is_there_when_it_is_asked_for() -> None:
    named = {name for names in felix._HOMES.values() for name in names.split()}
    assert named == offered()
    assert all(getattr(felix, name) is not None for name in named)


def test_there_are_no_other_names() -> None:
    with pytest.raises(AttributeError, match=r"felix_async\.game has no moves"):
        felix.moves  # noqa: B018


def test_who_only_names_cards_loads_no_rules() -> None:
    line = "import sys, felix_async.game.cards; print('felix_async.game.rules' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def test_a_command_that_is_refused_raises_with_its_code() -> None:
    game, dice = felix.deal(["anna", "ben", "cara"], seed=SEED)
    with pytest.raises(ValueError, match="auction/not_open: "):
        felix.play(game, dice, felix.Pass(seat=0))


@pytest.mark.parametrize("number", [2, 6])
def test_a_game_is_for_three_to_five(number: int) -> None:
    with pytest.raises(ValueError, match="table/size: "):
        felix.deal(["anna", "ben", "cara", "dan", "eve", "fritz"][:number], seed=SEED)


# ---- what is legal ----------------------------------------------------------------------------------
@each(("seats", "seed"), [(seats, seed) for seats in (3, 4, 5) for seed in "ab"])
def test_what_is_legal_is_done_and_nothing_else(seats: int, seed: str) -> None:
    """A card that lies there already is placed again by no event, so it is not legal, and not refused."""
    played = a_game_played(seats, seed=seed)
    context = felix.Context(felix.Dice(played.game_id, SEED))
    for version in played.step_ends()[::5]:
        game = played.game(version)
        for seat in range(seats):
            answers = [(move, felix.decide(move, game, context)) for move in moves(game, seat)]
            assert felix.legal(game, seat) == [
                move for move, answer in answers if isinstance(answer, list) and answer
            ]


WAYS: list[tuple[list[str], list[int]]] = [
    # Three players, nine cards each: any card of any seat; then an exchange (8) or a card of another (18).
    ([], [27, 27 * 26]),
    # Fifteen mice each: 15 bids or a pass. After a bid of b there are 15 - b higher ones or a pass: 119 for
    # all from 1 to 14, and 546 after a higher one. After a bid of 15 the others pass by the rules, so it has
    # bought: three seats have eight cards, and then 7 + 16.
    (["PLAY", "PLAY", "PLAY"], [16, 119 + 24 + 16, 546 + 14 * 24 + 119 + 24 * 23 + 119 + 24 + 2]),
    # After a pass, the last seat alone may buy for 1, or pass; after each sale three seats have eight cards.
    (["PLAY", "PLAY", "PLAY", "PASS"], [16, 119 + 24 + 2, 546 + 2 * 14 * 24 + 24 * 23 + 2 * 24]),
]
"""What was done after the deal, and the ways to make 1, 2, 3 … more moves, by any seat."""


@each(("start", "numbers"), WAYS)
def test_so_many_ways_lead_on(start: list[str], numbers: list[int]) -> None:
    game, dice = felix.deal(["anna", "ben", "cara"], seed=SEED)
    for word in start:
        seat = game.asked[0]
        found = felix.legal(game, seat)
        game = felix.play(game, dice, found[0] if word == "PLAY" else found[-1])
    assert [ways(game, dice, depth) for depth in range(1, len(numbers) + 1)] == numbers


def ways(game: felix.Game, dice: felix.Dice, depth: int) -> int:
    """How many sequences of so many legal moves there are."""
    found = [move for seat in game.players for move in felix.legal(game, seat)]
    if depth == 1:
        return len(found)
    return sum(ways(felix.play(game, dice, move), dice, depth - 1) for move in found)
