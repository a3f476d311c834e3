"""The list of a NEW, entry by entry: behind it, in the lines below it, and in To and Cc.

An entry is a line, or a part of it between two commas: somebody with an address, somebody whom the writer has
played with, or what is said of the table. Nothing is guessed at: an entry that is none of these is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from email.utils import getaddresses
from itertools import groupby
from typing import Final

from felix_async.address import token_in
from felix_async.game.rules import Refusal
from felix_async.language.clock_terms import Said, Unclear, mentions_clock, said_in, unclear_clock
from felix_async.language.data import any_of
from felix_async.language.grammar import MAX_LINE, Order, clean
from felix_async.language.words import (
    AND,
    LIST_WORDS,
    ME,
    MISUNDERSTOOD,
    PACE_LABEL,
    PACE_WORDS,
    RULES_OPTION,
    RULESET_WORDS,
    TABLE_OPTION,
    WORD_OF,
)
from felix_async.orders.acquaintances import Acquaintances
from felix_async.orders.context import OrderContext, ReceivedOrder
from felix_async.people import Name, is_address, name_for, name_of, named
from felix_async.reading.budget import go_on
from felix_async.reading.line import Line, bare
from felix_async.reading.reader import decoded
from felix_async.reading.signs import is_banner, is_greeting, is_sign_off
from felix_async.reading.understand import is_nearly_new
from felix_async.reading.verdicts import Understood, is_stop
from felix_async.text import Harmless, plain
from felix_events.model import Pace, Ruleset
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

MAX_HEADER: Final = 4000
"""Characters of To and Cc together that are read; four guests need no more."""
SHOWN: Final = 80
"""Characters of a line that a refusal repeats."""
MOST_WORDS: Final = 500
"""Characters of the sentences that say what is wrong with a clock."""
_NEW: Final = "NEW"
_MOST_ITEMS: Final = 12
"""Entries on one line; a table has fewer players and options."""
_UNQUOTED: Final = r'(?=(?:[^"]*"[^"]*")*[^"]*$)'
_BETWEEN: Final = re.compile(rf"\s*[,;]\s*{_UNQUOTED}")
"""Between two entries."""
_AND: Final = re.compile(rf"(\s+{any_of(AND)}\s+){_UNQUOTED}", re.IGNORECASE)
"""Between two entries, or two words of a name."""
_NUMBERED: Final = re.compile(r"\(?\d{1,2}[.)]\s+")
"""Before an entry of a list that a mail program has numbered."""
_TABLE: Final = re.compile(rf"{any_of(TABLE_OPTION)}(?: ?: ?| )(?P<name>.+)", re.IGNORECASE)
_RULES: Final = re.compile(rf"{any_of(RULES_OPTION)}(?: ?: ?| )", re.IGNORECASE)
_PACE: Final = re.compile(rf"{any_of(PACE_LABEL)}(?: ?: ?| )", re.IGNORECASE)
_MEANS_RULES: Final = re.compile(rf"(?:.*\b)?{any_of(RULES_OPTION)}\b.*|(?:19|20)\d\d", re.IGNORECASE)
_HEADING: Final = re.compile(r"[^\W\d_][^:@]{0,30}: ")
_ADDRESS: Final = re.compile(r"[^\s<>()\[\]:,;]+@[^\s<>()\[\]:,;]+")


@dataclass(frozen=True, slots=True)
class TableName:
    """The name of the table to be opened."""

    name: Name


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked at the table to be opened when a card turns."""

    pace: Pace


