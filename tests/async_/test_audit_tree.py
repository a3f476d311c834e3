"""Any change of any value in any event, with nothing else made to fit: the tree finds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from async_.test_audit_forged import games
from each import one_in
from felix_events.model import BY_TYPE
from games import (
    Fields,
    forged,
    found,
)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all numbers, strings and so on within a JSON value."""
    if isinstance(value, dict) and value:
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list) and value:
        for place, item in enumerate(value):
            yield from leaves(item, (*path, place))
    else:
        yield path


def changed(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return ("1" if value[0] == "0" else "0") + value[1:]
        case _:
            return 1


@pytest.mark.parametrize("type_", one_in(4, BY_TYPE))
def test_any_value_of_any_event_changed_alone_is_found_by_the_tree(type_: str) -> None:
    played = next(played for played in reversed(games()) if played.versions(type_))
    version = played.versions(type_)[-1]

    def change_at(path: tuple[Any, ...], event: Fields) -> None:
        inner: Any = event
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = changed(inner[path[-1]])

    whole = played.envelopes[version - 1].model_dump(by_alias=True, exclude_none=True, serialize_as_any=True)
    for path in leaves(whole):
        evidence = forged(played.evidence, version, partial(change_at, path))
        evidence = replace(evidence, kept=played.evidence.kept)
        assert found(evidence)["tree"] == version, path
