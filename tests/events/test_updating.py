"""The bytes of mails and letters move to tables of their own: nothing is lost, wherever that is cut short."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from events.filling import mail_at
from events.older import an_old_database, bytes_in, bytes_of
from felix_events.store import updating
from felix_events.store.base import StoreError
from felix_events.store.sqlite import SqliteStore
from felix_events.store.steps import migrations


class Heard:
    """What the operator is told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.steps: list[tuple[str, int, int]] = []

    def say(self, sentence: str) -> None:
        self.said.append(sentence)

    def step(self, what: str, done: int, total: int) -> None:
        self.steps.append((what, done, total))


@pytest.fixture
def old(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An old database that moves in several steps."""
    monkeypatch.setattr(updating, "_BATCH_ROWS", 4)
    an_old_database(path)
    return path


def test_everything_reads_as_before_and_the_database_as_it_was_is_kept_for_its_owner_alone(old: Path) -> None:
    before = bytes_in(old)
    with closing(SqliteStore.open_to_write(old)) as store, store.read() as reader:
        assert bytes_of(reader) == before
        mail = mail_at(reader, 3)
        assert (mail.sha256, mail.state, mail.key, mail.note) == ("hash 3", "done", "key 3", "was done")
        assert reader.mail_lines(1, before=4)[0].size == len(mail.raw) > 0
    copy = old.with_name("felix.db.before-m007")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert bytes_in(copy) == before


def test_a_copy_that_is_there_already_is_not_written_over(old: Path) -> None:
    taken = old.with_name("felix.db.before-m007")
    taken.write_bytes(b"of another time")
    SqliteStore.open_to_write(old).close()
    assert taken.read_bytes() == b"of another time"
    assert old.with_name("felix.db.before-m007-2").exists()


def test_whoever_is_killed_behind_the_copy_leaves_no_second_one(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **named: object) -> None:
        raise KeyboardInterrupt

    for place, name in ((migrations(), "apply"), (os, "rename")):
        with monkeypatch.context() as now:
            now.setattr(place, name, killed)
            with pytest.raises(KeyboardInterrupt):
                SqliteStore.open_to_write(old)
    before = bytes_in(old)
    SqliteStore.open_to_write(old).close()
    assert [file.name for file in old.parent.glob("*before*")] == ["felix.db.before-m007"]
    assert bytes_in(old.with_name("felix.db.before-m007")) == before


def test_the_operator_is_told_where_the_copy_is_and_how_far_it_has_come(old: Path) -> None:
    heard = Heard()
    SqliteStore.open_to_write(old, heard).close()
    (said,) = heard.said
    assert said.endswith("it is kept as " + str(old) + ".before-m007.")
    assert [step for step in heard.steps if step[0] == "Packing inbox"] == [
        ("Packing inbox", number, 20) for number in (4, 9, 14, 19)
    ]


def test_a_new_database_needs_no_copy(path: Path) -> None:
    SqliteStore.create(path).close()
    assert list(path.parent.glob("*before*")) == []


@pytest.mark.parametrize("make", [an_old_database, lambda path: SqliteStore.create(path).close()])
def test_space_that_becomes_free_can_be_given_back(path: Path, make: object) -> None:
    assert callable(make)
    make(path)
    SqliteStore.open_to_write(path).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)


def test_the_file_becomes_smaller(path: Path) -> None:
    an_old_database(path, rows=200)
    before = path.stat().st_size
    SqliteStore.open_to_write(path).close()
    assert path.stat().st_size < before / 2


def test_an_old_database_is_not_read_nor_one_that_is_half_moved_but_what_to_do_is_said(old: Path) -> None:
    for _ in range(2):
        with pytest.raises(StoreError, match=r"is from an older felix; run `felix init --db .*felix\.db`"):
            SqliteStore.open_to_read(old)
        assert killed_after(old, 60)


@pytest.mark.slow
def test_whoever_is_killed_at_any_statement_goes_on_next_time(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updating, "_BATCH_ROWS", 3)
    an_old_database(path, rows=8)
    before = bytes_in(path)
    wrong = []
    statements = 0
    for statements in range(0, 1000, 17):
        folder = tmp_path / str(statements)
        folder.mkdir()
        copied = Path(shutil.copy(path, folder))
        was_killed = killed_after(copied, statements)
        with closing(SqliteStore.open_to_write(copied)) as store, store.read() as reader:
            copies = sorted(folder.glob("*.before-m007*"))
            if bytes_of(reader) != before or bytes_in(copies[0]) != before:
                wrong.append(statements)
        if not was_killed:
            break
    assert wrong == []
    assert 60 < statements < 1000, "it came to its end, and was killed often before that"


def killed_after(path: Path, statements: int) -> bool:
    """Bring it up to date in a process that is killed before its next statement; False if it needs fewer."""
    child = os.fork()
    if child == 0:
        left = [statements]

        def count(_: str) -> None:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.set_trace_callback(count)
        updating.bring_up_to_date(connection, path, Heard())
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])
