"""Time zones as text: a name of the zone database (`Europe/Berlin`), a fixed offset (`+01:00`), or `UTC`.

A name knows when its clocks are changed; an offset never changes. Nothing but names of the database is looked
up there, since it opens a file by what it is asked for.

>>> zone_named("new york")
'America/New_York'
>>> zone_named("UTC+5:30")
'+05:30'
>>> zone_named("Berlln")
Unknown(nearest=('Europe/Berlin',))
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from felix_async.clock import text_of, time_of

MAX_OFFSET: Final = 14 * 60
"""Minutes: no place on earth is further from UTC."""
DEFAULT_ZONE: Final = "UTC"
"""The zone of everybody of whom no place is known."""
UTC_ZONES: Final = frozenset({DEFAULT_ZONE, "+00:00"})
"""The same as the settings write it, and as an offset."""
NEAREST: Final = 3
"""Zones that are named at most if one was not known."""
_ALIKE: Final = 0.7
"""Likeness of two words of which one may be a slip for the other; the same word is 1."""
_MAX_WRITTEN: Final = 60
_OFFSET: Final = re.compile(r"([+-])([0-9]{2}):([0-9]{2})")
_WRITTEN_OFFSET: Final = re.compile(
    r"(?:utc|gmt)?\s*(?P<sign>[+-])\s*(?P<hours>[0-9]{1,2})(?::?(?P<minutes>[0-9]{2}))?", re.IGNORECASE
)
_UTC: Final = frozenset({"utc", "gmt"})
_DATE: Final = re.compile(
    r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\s+(?:(?P<offset>[+-][0-9]{4})|(?P<name>[A-Z]{2,3}))(?![0-9A-Z:])"
)
_OBSOLETE: Final = {
    "UT": 0, "UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
    "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip
"""Names of zones that a message's Date may hold (RFC 5322, section 4.3), in hours."""
_NO_PLACES: Final = frozenset({"Etc", "SystemV"})
_WINTER, _SUMMER = datetime(2026, 1, 15, tzinfo=UTC), datetime(2026, 7, 15, tzinfo=UTC)
WELL_KNOWN: Final = (
    "Europe/London", "Europe/Berlin", "Europe/Paris", "Europe/Madrid", "Europe/Rome", "Europe/Athens",
    "Europe/Helsinki", "Europe/Istanbul", "Europe/Moscow", "Atlantic/Azores", "Atlantic/Reykjavik",
    "America/New_York", "America/Chicago", "America/Denver", "America/Phoenix", "America/Los_Angeles",
    "America/Anchorage", "Pacific/Honolulu", "America/Halifax", "America/St_Johns", "America/Toronto",
    "America/Mexico_City", "America/Bogota", "America/Lima", "America/Caracas", "America/Santiago",
    "America/Sao_Paulo", "America/Argentina/Buenos_Aires", "Atlantic/South_Georgia", "Atlantic/Cape_Verde",
    "Africa/Lagos", "Africa/Casablanca", "Africa/Accra", "Africa/Johannesburg", "Africa/Cairo",
    "Africa/Nairobi", "Asia/Jerusalem", "Asia/Riyadh", "Asia/Tehran", "Asia/Dubai", "Asia/Kabul",
    "Asia/Karachi", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Dhaka", "Asia/Yangon", "Asia/Bangkok",
    "Asia/Jakarta", "Asia/Shanghai", "Asia/Singapore", "Asia/Hong_Kong", "Asia/Manila", "Australia/Perth",
    "Asia/Tokyo", "Asia/Seoul", "Australia/Adelaide", "Australia/Darwin", "Australia/Sydney",
    "Australia/Brisbane", "Pacific/Noumea", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Tongatapu",
    "Pacific/Apia", "Pacific/Kiritimati", "Pacific/Marquesas", "Pacific/Pago_Pago",
)  # fmt: skip
"""Zones by which people know theirs, the likely ones of each offset first."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A zone that was not understood, and the nearest ones that may have been meant, at most three."""

    nearest: tuple[str, ...] = ()


class Located(Protocol):
    """The known place of a player: the zone that they confirmed, and the offset of their mails."""

    @property
    def zone(self) -> str: ...

    @property
    def offset(self) -> str: ...


