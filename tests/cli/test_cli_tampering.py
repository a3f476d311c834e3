"""Whatever is changed behind felix's back, in a file or in the database: the audit finds it and where."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal
from damage import damage_event, damage_page
from felix_events.envelope import canonical
from felix_events.export import write_export
from games import Played, a_declined_game, a_game_played

WHERE = re.compile(r"^  (line|version) [1-9][0-9]*: ", re.MULTILINE)


def found(terminal: Terminal, *words: object) -> str:
    """What an audit with findings prints; each says where."""
    text = terminal.run("audit", *words, code=1)
    assert WHERE.search(text), text
    return text


# ---- files ------------------------------------------------------------------------------------------
def check_flips(terminal: Terminal, data: bytes, flips: Iterable[tuple[int, int]]) -> None:
    file = Path("changed.jsonl")
    for place, bits in flips:
        changed = bytearray(data)
        changed[place] ^= bits
        file.write_bytes(changed)
        found(terminal, file)


def test_any_byte_changed_in_a_file_is_found(terminal: Terminal, shelf: Shelf) -> None:
    data = shelf.file.read_bytes()
    drawn = random.Random("flips")
    places = [0, 1, len(data) - 2, len(data) - 1, *drawn.sample(range(len(data)), 100)]
    check_flips(terminal, data, [(place, drawn.randrange(1, 256)) for place in places])


@pytest.mark.slow
@pytest.mark.parametrize("bits", [0x01, 0x20, 0x80])
def test_every_byte_changed_in_a_file_is_found(terminal: Terminal, bits: int) -> None:
    data = a_declined_game(3).export()
    check_flips(terminal, data, [(place, bits) for place in range(len(data))])


@pytest.mark.slow
def test_every_third_byte_changed_in_a_whole_game_is_found(terminal: Terminal, shelf: Shelf) -> None:
    data = shelf.file.read_bytes()
    drawn = random.Random("all")
    check_flips(terminal, data, [(place, drawn.randrange(1, 256)) for place in range(0, len(data), 3)])


def test_a_file_cut_anywhere_is_found(terminal: Terminal, shelf: Shelf) -> None:
    data = shelf.file.read_bytes()
    for end in [*random.Random("cuts").sample(range(100, len(data)), 40), len(data) - 1]:
        Path("cut.jsonl").write_bytes(data[:end])
        found(terminal, "cut.jsonl")


def dropped(lines: list[bytes], place: int) -> list[bytes]:
    return lines[:place] + lines[place + 1 :]


def doubled(lines: list[bytes], place: int) -> list[bytes]:
    return [*lines[:place], lines[place], *lines[place:]]


def swapped(lines: list[bytes], place: int) -> list[bytes]:
    other = place - 1 if place else 1
    lines[place], lines[other] = lines[other], lines[place]
    return lines


def inserted(lines: list[bytes], place: int) -> list[bytes]:
    return [*lines[:place], b"{}\n", *lines[place:]]


@pytest.mark.parametrize("change", [dropped, doubled, swapped, inserted])
def test_lines_dropped_doubled_swapped_or_inserted_are_found(
    terminal: Terminal, shelf: Shelf, change: Callable[[list[bytes], int], list[bytes]]
) -> None:
    lines = shelf.file.read_bytes().splitlines(keepends=True)
    for place in [0, 1, 2, len(lines) // 2, len(lines) - 2, len(lines) - 1]:
        Path("changed.jsonl").write_bytes(b"".join(change(lines.copy(), place)))
        found(terminal, "changed.jsonl")


def test_an_event_changed_with_a_new_trailer_is_found_at_its_version(terminal: Terminal) -> None:
    """The file is in order; only the rules say that it was not so."""
    played: Played = a_game_played(4)
    version = played.versions("bid_placed")[3]
    bodies = list(played.evidence.bodies)
    fields = orjson.loads(bodies[version - 1])
    fields["data"]["amount"] += 1
    bodies[version - 1] = canonical(fields)
    data = write_export(played.game_id, played.names, "", bodies, played.evidence.private_records)
    Path("forged.jsonl").write_bytes(data)
    text = found(terminal, "forged.jsonl")
    first = int(text.partition("version ")[2].partition(":")[0])
    assert version <= first <= version + 3


def test_findings_are_told_to_a_script_too(terminal: Terminal, shelf: Shelf) -> None:
    Path("cut.jsonl").write_bytes(shelf.file.read_bytes()[:-1])
    (report,) = terminal.json("audit", "cut.jsonl", code=1)
    assert report["sound"] is False
    assert report["findings"][0]["line"] > 1


# ---- the database -----------------------------------------------------------------------------------
def behind_felixs_back(database: Path, sql: str, *values: object) -> None:
    """Change the log as somebody would who knows SQLite: the guards dropped, the page rewritten."""
    with closing(sqlite3.connect(database)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        changed = connection.execute(sql, values).rowcount
        connection.commit()
    assert changed == 1


@pytest.fixture
def copy(terminal: Terminal, shelf: Shelf) -> Path:
    """A database of the terminal's own, with both games."""
    shutil.copy(shelf.database, "felix.db")
    return Path("felix.db")


