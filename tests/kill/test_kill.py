"""`kill -9` while appending loses nothing that was acknowledged, and nothing is there twice.

`make test-kill ROUNDS=200` sets KILL_ROUNDS; KILL_SEED repeats the moments of an earlier run, as far as a
machine can.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from random import SystemRandom

from kill.kill_appending import kill_often

ROUNDS = int(os.environ.get("KILL_ROUNDS", "3"))
SEED = int(os.environ.get("KILL_SEED", SystemRandom().randrange(10**9)))


def test_a_killed_process_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    witness = kill_often(tmp_path / "felix.db", ROUNDS, SEED)
    assert sum(witness.moments.values()) >= ROUNDS - len(witness.opened)
    assert len(witness.done) >= ROUNDS - len(witness.opened)
    with closing(sqlite3.connect(tmp_path / "felix.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
