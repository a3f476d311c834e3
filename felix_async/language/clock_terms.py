"""The clock of a game in plain words, read and written. Pure.

What people write is taken to pieces that are known: times, what they are for, weekends, `no clock`. One word
that is not known, and nothing is taken from it. A person's time is never guessed.

>>> terms_named("a week's bank plus 12 hours a move")
Terms(move=43200, reserve=604800, weekends=True, zone='UTC', away=1814400)
>>> terms_text(terms_named("3d per move, weekdays only in new york"))
'3 days a move, weekends do not count (America/New_York)'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cache
from typing import Any, Final

from felix_async.language.data import DEFAULT, folder_of, read_table
from felix_async.language.phrases import joined, phrase
from felix_async.language.words import CLOCK_WORDS
from felix_async.text import clean, plain
from felix_async.time.times import counted, offset_text
from felix_async.time.zones import DEFAULT_ZONE, UTC_ZONES, Unknown, is_place, zone_named
from felix_events.timing import Terms

HOUR: Final = 3600
DAY: Final = 24 * HOUR
LEAST: Final = HOUR
"""Seconds of a move or of a reserve that may be asked for."""
MOST: Final = 60 * DAY
AWAY: Final = 21 * DAY
"""Seconds that a player may be absent in a game, where nobody says otherwise."""
_MAX_WRITTEN: Final = 200
_SHOWN: Final = 60
_SECONDS: Final = {"weeks": 7 * DAY, "days": DAY, "hours": HOUR, "minutes": 60, "seconds": 1}
_ANY_TIME: Final = "2026-01-01T00:00:00.000000Z"
"""An offset is the same at all times."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why a clock cannot be taken as it was written, and what to write instead, in sentences."""

    why: str


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said about a clock; None, or '' for the zone, where they said nothing of it."""

    none: bool | None = None
    move: int | None = None
    reserve: int | None = None
    weekends: bool | None = None
    zone: str = ""

    def beside(self, other: Said) -> Said | Unclear:
        """Both together; they must not contradict each other."""
        both: dict[str, Any] = {}
        for name in (one.name for one in fields(Said)):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine not in (None, "") and theirs not in (None, "") and mine != theirs:
                return Unclear(phrase("people.clock.faults.twice"))
            both[name] = theirs if mine in (None, "") else mine
        return Said(**both)


SILENT: Final = Said()


class _Fault(Exception):
    """The words are known, and make no clock."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(slots=True)
class _Time:
    """A length of time, and what it is for: `move`, `reserve`, or '' where that was not said."""

    seconds: Fraction
    unit: int
    use: str
    is_told: bool = False
    """Whether what it is for was said behind it, which ends it."""


@dataclass(slots=True)
class _Pieces:
    """What was found in a text, from left to right; `use` waits for its time."""

    times: list[_Time] = field(default_factory=list)
    last: str = ""
    use: str = ""
    none: bool = False
    weekends: set[bool] = field(default_factory=set)
    zone: str = ""
    is_twice: bool = False
    """Whether one time is said to be for two things."""
    is_whole: bool = True
    """Whether every word was known."""

    @property
    def tells(self) -> bool:
        """Whether anything of a clock was found."""
        return bool(self.times or self.none or self.weekends)

    def add_time(self, seconds: Fraction, unit: int, *, is_joined: bool) -> None:
        """Enter a length: `6 hours` behind `1 day` are a part of it."""
        before = self.times[-1] if self.times else None
        goes_on = self.last == "amount" or (self.last == "together" and is_joined)
        if before is not None and goes_on and unit < before.unit and not before.is_told:
            before.seconds += seconds
            before.unit = unit
        else:
            self.times.append(_Time(seconds, unit, self.use))
            self.use = ""

    def add_use(self, use: str) -> None:
        """Say what the time before it is for, or else the one behind it."""
        before = self.times[-1] if self.times else None
        if self.last == "amount" and before is not None and not before.use:
            before.use = use
            before.is_told = True
        elif before is None or before.use != use:
            self.is_twice |= bool(self.use)
            self.use = use


# ---- reading ----------------------------------------------------------------------------------------


def said_in(text: str) -> Said | Unclear | None:
    """What a text says about a clock; None where it is about something else."""
    return _said_in(text, _words())


def mentions_clock(text: str) -> bool:
    """Whether something in a text looks like a clock, also where the rest of it does not."""
    try:
        return "@" not in text and _pieces_of(_small(text), _words()).tells
    except _Fault:
        return True


