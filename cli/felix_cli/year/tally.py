"""The counts of a simulated year, taken from the log and from the letters that were sent.

Nothing here asks the code that it counts: deadlines are those that the log says were set, quiet hours are
read off a wall clock minute by minute, and a reminder is what was taken by the other side. From the fold
comes only which decision is before a seat. Times are those of the server's clock: felix can know no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import orjson

from felix_async.clock import time_of
from felix_events.store.base import Reader
from felix_events.store.rows import Choice, Letter, NoticeRow

LATE: Final = timedelta(minutes=5)
"""So long after a deadline something must have come of it, not counting the time in which felix was down."""
_MINUTE: Final = timedelta(minutes=1)
_DECIDING: Final = frozenset({"card_placed", "bid_placed", "player_passed"})
_ASKING: Final = frozenset({"turn", "early"})
_OVER: Final = frozenset({"game_ended", "game_abandoned"})

Seat = tuple[str, int]
Decision = tuple[str, int, int]


@dataclass
class Table:
    """The counts of one game's log so far."""

    version: int = 0
    opened: datetime | None = None
    started: datetime | None = None
    over: datetime | None = None
    has_result: bool = False
    by_the_clock: bool = False
    last: datetime | None = None
    """When something happened last."""
    made: dict[int, int] = field(default_factory=dict)
    """The last decision that each seat has behind it; the answer to an invitation is decision 0."""
    deadlines: dict[int, tuple[int, datetime]] = field(default_factory=dict)
    stops: set[tuple[int, int]] = field(default_factory=set)
    moved: dict[int, int] = field(default_factory=dict)
    """The number of cards, bids and passes of each player, said in turn or in advance."""
    mails: dict[int, int] = field(default_factory=dict)
    """The number of letters in which there was something about this game, for each seat."""
    asks: int = 0
    """The number of these that asked for a decision."""
    answers: dict[int, int] = field(default_factory=dict)
    """The number of letters that would answer a message, for each seat; none is sent."""
    spared: dict[int, int] = field(default_factory=dict)
    """The number of clean orders, which no letter answers."""


