"""A server on a simulated clock: from one event to the next, because in between nothing is due.

Real are the service, the scheduler, the deadlines, what is owed to whom and when, outages and what follows
from them, and the post (`felix_cli.year.post`). Simulated are the clock, the world around (`machine`), the
way in (an order is handed to the service), and the beats between two looks, of which the last is written.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypeVar

from felix_async.clock import text_of, time_of
from felix_async.follow_up.notices import Hours
from felix_async.game.state import Game
from felix_async.schedule.tick import keep_time
from felix_async.service import Entropy, Service
from felix_cli.year.machine import Machine, tick_after, tick_before
from felix_cli.year.post import Providers, ShortHand
from felix_cli.year.tally import Tally
from felix_events.store.base import Store, Tx
from felix_events.store.rows import Letter
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox

T = TypeVar("T")
_FAR: Final = "9999-01-01T00:00:00.000000Z"
_MANY: Final = 1_000_000
_DAY: Final = timedelta(days=1)
_MOMENT: Final = timedelta(seconds=5)
_AGAIN: Final = timedelta(minutes=1)
"""After this the post looks again for what could not be sent."""
MAILBOX: Final = "felix@felix.invalid"


@dataclass
class World:
    """Felix, the time, and what is to happen next. `arrived` is told of each letter that reached somebody."""

    store: Store
    machine: Machine
    service: Service
    outbox: Outbox
    providers: Providers
    tally: Tally
    arrived: Callable[[Letter], None] = field(default=lambda _letter: None)
    _coming: list[tuple[datetime, int, Callable[[], None]]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=itertools.count)
    _look_at: datetime | None = None
    _post_at: datetime | None = None
    _knows: bool = True
    """True if the server has looked since it last lost track of time: no beat may hide an outage from it."""
    _tx: Tx | None = None
    _errors: list[Exception] = field(default_factory=list)

    @property
    def tx(self) -> Tx:
        """The transaction of this day."""
        assert self._tx is not None, "only while time runs"
        return self._tx

    def do(self, work: Callable[[Tx], T]) -> T:
        """Work in this day's transaction. Scheduler and post go on if one game raises; a simulation must
        not: it raises that as well, once they are done, and the day is undone as a whole.
        """
        try:
            return work(self.tx)
        except Exception as error:
            self._errors.append(error)
            raise

    def at(self, when: datetime, what: Callable[[], None]) -> None:
        """Let something happen then, in the world."""
        heapq.heappush(self._coming, (max(when, self.machine.now), next(self._order), what))

    def game(self, game_id: str) -> Game:
        """A game as it is now."""
        return self.service.load(self.tx, game_id)

    def run(self, until: datetime) -> Iterator[datetime]:
        """Let time pass until nothing more will happen, or that moment; each day that is over."""
        self.store_day(lambda tx: tx.beat(text_of(self.machine.clock())))
        for begins, ends in self.machine.outages:
            self.at(begins, self._alive)
            self.at(ends, self._start)
        for moment in self.machine.fast or ():
            # The last beat that is right is that before the clock is set.
            self.at(moment - timedelta(microseconds=1), self._alive)
            self.at(moment, self._lose_track)
        day = self.machine.now
        while self._coming or self._look_at or self._post_at:
            day += _DAY
            if day > until:
                return
            self.store_day(partial(self._pass_until, day))
            yield day

    def store_day(self, work: Callable[[Tx], Any]) -> None:
        """One transaction for all of a day: what is simulated need not survive a power cut."""
        with self.store.write() as tx:
            self._tx = tx
            try:
                work(tx)
            finally:
                self._tx = None

    def acted(self, game_ids: Iterable[str]) -> None:
        """Something was done in these games: read on in their logs."""
        for game_id in game_ids:
            game = self.game(game_id)
            made = {seat: state.turn - (seat in game.asked) for seat, state in enumerate(game.seats)}
            self.tally.follow(self.tx, game_id, made, game.awaited)

    def when_up(self, what: Callable[[], None]) -> Callable[[], None]:
        """Only while the server is up: else it is tried again soon after."""

        def happen() -> None:
            up_at = self.machine.down_until(self.machine.now)
            if up_at is None:
                self._alive()
                what()
            else:
                self.at(up_at + _MOMENT, happen)

        return happen

    # ---- one thing after the other

    def _pass_until(self, end: datetime, _tx: Tx) -> None:
        while True:
            times = [self._coming[0][0] if self._coming else None, self._look_at, self._post_at]
            at, kind = min(((time, kind) for kind, time in enumerate(times) if time), default=(end, 0))
            if at >= end:
                return
            self.machine.now = at
            if kind == 0:
                heapq.heappop(self._coming)[2]()
            elif kind == 1:
                self._look()
            self._go_out()
            self._plan()
            if self._errors:
                raise self._errors[0]

    def _look(self) -> None:
        self._alive()
        now = text_of(self.machine.clock())
        due = {row.game_id for row in self.tx.due(now, _MANY)}
        if not self._knows:
            due |= {game_id for game_id, table in self.tally.tables.items() if table.over is None}
        keep_time(self.do, self.service)
        self._knows = True
        self.acted(sorted(due))

    def _go_out(self) -> None:
        """The post, until there is nothing to do for now; and when there will be."""
        now = self.machine.now
        is_up = self.machine.down_until(now) is None
        waiting = self._waiting_since()
        while is_up and waiting is not None and waiting <= now:
            tried = send_due(self.do, self.outbox, self.providers)
            taken, self.providers.taken = self.providers.taken, []
            for letter in taken:
                self.tally.letter_left(self.tx, letter, self.machine.clock())
                self.arrived(letter)
            waiting = self._waiting_since()
            if not tried:
                break
        if waiting is None:
            self._post_at = None
        else:
            # A letter that could not be sent just now is not tried again in the same moment.
            self._post_at = self._up(waiting if waiting > now else now + _AGAIN, at_tick=False)

    def _waiting_since(self) -> datetime | None:
        """When the first of all that is owed and not sent was, or will be, for the post."""
        due = [notice.due_at for notice in self.tx.pending(_FAR)]
        due += [letter.next_at for letter in self.tx.letters_due(_FAR, _MANY)]
        return self.machine.true(time_of(min(due))) if due else None

    def _plan(self) -> None:
        """When to look next at what is due."""
        now = self.machine.now
        first = self.tx.due(_FAR, 1)
        self._look_at = None
        if not self._knows:
            self._look_at = self._up(now + _MOMENT)
        elif first:
            due_at = self.machine.true(time_of(first[0].due_at))
            self._look_at = self._up(max(due_at, now + _MOMENT))

    def _up(self, at: datetime, *, at_tick: bool = True) -> datetime:
        """The first look from then on at which the server is up."""
        at = tick_after(at) if at_tick else at
        up_at = self.machine.down_until(at)
        return at if up_at is None else self._up(up_at + _MOMENT, at_tick=at_tick)

    def _alive(self) -> None:
        """Write the last beat before this moment."""
        if not self._knows:
            return
        beat = tick_before(self.machine.now)
        said, last = text_of(beat + self.machine.ahead(beat)), self.tx.last_beat()
        if last is None or last < said:
            self.tx.beat(said)

    def _start(self) -> None:
        """The server starts again: before anything else it finds out how long it was away."""
        self._knows = False
        self._look()

    def _lose_track(self) -> None:
        """The clock was set: the next look finds out."""
        self._knows = False


def a_world(store: Store, machine: Machine, entropy: Entropy, hours: Hours) -> World:
    """A server in a world of its own, on an empty store."""
    service = Service(machine.clock, entropy, hours, kinds=frozenset({"simulated"}))
    outbox = Outbox(machine.clock, ShortHand(service, entropy(32)))
    return World(store, machine, service, outbox, Providers(machine), Tally(machine.down_between))
