"""An order that was taken and undone shows to nobody else: in no log, in no letter, by no time."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

from games import SeededEntropy
from inbox.clocked import a_clocked_table
from inbox.postbag import Postbag, a_mail
from inbox.taking import taken, undone, wait
from notifiers.correspondence import Correspondence, corresponding
from notifiers.office import claim_owed

_NAMED: Final = re.compile(rb"(?:<|felix-)[a-z2-7]{32}(?=@)|felix-[0-9a-f]{32}")
"""Names of letters, which follow from the server's secret, and of their parts: they tell a reader nothing."""


@dataclass(frozen=True)
class Seen:
    """All that there is of an evening, but for how letters are named."""

    log: list[bytes]
    letters: list[tuple[int, str, bytes]]
    counts: Counter[int]


def an_evening(*, is_taken: bool) -> Seen:
    """A seat bids 6: after felix took its words for a bid of 4, or without that; others look meanwhile."""
    bag = a_clocked_table()
    bag.place_all()
    bag.room.clock.step = timedelta()
    post, seat = corresponding(bag), bag.to_move
    go_out(post)
    if is_taken:
        taken(bag, seat, "BID 4")
    go_out(post)
    asks(bag, (seat + 1) % 4, "STATUS")
    asks(bag, (seat + 2) % 4, "HISTORY")
    go_out(post)
    wait(bag, 60)
    if is_taken:
        undone(bag, seat)
    go_out(post)
    wait(bag, 600)
    go_out(post)
    # How many random bytes were drawn before is no secret, and shows.
    bag.room.service.entropy = SeededEntropy("the rest of the evening")
    asks(bag, seat, "BID 6")
    go_out(post)
    letters = bag.look(lambda reader: reader.letters())
    names: dict[bytes, bytes] = {}
    others = [
        (one.seat, one.created_at, _NAMED.sub(partial(counted, names), one.raw))
        for one in letters
        if one.seat != seat
    ]
    log = bag.look(lambda reader: reader.bodies(bag.game_id))
    return Seen(log, others, Counter(one.seat == seat for one in letters))


def counted(names: dict[bytes, bytes], found: re.Match[bytes]) -> bytes:
    """A name by when it came first."""
    return names.setdefault(found[0], b"%d" % len(names))


def asks(bag: Postbag, seat: int, text: str) -> None:
    """A mail of this seat, known by what it says."""
    address = str(bag.seat(seat).address)
    raw = a_mail(text, sender=address, message_id=f"<{seat}-{text[:3]}@players.test>")
    bag.take(raw, bag.address(seat), address)


def go_out(post: Correspondence) -> None:
    """All letters are written that are owed now."""
    claim_owed(post.bag.do, post.outbox)


def test_what_was_taken_and_undone_shows_to_nobody_else() -> None:
    with_it, without = an_evening(is_taken=True), an_evening(is_taken=False)
    assert with_it.counts[True] > without.counts[True]
    assert len(without.letters) >= 6
    assert (with_it.letters, with_it.log) == (without.letters, without.log)
