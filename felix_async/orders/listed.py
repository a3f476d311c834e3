"""What a NEW says, entry by entry: behind it, in the lines below it, and in To and Cc."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import getaddresses
from typing import Final

from felix_async.address import token_in
from felix_async.game.rules import Refusal
from felix_async.language.clock_terms import Said, mentions_clock, said_in
from felix_async.language.grammar import MAX_LINE, clean
from felix_async.language.words import RULES_OPTION, TABLE_OPTION
from felix_async.orders.acquaintances import Acquaintances
from felix_async.orders.context import OrderContext, ReceivedOrder
from felix_async.orders.entries import (
    is_labelled,
    is_me,
    items_of,
    parted,
    ruleset_in,
    speaks_of_rules,
    table_name_in,
    unlabelled,
    without_please,
)
from felix_async.people import is_address, name_for, name_of
from felix_async.reading.budget import go_on
from felix_async.reading.line import bare
from felix_async.reading.reader import decoded
from felix_async.reading.signs import is_banner, is_greeting, is_sign_off
from felix_async.reading.verdicts import is_stop
from felix_async.text import plain
from felix_events.store.base import Reader

MAX_HEADER: Final = 4000
"""Characters of To and Cc together that are read; nobody who invites four people needs more."""
SHOWN: Final = 80
"""Characters of a line that a refusal repeats."""
_MOST_ITEMS: Final = 12
"""What one line lists; a table has fewer players and options."""
_RULES_AT_END: Final = re.compile(rf"[\s,]+((?:{'|'.join(map(re.escape, RULES_OPTION))})\b.*)", re.IGNORECASE)
_HEADING: Final = re.compile(r"[^\W\d_][^:@]{0,30}: ")


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody to be invited: a name, an address, and who that is (the address, where felix knows nobody)."""

    name: str
    address: str
    who: str
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a NEW says: an option or a friend in words, the table's name, or somebody in To or Cc.

    With a `problem` it cannot be taken as it stands.
    """

    text: str
    is_name: bool = False
    guest: Guest | None = None
    problem: Refusal | None = None

    @property
    def line(self) -> str:
        """The same as a line below a NEW."""
        if self.is_name:
            return f"{TABLE_OPTION[0]}: {self.text}"
        return f"{self.guest.name} <{self.guest.address}>" if self.guest is not None else self.text


def friends_of(ctx: OrderContext) -> Acquaintances:
    """Whom the writer of a mail knows by name."""
    return Acquaintances(ctx.tx, ctx.writer.seat.player_id)


def entries_of(ctx: OrderContext, received: ReceivedOrder, friends: Acquaintances) -> list[Entry]:
    """All that a NEW says: behind it, below it, and in To and Cc."""
    in_headers = list(_in_headers(ctx))
    entries: list[Entry] = []
    doubted = ""
    for line in received.below:
        go_on()
        if is_greeting(line.text):
            continue
        items = _pieces(friends, line.text)
        if line.place == "doubtful":
            # It may sign the mail. Where the list goes on below it, it is one of its lines.
            if all(is_writer(ctx, item) for item in items):
                continue
            if not is_entry(friends, line.text):
                doubted = doubted or line.text
                continue
            if doubted:
                entries.append(_unknown(doubted))
        if len(items) > 1 and _takes_leave(items[0]):
            if not any(friends.called(item) for item in items[1:]):
                break
            entries.append(_unknown(items[0]))
            continue
        # A line is cut when it is cleaned, and half an address may be somebody else's.
        entries += [_unknown(line.text)] if len(line.text) > MAX_LINE else map(Entry, items)
    is_alone = not entries and not in_headers
    return [*_behind(received, friends, is_alone), *entries, *in_headers]


def is_writer(ctx: OrderContext, text: str) -> bool:
    """Whether this names the writer of the mail, as below it, or among those who play."""
    own = name_of(ctx.writer.seat.name).casefold()
    return is_me(text) or text.strip().rstrip(".,!").casefold() == own


def is_entry(friends: Acquaintances, text: str) -> bool:
    """Whether a line surely says something of a table: an address, an option, or names that are known."""
    if "@" in text:
        return not is_banner(bare(text))
    small = clean(text)
    if says_option(small) or mentions_clock(small) or speaks_of_rules(small) or _HEADING.match(small):
        return True
    return names_only(friends, small)


def names_only(friends: Acquaintances, text: str) -> bool:
    """Whether a text holds nothing but names of those whom the writer knows, and one at least."""
    items = _pieces(friends, without_please(clean(text)))
    return bool(items) and all(friends.called(item) for item in items)


def _behind(received: ReceivedOrder, friends: Acquaintances, is_alone: bool) -> Iterator[Entry]:
    """What stands behind the word NEW: friends, options, or else the name of the table."""
    words = without_please(clean(received.order.text))
    items = _pieces(friends, words)
    is_list = "@" in words or is_labelled(words) or bool(words and says_option(words))
    if not items:
        return
    if is_list or names_only(friends, words):
        yield from map(Entry, items)
        return
    options = [item for item in items if says_option(item)]
    others = [item for item in items if item not in options]
    known = [item for item in others if friends.called(item)]
    if speaks_of_rules(words) and words.lower().startswith(RULES_OPTION):
        yield Entry(words)
    elif known and is_alone:
        yield from map(Entry, items)
    elif options and len(others) == 1:
        yield Entry(others[0], is_name=True)
        yield from map(Entry, options)
    elif (rules := _RULES_AT_END.search(words)) is not None and ruleset_in(rules[1]) is not None:
        yield Entry(name_of(words[: rules.start()]), is_name=True)
        yield Entry(rules[1])
    else:
        yield Entry(name_of(words), is_name=True)


def _pieces(friends: Acquaintances, line: str) -> list[str]:
    """What a line lists, each alone. A clock and a table's name may have commas in them."""
    whole = clean(line)
    items = items_of(whole)
    if len(items) > _MOST_ITEMS:
        return [whole]
    if not items or _says_clock(unlabelled(whole)):
        return [unlabelled(whole)] if items else []
    is_name = table_name_in(whole) is not None and "@" not in whole
    if is_name and not any(says_option(item) or friends.called(item) for item in items[1:]):
        return [whole]
    return [part for item in items for part in _parts(friends, item)]