def zone_for(choice: Located | None, default: str) -> str:
    """Return the zone of a player: the confirmed one, else the offset of their mails, else the server's."""
    return default if choice is None else choice.zone or choice.offset or default


def is_zone(text: str) -> bool:
    """Return True if this is a zone as felix writes it."""
    return text in UTC_ZONES or is_place(text) or _minutes_of(text) is not None


def is_place(text: str) -> bool:
    """Return True if this is a name of the database, and not an offset."""
    return text in _names()


@cache
def zone_of(text: str) -> tzinfo:
    """Return the zone of this text. Raises ValueError if it is none."""
    minutes = 0 if text in UTC_ZONES else _minutes_of(text)
    if minutes is not None:
        return timezone(timedelta(minutes=minutes))
    if not is_place(text):
        raise ValueError(f"{text!r} is no time zone")
    return ZoneInfo(text)


def zone_named(written: str) -> str | Unknown:
    """Return the zone that a player wrote: an offset, or a place of the database, in full or the city alone.

    Abbreviations and countries are not taken, because most of them mean several zones, or one without its
    summer time; they are answered with the places that use them.
    """
    if len(written) > _MAX_WRITTEN:
        return Unknown()
    text = written.strip()
    offset = _WRITTEN_OFFSET.fullmatch(text)
    if offset is not None:
        minutes = int(offset["hours"]) * 60 + int(offset["minutes"] or 0)
        sane = _is_sane(minutes) and int(offset["minutes"] or 0) < 60
        return _offset_text(-minutes if offset["sign"] == "-" else minutes) if sane else Unknown()
    if text.lower() in _UTC:
        return _offset_text(0)
    named = (_places().get(_folded(part)) for part in (text, text.partition(",")[0]))
    found = next(filter(None, named), None)
    if found is None:
        return Unknown(_nearest(_folded(text)))
    return found[0] if len(found) == 1 else Unknown(found[:NEAREST])


def guessed_offset(header: str) -> str | None:
    """Return the offset in a message's Date header (RFC 5322, section 3.3), None if it says nothing of use.

    `-0000` says that the offset is not known; more than 14 hours and odd minutes are no zone.
    """
    found = _DATE.search(header[:_MAX_WRITTEN])
    if found is None or found["offset"] == "-0000":
        return None
    if found["name"] is not None:
        return None if found["name"] not in _OBSOLETE else _offset_text(_OBSOLETE[found["name"]] * 60)
    sign, hours, odd = found["offset"][0], int(found["offset"][1:3]), int(found["offset"][3:])
    minutes = hours * 60 + odd
    if odd >= 60 or not _is_sane(minutes):
        return None
    return _offset_text(-minutes if sign == "-" else minutes)


def local_time(at: str, zone: str) -> datetime:
    """Return a stored time as the clocks of a zone show it. Raises ValueError if either is none."""
    return time_of(at).astimezone(zone_of(zone))


def offset_at(at: str, zone: str) -> str:
    """Return the offset that a zone has at a stored time: `+01:00`."""
    offset = local_time(at, zone).utcoffset() or timedelta()
    return _offset_text(round(offset.total_seconds() / 60))


def zones_like(offset: str, at: str) -> list[str]:
    """Return two or three well-known zones that have this offset at a stored time, fewer if there are fewer.

    Those that change their clocks differently come first: they are what is to be told apart.
    """
    alike = [name for name in WELL_KNOWN if offset_at(at, name) == offset]
    by_rule: dict[tuple[object, object], str] = {}
    for name in alike:
        by_rule.setdefault(_rule(name), name)
    chosen = list(dict.fromkeys((*by_rule.values(), *alike)))[:NEAREST]
    return chosen or [name for name in _canonical() if offset_at(at, name) == offset][:NEAREST]


def instant(day: date, at: time, zone: str) -> str:
    """Return the stored time at which the clocks of a zone show this day and time.

    If they jump over it, it is taken as if they had not jumped yet, so it comes after the gap; if they show
    it twice, it is the first.
    """
    return text_of(_reading(day, at, zone, fold=0))


def second_instant(day: date, at: time, zone: str) -> str:
    """Return the same, but the second if the clocks show it twice; if they jump over it, as if they had."""
    return text_of(_reading(day, at, zone, fold=1))


def _reading(day: date, at: time, zone: str, *, fold: int) -> datetime:
    return datetime.combine(day, at.replace(tzinfo=None, fold=fold), zone_of(zone))


