"""Everybody's mice and cats as the public events tell them, held against the true state of whole games."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from anything import seeds
from each import each
from felix_async.game.cards import START_MICE
from felix_async.game.folding import evolve
from felix_async.game.ledger import Purse, purses
from felix_async.game.scoring import score
from felix_async.game.state import Game, initial_state
from felix_async.game.views import Hidden, redact
from felix_events.model import Event, PlayerPassed, SackSold
from games import Played, a_declined_game, a_game_played
from golden.make_golden import BEFORE, FOLDER, kept_game

KEPT = sorted([*FOLDER.glob("*.jsonl"), *BEFORE.glob("*.jsonl")])


def true_purses(game: Game) -> dict[int, Purse]:
    """Return the mice and cats of all, out of the state with all that is hidden."""
    if not game.round:
        return {}
    return {seat: Purse(game.seats[seat].mice, tuple(game.seats[seat].won)) for seat in game.players}


def moments(played: Played) -> Iterator[tuple[list[Event], Game]]:
    """The events so far, and the state after them, from the empty log to the whole one."""
    states = accumulate(played.events, evolve, initial=initial_state())
    for count, game in enumerate(states):
        yield list(played.events[:count]), game


def assert_true_at_every_step(played: Played) -> None:
    for events, game in moments(played):
        assert purses(events, game.players) == true_purses(game)


@each("path", KEPT)
def test_the_ledger_is_true_at_every_step_of_a_golden_game(path: Path) -> None:
    assert_true_at_every_step(kept_game(path))


@given(st.sampled_from([3, 4, 5]), seeds(40, few=4))
def test_the_ledger_is_true_at_every_step_of_any_game(seats: int, seed: int) -> None:
    assert_true_at_every_step(a_game_played(seats, seed=str(seed)))


def test_the_ledger_of_a_game_that_never_began_is_empty() -> None:
    assert purses(a_declined_game().events, range(4)) == {}


@each("path", KEPT)
def test_the_ledger_needs_nothing_that_a_spectator_may_not_know(path: Path) -> None:
    played = kept_game(path)
    shown = (redact(event, "spectator") for event in played.events)
    public = [event for event in shown if not isinstance(event, Hidden)]
    game = played.game()
    assert purses(public, game.players) == purses(played.events, game.players) == true_purses(game)


@each("path", KEPT)
def test_the_ledger_at_the_end_is_the_score(path: Path) -> None:
    played = kept_game(path)
    game = played.game()
    if game.phase == "ended":
        counted = purses(played.events, game.players)
        assert {seat: score(purse.won, purse.mice) for seat, purse in counted.items()} == {
            seat: total for seat, total in enumerate(game.scores) if total is not None
        }


def test_a_pass_and_a_sale_change_one_purse_each() -> None:
    played = a_game_played(4)
    first = next(place for place, event in enumerate(played.events) if isinstance(event, SackSold))
    sold = played.events[first]
    assert isinstance(sold, SackSold)
    passed = sum(
        event.mice
        for event in played.events[:first]
        if isinstance(event, PlayerPassed) and event.seat == sold.seat
    )
    purse = purses(played.events[: first + 1], range(4))[sold.seat]
    assert purse == Purse(START_MICE + passed - sold.price, tuple(sold.prize))
