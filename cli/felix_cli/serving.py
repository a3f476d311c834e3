"""A server's life: `init` and `serve`."""

from __future__ import annotations

import logging
import os
import re
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import click

from felix_async.sample import IMAP_PASSWORD, sample
from felix_async.settings import Settings
from felix_async.text import plain
from felix_async.variables import DEFAULT_CONFIG
from felix_cli.config import config_path
from felix_cli.output import Problem
from felix_cli.upgrade import open_to_write
from felix_cli.wiring import db_option, settings_for

log = logging.getLogger(__name__)

_CLOCK_SECONDS: Final = 30.0
_MANY: Final = 100
_HOST: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.:-]{0,250}[A-Za-z0-9])?")


@click.command()
@click.option(
    "--mailbox", default="felix@localhost", show_default=True, help="The address that players write to."
)
@click.option("--imap", metavar="HOST", help="Fetch mail from this server, instead of being handed it.")
@db_option
def init(mailbox: str, imap: str | None, db: Path | None) -> None:
    """Set up a server here: write felix.toml, unless there is one, and make or update its database.

    The settings are readable to you alone, because a password may come into them. With --db for a database
    that is there, and without --config, none are written: it is brought up to date.

    \b
    Example:
      felix init --mailbox felix@example.org
    """
    config = config_path()
    path = config or DEFAULT_CONFIG
    try:
        Settings(mailbox=mailbox)
    except ValueError:
        raise Problem(
            f"{mailbox!r} is no e-mail address that felix can use; take one like felix@example.org."
        ) from None
    if not path.parent.is_dir():
        raise Problem(f"There is no folder {plain(str(path.parent))} for {path.name}; make it first.")
    if imap is not None and not _HOST.fullmatch(imap):
        raise Problem(f"{plain(imap)} is no name of a mail server; take one like imap.example.org.")
    if path.exists():
        settings = settings_for(db)
        open_to_write(settings.database, create=True).close()
    elif config is None and db is not None and db.is_file() and db.stat().st_size:
        open_to_write(db).close()
        click.echo(f"{db} is up to date. No felix.toml was written; name one with --config to have it.")
        return
    else:
        settings = Settings(database=db or path.parent / "felix.db", mailbox=mailbox)
        open_to_write(settings.database, create=True).close()
        # Paths in the file are relative to the file's own folder.
        database = (
            Path(os.path.relpath(settings.database, path.parent))
            if db is None or not db.is_absolute()
            else db
        )
        _write(path, sample(database, mailbox, imap or ""))
        click.echo(f"Wrote {path}; look through it. The whole way to a first game is in docs/hosting.md.")
        if imap:
            if not (path.parent / IMAP_PASSWORD).exists():
                _write(path.parent / IMAP_PASSWORD, "")
            click.echo(f"Put the password for {imap} into {path.parent / IMAP_PASSWORD}, alone.")
    click.echo(f"The database is {settings.database}. Next: `felix doctor`, then `felix serve`.")


def _write(path: Path, text: str) -> None:
    """A new file that only its owner can read."""
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "its name cannot be written in UTF-8"
        raise Problem(f"{plain(str(path))} cannot be written: {why}.") from None


@click.command()
@click.option("--verbose", is_flag=True, help="Tell more in the log.")
@db_option
def serve(verbose: bool, db: Path | None) -> None:
    """Run the server until it is told to stop (Ctrl-C, or SIGTERM); its log goes to standard error.

    SIGHUP stops it if it runs in a terminal, and elsewhere only writes a line to the log
    (under nohup not even that): settings are read at the start.

    \b
    Example:
      felix serve --config felix.toml
    """
    from felix_cli.jobs import mind_clock
    from felix_cli.logs import set_up
    from felix_cli.server import CannotListen, Server

    set_up(sys.stderr, logging.DEBUG if verbose else logging.INFO)
    settings = settings_for(db)
    try:
        # An update of the database, which may take long, is stopped by a signal at once.
        server = Server(settings)
        with told_to_stop(in_terminal=sys.stdin.isatty()) as is_told, server:
            if os.geteuid() == 0:
                log.warning(
                    "felix runs as root and needs none of its rights; let it run as a user of its own,"
                    " to whom %s belongs",
                    settings.database,
                )
            for line in _ways_in(settings, server.listener.port):
                log.info("%s", line)
            while not is_told(_CLOCK_SECONDS):
                mind_clock(server.scheduler)
            log.info("felix stops")
    except CannotListen as error:
        where = f"{settings.listen.host}:{settings.listen.port}"
        raise Problem(
            f"felix cannot listen on {where}: {error.strerror}; change [listen] in felix.toml."
        ) from None
    except OSError as error:
        what = f"{error.strerror or error}{f' ({plain(str(error.filename))})' if error.filename else ''}"
        raise Problem(
            f"felix cannot go on, and stops: {what}; look at the disk and its room. What came in is kept."
        ) from None


@contextmanager
def told_to_stop(*, in_terminal: bool = False) -> Iterator[Callable[[float], bool]]:
    """SIGINT and SIGTERM are noted; what is yielded waits so many seconds for one, and says whether it came.

    SIGHUP is one of them if felix runs in a terminal, which is gone then. Elsewhere it asks a server to
    read its settings again; felix reads them as it starts, says so in the log, and goes on. Under nohup,
    which has it ignored, it stays so.
    A lock would not do: one that a signal finds half taken is never given back, and a signal that comes right
    before the wait would be noticed after it. What the system writes down, `select` sees at any time.
    """
    heard, noted = socket.socketpair()
    with heard, noted:
        noted.setblocking(False)
        before = signal.set_wakeup_fd(noted.fileno())
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        handlers = {number: signal.signal(number, _note) for number in numbers}
        try:
            yield partial(_is_told, heard, in_terminal)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(before)


def _is_told(heard: socket.socket, in_terminal: bool, seconds: float) -> bool:
    """Return True if a signal says within so many seconds that felix is to stop."""
    until = time.monotonic() + seconds
    while select.select([heard], [], [], max(0.0, until - time.monotonic()))[0]:
        if in_terminal or set(heard.recv(_MANY)) != {signal.SIGHUP}:
            return True
        log.warning("SIGHUP does nothing: felix reads its settings as it starts; restart it for new ones")
    return False


def _note(*_: object) -> None:
    """The signal is written down already."""


def _ways_in(settings: Settings, port: int) -> Iterator[str]:
    """Say by which ways a running server gets its mail, a sentence each."""
    listen, fetch = settings.listen, settings.fetch
    if listen.protocol != "off":
        yield f"felix takes {listen.protocol.upper()} on {listen.host}:{port} for {settings.mailbox}"
    if fetch.host:
        yield plain(f"felix reads {fetch.folder} at {fetch.host} as {fetch.user}")
    if listen.protocol == "off" and not fetch.host:
        yield f"felix waits for what `felix mail receive` takes in for {settings.mailbox}"
