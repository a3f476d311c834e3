"""How the tests try many cases in one: all of them, and whatever fails is named."""

from __future__ import annotations

import inspect

import pytest

from each import each


def test_all_that_fail_are_told_with_their_cases() -> None:
    @each("number", range(10))
    def is_no_multiple_of_four(number: int) -> None:
        assert number % 4 != 0

    with pytest.raises(ExceptionGroup, match="3 of 10 cases") as caught:
        is_no_multiple_of_four()
    assert [error.__notes__ for error in caught.value.exceptions] == [
        [f"in the case {number}"] for number in (0, 4, 8)
    ]


def test_cases_may_be_pairs_of_pairs_beside_fixtures() -> None:
    tried: list[object] = []

    @each("one", lambda: ["a", "b"])
    @each(("two", "three"), [(1, 2), (3, 4)])
    def is_tried(one: str, two: int, three: int, given: object) -> None:
        tried.append((one, two, three, given))

    assert list(inspect.signature(is_tried).parameters) == ["given"]
    is_tried(given=None)
    assert tried == [("a", 1, 2, None), ("a", 3, 4, None), ("b", 1, 2, None), ("b", 3, 4, None)]


def test_no_cases_prove_nothing() -> None:
    @each("case", [])
    def is_tried(case: object) -> None: ...

    with pytest.raises(AssertionError, match="there are no cases"):
        is_tried()
