"""The clock of a game in plain words: what people write is read, what felix writes can be read again."""

from __future__ import annotations

import re
import time

import hypothesis.strategies as st
import pytest
from hypothesis import given

from each import each
from felix_async.language.clock_terms import (
    DAY,
    HOUR,
    MOST,
    SILENT,
    Said,
    Unclear,
    mentions_clock,
    said_in,
    terms_named,
    terms_of,
    terms_text,
)
from felix_async.language.data import table
from felix_async.language.phrases import phrase
from felix_async.time.zones import WELL_KNOWN
from felix_events.model import Terms
from machine import is_within

ZONES = st.sampled_from([*WELL_KNOWN, "+01:00", "-03:30", "+05:45", "UTC"])
TIMES = st.integers(HOUR, MOST)


def clock(move: int, reserve: int = 0, *, no_weekends: str = "") -> Terms:
    return Terms(move=move, reserve=reserve, weekends=not no_weekends, zone=no_weekends or "UTC")


def why_not(text: str) -> str:
    """The sentence with which a clock is refused."""
    unclear = terms_named(text)
    assert isinstance(unclear, Unclear)
    return unclear.why


def fault(name: str) -> str:
    return phrase(f"people.clock.faults.{name}", text="", zone="", names="", first="")


# ---- what people write ------------------------------------------------------------------------------
@each(
    ("text", "terms"),
    [
        *(
            (text, clock(3 * DAY))
            for text in ("3d", "72h each", "3 days a move", "three days per move", "3 d/move", "Clock 3 days")
        ),
        *(
            (text, clock(3 * DAY))
            for text in ("clock: 3 days a turn.", "time: 72h", "3 days a move, 72h each")
        ),
        ("1 day 12 hours a move", clock(36 * HOUR)),
        *(
            (text, clock(12 * HOUR, 7 * DAY))
            for text in (
                "12 hours a move and a week in reserve",
                "a week’s bank plus 12 hours a move",
                "12h + 1 week bank",
                "12h/move, 7 days reserve",
                "clock: 12 hours; one week in the bank",
            )
        ),
        *((text, None) for text in ("no clock", "No clock.", "clock: none", "none", "Time: off")),
        *(
            (text, clock(3 * DAY, no_weekends="Europe/Rome"))
            for text in (
                "3 days a move, no weekends",
                "weekdays only, 3d",
                "no weekends and 3 days a move",
                "3 days a move; weekends don't count",
            )
        ),
        ("no weekends in Europe/Berlin, 3 days a move", clock(3 * DAY, no_weekends="Europe/Berlin")),
        ("3 days a move, no weekends (new york)", clock(3 * DAY, no_weekends="America/New_York")),
        ("3d, no weekends in UTC+5:30", clock(3 * DAY, no_weekends="+05:30")),
        ("3d, no weekends in UTC", clock(3 * DAY, no_weekends="UTC")),
        ("3 days a move, weekends count", clock(3 * DAY)),
    ],
)
def test_a_clock_is_read_as_it_may_be_written(text: str, terms: Terms | None) -> None:
    assert terms_named(text, zone="Europe/Rome") == terms


# ---- what is refused --------------------------------------------------------------------------------
@each(
    ("text", "name"),
    [
        ("0 days a move", "short"),
        ("zero days", "short"),
        ("59 minutes a move", "short"),
        ("12 hours a move and 0 days in reserve", "short"),
        ("61 days a move", "long"),
        ("999999999 weeks", "long"),
        ("12 hours a move and 61 days in reserve", "long"),
        ("3 days a move, 2 days a move", "twice"),
        ("a week plus 12 hours", "twice"),
        ("12 hours a move, a week", "twice"),
        ("3 days a move, weekends count, no weekends", "twice"),
        ("3 days a move, no weekends in Tokyo, no weekends in Rome", "twice"),
        ("a week's bank", "no_move"),
        ("no clock, 3 days a move", "both"),
        ("no clock, no weekends", "both"),
        ("no weekends", "no_clock"),
    ],
)
def test_a_clock_that_cannot_be_is_refused(text: str, name: str) -> None:
    assert why_not(text) == fault(name)


@each(
    "text",
    [
        *["soon", "clock: soon", "3 days a mov", "2-3 days a move", "-3 days a move", "3 a move", ""],
        *[
            "reserve: 7 days, move: 12 hours",
            "12 hours, bank of one week",
            "half a day each",
            "2.5 days a move",
        ],
        *["99999999999999999999 weeks", "3 days a move but not on weekends", "3-day moves"],
    ],
)
def test_whatever_else_is_written_is_told_what_a_clock_looks_like(text: str) -> None:
    assert why_not(text) == phrase("people.clock.faults.unclear", text=text)


def test_an_unknown_zone_is_refused_with_the_nearest_names() -> None:
    said = why_not("3 days a move, no weekends in Berlln")
    assert said == phrase(
        "people.clock.faults.zone_nearest", zone="berlln", names="Europe/Berlin", first="Europe/Berlin"
    )
    assert why_not("3 days a move, weekdays only in Xyzzyx") == phrase(
        "people.clock.faults.zone", zone="xyzzyx"
    )


