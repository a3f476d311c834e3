"""A game told on a terminal: in beats, with the table, or short; whole or a part of it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from cli.conftest import Shelf, WallClock
from cli.terminal import FELIX, Terminal, a_room_in, environment
from cli.test_cli_output import on_a_terminal
from each import one_in
from felix_async.game.commands import Play
from felix_async.language.phrases import phrase
from fresh import a_database
from spoken import BEN_SAID, NORA, a_spoken_game
from table import ANNA, BEN, DAN

GOLDEN: Final = Path(__file__).parents[1] / "golden"


@pytest.fixture
def in_utc(wall_clock: WallClock) -> None:
    wall_clock.set("2026-11-22T12:00:00.000000Z", "UTC")


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def spoken(terminal: Terminal) -> tuple[str, list[int], int]:
    """A game in felix.db in which Nora came for Ben, and people talked: its id, and the versions of both."""
    with closing(a_database(Path("felix.db"))) as store:
        return a_spoken_game(store)


def steps(told: str) -> list[int]:
    """The numbers of the steps at the beginning of lines."""
    return [int(line[:4]) for line in told.splitlines() if line[:4].strip().isdigit() and line[4:6] == "  "]


# ---- beats ------------------------------------------------------------------------------------------
def test_a_game_is_told_in_a_third_of_its_records(terminal: Terminal, shelf: Shelf) -> None:
    told, records = terminal.run("replay", shelf.file), terminal.json("replay", shelf.file)
    assert steps(told) == sorted(steps(told))
    assert 0 < len(steps(told)) < len(records) / 2


def test_the_table_is_drawn_before_each_sale(terminal: Terminal, shelf: Shelf) -> None:
    told = terminal.run("replay", shelf.file)
    sacks = [one for one in terminal.json("replay", shelf.file) if one["type"].startswith("sack_")]
    assert told.count("Mouse cards:") == len(sacks) == 9


def test_a_running_game_ends_with_its_table_as_it_is(terminal: Terminal, shelf: Shelf) -> None:
    told = terminal.run("replay", shelf.running, "--db", shelf.database)
    assert "to move" in told.split("Mouse cards:")[-2]


def test_a_seat_sees_its_hand_below_the_table(terminal: Terminal, shelf: Shelf) -> None:
    assert "Ben has " in terminal.run("replay", shelf.file, "--as", "Ben")
    assert " has " not in terminal.run("replay", shelf.file).split("Round 9")[-1]


def test_the_day_is_told_where_it_changes(terminal: Terminal, shelf: Shelf, in_utc: None) -> None:
    assert terminal.run("replay", shelf.file).count("Thu 1 Jan 2026") == 1


def test_a_running_game_tells_no_times(terminal: Terminal, shelf: Shelf) -> None:
    told = terminal.run("replay", shelf.running, "--db", shelf.database)
    assert "2026" not in told
    assert "times:" not in told


def test_the_result_is_a_table(terminal: Terminal, shelf: Shelf) -> None:
    lines = terminal.run("replay", shelf.file).splitlines()
    place = next(place for place, line in enumerate(lines) if line.split()[:2] == ["cats", "mice"])
    assert [line.split()[0] for line in lines[place + 1 : place + 4]] == ["Anna", "Cara", "Ben"]
    assert [line.endswith("won") for line in lines[place + 1 : place + 4]] == [True, False, False]


def test_three_best_moments_come_after_the_result(terminal: Terminal, shelf: Shelf, columns: None) -> None:
    after = terminal.run("replay", shelf.file).partition("The best moments:\n")[2].splitlines()
    assert [line[:8] for line in after[:4]] == ["  Round "] * 3 + [""]


def test_in_a_narrow_terminal_luck_and_skill_are_told_player_by_player(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    told = terminal.run("replay", shelf.file).partition(f"{phrase('moments.figures.title')}\n")[2]
    assert told.startswith("Anna: Passing ")
    assert "…" not in told


def test_it_ends_with_luck_and_skill_in_the_order_of_the_result(
    terminal: Terminal, shelf: Shelf, columns: None
) -> None:
    told = terminal.run("replay", shelf.file).partition(f"{phrase('moments.figures.title')}\n")[2]
    head, *players = [line.split() for line in told.splitlines()[:4]]
    assert head == ["Passing", "Buying", "Surprises", "Given", "away"]
    assert [(name, len(values)) for name, *values in players] == [("Anna", 4), ("Cara", 4), ("Ben", 4)]
    assert told.endswith("15 mice, passing, buying and surprises add up to the total.\n")


@pytest.mark.parametrize("words", [["--short"], ["--round", "9"]], ids=" ".join)
def test_less_than_the_whole_story_has_no_figures(terminal: Terminal, shelf: Shelf, words: list[str]) -> None:
    assert phrase("moments.figures.title") not in terminal.run("replay", shelf.file, *words)


def test_a_running_game_has_neither_moments_nor_figures(terminal: Terminal, shelf: Shelf) -> None:
    told = terminal.run("replay", shelf.running, "--db", shelf.database)
    assert "The best moments" not in told
    assert phrase("moments.figures.title") not in told


def test_words_are_told_where_they_were_said(terminal: Terminal, spoken: tuple[str, list[int], int]) -> None:
    told = " ".join(terminal.run("replay", spoken[0]).split())
    assert " ".join(BEN_SAID.split()) in told


def test_who_left_keeps_what_they_did(terminal: Terminal, spoken: tuple[str, list[int], int]) -> None:
    before = terminal.run("replay", spoken[0], "--until", spoken[2] - 1)
    assert "Ben" in before
    assert NORA.name not in before


def test_deadlines_are_told_to_those_who_ask(terminal: Terminal) -> None:
    a_database(Path("felix.db")).close()
    game_id = terminal.started(clock="2 days a move")
    assert " has until " not in terminal.run("replay", game_id)
    assert " has until " in terminal.run("replay", game_id, "--clock")


@pytest.mark.parametrize("game", ["time-hurried", "life-taken"])
def test_with_deadlines_every_step_is_told_once_and_in_order(terminal: Terminal, game: str) -> None:
    told = steps(terminal.run("replay", GOLDEN / f"{game}.jsonl", "--clock"))
    assert told == sorted(set(told))


@pytest.mark.parametrize("words", [[], ["--clock"]], ids=" ".join)
def test_a_lone_bid_stands_under_its_own_number(terminal: Terminal, words: list[str]) -> None:
    """The deadline that it sets comes after it."""
    game = GOLDEN / "time-hurried.jsonl"
    bids = {one["version"] for one in terminal.json("replay", game) if one["type"] == "bid_placed"}
    told = terminal.run("replay", game, *words)
    alone = re.findall(r"^ *(\d+)  \S+  \w+ bid\s\d+\.$", told, re.MULTILINE)
    assert alone
    assert {*map(int, alone)} <= bids


# ---- width ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("words", [[], ["--short"], ["--as", "Ben", "--clock"]], ids=" ".join)
@pytest.mark.parametrize("width", [40, 60, 120])
def test_no_line_is_wider_than_columns_says(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, width: int, words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, terminal.run("replay", shelf.file, *words).splitlines())) <= width


def test_without_columns_a_pipe_gets_eighty(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    told = terminal.run("replay", shelf.file)
    monkeypatch.delenv("COLUMNS")
    assert terminal.process("replay", shelf.file, stdin=subprocess.DEVNULL).stdout.decode() == told


@pytest.mark.slow
def test_colours_are_for_a_terminal_that_wants_them(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    words = ("replay", shelf.file, "--round", 9)
    assert "\x1b[" in "".join(on_a_terminal(*words, columns=80, lines=200))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in "".join(on_a_terminal(*words, columns=80, lines=200))


@pytest.mark.slow
def test_what_is_longer_than_the_terminal_goes_through_its_pager(shelf: Shelf) -> None:
    words = ("replay", shelf.file)
    assert len(on_a_terminal(*words, columns=80, pager="tail -n 1")) == 1
    assert len(on_a_terminal(*words, columns=80, lines=5000, pager="tail -n 1")) > 100


@pytest.mark.parametrize("words", one_in(4, [["--short"], [], ["--json"], ["--help"]]), ids=" ".join)
def test_a_pipe_that_is_closed_early_ends_it_in_silence(shelf: Shelf, words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*FELIX, "replay", str(shelf.file), *words],
        env=environment(),
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert done.stderr == b""


# ---- short ------------------------------------------------------------------------------------------
def test_short_has_a_line_for_each_sack(terminal: Terminal, shelf: Shelf, columns: None) -> None:
    lines = terminal.run("replay", shelf.file, "--short").splitlines()
    assert lines[2].split() == ["round", "buyer", "price", "profit", "cards"]
    assert [line.split()[0] for line in lines[3:12]] == list("123456789")
    assert re.search(r" \+[1-9]", "\n".join(lines[3:12]))


def test_in_a_narrow_terminal_short_leaves_no_card_out(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def words(columns: int) -> Sequence[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        told = terminal.run("replay", shelf.file, "--short")
        assert max(map(len, told.splitlines())) <= columns
        return sorted(told.split())

    assert words(40) == words(120)


def test_short_sets_numbers_below_each_other(terminal: Terminal, shelf: Shelf, columns: None) -> None:
    head, *lines = terminal.run("replay", shelf.file, "--short").splitlines()[2:12]
    ends = [[line[: head.index(name) + len(name)][-1:] for line in lines] for name in ("round", "price")]
    assert all(end.isdecimal() for found in ends for end in found if end.strip())


def test_short_says_where_nothing_was_sold_yet(desk: Terminal) -> None:
    assert phrase("replay.short.none") in desk.run("replay", desk.started(), "--short")


# ---- parts ------------------------------------------------------------------------------------------
def test_a_round_is_told_alone(terminal: Terminal, shelf: Shelf) -> None:
    records = terminal.json("replay", shelf.file, "--round", 5)
    assert records[0]["data"]["round"] == 5
    assert [one["type"] for one in records].count("round_started") == 1
    assert records[-1]["type"].startswith("sack_")
    told = terminal.run("replay", shelf.file, "--round", 5)
    turned = next(one["version"] for one in records if one["type"] == "cards_turned")
    assert (steps(told)[0], told.count("── Round")) == (turned, 1)


def test_the_last_round_ends_before_the_result(terminal: Terminal, shelf: Shelf) -> None:
    assert "player" not in terminal.run("replay", shelf.file, "--round", 9)


def test_from_and_until_take_rounds(terminal: Terminal, shelf: Shelf) -> None:
    told = terminal.run("replay", shelf.file, "--from", "r3", "--until", "R4")
    assert [number for number in range(1, 10) if f"── Round {number} " in told] == [3, 4]


def test_a_step_is_named_as_a_link_of_the_page_names_it(terminal: Terminal, shelf: Shelf) -> None:
    words = ("replay", shelf.file, "--from")
    assert terminal.run(*words, "v40", "--until", "V57") == terminal.run(*words, "40", "--until", "57")


def test_a_beat_that_reaches_beyond_the_part_is_cut(terminal: Terminal, shelf: Shelf) -> None:
    records = terminal.json("replay", shelf.file)
    sale = next(one for one in records if one["type"] == "sack_sold")
    told = terminal.run("replay", shelf.file, "--from", sale["version"] - 1, "--until", sale["version"])
    assert steps(told) == [sale["version"] - 1, sale["version"]]


def test_the_number_of_a_line_is_the_step_at_which_all_of_it_has_happened(
    terminal: Terminal, shelf: Shelf
) -> None:
    whole = terminal.run("replay", shelf.file)
    line = next(
        line for line in whole.splitlines() if line.endswith(" was turned over.") and " passed" in line
    )
    (step,) = steps(line)
    assert line in terminal.run("replay", shelf.file, "--until", step).splitlines()
    assert line in terminal.run("replay", shelf.file, "--from", step).splitlines()


def test_a_part_of_a_game_that_is_over_is_seen_as_all_of_it_is(terminal: Terminal, shelf: Shelf) -> None:
    whole = terminal.run("replay", shelf.file)
    part = terminal.run("replay", shelf.file, "--until", "r1")
    assert whole.startswith(part.split("╭")[0])


@pytest.mark.parametrize("eyes", [[], ["--as", "all"], ["--as", "Ben"], ["--as", "spectator"]], ids=" ".join)
def test_scripts_are_told_a_part_of_a_game_that_is_over_as_all_of_it(
    terminal: Terminal, shelf: Shelf, eyes: list[str]
) -> None:
    whole = terminal.json("replay", shelf.file, *eyes)
    part = terminal.json("replay", shelf.file, *eyes, "--from", "r2", "--until", "r3")
    assert 20 < len(part) < len(whole)
    assert part == whole[part[0]["version"] - 1 : part[-1]["version"]]
    assert part[-1]["type"].startswith("sack_")


def test_from_and_until_take_times(terminal: Terminal, shelf: Shelf, in_utc: None) -> None:
    records = terminal.json("replay", shelf.file)
    at = records[40]["at"]
    later = terminal.json("replay", shelf.file, "--from", at)
    assert later == [one for one in records if one["at"] >= at]
    earlier = terminal.json("replay", shelf.file, "--until", at[:16])
    moment = f"{at[:16]}:00.000000Z"
    assert len(earlier) == sum(one["at"] <= moment for one in records)
    assert terminal.run("replay", shelf.file, "--until", "2026-01-01") == terminal.run("replay", shelf.file)


def test_in_a_running_game_no_part_tells_who_placed_first(terminal: Terminal) -> None:
    with closing((room := a_room_in(Path("felix.db"))).store):
        game_id = room.open(start=ANNA)
        room.join_all(game_id)
        for seat in (DAN, BEN):
            card = room.game(game_id).seats[seat].hand[0]
            assert room.do(game_id, Play(seat=seat, card=card)).refusal is None
        version = room.game(game_id).version
    for last in range(version - 2, version):
        told = terminal.run("replay", game_id, "--until", last)
        assert "placed" not in told
        types = [one["type"] for one in terminal.json("replay", game_id, "--until", last)]
        assert "card_placed" not in types


# ---- whose eyes -------------------------------------------------------------------------------------
def test_a_seat_is_named_by_who_sits_there_and_by_who_left(
    terminal: Terminal, spoken: tuple[str, list[int], int]
) -> None:
    now = terminal.run("replay", spoken[0], "--as", NORA.name)
    assert terminal.run("replay", spoken[0], "--as", "Ben") == now


# ---- what cannot be done ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--until", "100000"], "There is no step 100000 for --until: the game has"),
        (["--from", "0"], "There is no step 0 for --from: the game has"),
        (["--round", "10"], "There is no round 10 for --round: the game has 9 rounds."),
        (["--until", "r0"], "There is no round 0 for --until: the game has 9 rounds."),
        (["--from", "50", "--until", "r1"], "Nothing lies between --from and --until: step 50 comes after"),
        (["--from", "tomorrow"], "--from takes a step like 40, a round like r5 or a time like 2026-11-25"),
        (["--until", "9999-12-31T23:59:59-23:00"], "--until takes a step like 40"),
        (["--from", "2027-01-01"], "Nothing happened after 2027-01-01"),
        (["--until", "2025-12-31"], "Nothing had happened by 2025-12-31"),
        (["--as", "Nobody"], "Nobody here is called Nobody; at this table are Anna, Ben and Cara."),
        (["--short", "--json"], "Give --json or --short, not both."),
        (["--clock", "--json"], "Give --json or --clock, not both."),
        (["--clock", "--short"], "Give --short or --clock, not both."),
        (["--round", "2", "--until", "40"], "Give --round or --until, not both."),
        (["--step", "--round", "2"], "Give --step or --round, not both."),
    ],
)
def test_what_there_is_not_gets_a_sentence(
    terminal: Terminal, shelf: Shelf, words: list[str], sentence: str
) -> None:
    assert terminal.refused("replay", shelf.file, *words, code=2).startswith(sentence)


def test_a_game_that_never_began_has_no_round(terminal: Terminal) -> None:
    assert terminal.refused("replay", GOLDEN / "declined.jsonl", "--round", 1, code=2) == (
        "There is no round 1 for --round: none has begun."
    )


def test_all_is_named_in_any_case(terminal: Terminal, shelf: Shelf) -> None:
    assert terminal.run("replay", shelf.file, "--as", "ALL") == terminal.run("replay", shelf.file)


def test_a_running_game_has_no_parts_by_time(terminal: Terminal, shelf: Shelf) -> None:
    words = ("replay", shelf.running, "--db", shelf.database)
    assert "nobody is told when" in terminal.refused(*words, "--from", "2026-01-01", code=2)
    assert "the game has had 4 rounds" in terminal.refused(*words, "--round", 5, code=2)
    assert "nobody may see everything" in terminal.refused(*words, "--as", "all")


def test_a_name_that_two_seats_have_is_asked_about(desk: Terminal) -> None:
    game_id = desk.new("Benno", "Anna", "Ben-Ari")
    assert (
        desk.refused("replay", game_id, "--as", "Ben", code=2) == "Ben may be Benno or Ben-Ari; write 0 or 2."
    )
