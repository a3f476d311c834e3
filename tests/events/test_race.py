"""Two processes want the same version of a log: one gets it, the other the next."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from felix_events.store.sqlite import SqliteStore
from felix_events.tree import extend, leaf

ROUNDS = 60
RACER = Path(__file__).with_name("racer.py")


class Racer:
    """A process at the other end of two pipes."""

    def __init__(self, path: Path, name: str) -> None:
        command = [sys.executable, str(RACER), str(path), name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def hear(self) -> list[str]:
        assert self.process.stdout is not None
        return self.process.stdout.readline().split()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    SqliteStore.create(tmp_path / "felix.db").close()
    return tmp_path / "felix.db"


@pytest.fixture
def racers(path: Path) -> Iterator[list[Racer]]:
    both = [Racer(path, "a"), Racer(path, "b")]
    yield both
    for racer in both:
        racer.process.communicate(timeout=60)
        assert racer.process.returncode == 0


def test_exactly_one_wins_each_version_and_the_other_the_next(racers: list[Racer], path: Path) -> None:
    for version in range(0, 2 * ROUNDS, 2):
        for racer in racers:
            racer.say("look")
        assert [racer.hear() for racer in racers] == [[str(version)]] * 2
        for racer in racers:
            racer.say("go")
        answers = [racer.hear() for racer in racers]
        assert sorted(answers) == [
            ["lost", str(version), str(version + 1)],
            ["won", str(version + 1)],
        ]
        loser = racers[0] if answers[0][0] == "lost" else racers[1]
        loser.say("again")
        assert loser.hear() == [str(version + 2)]
    with closing(SqliteStore.open_to_read(path)) as store, store.read() as reader:
        rows = reader.log("k7m2p")
    assert [row.version for row in rows] == list(range(1, 2 * ROUNDS + 1))
    assert sorted(row.body for row in rows) == sorted(
        f"{name}{tried}".encode() for name in "ab" for tried in range(1, ROUNDS + 1)
    )
    range_ = b""
    for row in rows:
        range_ = extend(range_, row.version - 1, leaf(row.body))
        assert row.range_ == range_
