"""A game told while it is played."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal, a_room_in
from felix_async.game.beats import Beat
from felix_async.game.commands import Bid, Command, Pass, Play
from felix_cli.replay.follow import new_beats
from felix_cli.wiring import look_up
from games import Room, place_all
from table import ANNA, BEN, CARA, DAN

DB = Path("felix.db")


class Told(Exception):
    """Everything that was done has been told."""


@pytest.fixture
def table(terminal: Terminal) -> Iterator[tuple[Room, str]]:
    """A game in its first round, in a database on disk; Anna starts."""
    with closing((room := a_room_in(DB)).store):
        game_id = room.open(start=ANNA)
        room.join_all(game_id)
        yield room, game_id


def placing(room: Room, game_id: str, seat: int) -> Play:
    return Play(seat=seat, card=room.game(game_id).seats[seat].hand[0])


def followed_while(room: Room, game_id: str, *commands: Command) -> list[Beat]:
    """What is told of a game while these commands are done, one each time that nothing is new."""
    rest = iter(commands)
    told: list[Beat] = []

    def wait(_: float) -> None:
        command = next(rest, None)
        if command is None:
            raise Told
        assert room.do(game_id, command).refusal is None

    beats = new_beats(look_up(game_id, DB), "spectator", DB, wait)
    with suppress(Told):
        told += (beat for _, beat in beats)
    return told


def test_what_happens_is_told_as_it_comes(table: tuple[Room, str]) -> None:
    room, game_id = table
    place_all(room, game_id)
    told = followed_while(room, game_id, Bid(seat=ANNA, amount=3), Bid(seat=BEN, amount=5))
    assert [beat.text.replace("\N{NO-BREAK SPACE}", " ") for beat in told[-2:]] == [
        "Anna bid 3.",
        "Ben bid 5.",
    ]


def test_every_record_is_told_once(table: tuple[Room, str]) -> None:
    room, game_id = table
    cards = [placing(room, game_id, seat) for seat in (CARA, ANNA, DAN, BEN)]
    told = followed_while(room, game_id, *cards, Bid(seat=ANNA, amount=3), Pass(seat=BEN))
    versions = sorted(line.step.version for beat in told for line in (*beat.lines, *beat.below))
    assert versions == list(range(1, room.game(game_id).version + 1))


def test_nobody_is_told_who_placed_a_card_before_whom(table: tuple[Room, str]) -> None:
    room, game_id = table
    cards = [placing(room, game_id, seat) for seat in (CARA, ANNA, DAN)]
    assert [beat.kind for beat in followed_while(room, game_id, *cards)] == ["lobby", "deal", "placing"]


def test_cards_are_told_when_all_lie_there(table: tuple[Room, str]) -> None:
    room, game_id = table
    cards = [placing(room, game_id, seat) for seat in (CARA, ANNA, DAN, BEN)]
    told = followed_while(room, game_id, *cards)
    assert told[-1].text.startswith("Anna, Ben, Cara and Dan placed their cards.")


def test_nobody_is_told_when_it_happened(table: tuple[Room, str]) -> None:
    room, game_id = table
    place_all(room, game_id)
    told = followed_while(room, game_id, Bid(seat=ANNA, amount=3))
    assert {line.at for beat in told for line in beat.lines} == {None}


def test_it_ends_with_the_game(table: tuple[Room, str]) -> None:
    room, game_id = table
    beats = list(new_beats(look_up(game_id, DB), "spectator", DB, lambda _: room.play(game_id)))
    assert beats[-1][1].kind == "result"


def test_the_command_prints_what_comes(
    table: tuple[Room, str], terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, game_id = table
    monkeypatch.setattr(time, "sleep", lambda _: room.play(game_id))
    told = terminal.run("replay", game_id, "--follow")
    assert told.startswith(f"Thursday club ({game_id})\n")
    assert told.endswith("\n15 mice, passing, buying and surprises add up to the total.\n")


def test_each_sale_has_its_row_and_the_end_all_that_a_replay_has(
    table: tuple[Room, str], terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, game_id = table
    monkeypatch.setattr(time, "sleep", lambda _: room.play(game_id))
    followed = terminal.run("replay", game_id, "--follow", "--as", "spectator")
    told = terminal.run("replay", game_id, "--as", "spectator")
    rows = [[line for line in text.splitlines() if line and line[0] in "╭│╰"] for text in (followed, told)]
    # The first is the table as it was when the others were waited for.
    assert rows[0][-len(rows[1]) :] == rows[1]
    assert followed.endswith(told.partition("  cats  mice  total")[2])
    assert len(rows[0]) >= 9 * 5


def test_each_beat_has_the_step_of_a_replay(
    table: tuple[Room, str], terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, game_id = table
    place_all(room, game_id)
    room.play(game_id)
    told = [terminal.run("replay", game_id, "--as", "spectator", *words) for words in ((), ("--follow",))]
    # Once the game is over `replay` has a time behind each step.
    steps = [re.findall(r"^ *(\d+)  ", text, re.MULTILINE) for text in told]
    assert steps[1][: len(steps[0])] == steps[0]


def test_ctrl_c_ends_it_in_silence(
    table: tuple[Room, str], terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupted)
    result = terminal.invoke("replay", table[1], "--follow")
    assert (result.exit_code, result.stderr) == (130, "")


def test_a_file_cannot_be_followed(terminal: Terminal, shelf: Shelf) -> None:
    assert "a file does not go on" in terminal.refused("replay", shelf.file, "--follow", code=2)


def test_it_is_followed_or_stepped_through(terminal: Terminal, shelf: Shelf) -> None:
    refused = terminal.refused("replay", shelf.running, "--follow", "--step", code=2)
    assert refused == "Give --step or --follow, not both."
