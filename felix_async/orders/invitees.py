"""Who shall play at a new table, by which rules and clock: what stands in a NEW, below it, and in To and Cc.

Whoever is listed gets a mail, so nothing is guessed: one line that cannot be read, and no table is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.address import token_in
from felix_async.clock import later
from felix_async.game.lobby import FEWEST, MOST
from felix_async.game.rules import Refusal
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.language.clock_terms import (
    SILENT,
    Said,
    Unclear,
    mentions_clock,
    said_in,
    terms_of,
    terms_text,
    unclear_clock,
)
from felix_async.language.grammar import Order, continues, read_line
from felix_async.language.words import RULES_OPTION, RULESET_WORDS
from felix_async.orders.acquaintances import Acquaintances
from felix_async.orders.context import OrderContext, ReceivedOrder
from felix_async.orders.entries import items_of, ruleset_in, speaks_of_rules, table_name_in
from felix_async.orders.listed import (
    SHOWN,
    Entry,
    Guest,
    addresses_of,
    entries_of,
    friends_of,
    guest_at,
    is_writer,
)
from felix_async.orders.questions import DAY
from felix_async.orders.strangers import too_many_strangers
from felix_async.people import NAME_LENGTH, Named, as_listed, name_of, named
from felix_async.reading.line import Line
from felix_async.reading.verdicts import is_stop
from felix_async.text import plain
from felix_async.time.zones import zone_for
from felix_async.trouble import readable
from felix_events.model import Ruleset, Terms
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

MAX_UNANSWERED: Final = 10
"""Tables to which somebody may be invited within a day, by whomever, without having joined them."""
_MOST_ENTRIES: Final = 20
"""Entries of a NEW that are looked at for one that is taken."""


@dataclass(slots=True)
class Party:
    """What a NEW asks for."""

    table: str = ""
    ruleset: Ruleset = DEFAULT_RULESET
    said: Said = SILENT
    """What the host said about the clock."""
    clock: Terms | None = None
    guests: list[Guest] = field(default_factory=list)

    @property
    def names(self) -> list[Named]:
        """The guests as they were named, in seat order."""
        return [Named(guest.name, guest.address) for guest in self.guests]


class _Unreadable(Exception):
    """The list cannot be taken as it stands; `at` is the number of the entry to blame, None where none is."""

    def __init__(self, refusal: Refusal, at: int | None = None) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal
        self.at = at


def party_of(ctx: OrderContext, received: ReceivedOrder) -> Party | Refusal:
    """The table that a NEW asks for, or why not: the listed guests first, then those in To and Cc."""
    friends = friends_of(ctx)
    try:
        party = _party(ctx, friends, entries_of(ctx, received, friends))
    except _Unreadable as error:
        return error.refusal
    return too_many_strangers(ctx.tx, ctx.service, [guest.who for guest in party.guests]) or party


def instead_of(ctx: OrderContext, received: ReceivedOrder) -> str:
    """The mail that opens what comes next to the table of a NEW that was refused; '' where there is none.

    It holds the lines of that NEW without those that cannot be taken, and as many of the others at the
    writer's table, or of the writer's acquaintances, as are missing.
    """
    friends = friends_of(ctx)
    return _mail_with(ctx, friends, entries_of(ctx, received, friends)[:_MOST_ENTRIES])


def again_with(ctx: OrderContext) -> str:
    """A mail that opens another table with those of this game, by its rules and clock; '' where none does."""
    game, row = ctx.game, ctx.tx.game(ctx.game_id)
    seats = [seat for seat in ctx.tx.seats(ctx.game_id) if seat.seat != ctx.seat and seat.name]
    entries = [Entry(as_listed(name_of(seat.name))) for seat in seats]
    if row is not None and row.table_name:
        entries.append(Entry(row.table_name, is_name=True))
    if game.ruleset != DEFAULT_RULESET:
        words = [word for word, ruleset in RULESET_WORDS.items() if ruleset == game.ruleset]
        entries.append(Entry(f"{RULES_OPTION[0]} {words[0]}"))
    if game.clock != ctx.service.terms:
        entries.append(Entry(terms_text(game.clock)))
    return _mail_with(ctx, friends_of(ctx), entries)


def _mail_with(ctx: OrderContext, friends: Acquaintances, entries: list[Entry]) -> str:
    """A NEW that is taken, of these entries as far as they can be; '' where there is none."""
    beside = _others(ctx, friends)
    for _ in range(2 * _MOST_ENTRIES):
        try:
            _party(ctx, friends, entries)
        except _Unreadable as error:
            if error.at is not None:
                del entries[error.at]
                continue
            if error.refusal.code not in ("new/nobody", "new/too_few"):
                return ""
            count = MOST - 1 if error.refusal.code == "new/nobody" else 1
            added = [Entry(name) for _, name in zip(range(count), beside, strict=False)]
            if not added:
                return ""
            entries += added
        else:
            lines = [entry.line for entry in entries]
            return "\n".join([str(Order("NEW")), *lines]) if _reads_back(ctx, lines) else ""
    return ""


def _reads_back(ctx: OrderContext, lines: Sequence[str]) -> bool:
    """Whether a NEW with these lines below it is taken: an odd name may say something else there."""
    if any(isinstance(read_line(line), Order) or continues(line) or is_stop(line) for line in lines):
        return False
    received = ReceivedOrder(Order("NEW"), "", "", tuple(map(Line, lines)))
    return isinstance(party_of(ctx, received), Party)


def _others(ctx: OrderContext, friends: Acquaintances) -> Iterator[str]:
    """The names of those who may come, too: first those at the table of this mail."""
    here = [seat.player_id for seat in ctx.tx.seats(ctx.game_id)]
    at_table = [seat for seat in friends.newest if seat.player_id in here]
    at_table.sort(key=lambda seat: here.index(seat.player_id))
    for seat in [*at_table, *(seat for seat in friends.newest if seat.player_id not in here)]:
        if len(friends.called(seat.name)) == 1 and mail_of(ctx.tx, seat):
            yield as_listed(name_of(seat.name))


# ---- what comes of it -------------------------------------------------------------------------------


def _party(ctx: OrderContext, friends: Acquaintances, entries: Sequence[Entry]) -> Party:
    """The table that these entries ask for; `_Unreadable` where they cannot be taken."""
    party = Party()
    places: list[int] = []
    clock_at: int | None = None
    for at, entry in enumerate(entries):
        said = party.said
        try:
            guest = _taken(ctx, friends, party, entry)
        except _Unreadable as error:
            raise _Unreadable(error.refusal, at) from None
        clock_at = at if party.said != said else clock_at
        if guest is not None:
            party.guests.append(guest)
            places.append(at)
    _check(ctx, party.guests, places)
    try:
        party.clock = _clock_of(ctx, party.said)
    except _Unreadable as error:
        raise _Unreadable(error.refusal, clock_at) from None
    return party


def _taken(ctx: OrderContext, friends: Acquaintances, party: Party, entry: Entry) -> Guest | None:
    """Take an entry up; the guest whom it names."""
    if entry.problem is not None:
        raise _Unreadable(entry.problem)
    if entry.guest is not None:
        is_listed = any(_is_same(listed, entry.guest) for listed in party.guests)
        return None if is_listed else entry.guest
    if entry.is_name:
        party.table = entry.text
        return None
    is_nobody = is_writer(ctx, entry.text) or not items_of(entry.text)
    if is_nobody or _takes_option(friends, party, entry.text):
        return None
    return _listed(ctx, friends, entry.text)


def _takes_option(friends: Acquaintances, party: Party, text: str) -> bool:
    """Whether this says how the table is called, or by which rules or clock it plays."""
    name, ruleset = table_name_in(text), ruleset_in(text)
    if name is not None and "@" not in text:
        party.table = name
        return True
    if ruleset is not None and not friends.called(text):
        party.ruleset = ruleset
        return True
    said = said_in(text)
    if isinstance(said, Said):
        said = party.said.beside(said)
    if isinstance(said, Unclear):
        raise _no_clock(said)
    if isinstance(said, Said):
        party.said = said
    return isinstance(said, Said)


def _clock_of(ctx: OrderContext, said: Said) -> Terms | None:
    """The clock of the table; weekends are the host's, where no other place was named."""
    hours = ctx.service.hours
    zone = zone_for(ctx.tx.choice(ctx.writer.seat.player_id), hours.zone)
    terms = terms_of(said, ctx.service.terms, zone, hours.away)
    if isinstance(terms, Unclear):
        raise _no_clock(terms)
    return terms


