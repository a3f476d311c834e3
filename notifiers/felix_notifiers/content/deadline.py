"""The sentences about time, by the reader's clock: until when, how much is in reserve, who is away.

All times are absolute, so that a mail that is read late says nothing wrong.
"""

from __future__ import annotations

from typing import Final

from felix_async.game.narrate import card_list
from felix_async.game.state import Absence, Deadline
from felix_async.game.story import Change, Timeout
from felix_async.game.timing import MISSES, overrun
from felix_async.game.views import OpenVote, SeatView
from felix_async.game.votes import about
from felix_async.language.clock_terms import terms_text
from felix_async.language.order import Order
from felix_async.language.phrases import first_capital, phrase
from felix_async.language.words import WORD_OF
from felix_async.time.times import day_text, span, until
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot

RESUME: Final = WORD_OF.get("RESUME", "RESUME")


# ---- until when --------------------------------------------------------------------------------------


def until_when(game: Snapshot) -> str:
    """Return until when the reader has time, or the table pauses: `until the end of Wed 25 Nov`, or ''."""
    table = game.table
    if table.is_over or table.phase == "inviting":
        return ""
    if table.paused_until:
        return phrase("glance.place.paused", moment=until(table.paused_until, game.zone))
    deadline = table.seats[game.seat].time.deadline
    if deadline is None or not game.is_asked:
        return ""
    at = deadline.at if game.now >= deadline.reserve_from else deadline.reserve_from
    return phrase("glance.place.until", moment=until(at, game.zone))


def is_paused(game: Snapshot) -> bool:
    """Return True if a mail says that the game is paused, and offers to go on."""
    return bool(until_when(game)) and bool(game.table.paused_until)


def afterwards(game: Snapshot, *, is_known: bool = False) -> str:
    """Say what comes if no answer comes by then, and how much reserve the reader has before that.

    Of what `is_known` only that the computer will play on is said once more.
    """
    time = game.table.seats[game.seat].time
    if is_paused(game):
        return phrase("mails.time.resume", resume=RESUME)
    if time.deadline is None or not until_when(game):
        return ""
    return " ".join(filter(None, (_reserve(game, time.deadline), _otherwise(game, is_known=is_known))))


def _reserve(game: Snapshot, deadline: Deadline) -> str:
    """Say when the reserve begins to run, or that it does; '' if there is none."""
    if deadline.reserve_from >= deadline.at:
        return ""
    if game.now >= deadline.reserve_from:
        return phrase("mails.time.reserve_runs", since=until(deadline.reserve_from, game.zone))
    left = game.table.seats[game.seat].time.reserve
    return phrase("mails.time.then_reserve", reserve=span(left), last=until(deadline.at, game.zone))


def due_at(game: Snapshot, seat: int) -> str:
    """Return when a seat's decision is due at the latest; '' if there is no such time."""
    deadline = game.table.seats[seat].time.deadline
    return "" if deadline is None else deadline.at


def terms(game: Snapshot) -> str:
    """Say how much time there is for a move; '' without a clock."""
    clock = game.table.clock
    if clock is None:
        return ""
    return phrase("mails.time.terms", terms=terms_text(clock))


def reserves(game: Snapshot) -> str:
    """Say how much reserve each player has left by now; '' if the clock has none."""
    table = game.table
    clock = table.clock
    if clock is None or not clock.reserve or table.phase in ("new", "inviting") or table.is_over:
        return ""
    seats = [seat for seat in table.players if not table.seats[seat].computer]
    left = {seat: table.seats[seat].time.reserve - overrun(table, seat, game.now) for seat in seats}
    parts = [
        phrase("mails.time.left", who=game.who(seat), time=span(left[seat]))
        for seat in sorted(seats, key=lambda seat: seat != game.seat)
    ]
    return phrase("mails.time.reserves", parts=parts) if parts else ""


# ---- who is away, and who votes ----------------------------------------------------------------------


def absences(game: Snapshot) -> list[str]:
    """Say who is away, or will be, and when they are back."""
    if game.table.is_over:
        return []
    return [
        _away(game, seat, seat.time.absence)
        for seat in game.table.seats
        if seat.time.absence is not None and not seat.gone
    ]


