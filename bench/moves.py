"""A move by mail where nobody has said anything in advance, by this felix and by an older one.

Both play whole games with nobody at the mail's end, each in a process of its own: what is measured is the
transaction. The older one is taken out of this repository's history.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from bench.letters import ROOT, search_path
from bench.measure import Round, Rounds

BEFORE_ORDERS: Final = "bf20a51"
"""The commit that felix is measured beside: the last in which nobody could say anything in advance."""
_TURNS: Final = 4


def move_rounds(folder: Path, older: Path) -> Rounds:
    """Rounds of the row: seconds of processor time for one move on each side; who goes first changes."""
    with ExitStack() as stack:
        felix, yardstick = (
            stack.enter_context(_playing(tree, folder / name))
            for tree, name in ((ROOT, "moves-now"), (older, "moves-then"))
        )
        for number in count():
            used: dict[str, list[float]] = {"felix": [], "yardstick": []}
            for turn in range(_TURNS):
                sides = {"felix": felix, "yardstick": yardstick}
                for name in sorted(sides, reverse=bool((number + turn) % 2)):
                    used[name].append(_play(sides[name]))
            yield Round(sum(used["felix"]) / _TURNS, sum(used["yardstick"]) / _TURNS)


def _play(process: subprocess.Popen[str]) -> float:
    """The seconds for one of the next moves."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    seconds, moves = process.stdout.readline().split()
    return float(seconds) / int(moves)


@contextmanager
def _playing(tree: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A felix out of this tree that waits for lines."""
    folder.mkdir()
    command = [sys.executable, "-P", str(Path(__file__).with_name("moved.py")), str(folder)]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": search_path(tree)},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
