"""`kill -9` while time passes: nobody is reminded or timed out twice, no outage costs anybody time, orders
out of plain words are done once, and what follows from orders in advance is done as a whole.

`make test-kill ROUNDS=200` sets KILL_ROUNDS; KILL_SEED repeats the choices of an earlier run, as far as a
machine can.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import SystemRandom

import pytest

from kill.kill_ticking import START, kill_often

MANY = 50
ROUNDS = int(os.environ.get("KILL_ROUNDS", "10"))
SEED = int(os.environ.get("KILL_SEED", SystemRandom().randrange(10**9)))


@pytest.mark.slow
def test_a_process_that_is_killed_as_time_passes_does_nothing_twice(tmp_path: Path) -> None:
    vigil = kill_often(tmp_path / "felix.db", ROUNDS, SEED)
    assert vigil.now > START
    # Of a few kills, none may fall upon a reminder or an outage.
    assert ROUNDS < MANY or (vigil.found["reminders"] and len(vigil.outages) >= ROUNDS // 10)
    assert ROUNDS < MANY or {"taken: yes", "taken: no", "taken: open"} <= vigil.found.keys()
    assert ROUNDS < MANY or vigil.found["moves in a chain"] > 3
