"""How much of what strangers send is kept in quarantine: the newest mails, so many, so large, so old.

The oldest lose their bytes, and their rows stay. New ones are not refused instead: whoever sends a thousand
would keep out everybody whom felix does not know yet. A player's mail is no stranger's, nor is one that a
player may still say to be theirs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from felix_async.clock import later
from felix_async.settings import Keep
from felix_events.store.base import Reader, Tx

TOGETHER: Final = 50
"""Mails that lose their bytes in one transaction."""
_DAY: Final = 24 * 3600
_MEGABYTE: Final = 1_000_000


def over_quota(reader: Reader, keep: Keep, now: str) -> list[int]:
    """The ids of strangers' mails that are beyond one of the bounds, the oldest first; so many at a time."""
    before = later(now, -keep.strangers_days * _DAY)
    over: list[int] = []
    size = 0
    for count, line in enumerate(reader.strangers_kept(), 1):
        size += line.size
        if count > keep.strangers or size > keep.strangers_mb * _MEGABYTE or line.received_at < before:
            over.append(line.mail_id)
    return over[::-1][:TOGETHER]


def drop_strangers(tx: Tx, mail_ids: Iterable[int]) -> None:
    """Take the bytes of these mails away, of those that are strangers' still."""
    still = {line.mail_id for line in tx.strangers_kept()}
    for mail_id in still.intersection(mail_ids):
        tx.drop_mail_bytes(mail_id)
