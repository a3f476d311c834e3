"""The clock of a game in plain words, read and written. Pure.

A clock is a time for each move, perhaps with a reserve and without weekends, with commas, `and` or `plus`
between them; or `no clock`. Anything else is refused with examples that are read, and never guessed at.

>>> terms_named("a week's bank plus 12 hours a move")
Terms(move=43200, reserve=604800, weekends=True, zone='UTC', away=1814400)
>>> terms_text(terms_named("3d, no weekends in new york"))
'3 days a move, weekends do not count (America/New_York)'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final

from felix_async.language.data import DEFAULT, any_of, folder_of, read_table
from felix_async.language.phrases import joined, phrase
from felix_async.language.words import CLOCK_WORDS
from felix_async.text import Harmless, clean, plain
from felix_async.time.times import counted, offset_text
from felix_async.time.zones import DEFAULT_ZONE, UTC_ZONES, Unknown, is_place, zone_named
from felix_events.timing import Terms

HOUR: Final = 3600
DAY: Final = 24 * HOUR
LEAST: Final = HOUR
"""Seconds of a move or of a reserve that may be asked for."""
MOST: Final = 60 * DAY
AWAY: Final = 21 * DAY
"""Seconds that a player may be absent in a game, if nobody says otherwise."""
_MAX_WRITTEN: Final = 200
_SHOWN: Final = 60
_LONGEST_WHY: Final = 500
_SECONDS: Final = {"weeks": 7 * DAY, "days": DAY, "hours": HOUR, "minutes": 60, "seconds": 1}
_ANY_TIME: Final = "2026-01-01T00:00:00.000000Z"
"""An offset is the same at all times."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why a clock cannot be taken as it was written, and what to write instead, in sentences."""

    why: Harmless


@dataclass(frozen=True, slots=True)
class Said:
    """The words of somebody about a clock; None, or '' for the zone, if they said nothing of it."""

    none: bool | None = None
    move: int | None = None
    reserve: int | None = None
    weekends: bool | None = None
    zone: str = ""

    def beside(self, other: Said) -> Said | Unclear:
        """Return both together; they must not contradict each other."""
        both: dict[str, Any] = {}
        for name in (one.name for one in fields(Said)):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine not in (None, "") and theirs not in (None, "") and mine != theirs:
                return _unclear("twice")
            both[name] = theirs if mine in (None, "") else mine
        return Said(**both)


SILENT: Final = Said()


# ---- reading ----------------------------------------------------------------------------------------


def said_in(text: str) -> Said | Unclear | None:
    """Return what a text says about a clock; None if it is about something else."""
    return _said_in(text, _words())


def mentions_clock(text: str) -> bool:
    """Return True if something in a text looks like a clock, also if the rest of it does not."""
    return "@" not in text and _words().mentioned.search(_small(text)) is not None


def unclear_clock(text: str) -> Unclear:
    """Return the refusal of a text in which no clock could be read."""
    return _unclear("unclear", text=plain(text, _SHOWN))


def terms_of(said: Said, default: Terms | None, zone: str, away: int = AWAY) -> Terms | Unclear | None:
    """Return the clock that somebody asks for; None is no clock.

    If no time is named it is that of the `default`, and so are its weekends if nothing is said about those.
    `zone` is where weekends are that do not count, if no other was named.
    """
    if said == SILENT:
        return default
    if said.none:
        return None if said == Said(none=True) else _unclear("both")
    if said.move is None and said.reserve is not None:
        return _unclear("no_move")
    if said.move is None and default is None:
        return _unclear("no_clock")
    move, reserve = said.move, said.reserve or 0
    if move is None:
        assert default is not None, "refused without one"
        move, reserve = default.move, default.reserve
    counts, where = said.weekends, said.zone or zone
    if counts is None:
        counts = default is None or default.weekends
        where = DEFAULT_ZONE if default is None else default.zone
    # If weekends count, no zone matters, and the log need not say where anybody lives.
    return Terms(move=move, reserve=reserve, weekends=counts, zone=_kept(where, counts), away=away)


def terms_named(
    written: str, default: Terms | None = None, zone: str = DEFAULT_ZONE, away: int = AWAY
) -> Terms | Unclear | None:
    """Return the clock in an operator's words, which may be English in any language; `none` is no clock."""
    if _small(written) in _words().no | _english().no:
        return None
    said = said_in(written)
    if not isinstance(said, Said):
        # The text may be a default of felix's own, which is English everywhere.
        english = _said_in(written, _english())
        said = english if isinstance(english, Said) else said
    if said is None:
        said = unclear_clock(written)
    return said if isinstance(said, Unclear) else terms_of(said, default, zone, away)


def _said_in(text: str, words: _Words) -> Said | Unclear | None:
    if "@" in text or len(text) > _MAX_WRITTEN:
        return None
    small = _small(text)
    label = words.label.match(small)
    rest = small[label.end() :] if label is not None else small
    if label is not None and rest in words.no:
        return Said(none=True)
    parts = [_said_by(part, words) for part in words.between.split(rest)]
    together = SILENT
    for said in parts:
        if None in parts or said is None:
            return unclear_clock(text) if label is not None and label["colon"] else None
        both = said if isinstance(said, Unclear) else together.beside(said)
        if isinstance(both, Unclear):
            return both
        together = both
    return together


