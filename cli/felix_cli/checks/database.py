"""The database: that it is there, that it is whole, what waits in it, and that time does not run back."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from felix_async.clock import later, system_clock, text_of
from felix_async.inbox.strangers import STRANGER
from felix_async.trouble import waiting_for
from felix_cli.checks.check import Check
from felix_cli.checks.clock import newest_entry
from felix_cli.claim import is_served
from felix_cli.output import counted
from felix_events.store.base import Reader, StoreError
from felix_events.store.log import look_at_logs
from felix_events.store.sqlite import SqliteStore

PATIENCE_SECONDS: Final = 5.0
"""How long the database is looked through; a large one is not looked through to its end."""
LOCK_SECONDS: Final = 2.0
"""How long the database may be locked by somebody; felix itself writes for a small part of that."""
_STEPS: Final = 10_000
_MAILS: Final = 10_000
_MANY: Final = 1 << 31
_RESTORE: Final = (
    "stop the server, keep a copy of all its files, and restore a backup:"
    " docs/operating.md, A game that cannot be read"
)
_LONGEST_PAUSE: Final = 300.0
"""Seconds without a heartbeat after which a server that runs is not well."""
_ASTRAY: Final = 60.0
"""Seconds by which a clock may be set back, as it happens when it is set by the network."""


def look_at_database(path: Path) -> Iterator[Check]:
    """All there is to say about it; one check alone if it cannot be opened."""
    try:
        store = SqliteStore.open_to_read(path)
    except StoreError as error:
        yield Check("database", False, str(error))
        return
    try:
        with store.read() as reader:
            games = reader.games()
            running = sum(not game.is_over for game in games)
            yield Check("database", True, f"{path}, {counted(len(games), 'game')}, {running} open")
            yield from _look_at_lock(path)
            yield look_through(path)
            yield look_at_hashes(path)
            yield _made_as_ours(reader)
            yield newest_entry(reader)
            yield _alive(reader.last_beat(), is_served(path))
            yield from _apart(reader)
            yield from _waiting(reader)
    except StoreError as error:
        yield Check("database", False, str(error))
    finally:
        store.close()


def _look_at_lock(path: Path) -> Iterator[Check]:
    """Check whether another program keeps felix from writing.

    Nothing is written here: the reader that is open meanwhile keeps SQLite from clearing up at the end.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, isolation_level=None, timeout=LOCK_SECONDS)
        ) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        # Other checks say whether it can be written at all.
        if "locked" in str(error):
            found = f"a program has held {path} for {LOCK_SECONDS:g} s, and nobody else can write to it"
            advice = f"see which, and end it unless it is felix: fuser -v {path}"
            yield Check("lock", False, found, advice)


def look_through(path: Path, seconds: float = PATIENCE_SECONDS) -> Check:
    """SQLite's own quick look at every page, for so long."""
    end = time.monotonic() + seconds
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                return _damaged(str(error))
            return Check("integrity", True, f"nothing wrong in what could be looked through in {seconds:g} s")
        except sqlite3.DatabaseError as error:
            return _damaged(str(error))
    if found == "ok":
        return Check("integrity", True, "whole; `felix audit --all` looks at the games themselves")
    return _damaged(str(found))


def look_at_hashes(path: Path, seconds: float = PATIENCE_SECONDS) -> Check:
    """Check whether the logs are what was written, for so long; the next look at many begins with others."""
    end = time.monotonic() + seconds
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        try:
            found = look_at_logs(connection, lambda: time.monotonic() > end, first=secrets.randbelow(_MANY))
        except sqlite3.DatabaseError as error:
            return Check("logs", False, f"damaged: {error}", _RESTORE)
    if found.flaws:
        more = f" (and {len(found.flaws) - 1} more)" if len(found.flaws) > 1 else ""
        return Check("logs", False, f"{found.flaws[0]}{more}", _RESTORE)
    if found.looked_at < found.logs:
        told = f"{found.looked_at} of {found.logs} are what was written, as many as {seconds:g} s allow"
        return Check("logs", True, told, "the next look begins with others; `felix backup` looks at all")
    return Check("logs", True, f"{counted(found.logs, 'log')}, each what was written")


def _made_as_ours(reader: Reader) -> Check:
    """Check whether somebody has changed what keeps the log from being rewritten, or anything of its kind."""
    if odd := reader.odd_schema():
        advice = "somebody else has worked on this database; restore a backup, or ask who it was"
        return Check("schema", False, f"not as felix makes it: {', '.join(odd)}", advice)
    return Check("schema", True, "tables, indexes and triggers are as felix makes them")


def _damaged(found: str) -> Check:
    return Check("integrity", False, f"damaged: {found}", _RESTORE)


def _alive(last: str | None, served: bool) -> Check:
    """When `felix serve` last said that it was at work; it does so once a minute."""
    if last is None:
        return Check("heartbeat", True, "felix serve has not been alive on this database yet")
    found = f"felix serve was last alive at {last}"
    if last > later(text_of(system_clock()), _ASTRAY):
        advice = "this machine's clock says an earlier time, and nothing is due before: felix doctor --clock"
        return Check("heartbeat", False, found, advice)
    if served and not last > later(text_of(system_clock()), -_LONGEST_PAUSE):
        advice = (
            "it runs, and what is due is not looked at: look into its log, then stop it and start it again"
        )
        return Check("heartbeat", False, found, advice)
    return Check("heartbeat", True, found if served else f"{found}; it does not run now")


def _apart(reader: Reader) -> Iterator[Check]:
    """The games that the server keeps apart, because they cannot be read."""
    for trouble in reader.troubles():
        lines = reader.mail_lines(_MAILS, "quarantined")
        waiting = sum(line.note == waiting_for(trouble.game_id) for line in lines)
        found = (
            f"cannot be read since {trouble.since}: {trouble.why} {counted(waiting, 'mail')} for it"
            f" {'waits' if waiting == 1 else 'wait'} in quarantine, and its time stands still"
        )
        advice = (
            "stop the server, keep a copy of all its files, and bring the game back as docs/operating.md says"
            " (A game that cannot be read); it then goes on by itself"
        )
        yield Check(f"game {trouble.game_id}", False, found, advice)


def _waiting(reader: Reader) -> Iterator[Check]:
    backlog = reader.backlog()
    advice = "look at it: felix mail quarantine list" if backlog.quarantined else ""
    found = f"{counted(backlog.new, 'message')} waiting, {backlog.quarantined} in quarantine"
    if strangers := sum(line.note.startswith(STRANGER) for line in reader.mail_lines(_MAILS, "quarantined")):
        found = f"{found}, {strangers} of them {STRANGER}"
        advice = f"{advice}; let them in with invitations.open, or open a table for them: felix new"
    yield Check("inbox", True, found, advice)
    advice = (
        "see why: felix mail letters list --state failed; then retry them, or tell the players"
        if backlog.failed
        else ""
    )
    found = f"{backlog.ready} to be sent, {backlog.failed} given up"
    yield Check("letters", not backlog.failed, found, advice)
    stopped = sum(bool(row.stopped) for row in reader.addresses())
    advice = "see which: felix mail addresses list --stopped" if stopped else ""
    yield Check("addresses", True, f"{stopped} blocked", advice)
