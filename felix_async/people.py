"""Players as people write them: a name, a mail address, or both. All of it is strangers' text.

>>> named("Ben <Ben@example.org>")
Named(name='Ben', address='ben@example.org')
>>> named("cara@example.org")
Named(name='cara', address='cara@example.org')
>>> named("Dora: dora@example.org") == named("Dora (dora@example.org)") == Named("Dora", "dora@example.org")
True
>>> distinct(["Ben", "Cara", "ben"])
['Ben', 'Cara', 'ben 2']
>>> seat_names(["Ben", "Cara", "you", "BEN", ""])
['Ben (seat 1)', 'Cara', 'you (seat 3)', 'BEN (seat 4)', 'a former player']
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from functools import cache, lru_cache
from typing import Final, NewType

from felix_async.language.data import table
from felix_async.language.phrases import phrase
from felix_async.language.words import LIST_WORDS, ME, PACE_WORDS, RULESET_WORDS, STOP_WORDS
from felix_async.text import Harmless, clean, one_line, plain, unlinked

NAME_LENGTH: Final = 40
"""Characters of a player's or a table's name."""
SHOWN_LENGTH: Final = 30
"""Characters of it that others see at a table."""
FORMER: Final = plain(phrase("events.words.former"))
"""The name of everybody who was forgotten."""
_TAKEN: Final = frozenset(name.casefold() for name in table("mails.toml")["names"]["taken"])
"""Names that felix itself gives somebody."""
_MAX_WRITTEN: Final = 400
_ADDRESS: Final = re.compile(r"[a-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?")
_ANGLED: Final = re.compile(r"(?P<name>[^<>]*)<(?:mailto:)?(?P<address>[^<>]*)>", re.DOTALL | re.IGNORECASE)
_BRACKETED: Final = re.compile(r"(?P<name>[^()\[\]<>@]+)\((?:mailto:)?(?P<address>[^()<>]+)\)", re.IGNORECASE)
_BARE: Final = re.compile(r"(?P<name>(?:[^<>@]*?[\s:])??)(?:mailto:)?(?P<address>[^\s<>:]+)", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]*>")
_AROUND_NAMES: Final = " \t:,;=-–—"
_IS_PLAIN: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|[ '’-])*").fullmatch
"""A name without any mark that lines are read by."""
_QUOTES: Final = " \t\r\n\"'`"


Name = NewType("Name", Harmless)
"""The name of a player or a table, made by `name_of` before it is kept."""


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody as they were written: a name and an address, '' if one of them is missing."""

    name: Name
    address: str = ""


def named(text: str) -> Named | None:
    """Return a name, an address or both; None if an address was meant that no mail can be written to."""
    text = text.strip()
    if "@" not in text:
        return Named(name_of(text))
    if len(text) > _MAX_WRITTEN:
        return None
    written = _ANGLED.fullmatch(text) or _BRACKETED.fullmatch(text) or _BARE.fullmatch(text)
    if written is None:
        return None
    name, address = written["name"].strip(_AROUND_NAMES), written["address"].strip().rstrip(".,;!").lower()
    # Some mail programs write the address twice; a name that is another address would name two people.
    if not is_address(address) or ("@" in name and name.lower() != address):
        return None
    return Named(name_for(name, address), address)


def is_address(text: str) -> bool:
    """Return True if a message can be written to this address; addresses are kept in small letters."""
    # First of all: over what looks like no address at all the library stumbles, as over `.@[`.
    if _ADDRESS.fullmatch(text) is None:
        return False
    try:
        Address(addr_spec=text)
    except (MessageError, ValueError, IndexError):
        return False
    return True


def mailbox_of(address: str) -> str:
    """Return the same for all ways to write one address: small letters, without what stands behind a plus.

    >>> mailbox_of("Zoe+cats@Friends.example")
    'zoe@friends.example'
    """
    local, _, domain = address.casefold().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def name_of(text: str) -> Name:
    """Return the name in a text: one visible line, short, no markup, no link; may be ''."""
    without_tags = _TAG.sub("", text).replace("<", "").replace(">", "")
    return Name(plain(unlinked(plain(without_tags, len(without_tags) + 1)).strip(_QUOTES), NAME_LENGTH))


NO_NAME: Final = name_of("")
"""The name of a table that has none."""


def name_for(name: str, address: str) -> Name:
    """Return the name that goes with an address; without one of its own, the part before the @."""
    own = name_of(name)
    return own if own and "@" not in own else name_of(address.partition("@")[0])


def distinct(names: Sequence[Name]) -> list[Name]:
    """Return the names, and no two alike: the second of one name has a 2 behind it, an empty one nothing."""
    given: list[Name] = []
    for name in names:
        taken = {other.casefold() for other in given}
        found, number = name, 1
        while name and found.casefold() in taken:
            number += 1
            found = Name(plain(f"{name[: NAME_LENGTH - len(str(number)) - 1]} {number}"))
        given.append(found)
    return given


