"""What many tests of the inbox begin with: a table, a store in memory, and an office for fetched mail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from felix_events.store.base import Store
from felix_events.store.sqlite import SqliteStore
from inbox.clocked import kept_clocked_auction
from inbox.fetching import Office
from inbox.postbag import Postbag, a_table, kept_auction


@pytest.fixture(scope="session", autouse=True)
def kept_tables() -> None:
    """The tables that are copied are played before any test changes what they are played by."""
    kept_auction()
    kept_clocked_auction()


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