@each("name", table("people.toml")["clock"]["faults"])
def test_every_refusal_holds_a_clock_that_is_taken(name: str) -> None:
    sentence = phrase(
        f"people.clock.faults.{name}", text="soon", zone="x", names="Europe/Berlin", first="Europe/Berlin"
    )
    examples = re.findall('"(.+?)"', sentence.partition("Write")[2])
    assert examples
    for example in examples:
        assert not isinstance(terms_named(example), Unclear), example


# ---- what is about something else -------------------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        "Ben",
        "Pace Johnson",
        "Clock",
        "Move, Reserve",
        "each",
        "Ben <3days@example.org>",
        "Three Days Grace",
        "x" * 10_000,
    ],
)
def test_a_name_is_no_clock(text: str) -> None:
    assert said_in(text) is None


def test_what_looks_like_a_clock_is_told_from_what_does_not() -> None:
    assert [mentions_clock(text) for text in ("3 days a mov", "no clock Ben", "Ben", "Ben <3d@x.test>")] == [
        True,
        True,
        False,
        False,
    ]


# ---- line by line, and with a default ---------------------------------------------------------------
def said(*lines: str) -> Said | Unclear:
    """What these lines say together."""
    together: Said | Unclear = SILENT
    for line in lines:
        one = said_in(line)
        assert isinstance(one, Said)
        assert isinstance(together, Said)
        together = together.beside(one)
    return together


def test_what_stands_on_several_lines_is_one_clock() -> None:
    together = said("a week in reserve", "no weekends", "12 hours a move")
    assert isinstance(together, Said)
    assert terms_of(together, None, "+01:00") == clock(12 * HOUR, 7 * DAY, no_weekends="+01:00")


def test_two_lines_that_contradict_each_other_are_refused() -> None:
    contradiction = said("3 days a move", "2 days a move")
    assert isinstance(contradiction, Unclear)
    assert contradiction.why == fault("twice")


def test_who_says_nothing_gets_the_default_as_it_is() -> None:
    default = clock(DAY, DAY, no_weekends="Asia/Tokyo")
    assert terms_of(SILENT, default, "Europe/Rome", away=DAY) == default
    assert terms_of(SILENT, None, "Europe/Rome") is None


def test_who_names_a_time_gets_no_reserve_of_the_default_but_its_weekends() -> None:
    default = clock(DAY, DAY, no_weekends="Asia/Tokyo")
    assert terms_of(Said(move=2 * DAY), default, "Europe/Rome") == clock(2 * DAY, no_weekends="Asia/Tokyo")


def test_who_names_weekends_only_gets_the_time_of_the_default() -> None:
    got = terms_of(Said(weekends=False), clock(DAY, 2 * DAY), "Europe/Rome")
    assert got == clock(DAY, 2 * DAY, no_weekends="Europe/Rome")


def test_how_long_a_player_may_be_away_is_not_for_the_words_to_say() -> None:
    got = terms_named("3 days a move", away=5 * DAY)
    assert got is not None
    assert not isinstance(got, Unclear)
    assert got.away == 5 * DAY


# ---- there and back ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("terms", "text"),
    [
        (clock(3 * DAY), "3 days a move"),
        (clock(DAY), "1 day a move"),
        (clock(7 * DAY), "7 days a move"),
        (clock(36 * HOUR), "1 day 12 hours a move"),
        (clock(12 * HOUR, 14 * DAY), "12 hours a move and 2 weeks in reserve"),
        (
            clock(12 * HOUR, 7 * DAY, no_weekends="Europe/Berlin"),
            "12 hours a move and a week in reserve, weekends do not count (Europe/Berlin)",
        ),
        (clock(DAY, no_weekends="+01:00"), "1 day a move, weekends do not count (UTC+1)"),
        (clock(DAY, no_weekends="UTC"), "1 day a move, weekends do not count (UTC)"),
        (None, "no clock"),
    ],
)
def test_a_clock_is_written_in_plain_words(terms: Terms | None, text: str) -> None:
    assert terms_text(terms) == text
    assert terms_named(text) == terms


@given(TIMES, st.just(0) | TIMES, st.booleans(), ZONES)
def test_what_felix_writes_is_what_it_reads(move: int, reserve: int, weekends: bool, zone: str) -> None:
    terms = Terms(move=move, reserve=reserve, weekends=weekends, zone="UTC" if weekends else zone)
    assert terms_named(terms_text(terms)) == terms


# ---- strangers' text --------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        *["3", "12", "0", "-1", "half", "1.5", "99999999", "\u00b2", "\u0663", "days", "h", "week's", "each"],
        *["a", "move", "/move", "bank", "in", "reserve", "of", "plus", "and", ",", ";", "(", ")", "no"],
        *["weekends", "clock", "clock:", "none", "Europe/Berlin", "UTC+1", "\u202e", "{0}", "<b>"],
    ]
)


@given(st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=300))
def test_any_text_is_a_clock_or_none_or_refused_in_one_line(text: str) -> None:
    got = terms_named(text)
    if isinstance(got, Unclear):
        assert got.why.isprintable()
        assert len(got.why) < 500
    elif got is not None:
        assert HOUR <= got.move <= MOST
        assert terms_named(terms_text(got)) == got


@pytest.mark.parametrize(
    "text", ["a " * 100_000, "3 days " * 100_000, "no weekends in " * 50, "(" * 200, "1" * 200]
)
def test_a_long_text_costs_little(text: str) -> None:
    before = time.process_time()
    said_in(text)
    mentions_clock(text)
    assert is_within(time.process_time() - before, 1)
