"""How much of what strangers send keeps its text: the newest messages, so many, so large, so old.

A stranger's is any mail of which nothing was done, except a player's: one that came to an address with their
token. From alone makes none, because everybody can write it; nor is it a stranger's as long as a player may
say that it is theirs. The oldest lose their bytes, and their rows stay. New ones are not refused instead:
whoever sends a thousand would keep out everybody whom felix does not know yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from felix_async.clock import DAY, later
from felix_async.reading.sender import seat_of
from felix_async.settings import Keep
from felix_events.store.base import Reader, Tx

TOGETHER: Final = 50
"""Mails that lose their bytes in one transaction."""
_MEGABYTE: Final = 1_000_000


def over_quota(reader: Reader, keep: Keep, mailbox: str, now: str) -> list[int]:
    """The ids of strangers' mails that are beyond one of the bounds, the oldest first."""
    before = later(now, -keep.strangers_days * DAY)
    over: list[int] = []
    count = size = 0
    for line in reader.undone_kept():
        if line.player_id is not None and seat_of(reader, line.recipient, mailbox) is not None:
            continue
        count += 1
        size += line.size
        if count > keep.strangers or size > keep.strangers_mb * _MEGABYTE or line.received_at < before:
            over.append(line.mail_id)
    return over[::-1]


def letters_over(reader: Reader, keep: Keep, now: str) -> list[int]:
    """The letters to strangers that are as old as their mails may become."""
    return reader.letters_to_strangers(later(now, -keep.strangers_days * DAY))


def forget_strangers(tx: Tx, letter_ids: Iterable[int]) -> None:
    """Take the addresses and the bytes of these letters away."""
    for letter_id in letter_ids:
        tx.forget_stranger(letter_id)


def drop_strangers(tx: Tx, mail_ids: Iterable[int]) -> None:
    """Take bytes and sender of these mails away, where nobody has put them back or asks about them."""
    for mail_id in mail_ids:
        held = tx.held(mail_id)
        for line in tx.mails_kept(mail_id - 1, 1):
            is_undone = line.mail_id == mail_id and line.state not in ("new", "done")
            if is_undone and (held is None or held.state == "released"):
                tx.drop_mail_bytes(mail_id)
                tx.forget_sender(mail_id)