def _said_by(part: str, words: _Words) -> Said | Unclear | None:
    """Read one part of a clock: a time, a reserve, weekends, or that there is none."""
    if part in words.none:
        return Said(none=True)
    if part in words.weekends:
        return Said(weekends=True)
    if found := words.no_weekends.fullmatch(part):
        return _without_weekends(found["named"] or found["shown"] or "")
    found = words.time.fullmatch(part)
    if found is None:
        return None
    lengths = words.length.finditer(found["lengths"])
    seconds = sum(_number(one["count"], words) * words.units[one["unit"]] for one in lengths)
    if not LEAST <= seconds <= MOST:
        return _unclear("short" if seconds < LEAST else "long")
    return Said(reserve=seconds) if found["reserve"] else Said(move=seconds)


def _without_weekends(written: str) -> Said | Unclear:
    zone = zone_named(written) if written else ""
    if not isinstance(zone, Unknown):
        return Said(weekends=False, zone=_kept(zone, counts=False))
    shown = plain(written, _SHOWN)
    if not zone.nearest:
        return _unclear("zone", zone=shown)
    return _unclear("zone_nearest", zone=shown, names=joined(zone.nearest), first=zone.nearest[0])


def _number(count: str, words: _Words) -> int:
    return words.numbers[count] if count in words.numbers else int(count)


def _unclear(fault: str, **values: str) -> Unclear:
    return Unclear(plain(phrase(f"people.clock.faults.{fault}", **values), _LONGEST_WHY))


def _small(text: str) -> str:
    return clean(text[: _MAX_WRITTEN + 1]).lower().strip(" .!")


def _kept(zone: str, counts: bool) -> str:
    """The zone as a clock keeps it: one name for UTC, and that one if it does not matter."""
    return DEFAULT_ZONE if counts or zone in UTC_ZONES else zone


# ---- writing ----------------------------------------------------------------------------------------


def terms_text(terms: Terms | None) -> str:
    """Return a clock in words, as `said_in` reads them."""
    if terms is None:
        return phrase("people.clock.none")
    text = phrase("people.clock.move", time=" ".join(counted(terms.move)))
    if terms.reserve:
        text = phrase("people.clock.reserve", move=text, time=_reserve(terms.reserve))
    if terms.weekends:
        return text
    zone = terms.zone
    shown = zone if is_place(zone) and zone not in UTC_ZONES else offset_text(_ANY_TIME, zone)
    return phrase("people.clock.no_weekends", terms=text, zone=shown)


def _reserve(seconds: int) -> str:
    """A length of time in its largest units; in weeks if it is nothing else."""
    weeks, rest = divmod(seconds, _SECONDS["weeks"])
    if rest:
        return " ".join(counted(seconds))
    one = weeks == 1
    return phrase("people.clock.lengths.week") if one else phrase("people.clock.lengths.weeks", count=weeks)


# ---- the words --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a language, as what they are looked for with."""

    label: re.Pattern[str]
    between: re.Pattern[str]
    time: re.Pattern[str]
    length: re.Pattern[str]
    no_weekends: re.Pattern[str]
    mentioned: re.Pattern[str]
    none: frozenset[str]
    weekends: frozenset[str]
    no: frozenset[str]
    numbers: Mapping[str, int]
    units: Mapping[str, int]


@cache
def _words() -> _Words:
    return _words_of(CLOCK_WORDS)


@cache
def _english() -> _Words:
    orders = read_table(folder_of(DEFAULT), "orders.toml")
    return _words_of({**orders["clock"], "numbers": orders["words"]["numbers"]})


def _words_of(table: Mapping[str, Any]) -> _Words:
    units = {word: _SECONDS[unit] for unit, words in table["units"].items() for word in words}
    numbers = {word: number for number, word in enumerate(table["numbers"])} | dict.fromkeys(table["one"], 1)
    length = rf"(?P<count>[0-9]{{1,9}}|{any_of(numbers)}(?!\w)) ?(?P<unit>{any_of(units)})(?![\w'])"
    unnamed = re.sub(r"\?P<\w+>", "?:", length)
    weekends = any_of([*table["no_weekends"], *table["weekends"]])
    return _Words(
        label=re.compile(rf"{any_of(table['names'])}(?: ?(?P<colon>:) ?| )"),
        between=re.compile(rf" ?[,;] ?| (?:{any_of(table['between'])}) "),
        time=re.compile(
            rf"(?P<lengths>{unnamed}(?: {unnamed})*)"
            rf"(?: ?(?:{any_of(table['move'])}|(?P<reserve>{any_of(table['reserve'])})))?"
        ),
        length=re.compile(length),
        no_weekends=re.compile(
            rf"{any_of(table['no_weekends'])}(?: {any_of(table['zone'])} (?P<named>.+)| ?\((?P<shown>.+)\))?"
        ),
        mentioned=re.compile(rf"(?<!\w)(?:{unnamed}|(?:{any_of(table['none'])}|{weekends})(?![\w']))"),
        none=frozenset(table["none"]),
        weekends=frozenset(table["weekends"]),
        no=frozenset(table["no"]),
        numbers=numbers,
        units=units,
    )
