"""All games audited: by as many processes as cores, with the same reports in the same order."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from cli.terminal import Terminal, environment
from felix_cli import audit_workers
from felix_cli.audit_workers import audit_all
from felix_events.export import read_export
from felix_events.store.rows import GameRow, Sealed
from felix_events.store.sqlite import SqliteStore
from games import a_room
from kept_mails import a_kept_game, neomutt, rewritten

PAGE = 4096
PATIENCE = 60.0


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine games, the third and the fifth of which are not sound, and rows under an id that is no text."""
    path = tmp_path_factory.mktemp("auditing") / "felix.db"
    with closing(SqliteStore.create(path)) as store:
        room = a_room("auditing", store)
        for number in range(9):
            game_id = room.open(3, start=0, command_id=f"create/{number}")
            room.join_all(game_id)
        room.play(game_id)
        room.enter_mails()
    third, fifth = sorted(games_in(path))[2:5:2]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET range = x'00' WHERE game_id = ? AND version = 7", (third,))
        connection.execute("UPDATE games SET size = 999 WHERE game_id = ?", (fifth,))
        connection.execute(
            "UPDATE events SET game_id = CAST(x'6bff6161' AS TEXT) WHERE version = 8 AND game_id = ?",
            (fifth,),
        )
    return path


def games_in(path: Path) -> list[str]:
    with closing(SqliteStore.open_to_read(path)) as store, store.read() as reader:
        return reader.logs()


def test_two_processes_report_what_one_does_in_the_same_order(database: Path) -> None:
    game_ids = games_in(database)
    alone = list(audit_all(database, game_ids, 1))
    assert list(audit_all(database, game_ids, 2)) == alone
    assert [len(report.findings) > 0 for report in alone].count(True) == 3


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_command_says_the_same_with_two_processes(
    terminal: Terminal, database: Path, monkeypatch: pytest.MonkeyPatch, form: list[str]
) -> None:
    def told() -> tuple[str, str, int]:
        result = terminal.invoke("audit", "--all", *form, "--db", database)
        return result.stdout, result.stderr, result.exit_code

    monkeypatch.setattr(audit_workers, "_cores", lambda: 2)
    alone = told()
    monkeypatch.setattr(audit_workers, "WORTH_IT", 2)
    assert told() == alone
    assert alone[2] == 1


@pytest.mark.parametrize(("cores", "worth_it"), [(1, 1), (2, 11)])
def test_one_core_or_few_games_need_no_other_process(
    database: Path, monkeypatch: pytest.MonkeyPatch, cores: int, worth_it: int
) -> None:
    monkeypatch.setattr(audit_workers, "ProcessPoolExecutor", None)
    monkeypatch.setattr(audit_workers, "_cores", lambda: cores)
    monkeypatch.setattr(audit_workers, "WORTH_IT", worth_it)
    assert len(list(audit_all(database, games_in(database)))) == 10


def test_a_database_that_goes_away_meanwhile_is_said_once(
    terminal: Terminal, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processes open it for themselves, by the name that was given."""
    Path("felix.db").write_bytes(database.read_bytes())
    monkeypatch.setattr(audit_workers, "_cores", lambda: 2)
    monkeypatch.setattr(audit_workers, "WORTH_IT", 2)

    def gone(path: Path, game_ids: list[str]) -> object:
        path.write_bytes(path.read_bytes()[:PAGE] + b"\xff" * PAGE * 4)
        return audit_all(path, game_ids)

    monkeypatch.setattr("felix_cli.records.audit_all", gone)
    assert terminal.refused("audit", "--all", code=2) == "felix.db is damaged; restore a backup."


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left_behind(database: Path, number: signal.Signals) -> None:
    program = (
        "import signal, sys\n"
        "from pathlib import Path\n"
        "from felix_cli.audit_workers import audit_all\n"
        f"for report in audit_all(Path({str(database)!r}), {games_in(database)}, 2):\n"
        "    print(report.game_id, flush=True)\n"
        "    signal.pause()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline()
            process.send_signal(number)
            process.wait(PATIENCE)
            assert ended(process.pid)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def ended(group: int) -> bool:
    """Return True if nobody of this process group is left, or soon will be."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_a_damaged_page_is_a_finding_of_its_game_alone(terminal: Terminal, database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        game_id, body = connection.execute(
            "SELECT game_id, body FROM events JOIN games USING (game_id)"
            " WHERE state = 'ended' AND version = 90"
        ).fetchone()
    data = bytearray(database.read_bytes())
    page = data.index(body) // PAGE * PAGE
    data[page : page + 8] = b"\xff" * 8
    Path("felix.db").write_bytes(data)
    before = terminal.invoke("audit", "--all", "--db", database).stdout.splitlines()
    result = terminal.invoke("audit", "--all")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert f"{game_id}: not sound" in lines
    assert (
        "  version 1: bytes: expected pages of the database that can be read, found damaged ones;"
        in result.stdout
    )
    assert {line for line in lines if ": sound" in line} == {
        line for line in before if ": sound" in line and not line.startswith(game_id)
    }


def test_events_of_a_later_felix_are_told_in_a_sentence(terminal: Terminal) -> None:
    data = rewritten(a_kept_game().data, lambda events, _: events[59].update(schema=9))
    Path("later.jsonl").write_bytes(data)
    why = "This felix does not know an event of this log (version 60: "
    for words in (["audit"], ["audit", "--json"], ["import"]):
        told = terminal.refused(*words, "later.jsonl", code=2)
        assert told.startswith(why)
        assert told.endswith("; if a newer felix wrote it, look with that.")
    Path("box").write_bytes(neomutt(a_kept_game().mailbox(0)))
    told = terminal.refused("audit", "later.jsonl", "--mail", "box", code=2)
    assert told.endswith(". No message was held against it.")
    export = read_export(data)
    game_id = export.header.game_id
    with closing(SqliteStore.create(Path("felix.db"))) as store, store.write() as tx:
        tx.add_game(GameRow(game_id, "Demo table", "imported", "2026-11-20T21:00:00.000000Z", None))
        tx.append(game_id, 0, [Sealed(body, None) for body in export.bodies])
        tx.note_game(game_id, "finished", len(export.bodies))
    looked = terminal.invoke("audit", "--all", "--db", "felix.db")
    assert looked.exit_code == 2
    assert f"{game_id}: not checked: {why}" in looked.stdout
    assert looked.stderr == "1 game, none with findings, 1 with events that this felix does not know.\n"
    (told,) = terminal.json("audit", "--all", "--db", "felix.db", code=2)
    assert (told["sound"], told["findings"]) == (False, [])
    assert terminal.refused("audit", game_id, "--db", "felix.db", code=2).startswith(why)
