"""show, games and replay of a game with a clock: when something is due, and since when it is waited for."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from cli.conftest import Shelf, WallClock
from cli.terminal import Terminal, a_room_in
from felix_async.clock import time_of
from felix_async.game.commands import Absent, Command, Leave, Play, TimeOut, Vote
from felix_cli import local
from felix_events.model import Terms
from felix_events.store.rows import Trouble
from fresh import a_database
from games import Room
from table import ANNA, BEN, CARA, DAN

pytestmark = pytest.mark.usefixtures("new_year")
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
    assert "Anna, Ben, Cara and Dan have until Tue 6 Jan 12:00." in shown
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
    assert "Cara: away from Fri 2 Jan 12:00 until Mon 5 Jan 12:00" in shown
    assert "Cara: the computer will play meanwhile" in shown
    assert max(len(line) for line in shown if line.startswith("Cara: ")) <= 80
    assert "Dan: the computer plays" in shown
    assert "Ben wants to call it off (1 of 2 votes)." in shown


def test_show_says_that_a_game_pauses(terminal: Terminal) -> None:
    pause = [Vote(seat=seat, on="pause") for seat in (ANNA, BEN, CARA)]
    shown = lines(terminal, in_a_game(*pause, terms=Terms(move=DAY)))
    assert "Paused until Sat 31 Jan 12:00." in shown
    assert not [line for line in shown if re.search(r" (has|have) until ", line)]


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
    records = terminal.json("replay", game_id)
    assert "Ben placed a card." in [record["text"] for record in records]
    assert "Ben placed a card." not in terminal.run("replay", game_id, "--as", BEN)


# ---- local and short ----------------------------------------------------------------------------------
NOON = "2026-11-22T12:00:00.000000Z"


@pytest.mark.parametrize(
    ("zone", "at", "shown"),
    [
        ("UTC", "2026-11-22T23:12:00.000000Z", "today 23:12"),
        ("Europe/Berlin", "2026-11-22T22:12:00.000000Z", "today 23:12"),
        ("Europe/Berlin", "2026-11-22T23:12:00.000000Z", "Mon 23 Nov 00:12"),
        ("Asia/Kathmandu", "2026-11-25T17:40:00.000000Z", "Wed 25 Nov 23:25"),
        ("America/New_York", "2026-07-01T03:00:00.000000Z", "Tue 30 Jun 23:00"),
        ("UTC", "2025-11-26T23:25:00.000000Z", "Wed 26 Nov 2025 23:25"),
    ],
)
def test_times_are_short_and_by_the_machines_own_clock(
    wall_clock: WallClock, zone: str, at: str, shown: str
) -> None:
    wall_clock.set(NOON, zone)
    assert local.when(at) == shown


def test_midnight_is_the_end_of_a_day(wall_clock: WallClock) -> None:
    wall_clock.set(NOON, "Europe/Berlin")
    ends = ["2026-11-25T23:00:00.000000Z", "2026-11-25T22:59:00.000000Z", "2026-11-26T00:00:00.000000Z"]
    assert [local.until(at) for at in ends] == [*["the end of Wed 25 Nov"] * 2, "Thu 26 Nov 01:00"]


@pytest.mark.parametrize(
    ("zone", "names"), [("UTC", "UTC"), ("Europe/Berlin", "CET/CEST"), ("Asia/Tokyo", "JST")]
)
def test_the_zone_is_named_once(wall_clock: WallClock, zone: str, names: str) -> None:
    wall_clock.set(NOON, zone)
    assert local.zones() == names


def test_a_replay_tells_local_times_and_names_them(
    terminal: Terminal, shelf: Shelf, wall_clock: WallClock
) -> None:
    wall_clock.set(NOON, "Asia/Kathmandu")
    head, _, day, first, *_ = terminal.run("replay", shelf.file).splitlines()
    at = time_of(terminal.json("replay", shelf.file)[0]["at"]) + timedelta(hours=5, minutes=45)
    assert head.endswith("; times: +0545")
    assert day == f"{at:%a} {at.day} {at:%b %Y}"
    assert first[6:11] == f"{at:%H:%M}"


# ---- open games ---------------------------------------------------------------------------------------
def test_open_games_tell_who_is_waited_for_and_since_when(terminal: Terminal) -> None:
    game_id = in_a_game(Leave(seat=DAN, for_good=False), terms=Terms(move=DAY))
    result = terminal.invoke("games", "--open")
    _, row = result.stdout.splitlines()
    assert row.split("  ")[0] == game_id
    assert "Anna, Ben, Cara  " in row
    assert row.endswith("  today 12:00  Fri 2 Jan 12:00")
    assert result.stderr == "Times: UTC.\n"
    (told,) = terminal.json("games", "--open")
    since, due = "2026-01-01T12:00:00.000000Z", "2026-01-02T12:00:00.000000Z"
    assert told["waiting"] == [{"seat": seat, "since": since, "until": due} for seat in (ANNA, BEN, CARA)]
    (listed,) = terminal.json("games")
    assert told == {**listed, "waiting": told["waiting"]}


def test_open_games_tell_of_a_pause_and_of_a_host(terminal: Terminal) -> None:
    in_a_game(*(Vote(seat=seat, on="pause") for seat in (ANNA, BEN, CARA)), terms=Terms(move=DAY))
    new = [word for name in ("Eva", "Finn", "Gus", "Hana") for word in ("--player", name)]
    game_id = terminal.run("new", *new).strip()
    for name in ("Eva", "Finn", "Gus"):
        terminal.run("move", game_id, name, "JOIN")
    terminal.run("move", game_id, "Hana", "DECLINE")
    lines = terminal.run("games", "--open").splitlines()
    assert "paused until Sat 31 Jan 12:00" in lines[1]
    assert "Eva, to start" in lines[2]


def test_games_that_are_over_or_imported_are_not_open(terminal: Terminal, shelf: Shelf) -> None:
    listed = [game["game_id"] for game in terminal.json("games", "--open", "--db", shelf.database)]
    assert listed == [shelf.running]
    terminal.run("import", shelf.file, "--db", "other.db")
    result = terminal.invoke("games", "--open", "--db", "other.db")
    assert (result.stdout, result.stderr) == ("", "No game is open.\n")


def test_an_open_game_that_cannot_be_read_is_listed_as_such(terminal: Terminal) -> None:
    game_id = in_a_game(terms=None)
    store = a_database(DATABASE)
    with store.write() as tx:
        tx.note_trouble(Trouble(game_id, NOON, "It is damaged."))
    store.close()
    assert "cannot be read" in terminal.run("games", "--open")
    (told,) = terminal.json("games", "--open")
    assert (told["is_readable"], "waiting" in told) == (False, False)