def _away(game: Snapshot, seat: SeatView, absence: Absence) -> str:
    how = "later" if game.now and absence.start > game.now else "now"
    who = first_capital(game.who(seat.seat)) if seat.seat == game.seat else game.who(seat.seat)
    whose = "you" if seat.seat == game.seat else "other"
    away = phrase(
        f"mails.away.{how}.{whose}",
        who=who,
        start=day_text(absence.start, game.zone),
        back=day_text(absence.back, game.zone),
    )
    return f"{away} {phrase('mails.away.computer')}" if absence.computer else away


def votes(game: Snapshot) -> list[str]:
    """Say who voted for what, and how many it takes."""
    return [
        phrase(
            f"mails.vote.{about(vote.on)[0]}",
            names=first_capital(game.everyone(vote.seats)),
            needed=vote.needed,
            count=len(vote.seats),
            whom=whom(game, vote),
        )
        for vote in game.table.votes
    ]


def whom(game: Snapshot, vote: OpenVote) -> str:
    """Return the player whose seat a vote is about; '' if it is about none."""
    _, seat = about(vote.on)
    return "" if seat is None else game.who(seat)


def voting(game: Snapshot, vote: OpenVote) -> Order:
    """Return the order that votes for it."""
    what, seat = about(vote.on)
    if seat is None:
        return Order(what.upper())
    return Order("HANDOVER", text=game.names[seat])


def asked_of(game: Snapshot) -> list[OpenVote]:
    """The votes in which the reader has said nothing yet."""
    if game.table.seats[game.seat].computer:
        return []
    return [vote for vote in game.table.votes if game.seat not in vote.seats]


# ---- what a letter begins with -----------------------------------------------------------------------


def opening(occasion: Occasion) -> list[str]:
    """Return what a letter says of time before anything else."""
    game = occasion.game
    told = [sentence for lapse in occasion.timeouts for sentence in _lapsed(game, lapse)]
    if occasion.timeouts:
        told += _what_next(game)
    occasions = occasion.kinds
    told += [line for change in occasion.changes for line in _changed(game, change)]
    if "vote" in occasions:
        told += [*votes(game), *_how_to_vote(game)]
    # A reader whose own mail did it reads that in the answer.
    if "answer" not in occasions:
        told += [phrase("mails.opening.paused")] if "paused" in occasions else []
        told += [phrase("mails.opening.resumed")] if "resumed" in occasions else []
    return told


def _otherwise(game: Snapshot, *, is_known: bool) -> str:
    """Say what happens if no answer comes in time."""
    table = game.table
    what = "placing" if table.phase == "placing" else "bidding"
    told = phrase(f"mails.otherwise.{what}")
    is_last = table.seats[game.seat].time.missed >= MISSES - 1
    if is_last:
        return f"{told} {phrase('mails.otherwise.computer')}"
    return "" if is_known else told


def _lapsed(game: Snapshot, lapse: Timeout) -> list[str]:
    at = until(lapse.at, game.zone)
    if lapse.card is None:
        return [phrase("mails.lapse.passed", moment=at)]
    told = phrase("mails.lapse.placed", moment=at, card=card_list([lapse.card]))
    own = game.own
    may_exchange = game.table.phase == "placing" and own.placed == lapse.card and own.choices.plays
    return [f"{told} {phrase('mails.lapse.exchange')}" if may_exchange else told]


def _what_next(game: Snapshot) -> list[str]:
    me = game.table.seats[game.seat]
    if game.table.is_over or me.gone:
        return []
    if me.computer:
        return [phrase("mails.lapse.computer")]
    return [phrase("mails.lapse.once_more")] if me.time.missed == MISSES - 1 else []


def _changed(game: Snapshot, change: Change) -> list[str]:
    """Say who has left, unless the end of a dispute tells that, and what it means for the host."""
    told: list[str] = []
    if change.left is not None and not change.outvoted:
        who = game.who(change.left)
        told.append(phrase(f"mails.absent.{'timed_out' if change.timed_out else 'left'}", who=who))
    if change.is_new_host:
        told.append(phrase("mails.absent.new_host"))
    if change.left is not None and game.table.seats[change.left].computer:
        told.append(phrase("mails.absent.substitute", who=game.names[change.left]))
    return told


def _how_to_vote(game: Snapshot) -> list[str]:
    open_votes = asked_of(game)
    return [phrase("mails.vote.how", count=len(open_votes))] if open_votes else []
