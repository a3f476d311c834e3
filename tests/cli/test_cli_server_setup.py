"""init and doctor: a server is set up once, and what is wrong with it is said."""

from __future__ import annotations

import os
import socket
import sqlite3
import stat
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.handlers import Sink

from cli.terminal import Terminal, dump
from felix_async.inbox.receive import Listener
from felix_events.store.base import Letter
from felix_events.store.sqlite import SqliteStore

LONG_AGO = "2026-01-01T00:00:00.000000Z"


# ---- init -------------------------------------------------------------------------------------------


def test_init_writes_settings_and_a_database(terminal: Terminal) -> None:
    text = terminal.run("init", "--mailbox", "club@example.org")
    assert text.splitlines() == [
        "Wrote felix.toml; look through it.",
        "The database is felix.db. Next: `felix doctor`, then `felix serve`.",
    ]
    settings = tomllib.loads(Path("felix.toml").read_text())
    assert (settings["database"], settings["mailbox"]) == ("felix.db", "club@example.org")
    assert terminal.json("games") == []
    assert stat.S_IMODE(Path("felix.db").stat().st_mode) == 0o600


def test_init_twice_changes_nothing(terminal: Terminal) -> None:
    terminal.run("init", "--mailbox", "club@example.org")
    terminal.new("Anna", "Ben", "Cara")
    before = Path("felix.toml").read_bytes(), dump(Path("felix.db"))
    text = terminal.run("init", "--mailbox", "other@example.org")
    assert text.splitlines() == ["The database is felix.db. Next: `felix doctor`, then `felix serve`."]
    assert (Path("felix.toml").read_bytes(), dump(Path("felix.db"))) == before


def test_init_takes_the_settings_that_are_there(terminal: Terminal) -> None:
    Path("felix.toml").write_text('database = "mine.db"\n')
    terminal.run("init")
    assert Path("mine.db").exists()
    assert not Path("felix.db").exists()


@pytest.mark.parametrize("database", ["data.db", "conf/data.db", "data/felix.db", "odd \"'\\ näme 🐈.db"])
def test_the_settings_that_init_writes_name_the_database_that_it_made(
    terminal: Terminal, database: str
) -> None:
    Path("conf").mkdir()
    Path("data").mkdir()
    terminal.run("init", "--config", "conf/felix.toml", "--db", database)
    checks = terminal.json("doctor", "--config", "conf/felix.toml", code=1)
    (found,) = [check for check in checks if check["what"] == "database"]
    assert found["well"], found


def test_init_without_a_database_puts_it_beside_the_settings(terminal: Terminal) -> None:
    Path("conf").mkdir()
    terminal.run("init", "--config", "conf/felix.toml")
    assert Path("conf/felix.db").exists()
    assert not Path("felix.db").exists()


@pytest.mark.parametrize("mailbox", ["felix", "@x.org", "a+b@x.org", "Felix <f@x.org>", "f@x.org\nx = 1", ""])
def test_a_mailbox_that_felix_cannot_use_is_refused(terminal: Terminal, mailbox: str) -> None:
    assert "is no mail address that felix can use" in terminal.refused("init", "--mailbox", mailbox)
    assert list(terminal.folder.iterdir()) == []


def test_settings_that_cannot_be_written_are_named(terminal: Terminal) -> None:
    said = terminal.refused("init", "--config", "nowhere/felix.toml", "--db", "felix.db")
    assert said == "There is no folder nowhere for felix.toml; make it first."
    assert not Path("felix.db").exists()


# ---- doctor -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mail_server() -> Iterator[int]:
    """A mail server that takes everything; its port."""
    listener = Listener(Sink(), host="127.0.0.1", port=0, max_bytes=10_000)
    listener.start()
    yield listener.port
    listener.stop()


@pytest.fixture
def server(terminal: Terminal, mail_server: int) -> Terminal:
    """A terminal with a set-up in which everything is well."""
    settings(mail_server)
    terminal.run("init")
    return terminal


def settings(send: int, listen: int = 0, host: str = "127.0.0.1") -> None:
    Path("felix.toml").write_text(
        f'[listen]\nhost = "{host}"\nport = {listen}\n[send]\nport = {send}\n', encoding="utf-8"
    )


