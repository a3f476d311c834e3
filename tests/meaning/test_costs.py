"""What reading costs, counted in calls and not in seconds: bounded, whatever stands in a mail."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any, Final

import pytest

from each import each
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import Situation
from felix_cli.situations import cases_in
from meaning.pinned import FOLDER

BIDDING: Final = Situation(
    "bidding", mice=15, high=6, least=7, most=15, high_bidder="Dan", names=("Anna", "Cara", "Dan")
)
PLACING: Final = Situation(
    "placing",
    plays=(-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog"),
    mice=15,
    names=("Anna", "Cara", "Dan"),
)
LINE: Final = 400
LINES: Final = 50
ESSAY: Final = 300
"""Lines of a text that goes on and on."""
MOST: Final = 50
"""So many ordinary answers may the costliest text cost: it has eighty times as many words."""
MOST_CALLS: Final = 2500
"""Calls that an ordinary answer may cost: a good half of a millisecond on a small machine."""


HOSTILE: Final = (
    "7 8 9 10 11 12 ", "1", "-8 ", "minus ", "seven eight ", "7,", "7? ", "no wait, 8. ", "not ", "if ",
    "up to ", "one more ", "one more than ", "more than Dan ", "the ", "I'll bid ", "my fifteen or my ",
    "the dog ", "rabbit ", "🐰", "🐭 ", "5️⃣ ", "Dan ", "Dan, ", "tell Dan ", "say ", "a", "a ", "a. ", "a, ",
    "a\t", "'", '"', "“", "(", "((7) ", "-", "- ", "—", "@", "http://a.b/", "=8", "i'm i'm ", "please ",
    "keep this one for ", "what does the ", "if anyone goes to ", "pass if it goes above ", "x\u0301",
    "it's too rich for my ", "I would rather ", "how many mice ", "\u202e7", "~~7~~ ", "*7* ", "ha", "no ",
    "It was on day 7 of that long summer that I thought of cats, of dogs, and of the sea, and I went out.\n",
)  # fmt: skip
"""What is written over and over, to cost much."""


def calls(work: Callable[[], object]) -> int:
    """Count the calls that some work makes, of Python's and of C's functions."""
    count = 0

    def note(_frame: object, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def cost(lines: Sequence[str], situation: Situation) -> int:
    """Calls that it takes to find out what these lines mean."""
    return calls(lambda: meaning_of(lines, situation))


def a_page(unit: str, lines: int = LINES) -> list[str]:
    """So many lines of four hundred characters, over and over the same; shorter ones if it ends a line."""
    if unit.endswith("\n"):
        return [unit.strip()] * lines
    return [(unit * (LINE // len(unit) + 1))[:LINE]] * lines


@pytest.fixture(scope="module")
def ordinary() -> float:
    """Calls for an answer as our neighbours write them, once what is made for all texts is there."""
    cases = list(cases_in((FOLDER / "neighbours.jsonl").read_bytes().splitlines()))
    costs = [[cost(case.text.splitlines(), case.situation) for case in cases] for _ in range(2)]
    return mean(costs[-1])


def test_an_ordinary_answer_costs_few_calls(ordinary: float) -> None:
    assert ordinary <= MOST_CALLS


def test_the_tables_of_plain_words_are_read_when_the_first_text_is() -> None:
    program = (
        "import felix_async.language.words, felix_async.language.data as data\n"
        "def read(folder, file): raise AssertionError(file)\n"
        "data.read_table = read\n"
        "import felix_async.meaning.meaning\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.slow
@each("unit", HOSTILE)
def test_no_text_costs_more_than_so_many_ordinary_answers(unit: str, ordinary: float) -> None:
    for situation in (BIDDING, PLACING):
        assert cost(a_page(unit), situation) <= MOST * ordinary


@pytest.mark.slow
@each("unit", HOSTILE)
def test_what_is_longer_than_any_answer_costs_no_more(unit: str) -> None:
    for situation in (BIDDING, PLACING):
        assert cost(a_page(unit, 4 * ESSAY), situation) <= 1.2 * cost(a_page(unit, ESSAY), situation)
