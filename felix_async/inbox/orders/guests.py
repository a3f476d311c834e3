"""Who shall play at a new table, by which rules and clock: what stands in a NEW, below it, and in To and Cc.

Whoever is listed gets a mail, so nothing is guessed: one line that cannot be read, and no table is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.utils import getaddresses
from typing import Final

from felix_async.address import token_in
from felix_async.clock import later
from felix_async.game.lobby import FEWEST, MOST
from felix_async.game.rules import Refusal
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.grammar import MAX_LINE, clean
from felix_async.inbox.dialogue import DAY
from felix_async.inbox.orders.desk import Desk, Given
from felix_async.inbox.strangers import too_many_strangers
from felix_async.people import NAME_LENGTH, Named, is_address, matching, name_for, name_of, named
from felix_async.text import plain
from felix_async.time.terms import SILENT, Said, Unclear, mentions_clock, said_in, terms_of, unclear_clock
from felix_async.time.zones import zone_for
from felix_async.words import RULES_OPTION, RULESET_WORDS, TABLE_OPTION
from felix_events.model import Ruleset, Terms
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

MAX_HEADER: Final = 4000
"""Characters of To and Cc together that are read; nobody who invites four people needs more."""
MAX_UNANSWERED: Final = 10
"""Tables to which somebody may be invited within a day, by whomever, without having joined them."""
_SHOWN: Final = 80
_ITEMS: Final = re.compile(r'(?:"[^"]*"|[^,;])+')


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody to be invited: a name, an address, and who that is (the address, where felix knows nobody)."""

    name: str
    address: str
    who: str
    by_name: bool = False


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
    """The list cannot be taken as it stands."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


def party_of(desk: Desk, given: Given) -> Party | Refusal:
    """The table that a NEW asks for, or why not: the listed guests first, then those in To and Cc."""
    party = Party()
    words = given.order.text
    try:
        if "@" not in words and not _takes_clock(party, words):
            party.table = name_of(words)
        for line in ([words] if "@" in words else []) + list(given.below):
            _read(desk, party, line)
        for guest in _in_headers(desk):
            if not any(_is_same(listed, guest) for listed in party.guests):
                party.guests.append(guest)
        _check(desk, party.guests)
        party.clock = _clock_of(desk, party.said)
    except _Unreadable as error:
        return error.refusal
    return party


def _read(desk: Desk, party: Party, line: str) -> None:
    """Take up a line of the list: options, or guests with commas between them."""
    # A line is cut when it is cleaned, and half an address may be somebody else's.
    if len(line) > MAX_LINE:
        raise _Unreadable(Refusal("new/unknown_line", {"line": plain(line, _SHOWN)}))
    line = clean(line)
    items = [item.strip() for item in _ITEMS.findall(line) if item.strip()]
    # A clock may have commas in it: only what stands alone on its line is surely all that there is of it.
    if _takes_option(party, line, is_item=len(items) < 2):
        return
    for item in items:
        if not _takes_option(party, item):
            party.guests += _listed(desk, item)


def _takes_option(party: Party, text: str, *, is_item: bool = True) -> bool:
    """Whether this says how the table is called, or by which rules or clock it plays.

    A clock that cannot be taken is refused where the text is one item, and not several.
    """
    first, _, rest = text.partition(" ")
    if first.rstrip(":").lower() in TABLE_OPTION and rest.strip():
        party.table = name_of(rest)
        return True
    words = [word for word in re.split(r"[\s:-]+", text.lower().rstrip(".,!")) if word]
    named_rules = [word for word in words if word not in RULES_OPTION]
    ruleset = RULESET_WORDS.get(" ".join(named_rules))
    if ruleset is not None:
        party.ruleset = ruleset
    return ruleset is not None or _takes_clock(party, text, is_item=is_item)


def _takes_clock(party: Party, text: str, *, is_item: bool = True) -> bool:
    """Whether this says something about the clock."""
    said = said_in(text)
    if isinstance(said, Said):
        said = party.said.beside(said)
    if isinstance(said, Unclear) and is_item:
        raise _no_clock(said)
    if not isinstance(said, Said):
        return False
    party.said = said
    return True


def _clock_of(desk: Desk, said: Said) -> Terms | None:
    """The clock of the table; weekends are the host's, where no other place was named."""
    hours = desk.service.hours
    zone = zone_for(desk.tx.choice(desk.writer.seat.player_id), hours.zone)
    terms = terms_of(said, desk.service.terms, zone, hours.away)
    if isinstance(terms, Unclear):
        raise _no_clock(terms)
    return terms


def _no_clock(unclear: Unclear) -> _Unreadable:
    return _Unreadable(Refusal("new/clock", {"why": unclear.why}))


def _listed(desk: Desk, item: str) -> Iterator[Guest]:
    """The guest that is meant; nobody where it is the writer's own name, as below a mail."""
    guest = named(item)
    if guest is None or not (guest.name or guest.address):
        raise _Unreadable(Refusal("new/no_address", {"line": plain(item, _SHOWN)}))
    if not guest.address:
        if name_of(desk.writer.seat.name).casefold() != guest.name.rstrip(".!").casefold():
            yield _known(desk, guest.name)
        return
    if token_in(guest.address, desk.mailbox) is not None:
        raise _Unreadable(Refusal("new/felix"))
    if guest.address in _own(desk):
        raise _Unreadable(Refusal("new/yourself"))
    yield _guest(desk.tx, guest.name, guest.address)


