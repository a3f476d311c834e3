"""The players, rules, clock and pace of a new table, and the message that would open one instead.

Whoever is listed gets a mail, so nothing is guessed: one entry that cannot be read, and no table is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.clock import DAY, later
from felix_async.game.lobby import FEWEST, MOST
from felix_async.game.rules import Refusal
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.language.clock_terms import SILENT, Said, Unclear, terms_of, terms_text
from felix_async.language.grammar import Order, continues
from felix_async.language.words import PACE_NAMES, RULES_OPTION, RULESET_NAMES
from felix_async.orders.acquaintances import Acquaintances
from felix_async.orders.context import OrderContext, ReceivedOrder
from felix_async.orders.listed import (
    MOST_WORDS,
    Asked,
    Entry,
    Guest,
    TableName,
    entries_of,
    entry_in,
    friends_of,
    mail_of,
    named_table,
)
from felix_async.orders.strangers import too_many_strangers
from felix_async.people import NO_NAME, Name, Named, as_listed, mailbox_of, name_of
from felix_async.reading.line import Line
from felix_async.reading.verdicts import is_stop
from felix_async.text import plain
from felix_async.trouble import readable
from felix_events.model import DEFAULT_PACE, Pace, Ruleset, Terms
from felix_events.store.rows import SeatRow

MAX_UNANSWERED: Final = 10
"""Tables to which somebody may be invited within a day, by whomever, without having joined them."""
_MOST_ENTRIES: Final = 20
"""Entries of a NEW that are looked at for one that is taken."""


@dataclass(slots=True)
class Party:
    """The table that a NEW asks for; the guests are in seat order."""

    table: Name = NO_NAME
    ruleset: Ruleset = DEFAULT_RULESET
    clock: Terms | None = None
    pace: Pace = DEFAULT_PACE
    guests: list[Guest] = field(default_factory=list)

    @property
    def names(self) -> list[Named]:
        """The guests as they were named."""
        return [Named(guest.name, guest.address) for guest in self.guests]


class _Unreadable(Exception):
    """The list cannot be taken as it is; `at` is the number of the entry to blame, None: none of them."""

    def __init__(self, refusal: Refusal, at: int | None = None) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal
        self.at = at


def party_of(ctx: OrderContext, received: ReceivedOrder) -> Party | Refusal:
    """Return the table that a NEW asks for, or why not: the listed guests first, then those in To and Cc."""
    try:
        party = _party(ctx, entries_of(ctx, received))
    except _Unreadable as error:
        return error.refusal
    guests = [guest.who for guest in party.guests]
    return too_many_strangers(ctx.tx, ctx.service, guests, ctx.row) or party


def instead_of(ctx: OrderContext, received: ReceivedOrder) -> str:
    """Return the mail that opens what comes next to the table of a NEW that was refused; '' if there is none.

    It holds the entries of that NEW, those that may have been meant instead of the ones that cannot be taken,
    and as many of the others at the writer's table, or of the writer's acquaintances, as are missing.
    """
    return _mail_with(ctx, friends_of(ctx), entries_of(ctx, received)[:_MOST_ENTRIES])


def again_with(ctx: OrderContext) -> str:
    """Return a message that opens another table like this, with the same players; '' if none does."""
    game, row, friends = ctx.game, ctx.tx.game(ctx.game_id), friends_of(ctx)
    seats = [seat for seat in ctx.tx.seats(ctx.game_id) if seat.seat != ctx.seat and seat.name]
    entries = [entry_in(ctx, friends, as_listed(name_of(seat.name))) for seat in seats]
    if row is not None and row.table_name:
        entries.append(named_table(row.table_name))
    if game.ruleset != DEFAULT_RULESET:
        entries.append(Entry(plain(f"{RULES_OPTION[0]} {RULESET_NAMES[game.ruleset]}"), game.ruleset))
    if game.options.pace != DEFAULT_PACE:
        entries.append(entry_in(ctx, friends, PACE_NAMES[game.options.pace]))
    if game.clock != ctx.service.terms:
        entries.append(entry_in(ctx, friends, terms_text(game.clock)))
    return _mail_with(ctx, friends, entries)


def _mail_with(ctx: OrderContext, friends: Acquaintances, entries: list[Entry]) -> str:
    """Return a NEW that is taken, of these entries as far as they can be; '' if there is none."""
    beside = _others(ctx, friends)
    for _ in range(2 * _MOST_ENTRIES):
        try:
            _party(ctx, entries)
        except _Unreadable as error:
            if error.at is not None:
                likely = entries[error.at].likely
                entries[error.at : error.at + 1] = [entry_in(ctx, friends, line) for line in likely]
                continue
            if error.refusal.code not in ("new/nobody", "new/too_few"):
                return ""
            count = MOST - 1 if error.refusal.code == "new/nobody" else 1
            added = [entry_in(ctx, friends, name) for _, name in zip(range(count), beside, strict=False)]
            if not added:
                return ""
            entries += added
        else:
            lines = [entry.line for entry in entries]
            return "\n".join([str(Order("NEW")), *lines]) if _reads_back(ctx, lines) else ""
    return ""


def _reads_back(ctx: OrderContext, lines: Sequence[str]) -> bool:
    """Return True if a NEW with these lines below it is taken: an odd name may say something else there."""
    below = tuple(map(Line, lines))
    if any(line.is_order or continues(line.clean) or is_stop(line.clean) for line in below):
        return False
    received = ReceivedOrder(Order("NEW"), "", "", below=below)
    return isinstance(party_of(ctx, received), Party)


def _others(ctx: OrderContext, friends: Acquaintances) -> Iterator[str]:
    """Yield the names of others who may come: first those at the table of this message."""
    seats = [one.seat for one in friends.newest]
    here = [seat.player_id for seat in ctx.tx.seats(ctx.game_id)]
    at_table = [seat for seat in seats if seat.player_id in here]
    at_table.sort(key=lambda seat: here.index(seat.player_id))
    for seat in [*at_table, *(seat for seat in seats if seat.player_id not in here)]:
        if len(friends.called(seat.name)) == 1 and mail_of(ctx.tx, seat):
            yield as_listed(name_of(seat.name))


# ---- what comes of it -------------------------------------------------------------------------------


def _party(ctx: OrderContext, entries: Sequence[Entry]) -> Party:
    """Return the table that these entries ask for. Raises _Unreadable if they cannot be taken."""
    party, said = Party(), SILENT
    places: list[int] = []
    clock_at: int | None = None
    for at, entry in enumerate(entries):
        match entry.means:
            case Refusal() as refusal:
                raise _Unreadable(refusal, at)
            case TableName(name):
                party.table = name
            case Asked(pace):
                party.pace = pace
            case Said() as more:
                both = said.beside(more)
                if isinstance(both, Unclear):
                    raise _no_clock(both, at)
                said, clock_at = both, at
            case Guest() as guest:
                if not (entry.is_in_header and any(_is_same(listed, guest) for listed in party.guests)):
                    party.guests.append(guest)
                    places.append(at)
            case None:
                pass
            case ruleset:
                party.ruleset = ruleset
    _check(ctx, party.guests, places)
    # Weekends are where the host is, if no other place was named.
    terms = terms_of(said, ctx.service.terms, ctx.zone, ctx.service.hours.away)
    if isinstance(terms, Unclear):
        raise _no_clock(terms, clock_at)
    party.clock = terms
    return party


def _no_clock(unclear: Unclear, at: int | None) -> _Unreadable:
    return _Unreadable(Refusal("new/clock", {"why": plain(unclear.why, MOST_WORDS)}), at)


def _is_same(listed: Guest, in_header: Guest) -> bool:
    """Return True if the list names a guest of To or Cc again."""
    return listed.address == in_header.address or (listed.by_name and listed.who == in_header.who)


def _check(ctx: OrderContext, guests: Sequence[Guest], places: Sequence[int]) -> None:
    """Check how many play, that each has one seat and can be written to; `places` are their entries."""
    if not guests:
        raise _Unreadable(Refusal("new/nobody"))
    first: dict[str, Name] = {}
    for guest, at in zip(guests, places, strict=True):
        if guest.who in first:
            raise _Unreadable(Refusal("new/twice", {"name": first[guest.who]}), at)
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
    """Return why this guest can get no invitation now."""
    details = {"name": guest.name}
    stopped = [row.stopped for row in ctx.tx.addresses(guest.who)]
    if stopped and all(stopped):
        wants_none = "asked" in stopped
        return Refusal("new/wants_no_mail", details) if wants_none else Refusal("new/unreachable", details)
    if _unanswered(ctx, guest) >= MAX_UNANSWERED:
        return Refusal("new/invited_enough", details)
    return None


def _unanswered(ctx: OrderContext, guest: Guest) -> int:
    """Return to how many tables this guest was invited within a day, by anybody, without joining them.

    Whatever stands behind the plus of an address, one person reads it.
    """
    count = 0
    for row in ctx.tx.games(later(ctx.now, -DAY)):
        if row.kind == "played":
            seats = [seat for seat in ctx.tx.seats(row.game_id) if _is_theirs(seat, guest)]
            for seat in readable(ctx.tx, seats):
                count += ctx.service.load(ctx.tx, seat.game_id).seats[seat.seat].answer != "joined"
    return count


def _is_theirs(seat: SeatRow, guest: Guest) -> bool:
    mailboxes = map(mailbox_of, seat.addresses)
    return seat.player_id == guest.who or (bool(guest.address) and mailbox_of(guest.address) in mailboxes)