def seat_names(names: Sequence[str], first: int = 1, limit: int = SHOWN_LENGTH) -> list[Harmless]:
    """Return the names as others read them, by seat: never empty, no two alike, none that felix uses itself.

    If two share a name, each has the seat beside it, counted from `first`. An empty name is that of a former
    player.
    """
    return [*_seat_names(tuple(names), first, limit)]


@lru_cache(256)
def _seat_names(names: tuple[str, ...], first: int, limit: int) -> tuple[Harmless, ...]:
    lines = [one_line(unlinked(name), limit) if name else FORMER for name in names]
    keys = [_key(line) for line in lines]
    alike = Counter(keys)
    seats = range(first, first + len(names))
    numbered, labels = _seat_labels(seats)
    shown: list[Harmless] = []
    for name, line, key, number, seat in zip(names, lines, keys, numbered, seats, strict=True):
        is_taken = bool(name) and (key in _TAKEN or key.endswith(labels))
        if not line or line == number:
            shown.append(number)
        elif not key or is_taken or alike[key] > 1:
            shown.append(plain(phrase("mails.names.beside", name=line, seat=seat)))
        else:
            shown.append(line)
    return tuple(shown)


@cache
def _seat_labels(seats: range) -> tuple[tuple[Harmless, ...], tuple[str, ...]]:
    """Return felix's own names of these seats, and the ends that no name may have, as felix adds them."""
    numbered = tuple(plain(phrase("mails.names.seat", seat=seat)) for seat in seats)
    beside = (phrase("mails.names.beside", name="", seat=seat) for seat in seats)
    return numbered, tuple(_key(label) for label in (*beside, *numbered))


def seats_called(wanted: str, names: Sequence[str], first: int = 1) -> list[int]:
    """Return the seats that may be meant: by the name that others read, the whole name, or its beginning.

    A name is read as any line of a message is: without regard to dashes, quotes and capitals.
    """
    sought = _key(wanted)
    shown = [_key(name) for name in seat_names(names, first)]
    whole = [_key(name_of(name) if name else FORMER) for name in names]
    for known in (shown, whole):
        found = [seat for seat, name in enumerate(known) if name == sought]
        if found or not sought:
            return found
    forms = enumerate(zip(shown, whole, strict=True))
    begun = [seat for seat, known in forms if any(name.startswith(sought) for name in known)]
    # Nobody means somebody who was forgotten by an A.
    return [seat for seat in begun if names[seat]] or begun


def seats_first_in(text: str, names: Sequence[str]) -> list[int]:
    """Return the seats whose names stand first in a text that goes on behind them.

    >>> seats_first_in("ben, who sleeps", ["Anna", "Ben", "Benno", ""])
    [1]
    """
    named = ((seat, re.escape(name)) for seat, name in enumerate(names) if name)
    return [seat for seat, name in named if re.match(rf"(?i){name}\W", text)]


def are_told_apart(names: Sequence[str]) -> bool:
    """Return True if everybody has a name, and no two of them are read alike."""
    return all(names) and len({_key(name) for name in names}) == len(names)


def as_listed(name: str) -> str:
    """Return a name as a line below NEW: in quotes if it might be read as something else."""
    # Here, so that a list of games, which needs names alone, does not load the grammar.
    from felix_async.language.clock_terms import mentions_clock
    from felix_async.language.grammar import Order, continues, read_line

    line = one_line(name)
    says_more = (
        _IS_PLAIN(line) is None
        or line.casefold() in (*RULESET_WORDS, *PACE_WORDS, *STOP_WORDS, *ME)
        or line.partition(" ")[0].casefold() in LIST_WORDS
        or mentions_clock(line)
        or continues(clean(line))
        or isinstance(read_line(line), Order)
    )
    return f'"{line}"' if says_more else line


def matching(wanted: str, names: Sequence[str], *, whole_words: bool = False) -> list[int]:
    """Return the numbers of the names that may be meant: the same one, else those that begin so.

    Changes of dashes, quotes and capitals by a mail program do not count. With `whole_words`, `Ben` may be
    `Ben Smith`, but not `Benno`.
    """
    whole = _cleaned(name_of(wanted))
    sought = whole.rstrip(".,!")
    small = [_cleaned(name_of(name)) for name in names]
    for exact in (whole, sought):
        found = [number for number, name in enumerate(small) if name == exact]
        if found or not exact:
            return found
    beginning = f"{sought} " if whole_words else sought
    return [number for number, name in enumerate(small) if name.startswith(beginning)]


def _cleaned(name: str) -> str:
    """A name as a line of a message would have it, in small letters."""
    return clean(name).strip(_QUOTES).casefold()


def _key(name: str) -> str:
    """Return the same key for two names that a reader could not tell apart."""
    return _cleaned(name).rstrip(".,! ")
