"""`doctor`: everything that a server needs, looked at one after the other; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from felix_async.clock import system_clock, text_of
from felix_async.schedule.outage import set_clock_back
from felix_async.settings import Settings, SettingsError
from felix_async.text import plain
from felix_async.variables import DEFAULT_CONFIG
from felix_cli.checks.backups import look_at_backups
from felix_cli.checks.check import Check
from felix_cli.checks.clock import look_at_clock
from felix_cli.checks.database import look_at_database
from felix_cli.checks.machine import (
    look_at_copies,
    look_at_disk,
    look_at_files,
    look_at_folder,
    look_at_operator,
    look_at_sqlite,
)
from felix_cli.checks.roundtrip import trial_address, try_round_trip
from felix_cli.checks.ways import look_at_alerts, look_at_fetch, look_at_listener, look_at_send
from felix_cli.claim import is_served
from felix_cli.config import config_path
from felix_cli.mail_text import shown
from felix_cli.output import EXIT_PROBLEM, Problem, print_json, say
from felix_cli.upgrade import open_to_write
from felix_cli.wiring import db_option, json_option, settings_for
from felix_events.store.base import Tx
from felix_events.store.sqlite import SqliteStore

_LONG = 500


@click.command()
@click.option(
    "--wait",
    type=click.FloatRange(0, 3600),
    default=20,
    show_default=True,
    metavar="SECONDS",
    help="How long the message to itself may take.",
)
@click.option("--no-send", is_flag=True, help="Send itself no message.")
@click.option("--clock", is_flag=True, help="Look at the clock alone: what felix last saw of it.")
@click.option(
    "--today",
    metavar="YYYY-MM-DD",
    help="With --clock: the clock was ahead and is right again; let overdue work run. Give today's date.",
)
@json_option
@db_option
def doctor(
    wait: float,
    no_send: bool,
    clock: bool,
    today: str | None,
    as_json: bool,
    db: Path | None,
) -> None:
    """Check everything a server needs; say what is wrong and what to do. Exit 1 if anything is.

    It works with and without a running server, sends itself a test message and waits for it, and changes
    nothing (except with --today).

    \b
    Example:
      felix doctor
    """
    if today is not None and not clock:
        raise click.UsageError("--today belongs to --clock.")
    if today is not None:
        _set_clock_back(today, db)
    told = []
    for check in _clock_checks(db) if clock else _checks(db, None if no_send else wait):
        told.append(check)
        if not as_json:
            advice = f" - {shown(check.advice, _LONG)}" if check.advice else ""
            click.echo(f"{check.mark:7}  {check.what}: {shown(check.found, _LONG)}{advice}")
    if as_json:
        print_json(
            [
                {
                    "what": check.what,
                    "well": check.well,
                    "found": shown(check.found, _LONG),
                    "advice": shown(check.advice, _LONG),
                    "skipped": check.skipped,
                }
                for check in told
            ]
        )
    if not all(check.well for check in told):
        raise click.exceptions.Exit(EXIT_PROBLEM)


def _clock_checks(db: Path | None) -> Iterator[Check]:
    settings = settings_for(db)
    store = SqliteStore.open_to_read(settings.database)
    try:
        with store.read() as reader:
            yield from look_at_clock(reader)
    finally:
        store.close()


def _set_clock_back(today: str, db: Path | None) -> None:
    """Let due work go on by the clock of this machine, whose day the operator has named."""
    settings, now = settings_for(db), text_of(system_clock())
    if today != now[:10]:
        raise Problem(
            f"This machine's clock says {now} (UTC), and not {plain(today)}; set it right, or name its day."
        )
    store = open_to_write(settings.database)

    def do(work: Callable[[Tx], Any]) -> Any:
        with store.write() as tx:
            return work(tx)

    try:
        ahead = set_clock_back(do, now)
    finally:
        store.close()
    say(
        f"What felix had put off by {ahead / 3600:.1f} hours is due again."
        if ahead
        else "The clock was not ahead: nothing was changed."
    )


def _checks(db: Path | None, wait: float | None) -> Iterator[Check]:
    source = config_path() or DEFAULT_CONFIG
    try:
        settings = settings_for(db)
    except SettingsError as error:
        yield Check("settings", False, str(error), "nothing else was looked at")
        return
    yield Check(
        "settings", True, f"{source if source.exists() else 'the defaults'}, mailbox {settings.mailbox}"
    )
    if (operator := look_at_operator(settings)) is not None:
        yield operator
    yield look_at_sqlite()
    checks = list(look_at_database(settings.database))
    yield from checks
    yield look_at_folder(settings.database)
    if (copies := look_at_copies(settings.database)) is not None:
        yield copies
    yield look_at_disk(settings.database)
    yield look_at_files(settings, source)
    if (backups := look_at_backups(settings)) is not None:
        yield backups
    ways = list(_ways(settings))
    yield from ways
    if wait is None:
        yield Check("round trip", True, "--no-send", skipped=True)
    elif all(check.well for check in (*ways, checks[0])):
        if settings.send.channel != "console":
            say(f"A message goes to {trial_address(settings.mailbox)}; it may take {wait:g} s to come back.")
        yield from try_round_trip(settings, is_served(settings.database), wait)
    else:
        yield Check("round trip", True, "put the errors above right first", skipped=True)


def _ways(settings: Settings) -> Iterator[Check]:
    found = (
        look_at_listener(settings, is_served(settings.database)),
        look_at_send(settings),
        look_at_fetch(settings),
        look_at_alerts(settings),
    )
    yield from (check for check in found if check is not None)
