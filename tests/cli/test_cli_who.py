"""replay --who, --json and --step: who made each step, by which message and line, once a game is over."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal
from cli.test_cli_stepper import screen, stepped_through
from felix_async.game.commands import Bid
from felix_async.origin import Origin
from felix_async.provenance import Provenance
from felix_cli.replay.beside import cause_json, cause_text
from felix_events.envelope import Private
from fresh import a_database
from games import NAMES, Played, a_room, place_all
from spoken import a_spoken_game
from table import ANNA, BEN

LINE = "9 for me, I say"


IN_WORDS = Origin(
    "mail/1",
    "seat",
    "mail",
    "ab" * 32,
    "BID 9",
    line=LINE,
    message_id="1@players.test",
    grammar=7,
    inferred=True,
)
"""The origin of a command that felix had read out of plain words."""


def a_game(*, ends: bool) -> tuple[Played, int]:
    """A game in felix.db, and the step in which Anna bid 9 in her own words."""
    with closing(a_database(Path("felix.db"))) as store:
        room = a_room("who", store)
        game_id = room.open(4, start=ANNA)
        room.join_all(game_id)
        place_all(room, game_id)
        version = room.do(game_id, Bid(seat=ANNA, amount=9), IN_WORDS).version
        if ends:
            room.play(game_id)
        return Played(game_id, room.evidence(game_id), NAMES[:4]), version


@pytest.fixture
def played(terminal: Terminal) -> tuple[Played, int]:
    """The game, which is over."""
    return a_game(ends=True)


def test_scripts_are_told_the_mail_and_the_line_of_each_step(
    terminal: Terminal, played: tuple[Played, int]
) -> None:
    game, version = played
    steps = {one["version"]: one for one in terminal.json("replay", game.game_id)}
    assert steps[version]["by"] == {
        "name": "Anna",
        "channel": "mail",
        "order": "BID 9",
        "line": LINE,
        "message_id": "1@players.test",
        "mail_sha256": "ab" * 32,
    }
    assert {one["actor"] for one in steps.values() if "by" not in one} == {"rules"}


def test_every_opened_record_is_told_and_no_other(terminal: Terminal, shelf: Shelf) -> None:
    lines = (line for line in shelf.file.read_bytes().splitlines() if b'"opens":' in line)
    opened = [one["opens"] for one in map(orjson.loads, lines) if "seat" not in one]
    steps = terminal.json("replay", shelf.file)
    assert [one["version"] for one in steps if "by" in one] == opened
    for eyes, seen in (("Ben", {"Ben"}), ("spectator", set())):
        told = [one["by"] for one in terminal.json("replay", shelf.file, "--as", eyes) if "by" in one]
        assert {one["name"] for one in told} == seen


def test_the_text_tells_it_in_few_words_if_asked(terminal: Terminal, played: tuple[Played, int]) -> None:
    said = "Anna, by mail: `9 for me, I say` (Message-ID <1@players.test>)."
    assert said in " ".join(terminal.run("replay", played[0].game_id, "--who").split())
    assert said not in " ".join(terminal.run("replay", played[0].game_id).split())


@pytest.mark.parametrize("width", ["80", "40"])
def test_each_line_about_it_begins_with_its_step(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    lines = terminal.run("replay", shelf.file, "--who").splitlines()
    steps = [one["version"] for one in terminal.json("replay", shelf.file) if "by" in one]
    begun = [re.match(r" {6,}(\d+)  \S", line) for line in lines]
    assert [int(one[1]) for one in begun if one] == steps
    assert max(map(len, lines)) <= int(width)


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ("HAND OVER 2", "HAND OVER Cara"),
        ("STANDS 0", "STANDS Anna"),
        ("HOST 3", "HOST Dan"),
        ("UNINVITE 9", "UNINVITE 9"),
        ("DISPUTE BID 9", "DISPUTE BID 9"),
        ("BID 2", "BID 2"),
    ],
)
def test_an_order_whose_line_is_not_kept_is_no_quotation_and_names_the_player(order: str, told: str) -> None:
    record = Private(salt="ab" * 16, channel="mail", cause="mail/1", mail_sha256="ab" * 32, order=order)
    made = Provenance(5, "seat", BEN, "Ben", record, record, given=None, until=4, names=NAMES[:4])
    assert cause_text(made) == f"Ben, by mail: {told}."
    assert (cause_json(made)["order"], cause_json(made)["line"]) == (order, None)


def test_each_is_told_under_the_name_of_then(terminal: Terminal) -> None:
    with closing(a_database(Path("felix.db"))) as store:
        game_id, (_, ben_said, nora_said), came = a_spoken_game(store)
    steps = {one["version"]: one.get("by") for one in terminal.json("replay", game_id)}
    assert [steps[one]["name"] for one in (ben_said, came, nora_said)] == ["Ben", "Nora", "Nora"]


@pytest.mark.parametrize("eyes", ["spectator", *NAMES[:4]])
def test_while_a_game_runs_nobody_is_told_any_of_it(terminal: Terminal, eyes: str) -> None:
    running = a_game(ends=False)[0].game_id
    assert not [one for one in terminal.json("replay", running, "--as", eyes) if "by" in one]
    result = terminal.invoke("replay", running, "--as", eyes, "--who")
    assert "By which messages the steps were made is told after the game." in result.stderr
    assert "players.test" not in result.stdout
    assert LINE not in result.stdout


def test_whoever_steps_through_it_is_told_the_line_as_well(
    terminal: Terminal, played: tuple[Played, int]
) -> None:
    game, version = played
    stepped = stepped_through(game)
    told = " ".join(screen("a", "g", *str(version), "enter", stepped=stepped, width=200))
    assert "Anna, by mail: `9 for me, I say` (Message-ID <1@players.test>)." in told
    told = " ".join(screen(str(BEN + 1), "g", *str(version), "enter", stepped=stepped, width=200))
    assert LINE not in told


def test_it_is_told_beside_no_list_of_sacks(terminal: Terminal, played: tuple[Played, int]) -> None:
    result = terminal.invoke("replay", played[0].game_id, "--short", "--who")
    assert (result.exit_code, "not both" in result.stderr) == (2, True)