Option = TableName | Asked | Ruleset | Said | Refusal
"""A table's name, pace, rules or clock; or why that cannot be taken."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody to be invited: a name, an address, and who that is (the address, if nobody is known there)."""

    name: Name
    address: str
    who: str
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a NEW says: the line that says it below a NEW, and what it means; None: nothing.

    `likely` are entries that may have been meant with one that is refused.
    """

    line: Harmless
    means: Guest | Option | None
    likely: tuple[str, ...] = ()
    is_in_header: bool = False


def friends_of(ctx: OrderContext) -> Acquaintances:
    """Return the people whom the writer of a message knows by name."""
    return Acquaintances(ctx.tx, ctx.player_id)


# ---- which lines belong to it -----------------------------------------------------------------------


def gathered(ctx: OrderContext, lines: Sequence[Understood]) -> list[tuple[int, Understood]]:
    """Return the verdicts, each with its number, and those of a list taken up by the NEW above it.

    A line behind a blank line, or below one that is nearly a NEW, belongs to the list if it names an address,
    an option, or somebody whom the writer knows. Else it is what it was.
    """
    friends = friends_of(ctx)
    kept: list[tuple[int, Understood]] = []
    number = apart = 0
    while number < len(lines):
        line, count = lines[number], 0
        if line.after or is_nearly_new(line):
            apart = number + 1 + len(line.after)
            line, count = _with_list(friends, line, lines[number + 1 : apart])
        elif number < apart and "@" in line.text and line.verdict == "not understood":
            # An address behind the list is not passed over in silence.
            line = replace(line, why=MISUNDERSTOOD["order/not_listed"])
        kept.append((number, line))
        number += 1 + count
    return kept


def _with_list(
    friends: Acquaintances, line: Understood, following: Sequence[Understood]
) -> tuple[Understood, int]:
    """A line with those of the following ones that its list takes up, and how many these are."""
    texts = [one.text for one in following]
    count = _taken(friends, line, texts)
    if is_nearly_new(line) and line.verdict != "asked":
        words = clean(line.text)[len(WORD_OF[_NEW]) :].strip()
        is_list = _names_only(friends, words) or (count > 0 and _says_option(words))
        if not (is_list or count):
            return line, 0
        line = replace(line, verdict="asked", order=Order(_NEW, text=words if is_list else ""))
    return replace(line, below=(*line.below, *map(Line, texts[:count]))), count


def _taken(friends: Acquaintances, line: Understood, texts: Sequence[str]) -> int:
    """Return how many of the lines behind its own the list takes up."""
    pairs = zip(texts, line.after, strict=True)
    paragraphs = [[text for text, _ in found] for _, found in groupby(pairs, key=lambda pair: pair[1])]
    if not line.below and all(len(lines) == 1 for lines in paragraphs):
        # Each line is a paragraph, as some mail programs write them: the list has no end but the message's.
        return len(texts) if any(_is_entry(friends, text) for text in texts) else 0
    has_guests = any(not _says_option(one.text) for one in line.below)
    count = seen = 0
    for lines in paragraphs:
        seen += len(lines)
        said = [text for text in lines if not is_greeting(clean(text))]
        begins = not has_guests and bool(said) and _is_entry(friends, said[0])
        if not begins and not all(_says_option(text) or _names_only(friends, text) for text in said):
            break
        has_guests |= any(not _says_option(text) for text in said)
        count = seen if said else count
    return count


def _is_entry(friends: Acquaintances, text: str) -> bool:
    """Return True if a line surely belongs to a list: an address, an option, or names that are known."""
    if "@" in text:
        return not is_banner(bare(text))
    line = clean(text)
    return option_in(line) is not None or _HEADING.match(line) is not None or _names_only(friends, line)


def _names_only(friends: Acquaintances, text: str) -> bool:
    """Return True if a text holds nothing but names of those whom the writer knows, and one at least."""
    items = _items(friends, text)
    return bool(items) and all(map(friends.called, items))


def _says_option(text: str) -> bool:
    option = option_in(clean(text))
    return option is not None and not isinstance(option, Refusal)


# ---- entry by entry ---------------------------------------------------------------------------------


def entries_of(ctx: OrderContext, received: ReceivedOrder) -> list[Entry]:
    """Return all that a NEW says: behind it, below it, and in To and Cc."""
    friends = friends_of(ctx)
    words = clean(received.order.text)
    items = _items(friends, words)
    # A friend's name is no part of a table's name.
    names_friends = any(map(friends.called, [*items, *words.split()[:_MOST_ITEMS]]))
    if names_friends or any("@" in item or option_in(item) is not None for item in items):
        behind = [entry_in(ctx, friends, item) for item in items]
    else:
        behind = [named_table(words)] if items else []
    return [*behind, *_below(ctx, friends, received.below), *_in_headers(ctx, friends)]


def named_table(name: str) -> Entry:
    """Return the entry that gives the table this name."""
    return Entry(plain(f"{TABLE_OPTION[0]}: {name_of(name)}"), TableName(name_of(name)))


def _below(ctx: OrderContext, friends: Acquaintances, lines: Sequence[Line]) -> Iterator[Entry]:
    signature = ""
    for line in lines:
        go_on()
        if is_greeting(line.clean):
            continue
        if line.place == "doubtful" and not _is_entry(friends, line.text):
            # It may sign the message. If the list goes on below it, it is one of its lines.
            signature = signature or line.text
            continue
        if line.place == "doubtful" and signature:
            yield entry_in(ctx, friends, signature)
        items = _items(friends, line.text)
        if len(items) > 1 and (is_stop(items[0]) or is_sign_off(items[0])):
            if not any(map(friends.called, items[1:])):
                return
            yield _unknown(items[0])
        elif len(line.text) > MAX_LINE or len(items) > _MOST_ITEMS:
            # A line is cut when it is cleaned, and half an address may be somebody else's.
            yield _unknown(line.text)
        else:
            yield from (entry_in(ctx, friends, item) for item in items)


def _items(friends: Acquaintances, line: str) -> list[str]:
    """Return the entries on a line. A clock and a table's name may have commas in them."""
    whole = _NUMBERED.sub("", clean(line).strip(" .,;!"), count=1)
    joined = [_AND.split(item) for item in _BETWEEN.split(whole) if item]
    names = [name for pieces in joined for name in pieces[::2]]
    if len(names) > _MOST_ITEMS:
        return names
    items = [part for pieces in joined for part in _parts(friends, pieces)]
    option = option_in(whole)
    if isinstance(option, Said):
        return [whole]
    if isinstance(option, TableName) and not any(
        option_in(item) is not None or friends.called(item) for item in items[1:]
    ):
        return [whole]
    words = whole.split()
    return words if len(items) == 1 < len(words) and _are_friends(friends, whole, words) else items


