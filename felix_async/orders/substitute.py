"""SUBSTITUTE: the host asks somebody else to play on in a seat for which the computer plays.

The one who is asked gets a message, and nothing changes before they say so (`felix_async.orders.offers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from felix_async.address import token_in
from felix_async.clock import later
from felix_async.follow_up.kinds import Offer, SeatClosed
from felix_async.follow_up.notice import Notice
from felix_async.follow_up.notices import Hours
from felix_async.game.commands import Substitute
from felix_async.game.presence import refuse_vacant
from felix_async.game.rules import Refusal, refuse_over, why_not
from felix_async.language.phrases import phrase
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.hosting import names_at, seat_named
from felix_async.orders.listed import mail_of
from felix_async.orders.questions import withdraw_offers
from felix_async.orders.quotas import A_DAY, is_used_up
from felix_async.orders.strangers import too_many_elsewhere
from felix_async.people import NAME_LENGTH, Name, matching, name_of, named, seats_called
from felix_async.text import plain
from felix_async.time.times import until
from felix_events.store.rows import Question

_MAILTO: Final = re.compile(r"\bmailto:", re.IGNORECASE)
_HAS_SEAT: Final = ("substitute/sits_here", "substitute/sat_here")
_STRANGER: Final = "nobody"
"""Stands for the id of somebody who has none yet."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Somebody who is asked: a name, an address, and their id if felix knows them."""

    name: Name
    address: str
    player_id: str | None
    by_name: bool = False


