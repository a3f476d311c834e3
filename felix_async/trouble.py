"""Games that cannot be read: each is kept apart from the others until it can be read again.

A page that was damaged, or an event that is none, is the trouble of one game. Its mails wait in quarantine,
its time stands still, and its players are told; everybody else plays on. Trouble with the disk as a whole (it
is full, it fails, somebody holds a lock) is not meant here: that is raised, and tried again.

SQLite writes nothing more in a transaction that has met a damaged page. So whoever meets one lets the
transaction go and notes the game in another one; no page of a game in trouble is read again but by `resume`.
`felix_async.schedule.outage.resume` lets such a game go on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from felix_async.clock import DAY, later
from felix_async.follow_up.kinds import Unreadable, enqueue
from felix_events.store.base import Damaged, Reader, Tx
from felix_events.store.rows import SeatRow, Trouble

log = logging.getLogger(__name__)

MOST_TOLD: Final = 3
"""Letters of this kind to one seat within a day."""
_WAITS: Final = "waits until game {game_id} can be read again"


def waiting_for(game_id: str) -> str:
    """The note of a message in quarantine that will be dealt with once its game can be read again."""
    return _WAITS.format(game_id=game_id)


def check_readable(reader: Reader, game_id: str) -> None:
    """Damaged if this game is known to be in trouble."""
    if known := reader.trouble(game_id):
        raise Damaged(known.why, game_id)


def readable(reader: Reader, seats: Sequence[SeatRow]) -> list[SeatRow]:
    """Those of a player's seats whose games are not in trouble: what is done at all tables is done there."""
    apart = {trouble.game_id for trouble in reader.troubles()}
    return [seat for seat in seats if seat.game_id not in apart]


def note_trouble(do: Callable[[Callable[[Tx], Any]], Any], game_id: str, at: str, why: str) -> None:
    """Note that a game cannot be read, and say so once: in the log, and to each of its players.

    In transactions of its own, that `do` opens: the one that found it out can write nothing more.
    """
    if do(partial(is_new_trouble, game_id=game_id, at=at, why=why)):
        # The damaged page may hold all that is known of it.
        with suppress(Damaged):
            do(partial(tell_all, game_id=game_id, at=at))


def is_new_trouble(tx: Tx, game_id: str, at: str, why: str) -> bool:
    """Note that a game cannot be read, and say so in the log, unless that was done before."""
    if not tx.note_trouble(Trouble(game_id, at, why)):
        return False
    log.error(
        "game %s cannot be read: %s Its mails wait and its time stands still; all other games go on.",
        game_id,
        why,
    )
    return True


def tell_all(tx: Tx, game_id: str, at: str) -> None:
    """Owe everybody at a table the letter that their game cannot be read now."""
    for seat in tx.seats(game_id):
        tell(tx, game_id, seat, at, "")


def tell(tx: Tx, game_id: str, seat: SeatRow, at: str, about: str) -> None:
    """Owe a seat the letter that this game cannot be read now; `about` names what its player wrote, if so."""
    table, home = tx.game(game_id), tx.game(seat.game_id)
    if table is None or home is None or table.kind != "played" or not seat.address:
        return
    told = tx.notices(seat.game_id, later(at, -DAY))
    if sum((one.seat, one.kind) == (seat.seat, Unreadable.kind) for one in told) >= MOST_TOLD:
        return
    notice = Unreadable(
        game_id=seat.game_id,
        version=home.size,
        seat=seat.seat,
        due_at=at,
        to=seat.address,
        mail=about,
        game=game_id,
        table=table.table_name,
        wrote=bool(about),
    )
    enqueue(tx, notice)
