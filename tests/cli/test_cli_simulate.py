"""simulate: games between computer players, the same again for the same seed, and marked as what they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cli.terminal import Terminal
from felix_cli.simulate import Tally
from felix_events.store.sqlite import SqliteStore

pytestmark = pytest.mark.slow


def exports(terminal: Terminal, database: str) -> dict[str, bytes]:
    """All games of a database as files."""
    ids = [game["game_id"] for game in terminal.json("games", "--db", database)]
    return {game: terminal.invoke("export", game, "--db", database).stdout_bytes for game in ids}


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("ruleset", ["felicity-2017", "felix-2007"])
def test_the_same_seed_gives_the_same_exports(terminal: Terminal, players: int, ruleset: str) -> None:
    words = ["simulate", "--games", 2, "--players", players, "--ruleset", ruleset, "--seed", 11]
    first = terminal.run(*words, "--db", "one.db").split()
    assert terminal.run(*words, "--db", "two.db").split() == first
    one = exports(terminal, "one.db")
    assert list(one) == first
    assert one == exports(terminal, "two.db")


def test_another_seed_gives_other_games(terminal: Terminal) -> None:
    for seed in (1, 2):
        terminal.run("simulate", "--seed", seed, "--db", f"{seed}.db")
    assert not set(exports(terminal, "1.db").values()) & set(exports(terminal, "2.db").values())


def test_the_same_seed_may_be_played_again_in_the_same_database(terminal: Terminal) -> None:
    first = terminal.run("simulate", "--seed", 5, "--db", "one.db").split()
    again = terminal.run("simulate", "--seed", 5, "--db", "one.db").split()
    assert not set(first) & set(again)
    assert terminal.invoke("audit", "--all", "--db", "one.db").exit_code == 0


def test_without_a_seed_one_is_drawn_and_told(terminal: Terminal) -> None:
    drawn = terminal.json("simulate", "--players", 3, "--db", "one.db")
    again = terminal.json("simulate", "--players", 3, "--seed", drawn["seed"], "--db", "two.db")
    assert again == drawn
    assert exports(terminal, "one.db") == exports(terminal, "two.db")


def test_games_are_counted_and_so_are_wins(terminal: Terminal) -> None:
    told = terminal.json("simulate", "--games", 7, "--players", 4, "--seed", 3)
    assert len(told["games"]) == len(set(told["games"])) == 7
    assert [(share["seat"], share["bot"]) for share in told["wins"]] == [
        (0, "sensible"),
        (1, "random"),
        (2, "sensible"),
        (3, "random"),
    ]
    wins = Counter({share["seat"]: share["wins"] for share in told["wins"]})
    shown = Counter(seat for game in told["games"] for seat in terminal.json("show", game)["view"]["winners"])
    assert wins.total() == shown.total() >= 7
    assert +wins == shown


def test_the_shares_are_parts_of_the_games_and_a_shared_win_is_divided() -> None:
    tally = Tally(["sensible", "random", "random"])
    for winners in ([0], [1, 2], [0], [0, 1]):
        tally.count(winners)
    assert [(one["wins"], one["share"]) for one in tally.by_seat()] == [(3, 0.625), (2, 0.25), (1, 0.125)]
    assert tally.by_bot() == {"sensible": 0.625, "random": 0.375}


def test_the_shares_are_told_by_seat_and_by_kind(terminal: Terminal) -> None:
    words = ["simulate", "--games", 8, "--bots", "sensible,share40,share,random", "--seed", 3]
    told = terminal.json(*words, "--db", "one.db")
    assert list(told["shares"]) == ["sensible", "share40", "share", "random"]
    assert sum(told["shares"].values()) == pytest.approx(1)
    assert [one["share"] for one in told["wins"]] == list(told["shares"].values())
    assert terminal.json(*words, "--db", "two.db") == told


def test_the_start_goes_round_the_table(terminal: Terminal) -> None:
    told = terminal.json("simulate", "--games", 5, "--players", 3, "--seed", 3)
    starts = [
        next(
            step["data"]["start_seat"]
            for step in terminal.json("replay", game)
            if step["type"] == "game_started"
        )
        for game in told["games"]
    ]
    assert starts == [0, 1, 2, 0, 1]


def test_the_result_is_ids_alone_and_the_rest_is_talk(terminal: Terminal) -> None:
    result = terminal.invoke("simulate", "--games", 2, "--seed", 3)
    assert result.stdout.split() == [game["game_id"] for game in terminal.json("games")]
    assert result.stderr.startswith("2 games, won by: seat 0 (sensible) ")
    assert "--seed 3" in result.stderr
    assert result.stderr.count("\n") == 1


def test_simulated_games_are_marked_over_and_sound(terminal: Terminal) -> None:
    terminal.run("simulate", "--games", 3, "--players", 5, "--seed", 3)
    games = terminal.json("games")
    assert {(game["kind"], game["state"]) for game in games} == {("simulated", "ended")}
    created = terminal.json("replay", games[0]["game_id"])[0]
    assert created["data"]["options"]["seeded"] is True
    assert created["actor"] == "computer"
    assert terminal.invoke("audit", "--all").stderr == "3 games, none with findings.\n"


def test_simulated_games_owe_nobody_mail(terminal: Terminal) -> None:
    (game_id,) = terminal.run("simulate", "--seed", 3).split()
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        assert (reader.notices(game_id), reader.letters(), reader.due_of(game_id)) == ([], [], [])
        assert {seat.address for seat in reader.seats(game_id)} == {None}
    store.close()


@pytest.mark.parametrize(
    ("bots", "seated"),
    [
        ("random", ["random"] * 4),
        ("sensible", ["sensible"] * 4),
        (" random , sensible,sensible ", ["random", "sensible", "sensible", "random"]),
        ("random,random,random,sensible,sensible,sensible", ["random", "random", "random", "sensible"]),
    ],
)
def test_players_are_seated_over_and_over(terminal: Terminal, bots: str, seated: list[str]) -> None:
    told = terminal.json("simulate", "--bots", bots, "--seed", 3)
    assert [share["bot"] for share in told["wins"]] == seated


@pytest.mark.parametrize(
    "bots", ["clever", "sensible,clever", "", "sensible,,random", "share5", "share400", "share 40"]
)
def test_a_computer_player_that_there_is_not_is_wrong_usage(terminal: Terminal, bots: str) -> None:
    said = terminal.refused("simulate", "--bots", bots, code=2)
    assert said.startswith("There is no computer player '")
    assert not Path("felix.db").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--games", "0"],
        ["--games", "-1"],
        ["--games", "1e3"],
        ["--players", "2"],
        ["--players", "6"],
        ["--ruleset", "felix"],
        ["--seed", "x"],
        ["more"],
    ],
)
def test_simulate_used_wrongly_is_exit_2(terminal: Terminal, words: list[str]) -> None:
    terminal.refused("simulate", *words, code=2)
    assert not Path("felix.db").exists()


def test_no_bar_is_drawn_where_nobody_looks(terminal: Terminal) -> None:
    done = terminal.process("simulate", "--games", "2", "--seed", "3")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    assert done.stderr.count(b"\n") == 1