@dataclass
class Tally:
    """The counts. `down_between` says for how long felix was down between two moments, by its own clock."""

    down_between: Callable[[datetime, datetime], timedelta]
    choices: dict[Seat, Choice] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    reminders: int = 0
    twice: int = 0
    after_move: int = 0
    in_quiet_hours: int = 0
    deadlines_missed: int = 0
    letters: int = 0
    asking: int = 0
    """The letters that ask for a decision, or for several."""
    asks: int = 0
    """The decisions that they ask for, the same one as often as it is asked for."""
    events: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    """What was counted as wrong, in words, for whoever looks for the reason."""
    _sent: set[int] = field(default_factory=set)
    _reminded: set[tuple[str, int, int, str]] = field(default_factory=set)
    _told: set[Decision] = field(default_factory=set)
    _mail_in: set[Decision] = field(default_factory=set)

    def moved(self, seat: Seat) -> int:
        """Return how many moves the player of a seat has made there."""
        return self.tables[seat[0]].moved.get(seat[1], 0)

    # ---- what happened

    def seat_taken(self, seat: Seat, choice: Choice) -> None:
        """Somebody sits there who chose this."""
        self.choices[seat] = choice

    def mail_came(self, decision: Decision) -> None:
        """A message with this decision lies in the inbox."""
        self._mail_in.add(decision)

    def obeyed(self, seat: Seat, *, is_clean: bool) -> None:
        """An order was obeyed, and no other letter to its seat is due at once."""
        table = self.tables.setdefault(seat[0], Table())
        counts = table.spared if is_clean else table.answers
        counts[seat[1]] = counts.get(seat[1], 0) + 1

    def follow(self, reader: Reader, game_id: str, made: dict[int, int], awaited: list[int]) -> None:
        """Read on in a log, up to where each seat has the decision behind it that `made` says."""
        table = self.tables.setdefault(game_id, Table())
        for body in reader.bodies(game_id, table.version):
            fields = orjson.loads(body)
            table.version += 1
            self.events[fields["type"]] = self.events.get(fields["type"], 0) + 1
            at = time_of(fields["at"])
            self._happened(game_id, table, fields["type"], fields["data"], at)
            table.last = at
            if fields["actor"] == "seat" and fields["type"] in _DECIDING:
                seat = fields["data"]["seat"]
                table.moved[seat] = table.moved.get(seat, 0) + 1
        table.made = made
        if len(awaited) == 1 and table.started is not None and table.over is None:
            table.stops.add((awaited[0], made[awaited[0]]))

    def letter_left(self, reader: Reader, letter: Letter, now: datetime) -> None:
        """The other side took a letter."""
        self.letters += 1
        if letter.letter_id in self._sent:
            self._fault("twice", f"letter {letter.letter_id} was sent again")
        self._sent.add(letter.letter_id)
        reminders: list[NoticeRow] = []
        notices = reader.notices_in(letter.letter_id)
        self._count(notices)
        for notice in notices:
            if notice.kind == "turn":
                self._told.add((notice.game_id, notice.seat, notice.turn))
            elif notice.kind == "reminder" or (notice.kind == "lobby" and notice.about == "start"):
                reminders.append(notice)
                self._reminder_left(notice, now)
        if reminders:
            self._disturbed(reader, reminders, now)

    def finish(self, now: datetime) -> None:
        """Nothing more happens: whose deadline has passed by now was forgotten."""
        for game_id, table in self.tables.items():
            for seat in list(table.deadlines):
                self._closed(game_id, table, seat, now)

    # ---- what it means

    def _count(self, notices: Sequence[NoticeRow]) -> None:
        """A letter that tells of several games is counted at each of them, and once in all."""
        for game_id, seat in {(notice.game_id, notice.seat) for notice in notices}:
            mails = self.tables[game_id].mails
            mails[seat] = mails.get(seat, 0) + 1
        asking = [notice for notice in notices if notice.kind in _ASKING]
        for game_id in {notice.game_id for notice in asking}:
            self.tables[game_id].asks += 1
        self.asking += bool(asking)
        self.asks += len(asking)

    def _reminder_left(self, notice: NoticeRow, now: datetime) -> None:
        self.reminders += 1
        about = f"{notice.game_id}, seat {notice.seat}, decision {notice.turn}, {notice.about or notice.kind}"
        decision = (notice.game_id, notice.seat, notice.turn)
        rung = (*decision, notice.about)
        if rung in self._reminded:
            self._fault("twice", f"{about}: reminded again at {now}")
        self._reminded.add(rung)
        table = self.tables[notice.game_id]
        is_made = table.made.get(notice.seat, -1) >= notice.turn or decision in self._mail_in
        if notice.kind == "reminder" and (is_made or table.over is not None):
            self._fault("after_move", f"{about}: reminded at {now}")

    def _disturbed(self, reader: Reader, reminders: list[NoticeRow], now: datetime) -> None:
        """A letter that has to go at night may tell of other tables as well; one that has not, may not."""
        choice = self.choices[reminders[0].game_id, reminders[0].seat]
        ends = quiet_end(now, choice.quiet, choice.zone)
        due = [self._due(reader, notice) for notice in reminders]
        if ends is not None and not any(one is not None and one <= ends for one in due):
            about = f"{reminders[0].game_id}, seat {reminders[0].seat}"
            self._fault("in_quiet_hours", f"{about}: reminded at {now}, due {due}, quiet until {ends}")

    def _due(self, reader: Reader, notice: NoticeRow) -> datetime | None:
        deadlines = self.tables[notice.game_id].deadlines
        if notice.seat in deadlines:
            return deadlines[notice.seat][1]
        rows = reader.due_of(notice.game_id)
        expiries = (row.due_at for row in rows if row.kind == "expiry" and row.seat == notice.seat)
        return next((time_of(due_at) for due_at in expiries), None)

    def _happened(self, game_id: str, table: Table, type_: str, data: dict[str, Any], at: datetime) -> None:
        seat = data.get("seat", -1)
        if type_ == "game_created":
            table.opened = at
        elif type_ == "clock_set":
            table.by_the_clock = True
        elif type_ == "game_started":
            table.started = at
        elif type_ == "turn_timed_out":
            self._timed_out(game_id, table, seat, data["turn"], at)
        elif type_ == "deadline_set":
            if seat in table.deadlines:
                self._closed(game_id, table, seat, at)
            table.deadlines[seat] = (data["turn"], time_of(data["at"]))
        elif type_ in _DECIDING or (type_ == "seat_handed_over" and data["to"] == "computer"):
            self._closed(game_id, table, seat, at)
        elif type_ == "game_paused" or type_ in _OVER:
            for other in list(table.deadlines):
                self._closed(game_id, table, other, at)
        if type_ in _OVER:
            table.over = at
            table.has_result = type_ == "game_ended"

    def _timed_out(self, game_id: str, table: Table, seat: int, turn: int, at: datetime) -> None:
        about = f"{game_id}, seat {seat}, decision {turn}"
        deadline = table.deadlines.get(seat)
        decision = (game_id, seat, turn)
        if not table.by_the_clock:
            # Thirty days in which nothing happened: what the pages promise.
            if table.last is None or at - table.last < timedelta(days=30):
                self._fault("deadlines_missed", f"{about}: timed out at {at}, too soon without a clock")
        elif deadline is None or deadline[0] != turn:
            self._fault("deadlines_missed", f"{about}: timed out at {at} without a deadline")
        elif at < deadline[1]:
            self._fault("deadlines_missed", f"{about}: timed out at {at}, before {deadline[1]}")
        elif decision in self._mail_in:
            self._fault("deadlines_missed", f"{about}: timed out at {at}, and the mail was there")
        elif decision not in self._told:
            self._fault("deadlines_missed", f"{about}: timed out at {at}, and nobody had asked")

    def _closed(self, game_id: str, table: Table, seat: int, at: datetime) -> None:
        """A deadline ends, one way or another: it must not be over for long."""
        deadline = table.deadlines.pop(seat, None)
        if deadline is None or at <= deadline[1] + LATE:
            return
        late = at - deadline[1] - self.down_between(deadline[1], at)
        if late > LATE:
            self._fault(
                "deadlines_missed",
                f"{game_id}, seat {seat}, decision {deadline[0]}: due {deadline[1]}, dealt with at {at}",
            )

    def _fault(self, counter: str, words: str) -> None:
        setattr(self, counter, getattr(self, counter) + 1)
        self.faults.append(f"{counter}: {words}")


def quiet_end(at: datetime, quiet: str, zone: str) -> datetime | None:
    """The first minute that is not quiet any more by a clock on the wall; None if it is not quiet."""
    if not quiet:
        return None
    begins, ends = (time.fromisoformat(part) for part in quiet.split("-"))
    wall = ZoneInfo(zone)

    def is_quiet(moment: datetime) -> bool:
        reading = moment.astimezone(wall).time()
        if begins < ends:
            return begins <= reading < ends
        return reading >= begins or reading < ends

    if not is_quiet(at):
        return None
    moment = at.replace(second=0, microsecond=0)
    while is_quiet(moment):
        moment += _MINUTE
    return moment
