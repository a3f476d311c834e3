"""Days as players write them, and the absence between two of them. Pure.

A day is `3 Dec`, perhaps with its weekday before it and its year behind it, `3.12.`, `2026-12-03`, a day of
the week, today or tomorrow. It is one of the clock on the player's wall; without a year it is the next such
day. An absence begins with its first day, or at once if that is today; its last day is the one on which the
player is back, from midnight on: `24 Nov to 3 Dec` ends as 3 Dec begins. Anything else is refused, and never
guessed at.

>>> now = "2026-11-20T17:00:00.000000Z"
>>> absence_named("24 Nov to 3 Dec", now, "Europe/Berlin")
Away(start='2026-11-23T23:00:00.000000Z', back='2026-12-02T23:00:00.000000Z', computer=False)
>>> str(absence_named("until 3 moons", now, "UTC")).rpartition(". ")[2]
'Write for example AWAY UNTIL 30 Nov, or AWAY 23 Nov to 30 Nov.'
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from typing import Final

from felix_async.game.table import Refusal
from felix_async.language.data import any_of, table
from felix_async.language.phrases import phrase
from felix_async.language.words import AWAY_WORDS, MONTHS, NUMBER_WORDS, WEEKDAYS
from felix_async.text import Harmless, clean, plain
from felix_async.time.zones import DEFAULT_ZONE, instant, local_time

HORIZON: Final = 300
"""Days ahead in which a day without a year is looked for, and within which an absence begins."""
_MAX_WRITTEN: Final = 100
_MAX_BACK: Final = 100 * 366
"""Days ahead; what is further off is no plan, and near the end of the calendar."""
_MIDNIGHT: Final = time()
_DAY: Final = timedelta(days=1)
_ANY_TIME: Final = "2026-01-01T00:00:00.000000Z"


@dataclass(frozen=True, slots=True)
class Away:
    """An absence: from when until when (stored times), and whether the computer plays meanwhile."""

    start: str
    back: str
    computer: bool


class _Unread(Exception):
    """Ends the reading; holds why."""

    def __init__(self, code: str, **details: Harmless) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


def absence_named(written: str, now: str, zone: str) -> Away | Refusal:
    """Return the absence that a player wrote, at a stored time and by the clock of their zone.

    It never begins before `now`, and ends later than it begins. A refusal holds days that would be taken.
    """
    today = local_time(now, zone).date()
    try:
        text, computer = _undecorated(written)
        first, back = _days_in(text, today)
        if (first - today).days > HORIZON or (back - today).days > _MAX_BACK:
            raise _Unread("away/too_far")
    except _Unread as reason:
        return Refusal(reason.code, {**example_days(today), **reason.details})
    start = now if first == today else instant(first, _MIDNIGHT, zone)
    return Away(max(start, now), instant(back, _MIDNIGHT, zone), computer)


def absence_text(away: Away, now: str, zone: str) -> str:
    """Return the absence as an order says it; read again before its first day, or on it, it is the same."""
    back = local_time(away.back, zone).date()
    tail = f" {AWAY_WORDS['computer'][0]}" if away.computer else ""
    if away.start <= now:
        return f"{AWAY_WORDS['until'][0]} {back:%Y-%m-%d}{tail}"
    return f"{local_time(away.start, zone):%Y-%m-%d} {back:%Y-%m-%d}{tail}"


def is_absence(written: str) -> bool:
    """Return True if this has the form of an absence, whatever its days are."""
    found = absence_named(written, _ANY_TIME, DEFAULT_ZONE)
    return isinstance(found, Away) or found.code != "away/unclear"


def says_back(written: str) -> bool:
    """Return True if this ends an absence: OFF."""
    return written.strip().lower() in AWAY_WORDS["off"]


def short_day(day: date) -> Harmless:
    """Return a day without its year: `3 Dec`."""
    months = table("mails.toml")["dates"]["months"]
    return plain(phrase("mails.dates.short", number=day.day, month=months[day.month - 1]))


def example_days(today: date) -> Mapping[str, Harmless]:
    """Return days that a player may be away on, for a refusal to name."""
    return {name: short_day(today + days * _DAY) for name, days in (("from", 3), ("until", 10))}


# ---- the forms in which an absence is written -------------------------------------------------------


def _numbered(rows: Sequence[Sequence[str]]) -> Mapping[str, int]:
    return {word: number for number, words in enumerate(rows) for word in words}


_MONTH_OF: Final = _numbered(MONTHS)
_WEEKDAY_OF: Final = _numbered(WEEKDAYS)
_COUNTS: Final = {
    **{word: number for number, word in enumerate(NUMBER_WORDS)},
    **dict.fromkeys(AWAY_WORDS["one"], 1),
}
_NEAR: Final = {
    **dict.fromkeys(AWAY_WORDS["today"], 0 * _DAY),
    **dict.fromkeys(AWAY_WORDS["tomorrow"], _DAY),
}
_COMPUTER: Final = re.compile(rf"(?:^|,? ){any_of(AWAY_WORDS['computer'])}$")
_UNTIL: Final = any_of(AWAY_WORDS["until"])
_FROM: Final = any_of(AWAY_WORDS["from"])
_BACK: Final = re.compile(rf"{_UNTIL} (?P<back>.+)")
_BETWEEN: Final = re.compile(rf"(?:{_FROM} )?(?P<first>.+?)(?: - |(?<=[^0-9 ])-|,? {_UNTIL} )(?P<back>.+)")
_TWO_DATES: Final = re.compile(r"(?P<first>[0-9-]{10}) (?P<back>[0-9-]{10})")
_LONG: Final = re.compile(
    rf"(?:{any_of(AWAY_WORDS['for'])} )?(?P<count>[0-9]{{1,4}}|{any_of(_COUNTS)}) "
    rf"(?:(?P<days>{any_of(AWAY_WORDS['days'])})|{any_of(AWAY_WORDS['weeks'])})(?: {_FROM} (?P<first>.+))?"
)
_NAMED: Final = re.compile(
    rf"(?:(?P<weekday>{any_of(_WEEKDAY_OF)}),? )?(?:(?P<day>[0-9]{{1,2}}) (?P<month>{any_of(_MONTH_OF)})"
    rf"|(?P<month_first>{any_of(_MONTH_OF)}) (?P<day_last>[0-9]{{1,2}}))(?: (?P<year>[0-9]{{4}}))?"
)
_ISO: Final = re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})")
_DOTTED: Final = re.compile(r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})(?:\.(?P<year>[0-9]{4})?)?")
_EITHER: Final = re.compile(r"(?P<one>[0-9]{1,2})/(?P<other>[0-9]{1,2})")


@dataclass(frozen=True, slots=True)
class _Day:
    """A day as far as it was written: with a month and perhaps a year, or a day of the week alone."""

    written: str
    day: int = 0
    month: int = 0
    year: int | None = None
    weekday: int | None = None


def _undecorated(written: str) -> tuple[str, bool]:
    """Small letters, single blanks, plain dashes; and whether the computer plays."""
    if len(written) > _MAX_WRITTEN:
        raise _Unread("away/unclear")
    text = clean(written).lower().strip("!, ")
    tail = _COMPUTER.search(text)
    return (text, False) if tail is None else (text[: tail.start()], True)


def _days_in(text: str, today: date) -> tuple[date, date]:
    """Return the first day of an absence, and the one on which the player is back. Raises _Unread."""
    if found := _BACK.fullmatch(text):
        back = _on_or_after(_read(found["back"], today), today + _DAY)
        if back is None or back <= today:
            raise _Unread("away/past")
        return today, back
    if found := _LONG.fullmatch(text):
        start = today if found["first"] is None else _first(_read(found["first"], today), today)
        count = _COUNTS[found["count"]] if found["count"] in _COUNTS else int(found["count"])
        if not count:
            raise _Unread("away/backwards")
        return start, start + count * (_DAY if found["days"] else 7 * _DAY)
    if found := _TWO_DATES.fullmatch(text) or _BETWEEN.fullmatch(text):
        return _between(_read(found["first"], today), _read(found["back"], today), today)
    day = _read(text, today)
    if text in _NEAR:
        return _first(day, today), _first(day, today) + _DAY
    # 3 Dec alone may be the first day, or the last.
    raise _Unread("away/one_day", day=plain(text))


def _between(first: _Day, last: _Day, today: date) -> tuple[date, date]:
    if first.month and first.year is None and last.year is not None:
        # The year stands behind the second day; the first is the last such day before it.
        is_before = (first.month, first.day) <= (last.month, last.day)
        first = replace(first, year=last.year if is_before else last.year - 1)
    start = _first(first, today)
    back = _on_or_after(last, start + _DAY)
    if back is None or back <= start:
        raise _Unread("away/backwards")
    return start, back


# ---- one day ----------------------------------------------------------------------------------------


def _read(text: str, today: date) -> _Day:
    """Read a day as it is written. Raises _Unread if it is none, or may be two days."""
    if text in _NEAR:
        near = today + _NEAR[text]
        return _Day(text, near.day, near.month, near.year)
    if text in _WEEKDAY_OF:
        return _Day(text, weekday=_WEEKDAY_OF[text])
    if found := _ISO.fullmatch(text) or _DOTTED.fullmatch(text):
        year = int(found["year"]) if found["year"] else None
        return _Day(text, int(found["day"]), int(found["month"]), year)
    if found := _NAMED.fullmatch(text):
        month = _MONTH_OF[found["month"] or found["month_first"]] + 1
        year = int(found["year"]) if found["year"] else None
        weekday = _WEEKDAY_OF[found["weekday"]] if found["weekday"] else None
        return _Day(text, int(found["day"] or found["day_last"]), month, year, weekday)
    if found := _EITHER.fullmatch(text):
        return _either(text, int(found["one"]), int(found["other"]))
    raise _Unread("away/unclear")


def _either(text: str, one: int, other: int) -> _Day:
    """Read `3/13`, as far as only one number can be the month. Raises _Unread if both can."""
    if one != other and 1 <= one <= 12 and 1 <= other <= 12:
        first, second = (short_day(date(2024, month, day)) for day, month in ((one, other), (other, one)))
        raise _Unread("away/two_days", day=plain(text), first=first, second=second)
    return _Day(text, other, one) if one <= 12 < other else _Day(text, one, other)


def _first(day: _Day, today: date) -> date:
    """Return the first day of an absence. Raises _Unread if it is over."""
    found = _on_or_after(day, today)
    if found is None or found < today:
        raise _Unread("away/past")
    return found


def _on_or_after(day: _Day, earliest: date) -> date | None:
    """Return the day that is meant, the next such day if it has no year; None if that is not soon.

    Raises _Unread if there is no such day, or it is another day of the week.
    """
    if not day.month and day.weekday is not None:
        return earliest + (day.weekday - earliest.weekday()) % 7 * _DAY
    years = [earliest.year, earliest.year + 1] if day.year is None else [day.year]
    found = [one for year in years if (one := _date(year, day.month, day.day)) is not None]
    if not found:
        raise _Unread("away/no_day", day=plain(day.written))
    soon = (one for one in found if 0 <= (one - earliest).days <= HORIZON)
    chosen = next(soon, None) if day.year is None else found[0]
    if chosen is not None and day.weekday not in (None, chosen.weekday()):
        weekday = table("mails.toml")["dates"]["days"][chosen.weekday()]
        raise _Unread("away/other_weekday", day=short_day(chosen), weekday=plain(weekday))
    return chosen


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
