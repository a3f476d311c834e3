"""Databases that are missing, foreign, newer, damaged or out of reach: one sentence, nothing changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.conftest import Shelf
from cli.terminal import Terminal, dump
from felix_cli.main import cli
from felix_events.store.sqlite import SqliteStore

PLAYERS = ["--player", "Anna", "--player", "Ben", "--player", "Cara"]
READING = [
    ["games"],
    ["show", "{game}"],
    ["replay", "{game}"],
    ["export", "{game}"],
    ["mail", "preview", "{game}", "0"],
]
WRITING = [["new", *PLAYERS], ["move", "{game}", "0", "PASS"], ["serve"]]
MAKING = [["simulate", "--seed", "1"], ["import", "{file}"], ["init", "--config", "new.toml"]]
EVERY = READING + WRITING + MAKING


def names(words: list[str]) -> str:
    return " ".join(words[:2]).split(" -")[0]


def refused(terminal: Terminal, shelf: Shelf, words: list[str], database: str) -> str:
    """The sentence of a command on this database; an audit may be asked, too."""
    filled = [word.format(game=shelf.running, file=shelf.file) for word in words]
    said = terminal.refused(*filled, "--db", database, code=2 if words[0] == "audit" else 1)
    assert not Path("new.toml").exists(), "no settings for a database that cannot be used"
    return said


@pytest.mark.parametrize("words", [*READING, *WRITING, ["audit", "--all"], ["audit", "{game}"]], ids=names)
def test_a_database_that_is_missing_is_named(terminal: Terminal, shelf: Shelf, words: list[str]) -> None:
    said = refused(terminal, shelf, words, "nothing.db")
    assert said == "There is no database at nothing.db; run `felix init --db nothing.db` to make one."
    assert list(terminal.folder.iterdir()) == []


@pytest.mark.parametrize("words", [*EVERY, ["audit", "--all"]], ids=names)
def test_a_file_that_is_no_database_is_left_alone(terminal: Terminal, shelf: Shelf, words: list[str]) -> None:
    data = b"This is somebody's diary, and no database at all.\n" * 100
    Path("diary.db").write_bytes(data)
    said = refused(terminal, shelf, words, "diary.db")
    assert said == "diary.db is not a felix database; name another file with --db."
    assert Path("diary.db").read_bytes() == data


@pytest.mark.parametrize("words", [*EVERY, ["audit", "--all"]], ids=names)
def test_somebody_elses_database_is_left_alone(terminal: Terminal, shelf: Shelf, words: list[str]) -> None:
    with closing(sqlite3.connect("other.db")) as connection:
        connection.executescript("CREATE TABLE events (body TEXT); INSERT INTO events VALUES ('mine');")
    data = Path("other.db").read_bytes()
    said = refused(terminal, shelf, words, "other.db")
    assert said == "other.db is not a felix database; name another file with --db."
    assert Path("other.db").read_bytes() == data


@pytest.mark.parametrize("words", [*EVERY, ["audit", "--all"]], ids=names)
def test_a_database_of_a_newer_felix_is_left_alone(
    terminal: Terminal, shelf: Shelf, words: list[str]
) -> None:
    shutil.copy(shelf.database, "newer.db")
    with closing(sqlite3.connect("newer.db")) as connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('felix', 'm999_later', '')"
        )
        connection.commit()
    before = dump(Path("newer.db"))
    said = refused(terminal, shelf, words, "newer.db")
    assert said == "newer.db was written by a newer felix; install that version to use it."
    assert dump(Path("newer.db")) == before


@pytest.mark.parametrize("words", [*READING, ["audit", "--all"]], ids=names)
def test_an_empty_file_is_no_database_to_read(terminal: Terminal, shelf: Shelf, words: list[str]) -> None:
    """Such as a `felix init` that was stopped half-way leaves behind; init makes it one."""
    Path("empty.db").touch()
    said = refused(terminal, shelf, words, "empty.db")
    assert said == "There is no database at empty.db; run `felix init --db empty.db` to make one."
    terminal.run("init", "--db", "empty.db", "--config", "new.toml")
    assert terminal.json("games", "--db", "empty.db") == []


@pytest.mark.parametrize("words", [["games"], ["show", "{game}"], ["audit", "--all"]], ids=names)
def test_a_damaged_database_is_named(terminal: Terminal, shelf: Shelf, words: list[str]) -> None:
    data = bytearray(shelf.database.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    Path("damaged.db").write_bytes(data)
    said = refused(terminal, shelf, words, "damaged.db")
    assert said == "damaged.db is damaged; restore a backup."


@pytest.mark.parametrize("words", EVERY, ids=names)
@pytest.mark.parametrize("database", ["nowhere/felix.db", "file.txt/felix.db", ".", "folder.d"])
def test_a_place_where_no_database_can_be_is_named(
    terminal: Terminal, shelf: Shelf, words: list[str], database: str
) -> None:
    Path("file.txt").touch()
    Path("folder.d").mkdir()
    said = refused(terminal, shelf, words, database)
    assert said.startswith((f"{database} cannot be ", f"There is no database at {database};"))
    assert not Path("nowhere").exists()


@pytest.mark.parametrize("words", MAKING + WRITING, ids=names)
def test_a_folder_that_cannot_be_written_is_named(
    terminal: Terminal, shelf: Shelf, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock file cannot be made there, so nothing is opened for writing."""
    folder = terminal.folder / "closed"
    folder.mkdir()
    shutil.copy(shelf.database, folder / "felix.db")
    before = dump(folder / "felix.db")
    for left in folder.glob("felix.db-*"):
        left.unlink()

    real_open = os.open

    def no_new_files(path: str | Path, flags: int, mode: int = 0o777, **more: int) -> int:
        if flags & os.O_CREAT and Path(path).parent == folder and not Path(path).exists():
            raise PermissionError(13, "Permission denied", str(path))
        return real_open(path, flags, mode, **more)

    monkeypatch.setattr(os, "open", no_new_files)
    said = refused(terminal, shelf, words, str(folder / "felix.db"))
    monkeypatch.undo()
    assert said == f"{folder / 'felix.db'} cannot be used: Permission denied."
    assert dump(folder / "felix.db") == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("words", EVERY, ids=names)
