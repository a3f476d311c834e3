"""`kill -9` of a server at each step loses no mail, no move and no letter, and does nothing twice.

`make test-kill ROUNDS=200` sets KILL_ROUNDS; KILL_SEED repeats the choices of an earlier run, as far as a
machine can.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import SystemRandom

import pytest

from kill.kill_serving import MOMENTS, kill_often

MANY = 50
ROUNDS = int(os.environ.get("KILL_ROUNDS", "10"))
SEED = int(os.environ.get("KILL_SEED", SystemRandom().randrange(10**9)))


@pytest.mark.slow
def test_a_server_that_is_killed_at_every_step_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    siege = kill_often(tmp_path, ROUNDS, SEED)
    assert sum(siege.kills.values()) == ROUNDS
    assert len(siege.post.acknowledged) >= ROUNDS // 3
    assert set(siege.kills) == set(MOMENTS[:ROUNDS])
    assert siege.in_words >= siege.kills["paused"]
    assert siege.found["letter delivered, not marked"] >= siege.kills["delivered"]
    # A few kills are over before the first auction is.
    assert ROUNDS < MANY or siege.longest_chain > 1
