"""DISPUTE and STANDS: a player denies a move, and the host lets it stand.

Everybody is told the move as it was told to all, and what is still kept of it: the same words for every way
in which a move can be made, since the others do not know which it was. Its player gets the message itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal

from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, evidence_of
from felix_async.audit.received import stands
from felix_async.clock import later
from felix_async.follow_up.answer import AnsweredLine
from felix_async.follow_up.disputed import Disputed
from felix_async.follow_up.kinds import load_all
from felix_async.game.commands import Dispute, Stand, Vote, Withdraw
from felix_async.game.disputes import open_dispute
from felix_async.game.lobby import MOST
from felix_async.game.moment import coming, row_of
from felix_async.game.names import Names
from felix_async.game.narrate import move_text
from felix_async.game.rules import Refusal, why_not
from felix_async.game.state import Game
from felix_async.game.story import Story
from felix_async.game.views import view
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import AHEAD, CARD_NAMES, DISPUTE_WORDS, WORD_OF
from felix_async.meaning.denials import denials_in
from felix_async.meaning.meaning import Doubt
from felix_async.meaning.numbers import number_at
from felix_async.meaning.situation import situation_of
from felix_async.meaning.text import text_of
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.hosting import names_at, seat_named
from felix_async.orders.questions import ask_about_order
from felix_async.orders.quotas import A_DAY, is_used_up, times_of
from felix_async.people import seats_first_in
from felix_async.provenance import Found, Provenance, mail_of, provenances, public_part
from felix_async.text import plain
from felix_async.time.times import moment, until
from felix_events.envelope import Envelope, check_envelopes
from felix_events.model import BidPlaced, Card, CardPlaced, Denied, DisputeRaised, Event, PlayerPassed
from felix_events.store.base import Reader

OPEN_AFTER: Final = 30 * 24 * 3600
"""Seconds after the end of a game for which a player is still sent the message of a move."""
Verdict = Literal["kept", "record", "desk", "odd"]
"""What a denied move is worth: its message is kept; only the record of it is; the host entered it; or what is
kept does not fit.
"""
_WHAT: Final[Mapping[type[Event], Denied]] = {CardPlaced: "card", BidPlaced: "bid", PlayerPassed: "pass"}
_NAMELESS: Final = Names([""] * MOST)
_OF_MOVES: Final = frozenset(
    {*DISPUTE_WORDS["round"], *(word for name in CARD_NAMES.values() for word in name.split())}
)
"""Words of moves that say nothing alone: as a part of a name they are none."""
_OFF: Final = re.compile(rf"(?i)(?:{'|'.join(DISPUTE_WORDS['off'])})\b\W*(.*)")
_KNOWN: Final = frozenset(word for key in ("card", "bid", "pass", "about") for word in DISPUTE_WORDS[key])


@dataclass(frozen=True, slots=True)
class Made:
    """A move of a seat, the last one at its decision: in which version, in which round, and what it was."""

    turn: int
    what: Denied
    version: int
    round: int
    move: CardPlaced | BidPlaced | PlayerPassed


@dataclass(frozen=True, slots=True)
class _Said:
    """Words about a move: the kinds, numbers and named cards in them, and the round, if there are any.

    They are `plain` if there is nothing else in them.
    """

    kinds: frozenset[str]
    numbers: frozenset[Card | int]
    round: int | None
    plain: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found of a move: the verdict, how it was given and by which mail, if either is known."""

    verdict: Verdict
    made_by: Provenance | None = None
    found: Found | None = None


def moves_of(envelopes: Sequence[Envelope], seat: int, turns: Collection[int]) -> list[Made]:
    """Return the moves of a seat at these decisions, in their order."""
    return [
        Made(turn, _WHAT[type(move)], step.version, step.before.round, move)
        for (whose, turn), step in Story.of(envelopes).made.items()
        if (whose == seat and turn in turns)
        and isinstance(move := step.event, CardPlaced | BidPlaced | PlayerPassed)
    ]


def ask_to_deny(ctx: OrderContext, text: str) -> Reply:
    """Offer whoever denies a move to dispute the one that they name, which a YES does, and a look at all."""
    envelopes = check_envelopes(ctx.tx.bodies(ctx.game_id))
    made = moves_of(envelopes, ctx.seat, _turns(ctx, _late(ctx)))
    found = _meant(_said_of(text), made)
    if found is None or _refusal(ctx, found, envelopes) is not None:
        return Reply(offers=(WORD_OF["HISTORY"],))
    return _asked(ctx, *_offers(found, made), doubt="denied")


