"""init: a server is set up once, and nothing that is there is changed."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest

from cli.terminal import Terminal, dump
from felix_async.settings import read_settings


def test_init_writes_settings_and_a_database(terminal: Terminal) -> None:
    text = terminal.run("init", "--mailbox", "club@example.org")
    assert text.splitlines() == [
        "Wrote felix.toml; look through it. The whole way to a first game is in docs/hosting.md.",
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
    checks = terminal.json("doctor", "--no-send", "--config", "conf/felix.toml", code=1)
    (found,) = [check for check in checks if check["what"] == "database"]
    assert found["well"], found


def test_init_without_a_database_puts_it_beside_the_settings(terminal: Terminal) -> None:
    Path("conf").mkdir()
    terminal.run("init", "--config", "conf/felix.toml")
    assert Path("conf/felix.db").exists()
    assert not Path("felix.db").exists()


@pytest.mark.parametrize("mailbox", ["felix", "@x.org", "a+b@x.org", "Felix <f@x.org>", "f@x.org\nx = 1", ""])
def test_a_mailbox_that_felix_cannot_use_is_refused(terminal: Terminal, mailbox: str) -> None:
    assert "is no e-mail address that felix can use" in terminal.refused("init", "--mailbox", mailbox)
    assert list(terminal.folder.iterdir()) == []


def test_settings_that_cannot_be_written_are_named(terminal: Terminal) -> None:
    said = terminal.refused("init", "--config", "nowhere/felix.toml", "--db", "felix.db")
    assert said == "There is no folder nowhere for felix.toml; make it first."
    assert not Path("felix.db").exists()


def test_only_its_owner_reads_the_settings(terminal: Terminal) -> None:
    terminal.run("init")
    assert stat.S_IMODE(Path("felix.toml").stat().st_mode) == 0o600


def test_settings_for_a_mailbox_elsewhere(terminal: Terminal) -> None:
    Path("conf").mkdir()
    words = (
        "init",
        "--mailbox",
        "club@example.org",
        "--imap",
        "imap.example.net",
        "--config",
        "conf/felix.toml",
    )
    lines = terminal.run(*words).splitlines()
    assert lines[1] == "Put the password for imap.example.net into conf/imap-password, alone."
    assert stat.S_IMODE(Path("conf/imap-password").stat().st_mode) == 0o600
    settings = read_settings(Path("conf/felix.toml"))
    assert (settings.listen.protocol, settings.fetch.host) == ("off", "imap.example.net")
    assert (settings.fetch.user, settings.fetch.security) == ("club@example.org", "tls")


def test_a_password_that_is_there_stays(terminal: Terminal) -> None:
    Path("imap-password").write_text("mine")
    terminal.run("init", "--imap", "imap.example.net")
    assert read_settings().fetch.password.get_secret_value() == "mine"


@pytest.mark.parametrize("host", ["", "a b", "x\ny", "-x", 'a"b', "\x1b[31m"])
def test_a_mail_server_that_has_no_such_name_is_refused(terminal: Terminal, host: str) -> None:
    assert "is no name of a mail server" in terminal.refused("init", "--imap", host)
    assert list(terminal.folder.iterdir()) == []
