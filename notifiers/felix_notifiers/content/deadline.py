"""What a mail says about time, by its reader's clock: until when, how much is in reserve, who is away.

All times are absolute, so that a mail that is read late says nothing wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from felix_async.follow_up.kinds import LAST, LAST_CALL, LATE, RESERVE, share_of
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
from felix_notifiers.content.scene import Scene
from felix_notifiers.content.sheet import Sheet

BALLOTS: Final[Mapping[Ballot, str]] = {
    "pause": WORD_OF.get("PAUSE", "PAUSE"),
    "abandon": WORD_OF.get("ABANDON", "ABANDON"),
}
"""What is written to be for it."""
RESUME: Final = WORD_OF.get("RESUME", "RESUME")
SOON: Final = 75
"""Per cent of the move time after which a reminder says that little is left."""


# ---- until when --------------------------------------------------------------------------------------


def line(scene: Scene, now: str) -> str:
    """Until when the reader has time, or how long the game pauses; '' where nobody is hurried."""
    table = scene.table
    if table.is_over or table.phase == "inviting":
        return ""
    if table.paused_until:
        return phrase("mails.time.paused", moment=moment(table.paused_until, scene.zone), resume=RESUME)
    deadline = table.seats[scene.seat].time.deadline
    if deadline is None or not scene.is_asked:
        return ""
    at = deadline.at if now >= deadline.reserve_from else deadline.reserve_from
    return phrase("mails.time.until", moment=moment(at, scene.zone))


def is_paused(scene: Scene) -> bool:
    """Whether a mail says that the game is paused, so that it offers the way out of that."""
    return bool(line(scene, "")) and bool(scene.table.paused_until)


def reserve(scene: Scene, now: str) -> str:
    """What stands below that line: what comes then, and the reserve before it, where the reader has one."""
    time = scene.table.seats[scene.seat].time
    if time.deadline is None or scene.table.paused_until or not line(scene, now):
        return ""
    return " ".join(filter(None, (_reserve(scene, time.deadline, now), _otherwise(scene))))


def _reserve(scene: Scene, deadline: Deadline, now: str) -> str:
    """When the reserve begins to run, or that it does; '' where there is none."""
    if deadline.reserve_from >= deadline.at:
        return ""
    begins = moment(deadline.reserve_from, scene.zone)
    if now >= deadline.reserve_from:
        return phrase("mails.time.reserve_runs", since=begins)
    last = moment(deadline.at, scene.zone)
    left = scene.table.seats[scene.seat].time.reserve
    return phrase("mails.time.then_reserve", reserve=span(left), last=last)


def until(scene: Scene, seat: int) -> str:
    """When a seat's decision is due at the latest; '' where there is no such time."""
    deadline = scene.table.seats[seat].time.deadline
    return "" if deadline is None else deadline.at


def terms(scene: Scene) -> str:
    """How much time there is for a move; '' where nobody is hurried."""
    clock = scene.table.clock
    if clock is None:
        return ""
    return phrase("mails.time.terms", terms=terms_text(clock))


def reserves(scene: Scene, now: str) -> str:
    """How much reserve each player at the table has left by now; '' where there is none to have."""
    table = scene.table
    clock = table.clock
    if clock is None or not clock.reserve or table.phase in ("new", "inviting") or table.is_over:
        return ""
    seats = [seat for seat in table.players if not table.seats[seat].computer]
    left = {
        seat: table.seats[seat].time.reserve - overrun(clock, table.seats[seat].time, now) for seat in seats
    }
    parts = [
        phrase("mails.time.left", who=scene.who(seat), time=span(left[seat]))
        for seat in sorted(seats, key=lambda seat: seat != scene.seat)
    ]
    return phrase("mails.time.reserves", parts=parts) if parts else ""


# ---- who is away, and who votes ----------------------------------------------------------------------


def absences(scene: Scene, now: str) -> list[str]:
    """Who is away, or will be, and when they are back."""
    if scene.table.is_over:
        return []
    return [
        _away(scene, seat, seat.time.absence, now)
        for seat in scene.table.seats
        if seat.time.absence is not None and not seat.gone
    ]


