"""A database of an older felix, met by the commands of this one."""

from __future__ import annotations

import io
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from freezegun import freeze_time

from cli.terminal import Terminal
from events.older import an_old_database, bytes_in
from felix_cli import upgrade
from felix_cli.claim import claim
from felix_cli.upgrade import Telling
from felix_events.store import updating as store_updating


@pytest.fixture
def old(terminal: Terminal) -> Terminal:
    """A terminal in a folder with an old felix.db."""
    an_old_database(Path("felix.db"))
    return terminal


def test_a_command_that_reads_says_what_to_do(old: Terminal) -> None:
    before = Path("felix.db").read_bytes()
    said = old.refused("games")
    assert said == "felix.db is from an older felix; run `felix init --db felix.db` to bring it up to date."
    assert Path("felix.db").read_bytes() == before


def test_init_brings_it_up_to_date(old: Terminal) -> None:
    before = bytes_in(Path("felix.db"))
    result = old.invoke("init", "--db", "felix.db")
    assert result.exit_code == 0
    assert "as it was, it is kept as felix.db.before-m007." in result.stderr
    assert bytes_in(Path("felix.db.before-m007")) == before
    assert len(old.json("mail", "inbox", "list", "--limit", 99)) == 20
    assert not Path("felix.toml").exists()


def test_a_terminal_that_stops_it_hears_what_becomes_of_it(
    old: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store_updating, "keep_bytes", stop)
        result = old.invoke("init", "--db", "felix.db")
    assert result.exit_code == 1
    assert result.stderr.endswith(
        "Stopped. What was moved stays moved; run the same command again to go on.\n"
    )
    old.run("init", "--db", "felix.db")
    assert len(old.json("mail", "inbox", "list", "--limit", 99)) == 20


def test_the_doctor_says_that_the_copy_is_there_and_when_to_delete_it(old: Terminal) -> None:
    old.invoke("init", "--db", "felix.db")
    found = {check["what"]: check for check in json.loads(old.invoke("doctor", "--no-send", "--json").stdout)}
    assert found["old copy"]["found"].startswith("felix.db.before-m007: ")
    assert "delete it as soon as this felix works well" in found["old copy"]["advice"]
    assert "FORGET ME" in found["old copy"]["advice"]
    Path("felix.db.before-m007").unlink()
    assert '"old copy"' not in old.invoke("doctor", "--no-send", "--json").stdout


def test_a_command_that_writes_brings_it_up_to_date_first(old: Terminal) -> None:
    old.run("mail", "letters", "drop", 1)
    assert old.json("mail", "letters", "list", "--state", "dropped")[0]["letter_id"] == 1


def test_while_an_older_server_works_on_it_nothing_is_moved(old: Terminal) -> None:
    held = claim(Path("felix.db"))
    try:
        said = old.refused("mail", "letters", "drop", 1)
    finally:
        os.close(held)
    assert said == (
        "A felix server of an older version works on felix.db; stop it, and then do this once more."
    )
    assert not Path("felix.db.before-m007").exists()


def test_on_a_terminal_a_bar_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with Telling() as telling:
        telling.step("Packing letters", 50, 100)
        telling.step("Writing the file anew", 1, 0)
    assert "Writing the file anew" in screen.getvalue()


def test_elsewhere_there_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(upgrade, "LINE_SECONDS", 0)
    with Telling(note=said.append) as telling:
        telling.step("Packing letters", 50, 100)
        telling.step("Writing the file anew", 1, 0)
    assert said == ["Packing letters: 50 %", "Writing the file anew goes on"]


def test_elsewhere_there_is_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with Telling() as telling:
        telling.step("Packing letters", 50, 100)
    assert capsys.readouterr() == ("", "")


@freeze_time("2026-12-01T12:00:00", tick=True)
def test_nor_is_it_for_a_clock_that_is_set_back(old: Terminal) -> None:
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    held = claim(Path("felix.db"))
    try:
        said = old.refused("doctor", "--clock", "--today", today)
    finally:
        os.close(held)
    assert said.startswith("A felix server of an older version works on felix.db")
    assert not Path("felix.db.before-m007").exists()
