"""A simulated year, from a seed to what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import fmean, median
from typing import Any, Final

from felix_async.follow_up.notices import Hours
from felix_async.service import Entropy
from felix_cli.year.answering import DEFAULT, Ways
from felix_cli.year.habits import Habits
from felix_cli.year.luck import Luck
from felix_cli.year.machine import a_machine
from felix_cli.year.people import a_person
from felix_cli.year.tables import plans
from felix_cli.year.tally import Table
from felix_cli.year.world import World, a_world
from felix_events.store.base import Store, Tx

FIRST_DAY: Final = datetime(2027, 10, 25, tzinfo=UTC)
"""A week before the clocks of Europe and America change; the year holds a 29th of February."""
_FEWEST_PEOPLE: Final = 14
_PEOPLE: Final = 0.6
"""People for each game: everybody sits at several tables."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Year:
    """A world that is about to run, and its people."""

    world: World
    habits: Habits
    days: int
    players: int | None
    """Seats at each table, None for three to five."""

    def run(self) -> Iterator[int]:
        """Day after day, until nothing more can happen; how many games are over after each."""
        # Games that were opened late end after the last day; one that never ends is told as such.
        last = FIRST_DAY + 3 * self.days * _DAY + 400 * _DAY
        for _ in self.world.run(last):
            yield sum(table.over is not None for table in self.world.tally.tables.values())
        self.world.tally.finish(self.world.machine.clock())

    def result(self) -> dict[str, Any]:
        """The figures, those of the games that came to a result as means and medians."""
        tally, machine = self.world.tally, self.world.machine
        tables = list(tally.tables.values())
        finished = [table for table in tables if table.has_result]
        return {
            "pace": self.habits.ways.pace,
            "habits": [round(100 * share) for share in (self.habits.ways.early, self.habits.ways.ahead)],
            "players": self.players,
            "games": len(tables),
            "ended": sum(table.over is not None for table in tables),
            "reminders": tally.reminders,
            "twice": tally.twice,
            "after_move": tally.after_move,
            "in_quiet_hours": tally.in_quiet_hours,
            "deadlines_missed": tally.deadlines_missed,
            "days_per_game": _spread([_days(table) for table in finished]),
            "stops_per_game": _spread([float(len(table.stops)) for table in finished]),
            "asks_per_game": _spread([float(table.asks) for table in finished]),
            "mails_per_player": _spread(
                [float(mails) for table in finished for mails in table.mails.values()]
            ),
            "answers_per_player": _spread(
                [float(table.answers.get(seat, 0)) for table in finished for seat in table.mails]
            ),
            "spared_per_player": _spread(
                [float(table.spared.get(seat, 0)) for table in finished for seat in table.mails]
            ),
            "asks_per_decision": _share(tally.asks, sum(sum(table.moved.values()) for table in tables)),
            "asking_letters": tally.asking,
            "early_answers": self.habits.early,
            "late_answers": self.habits.late,
            "with_result": len(finished),
            "people": len(self.habits.people),
            "letters": tally.letters,
            "events": sum(tally.events.values()),
            "time_outs": tally.events.get("turn_timed_out", 0),
            "absences": tally.events.get("absence_declared", 0),
            "pauses": tally.events.get("game_paused", 0),
            "outages": sum(ends - begins > timedelta(minutes=10) for begins, ends in machine.outages),
            "refused": sum(self.habits.refusals.values()),
        }


def a_year(
    store: Store,
    *,
    days: int,
    games: int,
    seed: str,
    entropy: Entropy,
    hours: Callable[[], Hours] = Hours,
    ways: Ways = DEFAULT,
    players: int | None = None,
) -> Year:
    """A year of these games, on a store that holds none; `players` at a table, or three to five."""
    machine = a_machine(FIRST_DAY, days, Luck(seed, "machine"))
    world = a_world(store, machine, entropy, hours())
    count = max(_FEWEST_PEOPLE, round(games * _PEOPLE))
    people = [a_person(number, seed, FIRST_DAY, days) for number in range(count)]

    def choose(tx: Tx) -> None:
        for person in people:
            tx.choose(person.choice)

    world.store_day(choose)
    habits = Habits(world, seed, people, ways)
    habits.begin(plans(games, people, FIRST_DAY, days, Luck(seed, "tables"), players))
    return Year(world, habits, days, players)


def _days(table: Table) -> float:
    assert table.started is not None, "a game without a start has no result"
    assert table.over is not None, "one with a result is over"
    return (table.over - table.started) / _DAY


def _share(part: int, whole: int) -> float:
    return round(part / whole, 2) if whole else 0.0


def _spread(values: list[float]) -> dict[str, float]:
    if not values:
        return {"mean": 0.0, "median": 0.0}
    return {"mean": round(fmean(values), 1), "median": round(median(values), 1)}
