"""Count failed mail: how much a failure counts, how that fades, and when mail to an address stops.

A lasting failure counts 2, a passing one 1; a score halves every `half_life_days`. From `threshold` on no
mail goes to that address, and the host is told. Any mail that comes from an address proves it alive.

>>> failure_of("5.1.1"), failure_of("5.2.2"), failure_of("5.3.4")
('lasting', 'passing', None)
>>> decayed(4.0, "2026-11-01T00:00:00.000000Z", "2026-11-08T00:00:00.000000Z", half_life_days=7)
2.0
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, Literal

from felix_async.clock import later, time_of
from felix_async.follow_up.kinds import Unreachable, enqueue, load_all
from felix_async.settings import Bounces
from felix_async.text import plain
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import AddressRow, SeatRow

Failure = Literal["lasting", "passing"]
WEIGHTS: Final[dict[Failure, float]] = {"lasting": 2.0, "passing": 1.0}
STATUS: Final = re.compile(r"(?<![\w.])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\w)")
"""An enhanced status code: class, subject, detail (RFC 3463); no part of a network address or a version."""
_OURS: Final = {"1.7", "1.8", "2.3", "3.4"}
"""Details that blame the sender's address or the size of the message, not the recipient."""
_PASSING: Final = {"2.2", "4.3", "4.5", "4.6", "4.7"}
"""A full mailbox; trouble on the way; a message that waited too long."""
_DAY: Final = 24 * 3600
_NEW_DAYS: Final = 7
"""News that went to a dead address and is older was told by the others long ago."""


def failure_of(status: str) -> Failure | None:
    """Return what a status code of a failed mail says of its recipient's address; None if it says nothing.

    A policy (5.7.x) that keeps felix out is passing: the address may be good, but no mail arrives there.
    """
    found = STATUS.search(status)
    if found is None or found[1] == "2":
        return None
    subject, detail = int(found[2]), f"{int(found[2])}.{int(found[3])}"
    if detail in _OURS or subject == 6 or (subject == 5 and detail != "5.0"):
        return None
    if found[1] == "4" or detail in _PASSING or subject in (3, 7):
        return "passing"
    return "lasting"


def decayed(score: float, since: str, now: str, *, half_life_days: float) -> float:
    """Return what is left of a score of `since`; a clock that went back makes no bounce worse."""
    if not score or not since:
        return 0.0
    seconds = max(0.0, (time_of(now) - time_of(since)).total_seconds())
    return float(score * 0.5 ** (seconds / _DAY / half_life_days))


def note_bounce(
    tx: Tx, seat: SeatRow, address: str, failure: Failure, why: str, *, now: str, limits: Bounces
) -> str:
    """Count a failure against an address of this seat's player; return what came of it, for the operator."""
    row = _row(tx, address)
    if row is None or row.player_id != seat.player_id:
        return "a bounce for an address that is not this player's: not counted"
    score = decayed(row.score, row.scored_at, now, half_life_days=limits.half_life_days) + WEIGHTS[failure]
    stops = score >= limits.threshold and not row.stopped
    tx.note_address(replace(row, score=score, scored_at=now, stopped="bounces" if stops else row.stopped))
    told = f"a {failure} failure, {score:.1f} of {limits.threshold:g}"
    if not stops:
        return told
    version = tx.head(seat.game_id)[0]
    enqueue(
        tx,
        Unreachable(
            game_id=seat.game_id,
            version=version,
            seat=seat.seat,
            due_at=now,
            address=row.address,
            why=plain(why),
        ),
    )
    if any(not other.stopped for other in tx.addresses(row.player_id)):
        _tell_again(tx, row, now)
    return f"{told}: no more mail goes there"


def mark_deliverable(tx: Tx, address: str) -> bool:
    """Forget the bounces of an address from which a good mail came; return True if mail goes there again."""
    row = _row(tx, address)
    if row is None or not (row.score or row.stopped == "bounces"):
        return False
    tx.note_address(
        replace(row, score=0.0, scored_at="", stopped="" if row.stopped == "bounces" else row.stopped)
    )
    return row.stopped == "bounces"


def is_stopped(reader: Reader, address: str, *, also_asked: bool = True) -> bool:
    """Return True if no mail may go to an address, because it bounces, or letters go to another one, or
    (`also_asked`) its reader wants none.
    """
    row = _row(reader, address)
    return row is not None and (row.stopped in ("bounces", "moved") or (also_asked and bool(row.stopped)))


def _tell_again(tx: Tx, stopped: AddressRow, now: str) -> None:
    """Tell the last news of each table once more, if it is new: it went to an address that is dead."""
    since = later(now, -_NEW_DAYS * _DAY)
    for seat in tx.seats_of(stopped.player_id):
        rows = tx.notices(seat.game_id)
        told = load_all(row for row in rows if row.seat == seat.seat and since <= row.due_at <= now)
        news = [notice for notice in told if notice.policy.told_again]
        if news:
            enqueue(tx, news[-1].repeated(f"again {stopped.address} {now}", now))


def _row(reader: Reader, address: str) -> AddressRow | None:
    """The address as it is kept: the case of letters tells no two mailboxes apart in practice."""
    player_id = reader.player_at(address) or reader.player_at(address.lower())
    rows = reader.addresses(player_id) if player_id is not None else []
    return next((row for row in rows if row.address.lower() == address.lower()), None)
