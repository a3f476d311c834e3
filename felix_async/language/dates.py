"""Days as players write them, and the absence between two of them. Pure.

Days are those of the clock on the player's wall. A day without a year is the next such day. An absence begins
with its first day, or at once where that is today; its last day is the one on which the player is back, from
midnight on: `24 Nov to 3 Dec` ends as 3 Dec begins. What may be read in two ways is not guessed.

>>> now = "2026-11-20T17:00:00.000000Z"
>>> absence_named("24 Nov to 3 Dec", now, "Europe/Berlin")
Away(start='2026-11-23T23:00:00.000000Z', back='2026-12-02T23:00:00.000000Z', computer=False)
>>> absence_named("until 3/4", now, "UTC")
Unclear(code='away/two_days', details={'day': '3/4', 'first': '3 Apr', 'second': '4 Mar'})
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from typing import Final

from felix_async.language.data import table
from felix_async.language.phrases import phrase
from felix_async.language.words import AWAY_WORDS, COURTESIES, MONTHS, NUMBER_WORDS, WEEKDAYS
from felix_async.text import Harmless, plain
from felix_async.time.zones import instant, local_time

HORIZON: Final = 300
"""Days ahead in which a day without a year is looked for, and within which an absence begins."""
_MAX_WRITTEN: Final = 100
_MAX_BACK: Final = 100 * 366
"""Days ahead; what is further off is no plan, and near the end of the calendar."""
_MIDNIGHT: Final = time()
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Away:
    """An absence: from when until when (stored times), and whether the computer plays meanwhile."""

    start: str
    back: str
    computer: bool


@dataclass(frozen=True, slots=True)
class Unclear:
    """An absence that was not understood, as the code of a refusal and what its sentence needs."""

    code: str
    details: Mapping[str, int | Harmless] = field(default_factory=dict)


class _Unread(Exception):
    """Ends the reading; holds why."""

    def __init__(self, code: str, **details: int | Harmless) -> None:
        super().__init__(code)
        self.unclear = Unclear(code, details)


def absence_named(written: str, now: str, zone: str) -> Away | Unclear:
    """The absence that a player wrote, at a stored time and by the clock of their zone.

    It never begins before `now`, and ends later than it begins.
    """
    text = _undecorated(written)
    computer = False
    tail = _TAIL.search(text)
    if tail is not None:
        text, computer = text[: tail.start()].rstrip(" ,"), tail["computer"] is not None
    today = local_time(now, zone).date()
    try:
        first, back = _days_in(text, today)
    except _Unread as reason:
        return reason.unclear
    if (first - today).days > HORIZON or (back - today).days > _MAX_BACK:
        return Unclear("away/too_far")
    start = now if first == today else instant(first, _MIDNIGHT, zone)
    return Away(max(start, now), instant(back, _MIDNIGHT, zone), computer)


def absence_text(away: Away, now: str, zone: str) -> str:
    """The absence as an order says it; read again before its first day, or on it, it is the same."""
    back = local_time(away.back, zone).date()
    tail = f" {AWAY_WORDS['computer'][0]}" if away.computer else ""
    if away.start <= now:
        return f"{AWAY_WORDS['until'][0]} {back:%Y-%m-%d}{tail}"
    return f"{local_time(away.start, zone):%Y-%m-%d} {back:%Y-%m-%d}{tail}"


def is_absence(written: str) -> bool:
    """Whether this has the form of an absence, whatever its days are."""
    text = _undecorated(written)
    tail = _TAIL.search(text)
    text = text[: tail.start()].rstrip(" ,") if tail is not None else text
    return any(form.fullmatch(text) for form, _ in _FORMS)


def says_back(written: str) -> bool:
    """Whether this ends an absence: OFF."""
    return _undecorated(written) in AWAY_WORDS["off"]


def short_day(day: date) -> str:
    """A day without its year: `3 Dec`."""
    return phrase(
        "mails.dates.short", number=day.day, month=table("mails.toml")["dates"]["months"][day.month - 1]
    )


# ---- the forms in which an absence is written -------------------------------------------------------


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(set(words), key=len, reverse=True))


def _numbered(rows: Sequence[Sequence[str]]) -> Mapping[str, int]:
    return {word: number for number, words in enumerate(rows) for word in words}


_MONTH_OF: Final = _numbered(MONTHS)
_WEEKDAY_OF: Final = _numbered(WEEKDAYS)
_COUNTS: Final = {
    **{word: number for number, word in enumerate(NUMBER_WORDS)},
    **dict.fromkeys(AWAY_WORDS["one"], 1),
}
_DASHES: Final = dict.fromkeys(map(ord, "−–—‐‑‒"), "-")

_WEEKDAY: Final = rf"(?:{_any(_WEEKDAY_OF)})\.?"
_MONTH: Final = rf"(?:{_any(_MONTH_OF)})\.?"
_SUFFIX: Final = rf"(?:\.|{_any(AWAY_WORDS['ordinal'])})?"
_NUMBER: Final = rf"[0-9]{{1,2}}{_SUFFIX}"
_YEAR: Final = r"(?:,? ?[0-9]{4})?"
_OF: Final = rf"(?: (?:{_any(AWAY_WORDS['of'])}))?"
_FIGURES: Final = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}/[0-9]{1,2}(?:/(?:[0-9]{4}|[0-9]{2}))?"
    r"|[0-9]{1,2}\. ?[0-9]{1,2}(?:\. ?[0-9]{4}|\.[0-9]{2}|\.)?|[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}"
)
_ONE_DAY: Final = (
    rf"(?:(?:{_WEEKDAY},? )?(?:{_FIGURES}|{_NUMBER}{_OF} ?{_MONTH}{_YEAR}|{_MONTH} {_NUMBER}{_YEAR})"
    rf"|{_WEEKDAY}|{_any(AWAY_WORDS['today'])}|{_any(AWAY_WORDS['tomorrow'])})"
)
_UNTIL: Final = rf"(?:{_any(AWAY_WORDS['until'])})"
_FROM: Final = rf"(?:{_any(AWAY_WORDS['from'])})"
_FOR: Final = rf"(?:{_any(AWAY_WORDS['for'])})"
_BETWEEN: Final = rf"(?: ?- ?|,? {_UNTIL} )"
_LENGTH: Final = (
    rf"(?P<count>[0-9]{{1,4}}|{_any(_COUNTS)}) "
    rf"(?:(?P<days>{_any(AWAY_WORDS['days'])})|(?:{_any(AWAY_WORDS['weeks'])}))"
)
_TAIL: Final = re.compile(
    rf"(?:^|,? )(?:(?P<computer>{_any(AWAY_WORDS['computer'])})|{_any(AWAY_WORDS['clock'])})$"
)
_COURTESY: Final = re.compile(rf",? (?:{_any(COURTESIES)})$")

_ISO: Final = re.compile(r"(?P<year>[0-9]{4})[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})")
_DOTTED: Final = re.compile(
    r"(?P<day>[0-9]{1,2})\. ?(?P<month>[0-9]{1,2})(?:\. ?(?P<year>[0-9]{4})|\.(?P<short>[0-9]{2})|\.)?"
)
_EITHER: Final = re.compile(
    r"(?P<one>[0-9]{1,2})[-/](?P<other>[0-9]{1,2})(?:[-/](?:(?P<year>[0-9]{4})|(?P<short>[0-9]{2})))?"
)
_NAMED: Final = re.compile(
    rf"(?:(?P<day>[0-9]{{1,2}}){_SUFFIX}{_OF} ?(?P<month>{_MONTH})"
    rf"|(?P<month_first>{_MONTH}) (?P<day_last>[0-9]{{1,2}}){_SUFFIX})(?:,? ?(?P<year>[0-9]{{4}}))?"
)
_WITH_WEEKDAY: Final = re.compile(rf"(?P<weekday>{_WEEKDAY}),? (?P<rest>.+)")


@dataclass(frozen=True, slots=True)
class _Day:
    """A day as far as it was written: with a number and perhaps a month, or a day of the week alone."""

    written: str
    day: int | None = None
    month: int | None = None
    year: int | None = None
    weekday: int | None = None


def _undecorated(written: str) -> str:
    """Small letters, single blanks, plain dashes, and no please at the end."""
    if len(written) > _MAX_WRITTEN:
        return ""
    text = " ".join(written.translate(_DASHES).lower().split()).strip("!, ")
    return _COURTESY.sub("", text)


def _days_in(text: str, today: date) -> tuple[date, date]:
    """The first day of an absence, and the one on which the player is back. Raises _Unread."""
    for form, read in _FORMS:
        found = form.fullmatch(text)
        if found is not None:
            return read(found, today)
    raise _Unread("away/unclear")


def _until(found: re.Match[str], today: date) -> tuple[date, date]:
    back = _on_or_after(_read(found["back"], today), today + _DAY)
    if back is None or back <= today:
        raise _Unread("away/past")
    return today, back


def _between(found: re.Match[str], today: date) -> tuple[date, date]:
    first, last = _read(found["first"], today), _read(found["back"], today)
    if first.day is not None and first.month is None:
        first = _Day(first.written, first.day, last.month, last.year, first.weekday)
    if last.day is not None and last.month is None:
        last = _Day(last.written, last.day, first.month, first.year, last.weekday)
    if first.day is not None and first.year is None and last.year is not None:
        # The year stands behind the second day; the first is the last such day before it.
        is_before = (first.month, first.day) <= (last.month, last.day)
        year = last.year if is_before else last.year - 1
        first = _Day(first.written, first.day, first.month, year, first.weekday)
    start = _first(first, today)
    return start, _back(last, start)


def _long(found: re.Match[str], today: date) -> tuple[date, date]:
    start = today if found["first"] is None else _first(_read(found["first"], today), today)
    count = _COUNTS[found["count"]] if found["count"] in _COUNTS else int(found["count"])
    if not count:
        raise _Unread("away/backwards")
    return start, start + count * (_DAY if found["days"] else 7 * _DAY)


def _one(found: re.Match[str], today: date) -> tuple[date, date]:
    text = found["first"]
    if text in AWAY_WORDS["today"] or text in AWAY_WORDS["tomorrow"]:
        day = _first(_read(text, today), today)
        return day, day + _DAY
    # 3 Dec alone may be the first day, or the last.
    raise _Unread("away/one_day", day=plain(text))


_FORMS: Final = tuple(
    (re.compile(form), read)
    for form, read in (
        (rf"{_UNTIL}:? (?P<back>{_ONE_DAY})", _until),
        (rf"(?:{_FROM} )?(?P<first>{_ONE_DAY}|{_NUMBER}){_BETWEEN}(?P<back>{_ONE_DAY}|{_NUMBER})", _between),
        (r"(?P<first>[0-9]{4}-[0-9]{2}-[0-9]{2}) (?P<back>[0-9]{4}-[0-9]{2}-[0-9]{2})", _between),
        (rf"(?:{_FOR} )?{_LENGTH}(?:,? {_FROM} (?P<first>{_ONE_DAY}))?", _long),
        (rf"(?:{_FROM} )?(?P<first>{_ONE_DAY}),? {_FOR} {_LENGTH}", _long),
        (rf"(?:{_FROM} )?(?P<first>{_ONE_DAY})", _one),
    )
)


# ---- one day ----------------------------------------------------------------------------------------


def _read(text: str, today: date) -> _Day:
    """A day as it is written. Raises _Unread where it may be two days."""
    if text in AWAY_WORDS["today"] or text in AWAY_WORDS["tomorrow"]:
        near = today if text in AWAY_WORDS["today"] else today + _DAY
        return _Day(text, near.day, near.month, near.year)
    if text.rstrip(".") in _WEEKDAY_OF:
        return _Day(text, weekday=_WEEKDAY_OF[text.rstrip(".")])
    with_weekday = _WITH_WEEKDAY.fullmatch(text)
    weekday = _WEEKDAY_OF[with_weekday["weekday"].rstrip(".")] if with_weekday else None
    rest = with_weekday["rest"] if with_weekday else text
    if found := _ISO.fullmatch(rest) or _DOTTED.fullmatch(rest):
        return _Day(text, int(found["day"]), int(found["month"]), _year_in(found), weekday)
    if found := _EITHER.fullmatch(rest):
        day, month = _day_and_month(text, int(found["one"]), int(found["other"]))
        return _Day(text, day, month, _year_in(found), weekday)
    if found := _NAMED.fullmatch(rest):
        month = _MONTH_OF[(found["month"] or found["month_first"]).rstrip(".")] + 1
        return _Day(text, int(found["day"] or found["day_last"]), month, _year_in(found), weekday)
    digits = re.match("[0-9]+", rest)
    assert digits is not None, "a form has a day where it asks for one"
    return _Day(text, int(digits[0]), weekday=weekday)


def _year_in(found: re.Match[str]) -> int | None:
    groups = found.groupdict()
    if groups.get("short"):
        return 2000 + int(groups["short"])
    return int(groups["year"]) if groups["year"] else None


def _day_and_month(text: str, one: int, other: int) -> tuple[int, int]:
    """Which of two numbers is the day. Raises _Unread where both may be."""
    if one != other and 1 <= one <= 12 and 1 <= other <= 12:
        months = table("mails.toml")["dates"]["months"]
        first = phrase("mails.dates.short", number=one, month=months[other - 1])
        second = phrase("mails.dates.short", number=other, month=months[one - 1])
        raise _Unread("away/two_days", day=plain(text), first=plain(first), second=plain(second))
    return (other, one) if one <= 12 < other else (one, other)


def _first(day: _Day, today: date) -> date:
    """The first day of an absence. Raises _Unread where it is over."""
    found = _on_or_after(day, today)
    if found is None or found < today:
        raise _Unread("away/past")
    return found


def _back(day: _Day, first: date) -> date:
    """The day after the first on which the player is back. Raises _Unread where there is none."""
    found = _on_or_after(day, first + _DAY)
    if found is None or found <= first:
        raise _Unread("away/backwards")
    return found


def _on_or_after(day: _Day, earliest: date) -> date | None:
    """The day that is meant, the next such day where it has no year; None where that is not soon.

    Raises _Unread where there is no such day, or it is another day of the week.
    """
    if day.day is None and day.weekday is not None:
        return earliest + (day.weekday - earliest.weekday()) % 7 * _DAY
    if day.day is None or day.month is None:
        raise _Unread("away/unclear")
    years = [earliest.year, earliest.year + 1] if day.year is None else [day.year]
    found = [one for year in years if (one := _date(year, day.month, day.day)) is not None]
    if not found:
        raise _Unread("away/no_day", day=plain(day.written))
    chosen = _soon(found, earliest) if day.year is None else found[0]
    if chosen is not None and day.weekday not in (None, chosen.weekday()):
        weekday = table("mails.toml")["dates"]["days"][chosen.weekday()]
        raise _Unread("away/other_weekday", day=plain(short_day(chosen)), weekday=plain(weekday))
    return chosen


def _soon(days: Sequence[date], earliest: date) -> date | None:
    return next((day for day in days if 0 <= (day - earliest).days <= HORIZON), None)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