def _no_clock(unclear: Unclear) -> _Unreadable:
    return _Unreadable(Refusal("new/clock", {"why": unclear.why}))


def _listed(ctx: OrderContext, friends: Acquaintances, item: str) -> Guest:
    """The guest that is meant."""
    guest = named(item)
    if guest is None or not (guest.name or guest.address):
        raise _Unreadable(Refusal("new/no_address", {"line": plain(item, SHOWN)}))
    if not guest.address:
        return _known(ctx, friends, guest.name)
    if ":" in guest.name:
        raise _Unreadable(Refusal("new/unknown_line", {"line": plain(item, SHOWN)}))
    if token_in(guest.address, ctx.mailbox) is not None:
        raise _Unreadable(Refusal("new/felix"))
    if guest.address in addresses_of(ctx):
        raise _Unreadable(Refusal("new/yourself"))
    return guest_at(ctx.tx, friends, guest.name, guest.address)


def _known(ctx: OrderContext, friends: Acquaintances, name: str) -> Guest:
    """Somebody whom the writer has played with."""
    found = friends.called(name)
    if len(found) > 1:
        raise _Unreadable(Refusal("new/which_one", {"name": name}))
    if not found and speaks_of_rules(name):
        raise _Unreadable(Refusal("new/rules", {"line": plain(name, SHOWN)}))
    if not found and mentions_clock(name):
        raise _no_clock(unclear_clock(name))
    if not found:
        raise _Unreadable(Refusal("new/unknown_line", {"line": plain(name, SHOWN)}))
    friend = found[0]
    address = mail_of(ctx.tx, friend.seat)
    if not address:
        raise _Unreadable(Refusal("new/without_mail", {"name": name_of(friend.name)}))
    return Guest(name_of(friend.name), address, friend.seat.player_id, by_name=True)