def _rule(name: str) -> tuple[object, object]:
    """Return the offsets of January and July, which tell zones of one offset apart."""
    zone = zone_of(name)
    return _WINTER.astimezone(zone).utcoffset(), _SUMMER.astimezone(zone).utcoffset()


def _is_sane(minutes: int) -> bool:
    return minutes <= MAX_OFFSET and minutes % 15 == 0


def _minutes_of(text: str) -> int | None:
    """Return the minutes of an offset as felix writes it, None if it is none."""
    found = _OFFSET.fullmatch(text)
    if found is None:
        return None
    minutes = int(found[2]) * 60 + int(found[3])
    minutes = -minutes if found[1] == "-" else minutes
    return minutes if _is_sane(abs(minutes)) and _offset_text(minutes) == text else None


def _offset_text(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


@cache
def _names() -> frozenset[str]:
    """The names of the database that are places: no `Etc/GMT+5`, whose sign is not what people expect."""
    lines = files("tzdata").joinpath("zones").read_text("utf-8").split()
    return frozenset(name for name in lines if "/" in name and name.split("/")[0] not in _NO_PLACES)


@cache
def _countries() -> Mapping[str, tuple[str, ...]]:
    """By country, as `_folded`: its zones, the most populous ones first."""
    folder = files("tzdata").joinpath("zoneinfo")
    zones: dict[str, list[str]] = {}
    for code, _, name, *_ in _rows(folder.joinpath("zone.tab").read_text("utf-8")):
        zones.setdefault(code, []).append(name)
    countries = dict(_rows(folder.joinpath("iso3166.tab").read_text("utf-8")))
    return {
        _folded(name): tuple(zones[code])
        for code, country in countries.items()
        if code in zones
        for name in re.split(r"[()]", country)
        if name
    }


def _rows(text: str) -> Iterable[list[str]]:
    return (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))


@cache
def _canonical() -> tuple[str, ...]:
    """The names that are no other's old name, those that many people know first."""
    listed = (name for names in _countries().values() for name in names)
    return tuple(dict.fromkeys((*WELL_KNOWN, *sorted(name for name in listed if name in _names()))))


@cache
def _places() -> Mapping[str, tuple[str, ...]]:
    """By what a player may write, as `_folded`: the zones of that name; old names if no new one fits."""
    places: dict[str, list[str]] = {}
    for name in _canonical():
        places.setdefault(_folded(name.rpartition("/")[2]), []).append(name)
    old: dict[str, list[str]] = {}
    for name in sorted(_names() - set(_canonical())):
        old.setdefault(_folded(name.rpartition("/")[2]), []).append(name)
    full = {_folded(name): [name] for name in _names()}
    return {written: tuple(names) for written, names in {**old, **places, **full}.items()}


@cache
def _abbreviations() -> Mapping[str, tuple[str, ...]]:
    """By abbreviation, in small letters: the well-known zones that use it."""
    found: dict[str, dict[str, None]] = {}
    for name in WELL_KNOWN:
        for day in (_WINTER, _SUMMER):
            short = day.astimezone(zone_of(name)).tzname() or ""
            found.setdefault(short.lower(), {})[name] = None
    return {short: tuple(names) for short, names in found.items() if short.isalpha()}


def _nearest(folded: str) -> tuple[str, ...]:
    named = _abbreviations().get(folded) or _countries().get(folded)
    if named:
        return named[:NEAREST]
    area, _, city = folded.partition(" ")
    there = [name for name in _canonical() if _folded(name).startswith(f"{area} ")]
    if there:
        cities = {_folded(name.rpartition("/")[2]): (name,) for name in there}
        return _close(city, cities) if city else tuple(there[:NEAREST])
    known = set(_canonical())
    return tuple(zone for zone in _close(folded, {**_countries(), **_places()}) if zone in known)


def _close(folded: str, named: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The zones whose name is written nearly like this."""
    close = get_close_matches(folded, named, n=NEAREST, cutoff=_ALIKE)
    return tuple(dict.fromkeys(zone for one in close for zone in named[one]))[:NEAREST]


def _folded(text: str) -> str:
    """Small letters without accents, and blanks for all that is no letter or digit."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return " ".join(re.sub(r"[^\w]|_", " ", bare.casefold()).split())