def _parts(friends: Acquaintances, item: str) -> list[str]:
    """An item, or the friends that it names together: `Ben and Cara`, `Ben Cara`."""
    if says_option(item) or friends.called(item):
        return [item]
    parts = parted(item)
    bare_names = [part for part in parts if "@" not in part]
    if len(parts) > 1 and (not bare_names or any(map(friends.called, bare_names))):
        return parts
    words = item.split()
    return words if "@" not in item and len(words) > 1 and all(map(friends.called, words)) else [item]


def says_option(text: str) -> bool:
    """Whether a text says how a table is called, or by which rules or clock it plays, and nothing else."""
    text = clean(text)
    return ruleset_in(text) is not None or table_name_in(text) is not None or _says_clock(text)


def _says_clock(text: str) -> bool:
    return isinstance(said_in(text), Said)


def _takes_leave(text: str) -> bool:
    return is_stop(text) or is_sign_off(text)


def _unknown(text: str) -> Entry:
    return Entry(text, problem=Refusal("new/unknown_line", {"line": plain(text, SHOWN)}))


# ---- To and Cc --------------------------------------------------------------------------------------


def others_can_read(ctx: OrderContext) -> bool:
    """Whether the address that this mail was sent to, with its token, stands where somebody else reads it."""
    values = [ctx.letter.headers.get(name, "") for name in ("to", "cc")]
    if not ctx.writer.token_text or not any(ctx.writer.token_text in value.lower() for value in values):
        return False
    return any(True for _ in _in_headers(ctx))


def _in_headers(ctx: OrderContext) -> Iterator[Entry]:
    """The guests in To and Cc: everybody but felix and the writer."""
    values = [ctx.letter.headers.get(name, "") for name in ("to", "cc")]
    if sum(map(len, values)) > MAX_HEADER:
        yield Entry("", problem=Refusal("new/too_many"))
        return
    try:
        addresses = getaddresses([value for value in values if value])
    except (RecursionError, ValueError, IndexError):
        # Comments within comments, as deep as a header is long: the library follows each of them.
        yield _without_address(" ".join(values))
        return
    seen: set[str] = set()
    friends = friends_of(ctx)
    for display, written in addresses:
        address = written.strip().lower()
        is_left_out = (
            not address or address in addresses_of(ctx) or token_in(address, ctx.mailbox) is not None
        )
        if is_left_out or address in seen:
            continue
        seen.add(address)
        if is_address(address):
            guest = guest_at(ctx.tx, friends, name_for(decoded(display), address), address)
            yield Entry(guest.name, guest=guest)
        else:
            yield _without_address(written)


def _without_address(text: str) -> Entry:
    line = plain(text, SHOWN)
    return Entry(line, problem=Refusal("new/no_address", {"line": line}))


def guest_at(reader: Reader, friends: Acquaintances, name: str, address: str) -> Guest:
    """Who is written to there. Who is named by the address alone has the name that the writer knows."""
    who = reader.player_at(address) or address
    is_nameless = name.casefold() == name_for("", address).casefold()
    known = name_of(friends.name_of(who)) if is_nameless else ""
    return Guest(known or name, address, who)


def addresses_of(ctx: OrderContext) -> set[str]:
    """The writer's own addresses, and the one that this mail came from."""
    return {*ctx.writer.seat.addresses, ctx.letter.sender}
