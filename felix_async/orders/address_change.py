"""ADDRESS: letters go to another address, once whoever reads mail there has said YES.

ADDRESS OFF: what is unsigned is asked about again, wherever it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import orjson

from felix_async.address import token_in
from felix_async.clock import later
from felix_async.deliverability import is_stopped
from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.language.phrases import phrase
from felix_async.language.words import ADDRESS_OFF
from felix_async.orders.context import Desk, Given, done, refused
from felix_async.orders.questions import DAY
from felix_async.reading.authentication import provider_text
from felix_async.text import plain
from felix_async.time.times import day_text
from felix_async.time.zones import zone_for
from felix_events.store.rows import Notice, Question

MAX_CLAIMS: Final = 3
"""Letters to addresses that a player names, within a day: nobody is to be pestered by them."""
MAX_ADDRESS: Final = 254
"""Characters of an address (RFC 5321, section 4.5.3.1.3, without the brackets)."""
_ATOM: Final = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS: Final = re.compile(rf"(?=.{{1,64}}@){_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})+")


def is_mail_address(text: str) -> bool:
    """Whether a letter can be sent there: a plain address in small letters, without quotes or comments.

    >>> is_mail_address("anna@example.org"), is_mail_address("anna@localhost"), is_mail_address("a..b@c.org")
    (True, False, False)
    """
    return len(text) <= MAX_ADDRESS and _ADDRESS.fullmatch(text) is not None


def move_address(desk: Desk, given: Given) -> AnsweredLine:
    """Ask at the new address whether letters shall go there; until somebody says YES there, all stays.

    Whose address it is nobody learns from the answer: where it is another player's, that one is told.
    """
    if given.order.text in ADDRESS_OFF:
        return _doubt_all(desk, given)
    address = given.order.text.lower()
    refusal = _why_not(desk, address)
    if refusal is not None:
        return refused(given, refusal)
    for question in _asked(desk):
        if question.state == "open":
            desk.tx.settle_question(question, "dropped")
    seat, now = desk.writer.seat, desk.now
    is_taken = desk.tx.player_at(address) not in (None, seat.player_id)
    question = Question(seat.game_id, seat.seat, "address", desk.turn, desk.mail.mail_id, address, now)
    number = desk.tx.ask(question)
    if is_taken:
        desk.tx.settle_question(replace(question, number=number), "dropped")
    if not is_taken or not is_stopped(desk.tx, address):
        told = {"address": address, "whose": "taken"} if is_taken else {"address": address, "number": number}
        payload = orjson.dumps(told).decode()
        version = desk.tx.head(seat.game_id)[0]
        about = str(number)
        desk.tx.owe(
            Notice(seat.game_id, version, seat.seat, "claim", now, desk.turn, about=about, payload=payload)
        )
    desk.obeyed.changed = True
    return done(given, phrase("people.address.asked", address=plain(address)))


def _doubt_all(desk: Desk, given: Given) -> AnsweredLine:
    """Unsigned mail is this player's no more, wherever it comes from, until they say so again."""
    if desk.tx.doubt(desk.writer.seat.player_id) == 0:
        return done(given, phrase("people.beliefs.off_already"))
    desk.obeyed.changed = True
    return done(given, phrase("people.beliefs.off"))


def beliefs_told(desk: Desk) -> str:
    """From where unsigned mail is this player's; '' if it never is."""
    player, zone = (
        desk.writer.seat.player_id,
        zone_for(desk.tx.choice(desk.writer.seat.player_id), desk.service.hours.zone),
    )
    places = [
        phrase(
            "people.beliefs.one",
            address=plain(one.address),
            provider=provider_text(one.provider),
            day=day_text(one.since, zone),
        )
        for one in desk.tx.beliefs(player)
    ]
    return phrase("people.beliefs.told", places=places) if places else ""


def _why_not(desk: Desk, address: str) -> Refusal | None:
    told: dict[str, int | str] = {"address": plain(address)}
    if not is_mail_address(address):
        return Refusal("address/none", told)
    if token_in(address, desk.mailbox) is not None:
        return Refusal("address/ours", told)
    # Whoever stopped the mail to an address is back by this very order, so `address` is where mail goes.
    row = next(row for row in desk.tx.seats(desk.game_id) if row.seat == desk.seat)
    if row.address is not None and row.address.lower() == address:
        return Refusal("address/is_yours", told)
    yesterday = later(desk.now, -DAY)
    if sum(question.asked_at > yesterday for question in _asked(desk)) >= MAX_CLAIMS:
        return Refusal("address/too_often", {"most": MAX_CLAIMS})
    return None


def _asked(desk: Desk) -> Iterator[Question]:
    """All questions about where this player's letters shall go, in any of their games."""
    for seat in desk.tx.seats_of(desk.writer.seat.player_id):
        for question in desk.tx.questions(seat.game_id, seat.seat):
            if question.kind == "address":
                yield question
