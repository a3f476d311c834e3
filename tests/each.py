"""Many cases of one fact: in one test, which names all that fail, or some of them slow."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def each(
    names: str | Sequence[str], cases: Iterable[Any] | Callable[[], Iterable[Any]]
) -> Callable[[Test], Test]:
    """As `parametrize`, but one test: every case is tried, and all that fail are told together.

    For cases by the dozen that need nothing set up, since a test of its own costs more than most of them. A
    function that gives the cases is called as late as the test runs. Fixtures are the same for all cases.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)

    def loop(test: Test) -> Test:
        @wraps(test)
        def whole(**fixtures: Any) -> None:
            found: list[Exception] = []
            tried = 0
            for case in cases() if callable(cases) else cases:
                tried += 1
                values = dict(zip(keys, [case] if len(keys) == 1 else case, strict=True))
                try:
                    test(**fixtures, **values)
                except Exception as error:  # noqa: BLE001 - raised below, with all the others
                    error.add_note(f"in the case {case!r}")
                    found.append(error)
            assert tried, "there are no cases"
            if found:
                raise ExceptionGroup(f"{len(found)} of {tried} cases", found)

        given = inspect.signature(test)
        assert set(keys) <= given.parameters.keys()
        left = [parameter for name, parameter in given.parameters.items() if name not in keys]
        whole.__signature__ = given.replace(parameters=left)  # type: ignore[attr-defined]
        return whole

    return loop


def one_in(few: int, cases: Iterable[Any]) -> list[Any]:
    """Cases for `parametrize`: every so manieth, from the first, for `make test`; the others are slow."""
    every = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*case, marks=[pytest.mark.slow] if place % few else [])
        for place, case in enumerate(every)
    ]
