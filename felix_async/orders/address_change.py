"""ADDRESS: letters go to another address, once whoever reads mail there has said YES.

ADDRESS OFF: what is unsigned is asked about again, wherever it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from felix_async.address import token_in
from felix_async.deliverability import is_stopped
from felix_async.follow_up.kinds import Claim
from felix_async.game.rules import Refusal
from felix_async.language.phrases import phrase
from felix_async.language.words import ADDRESS_OFF
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.quotas import A_DAY, is_used_up
from felix_async.orders.strangers import too_many_elsewhere
from felix_async.reading.authentication import provider_text
from felix_async.text import plain
from felix_async.time.times import day_text
from felix_events.store.rows import Question

MAX_ADDRESS: Final = 254
"""Characters of an address (RFC 5321, section 4.5.3.1.3, without the brackets)."""
_ATOM: Final = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS: Final = re.compile(rf"(?=.{{1,64}}@){_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})+")


def is_mail_address(text: str) -> bool:
    """Return True if a letter can be sent there: a plain address in small letters, no quotes or comments.

    >>> is_mail_address("anna@example.org"), is_mail_address("anna@localhost"), is_mail_address("a..b@c.org")
    (True, False, False)
    """
    return len(text) <= MAX_ADDRESS and _ADDRESS.fullmatch(text) is not None


def move_address(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Ask at the new address whether letters shall go there; until somebody says YES there, all stays.

    Nobody learns from the answer whose address it is: if it is another player's, that player is told.
    """
    if received.order.text in ADDRESS_OFF:
        return _doubt_all(ctx, received)
    address = received.order.text.lower()
    refusal = _why_not(ctx, address)
    if refusal is not None:
        return refused(received, refusal)
    for question in _asked(ctx):
        if question.state == "open":
            ctx.tx.settle_question(question, "dropped")
    seat, now = ctx.row, ctx.now
    is_taken = ctx.tx.player_at(address) not in (None, seat.player_id)
    question = Question(seat.game_id, seat.seat, "address", ctx.turn, ctx.source.mail_id, address, now)
    number = ctx.tx.ask(question)
    if is_taken:
        ctx.tx.settle_question(replace(question, number=number), "dropped")
    claim = Claim(
        game_id=seat.game_id,
        version=ctx.tx.head(seat.game_id)[0],
        seat=seat.seat,
        due_at=now,
        turn=ctx.turn,
        to=address,
        number=number,
        whose="taken" if is_taken else None,
    )
    notices = [] if is_taken and is_stopped(ctx.tx, address) else [claim]
    return done(
        received, phrase("people.address.asked", address=plain(address)), changed=True, notices=notices
    )


def _doubt_all(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Unsigned mail is this player's no more, wherever it comes from, until they say so again."""
    is_new = ctx.tx.doubt(ctx.player_id) > 0
    return done(
        received, phrase("people.beliefs.off" if is_new else "people.beliefs.off_already"), changed=is_new
    )


def beliefs_told(ctx: OrderContext) -> str:
    """The sentence that says which unsigned mail is this player's; '' if none is."""
    zone = ctx.zone
    places = [
        phrase(
            "people.beliefs.one",
            address=plain(one.address),
            provider=provider_text(one.provider),
            day=day_text(one.since, zone),
        )
        for one in ctx.tx.beliefs(ctx.player_id)
    ]
    return phrase("people.beliefs.told", places=places) if places else ""


def _why_not(ctx: OrderContext, address: str) -> Refusal | None:
    told = {"address": plain(address)}
    if not is_mail_address(address):
        return Refusal("address/none", told)
    if token_in(address, ctx.mailbox) is not None:
        return Refusal("address/ours", told)
    # A player who stopped their mail is back by this very order, so `address` is the one that mail goes to.
    row = next(row for row in ctx.tx.seats(ctx.game_id) if row.seat == ctx.seat)
    if row.address is not None and row.address.lower() == address:
        return Refusal("address/is_yours", told)
    if is_used_up("addresses", (question.asked_at for question in _asked(ctx)), ctx.now):
        return Refusal("address/too_often", {"most": A_DAY["addresses"]})
    return too_many_elsewhere(ctx.tx, ctx.now, address, ctx.row)


def _asked(ctx: OrderContext) -> Iterator[Question]:
    """All questions whether this player's letters shall go to an address, in any of their games."""
    for seat in ctx.tx.seats_of(ctx.player_id):
        for question in ctx.tx.questions(seat.game_id, seat.seat):
            if question.kind == "address":
                yield question