def unclear_clock(text: str) -> Unclear:
    """No clock could be read in this."""
    return Unclear(phrase("people.clock.faults.unclear", text=plain(text, _SHOWN)))


def terms_of(said: Said, default: Terms | None, zone: str, away: int = AWAY) -> Terms | Unclear | None:
    """The clock that somebody asks for; None is no clock.

    Who names no time gets that of the `default`, and its weekends who says nothing about those. `zone` is
    where weekends are that do not count, if no other was named.
    """
    if said == SILENT:
        return default
    if said.none:
        return None if said == Said(none=True) else Unclear(phrase("people.clock.faults.both"))
    if said.move is None and said.reserve is not None:
        return Unclear(phrase("people.clock.faults.no_move"))
    if said.move is None and default is None:
        return Unclear(phrase("people.clock.faults.no_clock"))
    move, reserve = said.move, said.reserve or 0
    if move is None:
        assert default is not None, "refused without one"
        move, reserve = default.move, default.reserve
    counts, where = said.weekends, said.zone or zone
    if counts is None:
        counts = default is None or default.weekends
        where = DEFAULT_ZONE if default is None else default.zone
    # Where weekends count, no zone matters, and the log need not say where anybody lives.
    return Terms(move=move, reserve=reserve, weekends=counts, zone=_kept(where, counts), away=away)


def terms_named(
    written: str, default: Terms | None = None, zone: str = DEFAULT_ZONE, away: int = AWAY
) -> Terms | Unclear | None:
    """The clock in an operator's words, which may be English in every language; `none` alone is no clock."""
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
    named = words.name.match(small)
    is_sure = named is not None and named["colon"] is not None
    rest = small[named.end() :] if named is not None else small
    if named is not None and rest in words.no:
        return Said(none=True)
    try:
        pieces = _pieces_of(rest, words)
        if pieces.is_whole and pieces.tells:
            return _said(pieces)
    except _Fault as fault:
        return Unclear(fault.why)
    return unclear_clock(text) if is_sure else None


def _pieces_of(small: str, words: _Words) -> _Pieces:
    """The pieces of a text, with words between them that are not known left out."""
    pieces, at = _Pieces(), 0
    while at < len(small):
        found = words.piece.match(small, at) or _WORD.match(small, at)
        assert found is not None, "a character is a word at least"
        at = found.end()
        kind = found.lastgroup or ""
        kind = words.kinds[found["words"]] if kind == "words" else kind
        match kind:
            case "":
                pieces.is_whole = False
            case "amount":
                unit = words.units[found["unit"]]
                pieces.add_time(_number(found, words) * unit, unit, is_joined=not found["plus"])
            case "move" | "reserve":
                pieces.add_use(kind)
            case "none":
                pieces.none = True
            case "weekends":
                pieces.weekends.add(True)
            case "no_weekends":
                pieces.weekends.add(False)
                at = _take_zone(pieces, small, at, words)
        pieces.last = pieces.last if kind == "blank" else kind
    return pieces


def _take_zone(pieces: _Pieces, small: str, at: int, words: _Words) -> int:
    """The zone behind weekends that do not count, if one stands there; where it ends."""
    found = words.zone.match(small, at)
    if found is None:
        return at
    zone = zone_named(found["zone"])
    if isinstance(zone, Unknown):
        shown = plain(found["zone"], _SHOWN)
        if zone.nearest:
            raise _Fault(
                phrase(
                    "people.clock.faults.zone_nearest",
                    zone=shown,
                    names=joined(zone.nearest),
                    first=zone.nearest[0],
                )
            )
        raise _Fault(phrase("people.clock.faults.zone", zone=shown))
    if pieces.zone not in ("", zone):
        raise _Fault(phrase("people.clock.faults.twice"))
    pieces.zone = _kept(zone, counts=False)
    return found.end()


def _said(pieces: _Pieces) -> Said:
    """What the pieces say together."""
    used = {"move": _seconds(pieces.times, "move"), "reserve": _seconds(pieces.times, "reserve")}
    bare = _seconds(pieces.times, "")
    is_left_over = pieces.use and used[pieces.use] is None
    is_twice = pieces.is_twice or (bare is not None and used["move"] is not None)
    if is_twice or is_left_over or len(pieces.weekends) > 1:
        raise _Fault(phrase("people.clock.faults.twice"))
    for seconds in (*used.values(), bare):
        if seconds is None:
            continue
        if seconds < LEAST:
            raise _Fault(phrase("people.clock.faults.short"))
        if seconds > MOST:
            raise _Fault(phrase("people.clock.faults.long"))
    return Said(
        none=pieces.none or None,
        move=used["move"] if bare is None else bare,
        reserve=used["reserve"],
        weekends=next(iter(pieces.weekends), None),
        zone=pieces.zone,
    )


