"""A simulated year: what must not happen does not, sabotage is counted, and a seed gives it again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import Terminal
from cli.years import played
from felix_async.schedule import tick as scheduler
from felix_async.service import Service
from felix_cli.year.report import WRONG
from felix_cli.year.tally import Tally
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Due, NoticeRow
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.outbox import claim, decision

pytestmark = pytest.mark.slow

KEYS = {
    "answers_per_player",
    "spared_per_player",
    "games",
    "ended",
    "reminders",
    "twice",
    "after_move",
    "in_quiet_hours",
    "deadlines_missed",
    "days_per_game",
    "stops_per_game",
}


@pytest.fixture(autouse=True)
def quiet_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)


@pytest.fixture(scope="module", params=[6, 20])
def spring(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Terminal, dict[str, Any]]:
    """Two months of so many games; the folder with their database, and what was told of them."""
    folder = tmp_path_factory.mktemp("year")
    terminal = Terminal(folder)
    words = ["simulate", "--calendar", 60, "--games", request.param, "--seed", 1, "--db", folder / "year.db"]
    return terminal, terminal.json(*words)


def test_nobody_is_nagged_and_no_deadline_is_missed(spring: tuple[Terminal, dict[str, Any]]) -> None:
    _, told = spring
    assert {name: told[name] for name in WRONG} == dict.fromkeys(WRONG, 0)
    assert told.keys() >= KEYS
    assert told["reminders"] > 5 * told["games"], "or there was nothing to get wrong"
    assert told["time_outs"] > told["games"] / 2


def test_every_game_ends(spring: tuple[Terminal, dict[str, Any]]) -> None:
    terminal, told = spring
    assert told["games"] == told["ended"] >= 6
    games = terminal.json("games", "--db", terminal.folder / "year.db")
    assert {game["state"] for game in games} <= {"ended", "abandoned"}


def test_every_game_of_it_is_sound(spring: tuple[Terminal, dict[str, Any]]) -> None:
    terminal, _ = spring
    terminal.run("audit", "--all", "--db", terminal.folder / "year.db")


def test_nothing_is_left_to_do_or_to_send(spring: tuple[Terminal, dict[str, Any]]) -> None:
    store = SqliteStore.open_to_read(spring[0].folder / "year.db")
    with store.read() as reader:
        assert reader.due("9999", 10) == []
        assert reader.pending("9999") == []
        assert (reader.backlog().new, reader.backlog().ready) == (0, 0)
        assert all(row.address.endswith(".invalid") for row in reader.addresses())
    store.close()


def test_a_database_with_games_is_left_alone(spring: tuple[Terminal, dict[str, Any]]) -> None:
    terminal, _ = spring
    sentence = terminal.refused("simulate", "--calendar", 60, "--db", terminal.folder / "year.db")
    assert "holds games; name a new file" in sentence


def test_the_same_seed_gives_the_same_year(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = (played(tmp_path / name, days=30, games=3) for name in ("one", "two"))
    assert one.result() == two.result()
    assert one.world.tally.events["game_created"] == 3


def test_figures_in_words_say_each_of_them(tmp_path: Path) -> None:
    told = Terminal(tmp_path).run(
        "simulate", "--calendar", 30, "--games", 1, "--seed", 4, "--db", tmp_path / "year.db"
    )
    assert "games that are over" in told
    assert "deadlines missed" in told


# ---- sabotage ---------------------------------------------------------------------------------------
def is_counted(folder: Path, wrong: Callable[[Tally], int], *, days: int = 40, games: int = 6) -> bool:
    """Return True if that goes wrong in a year, which need not go on then."""
    return wrong(played(folder, days=days, games=games, until=wrong).world.tally) > 0


def test_a_scheduler_that_knows_no_quiet_hours_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (scheduler, decision):
        monkeypatch.setattr(module, "quiet_until", lambda *_: None)
    assert is_counted(tmp_path, lambda tally: tally.in_quiet_hours)


def test_a_scheduler_that_owes_twice_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remind = scheduler._remind

    def remind_twice(tx: Tx, service: Service, row: Due, now: str) -> None:
        remind(tx, service, row, now)
        for notice in tx.notices(row.game_id):
            if notice.kind == "reminder" and notice.version > 0:
                tx.enqueue(replace(notice, version=-notice.version))

    monkeypatch.setattr(scheduler, "_remind", remind_twice)
    assert is_counted(tmp_path, lambda tally: tally.twice)


def test_a_post_that_tells_what_is_stale_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_reader: Reader, _notice: NoticeRow, _game: object, _now: str) -> bool:
        return False

    for module in (claim, decision):
        monkeypatch.setattr(module, "is_stale", never)
    assert is_counted(tmp_path, lambda tally: tally.after_move, days=60, games=12)


def test_a_scheduler_that_forgets_deadlines_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forget(tx: Tx, _service: Service, row: Due, _until: str, _last: str) -> bool:
        tx.clear_due(row)
        return True

    monkeypatch.setattr(scheduler, "_time_out", forget)
    assert is_counted(tmp_path, lambda tally: tally.deadlines_missed)


def test_a_whole_year(tmp_path: Path) -> None:
    terminal, database = Terminal(tmp_path), tmp_path / "year.db"
    told = terminal.json("simulate", "--calendar", 365, "--games", 100, "--seed", 1, "--db", database)
    assert {name: told[name] for name in WRONG} == dict.fromkeys(WRONG, 0)
    assert told["games"] == told["ended"] == 100
    terminal.run("audit", "--all", "--db", database)
