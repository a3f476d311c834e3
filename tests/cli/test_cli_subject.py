"""A game as commands look at it: who sat where when, and what was said."""

from __future__ import annotations

from contextlib import closing
from hashlib import sha256
from pathlib import Path
from shutil import copyfile

import orjson
import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal
from each import each
from felix_cli.wiring import look_up
from felix_events.embedded import embed
from fresh import a_database
from spoken import ANNA_SAID, BEN_SAID, NORA, NORA_SAID, a_spoken_game
from table import BEN

DATABASE = Path("felix.db")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[str, list[int], int]]:
    """A database with a game, of which each test gets a copy."""
    database = tmp_path_factory.mktemp("kept") / "felix.db"
    with closing(a_database(database)) as store:
        return database, a_spoken_game(store)


@pytest.fixture
def spoken(
    kept: tuple[Path, tuple[str, list[int], int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, list[int], int]:
    """In felix.db."""
    monkeypatch.chdir(tmp_path)
    database, made = kept
    copyfile(database, DATABASE)
    return made


def test_who_sat_in_a_seat_is_known_by_the_version_at_which_somebody_else_came(
    spoken: tuple[str, list[int], int],
) -> None:
    game_id, _, came = spoken
    subject = look_up(game_id, DATABASE)
    assert list(subject.former) == [(came, BEN, "Ben")]
    assert b'"seat_taken"' in subject.evidence.bodies[came - 1]
    assert subject.people[BEN] == NORA.name


def test_what_was_said_is_known_by_version_but_for_what_was_said_after_the_end(
    spoken: tuple[str, list[int], int],
) -> None:
    game_id, said, _ = spoken
    assert look_up(game_id, DATABASE).words == dict(zip(said, [ANNA_SAID, BEN_SAID, NORA_SAID], strict=True))


def test_of_a_player_who_was_forgotten_neither_name_nor_words_are_known(
    spoken: tuple[str, list[int], int],
) -> None:
    game_id, said, came = spoken
    store = a_database(DATABASE)
    with store.write() as tx:
        tx.forget("ben-1")
    store.close()
    subject = look_up(game_id, DATABASE)
    assert list(subject.former) == [(came, BEN, "")]
    assert subject.words == {said[0]: ANNA_SAID, said[2]: NORA_SAID}


def test_a_file_keeps_who_sat_there_before_and_what_was_said(spoken: tuple[str, list[int], int]) -> None:
    game_id, *_ = spoken
    terminal = Terminal(Path())
    terminal.run("export", game_id, "-o", "spoken.jsonl")
    kept, read = look_up(game_id, DATABASE), look_up("spoken.jsonl", None)
    assert (read.former, read.words, read.people) == (kept.former, kept.words, kept.people)
    terminal.run("import", "spoken.jsonl", "--db", "other.db")
    assert terminal.run("export", game_id, "--db", "other.db") == Path("spoken.jsonl").read_text("utf-8")
    with closing(a_database(Path("other.db"))) as store, store.read() as reader:
        assert [seat.player_id for seat in reader.seats(game_id)][BEN] == NORA.player_id


def test_a_file_says_nothing_of_a_player_who_was_forgotten(spoken: tuple[str, list[int], int]) -> None:
    game_id, *_ = spoken
    with closing(a_database(DATABASE)) as store, store.write() as tx:
        tx.forget("ben-1")
    data = Terminal(Path()).run("export", game_id)
    assert BEN_SAID not in data
    assert '"Ben"' not in data
    assert ANNA_SAID in data


@each("command", ["replay FILE", "show FILE", "import FILE", "mail preview FILE 0"])
def test_a_file_of_another_format_is_not_looked_at(spoken: tuple[str, list[int], int], command: str) -> None:
    terminal = Terminal(Path())
    data = terminal.run("export", spoken[0]).replace('"felix":2', '"felix":3', 1)
    Path("newer.jsonl").write_text(data.replace('"trailer":2', '"trailer":3'), "utf-8")
    said = terminal.refused(*command.replace("FILE", "newer.jsonl").split(), code=2)
    assert said == "This file is of format 3; this felix reads 1 and 2."


@each("command", ["replay FILE", "show FILE", "mail preview FILE 0", "import FILE"])
def test_a_page_with_an_export_in_it_is_read_as_the_export(
    spoken: tuple[str, list[int], int], command: str
) -> None:
    terminal = Terminal(Path())
    data = terminal.run("export", spoken[0], "-o", "-").encode()
    Path("game.jsonl").write_bytes(data)
    Path("page.html").write_bytes(b"<!doctype html>\n<p>A game</p>\n" + embed(data) + b"\n")
    asked = [command.replace("FILE", name).split() for name in ("page.html", "game.jsonl")]
    if command.startswith("import"):
        asked = [[*words, "--db", f"{words[1]}.db"] for words in asked]
    of_page, of_game = (terminal.run(*words).replace(words[1], "FILE") for words in asked)
    assert of_page == of_game


def test_damage_in_a_page_is_told_by_the_version(spoken: tuple[str, list[int], int]) -> None:
    terminal = Terminal(Path())
    page = b"<!doctype html>\n" + embed(terminal.run("export", spoken[0], "-o", "-").encode())
    Path("page.html").write_bytes(page.replace(b'"version":7}', b'"version":8}', 1))
    (finding,) = terminal.json("audit", "page.html", code=1)[0]["findings"]
    assert (finding["line"], finding["expected"].split(" as ")[0]) == (8, "version 7")


def test_a_page_without_an_export_is_not_looked_at(terminal: Terminal) -> None:
    Path("page.html").write_text("<!doctype html><p>Nothing</p>", "utf-8")
    said = "There is no felix export in this page."
    assert terminal.refused("audit", "page.html", code=2) == said
    for words in (["replay", "page.html"], ["show", "page.html"], ["import", "page.html"]):
        assert terminal.refused(*words) == said


# ---- files that nobody's felix wrote ----------------------------------------------------------------


def rewritten(file: Path, **fields: object) -> Path:
    """The same file with another header, and a trailer that fits."""
    header, *lines, trailer = file.read_bytes().splitlines(keepends=True)
    before = orjson.dumps(orjson.loads(header) | fields) + b"\n" + b"".join(lines)
    end = orjson.loads(trailer) | {"sha256": sha256(before).hexdigest()}
    forged = Path("forged.jsonl")
    forged.write_bytes(before + orjson.dumps(end) + b"\n")
    return forged


@each("command", ["replay", "show"])
def test_a_file_for_a_seat_that_the_table_has_not_is_one_sentence(
    terminal: Terminal, shelf: Shelf, command: str
) -> None:
    terminal.run("export", shelf.file, "--as", "Ben", "-o", "ben.jsonl")
    said = terminal.refused(command, rewritten(Path("ben.jsonl"), viewer=4))
    assert said == "This log cannot be followed; `felix audit` says where it goes wrong."


@each("form", ["", "--json", "--short"])
def test_a_name_of_then_in_a_seat_that_the_table_has_not_is_passed_over(
    terminal: Terminal, shelf: Shelf, form: str
) -> None:
    forged = rewritten(Path(shelf.file), former=[[12, 4, "Zoe"]])
    assert terminal.run("replay", forged, *form.split()) == terminal.run("replay", shelf.file, *form.split())


@each("command", ["replay", "show"])
def test_a_running_games_file_with_too_few_names_calls_the_others_by_their_seats(
    terminal: Terminal, shelf: Shelf, command: str
) -> None:
    terminal.run("export", shelf.running, "--as", "Ben", "-o", "ben.jsonl", "--db", shelf.database)
    assert "Seat 2" in terminal.run(command, rewritten(Path("ben.jsonl"), names=["Anna"]))


def test_a_file_without_end_is_not_read_to_its_end(terminal: Terminal) -> None:
    said = terminal.refused("audit", "/dev/zero", code=2)
    assert said == "/dev/zero is too long for a game: it has more than 64 MiB."
