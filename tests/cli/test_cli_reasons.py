"""The computer's reasons at the desk: told after the end, to who may know them, and to nobody before."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

from cli.place import Place
from cli.terminal import Terminal
from felix_async.game.commands import Leave
from felix_async.language.phrases import phrase
from fresh import a_database
from games import a_room
from table import BEN, DAN


def play(database: str, *, ends: bool) -> str:
    """A game in which the computer plays for Ben and Dan, to its end or into round 4; its id."""
    game_id, made = played(ends)
    Path(database).write_bytes(made)
    return game_id


@cache
def played(ends: bool) -> tuple[str, bytes]:
    """The id of that game, and its database."""
    database = Path("played.db")
    store = a_database(database)
    room = a_room("reasons", store)
    game_id = room.open()
    room.join_all(game_id)
    for seat in (BEN, DAN):
        room.do(game_id, Leave(seat=seat, for_good=False))
    room.play(game_id, until=lambda game: game.is_over or (not ends and game.round == 4))
    room.enter_mails()
    store.close()
    made = database.read_bytes()
    database.unlink()
    return game_id, made


def without_seat_logs(database: str) -> None:
    """Take the seats' own logs out of a database, which felix itself refuses to do."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("DROP TRIGGER events_no_delete")
        gone = connection.execute("DELETE FROM events WHERE game_id LIKE '%/seat/%'").rowcount
        connection.commit()
    assert gone > 5


@pytest.mark.parametrize(
    "words",
    [
        ["show", "{game}"],
        ["show", "{game}", "--as", "1", "--json"],
        ["replay", "{game}"],
        ["replay", "{game}", "--as", "1", "--why"],
        ["replay", "{game}", "--as", "1", "--json"],
        ["export", "{game}"],
        ["games", "--json"],
        *[["mail", "preview", "{game}", f"{seat}"] for seat in range(4)],
    ],
    ids=" ".join,
)
def test_before_the_end_nothing_depends_on_a_seats_own_log(terminal: Terminal, words: list[str]) -> None:
    game_id = play("with.db", ends=False)
    play("without.db", ends=False)
    without_seat_logs("without.db")
    asked = [word.format(game=game_id) for word in words]
    shown = [terminal.invoke(*asked, "--db", database) for database in ("with.db", "without.db")]
    assert shown[0].exit_code == 0, shown[0].stderr
    assert shown[0].stdout_bytes == shown[1].stdout_bytes
    assert b"choice_explained" not in shown[0].stdout_bytes
    assert b"computer's reasons" not in shown[0].stdout_bytes


def test_after_the_end_a_replay_tells_a_seat_its_own_reasons(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    steps = terminal.json("replay", game_id, "--as", BEN)
    explained = [step for step in steps if "reasons" in step]
    assert {step["data"]["seat"] for step in explained} == {BEN}
    assert {step["actor"] for step in explained} == {"computer"}
    assert "The computer's reasons: " in terminal.run("replay", game_id, "--as", BEN, "--why")


def test_reasons_are_told_only_to_those_who_ask(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    assert "reasons" not in terminal.run("replay", game_id)


def test_in_a_chain_of_bids_a_seat_tells_the_reasons_for_its_last_one(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    told = terminal.run("replay", game_id, "--why").replace("\N{NO-BREAK SPACE}", " ")
    beats = re.split(r"\n(?= *[0-9]+  [0-9])", told)
    chains = [beat for beat in beats if beat.count(" Ben ") > 2 and " bid " in beat.partition("reasons")[0]]
    assert chains
    assert all(
        len(re.findall(r"Ben (?:bid|passed)[^.]*\. The computer's reasons", one)) < 2 for one in chains
    )


def test_after_the_end_a_replay_of_all_tells_all_reasons_and_a_spectators_none(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    told = [step["data"]["seat"] for step in terminal.json("replay", game_id) if "reasons" in step]
    assert set(told) == {BEN, DAN}
    assert "reasons" not in terminal.run("replay", game_id, "--as", "spectator", "--why")


def test_reasons_that_were_not_kept_are_worked_out_as_they_were(terminal: Terminal) -> None:
    with closing(a_database(Path("felix.db"))) as store:
        place = Place(store, players=3)
        place.sit(place.advised)
        game_id = place.table.game_id
    told = terminal.run("replay", game_id, "--why")
    anew = f"{phrase('replay.would.anew')} The computer's reasons: "
    assert " ".join(told.split()).count(anew) > 40
    assert "The computer would have" not in " ".join(told.split())
    assert "reasons" not in terminal.run("replay", game_id, "--as", "spectator", "--why")


@pytest.mark.parametrize("viewer", ["spectator", "Ben"])
def test_while_a_game_runs_no_reasons_are_worked_out(terminal: Terminal, viewer: str) -> None:
    game_id = play("felix.db", ends=False)
    result = terminal.invoke("replay", game_id, "--as", viewer, "--why")
    assert "reasons" not in result.stdout
    assert result.stderr.startswith("Nothing here tells why the computer moved")
    # A spectator has no decisions to look at, so no other place is named.
    assert ("--step" in result.stderr) == (viewer == "Ben")


def test_a_file_tells_the_same_reasons_and_comes_back_into_a_database(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    terminal.run("export", game_id, "-o", "game.jsonl")
    assert terminal.run("replay", "game.jsonl") == terminal.run("replay", game_id)
    terminal.run("import", "game.jsonl", "--db", "other.db")
    assert (
        terminal.invoke("export", game_id, "--db", "other.db").stdout_bytes == Path("game.jsonl").read_bytes()
    )
    assert terminal.invoke("audit", "--all", "--db", "other.db").stderr == "1 game, none with findings.\n"


def test_an_audit_of_all_counts_games_and_no_seats(terminal: Terminal) -> None:
    play("felix.db", ends=False)
    assert terminal.invoke("audit", "--all").stderr == "1 game, none with findings.\n"


def test_a_seats_log_taken_out_of_the_database_is_a_finding(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=False)
    without_seat_logs("felix.db")
    result = terminal.invoke("audit", game_id)
    assert result.exit_code == 1
    assert "version 1 of seat 1's own log: seats: expected the explanation that a move names" in result.stdout


def test_a_changed_explanation_is_told_by_the_audit_and_left_out_of_the_replay(terminal: Terminal) -> None:
    game_id = play("felix.db", ends=True)
    with closing(sqlite3.connect("felix.db")) as connection:
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute(
            "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), '\"turn\":1}', '\"turn\":2}') AS BLOB)"
            " WHERE game_id LIKE '%/seat/1' AND version = 1"
        )
        connection.commit()
    assert terminal.invoke("audit", game_id).exit_code == 1
    replayed = terminal.invoke("replay", game_id, "--why")
    assert replayed.exit_code == 0
    assert "is not sound" in replayed.stderr
    assert "computer's reasons:" not in replayed.stdout
