"""How the people of a simulated year answer: in turn or all together, one mail a bid or some in advance."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from cli.by_mail import ByMail
from cli.terminal import Terminal
from cli.years import played
from felix_async.game.ahead import NOTHING, Ahead, Given, given_by
from felix_async.game.commands import Bid, Give, Pass, Play
from felix_async.game.moment import lateness
from felix_async.game.state import Game
from felix_cli.year import calendar, habits
from felix_cli.year.answering import Said, Ways, open_ask, what_to_say
from felix_cli.year.calendar import Year
from felix_cli.year.luck import Luck
from felix_events.envelope import decode_seat_envelopes, seat_log_id
from felix_events.model import OrderGiven
from felix_events.store.sqlite import SqliteStore
from table import ANNA, BEN, CARA, a_game

STRICT = Ways("in turn", 0.0, 0.0)


@pytest.fixture(autouse=True)
def quiet_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)


def orders_of(folder: Path) -> Counter[str]:
    """The orders that were given in advance in a year, by their kinds."""
    store = SqliteStore.open_to_read(folder / "year.db")
    with store.read() as reader:
        seats = [(row.game_id, seat.seat) for row in reader.games() for seat in reader.seats(row.game_id)]
        kept = [one for seat in seats for one in decode_seat_envelopes(reader.bodies(seat_log_id(*seat)))]
    store.close()
    return Counter(one.data.kind for one in kept if isinstance(one.data, OrderGiven))


def a_year(folder: Path, ways: Ways, players: int | None = None, games: int = 3) -> Year:
    """Some games with these habits."""
    return played(folder, days=30, games=games, ways=ways, players=players)


# ---- the options
def test_habits_and_pace_are_those_of_people(terminal: Terminal) -> None:
    assert "--calendar" in terminal.refused("simulate", "--habits", "80,60", code=2)
    assert "--calendar" in terminal.refused("simulate", "--pace", "in-turn", code=2)


@pytest.mark.parametrize("habits", ["many", "80", "80,101", "80,-1", "80,60,40", "80,", ""])
def test_habits_are_two_shares(terminal: Terminal, habits: str) -> None:
    sentence = terminal.refused("simulate", "--calendar", 30, "--habits", habits, code=2)
    assert "two numbers from 0 to 100" in sentence


def test_options_reach_the_year(terminal: Terminal) -> None:
    words = ["--pace", "in turn", "--habits", "none", "--players", 5, "--db", "year.db"]
    told = terminal.json("simulate", "--calendar", 30, "--games", 1, "--seed", 4, *words)
    assert (told["pace"], told["habits"], told["players"]) == ("in turn", [0, 0], 5)
    assert told["early_answers"] == 0


# ---- a year
def test_tables_have_as_many_seats_as_asked_for(tmp_path: Path) -> None:
    year = a_year(tmp_path, STRICT, players=3)
    assert Counter(game_id for game_id, _ in year.world.tally.choices) == dict.fromkeys(
        year.world.tally.tables, 3
    )


@pytest.mark.slow
def test_without_habits_nothing_is_said_in_advance(tmp_path: Path) -> None:
    year = a_year(tmp_path, Ways("together", 0.0, 0.0))
    assert not orders_of(tmp_path)
    assert year.result()["early_answers"] == 0


@pytest.mark.slow
def test_in_turn_nobody_is_asked_early(tmp_path: Path) -> None:
    told = a_year(tmp_path, Ways("in turn", 1.0, 0.0)).result()
    assert told["early_answers"] == 0
    assert set(orders_of(tmp_path)) == {"bid"}


@pytest.mark.slow
def test_cards_are_given_for_the_next_round(tmp_path: Path) -> None:
    a_year(tmp_path, Ways("in turn", 0.0, 1.0))
    assert set(orders_of(tmp_path)) == {"next"}


@pytest.mark.slow
def test_everybody_asked_at_once_waits_for_fewer(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    strict = a_year(tmp_path / "one", STRICT).result()
    told = a_year(tmp_path / "two", Ways()).result()
    assert told["stops_per_game"]["mean"] < 0.8 * strict["stops_per_game"]["mean"]
    assert told["early_answers"] > 10


@pytest.mark.slow
def test_with_one_message_a_bid_more_receipts_are_spared(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    strict = a_year(tmp_path / "one", STRICT).result()
    told = a_year(tmp_path / "two", Ways()).result()
    assert strict["spared_per_player"]["mean"] > told["spared_per_player"]["mean"] > 0
    assert told["answers_per_player"]["mean"] > strict["answers_per_player"]["mean"] > 0


def test_the_same_seed_gives_the_same_answers(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = (a_year(tmp_path / name, Ways(), games=1) for name in ("one", "two"))
    assert one.result() == two.result()


# ---- an answer
def says(game: Game, seat: int, *, limit: bool = False, card: bool = False, ahead: Ahead = NOTHING) -> Said:
    return what_to_say(game, seat, Luck("1", "a player"), ahead, limit=limit, card=card)


def kinds(gives: Sequence[Give]) -> list[str]:
    return [give.kind for give in gives]


def test_in_turn_without_a_limit_it_is_a_move() -> None:
    game = a_game().in_auction().game
    assert says(game, ANNA).gives == []
    assert isinstance(says(game, ANNA).move, Bid | Pass)


def test_whoever_names_a_limit_makes_no_move_beside_it() -> None:
    said = says(a_game().with_row(15, 11, 8, 5).in_auction().game, ANNA, limit=True)
    assert kinds(said.gives) == ["bid"]
    assert said.move is None


def test_a_limit_is_never_above_the_mice() -> None:
    (give,) = says(
        a_game().with_row(15, 11, 8, 5).with_mice({ANNA: 2}).in_auction().game, ANNA, limit=True
    ).gives
    assert give.limit == 2


def test_whoever_does_not_want_the_sack_passes_early() -> None:
    (give,) = says(a_game().with_row(-8, -5, 3, 3).in_auction(top_bid=14, by=ANNA).game, CARA).gives
    assert give.kind == "pass"


def test_a_card_for_the_next_round_comes_beside_the_move() -> None:
    said = says(a_game().in_auction().game, ANNA, card=True)
    assert kinds(said.gives) == ["next"]
    assert said.move is not None


def test_a_card_is_given_once_a_round() -> None:
    game = a_game().in_auction().game
    (give,) = says(game, ANNA, card=True).gives
    ahead = Ahead(card=Given(1, given_by(give, game)))
    assert says(game, ANNA, card=True, ahead=ahead).gives == []


def test_no_card_is_given_for_the_last_round() -> None:
    assert says(a_game().in_round(8).in_auction().game, ANNA, card=True).gives == []


def test_a_card_is_placed_without_more_words() -> None:
    said = says(a_game().game, ANNA, limit=True, card=True)
    assert isinstance(said.move, Play)
    assert said.gives == []


def test_an_early_ask_is_answered_in_turn_as_well() -> None:
    game = a_game().in_auction().game
    ask = open_ask(game, BEN)
    assert ask is not None
    assert ask.is_early
    later = a_game().in_auction(top_bid=2, by=ANNA).game
    assert later.to_move == BEN
    assert not lateness(later, BEN, ask.turn, ask.row, "ahead")


def test_whoever_has_answered_is_not_asked() -> None:
    game = a_game().in_auction().game
    ahead = Ahead(Given(1, given_by(Give(seat=BEN, kind="pass"), game)))
    assert open_ask(game, BEN, ahead) is None


def test_whoever_has_passed_is_not_asked() -> None:
    game = a_game().in_auction().after(Pass(seat=ANNA)).game
    assert open_ask(game, ANNA) is None


# ---- the answers, which a year only counts
@pytest.mark.slow
@pytest.mark.parametrize("ways", [Ways(), STRICT])
def test_answers_are_counted_as_they_are_written(
    ways: Ways, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same moves as messages: each seat has as many letters that answer, and as many that are spared."""
    monkeypatch.setattr(habits, "BUSY", 0)
    monkeypatch.setattr(calendar, "Habits", ByMail)
    year = a_year(tmp_path, ways, games=3)
    people, tables = year.habits, year.world.tally.tables
    assert isinstance(people, ByMail)
    assert people.answers.total() > 20
    assert people.silent.total() > 20
    assert people.late or ways == STRICT, "answers to another card are answered, too"
    assert people.answers == {
        (game, seat): n for game, one in tables.items() for seat, n in one.answers.items()
    }
    assert people.silent == {
        (game, seat): n for game, one in tables.items() for seat, n in one.spared.items()
    }
