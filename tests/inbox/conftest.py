"""What many tests of the inbox begin with: a table, a store in memory, and an office for fetched mail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from felix_events.store.base import Store
from felix_events.store.sqlite import SqliteStore
from inbox.fetching import Office
from inbox.postbag import Postbag, a_table


@pytest.fixture
def bag() -> Postbag:
    """Four people are invited, and nobody has answered."""
    return a_table()


@pytest.fixture
def store() -> Iterator[Store]:
    kept = SqliteStore.in_memory()
    yield kept
    kept.close()


@pytest.fixture
def office() -> Iterator[Office]:
    opened = Office()
    yield opened
    opened.writer.close()
