"""The number of the reader: no text reads otherwise without it being raised."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from felix_async.meaning.situation import Situation
from felix_cli.situations import Case
from meaning.pinned import KEPT, WRITE, Pinned, corpora, keep, kept_in, name_of, pin, trouble

TEXTS = {"a": "7 please", "b": "nah im out"}


READ_ALL = """
from dataclasses import replace
from felix_async.meaning.meaning import meaning_of
from meaning.pinned import corpora
for case in corpora():
    for situation in (case.situation, replace(case.situation, decision="inviting")):
        print(meaning_of(case.text.splitlines(), situation))
"""


def pinned(grammar: int, **readings: str) -> Pinned:
    return Pinned(grammar, readings)


@pytest.mark.skipif(not KEPT.exists(), reason="nothing is kept yet: run `make grammar`")
@pytest.mark.parametrize("few", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_every_text_reads_as_it_is_kept(few: int) -> None:
    """Each is kept; of their hashes one in so many is looked at, and a hash is as good as a die."""
    cases = {name_of(case): case for case in corpora()}
    kept = kept_in()
    assert cases.keys() == kept.readings.keys(), WRITE
    looked_at = [name for name in sorted(cases) if int(name, 16) % few == 0]
    some = Pinned(kept.grammar, {name: kept.readings[name] for name in looked_at})
    now = pin(cases[name] for name in looked_at)
    told = trouble(some, now, {name: case.text for name, case in cases.items()})
    assert not told, told


@pytest.mark.slow
def test_a_text_reads_the_same_whatever_the_order_of_a_set_is() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", READ_ALL],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])},
        ).stdout
        for seed in ("1", "3")
    ]
    assert told[0] == told[1] != ""


def test_readings_that_are_as_they_are_kept_are_no_trouble() -> None:
    assert trouble(pinned(1, a="x", b="y"), pinned(1, a="x", b="y"), TEXTS) == ""


def test_a_text_that_reads_otherwise_wants_another_number() -> None:
    told = trouble(pinned(1, a="x", b="y"), pinned(1, a="x", b="z"), TEXTS)
    assert "raise GRAMMAR" in told
    assert "'nah im out'" in told


@pytest.mark.parametrize(
    "now",
    [
        pinned(2, a="x", b="z"),
        pinned(2, a="x", b="y"),
        pinned(1, a="x", b="y", c="z"),
        pinned(1, a="x"),
    ],
)
def test_what_is_kept_is_written_anew_for_another_number_or_other_texts(now: Pinned) -> None:
    assert "make grammar" in trouble(pinned(1, a="x", b="y"), now, TEXTS)
    assert "raise" not in trouble(pinned(1, a="x", b="y"), now, TEXTS)


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    keep(pinned(3, b="y", a="x"), tmp_path / "readings.txt")
    assert (tmp_path / "readings.txt").read_text() == "grammar 3\na x\nb y\n"
    assert kept_in(tmp_path / "readings.txt") == pinned(3, a="x", b="y")


def test_a_text_is_kept_by_itself_and_by_its_situation() -> None:
    bidding = Situation("bidding", mice=10, high=4, least=5, most=10)
    texts = [Case(bidding, "7"), Case(bidding, "8"), Case(Situation("placing", plays=(5, 8)), "8")]
    assert len({name_of(case) for case in texts}) == 3


def test_a_reading_is_what_is_done_and_asked() -> None:
    bidding = Situation("bidding", mice=10, high=4, least=5, most=10)
    one, other, again = Case(bidding, "BID 7"), Case(bidding, "BID 8"), Case(bidding, "BID 7\n> BID 8")
    readings = pin([one, other, again]).readings
    assert readings[name_of(one)] == readings[name_of(again)] != readings[name_of(other)]
