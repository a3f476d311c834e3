"""backup: a whole copy beside a server that runs, in a place where nothing else is lost."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import stat
import threading
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal, a_room_in, dump
from cli.village import Village, serving, settle_in
from damage import damage_event
from felix_events.store.sqlite import SqliteStore

COPY = Path("copy.db")


@pytest.fixture
def library(terminal: Terminal, shelf: Shelf) -> Terminal:
    """A terminal with two games in its felix.db."""
    shutil.copy(shelf.database, "felix.db")
    return terminal


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def left_over() -> set[str]:
    """What is in the folder besides the database, the copy, and SQLite's own files of the database."""
    return {
        path.name
        for path in Path().iterdir()
        if not path.name.startswith("felix.db") and path.name not in (COPY.name, "printed.txt", "felix.toml")
    }


# ---- what a backup is
def test_a_backup_holds_all_that_the_database_holds(library: Terminal) -> None:
    library.run("backup", COPY)
    assert dump(COPY) == dump(Path("felix.db"))


def test_it_says_what_is_in_it(library: Terminal) -> None:
    said = library.run("backup", COPY)
    assert said == f"Wrote copy.db: 2 games, 127 messages, {COPY.stat().st_size / 1e6:.1f} MB, whole.\n"


def test_a_script_gets_it_as_json(library: Terminal) -> None:
    told = library.json("backup", COPY)
    assert told == {"file": "copy.db", "games": 2, "mails": 127, "bytes": COPY.stat().st_size}


def test_nobody_else_can_read_it(library: Terminal) -> None:
    before = os.umask(0)
    try:
        library.run("backup", COPY)
    finally:
        os.umask(before)
    assert mode(COPY) == 0o600


def test_it_is_one_file_and_nothing_else_stays(library: Terminal) -> None:
    library.run("backup", COPY)
    assert left_over() == set()
    with closing(sqlite3.connect(COPY)) as copy:
        assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_it_can_be_looked_at_where_nothing_can_be_written(library: Terminal, shelf: Shelf) -> None:
    """On a backup disk that is mounted for reading only; SQLite makes no file beside it."""
    library.run("backup", COPY)
    with closing(sqlite3.connect(f"file:{COPY}?immutable=1", uri=True)) as copy:
        assert copy.execute("SELECT count(*) FROM games").fetchone() == (2,)


def test_the_games_in_it_are_sound_and_can_be_played_on(desk: Terminal) -> None:
    game_id = desk.started()
    desk.run("backup", COPY)
    assert f"{game_id}: sound" in desk.run("audit", "--all", "--db", COPY)
    desk.run("move", game_id, 0, f"PLAY {desk.hand(game_id, 0)[0]}".replace("_", " "), "--db", COPY)


def test_a_database_of_an_older_felix_can_be_backed_up_before_it_is_brought_up_to_date(
    library: Terminal,
) -> None:
    with closing(sqlite3.connect("felix.db")) as old:
        old.execute("DELETE FROM _sqlite_migrations WHERE name = ?", ("m002_mail_dialogue",))
        old.commit()
    assert "older felix" in library.refused("games")
    assert "2 games" in library.run("backup", COPY)


# ---- while others work
def test_it_needs_no_lock_and_waits_for_none(library: Terminal) -> None:
    """Another process may be in the middle of a transaction; what is committed is what is copied."""
    with Path("felix.db.lock").open("w") as lock, closing(sqlite3.connect("felix.db")) as writer:
        fcntl.flock(lock, fcntl.LOCK_EX)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE games SET table_name = 'half done'")
        library.run("backup", COPY)
        writer.rollback()
    assert dump(COPY) == dump(Path("felix.db"))


def test_what_is_written_meanwhile_is_in_it_up_to_one_moment(library: Terminal) -> None:
    """Each game that is in a copy is there from its first event on, with all its seats."""
    stop = threading.Event()

    def go_on() -> None:
        room = a_room_in(Path("felix.db"), "busy")
        room.commands = 100_000
        for number in count():
            room.open(4, command_id=f"busy-{number}")
            if stop.is_set():
                break
        room.store.close()

    writing = threading.Thread(target=go_on)
    writing.start()
    try:
        sizes = [library.json("backup", f"{number}.db")["games"] for number in range(5)]
    finally:
        stop.set()
        writing.join()
    assert sizes == sorted(sizes)
    assert sizes[-1] > 2
    for number, size in enumerate(sizes):
        with closing(sqlite3.connect(f"{number}.db")) as copy:
            seats = "SELECT count(*) FROM games WHERE (SELECT count(*) FROM seats s WHERE s.game_id ="
            whole = f"{seats} games.game_id) IN (3, 4) AND size > 0"
            assert copy.execute(whole).fetchone() == (size,)


