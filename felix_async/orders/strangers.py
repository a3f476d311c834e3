"""Limits on writing to people who never wrote to felix and may want no mail: how many within a day.

They get a letter if somebody invites them, or names their address: for their own letters, or as a substitute.
Nothing is written for these limits: they are counted by the tables and questions that are kept anyway.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from felix_async.clock import DAY, later, text_of
from felix_async.game.rules import Refusal
from felix_async.people import mailbox_of, named
from felix_async.service import Service
from felix_async.trouble import readable
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow

log = logging.getLogger(__name__)

GUESTS_OF_A_DOMAIN: Final = 20
"""Strangers whom people of one mail domain invite within a day, where anybody may open a table."""
ELSEWHERE: Final = 50
"""Letters within a day to addresses that players name, without those where somebody has said YES."""
ELSEWHERE_OF_A_DOMAIN: Final = 10
"""Those of them that people of one mail domain ask for."""
TO_ONE: Final = 3
"""Those of them to one mailbox, by whomever."""


def is_known_here(reader: Reader, service: Service, player_id: str) -> bool:
    """Return True if this player joined a table, or was entered by the operator: an invitation alone may have
    been sent by anybody.
    """
    for seat in readable(reader, reader.seats_of(player_id)):
        row = reader.game(seat.game_id)
        if row is not None and row.kind == "played":
            is_in = service.load(reader, seat.game_id).seats[seat.seat].answer == "joined"
            if is_in or row.opened_by is None:
                return True
    return False


def too_many_strangers(
    reader: Reader, service: Service, guests: Iterable[str], host: SeatRow
) -> Refusal | None:
    """Why `host` cannot invite these people today: felix has written to enough who never wrote to it."""
    new = sum(not reader.has_written(guest) for guest in guests)
    if not new:
        return None
    lately, near = _invited_lately(reader, text_of(service.clock()), host)
    if lately + new > service.strangers_a_day:
        log.warning(
            "a table is not opened: %d people who never wrote here were invited by mail within a day, and"
            " invitations.strangers_a_day is %d; raise it if they are all right, see `felix games`",
            lately,
            service.strangers_a_day,
        )
        return Refusal("new/enough_strangers")
    if service.is_open and near + new > GUESTS_OF_A_DOMAIN:
        log.warning(
            "a table is not opened: people of one mail domain have invited %d others within a day who never"
            " wrote here, and with invitations.open no more than %d are; see `felix games`",
            near,
            GUESTS_OF_A_DOMAIN,
        )
        return Refusal("new/enough_strangers")
    return None


def too_many_elsewhere(reader: Reader, now: str, address: str, by: SeatRow) -> Refusal | None:
    """Why no letter goes today to this address, which the player `by` has named and where nobody plays."""
    player = reader.player_at(address)
    if player is not None and reader.has_written(player):
        return None
    asked = reader.asked_elsewhere(later(now, -DAY))
    named_there = [named(question.text) for question in asked]
    same = sum(one is not None and mailbox_of(one.address) == mailbox_of(address) for one in named_there)
    mails = (reader.mail(question.mail_id) for question in asked)
    senders = ["" if mail is None else mail.sender for mail in mails]
    near = sum(not sender or _domain_of(sender) in _domains_of(by) for sender in senders)
    if same < TO_ONE and near < ELSEWHERE_OF_A_DOMAIN and len(asked) < ELSEWHERE:
        return None
    log.warning(
        "no letter goes to an address that a player named: %d went to such addresses within a day,"
        " %d of them for people of the same mail domain, %d to that address",
        len(asked),
        near,
        same,
    )
    return Refusal("elsewhere/enough")


def _invited_lately(reader: Reader, now: str, host: SeatRow) -> tuple[int, int]:
    """How many were invited by mail within a day and have not written since, or before; and how many of them
    by people with an address of the same domain as this one's. Who was forgotten may have had any.

    A table that cannot be read counts for nobody: it must not stand in the way of everybody else.
    """
    apart = {trouble.game_id for trouble in reader.troubles()}
    count = near = 0
    for row in reader.games(later(now, -DAY)):
        if row.kind == "played" and row.opened_by is not None and row.game_id not in apart:
            seats = reader.seats(row.game_id)
            new = sum(not reader.has_written(seat.player_id) for seat in seats)
            domains = _domains_of(seats[row.opened_by])
            count += new
            near += new if not domains or domains & _domains_of(host) else 0
    return count, near


def _domains_of(row: SeatRow) -> set[str]:
    return {_domain_of(address) for address in row.addresses}


def _domain_of(address: str) -> str:
    return address.rpartition("@")[2].casefold()
