"""doctor: what is wrong with the machine and the database is said, with what to do about it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from freezegun import freeze_time

from cli.surgery import Office, checks, office, settings, wrong
from cli.terminal import Terminal, assert_harmless, dump
from damage import damage_event
from felix_async.inbox.strangers import STRANGER
from felix_async.settings import Settings
from felix_cli.checks import clock, database, machine
from felix_events.store.rows import AddressRow, Letter
from felix_events.store.sqlite import SqliteStore

LONG_AGO = "2026-01-01T00:00:00.000000Z"


@pytest.fixture(scope="module")
def mail_server() -> Iterator[int]:
    """A mail server that takes everything; its port."""
    with office(Office()) as port:
        yield port


@pytest.fixture
def server(terminal: Terminal, mail_server: int) -> Terminal:
    """A terminal with a set-up in which everything is well."""
    settings(mail_server)
    terminal.run("init")
    return terminal


def test_a_database_that_another_program_has_locked_is_told(
    server: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.01)
    with closing(sqlite3.connect("felix.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        found = checks(server, "--no-send", code=1)
    assert found["lock"]["found"].startswith("a program has held felix.db for 0.01 s")


def test_on_a_healthy_clock_there_is_nothing_to_set(server: Terminal) -> None:
    assert checks(server, "--clock")["clock"]["advice"] == ""


def test_where_all_is_well_the_doctor_says_so(server: Terminal) -> None:
    lines = server.run("doctor", "--no-send").splitlines()
    assert [line.split()[0] for line in lines] == ["ok"] * (len(lines) - 1) + ["skipped"]
    assert list(checks(server, "--no-send")) == [
        "settings",
        "sqlite",
        "database",
        "integrity",
        "logs",
        "schema",
        "clock",
        "heartbeat",
        "inbox",
        "letters",
        "addresses",
        "folder",
        "disk",
        "file modes",
        "listen",
        "send",
        "round trip",
    ]


def test_the_doctor_changes_nothing(server: Terminal) -> None:
    server.new("Anna <anna@players.test>", "Ben", "Cara")
    before = dump(Path("felix.db")), sorted(path.name for path in Path().iterdir())
    server.run("doctor", "--no-send")
    assert (dump(Path("felix.db")), sorted(path.name for path in Path().iterdir())) == before


def test_the_doctor_marks_what_is_wrong_and_says_what_to_do(terminal: Terminal) -> None:
    lines = terminal.run("doctor", "--no-send", code=1).splitlines()
    (line,) = [line for line in lines if " database:" in line]
    assert (
        line
        == "WRONG    database: There is no database at felix.db; run `felix init --db felix.db` to make one."
    )


def test_settings_that_cannot_be_read(server: Terminal) -> None:
    Path("felix.toml").write_text("[listen]\nport = 'none'\n")
    assert wrong(server) == ["settings"]
    assert wrong(server) == list(checks(server, code=1))


def test_settings_that_are_named_and_missing(server: Terminal) -> None:
    (check,) = server.json("doctor", "--config", "other.toml", code=1)
    assert check["found"] == "other.toml cannot be read: No such file or directory."


def test_the_doctor_looks_at_the_database_that_is_named(server: Terminal) -> None:
    named = server.json("doctor", "--no-send", "--db", "other.db", code=1)
    assert [check["what"] for check in named if not check["well"]] == ["database"]


def test_where_something_else_is_wrong_no_mail_is_sent(terminal: Terminal) -> None:
    settings(1)
    assert wrong(terminal) == ["database", "send"]
    skipped = checks(terminal, code=1)["round trip"]
    assert (skipped["skipped"], skipped["found"]) == (True, "put the errors above right first")


def test_strange_names_do_nothing_to_the_terminal(server: Terminal) -> None:
    for name in ("\x1b[31m.db", "a\nb.db", "\u202egnp.db"):
        shutil.copy("felix.db", name)
        os.chmod(name, 0o644)
    text = server.run("doctor", "--no-send", code=1)
    assert_harmless(text)
    assert_harmless(server.run("doctor", "--no-send", "--json", code=1))


# ---- the machine
def test_a_sqlite_that_is_too_old(server: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    assert wrong(server, "--no-send") == ["sqlite"]


@pytest.mark.parametrize(("version", "advised"), [((3, 40, 1), True), ((3, 51, 3), False)])
def test_a_sqlite_with_the_wal_bug_is_told_and_not_wrong(
    server: Terminal, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], advised: bool
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    assert bool(checks(server, "--no-send")["sqlite"]["advice"]) == advised


def test_a_folder_that_cannot_be_written(server: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert wrong(server, "--no-send") == ["folder"]


@pytest.mark.parametrize(("least_bytes", "least_files"), [(2**62, 0), (0, 2**62)])
def test_a_disk_that_is_nearly_full(
    server: Terminal, monkeypatch: pytest.MonkeyPatch, least_bytes: int, least_files: int
) -> None:
    monkeypatch.setattr(machine, "LEAST_BYTES", least_bytes)
    monkeypatch.setattr(machine, "LEAST_FILES", least_files)
    assert wrong(server, "--no-send") == ["disk"]
    assert "make room on the disk of" in checks(server, "--no-send", code=1)["disk"]["advice"]


@pytest.mark.parametrize("name", ["felix.db", "felix.db.lock", "before-the-update.db"])
def test_files_with_hidden_cards_that_others_can_read(server: Terminal, name: str) -> None:
    if name.startswith("before"):
        shutil.copy("felix.db", name)
    Path("other.txt").touch(mode=0o644)
    os.chmod(name, 0o644)
    assert wrong(server, "--no-send") == ["file modes"]
    found = checks(server, "--no-send", code=1)["file modes"]
    assert found["found"].startswith(f"{name} has 0644")
    assert found["advice"].startswith(f"others may read it: chmod 600 {name}")
    assert "other.txt" not in found["found"]


@pytest.mark.parametrize(
    "secret", ['password = "x"', '[alerts]\n"a@x.test" = ["ntfys://x/y"]', '[fetch]\npassword = "x"']
)
def test_settings_with_a_password_that_others_can_read(
    server: Terminal, mail_server: int, secret: str
) -> None:
    os.chmod("felix.toml", 0o644)
    server.run("doctor", "--no-send")
    settings(mail_server, in_send=secret)
    assert wrong(server, "--no-send") == ["file modes"]
    os.chmod("felix.toml", 0o600)
    server.run("doctor", "--no-send")


def test_a_password_file_that_others_can_read(server: Terminal, mail_server: int) -> None:
    Path("secret").touch(mode=0o644)
    settings(mail_server, in_send='password_file = "secret"')
    assert wrong(server, "--no-send") == ["file modes"]


# ---- the database
def test_a_database_that_is_foreign(server: Terminal) -> None:
    Path("felix.db").write_bytes(b"something else entirely" * 1000)
    assert wrong(server, "--no-send") == ["database"]


def test_a_database_that_is_damaged(server: Terminal) -> None:
    for _ in range(20):
        server.new("Anna", "Ben", "Cara")
    data = bytearray(Path("felix.db").read_bytes())
    for page in range(3, len(data) // 4096):
        data[page * 4096 : page * 4096 + 8] = b"\xff" * 8
    Path("felix.db").write_bytes(data)
    found = checks(server, "--no-send", code=1)
    damaged = [check for check in found.values() if not check["well"]]
    assert damaged
    assert all("damaged" in check["found"] for check in damaged if check["what"] in ("integrity", "database"))


def test_an_event_that_was_changed_is_named(server: Terminal) -> None:
    game_id = server.new("Anna", "Ben", "Cara")
    damage_event(Path("felix.db"), game_id, 2)
    found = checks(server, "--no-send", code=1)
    assert [what for what, check in found.items() if not check["well"]] == ["logs"]
    assert found["logs"]["found"] == f"game {game_id}: event 2 is not what was written"
    assert "restore a backup" in found["logs"]["advice"]


def test_an_end_of_a_log_that_is_missing_is_named(server: Terminal) -> None:
    game_id = server.new("Anna", "Ben", "Cara")
    with closing(sqlite3.connect("felix.db")) as connection, connection:
        connection.execute("DROP TRIGGER events_no_delete")
        connection.execute("DELETE FROM events WHERE version = (SELECT max(version) FROM events)")
        (size,) = connection.execute("SELECT size FROM games").fetchone()
    found = checks(server, "--no-send", code=1)["logs"]["found"]
    assert found == f"game {game_id}: event {size} is missing"


def test_the_logs_of_a_large_database_are_looked_at_for_a_while_only(server: Terminal) -> None:
    for _ in range(2):
        server.new("Anna", "Ben", "Cara")
    check = database.look_at_hashes(Path("felix.db"), seconds=0)
    assert check.well
    assert check.found == "0 of 2 are what was written, as many as 0 s allow"


def test_a_large_database_is_looked_through_for_a_while_only(
    server: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect("felix.db")) as connection:
        connection.execute(
            "CREATE TABLE much AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
            " LIMIT 100000) SELECT i, hex(i) FROM n"
        )
        connection.commit()
    monkeypatch.setattr(database, "_STEPS", 1)
    check = database.look_through(Path("felix.db"), seconds=0)
    assert (check.well, check.found) == (True, "nothing wrong in what could be looked through in 0 s")
    assert database.look_through(Path("felix.db")).found.startswith("whole")


@pytest.mark.parametrize("with_mail", [True, False])
def test_a_clock_that_runs_behind_what_was_written_down(
    server: Terminal, monkeypatch: pytest.MonkeyPatch, with_mail: bool
) -> None:
    if with_mail:
        store = SqliteStore.open_to_write(Path("felix.db"))
        with store.write() as tx:
            tx.keep_mail("2999-01-01T00:00:00.000000Z", "x", "y", b"")
        store.close()
    else:
        server.new("Anna", "Ben", "Cara")
        monkeypatch.setattr(clock, "system_clock", lambda: datetime(2020, 1, 1, tzinfo=UTC))
    assert wrong(server, "--no-send") == ["clock"]


def test_letters_that_were_given_up_and_mail_in_quarantine(server: Terminal) -> None:
    store = SqliteStore.open_to_write(Path("felix.db"))
    with store.write() as tx:
        letter = Letter("k7m2p", 0, "a@x.test", "<1@x>", b"", LONG_AGO, LONG_AGO)
        tx.mark_letter(tx.freeze(letter), "failed", next_at=LONG_AGO)
        tx.keep_mail(LONG_AGO, "felix@x.test", "a@x.test", b"")
        tx.settle_mail(tx.keep_mail(LONG_AGO, "x", "y", b""), "quarantined")
        tx.add_player("anna", "a@x.test")
        tx.note_address(AddressRow("a@x.test", "anna", 6.0, LONG_AGO, "bounces"))
    store.close()
    assert wrong(server, "--no-send") == ["letters"]
    found = checks(server, "--no-send", code=1)
    assert found["letters"]["found"] == "0 to be sent, 1 given up"
    assert found["inbox"]["found"] == "1 message waiting, 1 in quarantine"
    assert found["addresses"]["found"] == "1 blocked"


def test_people_who_play_nowhere_are_counted_and_the_operator_is_told_what_to_do(server: Terminal) -> None:
    store = SqliteStore.open_to_write(Path("felix.db"))
    with store.write() as tx:
        for note in (f"{STRANGER}; no answer, because invitations.open is off", "the same as mail 7"):
            tx.settle_mail(
                tx.keep_mail(LONG_AGO, "felix@x.test", "zoe@x.test", b""), "quarantined", note=note
            )
    store.close()
    inbox = checks(server, "--no-send")["inbox"]
    assert inbox["found"] == "0 messages waiting, 2 in quarantine, 1 of them from nobody who plays here"
    assert "invitations.open" in inbox["advice"]
    assert "felix new" in inbox["advice"]


def test_strangers_without_a_server_that_vouches_are_wrong_settings(server: Terminal) -> None:
    with (server.folder / "felix.toml").open("a", encoding="utf-8") as file:
        file.write("\n[invitations]\nopen = true\n")
    found = checks(server, "--no-send", code=1)["settings"]
    assert "invitations.open: this needs receive.authserv_id" in found["found"]


def test_short_notices_need_their_library(
    server: Terminal, mail_server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(mail_server, more='[alerts]\n"a@x.test" = ["ntfys://ntfy.example.org/very-secret"]')
    text = server.run("doctor", "--no-send")
    assert "alerts: for 1 addresses" in text
    assert "very-secret" not in text
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert wrong(server, "--no-send") == ["alerts"]


def test_the_checks_look_at_nothing_where_the_folder_is_gone() -> None:
    gone = Settings(database=Path("nowhere/felix.db"))
    assert not machine.look_at_disk(gone.database).well
    assert machine.look_at_files(gone, Path("nowhere/felix.toml")).well


@pytest.mark.parametrize("operator", ["you@example.org", "me@mail.example.com"])
def test_an_operator_whom_no_mail_reaches_is_wrong(terminal: Terminal, operator: str) -> None:
    (terminal.folder / "felix.toml").write_text(f'operator = "{operator}"\n', encoding="utf-8")
    (check,) = [c for c in terminal.json("doctor", "--no-send", code=1) if c["what"] == "operator"]
    assert (check["well"], check["found"]) == (False, operator)
    assert "put your own address there" in check["advice"]


# ---- a clock that was ahead once
def ahead(server: Terminal, at: str = "2999-01-01T00:00:00.000000Z") -> None:
    """felix was alive at this time."""
    with closing(SqliteStore.open_to_write(Path("felix.db"))) as store, store.write() as tx:
        tx.beat(at)


def test_the_clock_that_felix_last_saw_is_shown_with_a_way_out(server: Terminal) -> None:
    ahead(server)
    found = checks(server, "--clock", code=1)
    assert list(found) == ["clock", "heartbeat", "logs"]
    assert "felix serve was last alive at 2999-01-01T00:00:00.000000Z" in found["heartbeat"]["found"]
    assert "felix doctor --clock --today 20" in found["heartbeat"]["advice"]


@freeze_time("2026-12-01T12:00:00", tick=True)
def test_whoever_names_the_day_lets_what_is_due_go_on(server: Terminal) -> None:
    ahead(server)
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    result = server.invoke("doctor", "--clock", "--today", today)
    assert result.exit_code == 0
    assert "is due again." in result.stderr
    assert checks(server, "--clock")["heartbeat"]["well"]


def test_another_day_than_the_machines_changes_nothing(server: Terminal) -> None:
    ahead(server)
    before = dump(Path("felix.db"))
    assert "set it right, or name its day" in server.refused("doctor", "--clock", "--today", "2026-01-01")
    assert dump(Path("felix.db")) == before


def test_the_day_alone_confirms_nothing(server: Terminal) -> None:
    assert "--today belongs to --clock." in server.refused("doctor", "--today", "2026-01-01", code=2)


@freeze_time("2026-12-01T12:00:00", tick=True)
def test_a_clock_that_was_never_ahead_needs_nothing(server: Terminal) -> None:
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    assert "nothing was changed" in server.invoke("doctor", "--clock", "--today", today).stderr


def test_a_trigger_that_is_gone_is_named(server: Terminal) -> None:
    with closing(sqlite3.connect("felix.db")) as connection, connection:
        connection.execute("DROP TRIGGER events_no_delete")
    found = {check["what"]: check for check in server.json("doctor", "--no-send", code=1)}
    assert found["schema"]["found"] == "not as felix makes it: trigger events_no_delete"