def _known(desk: Desk, name: str) -> Guest:
    """Somebody whom the writer has played with."""
    rows = desk.tx.co_players(desk.writer.seat.player_id)
    found = matching(name, [row.name for row in rows], whole_words=True)
    if len(found) > 1:
        raise _Unreadable(Refusal("new/which_one", {"name": name}))
    if not found and mentions_clock(name):
        raise _no_clock(unclear_clock(name))
    if not found:
        raise _Unreadable(Refusal("new/unknown_line", {"line": plain(name, _SHOWN)}))
    row = rows[found[0]]
    address = mail_of(desk.tx, row)
    if not address:
        raise _Unreadable(Refusal("new/without_mail", {"name": name_of(row.name)}))
    return Guest(name_of(row.name), address, row.player_id, by_name=True)


def mail_of(reader: Reader, row: SeatRow) -> str:
    """Where this player's mail goes, or went before it was stopped; '' for one without any mail."""
    if row.address is not None:
        return row.address
    return next((one.address for one in reader.addresses(row.player_id)), "")


def others_can_read(desk: Desk) -> bool:
    """Whether the address that this mail was sent to, with its token, stands where somebody else reads it."""
    values = [desk.letter.headers.get(name, "") for name in ("to", "cc")]
    if not desk.writer.token_text or not any(desk.writer.token_text in value.lower() for value in values):
        return False
    try:
        return bool(list(_in_headers(desk)))
    except _Unreadable:
        return True


def _in_headers(desk: Desk) -> Iterator[Guest]:
    """The guests in To and Cc: everybody but felix and the writer."""
    values = [desk.letter.headers.get(name, "") for name in ("to", "cc")]
    if sum(map(len, values)) > MAX_HEADER:
        raise _Unreadable(Refusal("new/too_many"))
    seen: set[str] = set()
    for display, written in _addresses(values):
        address = written.strip().lower()
        is_left_out = not address or address in _own(desk) or token_in(address, desk.mailbox) is not None
        if is_left_out or address in seen:
            continue
        seen.add(address)
        if not is_address(address):
            raise _Unreadable(Refusal("new/no_address", {"line": plain(written, _SHOWN)}))
        yield _guest(desk.tx, name_for(_decoded(display), address), address)


def _addresses(values: Sequence[str]) -> list[tuple[str, str]]:
    """The names and addresses in these headers."""
    try:
        return getaddresses([value for value in values if value])
    except (RecursionError, ValueError, IndexError):
        # Comments within comments, as deep as a header is long: the library follows each of them.
        refusal = Refusal("new/no_address", {"line": plain(" ".join(values), _SHOWN)})
        raise _Unreadable(refusal) from None


def _decoded(display: str) -> str:
    """A name out of a header (RFC 2047); as it stands where it cannot be decoded."""
    try:
        return str(make_header(decode_header(display)))
    except (HeaderParseError, LookupError, ValueError):
        return display


def _guest(reader: Reader, name: str, address: str) -> Guest:
    return Guest(name, address, reader.player_at(address) or address)


def _own(desk: Desk) -> set[str]:
    """The writer's own addresses, and the one that this mail came from."""
    return {*desk.writer.seat.addresses, desk.letter.sender}


def _is_same(listed: Guest, in_header: Guest) -> bool:
    """Whether the list only names again who is in To or Cc."""
    return listed.address == in_header.address or (listed.by_name and listed.who == in_header.who)


def _check(desk: Desk, guests: Sequence[Guest]) -> None:
    """So many may play, each has one seat, and each can be written to."""
    if not guests:
        raise _Unreadable(Refusal("new/nobody"))
    if len({guest.who for guest in guests}) < len(guests):
        raise _Unreadable(Refusal("table/player_twice"))
    if len(guests) + 1 < FEWEST:
        raise _Unreadable(Refusal("new/too_few"))
    if len(guests) + 1 > MOST:
        raise _Unreadable(Refusal("new/too_many"))
    for guest in guests:
        stopped = [row.stopped for row in desk.tx.addresses(guest.who)]
        if stopped and all(stopped):
            details: dict[str, int | str] = {"name": guest.name[:NAME_LENGTH]}
            wants_none = "asked" in stopped
            raise _Unreadable(
                Refusal("new/wants_no_mail", details) if wants_none else Refusal("new/unreachable", details)
            )
        if _unanswered(desk, guest) >= MAX_UNANSWERED:
            raise _Unreadable(Refusal("new/invited_enough", {"name": guest.name[:NAME_LENGTH]}))
    refusal = too_many_strangers(desk.tx, desk.service, [guest.who for guest in guests])
    if refusal is not None:
        raise _Unreadable(refusal)


def _unanswered(desk: Desk, guest: Guest) -> int:
    """To how many tables this guest was invited within a day, whoever did it, and has not come."""
    since = later(desk.now, -DAY)
    count = 0
    for seat in desk.tx.seats_of(guest.who):
        row = desk.tx.game(seat.game_id)
        if row is not None and row.kind == "played" and row.created_at > since:
            count += desk.service.load(desk.tx, seat.game_id).seats[seat.seat].answer != "joined"
    return count
