"""show, games and replay of a game with a clock: when something is due, in UTC."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from cli.terminal import Terminal, a_room_in
from felix_async.game.commands import Absent, Command, Leave, Play, TimeOut, Vote
from felix_events.model import Terms
from games import Room
from table import ANNA, BEN, CARA, DAN

DAY = 24 * 3600
DATABASE = Path("felix.db")


def a_timed_game(room: Room, terms: Terms | None) -> str:
    """Everybody is asked for a card."""
    room.clock.step = timedelta()
    game_id = room.open(4, start=ANNA, clock=terms)
    room.join_all(game_id)
    return game_id


def in_a_game(*commands: Command, terms: Terms | None) -> str:
    """A game by these terms in felix.db, in which this was done."""
    room = a_room_in(DATABASE)
    try:
        game_id = a_timed_game(room, terms)
        for command in commands:
            assert room.do(game_id, command).refusal is None
    finally:
        room.store.close()
    return game_id


def lines(terminal: Terminal, game_id: str) -> list[str]:
    return terminal.run("show", game_id).splitlines()


WITH_RESERVE = Terms(move=DAY, reserve=2 * DAY, weekends=False, zone="Europe/Berlin")


def test_show_says_how_much_time_there_is_and_when_each_seat_is_due(terminal: Terminal) -> None:
    shown = lines(terminal, in_a_game(terms=WITH_RESERVE))
    assert "Clock: 1 day a move and 2 days in reserve, weekends do not count (Europe/Berlin)." in shown
    assert "Ben: has until Tue 6 Jan, 12:00 UTC" in shown
    assert shown.count("Ben: 2 days of the reserve left") == 1


def test_show_says_who_is_away_and_who_votes(terminal: Terminal) -> None:
    start, back = "2026-01-02T12:00:00.000000Z", "2026-01-05T12:00:00.000000Z"
    shown = lines(
        terminal,
        in_a_game(
            Absent(seat=CARA, start=start, back=back, computer=True),
            Leave(seat=DAN, for_good=False),
            Vote(seat=BEN, on="abandon"),
            terms=Terms(move=DAY),
        ),
    )
    assert "Cara: away from Fri 2 Jan, 12:00 UTC until Mon 5 Jan, 12:00 UTC" in shown
    assert "Cara: the computer will play meanwhile" in shown
    assert max(len(line) for line in shown if line.startswith("Cara: ")) <= 80
    assert "Dan: the computer plays" in shown
    assert "For an end without a result: Ben; it takes 2." in shown


def test_show_says_that_a_game_pauses(terminal: Terminal) -> None:
    pause = [Vote(seat=seat, on="pause") for seat in (ANNA, BEN, CARA)]
    shown = lines(terminal, in_a_game(*pause, terms=Terms(move=DAY)))
    assert "Paused until Sat 31 Jan, 12:00 UTC." in shown
    assert not [line for line in shown if ": has until " in line]


def test_show_says_that_a_game_ended_without_a_result(terminal: Terminal) -> None:
    end = [Vote(seat=seat, on="abandon") for seat in (ANNA, BEN, CARA)]
    assert "The game ended without a result." in lines(terminal, in_a_game(*end, terms=Terms(move=DAY)))


def test_show_as_json_holds_the_terms_and_the_deadlines(terminal: Terminal) -> None:
    view = terminal.json("show", in_a_game(terms=WITH_RESERVE))["view"]
    assert view["clock"] == WITH_RESERVE.model_dump()
    assert view["seats"][BEN]["time"]["deadline"] == {
        "turn": 1,
        "reserve_from": "2026-01-02T12:00:00.000000Z",
        "at": "2026-01-06T12:00:00.000000Z",
    }
    assert (view["paused_until"], view["votes"]) == ("", [])


@pytest.mark.parametrize("terms", [None, Terms(move=DAY)])
def test_games_lists_what_is_due_next(terminal: Terminal, terms: Terms | None) -> None:
    game_id = in_a_game(terms=terms)
    (row,) = terminal.run("games").splitlines()[1:]
    (game,) = terminal.json("games")
    due = "2026-01-02T12:00:00.000000Z"
    assert ("2026-01-02T12:00Z" in row) is (terms is not None)
    assert game["deadlines"] == ([{"seat": seat, "at": due} for seat in range(4)] if terms else [])
    assert (game["game_id"], game["paused_until"]) == (game_id, None)


def test_games_says_that_a_game_pauses(terminal: Terminal) -> None:
    in_a_game(*(Vote(seat=seat, on="pause") for seat in (ANNA, BEN, CARA)), terms=Terms(move=DAY))
    assert " paused " in terminal.run("games")
    (game,) = terminal.json("games")
    assert (game["deadlines"], game["paused_until"]) == ([], "2026-01-31T12:00:00.000000Z")


def test_replay_tells_of_a_time_out_and_keeps_the_card_to_itself(terminal: Terminal) -> None:
    room = a_room_in(DATABASE)
    game_id = a_timed_game(room, Terms(move=DAY))
    room.do(game_id, Play(seat=ANNA, card=room.game(game_id).seats[ANNA].hand[0]))
    room.clock.now += timedelta(days=2)
    assert room.do(game_id, TimeOut(seat=BEN, turn=1)).refusal is None
    room.store.close()
    told = terminal.run("replay", game_id)
    assert "Ben's time was up, so I moved for them." in told
    assert "Ben placed a card." in told
    assert "Ben placed a card." not in terminal.run("replay", game_id, "--as", BEN)
