"""Time that counts is the same in JavaScript as in Python: weekends, absences, clocks that are changed."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Final

from felix_async.clock import text_of, time_of
from felix_async.time.calendar import Calendar
from felix_async.time.zones import is_zone
from page.node import asked, needs_node

pytestmark = needs_node
ZONES: Final = (
    *("UTC", "+00:00", "+05:45", "-03:30", "+14:00", "Europe/Berlin", "Europe/London", "America/New_York"),
    *("Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Chatham", "America/St_Johns", "Asia/Tokyo"),
    *("Africa/Cairo", "America/Havana", "America/Santiago", "Atlantic/Azores", "Asia/Beirut"),  # at midnight
)
EPOCH: Final = time_of("2025-01-01T00:00:00.000000Z")
YEARS: Final = 3 * 366 * 24 * 3600
SCRIPT: Final = """
    return questions.map(([zone, weekends, gap, still, at, seconds]) => {
      const absence = gap && {start: gap[0], back: gap[1], computer: false};
      const calendar = new m.Calendar({zone, weekends}, {absence}, still);
      const [start, length] = [m.timeOf(at), BigInt(seconds) * 1000000n];
      return [
        m.textOf(calendar.advance(start, length)),
        m.textOf(calendar.rewind(start, length)),
        String(calendar.elapsed(start, start + length)),
      ];
    });
"""


def test_time_counts_as_in_python() -> None:
    drawn = Random("times")

    def a_time() -> str:
        return text_of(EPOCH + timedelta(seconds=drawn.randrange(YEARS), microseconds=drawn.randrange(10**6)))

    questions = [
        (
            zone,
            drawn.random() < 0.2,
            sorted((a_time(), a_time())),
            sorted((a_time(), a_time())),
            a_time(),
            drawn.randrange(40 * 24 * 3600),
        )
        for zone in ZONES
        for _ in range(30)
    ]
    for question, found in zip(questions, asked(SCRIPT, questions), strict=True):
        zone, weekends, gap, still, at, seconds = question
        gaps = tuple((time_of(start), time_of(end)) for start, end in (gap, still))
        calendar = Calendar(zone, weekends=weekends, gaps=gaps)
        start = time_of(at)
        counted = timedelta(seconds=calendar.elapsed(start, start + timedelta(seconds=seconds)))
        assert found == [
            text_of(calendar.advance(start, seconds)),
            text_of(calendar.rewind(start, seconds)),
            str(counted // timedelta.resolution),
        ], question


def test_every_weekend_of_a_year_begins_and_ends_as_in_python() -> None:
    days = [text_of(EPOCH + timedelta(days=7 * week, hours=12)) for week in range(60)]
    questions = [(zone, False, None, None, day, 4 * 24 * 3600) for zone in ZONES for day in days]
    for question, found in zip(questions, asked(SCRIPT, questions), strict=True):
        zone, _, _, _, day, seconds = question
        calendar = Calendar(zone, weekends=False)
        assert found[0] == text_of(calendar.advance(time_of(day), seconds)), question


def test_a_zone_is_known_as_in_python() -> None:
    names = [
        *ZONES,
        "Europe/Entenhausen",
        "europe/berlin",
        "EUROPE/BERLIN",
        "Asia/Calcutta",
        "Etc/GMT+5",
        "+05:20",
        "-00:00",
        "+15:00",
        "+1:00",
        "GMT",
        "CET",
        "",
    ]
    assert asked("return questions.map(m.isZone);", names) == [is_zone(name) for name in names]


def test_what_is_no_time_is_an_error() -> None:
    script = "return questions.map((q) => { try { m.timeOf(q); } catch { return q; } });"
    wrong = ["2026-02-30T00:00:00.000000Z", "2026-13-01T00:00:00.000000Z"]
    assert asked(script, wrong) == wrong


def test_a_time_before_1970_is_written_as_it_was_read() -> None:
    times = ["1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:58.500001Z", "1970-01-01T00:00:00.000001Z"]
    assert asked("return questions.map((time) => m.textOf(m.timeOf(time)));", times) == times