def _offers(found: Made, made: Sequence[Made]) -> tuple[Order, Order]:
    move = public_part(found.move)
    is_clear = sum(_is_meant(_said_of(move), one) for one in made) == 1
    return Order("DISPUTE", text=move if is_clear else f"{move} round {found.round}"), Order("HISTORY")


def _refusal(ctx: OrderContext, found: Made, envelopes: Sequence[Envelope]) -> Refusal | None:
    """Return why this move cannot be disputed now, None if it can; after the end no rules tell."""
    if not ctx.game.is_over:
        return why_not(Dispute(seat=ctx.seat, turn=found.turn, what=found.what), ctx.game)
    if ctx.game.seats[ctx.seat].gone:
        return Refusal("seat/gone")
    return Refusal("dispute/over") if ctx.now > later(envelopes[-1].at, OPEN_AFTER) else None


def look_at(
    reader: Reader, evidence: Evidence, envelopes: Sequence[Envelope], made: Made, mailbox: str
) -> Looked:
    """Return what is still known of a move, and whether it fits the log."""
    if not audit(evidence).sound:
        return Looked("odd")
    by = provenances(evidence, envelopes, _NAMELESS).get(made.version)
    if by is None:
        return Looked("odd")
    if by.said.channel == "desk":
        return Looked("desk", by)
    found = mail_of(reader, by, evidence.game_id, mailbox)
    if found.mail is None or not found.mail.raw:
        return Looked("record", by, found)
    fits = sha256(found.mail.raw).hexdigest() == by.said.mail_sha256
    fits &= by.line is None or stands(by.line, found.mail) is not False
    return Looked("kept" if fits else "odd", by, found)


