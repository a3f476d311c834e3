"""Limits on inviting by mail: by whom, and how many who never wrote to felix and may want no mail."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from felix_async.clock import DAY, later, text_of
from felix_async.game.rules import Refusal
from felix_async.service import Service
from felix_async.trouble import readable
from felix_events.store.base import Reader

log = logging.getLogger(__name__)


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


def too_many_strangers(reader: Reader, service: Service, guests: Iterable[str]) -> Refusal | None:
    """Why these people cannot be invited today: felix has written to enough who never wrote to it."""
    new = sum(not reader.has_written(guest) for guest in guests)
    if not new:
        return None
    lately = _invited_lately(reader, text_of(service.clock()))
    if lately + new <= service.strangers_a_day:
        return None
    log.warning(
        "a table is not opened: %d people who never wrote here were invited by mail within a day, and"
        " invitations.strangers_a_day is %d; raise it if they are all right, see `felix games`",
        lately,
        service.strangers_a_day,
    )
    return Refusal("new/enough_strangers")


def _invited_lately(reader: Reader, now: str) -> int:
    """How many were invited by mail within a day and have not written since, or before.

    A table that cannot be read counts for nobody: it must not stand in the way of everybody else.
    """
    apart = {trouble.game_id for trouble in reader.troubles()}
    count = 0
    for row in reader.games(later(now, -DAY)):
        if row.kind == "played" and row.opened_by is not None and row.game_id not in apart:
            count += sum(not reader.has_written(seat.player_id) for seat in reader.seats(row.game_id))
    return count