def mail_of(reader: Reader, row: SeatRow) -> str:
    """Where this player's mail goes, or went before it was stopped; '' for one without any mail."""
    if row.address is not None:
        return row.address
    return next((one.address for one in reader.addresses(row.player_id)), "")


def _is_same(listed: Guest, in_header: Guest) -> bool:
    """Whether the list only names again who is in To or Cc."""
    return listed.address == in_header.address or (listed.by_name and listed.who == in_header.who)


def _check(ctx: OrderContext, guests: Sequence[Guest], places: Sequence[int]) -> None:
    """So many may play, each has one seat, and can be written to; `places` say which entries they are."""
    if not guests:
        raise _Unreadable(Refusal("new/nobody"))
    first: dict[str, str] = {}
    for guest, at in zip(guests, places, strict=True):
        if guest.who in first:
            names = {"name": first[guest.who][:NAME_LENGTH]}
            raise _Unreadable(Refusal("new/twice", {**names}), at)
        first[guest.who] = guest.name
    if len(guests) + 1 < FEWEST:
        raise _Unreadable(Refusal("new/too_few"))
    if len(guests) + 1 > MOST:
        raise _Unreadable(Refusal("new/too_many"), places[-1])
    for guest, at in zip(guests, places, strict=True):
        refusal = _cannot_come(ctx, guest)
        if refusal is not None:
            raise _Unreadable(refusal, at)


def _cannot_come(ctx: OrderContext, guest: Guest) -> Refusal | None:
    """Why this guest can get no invitation now."""
    details: dict[str, int | str] = {"name": guest.name[:NAME_LENGTH]}
    stopped = [row.stopped for row in ctx.tx.addresses(guest.who)]
    if stopped and all(stopped):
        wants_none = "asked" in stopped
        return Refusal("new/wants_no_mail", details) if wants_none else Refusal("new/unreachable", details)
    if _unanswered(ctx, guest) >= MAX_UNANSWERED:
        return Refusal("new/invited_enough", details)
    return None


def _unanswered(ctx: OrderContext, guest: Guest) -> int:
    """To how many tables this guest was invited within a day, whoever did it, and has not come."""
    since = later(ctx.now, -DAY)
    count = 0
    for seat in readable(ctx.tx, ctx.tx.seats_of(guest.who)):
        row = ctx.tx.game(seat.game_id)
        if row is not None and row.kind == "played" and row.created_at > since:
            count += ctx.service.load(ctx.tx, seat.game_id).seats[seat.seat].answer != "joined"
    return count
