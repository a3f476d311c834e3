"""A server's life: `init`, `serve`, `doctor`."""

from __future__ import annotations

import errno
import os
import signal
import smtplib
import socket
import sqlite3
import stat
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from felix_async.clock import system_clock, text_of
from felix_async.settings import DEFAULT_CONFIG, Settings, SettingsError, read_settings, sample
from felix_async.text import plain
from felix_cli.output import EXIT_PROBLEM, Problem, print_json, say
from felix_cli.wiring import config_option, db_option, json_option, settings_for
from felix_events.store.base import StoreError
from felix_events.store.sqlite import SqliteStore

_SAFE_SQLITE: Final = (3, 51, 3)
_OLDEST_SQLITE: Final = (3, 37, 0)
"""STRICT tables came with this version."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that the doctor looked at; `advice` says what to do where it is not well."""

    what: str
    well: bool
    found: str
    advice: str = ""


@click.command()
@click.option(
    "--mailbox", default="felix@localhost", show_default=True, help="The address that players write to."
)
@config_option
@db_option
def init(mailbox: str, config: Path | None, db: Path | None) -> None:
    """Set up a server here: write felix.toml, unless there is one, and make or update its database.

    \b
    Example:
      felix init --mailbox felix@example.org
    """
    path = config or DEFAULT_CONFIG
    try:
        Settings(mailbox=mailbox)
    except ValueError:
        raise Problem(
            f"{mailbox!r} is no mail address that felix can use; take one like felix@example.org."
        ) from None
    if not path.parent.is_dir():
        raise Problem(f"There is no folder {plain(str(path.parent))} for {path.name}; make it first.")
    if path.exists():
        settings = settings_for(db, path)
        SqliteStore.create(settings.database).close()
    else:
        settings = Settings(database=db or path.parent / "felix.db", mailbox=mailbox)
        SqliteStore.create(settings.database).close()
        # What stands in the file is taken from the file's own folder.
        database = (
            Path(os.path.relpath(settings.database, path.parent))
            if db is None or not db.is_absolute()
            else db
        )
        _write(path, sample(database, mailbox))
        click.echo(f"Wrote {path}; look through it.")
    click.echo(f"The database is {settings.database}. Next: `felix doctor`, then `felix serve`.")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "its name cannot be written in UTF-8"
        raise Problem(f"{plain(str(path))} cannot be written: {why}.") from None


@click.command()
@click.option("--verbose", is_flag=True, help="Tell more in the log.")
@config_option
@db_option
def serve(verbose: bool, config: Path | None, db: Path | None) -> None:
    """Run the server until it is told to stop (Ctrl-C, or SIGTERM); its log goes to standard error.

    \b
    Example:
      felix serve --config felix.toml
    """
    from felix_cli.logs import set_up
    from felix_cli.server import Server

    set_up(sys.stderr, verbose=verbose)
    settings = settings_for(db, config)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        with Server(settings) as server:
            listen = settings.listen
            where = f"{listen.host}:{server.listener.port}"
            say(f"felix takes {listen.protocol.upper()} on {where} for {settings.mailbox}")
            stop.wait()
            say("felix stops")
    except OSError as error:
        where = f"{settings.listen.host}:{settings.listen.port}"
        raise Problem(
            f"felix cannot listen on {where}: {error.strerror}; change [listen] in felix.toml."
        ) from None


@click.command()
@json_option
@config_option
@db_option
def doctor(as_json: bool, config: Path | None, db: Path | None) -> None:
    """Look at all that a server needs, and say what is wrong and what to do; exit 1 where something is.

    \b
    Example:
      felix doctor
    """
    try:
        settings = settings_for(db, config) if db else read_settings(config)
    except SettingsError as error:
        checks = [Check("settings", False, str(error), "correct felix.toml")]
    else:
        checks = [Check("settings", True, f"mailbox {settings.mailbox}"), *_checks(settings)]
    if as_json:
        print_json([{"what": c.what, "well": c.well, "found": c.found, "advice": c.advice} for c in checks])
    else:
        for check in checks:
            advice = f" - {check.advice}" if check.advice else ""
            click.echo(f"{'ok   ' if check.well else 'WRONG'}  {check.what}: {check.found}{advice}")
    if not all(check.well for check in checks):
        raise click.exceptions.Exit(EXIT_PROBLEM)


def _checks(settings: Settings) -> Iterator[Check]:
    yield _check_sqlite()
    yield from _check_database(settings.database)
    yield _check_folder(settings.database)
    yield Check("clock", True, f"{text_of(system_clock())} (UTC)")
    yield _check_listen(settings)
    yield _check_send(settings)


def _check_sqlite() -> Check:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        return Check("sqlite", False, version, "felix needs 3.37 or newer")
    if sqlite3.sqlite_version_info < _SAFE_SQLITE:
        advice = (
            "has a rare WAL bug that felix's lock file keeps away; let no other program write to the database"
        )
        return Check("sqlite", True, version, advice)
    return Check("sqlite", True, version)


def _check_database(path: Path) -> Iterator[Check]:
    try:
        store = SqliteStore.open_to_read(path)
    except StoreError as error:
        yield Check("database", False, str(error))
        return
    try:
        with store.read() as reader:
            games = reader.games()
            waiting = len(reader.mails("new"))
            quarantined = len(reader.mails("quarantined"))
            ready = len(reader.letters("ready"))
            failed = len(reader.letters("failed"))
    finally:
        store.close()
    running = sum(game.state in ("inviting", "running") for game in games)
    yield Check("database", True, f"{path}, {len(games)} games, {running} of them open")
    mode = stat.S_IMODE(path.stat().st_mode)
    advice = "" if mode & 0o077 == 0 else f"it holds hidden cards: chmod 600 {path}"
    yield Check("file mode", not advice, f"{mode:04o}", advice)
    yield Check("inbox", True, f"{waiting} mails waiting, {quarantined} in quarantine")
    advice = "look at [send], and at the addresses" if failed else ""
    yield Check("letters", not failed, f"{ready} to be sent, {failed} given up", advice)


def _check_folder(database: Path) -> Check:
    folder = database.absolute().parent
    well = os.access(folder, os.W_OK | os.X_OK)
    return Check("folder", well, str(folder), "" if well else "felix must be able to write there")


def _check_listen(settings: Settings) -> Check:
    listen = settings.listen
    where = f"{listen.host}:{listen.port}"
    with socket.socket(socket.AF_INET6 if ":" in listen.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((listen.host, listen.port))
        except OSError as error:
            busy = error.errno == errno.EADDRINUSE
            found = "taken; by a running `felix serve`, if all is well" if busy else str(error.strerror)
            return Check("listen", busy, f"{where} is {found}", "" if busy else "change [listen]")
    return Check("listen", True, f"{where} is free")


def _check_send(settings: Settings) -> Check:
    send = settings.send
    if send.channel == "console":
        return Check("send", True, "mails are printed, not sent")
    where = f"{send.host}:{send.port}"
    try:
        with smtplib.SMTP(send.host, send.port, settings.mailbox.rpartition("@")[2], timeout=5) as server:
            server.ehlo()
    except (OSError, UnicodeError) as error:
        return Check(
            "send", False, f"{where} does not answer: {error}", "start the mail server, or change [send]"
        )
    return Check("send", True, f"{where} answers")