def _away(scene: Scene, seat: SeatView, absence: Absence, now: str) -> str:
    how = "later" if now and absence.start > now else "now"
    who = first_capital(scene.who(seat.seat)) if seat.seat == scene.seat else scene.who(seat.seat)
    whose = "you" if seat.seat == scene.seat else "other"
    away = phrase(
        f"mails.away.{how}.{whose}",
        who=who,
        start=day_text(absence.start, scene.zone),
        back=day_text(absence.back, scene.zone),
    )
    return f"{away} {phrase('mails.away.computer')}" if absence.computer else away


def votes(scene: Scene) -> list[str]:
    """Who would like what, and how many it takes."""
    return [
        phrase(
            f"mails.vote.{vote.on}",
            names=first_capital(scene.everyone(vote.seats)),
            needed=vote.needed,
            count=len(vote.seats),
        )
        for vote in scene.table.votes
    ]


def asked_of(scene: Scene) -> list[OpenVote]:
    """The votes in which the reader has said nothing yet."""
    if scene.table.seats[scene.seat].computer:
        return []
    return [vote for vote in scene.table.votes if scene.seat not in vote.seats]


# ---- what a letter begins with -----------------------------------------------------------------------


def opening(scene: Scene, sheet: Sheet) -> list[str]:
    """What a letter has to say of time before anything else."""
    told = [sentence for lapse in sheet.lapses for sentence in _lapsed(scene, lapse)]
    if sheet.lapses:
        told += _what_next(scene)
    told += [sentence for change in sheet.changes for sentence in _changed(scene, change)]
    occasions = sheet.occasions
    if "vote" in occasions:
        told += [*votes(scene), *_how_to_vote(scene)]
    # Whose own mail did it reads that in the answer.
    if "answer" not in occasions:
        told += [phrase("mails.opening.paused")] if "paused" in occasions else []
        told += [phrase("mails.opening.resumed")] if "resumed" in occasions else []
    return told


def reminder(scene: Scene, sheet: Sheet) -> list[str]:
    """What a reminder begins with, by its rung."""
    rung = sheet.rung
    deadline = scene.table.seats[scene.seat].time.deadline
    if rung == LAST_CALL:
        return [phrase("mails.reminder.last_call")]
    if deadline is None or not rung:
        return [phrase("mails.opening.reminder")]
    has_reserve = deadline.reserve_from < deadline.at
    if has_reserve and rung != RESERVE and (rung == LATE or sheet.now >= deadline.reserve_from):
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


def _otherwise(scene: Scene) -> str:
    """What happens if no answer comes in time."""
    table = scene.table
    what = "placing" if table.phase == "placing" else "bidding"
    told = phrase(f"mails.otherwise.{what}")
    is_last = table.seats[scene.seat].time.missed >= MISSES - 1
    return f"{told} {phrase('mails.otherwise.computer')}" if is_last else told


def _lapsed(scene: Scene, lapse: Timeout) -> list[str]:
    at = moment(lapse.at, scene.zone)
    if lapse.card is None:
        return [phrase("mails.lapse.passed", moment=at)]
    told = phrase("mails.lapse.placed", moment=at, card=card_list([lapse.card]))
    own = scene.own
    may_exchange = scene.table.phase == "placing" and own.placed == lapse.card and own.choices.plays
    return [f"{told} {phrase('mails.lapse.exchange')}" if may_exchange else told]


def _what_next(scene: Scene) -> list[str]:
    me = scene.table.seats[scene.seat]
    if scene.table.is_over or me.gone:
        return []
    if me.computer:
        return [phrase("mails.lapse.computer")]
    return [phrase("mails.lapse.once_more")] if me.time.missed == MISSES - 1 else []


def _changed(scene: Scene, change: Change) -> list[str]:
    told: list[str] = []
    if change.left is not None:
        who = scene.who(change.left)
        told.append(phrase(f"mails.absent.{'timed_out' if change.timed_out else 'left'}", who=who))
    if change.is_new_host:
        told.append(phrase("mails.absent.new_host"))
    if change.left is not None and scene.table.seats[change.left].computer:
        told.append(phrase("mails.absent.substitute", who=scene.names[change.left]))
    return told


def _how_to_vote(scene: Scene) -> list[str]:
    open_votes = asked_of(scene)
    return [phrase("mails.vote.how", count=len(open_votes))] if open_votes else []
