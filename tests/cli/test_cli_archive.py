"""Backups by the clock: made when they are due, whole or not there at all, and no more than asked for."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal, dump
from damage import damage_event
from felix_async.settings import Backup, Settings
from felix_cli.archive import Archive
from felix_cli.checks.backups import look_at_backups
from felix_events.store.sqlite import SqliteStore
from games import EPOCH

DATABASE = Path("felix.db")
FOLDER = Path("backups")
HOUR = timedelta(hours=1)


class Hand:
    """A clock that somebody moves."""

    def __init__(self) -> None:
        self.now = EPOCH

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def archive(terminal: Terminal, shelf: Shelf, hand: Hand) -> Archive:
    """A database with two games, and a folder for three backups of it, one a day."""
    shutil.copy(shelf.database, DATABASE)
    FOLDER.mkdir()
    return an_archive(hand)


def an_archive(clock: Callable[[], datetime], keep: int = 3) -> Archive:
    return Archive(Backup(folder=FOLDER, keep=keep), DATABASE, clock)


def kept() -> list[str]:
    return sorted(path.name for path in FOLDER.iterdir())


def full_disk(monkeypatch: pytest.MonkeyPatch, free: int = 0) -> None:
    """So many bytes are free on every disk."""
    disk = SimpleNamespace(f_bavail=free, f_frsize=1)
    monkeypatch.setattr(os, "statvfs", lambda _: disk)


# ---- when
def test_the_first_backup_is_made_at_the_first_look(archive: Archive) -> None:
    archive.look()
    assert kept() == ["felix-20260101T120000Z.db"]


def test_the_next_one_is_made_after_a_day_and_not_before(archive: Archive, hand: Hand) -> None:
    archive.look()
    hand.now += 24 * HOUR - timedelta(seconds=1)
    archive.look()
    assert len(kept()) == 1
    hand.now += timedelta(seconds=1)
    archive.look()
    assert kept() == ["felix-20260101T120000Z.db", "felix-20260102T120000Z.db"]


def test_a_server_that_is_started_anew_knows_when_the_next_one_is_due(archive: Archive, hand: Hand) -> None:
    archive.look()
    hand.now += 12 * HOUR
    an_archive(hand).look()
    assert len(kept()) == 1
    hand.now += 12 * HOUR
    an_archive(hand).look()
    assert len(kept()) == 2


def test_after_a_week_without_a_server_one_backup_is_made(archive: Archive, hand: Hand) -> None:
    archive.look()
    hand.now += 7 * 24 * HOUR
    archive.look()
    archive.look()
    assert len(kept()) == 2


def test_a_backup_from_a_clock_that_ran_ahead_keeps_no_other_from_being_made(
    archive: Archive, hand: Hand
) -> None:
    (FOLDER / "felix-20990101T120000Z.db").touch()
    archive.look()
    assert kept() == ["felix-20260101T120000Z.db", "felix-20990101T120000Z.db"]


# ---- what
def test_a_backup_is_whole_and_nobody_else_can_read_it(archive: Archive) -> None:
    archive.look()
    (copy,) = FOLDER.iterdir()
    assert dump(copy) == dump(DATABASE)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_the_log_says_what_is_in_it(archive: Archive, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "felix_cli"):
        archive.look()
    size = next(FOLDER.iterdir()).stat().st_size / 1e6
    assert caplog.messages == [
        f"backup backups/felix-20260101T120000Z.db: 2 games, 127 mails, {size:.1f} MB, whole"
    ]


def test_writing_goes_on_while_one_is_made(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """After every few pages of the copy somebody writes; the copy is of the moment at which it was begun."""
    monkeypatch.setattr("felix_events.store.files._BACKUP_PAGES", 5)
    before = dump(DATABASE)
    store = SqliteStore.open_to_write(DATABASE)
    written = 0

    def write() -> bool:
        nonlocal written
        with store.write() as tx:
            tx.remember(f"command-{written}", "k7m2p", "{}")
        written += 1
        return False

    monkeypatch.setattr(archive._stopped, "is_set", write)
    archive.look()
    store.close()
    (copy,) = FOLDER.iterdir()
    assert written > 5
    lines = dump(copy)
    # The first look at whether to stop is before the copying begins.
    assert [line for line in lines if line not in before] == [line for line in lines if "command-0" in line]
    assert any(f"command-{written - 1}" in line for line in dump(DATABASE))


# ---- how many
def test_as_many_as_were_asked_for_are_kept_and_the_oldest_go(archive: Archive, hand: Hand) -> None:
    for _ in range(5):
        archive.look()
        hand.now += 24 * HOUR
    assert kept() == [f"felix-2026010{day}T120000Z.db" for day in (3, 4, 5)]


def test_nothing_else_in_the_folder_is_touched(archive: Archive, hand: Hand) -> None:
    others = ["felix-2026-01-01.db", "other-20250101T120000Z.db", "felix-20251399T120000Z.db", "notes.txt"]
    for name in others:
        (FOLDER / name).touch()
    (FOLDER / "felix-20250101T120000Z.db").symlink_to(DATABASE.absolute())
    for _ in range(5):
        archive.look()
        hand.now += 24 * HOUR
    assert set(others) | {"felix-20250101T120000Z.db"} < set(kept())
    assert len(kept()) == len(others) + 1 + 3


def test_no_old_one_goes_before_a_new_one_is_whole(
    archive: Archive, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        archive.look()
        hand.now += 24 * HOUR
    full_disk(monkeypatch)
    archive.look()
    assert len(kept()) == 3


# ---- trouble
def test_a_disk_without_room_is_told_before_anything_is_written(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    full_disk(monkeypatch, 50_000_000)
    archive.look()
    assert kept() == []
    needed = (200_000_000 + DATABASE.stat().st_size) / 1e6
    assert caplog.messages == [
        f"no backup was made: There is no room in backups: 50 MB are free and {needed:.0f} MB are needed;"
        " make room on its disk, or set a smaller backup.keep in felix.toml. The next try is at 13:00 UTC."
    ]


def test_a_disk_that_is_full_half_way_leaves_nothing_behind(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fill(self: SqliteStore, target: Path, *_: object) -> None:
        target.write_bytes(b"SQLite format 3\x00 and no more")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SqliteStore, "backup", fill)
    archive.look()
    assert kept() == []
    (told,) = caplog.messages
    assert "No space left on device" in told


def test_after_trouble_it_is_tried_again_in_an_hour(
    archive: Archive, hand: Hand, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patch:
        full_disk(patch)
        archive.look()
        hand.now += HOUR - timedelta(seconds=1)
        archive.look()
    assert len(caplog.messages) == 1
    archive.look()
    assert kept() == []
    hand.now += timedelta(seconds=1)
    archive.look()
    assert kept() == ["felix-20260101T130000Z.db"]


def test_a_folder_that_is_not_there_is_named_and_not_made(
    archive: Archive, caplog: pytest.LogCaptureFixture
) -> None:
    """It may be another disk, which somebody forgot to mount."""
    FOLDER.rmdir()
    archive.look()
    assert not FOLDER.exists()
    (told,) = caplog.messages
    assert told.startswith(
        "no backup was made: The folder backups cannot be read (No such file or directory); make it,"
        " or name another one as backup.folder in felix.toml."
    )


def test_a_damaged_database_gives_no_backup(archive: Archive, caplog: pytest.LogCaptureFixture) -> None:
    with closing(sqlite3.connect(DATABASE)) as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'games'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    with DATABASE.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    archive.look()
    assert kept() == ["felix-20260101T120000Z.damaged"]
    (told,) = caplog.messages
    assert "damaged" in told


def test_the_whole_backups_stay_however_many_damaged_ones_are_made(
    archive: Archive, hand: Hand, shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    whole = []
    for _ in range(3):
        archive.look()
        whole = kept()
        hand.now += 24 * HOUR
    damage_event(DATABASE, shelf.running, 5)
    for _ in range(4):
        archive.look()
        hand.now += 24 * HOUR
    assert len(whole) == 3
    assert kept() == [*whole, "felix-20260107T120000Z.damaged"]
    told = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(told) == 4
    assert f"game {shelf.running}: event 5 is not what was written" in told[0]


def test_after_a_damaged_copy_the_next_is_made_when_it_is_due(
    archive: Archive, hand: Hand, shelf: Shelf
) -> None:
    damage_event(DATABASE, shelf.running, 5)
    archive.look()
    before = kept()
    hand.now += HOUR
    archive.look()
    assert kept() == before == ["felix-20260101T120000Z.damaged"]


def test_the_doctor_tells_of_a_damaged_copy_that_is_newer_than_all_whole_ones(
    archive: Archive, hand: Hand, shelf: Shelf
) -> None:
    archive.look()
    damage_event(DATABASE, shelf.running, 5)
    hand.now += 24 * HOUR
    archive.look()
    check = look_at_backups(Settings(database=DATABASE, backup=Backup(folder=FOLDER)))
    assert check is not None
    assert not check.well
    assert check.found == (
        "the copy from 2026-01-02T12:00:00.000000Z is damaged, as the database is;"
        " the newest whole one is from 2026-01-01T12:00:00.000000Z"
    )


# ---- a stop
def test_a_stop_gives_up_the_backup_that_is_being_made(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("felix_events.store.files._BACKUP_PAGES", 5)
    looks = iter(range(100))
    monkeypatch.setattr(archive._stopped, "is_set", lambda: next(looks) > 5)
    with caplog.at_level("INFO", "felix_cli"):
        archive.look()
    assert kept() == []
    assert caplog.messages == ["the server stops; the backup that was being made is left for the next start"]


def test_after_a_stop_no_backup_is_begun(archive: Archive) -> None:
    archive.stop()
    archive.look()
    assert kept() == []


def test_what_a_killed_process_left_goes_after_a_day(archive: Archive) -> None:
    old, fresh = FOLDER / f".felix-{'0' * 16}.part", FOLDER / f".felix-{'1' * 16}.part-journal"
    for path in (old, fresh):
        path.touch()
    long_ago = old.stat().st_mtime - 24 * 3600 - 1
    os.utime(old, (long_ago, long_ago))
    archive.look()
    assert kept() == [fresh.name, "felix-20260101T120000Z.db"]
