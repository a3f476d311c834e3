"""Each text of the three people, read by itself: done as it is meant, and none done that makes no move."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from felix_async.meaning.meaning import meaning_of
from felix_async.reading.reader import read_text
from people.worded import Worded, worded

pytestmark = pytest.mark.slow

MOST_UNREAD = 0.04
SEEDS = ("a", "b", "c")


def test_hardly_any_move_in_words_is_not_read() -> None:
    moves = [one for one in _all() if one.do is not None]
    unread = [one for one in moves if _done(one) == ""]
    assert len(unread) <= MOST_UNREAD * len(moves), unread


def test_no_other_move_is_read_than_the_one_that_is_meant() -> None:
    assert not [(one, _done(one)) for one in _all() if _done(one) not in ("", str(one.do))]


def _all() -> list[Worded]:
    return [one for seed in SEEDS for one in worded(seed)]


@cache
def _done(one: Worded) -> str:
    """The move that is read, '' if none is."""
    lines = [line.text for line in read_text(one.text) if line.place == "written"]
    do = meaning_of(lines, one.before).do
    # A card for the next round is what the texts of two kinds have besides.
    return "" if do is None else str(replace(do, next=None))
