"""Players as people write them: a name, a mail address, or both. All of it is strangers' text.

>>> named("Ben <Ben@example.org>")
Named(name='Ben', address='ben@example.org')
>>> named("cara@example.org")
Named(name='cara', address='cara@example.org')
>>> distinct(["Ben", "Cara", "ben"])
['Ben', 'Cara', 'ben 2']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from typing import Final

from felix_async.text import plain, unlinked

NAME_LENGTH: Final = 40
"""Characters of a player's or a table's name."""
_MAX_WRITTEN: Final = 400
_ADDRESS: Final = re.compile(r"[a-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?")
_ANGLED: Final = re.compile(r"(?P<name>[^<>]*)<(?:mailto:)?(?P<address>[^<>]*)>", re.DOTALL | re.IGNORECASE)
_BARE: Final = re.compile(r"(?P<name>(?:[^<>@]*?[\s:])??)(?:mailto:)?(?P<address>[^\s<>:]+)", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]*>")
_QUOTES: Final = " \t\r\n\"'`"


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody as they were written: a name and an address, '' where one of them is missing."""

    name: str
    address: str = ""


def named(text: str) -> Named | None:
    """A name, an address or both; None where an address was meant that no mail can be written to."""
    text = text.strip()
    if "@" not in text:
        return Named(name_of(text))
    if len(text) > _MAX_WRITTEN:
        return None
    written = _ANGLED.fullmatch(text) or _BARE.fullmatch(text)
    if written is None:
        return None
    name, address = written["name"].strip(" \t:"), written["address"].strip().lower()
    # Some mail programs write the address twice; a name that is another address would name two people.
    if not is_address(address) or ("@" in name and name.lower() != address):
        return None
    return Named(name_for(name, address), address)


def is_address(text: str) -> bool:
    """Whether a mail can be written to this address; addresses are kept in small letters."""
    # First of all: over what looks like no address at all the library stumbles, as over `.@[`.
    if _ADDRESS.fullmatch(text) is None:
        return False
    try:
        Address(addr_spec=text)
    except (MessageError, ValueError, IndexError):
        return False
    return True


def name_of(text: str) -> str:
    """What felix calls somebody who is written so: one visible line, short, no markup, no link; may be ''."""
    without_tags = _TAG.sub("", text).replace("<", "").replace(">", "")
    return plain(unlinked(plain(without_tags, len(without_tags) + 1)).strip(_QUOTES), NAME_LENGTH)


def name_for(name: str, address: str) -> str:
    """The name that goes with an address; where there is none of its own, what stands before the @."""
    own = name_of(name)
    return own if own and "@" not in own else name_of(address.partition("@")[0])


def distinct(names: Sequence[str]) -> list[str]:
    """The names, and no two alike: the second of one name has a 2 behind it. Who has no name gets none."""
    given: list[str] = []
    for name in names:
        taken = {other.casefold() for other in given}
        found, number = name, 1
        while name and found.casefold() in taken:
            number += 1
            found = f"{name[: NAME_LENGTH - len(str(number)) - 1]} {number}"
        given.append(found)
    return given


def matching(wanted: str, names: Sequence[str], *, whole_words: bool = False) -> list[int]:
    """Which of the names may be meant: the one that is written just so, else those that begin so.

    Case does not count. With `whole_words`, `Ben` may be `Ben Smith`, but not `Benno`.
    """
    whole = name_of(wanted).casefold()
    sought = whole.rstrip(".,!")
    small = [name_of(name).casefold() for name in names]
    for exact in (whole, sought):
        found = [number for number, name in enumerate(small) if name == exact]
        if found or not exact:
            return found
    beginning = f"{sought} " if whole_words else sought
    return [number for number, name in enumerate(small) if name.startswith(beginning)]