def test_a_folder_that_is_closed_is_named(terminal: Terminal, shelf: Shelf, words: list[str]) -> None:
    folder = terminal.folder / "closed"
    folder.mkdir()
    folder.chmod(0o500)
    said = refused(terminal, shelf, words, str(folder / "felix.db"))
    folder.chmod(0o700)
    assert str(folder / "felix.db") in said
    assert list(folder.iterdir()) == []


def test_a_command_that_reads_writes_nothing(terminal: Terminal, shelf: Shelf) -> None:
    shutil.copy(shelf.database, "felix.db")
    before = dump(Path("felix.db"))
    for words in [*READING, ["audit", "--all"], ["doctor"]]:
        terminal.invoke(*[word.format(game=shelf.over) for word in words])
    assert dump(Path("felix.db")) == before


def test_the_variable_names_the_database_where_the_option_does_not(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = terminal.process("games", "--json")
    assert (done.returncode, done.stdout) == (1, b"")
    monkeypatch.setenv("FELIX_DB", str(shelf.database))
    SqliteStore.create(Path("mine.db")).close()
    assert shelf.over in CliRunner().invoke(cli, ["games"]).stdout
    assert shelf.over not in CliRunner().invoke(cli, ["games", "--db", "mine.db"]).stdout


def test_felix_toml_names_the_database_where_nothing_else_does(terminal: Terminal, shelf: Shelf) -> None:
    Path("felix.toml").write_text(f'database = "{shelf.database}"\n')
    assert [game["game_id"] for game in terminal.json("games")] == [shelf.over, shelf.running]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("databse = 1", "felix.toml: databse: unknown setting (did you mean database?); correct this key."),
        ("[send]\nprot = 25", "felix.toml: send.prot: unknown setting (did you mean port?); correct"),
        ("[cats]\nx = 1", "felix.toml: cats: unknown setting; correct this key."),
        ("[listen]\nport = 70000", "felix.toml: listen.port: Input should be less than or equal to 65535;"),
        ("[", "felix.toml is not valid TOML:"),
        (
            'mailbox = "a b@c"',
            "felix.toml: mailbox: this is no mail address that felix can use; correct this key.",
        ),
    ],
)
@pytest.mark.parametrize("words", [["games"], ["new", *PLAYERS], ["serve"], ["simulate"]], ids=names)
def test_settings_that_make_no_sense_are_named(
    terminal: Terminal, words: list[str], text: str, said: str
) -> None:
    Path("felix.toml").write_text(text)
    assert terminal.refused(*words).startswith(said)
    assert not Path("felix.db").exists()


def test_the_database_and_all_that_lies_beside_it_are_private(desk: Terminal) -> None:
    desk.started()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in desk.folder.iterdir()}
    assert set(modes) >= {"felix.db", "felix.db.lock"}
    assert set(modes.values()) == {0o600}