def dispute(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Tell everybody that a move of the writer's is denied, and send the writer the message that made it.

    After the end the log is closed: what is kept of the dispute then are the notices about it.
    """
    text = received.order.text.strip(" \"'“”„")
    if (off := _OFF.match(text)) and (more := _said_of(off[1])).kinds == more.numbers == frozenset():
        if off[1] and _has_open(ctx):
            off_alone = Order("DISPUTE", text=DISPUTE_WORDS["off"][0].upper())
            return _asked_line(received) + _asked(ctx, off_alone, doubt="several")
        return _withdraw(ctx, received)
    game, own_text = ctx.game, of_own(text, names_at(ctx), ctx.seat)
    if own_text is None:
        return refused(received, Refusal("dispute/not_own"))
    if _has_open(ctx):
        return refused(received, Refusal("dispute/open"))
    evidence = evidence_of(ctx.tx, ctx.game_id)
    assert evidence is not None, "the game of an order is there"
    envelopes = check_envelopes(evidence.bodies)
    late = _late(ctx)
    made = moves_of(envelopes, ctx.seat, _turns(ctx, late))
    if ctx.standing.given and text.upper().startswith(tuple(WORD_OF[one] for one in AHEAD)):
        return refused(received, Refusal("dispute/ahead"))
    said = _said_of(own_text)
    found = _meant(said, made)
    if found is None:
        raised = (one.data for one in envelopes if isinstance(one.data, DisputeRaised))
        turns = {one.turn for one in raised if one.seat == ctx.seat}.union(one.denied for one in late)
        is_again = _meant(said, moves_of(envelopes, ctx.seat, turns)) is not None
        return refused(received, Refusal("dispute/again") if is_again else Refusal("dispute/no_move"))
    if refusal := _refusal(ctx, found, envelopes):
        return refused(received, refusal)
    times = times_of(ctx.tx, ctx.game_id, ctx.seat, "dispute_raised") + [one.due_at for one in late]
    if is_used_up("disputes", times, ctx.now):
        return refused(received, Refusal("dispute/too_often", {"most": A_DAY["disputes"]}))
    # Of two numbers either may be the one that is denied.
    if len(said.numbers) > 1 or (not said.plain and not _denies(ctx, text)):
        return _asked_line(received) + _asked(ctx, *_offers(found, made), doubt="denied")
    if not game.is_over:
        command = Dispute(seat=ctx.seat, turn=found.turn, what=found.what)
        own = public_part(found.move)
        outcome = ctx.command(command, received, order=f"{WORD_OF['DISPUTE']} {own}")
        if outcome.refusal is not None:
            return refused(received, outcome.refusal)
    looked = look_at(ctx.tx, evidence, envelopes, found, ctx.mailbox)
    told, how_on = " ".join(_told(ctx, found, looked)), " ".join(_how_on(ctx))
    notices = _notices(ctx, found, looked)
    reply = done(received, told, while_open=how_on, changed=True, notices=notices)
    return replace(reply, mails=tuple(_mails(looked)))


def raised_late(reader: Reader, game_id: str) -> list[Disputed]:
    """Return the disputes that were raised after the end of a game, the first of them first."""
    notices = load_all(row for row in reader.notices(game_id) if row.kind == Disputed.kind)
    return [one for one in notices if isinstance(one, Disputed) and one.by == one.seat]


def _notices(ctx: OrderContext, made: Made, looked: Looked) -> list[Disputed]:
    """Return the notices to everybody else; after the end also one that is kept and never sent."""
    game = ctx.game
    there = [seat for seat in game.humans if seat != ctx.seat]
    if game.is_over:
        there = [seat for seat in game.players if seat == ctx.seat or not game.seats[seat].gone]
    return [
        Disputed(
            game_id=ctx.game_id,
            version=game.version,
            seat=seat,
            due_at=ctx.now,
            turn=game.seats[seat].turn,
            by=ctx.seat,
            denied=made.turn,
            move="" if lies_hidden(game, made) else move_text(made.move),
            round=made.round,
            verdict=looked.verdict,
        )
        for seat in there
    ]


def stand(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Let a disputed move stand, as the host says; if it is not clear which of several, ask."""
    if ctx.seat != ctx.game.host:
        return refused(received, Refusal("host/only"))
    whom = disputed_seat(ctx, received, lambda seat: Stand(seat=ctx.seat, whom=seat))
    if isinstance(whom, Reply):
        return whom
    # The log keeps no name, so that somebody can be forgotten: the seat says who is meant.
    kept = str(Order("STANDS", text=str(whom)))
    outcome = ctx.command(Stand(seat=ctx.seat, whom=whom), received, order=kept, actor="host")
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    return done(received, phrase("people.dispute.stands", who=names_at(ctx)[whom]), changed=True)


def disputed_seat(
    ctx: OrderContext, received: ReceivedOrder, command: Callable[[int], Stand | Vote]
) -> int | Reply:
    """Return the seat that is named; without a name that of the only dispute, if one can be of the others.

    If it is not clear which, ask for one of those about which the command can be done.
    """
    game, names, text = ctx.game, names_at(ctx), received.order.text
    open_ = [one.seat for one in game.disputes]
    others = [seat for seat in open_ if seat != ctx.seat] or [ctx.seat]
    may = [seat for seat in others if why_not(command(seat), game) is None]
    if not text and len(may) < 2:
        return others[0]
    whom = seat_named(text, names)
    if isinstance(whom, int):
        return whom
    # More words may stand behind the name.
    begun = [seat for seat in seats_first_in(text, names) if seat in open_]
    if len(begun) == 1:
        return begun[0]
    if not may:
        return refused(received, whom)
    named = (Order(received.order.word, text=names[seat]) for seat in may)
    return _asked_line(received) + _asked(ctx, *named, doubt="several")


def _asked_line(received: ReceivedOrder) -> Reply:
    return Reply((AnsweredLine(text=received.text, verdict="asked", why=""),))


def _asked(ctx: OrderContext, *offers: Order, doubt: Doubt) -> Reply:
    """Offer these orders; if one alone may be meant, a YES does it."""
    number = 0
    if (len(offers) == 1 or doubt == "denied") and not ctx.earlier.asks:
        turn, lies = coming(ctx.game, ctx.seat), row_of(ctx.game)
        number = ask_about_order(ctx.tx, ctx.row, ctx.source.mail_id, offers[0], turn, lies, ctx.now)
    return Reply(offers=tuple(map(str, offers)), doubt=doubt, asks=number)


def _withdraw(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    outcome = ctx.command(Withdraw(seat=ctx.seat), received, order=str(Order("DISPUTE", text="off")))
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    return done(received, phrase("people.dispute.withdrawn"), changed=True)


def _late(ctx: OrderContext) -> list[Disputed]:
    """Return the disputes that the writer raised after the end."""
    return [one for one in raised_late(ctx.tx, ctx.game_id) if one.by == ctx.seat]


def _turns(ctx: OrderContext, late: Sequence[Disputed]) -> set[int]:
    """Return the decisions whose moves the writer has not disputed."""
    return set(ctx.game.seats[ctx.seat].moves).difference(one.denied for one in late)


def _has_open(ctx: OrderContext) -> bool:
    return not ctx.game.is_over and open_dispute(ctx.game, ctx.seat) is not None


def of_own(text: str, names: Sequence[str], own: int) -> str | None:
    """Return the words without the writer's own name; None if they name somebody else at the table.

    A name that is also a word of a dispute is read as that word.
    """
    seats = [phrase("mails.names.seat", seat=seat) for seat in range(1, len(names) + 1)]
    mine = {part.casefold() for part in names[own].split()}
    others = {name for seat, name in enumerate((*names, *seats)) if seat % len(names) != own}
    parts = {part for name in others - {*seats} for part in name.split() if part.casefold() not in mine}
    text = _called({names[own], seats[own]}).sub(" ", text)
    return None if _called(others | parts).search(text) else _called(mine).sub(" ", text)


def _called(names: Collection[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of these names, the longest first."""
    told = [name for name in names if not _said_of(name).plain and name.casefold() not in _OF_MOVES]
    any_of = "|".join(map(re.escape, sorted(told, key=len, reverse=True))) or "(?!)"
    return re.compile(rf"(?i)(?<!\w)(?:{any_of})(?:['’]s?)?(?!['’]?\w)")


def _denies(ctx: OrderContext, text: str) -> bool:
    """Return True if these words deny a move, also without the order: all else in them explains that."""
    now = situation_of(view(ctx.game, ctx.seat), tuple(names_at(ctx)))
    return bool(denials_in(text_of([re.sub(rf"(?i){WORD_OF['DISPUTE']}", "", text)]), now))


def _meant(said: _Said, made: Sequence[Made]) -> Made | None:
    return next((one for one in reversed(made) if _is_meant(said, one)), None)


def _said_of(text: str) -> _Said:
    """Return what these words say of a move."""
    text = text.casefold()
    cards = [card for card, name in CARD_NAMES.items() if name in text]
    for card in cards:
        text = text.replace(CARD_NAMES[card], " ")
    read, numbers, round_ = text_of([text]), set[Card | int](cards), None
    words, others, at = set[str](), 0, 0
    while at < len(read.tokens):
        token, after = read.tokens[at], read.tokens[at + 1 : at + 2]
        number = number_at(read, at)
        if token.word in DISPUTE_WORDS["round"] and after and after[0].value is not None:
            round_, at = after[0].value, at + 2
        elif number is not None:
            at = number.end
            numbers.add(number.value)
        else:
            at += 1
            others += token.kind in ("word", "figure") and _KNOWN.isdisjoint((token.word, token.raw))
            words.update((token.word, token.raw))
    kinds = {kind for kind in ("card", "pass", "bid") if words & set(DISPUTE_WORDS[kind])}
    return _Said(frozenset(kinds), frozenset(numbers), round_, not (others or read.is_cut))


def _is_meant(said: _Said, made: Made) -> bool:
    """Return True if these words may be about that move; nothing in them means the last move."""
    if said.round not in (None, made.round) or (said.kinds and made.what not in said.kinds):
        return False
    match made.move:
        case BidPlaced(amount=value) | CardPlaced(card=value):
            return not said.numbers or value in said.numbers
    return not said.numbers


def lies_hidden(game: Game, made: Made) -> bool:
    """Return True if the move is a card that lies face down still."""
    if made.what != "card" or made.round != game.round or game.phase not in ("placing", "bidding"):
        return False
    return game.phase == "placing" or game.owners.index(made.move.seat) >= len(game.turned)


def _told(ctx: OrderContext, made: Made, looked: Looked) -> Iterator[str]:
    """Tell the writer what is kept of the move, and in which words it came."""
    game = ctx.game
    how = "hidden" if lies_hidden(game, made) else "move"
    yield phrase(f"people.dispute.raised.{how}", move=move_text(made.move), round=made.round)
    yield phrase(f"people.dispute.own.{looked.verdict}")
    by, mail = looked.made_by, None if looked.found is None else looked.found.mail
    if mail is not None and by is not None:
        at, line = moment(mail.received_at, ctx.zone), plain(by.line or by.order, 200)
        yield phrase("people.dispute.came", at=at, line=line)
    if game.is_over:
        yield phrase("people.dispute.closed")


def _how_on(ctx: OrderContext) -> Iterator[str]:
    """Tell the writer for how long time stands still, and how the dispute ends."""
    game = ctx.game
    if game.still is not None and game.still[1] > ctx.now:
        yield phrase("people.dispute.still", until=until(game.still[1], ctx.zone))
    if (own := open_dispute(game, ctx.seat)) is not None and not game.is_over:
        yield phrase("people.dispute.next", until=until(own.lapses, ctx.zone))


def _mails(looked: Looked) -> Iterator[int]:
    """The mails that made the move: the one with the words that a YES was about, and the one that did it."""
    found = looked.found
    if found is None or found.mail is None or not found.mail.raw:
        return
    if found.asked_about is not None:
        yield found.asked_about
    yield found.mail.mail_id
