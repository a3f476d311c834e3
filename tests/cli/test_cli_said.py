"""What was said in advance, at the desk: told after the end, before that to nobody but the seat itself."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from async_.sameness import played as played_with_orders
from async_.test_ahead import say, up_to
from cli.terminal import Terminal
from felix_async.audit.evidence import exported
from felix_async.game.commands import Bid, Give, Pass
from fresh import a_database
from games import NAMES, Room, a_room, place_all
from golden.examples import EXAMPLES
from table import ANNA, BEN, CARA, DAN


def play(database: str, *, ends: bool, silent: bool = False) -> str:
    """A game in whose first round Ben and Cara say things in advance, to its end or not; its id."""
    game_id, made = played(ends, silent)
    Path(database).write_bytes(made)
    return game_id


@cache
def played(ends: bool, silent: bool) -> tuple[str, bytes]:
    database = Path("played.db")
    store = a_database(database)
    room = a_room("said", store)
    game_id = room.open(start=ANNA)
    room.join_all(game_id)
    place_all(room, game_id)
    if not silent:
        speak(room, game_id)
    room.do(game_id, Bid(seat=ANNA, amount=1))
    if silent:
        room.do(game_id, Bid(seat=BEN, amount=2))
    for seat in (CARA, DAN):
        room.do(game_id, Pass(seat=seat))
    if ends:
        room.play(game_id)
    store.close()
    made = database.read_bytes()
    database.unlink()
    return game_id, made


def speak(room: Room, game_id: str) -> None:
    hand = room.game(game_id).seats[BEN].hand
    say(room, game_id, up_to(BEN, 3))
    say(room, game_id, up_to(BEN, 9))
    say(room, game_id, Give(seat=BEN, kind="next", card=hand[-1]))
    say(room, game_id, up_to(CARA, 1, asks=True))


def test_after_the_end_a_replay_tells_what_was_said_in_advance(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    game_id = play("felix.db", ends=True)
    told = terminal.run("replay", game_id)
    lines = [line.strip() for line in told.replace("\N{NO-BREAK SPACE}", " ").splitlines()]
    place = next(place for place, line in enumerate(lines) if line.endswith("Anna bid 1 · Ben 2."))
    assert lines[place + 1] == "As said in advance: Ben UP TO 9."
    assert "Ben had said in advance: UP TO 3, and then something else." in lines
    assert "Cara had said in advance: UP TO 1 THEN ASK. It never came to that." in lines
    assert any(line.startswith("As said in advance: Ben NEXT") for line in lines)


def test_what_was_said_while_a_deadline_ran_is_told_too(terminal: Terminal) -> None:
    told = " ".join(terminal.run("replay", EXAMPLES[1].log).split())
    assert "Ben had said in advance: UP TO 8. It never came to that." in told


def test_after_the_end_a_seat_is_told_what_it_said_itself(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    told = terminal.run("replay", game_id, "--as", CARA)
    assert "Cara had said in advance: UP TO 1" in told
    assert "As said in advance" not in told
    assert "said in advance" not in terminal.run("replay", game_id, "--as", "spectator")


def test_while_the_game_runs_a_seat_is_told_what_it_said_itself(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=False)
    told = terminal.run("replay", game_id, "--as", BEN)
    assert "As said in advance: Ben UP TO 9." in told
    assert "Ben said in advance: UP TO 3." in told
    assert "Cara said" not in told


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "{game}"],
        ["replay", "{game}", "--as", "0"],
        ["replay", "{game}", "--as", "3", "--json"],
        ["show", "{game}"],
        ["show", "{game}", "--as", "0", "--json"],
        ["games", "--json"],
    ],
    ids=" ".join,
)
def test_while_the_game_runs_others_are_told_nothing(terminal: Terminal, words: list[str]) -> None:
    game_id = play("with.db", ends=False)
    asked = [word.format(game=game_id) for word in words]
    shown = terminal.invoke(*asked, "--db", "with.db")
    assert shown.exit_code == 0, shown.stderr
    assert "advance" not in shown.stdout
    assert "order" not in shown.stdout


def test_the_json_of_a_replay_has_orders_by_move_and_by_place(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    steps = terminal.json("replay", game_id)
    moves = [step for step in steps if "by_order" in step]
    assert [(step["data"]["seat"], step["by_order"]["kind"]) for step in moves] == [
        (BEN, "bid"),
        (BEN, "next"),
    ]
    assert moves[0]["by_order"]["limit"] == 9
    assert moves[0]["by_order"]["moves"] == [moves[0]["version"]]
    (said,) = [step["said"] for step in steps if "said" in step]
    assert [(one["seat"], one["limit"], one["dropped"]) for one in said] == [
        (BEN, 3, "replaced"),
        (CARA, 1, None),
    ]


def test_a_file_tells_the_same_and_comes_back_into_a_database(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    terminal.run("export", game_id, "-o", "game.jsonl")
    assert terminal.run("replay", "game.jsonl") == terminal.run("replay", game_id)
    terminal.run("import", "game.jsonl", "--db", "other.db")
    again = terminal.invoke("export", game_id, "--db", "other.db").stdout_bytes
    assert again == Path("game.jsonl").read_bytes()
    assert b'"order_given"' in again
    assert terminal.invoke("audit", "--all", "--db", "other.db").stderr == "1 game, none with findings.\n"


def test_an_order_changed_in_a_file_is_damage_where_it_stands(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    terminal.run("export", game_id, "-o", "game.jsonl")
    file = Path("game.jsonl")
    file.write_bytes(file.read_bytes().replace(b'"limit":9', b'"limit":8', 1))
    result = terminal.invoke("audit", "game.jsonl")
    assert result.exit_code == 1
    assert "version 3 of the log of seat 1 as it was exported" in result.stdout


@pytest.mark.parametrize("how", [(), ("--html", "game.html")])
def test_what_was_said_is_left_out_with_a_word_where_it_is_not_sound(
    terminal: Terminal, how: tuple[str, ...]
) -> None:
    room, game_id = played_with_orders(7, orders=True)
    evidence = room.evidence(game_id)
    log = evidence.seat_logs[BEN]
    torn = replace(evidence, seat_logs={BEN: replace(log, bodies=[log.bodies[0], *log.bodies[2:]])})
    Path("torn.jsonl").write_bytes(exported(torn, NAMES[:4], "", is_over=True))
    done = terminal.invoke("replay", "torn.jsonl", *how)
    assert done.exit_code == 0
    assert "What the seats kept to themselves is left out: it is not sound." in done.stderr