def _seconds(times: Iterable[_Time], use: str) -> int | None:
    """The time that there is for this; the same one may be named twice."""
    found = {int(one.seconds) for one in times if one.use == use}
    if len(found) > 1:
        raise _Fault(phrase("people.clock.faults.twice"))
    return next(iter(found), None)


def _number(found: re.Match[str], words: _Words) -> Fraction:
    """The number before a unit: digits, a word for it, or an article."""
    count = found["count"]
    if count in words.half:
        return Fraction(1, 2)
    number = Fraction(words.numbers[count]) if count in words.numbers else Fraction(count)
    return -number if found["minus"] else number


def _small(text: str) -> str:
    return clean(text[: _MAX_WRITTEN + 1]).lower().strip(" .!")


def _kept(zone: str, counts: bool) -> str:
    """The zone as a clock keeps it: one name for UTC, and that one where it does not matter."""
    return DEFAULT_ZONE if counts or zone in UTC_ZONES else zone


# ---- writing ----------------------------------------------------------------------------------------


def terms_text(terms: Terms | None) -> str:
    """A clock in words, as `said_in` reads them."""
    if terms is None:
        return phrase("people.clock.none")
    text = phrase("people.clock.move", time=_length(terms.move))
    if terms.reserve:
        text = phrase("people.clock.reserve", move=text, time=_length(terms.reserve, weekly=True))
    if terms.weekends:
        return text
    zone = terms.zone
    shown = zone if is_place(zone) and zone not in UTC_ZONES else offset_text(_ANY_TIME, zone)
    return phrase("people.clock.no_weekends", terms=text, zone=shown)


def _length(seconds: int, *, weekly: bool = False) -> str:
    """A length of time in the largest units that it is whole in; weeks where it is nothing else."""
    weeks, rest = divmod(seconds, _SECONDS["weeks"])
    if weekly and not rest:
        if weeks == 1:
            return phrase("people.clock.lengths.week")
        return phrase("people.clock.lengths.weeks", count=weeks)
    return " ".join(counted(seconds))


# ---- the words --------------------------------------------------------------------------------------

_WORD: Final = re.compile(r"\w+|.", re.DOTALL)
_KINDS: Final = ("none", "move", "reserve", "no_weekends", "weekends", "together", "beside")
_END: Final = r"(?![\w'])"


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a language, as what they are looked for with."""

    piece: re.Pattern[str]
    kinds: Mapping[str, str]
    name: re.Pattern[str]
    zone: re.Pattern[str]
    no: frozenset[str]
    half: frozenset[str]
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
    numbers = {word: number for number, word in enumerate(table["numbers"])}
    numbers |= dict.fromkeys(table["one"], 1)
    spelled = _any([*numbers, *table["half"]])
    count = rf"(?P<minus>-)?(?P<count>[0-9]{{1,20}}(?:\.[0-9]{{1,3}})?|(?:{spelled})(?!\w))"
    amount = rf"(?P<amount>(?P<plus>\+ ?)?{count} ?-?(?P<unit>{_any(units)}){_END})"
    kinds = {word: kind for kind in _KINDS for word in table[kind]}
    return _Words(
        piece=re.compile(rf"{amount}|(?P<words>{_any(kinds)}){_END}|(?P<sign>[,;:+/.()]|- )|(?P<blank> +)"),
        kinds=kinds,
        name=re.compile(rf"(?:{_any(table['names'])})(?P<colon> ?:)? "),
        zone=re.compile(
            rf" ?(?:\( ?(?:(?:{_any(table['zone'])}) )?|(?:{_any(table['zone'])}) )"
            rf"(?P<zone>(?:(?! (?:{_any([*table['together'], *table['beside']])}) )[^(),;]){{1,60}})"
        ),
        no=frozenset(table["no"]),
        half=frozenset(table["half"]),
        numbers=numbers,
        units=units,
    )


def _any(words: Iterable[str]) -> str:
    """Any of these, the longest that fits."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