@pytest.mark.slow
def test_it_works_beside_a_running_server(terminal: Terminal) -> None:
    with Village() as village:
        settle_in(terminal, village)
        terminal.new("Anna <anna@players.test>", "Ben <ben@players.test>", "Cara <cara@players.test>")
        with serving(terminal) as served:
            invitation = village.next()
            answer = served.send(invitation.reply_to, "JOIN", invitation.recipient, "1@players.test")
            assert answer == 250
            told = terminal.json("backup", COPY)
            assert served.stop() == 0
    assert (told["games"], told["mails"]) == (1, 1)
    assert ": sound" in terminal.run("audit", "--all", "--db", COPY)


# ---- where it may go
def test_an_older_backup_is_replaced_only_with_force(library: Terminal) -> None:
    library.run("backup", COPY)
    before = COPY.read_bytes()
    said = library.refused("backup", COPY)
    assert said == "copy.db is there already; name another file, or replace it with --force."
    assert COPY.read_bytes() == before
    with closing(SqliteStore.open_to_write(Path("felix.db"))) as store, store.write() as tx:
        tx.keep_secret("later", b"x")
    library.run("backup", COPY, "--force")
    assert dump(COPY) == dump(Path("felix.db"))
    assert mode(COPY) == 0o600


@pytest.mark.parametrize("words", [[], ["--force"]])
def test_nothing_but_a_backup_is_ever_replaced(library: Terminal, words: list[str]) -> None:
    COPY.write_bytes(b"precious")
    assert "is no backup; name another file." in library.refused("backup", COPY, *words)
    assert COPY.read_bytes() == b"precious"
    assert left_over() == set()


@pytest.mark.parametrize("name", ["felix.db", "./felix.db", "linked.db"])
def test_the_database_is_not_its_own_backup(library: Terminal, name: str) -> None:
    Path("linked.db").symlink_to("felix.db")
    before = dump(Path("felix.db"))
    assert "is the database itself" in library.refused("backup", name, "--force")
    assert dump(Path("felix.db")) == before


def test_the_database_of_another_server_is_not_replaced(library: Terminal) -> None:
    library.run("backup", COPY)
    with Path("copy.db.serve.lock").open("w") as claim:
        fcntl.flock(claim, fcntl.LOCK_EX)
        said = library.refused("backup", COPY, "--force")
    assert said == "A felix server works on copy.db; name another file."


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_no_backup_is_put_beside_what_sqlite_would_mix_into_it(library: Terminal, ending: str) -> None:
    Path(f"copy.db{ending}").write_bytes(b"of another database")
    said = library.refused("backup", COPY)
    assert said == f"copy.db{ending} belongs to another database; name another file."
    assert not COPY.exists()


def test_a_folder_has_to_be_there(library: Terminal) -> None:
    said = library.refused("backup", "backups/copy.db")
    assert said == "There is no folder backups for copy.db; make it first."


def test_a_folder_is_no_file(library: Terminal) -> None:
    Path("backups").mkdir()
    assert "is no backup; name another file." in library.refused("backup", "backups", "--force")


def test_there_has_to_be_a_database(terminal: Terminal) -> None:
    assert "There is no database" in terminal.refused("backup", COPY)
    assert not COPY.exists()


# ---- when something is wrong
def test_a_copy_in_which_an_event_was_changed_takes_no_others_place(library: Terminal, shelf: Shelf) -> None:
    """SQLite finds nothing wrong with it; the hashes of the log do."""
    library.run("backup", COPY)
    before = COPY.read_bytes()
    damage_event(Path("felix.db"), shelf.over, 12)
    assert library.refused("backup", COPY, "--force") == (
        f"The database is damaged: game {shelf.over}: event 12 is not what was written. A copy of it is"
        " copy.damaged, and copy.db is as it was. Keep your older backups, and look with `felix doctor`."
    )
    assert COPY.read_bytes() == before
    assert dump(Path("copy.damaged")) == dump(Path("felix.db"))
    assert mode(Path("copy.damaged")) == 0o600


def test_a_damaged_copy_is_kept_beside_a_good_one(library: Terminal) -> None:
    """An older backup may be the last good one, so it stays, also where it was to be replaced."""
    library.run("backup", COPY)
    before = COPY.read_bytes()
    with closing(sqlite3.connect("felix.db")) as database:
        (root,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with Path("felix.db").open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    assert "damaged" in library.refused("backup", COPY, "--force")
    assert COPY.read_bytes() == before
    assert left_over() == {"copy.damaged"}


def test_a_copy_that_cannot_be_finished_leaves_nothing(
    library: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    monkeypatch.setattr(os, "replace", full)
    assert library.refused("backup", COPY) == "copy.db cannot be written: No space left on device."
    assert not COPY.exists()
    assert left_over() == set()


def test_where_a_file_system_has_no_links_the_copy_is_renamed(
    library: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(source: object, target: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    library.run("backup", COPY)
    assert dump(COPY) == dump(Path("felix.db"))


def test_a_name_that_was_taken_meanwhile_is_not_taken_away(
    library: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(source: object, target: object) -> None:
        raise FileExistsError(17, "File exists")

    monkeypatch.setattr(os, "link", taken)
    assert "is there already" in library.refused("backup", COPY)
    assert left_over() == set()
