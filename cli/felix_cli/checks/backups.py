"""The backups that a running server makes: that the folder is there, and that the newest is new enough."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Final

from felix_async.clock import system_clock, text_of
from felix_async.settings import Settings
from felix_cli.archive import Archive
from felix_cli.backup import DAMAGED
from felix_cli.checks.check import Check
from felix_cli.output import Problem

_LATE: Final = 2
"""So many times as old as it should be, the newest backup is missing."""


def look_at_backups(settings: Settings) -> Check | None:
    """None if the settings ask for no backups."""
    wanted = settings.backup
    if wanted.folder is None:
        return None
    now = system_clock()
    try:
        archive = Archive(wanted, settings.database, system_clock)
        made, damaged = archive.made(now), archive.made(now, DAMAGED)
    except Problem as problem:
        return Check("backups", False, problem.message.rstrip("."))
    if not os.access(wanted.folder, os.W_OK | os.X_OK):
        advice = "felix must be able to make files there; change its owner or its mode"
        return Check("backups", False, str(wanted.folder), advice)
    if damaged and (not made or made[-1][0] < damaged[-1][0]):
        whole = f"the newest whole one is from {text_of(made[-1][0])}" if made else "there is no whole one"
        found = f"the copy from {text_of(damaged[-1][0])} is damaged, as the database is; {whole}"
        advice = "keep the whole ones; what is damaged, and what to do, stands above"
        return Check("backups", False, found, advice)
    if not made:
        return Check("backups", True, f"none in {wanted.folder} yet", "felix serve makes the first one soon")
    newest, _ = made[-1]
    found = f"{len(made)} in {wanted.folder}, the newest from {text_of(newest)}"
    well = now - newest <= _LATE * timedelta(hours=wanted.every_hours)
    advice = "let felix serve run, and see in its log why it makes none"
    return Check("backups", well, found, "" if well else advice)
