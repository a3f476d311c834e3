"""No mail takes long, whatever it is made of: a longer one takes as much longer, and not more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from time import process_time

import pytest

from each import one_in
from felix_async.address import Token, address_of, encode_token
from felix_async.inbox.delivery import recipients_in, sender_in
from felix_async.inbox.process import Processor
from felix_async.inbox.waiting import Readings
from inbox import hostile
from inbox.postbag import MAILBOX, Postbag, a_first_round
from machine import is_within

SMALL, LARGE = 25_000, 250_000
MOST_TIMES = 15
"""So many times the processor time for ten times the bytes."""
GRACE = 0.005
"""Seconds that are added to the short mail's: so little is hard to measure."""
LONGEST = 0.6
TRIES = 5


@pytest.fixture(scope="module")
def bag() -> Postbag:
    return a_first_round()


def cost(bag: Postbag, raw: bytes, recipient: str, sender: str) -> float:
    """Seconds of processor time until a mail is dealt with, from its bytes on."""
    bag.room.clock.now += timedelta(hours=5)
    bag.mails += 1
    raw = b"Message-ID: <%d@else.test>\n" % bag.mails + raw
    # Deal with the messages that wait first, so that the time is that of this one alone.
    bag.work()
    start = process_time()
    recipients_in(raw, MAILBOX)
    sender_in(raw)
    kept = process_time() - start
    bag.post(raw, recipient, sender)
    readings = Readings(MAILBOX, bag.processor.authserv_id)
    start = process_time()
    readings.begin(bag.do)
    bag.do(partial(bag.processor.process_some, readings=readings))
    return kept + process_time() - start


def too_long(bag: Postbag, shapes: Mapping[str, hostile.Shape], recipient: str, sender: str) -> list[str]:
    """Which of these take too long; a shape is tried again as long as it seems to."""
    found = []
    for name, shape in shapes.items():
        small = large = 1000.0
        for _ in range(TRIES):
            large = min(large, cost(bag, shape(LARGE), recipient, sender))
            if large <= MOST_TIMES * GRACE:
                # However fast the short one is.
                break
            small = min(small, cost(bag, shape(SMALL), recipient, sender))
            if large <= MOST_TIMES * (small + GRACE) and is_within(large, LONGEST):
                break
        else:
            found.append(f"{name}: {large:.3f} s, at a tenth of the size {small:.3f} s")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_in(4, ["TEXTS", "PAGES", "PARTS", "HEADERS"]))
def test_a_mail_to_a_seat_takes_no_longer_than_its_length(bag: Postbag, kind: str) -> None:
    shapes: Mapping[str, hostile.Shape] = getattr(hostile, kind)
    assert too_long(bag, shapes, bag.address(0), "anna@players.test") == []


@pytest.mark.slow
def test_a_mail_without_a_token_for_which_a_server_may_vouch_takes_no_longer(bag: Postbag) -> None:
    shapes = {**hostile.HEADERS, "list": hostile.TEXTS["a list of strangers"]}
    bag = replace(bag, processor=Processor(bag.room.service, MAILBOX, "mx.felix.test"))
    assert too_long(bag, shapes, MAILBOX, "anna@players.test") == []
    shapes = {name: shape for name, shape in shapes.items() if "result" in name}
    assert too_long(bag, shapes, bag.address(0), "anna@players.test") == []


def test_a_bounce_takes_no_longer(bag: Postbag) -> None:
    token = encode_token(Token(bag.game_id, 0, "bounce", 0), bag.seat(0).secret)
    assert too_long(bag, hostile.BOUNCES, address_of(MAILBOX, token), "") == []
