"""Answers to the offer of a seat: whoever was asked takes it, does not want it, or comes too late.

The question is kept with the seat, and is told to the address of the one who is asked, and nobody else. So a
mail to the question's address, from there, is by them; until they say JOIN it moves nothing, and is told
nothing that spectators do not know.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from felix_async.clock import DAY, later
from felix_async.deliverability import mark_deliverable
from felix_async.follow_up.answer import AnsweredLine
from felix_async.follow_up.kinds import Offer, SeatClosed, TurnedDown, enqueue, load_all
from felix_async.game.commands import Substitute
from felix_async.game.rules import why_not
from felix_async.inbox.answers import answer_to
from felix_async.inbox.arrival import Arrival, Handled, Told
from felix_async.language.phrases import phrase
from felix_async.orders.context import CHANGED, Reply
from felix_async.orders.preferences import note_offset
from felix_async.orders.questions import question_named, welcome_back
from felix_async.orders.substitute import expires_at
from felix_async.people import FORMER, Named, distinct, name_of, named
from felix_async.reading.reader import Reading
from felix_async.reading.sender import InDoubt, Writer, check_vouched
from felix_async.reading.verdicts import settled
from felix_async.service import Origin
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Question

TAKES: Final = ("JOIN", "YES")
REFUSES: Final = ("DECLINE", "NO", "STOP", "RESIGN", "FORGET")
MAX_AGAIN: Final = 3
"""Letters within a day to who was asked, and answers something else, or too late."""


def offer_named(reader: Tx, writer: Writer) -> Question | None:
    """The offer that the address of a mail belongs to."""
    question = question_named(reader, writer)
    return question if question is not None and question.kind == "substitute" else None


def answer_offer(arrival: Arrival, question: Question) -> Handled:
    """Seat whoever was asked, or not, unless the mail is not, or not surely, from them."""
    reading, asked = arrival.reading, named(question.text)
    try:
        if asked is None or reading.sender not in _own(arrival.tx, asked.address):
            raise InDoubt("the sender is not who was asked to play on here")
        # The address of the offer, which was told there alone, is enough.
        if reading.sender != asked.address:
            check_vouched(reading)
    except InDoubt as reason:
        return Handled("quarantined", str(reason))
    handled = _answered(arrival, question, asked)
    mark_deliverable(arrival.tx, reading.sender)
    return handled


def _answered(arrival: Arrival, question: Question, asked: Named) -> Handled:
    tx, now, word = arrival.tx, arrival.now, _answer_in(arrival.reading)
    if word in REFUSES:
        if question.state == "open":
            tx.settle_question(question, "no")
            _tell_host(arrival, question, asked.name)
        return Handled("done", "the seat was not wanted")
    closed = _why_not(arrival, question, asked)
    if closed:
        if question.state == "open":
            tx.settle_question(question, "dropped")
        why = phrase(f"lobby.seat_closed.{closed}")
        _tell(tx, question, SeatClosed, {"to": asked.address, "why": why}, now)
        return Handled("done", f"the seat is not to be had any more ({closed})")
    if word not in TAKES:
        last = _last_offer(tx, question)
        again = {} if last is None else last.model_dump(include={"to", "name", "by", "until"})
        _tell(tx, question, Offer, again, now)
        return Handled("ignored", "an offer was answered with neither JOIN nor DECLINE")
    return _seat(arrival, question, asked, word)


def _own(tx: Reader, address: str) -> set[str]:
    """The address that was asked, and the others of its owner."""
    player = tx.player_at(address)
    return {address, *(row.address for row in tx.addresses(player))} if player else {address}


def _answer_in(reading: Reading) -> str:
    """JOIN, DECLINE or another word for them; '' if the mail says neither, or both."""
    lines = settled(reading.said)
    words = {line.order.word for line in lines if line.order is not None and line.verdict == "order"}
    takes, refuses = words & set(TAKES), words & set(REFUSES)
    return "" if takes and refuses else next(iter(sorted(takes or refuses)), "")


def _why_not(arrival: Arrival, question: Question, asked: Named) -> str:
    """Why the seat is not to be had any more, in a word; '' if it is."""
    if question.state != "open":
        return "turned_down" if question.state == "no" else "withdrawn"
    if arrival.now >= expires_at(question, arrival.service.hours):
        return "expired"
    game = arrival.service.load(arrival.tx, question.game_id)
    player_id = arrival.tx.player_at(asked.address) or "nobody"
    refusal = why_not(Substitute(seat=question.seat, player_id=player_id), game)
    if refusal is None:
        return ""
    if refusal.code == "game/over":
        return "over"
    return "sits_here" if refusal.code in ("substitute/sits_here", "substitute/sat_here") else "player_back"


def _seat(arrival: Arrival, question: Question, asked: Named, word: str) -> Handled:
    """Give the seat over, and answer to whoever has it now."""
    tx, service, mail, reading = arrival.tx, arrival.service, arrival.mail, arrival.reading
    game_id, seat = question.game_id, question.seat
    rows = tx.seats(game_id)
    (player,) = service.identified(tx, [asked])
    others = [name_of(row.name) for row in rows if row.seat != seat]
    player = replace(player, name=distinct([*others, name_of(asked.name)])[-1])
    before = name_of(rows[seat].name) or FORMER
    tx.settle_question(question, "yes")
    origin = Origin(
        f"{arrival.key}/substitute",
        "seat",
        "mail",
        mail.sha256,
        word,
        message_id=reading.message_id or None,
    )
    with tx.savepoint():
        outcome = service.seat_substitute(tx, game_id, seat, player, address=asked.address, origin=origin)
    assert outcome.events, "nothing stood against it"
    row = tx.seats(game_id)[seat]
    tx.attribute_mail(mail.mail_id, row.player_id)
    welcome_back(tx, row.player_id)
    note_offset(tx, row.player_id, reading.headers.get("date", ""))
    line = AnsweredLine(text=word, verdict="done", why=phrase("answers.tables.playing_on", who=before))
    answer = answer_to(reading, Reply((line,), show=("status", "hand", "help")) + CHANGED)
    return Handled("done", "its writer plays on for somebody", (Told(row, answer),))


def _tell_host(arrival: Arrival, question: Question, name: str) -> None:
    """Tell the host that they have to look for somebody else."""
    game = arrival.service.load(arrival.tx, question.game_id)
    offer = _last_offer(arrival.tx, question)
    to = game.host if game.host is not None or offer is None or offer.is_erased else offer.by
    if to is None or game.is_over or to not in game.humans:
        return
    notice = TurnedDown(
        game_id=question.game_id,
        version=game.version,
        seat=to,
        due_at=arrival.now,
        name=name,
        vacant=question.seat,
        offer=question.number,
    )
    enqueue(arrival.tx, notice)


def _last_offer(tx: Tx, question: Question) -> Offer | None:
    """Return the notice that the letter with the question was made of."""
    offers = [one for one in _told_of(tx, question) if isinstance(one, Offer)]
    return offers[-1] if offers else None


def _tell(
    tx: Tx, question: Question, kind: type[Offer] | type[SeatClosed], said: dict[str, Any], now: str
) -> None:
    """Write to the one who was asked once more, but not without end."""
    lately = _told_of(tx, question, later(now, -DAY))
    if len(lately) > MAX_AGAIN:
        return
    notice = kind(
        game_id=question.game_id,
        version=tx.head(question.game_id)[0],
        seat=question.seat,
        due_at=now,
        turn=question.turn,
        again=f"{len(lately)} {now}",
        number=question.number,
        **said,
    )
    enqueue(tx, notice)


def _told_of(tx: Tx, question: Question, since: str = "") -> list[Offer | SeatClosed]:
    """Return the notices of an offer."""
    rows = [row for row in tx.notices(question.game_id, since) if row.seat == question.seat]
    told = load_all(row for row in rows if row.kind in (Offer.kind, SeatClosed.kind))
    return [one for one in told if isinstance(one, Offer | SeatClosed) and one.number == question.number]