COLUMNS = {
    "game_id": "'zzzzz'",
    "version": "9999",
    "body": "CAST(replace(CAST(body AS TEXT), '2026-', '2027-') AS BLOB)",
    "range": "CAST('' AS BLOB)",
    "private_record": "CASE WHEN private_record IS NULL THEN CAST('{}' AS BLOB) ELSE NULL END",
}


def test_every_column_of_the_log_is_tried(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection:
        assert [row[1] for row in connection.execute("PRAGMA table_info(events)")] == list(COLUMNS)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("which", ["over", "running"])
@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_any_column_changed_in_the_log_is_found(
    terminal: Terminal, shelf: Shelf, copy: Path, column: str, which: str, where: str
) -> None:
    game_id = getattr(shelf, which)
    (size,) = [game["events"] for game in terminal.json("games") if game["game_id"] == game_id]
    version = {"first": 1, "middle": size // 2, "last": size}[where]
    sql = f"UPDATE events SET {column} = {COLUMNS[column]} WHERE game_id = ? AND version = ?"  # noqa: S608
    behind_felixs_back(copy, sql, game_id, version)
    text = found(terminal, "--all")
    assert f"{game_id}: not sound" in text
    places = [int(place) for place in re.findall(r"version ([0-9]+):", text)]
    assert version in places or version + 1 in places


@pytest.mark.slow
@pytest.mark.parametrize("column", COLUMNS)
def test_any_column_of_any_row_changed_is_found(
    terminal: Terminal, shelf: Shelf, copy: Path, column: str
) -> None:
    data = copy.read_bytes()
    for game in terminal.json("games"):
        for version in range(1, game["events"] + 1):
            copy.write_bytes(data)
            sql = f"UPDATE events SET {column} = {COLUMNS[column]} WHERE game_id = ? AND version = ?"  # noqa: S608
            behind_felixs_back(copy, sql, game["game_id"], version)
            found(terminal, game["game_id"])


@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_a_row_gone_from_the_log_is_found(terminal: Terminal, shelf: Shelf, copy: Path, where: str) -> None:
    (size,) = [game["events"] for game in terminal.json("games") if game["game_id"] == shelf.running]
    version = {"first": 1, "middle": size // 2, "last": size}[where]
    sql = "DELETE FROM events WHERE game_id = ? AND version = ?"
    behind_felixs_back(copy, sql, shelf.running, version)
    assert f"version {version}:" in found(terminal, shelf.running)


def test_a_whole_log_gone_is_found(terminal: Terminal, shelf: Shelf, copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("DROP TRIGGER events_no_delete")
        connection.execute("DELETE FROM events WHERE game_id = ?", (shelf.over,))
        connection.commit()
    found(terminal, "--all")
    found(terminal, shelf.over)


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("UPDATE games SET size = size - 1 WHERE game_id = ?", "a log of"),
        ("UPDATE games SET state = 'ended' WHERE game_id = ?", "a game that is ended"),
        ("UPDATE games SET seed = CAST(zeroblob(32) AS BLOB) WHERE game_id = ?", "a commitment"),
        ("DELETE FROM games WHERE game_id = ?", ""),
    ],
)
def test_what_is_kept_beside_the_log_must_fit_it(
    terminal: Terminal, shelf: Shelf, copy: Path, sql: str, what: str
) -> None:
    behind_felixs_back(copy, sql, shelf.running)
    assert what in found(terminal, "--all")


def test_one_unsound_game_is_told_apart_from_sound_ones(terminal: Terminal, shelf: Shelf, copy: Path) -> None:
    sql = "UPDATE events SET range = CAST('' AS BLOB) WHERE game_id = ? AND version = 7"
    behind_felixs_back(copy, sql, shelf.over)
    result = terminal.invoke("audit", "--all")
    assert (result.exit_code, result.stderr) == (1, "2 games, 1 with findings.\n")
    assert f"{shelf.running}: sound" in result.stdout
    alone = terminal.invoke("audit", shelf.running)
    assert alone.stdout.startswith(f"{shelf.running}: sound")
    assert "felix.db: not sound\n  database: expected trigger events_" in alone.stdout


def test_a_game_id_that_is_not_even_text_is_found(terminal: Terminal, shelf: Shelf) -> None:
    """Some other program wrote bytes there that are no UTF-8."""
    Path("odd.db").write_bytes(shelf.database.read_bytes())
    with closing(sqlite3.connect("odd.db")) as database, database:
        database.execute("DROP TRIGGER events_no_update")
        database.execute(
            "UPDATE events SET game_id = CAST(x'6bff6161' AS TEXT) WHERE version = 5 AND game_id = ?",
            (shelf.over,),
        )
    told = terminal.run("audit", "--all", "--db", "odd.db", code=1)
    assert "rows under bytes that are none" in told
    assert "version 5" in told


# ---- what is made of a log that is not what was written ---------------------------------------------
def said_of(game_id: str) -> str:
    """The note about the event that the tests change."""
    return f"Version 24 is not what was written; `felix audit {game_id}` says more.\n"


@pytest.mark.parametrize("words", [["show"], ["show", "--json"], ["replay"], ["replay", "--json"]])
def test_a_changed_event_is_said_beside_its_game(
    terminal: Terminal, shelf: Shelf, copy: Path, words: list[str]
) -> None:
    damage_event(copy, shelf.over, 24)
    result = terminal.invoke(words[0], shelf.over, *words[1:])
    assert (result.exit_code, result.stderr) == (0, said_of(shelf.over))
    assert terminal.invoke(words[0], shelf.running, *words[1:]).stderr == ""


@pytest.mark.parametrize("words", [["export"], ["replay", "--html", "-"]])
@pytest.mark.parametrize("viewer", ["all", "spectator"])
def test_no_file_is_made_of_a_changed_log(
    terminal: Terminal, shelf: Shelf, copy: Path, words: list[str], viewer: str
) -> None:
    damage_event(copy, shelf.over, 24)
    result = terminal.invoke(words[0], shelf.over, *words[1:], "--as", viewer)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{said_of(shelf.over)}Error: This log was changed after it was written")


def test_a_changed_log_goes_over_no_older_file(terminal: Terminal, shelf: Shelf, copy: Path) -> None:
    terminal.run("export", shelf.over, "-o", "older.jsonl")
    before = Path("older.jsonl").read_bytes()
    damage_event(copy, shelf.over, 24)
    assert terminal.invoke("export", shelf.over, "-o", "older.jsonl").exit_code == 1
    assert Path("older.jsonl").read_bytes() == before


def test_a_page_that_cannot_be_read_is_the_same_finding_for_one_game_and_for_all(
    terminal: Terminal, shelf: Shelf, copy: Path
) -> None:
    damage_page(copy, shelf.over, 67)
    alone = found(terminal, shelf.over)
    assert alone in found(terminal, "--all")
    version = re.search(r"version ([0-9]+): bytes: expected pages of the database that can be read", alone)
    assert version is not None
    assert 1 < int(version[1]) <= 67
    assert "docs/operating.md say what to do before a backup is restored" in alone
    assert terminal.json("audit", shelf.over, code=1)[0]["sound"] is False