def offer_seat(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Ask somebody to play on in a seat; an older question for that seat is withdrawn."""
    refusal = _may_not_offer(ctx)
    if refusal is not None:
        return refused(received, refusal)
    split = _split(received.order.text, [row.name for row in ctx.tx.seats(ctx.game_id)])
    if isinstance(split, Refusal):
        return refused(received, split)
    seat, words = split
    refusal = refuse_vacant(seat, ctx.game)
    if refusal is not None:
        return refused(received, refusal)
    candidate = _candidate(ctx, words)
    refusal = candidate if isinstance(candidate, Refusal) else _why_not(ctx, seat, candidate)
    if isinstance(candidate, Refusal) or refusal is not None:
        assert refusal is not None, "either there is nobody, or they cannot be asked"
        return refused(received, refusal)
    return _asked(ctx, received, seat, candidate, may_take=_seated(ctx, seat, candidate) is None)


def expires_at(question: Question, hours: Hours) -> str:
    """Until when a seat is offered."""
    return later(question.asked_at, hours.expire_after)


def _asked(
    ctx: OrderContext, received: ReceivedOrder, seat: int, candidate: _Candidate, *, may_take: bool
) -> Reply:
    """Ask, or tell who `may_take` no seat here that they cannot: the answer to the writer is the same."""
    tx, now, turn = ctx.tx, ctx.now, ctx.game.seats[seat].turn
    withdraw_offers(tx, ctx.game_id, seat)
    row = next(row for row in tx.seats(ctx.game_id) if row.seat == seat)
    if not row.secret:
        # Of somebody who was forgotten: without a secret nobody could answer the question.
        tx.rotate_secret(ctx.game_id, seat, ctx.service.entropy(32))
    question = Question(
        ctx.game_id,
        seat,
        "substitute",
        turn,
        ctx.source.mail_id,
        f"{candidate.name} <{candidate.address}>",
        now,
    )
    number = tx.ask(question)
    last = expires_at(question, ctx.service.hours)
    told: dict[str, Any] = {
        "game_id": ctx.game_id,
        "version": tx.head(ctx.game_id)[0],
        "seat": seat,
        "due_at": now,
        "turn": turn,
        "number": number,
        "to": candidate.address,
    }
    notice: Notice = Offer(**told, name=candidate.name, by=ctx.seat, until=last)
    if not may_take:
        tx.settle_question(replace(question, number=number), "dropped")
        notice = SeatClosed(**told, why=phrase("lobby.seat_closed.sits_here"))
    who = names_at(ctx)[seat]
    why = phrase("answers.tables.offered", name=candidate.name, who=who, moment=until(last, ctx.zone))
    if not ctx.game.seats[seat].gone:
        why = f"{why} {phrase('answers.tables.still_theirs', who=who)}"
    return done(received, why, changed=True, notices=[notice])


def _may_not_offer(ctx: OrderContext) -> Refusal | None:
    """Why the writer has no seat to offer. If nobody hosts, everybody at the table may."""
    game = ctx.game
    if game.is_over:
        return refuse_over(game, ctx.seat)
    if game.phase == "inviting":
        return Refusal("substitute/not_started")
    if game.seats[ctx.seat].gone:
        return Refusal("seat/gone")
    if ctx.seat not in game.players:
        return Refusal("seat/not_playing")
    return Refusal("host/only") if game.host not in (None, ctx.seat) else None


def _split(text: str, names: Sequence[str]) -> tuple[int, str] | Refusal:
    """Return the vacant seat, and the words that name a substitute; a colon may be between them.

    The longest beginning that is somebody's name counts; if it is the name of several, nobody is meant.
    """
    text = _MAILTO.sub("", text)
    colons = [place for place, char in enumerate(text) if char == ":" and "@" not in text[:place]]
    if colons:
        # A name may have a colon in it.
        place = next((place for place in reversed(colons) if seats_called(text[:place], names)), colons[0])
        found = seat_named(text[:place].strip(), names)
        return found if isinstance(found, Refusal) else (found, text[place + 1 :].strip())
    words = text.split()
    own = next((place for place, word in enumerate(words) if "@" in word or "<" in word), len(words))
    for count in range(min(own, len(words) - 1), 0, -1):
        beginning = " ".join(words[:count])
        if seats_called(beginning, names):
            found = seat_named(beginning, names)
            return found if isinstance(found, Refusal) else (found, " ".join(words[count:]))
    found = seat_named(words[0] if own else "", names)
    return found if isinstance(found, Refusal) else (found, "")


def _candidate(ctx: OrderContext, words: str) -> _Candidate | Refusal:
    """Find the one who is meant: a name and an address, or the name of a former co-player."""
    found = named(words)
    if found is None or not (found.name or found.address):
        return Refusal("substitute/no_address", {"line": plain(words, 80)})
    if not found.address:
        return _known(ctx, found.name)
    return _Candidate(found.name, found.address, ctx.tx.player_at(found.address))


def _known(ctx: OrderContext, name: Name) -> _Candidate | Refusal:
    rows = ctx.tx.co_players(ctx.player_id)
    at_table = [row for row in ctx.tx.seats(ctx.game_id) if row.player_id == ctx.player_id]
    rows = [*rows, *at_table]
    found = matching(name, [row.name for row in rows], whole_words=True)
    told = plain(name, NAME_LENGTH)
    if not found:
        return Refusal("substitute/unknown", {"name": told})
    if len(found) > 1:
        return Refusal("substitute/which_one", {"name": told})
    row = rows[found[0]]
    address = mail_of(ctx.tx, row)
    if not address:
        return Refusal("substitute/without_mail", {"name": name_of(row.name)})
    return _Candidate(name_of(row.name), address, row.player_id, by_name=True)


def _why_not(ctx: OrderContext, seat: int, candidate: _Candidate) -> Refusal | None:
    """Why this one cannot be asked to play there, as far as the writer may know.

    Nobody is to find out whose an address is by naming it, even one of somebody at the table.
    """
    told = {"name": candidate.name}
    if token_in(candidate.address, ctx.mailbox) is not None:
        return Refusal("substitute/felix")
    refusal = _seated(ctx, seat, candidate)
    is_known = candidate.by_name or candidate.address in ctx.row.addresses
    if refusal is not None and (is_known or refusal.code not in _HAS_SEAT):
        return refusal
    known = ctx.tx.addresses(candidate.player_id) if candidate.player_id else []
    stopped = [row.stopped for row in known]
    if stopped and all(stopped):
        if "asked" in stopped:
            return Refusal("substitute/wants_no_mail", told)
        return Refusal("substitute/unreachable", told)
    if is_used_up("offers", (question.asked_at for question in _offers_at(ctx)), ctx.now):
        return Refusal("substitute/too_often", {"most": A_DAY["offers"]})
    return too_many_elsewhere(ctx.tx, ctx.now, candidate.address, ctx.row)


def _seated(ctx: OrderContext, seat: int, candidate: _Candidate) -> Refusal | None:
    """Why this one could not take the seat, if they wanted to."""
    if any(candidate.address in row.addresses for row in ctx.tx.seats(ctx.game_id)):
        return Refusal("substitute/sits_here")
    return why_not(Substitute(seat=seat, player_id=candidate.player_id or _STRANGER), ctx.game)


def _offers_at(ctx: OrderContext) -> Iterator[Question]:
    """All offers at the tables of the writer: whoever hosts them, nobody is to be pestered."""
    for row in ctx.tx.seats_of(ctx.player_id):
        for seat in ctx.tx.seats(row.game_id):
            for question in ctx.tx.questions(seat.game_id, seat.seat):
                if question.kind == "substitute":
                    yield question
