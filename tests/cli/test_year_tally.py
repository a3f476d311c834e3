"""What a simulated year counts as wrong, from a log and letters that are made up."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import orjson
import pytest

from felix_async.clock import text_of
from felix_cli.year.tally import Tally, quiet_end
from felix_events.store.base import Reader
from felix_events.store.rows import Choice, Due, Letter, NoticeRow

NOON = datetime(2027, 11, 2, 12, tzinfo=UTC)
GAME = "abcde"
HOUR = timedelta(hours=1)


@dataclass
class Papers:
    """A log, and the notices in letters: all that a tally reads."""

    log: list[bytes] = field(default_factory=list)
    letters: dict[int, list[NoticeRow]] = field(default_factory=dict)

    def bodies(self, _game_id: str, after: int = 0) -> list[bytes]:
        return self.log[after:]

    def notices_in(self, letter_id: int) -> list[NoticeRow]:
        return self.letters[letter_id]

    def due_of(self, _game_id: str) -> list[Due]:
        return []


@dataclass
class Count:
    """A tally of one game: Anna sits in seat 0, is before decision 1, and has it to make until noon."""

    down: timedelta = timedelta()
    papers: Papers = field(default_factory=Papers)

    def __post_init__(self) -> None:
        self.tally = Tally(lambda _start, _end: self.down)
        self.tally.seat_taken((GAME, 0), Choice("anna", zone="UTC", quiet="22:00-08:00"))
        self.happens(NOON - 11 * HOUR, "clock_set")
        self.happens(NOON - 10 * HOUR, "deadline_set", turn=1, reserve_from=text_of(NOON), at=text_of(NOON))

    @property
    def reader(self) -> Reader:
        return cast(Reader, self.papers)

    def happens(self, when: datetime, type_: str, turn: int = 1, **data: Any) -> None:
        event = {"type": type_, "at": text_of(when), "data": {"seat": 0, "turn": turn, **data}}
        self.papers.log.append(orjson.dumps(event))
        self.tally.follow(self.reader, GAME, {0: 1}, [0])

    def leaves(self, at: datetime, kind: Any = "reminder", about: str = "50%", letter_id: int = 1) -> None:
        self.papers.letters[letter_id] = [NoticeRow(GAME, 1, 0, kind, text_of(at), turn=1, about=about)]
        letter = Letter(GAME, 0, "", "", b"", "", "", letter_id=letter_id)
        self.tally.letter_left(self.reader, letter, at)

    @property
    def wrong(self) -> tuple[int, int, int, int]:
        tally = self.tally
        return tally.twice, tally.after_move, tally.in_quiet_hours, tally.deadlines_missed


def told(**options: Any) -> Count:
    """The turn mail has left, early."""
    count = Count(**options)
    count.leaves(NOON - 9 * HOUR, "turn", letter_id=9)
    return count


def test_a_time_out_at_the_deadline_is_right() -> None:
    count = told()
    count.happens(NOON + timedelta(seconds=3), "turn_timed_out")
    count.happens(NOON + timedelta(seconds=3), "card_placed")
    assert count.wrong == (0, 0, 0, 0)


def test_a_time_out_before_the_deadline_is_counted() -> None:
    count = told()
    count.happens(NOON - timedelta(seconds=1), "turn_timed_out")
    assert count.wrong == (0, 0, 0, 1)


def test_a_time_out_although_the_mail_is_there_is_counted() -> None:
    count = told()
    count.tally.mail_came((GAME, 0, 1))
    count.happens(NOON, "turn_timed_out")
    assert count.wrong == (0, 0, 0, 1)


def test_a_time_out_of_somebody_who_was_never_asked_is_counted() -> None:
    count = Count()
    count.happens(NOON, "turn_timed_out")
    assert count.wrong == (0, 0, 0, 1)


@pytest.mark.parametrize(("days", "wrong"), [(29, 1), (30, 0)])
def test_without_a_clock_a_time_out_wants_thirty_days_of_silence(days: int, wrong: int) -> None:
    count = Count()
    count.tally.tables[GAME].by_the_clock = False
    count.happens(NOON - 10 * HOUR + timedelta(days=days), "turn_timed_out")
    assert count.wrong == (0, 0, 0, wrong)


def test_a_time_out_for_another_decision_is_counted() -> None:
    count = told()
    count.happens(NOON, "turn_timed_out", turn=2)
    assert count.wrong == (0, 0, 0, 1)


@pytest.mark.parametrize("type_", ["card_placed", "turn_timed_out", "deadline_set"])
def test_a_deadline_after_which_nothing_was_done_for_long_is_counted(type_: str) -> None:
    count = told()
    count.happens(NOON + HOUR, type_, at=text_of(NOON + 2 * HOUR))
    if type_ == "turn_timed_out":
        count.happens(NOON + HOUR, "card_placed")
    assert count.wrong == (0, 0, 0, 1)


def test_a_deadline_that_is_forgotten_altogether_is_counted() -> None:
    count = told()
    count.tally.finish(NOON + HOUR)
    assert count.wrong == (0, 0, 0, 1)


def test_an_outage_excuses() -> None:
    count = told(down=HOUR)
    count.happens(NOON + HOUR, "card_placed")
    assert count.wrong == (0, 0, 0, 0)


def test_the_same_reminder_again_is_counted() -> None:
    count = Count()
    count.leaves(NOON - 3 * HOUR)
    count.leaves(NOON - 2 * HOUR, letter_id=2)
    assert count.wrong == (1, 0, 0, 0)


def test_the_next_rung_is_not() -> None:
    count = Count()
    count.leaves(NOON - 3 * HOUR)
    count.leaves(NOON - 2 * HOUR, about="80%", letter_id=2)
    assert count.wrong == (0, 0, 0, 0)


def test_the_same_letter_again_is_counted_even_where_it_reminds_of_nothing() -> None:
    count = told()
    count.leaves(NOON - 8 * HOUR, "turn", letter_id=9)
    assert count.wrong == (1, 0, 0, 0)


def test_a_reminder_after_the_move_is_counted() -> None:
    count = Count()
    count.happens(NOON - 3 * HOUR, "card_placed")
    count.leaves(NOON - 2 * HOUR)
    assert count.wrong == (0, 1, 0, 0)


def test_a_reminder_beside_an_unread_move_is_counted() -> None:
    count = Count()
    count.tally.mail_came((GAME, 0, 1))
    count.leaves(NOON - 2 * HOUR)
    assert count.wrong == (0, 1, 0, 0)


def test_a_reminder_at_night_is_counted() -> None:
    count = Count()
    count.leaves(NOON - 5 * HOUR)
    assert count.wrong == (0, 0, 1, 0)


def test_a_reminder_at_night_of_what_is_due_that_night_is_not() -> None:
    count = Count()
    count.happens(NOON - 9 * HOUR, "deadline_set", at=text_of(NOON - 4 * HOUR))
    count.leaves(NOON - 5 * HOUR)
    assert count.wrong == (0, 0, 0, 0)


def test_a_decision_for_which_alone_the_table_waits_is_a_stop_and_counts_once() -> None:
    count = Count()
    count.happens(NOON - 9 * HOUR, "game_started")
    count.happens(NOON - 8 * HOUR, "player_said")
    assert count.tally.tables[GAME].stops == {(0, 1)}


@pytest.mark.parametrize(
    ("at", "quiet", "zone", "ends"),
    [
        ("2027-11-02T12:00", "22:00-08:00", "UTC", None),
        ("2027-11-02T12:00", "", "UTC", None),
        ("2027-11-02T23:10", "22:00-08:00", "UTC", "2027-11-03T08:00"),
        ("2027-11-02T12:10", "09:00-18:00", "UTC", "2027-11-02T18:00"),
        ("2027-11-02T18:20", "00:00-07:00", "Asia/Kathmandu", "2027-11-03T01:15"),
        ("2028-03-26T00:30", "22:00-08:00", "Europe/Berlin", "2028-03-26T06:00"),
        ("2027-10-31T00:30", "22:00-08:00", "Europe/Berlin", "2027-10-31T07:00"),
    ],
)
def test_quiet_hours_by_a_clock_on_the_wall(at: str, quiet: str, zone: str, ends: str | None) -> None:
    found = quiet_end(datetime.fromisoformat(f"{at}+00:00"), quiet, zone)
    assert found == (None if ends is None else datetime.fromisoformat(f"{ends}+00:00"))
