"""The sentences about time, by the reader's clock: until when, how much is in reserve, who is away.

All times are absolute, so that a mail that is read late says nothing wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from felix_async.follow_up.decisions import LAST_CALL, LATE, RESERVE
from felix_async.follow_up.notice import LAST, share_of
from felix_async.game.narrate import card_list
from felix_async.game.state import Absence, Deadline
from felix_async.game.story import Change, Timeout
from felix_async.game.timing import MISSES, overrun
from felix_async.game.views import OpenVote, SeatView
from felix_async.language.clock_terms import terms_text
from felix_async.language.phrases import first_capital, phrase
from felix_async.language.words import WORD_OF
from felix_async.time.times import day_text, moment, span
from felix_events.model import Ballot
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot

BALLOTS: Final[Mapping[Ballot, str]] = {
    "pause": WORD_OF.get("PAUSE", "PAUSE"),
    "abandon": WORD_OF.get("ABANDON", "ABANDON"),
}
"""The word that votes for it."""
RESUME: Final = WORD_OF.get("RESUME", "RESUME")
SOON: Final = 75
"""Per cent of the move time after which a reminder says that little is left."""


# ---- until when --------------------------------------------------------------------------------------


def line(game: Snapshot) -> str:
    """Say until when the reader has time, or how long the game pauses; '' without a clock."""
    table = game.table
    if table.is_over or table.phase == "inviting":
        return ""
    if table.paused_until:
        return phrase("mails.time.paused", moment=moment(table.paused_until, game.zone), resume=RESUME)
    deadline = table.seats[game.seat].time.deadline
    if deadline is None or not game.is_asked:
        return ""
    at = deadline.at if game.now >= deadline.reserve_from else deadline.reserve_from
    return phrase("mails.time.until", moment=moment(at, game.zone))


def is_paused(game: Snapshot) -> bool:
    """Return True if a mail says that the game is paused, and offers to go on."""
    return bool(line(game)) and bool(game.table.paused_until)


def reserve(game: Snapshot) -> str:
    """Say below that line what comes then, and how much reserve the reader has before it."""
    time = game.table.seats[game.seat].time
    if time.deadline is None or game.table.paused_until or not line(game):
        return ""
    return " ".join(filter(None, (_reserve(game, time.deadline), _otherwise(game))))


def _reserve(game: Snapshot, deadline: Deadline) -> str:
    """Say when the reserve begins to run, or that it does; '' if there is none."""
    if deadline.reserve_from >= deadline.at:
        return ""
    begins = moment(deadline.reserve_from, game.zone)
    if game.now >= deadline.reserve_from:
        return phrase("mails.time.reserve_runs", since=begins)
    last = moment(deadline.at, game.zone)
    left = game.table.seats[game.seat].time.reserve
    return phrase("mails.time.then_reserve", reserve=span(left), last=last)


def until(game: Snapshot, seat: int) -> str:
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
    left = {
        seat: table.seats[seat].time.reserve - overrun(clock, table.seats[seat].time, game.now)
        for seat in seats
    }
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
            f"mails.vote.{vote.on}",
            names=first_capital(game.everyone(vote.seats)),
            needed=vote.needed,
            count=len(vote.seats),
        )
        for vote in game.table.votes
    ]


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
    told += [sentence for change in occasion.changes for sentence in _changed(game, change)]
    occasions = occasion.kinds
    if "vote" in occasions:
        told += [*votes(game), *_how_to_vote(game)]
    # A reader whose own mail did it reads that in the answer.
    if "answer" not in occasions:
        told += [phrase("mails.opening.paused")] if "paused" in occasions else []
        told += [phrase("mails.opening.resumed")] if "resumed" in occasions else []
    return told


def reminder(occasion: Occasion) -> list[str]:
    """Return how a reminder begins, by its rung."""
    game = occasion.game
    rung = occasion.rung
    deadline = game.table.seats[game.seat].time.deadline
    if rung == LAST_CALL:
        return [phrase("mails.reminder.last_call")]
    if deadline is None or not rung:
        return [phrase("mails.opening.reminder")]
    has_reserve = deadline.reserve_from < deadline.at
    if has_reserve and rung != RESERVE and (rung == LATE or game.now >= deadline.reserve_from):
        return [phrase("mails.reminder.late")]
    if rung == RESERVE:
        return [phrase("mails.reminder.reserve")]
    share = share_of(rung)
    if share is None:
        return [phrase("mails.opening.reminder")]
    if share < SOON:
        return [phrase("mails.reminder.early")]
    if share < LAST or has_reserve:
        return [phrase("mails.reminder.soon")]
    return [phrase("mails.reminder.last")]


def _otherwise(game: Snapshot) -> str:
    """Say what happens if no answer comes in time."""
    table = game.table
    what = "placing" if table.phase == "placing" else "bidding"
    told = phrase(f"mails.otherwise.{what}")
    is_last = table.seats[game.seat].time.missed >= MISSES - 1
    return f"{told} {phrase('mails.otherwise.computer')}" if is_last else told


def _lapsed(game: Snapshot, lapse: Timeout) -> list[str]:
    at = moment(lapse.at, game.zone)
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
    told: list[str] = []
    if change.left is not None:
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