def _parts(friends: Acquaintances, pieces: Sequence[str]) -> list[str]:
    """Return the entries in an item; it is split at each `and`, which are the pieces of odd numbers.

    A name that says nothing alone begins the one behind it, if there is an address in the item.
    """
    item, names = "".join(pieces), pieces[::2]
    if len(names) == 1 or friends.called(item) or not any(_is_clear(friends, name) for name in names):
        return [item]
    if "@" not in item:
        return [*names]
    parts = [names[0]]
    for and_, name in zip(pieces[1::2], names[1:], strict=True):
        if _is_clear(friends, parts[-1]):
            parts.append(name)
        else:
            parts[-1] += and_ + name
    return parts


def _is_clear(friends: Acquaintances, text: str) -> bool:
    """Return True if a part of an item says something without what is behind it."""
    if "@" in text or friends.called(text) or option_in(text) is not None:
        return True
    return text.casefold() in ME or is_stop(text) or is_sign_off(text)


def _are_friends(friends: Acquaintances, whole: str, words: Sequence[str]) -> bool:
    """Return True if these are the names of several friends, and not that of one."""
    return "@" not in whole and not friends.called(whole) and all(map(friends.called, words))


def entry_in(ctx: OrderContext, friends: Acquaintances, text: str) -> Entry:
    """Read one entry: an option of the table, or a guest; the writer is at the table anyway."""
    option, line = option_in(text), plain(text, MAX_LINE)
    is_name = text.casefold() in (*RULESET_WORDS, *PACE_WORDS) and bool(friends.called(text))
    means = option
    if is_writer(ctx, text):
        means = None
    elif option is None or is_name:
        return _with_likely(friends, Entry(line, _guest(ctx, friends, text)))
    return _with_likely(friends, Entry(line, means))


def option_in(text: str) -> Option | None:
    """Return what a text says of the table; None if it is about something else. In quotes it is a name."""
    if "@" in text or text.startswith('"'):
        return None
    called = _TABLE.fullmatch(text)
    if called is not None and name_of(called["name"]):
        return TableName(name_of(called["name"]))
    small = text.casefold().replace("-", " ")
    ruleset = RULESET_WORDS.get(_RULES.sub("", small, count=1))
    if ruleset is not None:
        return ruleset
    pace = PACE_WORDS.get(_PACE.sub("", small, count=1))
    if pace is not None:
        return Asked(pace)
    said = said_in(text)
    if said is None and _MEANS_RULES.fullmatch(text):
        return Refusal("new/rules", {"line": plain(text, SHOWN)})
    if said is None and mentions_clock(text):
        said = unclear_clock(text)
    return Refusal("new/clock", {"why": plain(said.why, MOST_WORDS)}) if isinstance(said, Unclear) else said


def is_writer(ctx: OrderContext, text: str) -> bool:
    """Return True if this names the writer of the message, as a signature does."""
    own = text.strip(" .,!").casefold()
    return own in ME or own == name_of(ctx.row.name).casefold()


