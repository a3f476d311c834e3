"""Small simulated years for the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from felix_cli.simulate import SeededEntropy
from felix_cli.year.answering import DEFAULT, Ways
from felix_cli.year.calendar import Year, a_year
from felix_cli.year.tally import Tally
from felix_events.store.sqlite import SqliteStore


def played(
    folder: Path,
    *,
    days: int = 40,
    games: int = 6,
    seed: str = "1",
    until: Callable[[Tally], int] | None = None,
    ways: Ways = DEFAULT,
    players: int | None = None,
) -> Year:
    """A year to its end, or `until` something is counted; its database is year.db in the folder."""
    store = SqliteStore.create(folder / "year.db")
    try:
        year = a_year(
            store, days=days, games=games, seed=seed, entropy=SeededEntropy(seed), ways=ways, players=players
        )
        for _ in year.run():
            if until is not None and until(year.world.tally):
                break
    finally:
        store.close()
    return year
