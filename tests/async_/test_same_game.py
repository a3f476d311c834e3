"""A game with orders given in advance is the game of the same decisions, each of them asked and answered."""

from __future__ import annotations

from collections import Counter

import pytest

from async_.sameness import bodies, clocks_that_ran_nowhere, faults, played
from felix_async.game import ahead
from felix_async.game.commands import Give
from felix_async.game.state import Game
from felix_async.service import Service
from felix_events.envelope import check_envelopes, check_seat_envelopes, seat_log_id
from felix_events.model import OrderDropped, OrderGiven


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12))
def test_the_same_decisions_are_the_same_game(number: int) -> None:
    """3, 4 and 5 players, both rulesets, with and without a clock; it runs only where the table rests."""
    assert faults(number, audited=number < 6) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12, 112))
def test_the_same_decisions_are_the_same_game_often(number: int) -> None:
    assert faults(number, audited=number % 10 == 0) == []


@pytest.mark.slow
def test_the_games_are_full_of_orders() -> None:
    """Else they would prove nothing: of all kinds, also some that are dropped, and chains of five moves."""
    said: Counter[str] = Counter()
    longest = 0
    for number in (0, 4, 6, 11):
        room, game_id = played(number, orders=True)
        moves = Counter(
            one.at
            for one in check_envelopes(bodies(room, game_id))
            if one.type.endswith(("placed", "passed"))
        )
        longest = max(longest, *moves.values())
        for seat in range(3 + number % 3):
            with room.store.read() as reader:
                for one in check_seat_envelopes(reader.bodies(seat_log_id(game_id, seat))):
                    if isinstance(one.data, OrderGiven):
                        said[one.data.kind] += 1
                    if isinstance(one.data, OrderDropped):
                        said[one.data.why] += 1
    assert longest >= 5
    assert {kind for kind, times in said.items() if times >= 20} >= {
        "bid",
        "pass",
        "next",
        "asked",
        "replaced",
    }


def test_a_rule_that_is_off_by_one_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else they would prove nothing either: here a limit is passed a mouse too late."""
    real = ahead.given_by

    def generous(command: Give, game: Game) -> OrderGiven:
        order = real(command, game)
        return order if order.limit is None else order.model_copy(update={"limit": order.limit + 1})

    monkeypatch.setattr("felix_async.seat_logs.given_by", generous)
    assert any(faults(number) for number in (2, 5, 6))


def test_a_clock_that_runs_inside_a_chain_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Service._handle

    def unaware(service: Service, tx: object, moving: object, *rest: object) -> object:
        monkeypatch.setattr("felix_async.service.next_step", lambda *_: None)
        try:
            return real(service, tx, moving, *rest)  # type: ignore[arg-type]
        finally:
            monkeypatch.setattr("felix_async.service.next_step", ahead.next_step)

    monkeypatch.setattr(Service, "_handle", unaware)
    assert list(clocks_that_ran_nowhere(*played(6, orders=True)))