def _with_likely(friends: Acquaintances, entry: Entry) -> Entry:
    """The same entry; if it is refused, with those that may have been meant: addresses, rules, friends."""
    if not isinstance(entry.means, Refusal) or entry.means.code in ("new/yourself", "new/felix"):
        return entry
    words = clean(entry.line).split()
    likely = (
        _ADDRESS.findall(entry.line)
        or [f"{RULES_OPTION[0]} {word}" for word in words if word in RULESET_WORDS]
        or [word for word in words[:_MOST_ITEMS] if friends.called(word)]
    )
    return replace(entry, likely=tuple(one for one in likely if one != entry.line))


def _unknown(text: str) -> Entry:
    line = plain(text, SHOWN)
    return Entry(line, Refusal("new/unknown_line", {"line": line}))


# ---- who is meant -----------------------------------------------------------------------------------


def _guest(ctx: OrderContext, friends: Acquaintances, text: str) -> Guest | Refusal:
    """Return the guest that is meant, or why there is none."""
    line = {"line": plain(text, SHOWN)}
    guest = named(text)
    if guest is None or not (guest.name or guest.address):
        return Refusal("new/no_address", line)
    if not guest.address:
        return _known(ctx, friends, guest.name)
    if ":" in guest.name or text.partition(" ")[0].casefold() in LIST_WORDS:
        return Refusal("new/unknown_line", line)
    if token_in(guest.address, ctx.mailbox) is not None:
        return Refusal("new/felix")
    if guest.address in _addresses_of(ctx):
        return Refusal("new/yourself")
    return _guest_at(ctx.tx, friends, guest.name, guest.address)


def _known(ctx: OrderContext, friends: Acquaintances, name: Name) -> Guest | Refusal:
    """Return somebody whom the writer has played with, or why there is none."""
    found = friends.called(name)
    if len(found) > 1:
        return Refusal("new/which_one", {"name": name})
    if not found:
        return Refusal("new/unknown_line", {"line": plain(name, SHOWN)})
    friend = found[0]
    address = mail_of(ctx.tx, friend.seat)
    if not address:
        return Refusal("new/without_mail", {"name": name_of(friend.name)})
    return Guest(name_of(friend.name), address, friend.seat.player_id, by_name=True)


def mail_of(reader: Reader, row: SeatRow) -> str:
    """Return the address of this player's mail, also if it was stopped; '' if there is none."""
    if row.address is not None:
        return row.address
    return next((one.address for one in reader.addresses(row.player_id)), "")


def _guest_at(reader: Reader, friends: Acquaintances, name: Name, address: str) -> Guest:
    """Return the guest at an address, without a name of their own by the one that the writer knows."""
    who = reader.player_at(address) or address
    is_nameless = name.casefold() == name_for("", address).casefold()
    known = name_of(friends.name_of(who) if is_nameless else "")
    return Guest(known or name, address, who)


def _addresses_of(ctx: OrderContext) -> set[str]:
    """Return the writer's own addresses, and the one that this message came from."""
    return {*ctx.row.addresses, ctx.source.sender}


# ---- To and Cc --------------------------------------------------------------------------------------


def others_can_read(ctx: OrderContext) -> bool:
    """Return True if somebody else reads the address that this message was sent to, with its token."""
    values = [ctx.source.to, ctx.source.cc]
    if not ctx.writer.token_text or not any(ctx.writer.token_text in value.lower() for value in values):
        return False
    return any(True for _ in _in_headers(ctx, friends_of(ctx)))


def _in_headers(ctx: OrderContext, friends: Acquaintances) -> Iterator[Entry]:
    """Yield the guests in To and Cc: everybody but felix and the writer."""
    values = [ctx.source.to, ctx.source.cc]
    if sum(map(len, values)) > MAX_HEADER:
        yield Entry(plain(""), Refusal("new/too_many"))
        return
    try:
        addresses = getaddresses([value for value in values if value])
    except (RecursionError, ValueError, IndexError):
        # Comments within comments, as deep as a header is long: the library follows each of them.
        addresses = [("", " ".join(values))]
    seen = {"", *_addresses_of(ctx)}
    for display, written in addresses:
        address = written.strip().lower()
        if address in seen or token_in(address, ctx.mailbox) is not None:
            continue
        seen.add(address)
        line = plain(written, SHOWN)
        means: Guest | Refusal = Refusal("new/no_address", {"line": line})
        if is_address(address):
            means = _guest_at(ctx.tx, friends, name_for(decoded(display), address), address)
            line = plain(f"{means.name} <{means.address}>", MAX_LINE)
        yield Entry(line, means, is_in_header=True)