def checks(terminal: Terminal, code: int = 0) -> dict[str, dict[str, Any]]:
    return {check["what"]: check for check in terminal.json("doctor", code=code)}


def wrong(terminal: Terminal) -> list[str]:
    """What is not well, by the doctor's exit 1."""
    return [what for what, check in checks(terminal, code=1).items() if not check["well"]]


def test_where_all_is_well_the_doctor_says_so(server: Terminal) -> None:
    lines = server.run("doctor").splitlines()
    assert all(line.startswith("ok     ") for line in lines)
    assert set(checks(server)) == {
        "settings",
        "sqlite",
        "database",
        "file mode",
        "inbox",
        "letters",
        "folder",
        "clock",
        "listen",
        "send",
    }


def test_the_doctor_marks_what_is_wrong_and_says_what_to_do(terminal: Terminal) -> None:
    lines = terminal.run("doctor", code=1).splitlines()
    (line,) = [line for line in lines if " database:" in line]
    assert (
        line
        == "WRONG  database: There is no database at felix.db; run `felix init --db felix.db` to make one."
    )


def test_settings_that_cannot_be_read(server: Terminal) -> None:
    Path("felix.toml").write_text("[listen]\nport = 'none'\n")
    assert wrong(server) == ["settings"]
    assert wrong(server) == list(checks(server, code=1))


def test_settings_that_are_named_and_missing(server: Terminal) -> None:
    (check,) = server.json("doctor", "--config", "other.toml", code=1)
    assert check["found"] == "other.toml cannot be read: No such file or directory."


def test_a_sqlite_that_is_too_old(server: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    assert wrong(server) == ["sqlite"]


@pytest.mark.parametrize(("version", "advised"), [((3, 40, 1), True), ((3, 51, 3), False)])
def test_a_sqlite_with_the_wal_bug_is_told_and_not_wrong(
    server: Terminal, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], advised: bool
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    assert bool(checks(server)["sqlite"]["advice"]) == advised


def test_a_database_that_is_foreign(server: Terminal) -> None:
    Path("felix.db").write_bytes(b"something else entirely" * 1000)
    assert wrong(server) == ["database"]


def test_a_database_that_others_can_read(server: Terminal) -> None:
    os.chmod("felix.db", 0o644)
    assert wrong(server) == ["file mode"]
    assert checks(server, code=1)["file mode"]["advice"] == "it holds hidden cards: chmod 600 felix.db"


def test_a_folder_that_cannot_be_written(server: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert wrong(server) == ["folder"]


def test_letters_that_were_given_up(server: Terminal) -> None:
    store = SqliteStore.open_to_write(Path("felix.db"))
    with store.write() as tx:
        letter = Letter("k7m2p", 0, "a@x.test", "<1@x>", b"", LONG_AGO, LONG_AGO)
        tx.mark_letter(tx.freeze(letter), "failed", next_at=LONG_AGO)
        tx.keep_mail(LONG_AGO, "felix@x.test", "a@x.test", b"")
        tx.settle_mail(tx.keep_mail(LONG_AGO, "x", "y", b""), "quarantined")
    store.close()
    assert wrong(server) == ["letters"]
    assert checks(server, code=1)["letters"]["found"] == "0 to be sent, 1 given up"
    assert checks(server, code=1)["inbox"]["found"] == "1 mails waiting, 1 in quarantine"


def test_an_address_to_listen_on_that_is_not_ours(server: Terminal, mail_server: int) -> None:
    settings(mail_server, host="192.0.2.1")
    assert wrong(server) == ["listen"]


def test_a_port_that_is_taken_is_told_and_not_wrong(server: Terminal, mail_server: int) -> None:
    settings(mail_server, listen=mail_server)
    assert "by a running `felix serve`, if all is well" in checks(server)["listen"]["found"]


def test_a_mail_server_that_does_not_answer(server: Terminal) -> None:
    with closing(socket.socket()) as nobody:
        nobody.bind(("127.0.0.1", 0))
        settings(nobody.getsockname()[1])
        assert wrong(server) == ["send"]


def test_the_doctor_looks_at_the_database_that_is_named(server: Terminal) -> None:
    named = server.json("doctor", "--db", "other.db", code=1)
    assert [check["what"] for check in named if not check["well"]] == ["database"]
