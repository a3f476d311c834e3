"""Honest trouble on a server leaves nothing that an audit finds: people forgotten, texts retired, backups."""

from __future__ import annotations

import lzma
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from cli.terminal import Terminal
from club import MAILBOX, Club, Year, an_honest_year
from felix_async.audit.database import look_at_whole
from felix_async.audit.evidence import evidence_of
from felix_async.audit.kept.log import Log
from felix_async.audit.kept.mailboxes import KeptMail
from felix_async.audit.kept.witness import held
from felix_async.schedule.retention import Retention, drop
from felix_async.settings import Keep
from felix_cli.audit_workers import audit_one
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.content.retold import Retold

pytestmark = pytest.mark.slow

LATER = datetime(2026, 12, 24, 9, tzinfo=UTC)
OLDER: Final = Path(__file__).parents[1] / "events" / "older.db.xz"


@pytest.fixture
def year() -> Year:
    return an_honest_year()


def a_copy(year: Year, folder: Path) -> Path:
    """The same database, as a backup has it."""
    path = folder / "felix.db"
    with closing(sqlite3.connect(year.path)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    return path


def unsound(path: Path) -> list[str]:
    """All that is found in a database."""
    with closing(SqliteStore.open_to_read(path)) as store, store.read() as reader:
        reports = [audit_one(reader, game_id) for game_id in reader.logs()]
        return [str(one) for report in [*reports, look_at_whole(reader, "")] for one in report.findings]


def test_whatever_went_to_and_fro_fits_the_log(year: Year) -> None:
    with closing(SqliteStore.open_to_read(year.path)) as store, store.read() as reader:
        raws = [*(one.raw for one in reader.mails()), *(one.raw for one in reader.letters())]
        for game_id in (year.over, year.on):
            evidence = evidence_of(reader, game_id)
            assert evidence is not None
            log = Log.of(evidence)
            told = held(log, [KeptMail("x", raw) for raw in raws], Retold(log))
            assert (told.findings, told.not_usable) == ([], [])
            why = ("it says yes to what another message says", "was it written twice, or refused?")
            assert all(one.endswith(why) for one in told.not_checked)
            assert 50 < told.fitting == told.letters
            assert 30 < told.in_log < told.sent


@pytest.mark.parametrize("who", ["anna", "ben", "cara", "emil", "hanna"])
def test_who_was_forgotten_leaves_no_finding(year: Year, tmp_path: Path, who: str) -> None:
    path = a_copy(year, tmp_path)
    club = Club(path, LATER)
    club.forget(who)
    club.close()
    assert unsound(path) == []
    with closing(SqliteStore.open_to_read(path)) as store, store.read() as reader:
        not_checked = [audit_one(reader, game_id).not_checked for game_id in (year.over, year.on)]
    assert "mails whose text is erased or retired: " in str(not_checked)


def test_texts_that_were_retired_leave_no_finding(year: Year, tmp_path: Path) -> None:
    path = a_copy(year, tmp_path)
    club = Club(path, LATER + timedelta(days=400))
    retention = Retention(Keep(letters_days=60, inbox_days=60), MAILBOX, lambda: club.now)
    retention.begin()
    while (step := club.look(retention.find)) is not None:
        club.do(partial(drop, table=step.table, ids=step.ids))
    club.close()
    assert unsound(path) == []
    with closing(SqliteStore.open_to_read(path)) as store, store.read() as reader:
        assert "letters whose text" in audit_one(reader, year.over).not_checked["database"]


@pytest.mark.parametrize("revoked", [True, False])
def test_a_restored_backup_that_is_played_on_has_no_finding(
    year: Year, tmp_path: Path, terminal: Terminal, revoked: bool
) -> None:
    path = a_copy(year, tmp_path)
    if revoked:
        terminal.run("mail", "revoke", "--all", "--db", path)
    club = Club(path, LATER, seed=f"restored {revoked}")
    club.deal()
    for name in ("ben", "anna"):
        # By the addresses of before, if they still hold; else by those in the letters of now.
        known = club.look(lambda reader: reader.letters()) if not revoked else club.server.letters
        club.server.letters = [*known, *club.server.letters]
        club.write(name, year.on, "DROP\nRESEND")
    club.answered = len(club.server.letters) - 3
    before = club.size(year.on)
    club.play(year.on, until=before + 30)
    assert club.size(year.on) > before
    club.close()
    assert unsound(path) == []


def test_an_older_database_and_imported_and_simulated_games_have_none(
    year: Year, tmp_path: Path, terminal: Terminal
) -> None:
    older, simulated = tmp_path / "older.db", tmp_path / "simulated.db"
    older.write_bytes(lzma.decompress(OLDER.read_bytes()))
    terminal.run("init", "--db", older)
    terminal.run("simulate", "--games", 3, "--seed", 7, "--db", simulated)
    terminal.run("export", year.over, "--db", year.path, "-o", "over.jsonl")
    terminal.run("import", "over.jsonl", "--db", simulated)
    assert unsound(older) == unsound(simulated) == []
