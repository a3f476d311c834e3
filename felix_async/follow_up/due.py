"""Due rows: when to look at a game again. Pure.

Due rows are a projection: they follow from the game, and can be built anew. If a row says `reminder`, it
moves from rung to rung of the ladder; a rung whose time has passed is not gone back to.

    kind       of whom          what is due
    deadline   a seat           its decision, in a game with a clock
    silence    a seat           the same, without one, if nothing has happened for long
    reminder   a seat           a reminder of a decision, or of an invitation
    last_call  a seat           a last reminder before an invitation expires
    expiry     a seat           the answer to an invitation
    start      the host         a word that all have answered and it can begin
    away       a seat           the computer is to play for an absent player
    back       a seat           an absent player is back
    resume     the table        a pause has been long enough
    lapse      a seat           its dispute has been open for long enough
    closing    the table        the end of a table that nobody began, or to which nobody came back
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from felix_async.clock import later, text_of, time_of
from felix_async.follow_up.decisions import LATE, RESERVE
from felix_async.follow_up.notices import Hours, newly_asked, told_at
from felix_async.game.state import Game
from felix_async.game.timing import SILENCE, calendar_of, running
from felix_events.store.rows import Choice, Due

Kind = Literal[
    "deadline",
    "silence",
    "reminder",
    "last_call",
    "expiry",
    "start",
    "away",
    "back",
    "resume",
    "lapse",
    "closing",
]
"""The kinds of rows, as above."""
AHEAD: Final = 600
"""Seconds before a digest at which felix asks whether a reminder belongs into it."""
LAST_CALL: Final = 24 * 3600
"""Seconds before an invitation expires when its player is reminded once more."""
RESERVE_SHARE: Final = 0.8
"""The share of the reserve after which a player is reminded for the last time."""


@dataclass(frozen=True, slots=True)
class _Look:
    """A step of a game, and what its due rows depend on beside it."""

    game_id: str
    before: Game
    after: Game
    known: Sequence[Due]
    choices: Mapping[int, Choice]
    now: str
    hours: Hours

    def due(self, seat: int, kind: Kind, at: str, turn: int = 0) -> Due:
        return Due(self.game_id, seat, kind, turn, at)

    def later(self, seat: int, kind: Kind, seconds: float, turn: int = 0) -> Due:
        return self.due(seat, kind, later(self.now, seconds), turn)


def due_rows(
    game_id: str,
    before: Game,
    after: Game,
    known: Sequence[Due],
    choices: Mapping[int, Choice],
    now: str,
    hours: Hours,
) -> list[Due]:
    """Return all due rows of the game after this step, given those from before it.

    With a `before` that has no seats and nothing known, these are the rows built anew, as of now.
    A reminder that is gone for a seat that is still asked was dealt with: it does not come back. The time
    until a reminder begins when the seat was told.
    """
    look = _Look(game_id, before, after, known, choices, now, hours)
    if after.is_over:
        return []
    if after.phase == "inviting":
        return [*_of_table(look), *_of_absences(look)]
    return [*_of_clock(look), *_reminders(look), *_of_absences(look), *_of_rest(look)]


def next_rung(game: Game, seat: int, now: str, hours: Hours) -> tuple[str, str] | None:
    """The next reminder of a running deadline after `now`: its name, and when; None after the last."""
    return next((rung for rung in rungs(game, seat, hours) if rung[1] > now), None)


def rungs(game: Game, seat: int, hours: Hours) -> list[tuple[str, str]]:
    """The ladder of a seat's deadline, in order: the name of each reminder, and when it is due.

    The shares are of the move time. If the seat has a reserve, two follow: when it begins to run, and when
    most of it is gone. If it has none, what comes next is the time-out.
    """
    deadline = game.seats[seat].time.deadline
    if deadline is None or game.clock is None:
        return []
    calendar, move = calendar_of(game, seat), game.clock.move
    begins, ends = time_of(deadline.reserve_from), time_of(deadline.at)
    ladder = [
        (f"{share:.0%}", text_of(calendar.rewind(begins, move * (1 - share)))) for share in hours.ladder
    ]
    if begins < ends:
        last = calendar.advance(begins, calendar.elapsed(begins, ends) * RESERVE_SHARE)
        ladder += [(LATE, deadline.reserve_from), (RESERVE, text_of(last))]
    return ladder


def _of_table(look: _Look) -> Iterator[Due]:
    """The rows of a table that has not begun."""
    before, after, hours = look.before, look.after, look.hours
    waiting = {(seat, after.seats[seat].turn) for seat in after.asked}
    for row in look.known:
        if (row.seat, row.turn) in waiting or row.kind in ("closing", "start"):
            yield row
    if before.asked and not after.asked and after.host is not None:
        # All have answered, and nothing happens until the host says so.
        yield look.later(after.host, "start", hours.remind_after)
    if before.phase == "new":
        for seat in newly_asked(before, after):
            yield look.later(seat, "reminder", hours.remind_after)
            yield look.later(seat, "expiry", hours.expire_after)
            if hours.expire_after >= hours.remind_after + 2 * LAST_CALL:
                yield look.later(seat, "last_call", hours.expire_after - LAST_CALL)
        yield look.later(0, "closing", 2 * hours.expire_after)


def _of_clock(look: _Look) -> Iterator[Due]:
    game = look.after
    if game.clock is None:
        # Whatever happens then breaks the silence, so one of those who are waited for is enough.
        for seat in game.awaited[:1]:
            yield look.later(seat, "silence", SILENCE, game.seats[seat].turn)
    for seat, deadline in running(game):
        yield look.due(seat, "deadline", deadline.at, deadline.turn)
    if game.paused_until:
        yield look.due(0, "resume", game.paused_until)
    for dispute in game.disputes:
        yield look.due(dispute.seat, "lapse", dispute.lapses)


def _reminders(look: _Look) -> Iterator[Due]:
    """The next reminder of each seat that is waited for: by its deadline, or once if it has none."""
    before, after, now = look.before, look.after, look.now
    kept = {(row.seat, row.turn): row for row in look.known if row.kind == "reminder"}
    newly = newly_asked(before, after)
    for seat in after.awaited:
        turn, deadline = after.seats[seat].turn, after.seats[seat].time.deadline
        row = kept.get((seat, turn))
        was = before.seats[seat].time.deadline if before.seats else None
        if deadline is not None and was != deadline:
            rung = next_rung(after, seat, now, look.hours)
            if rung is not None:
                yield look.due(seat, "reminder", rung[1], turn)
        elif after.paused_until:
            continue
        elif row is not None:
            yield row
        elif after.clock is None and seat in newly:
            asked_at = told_at(seat, look.choices, now, look.hours)
            # A day after a digest the next one goes out; a look at that moment would be too late for it.
            early = 0 if asked_at == now else AHEAD
            yield look.due(seat, "reminder", later(asked_at, look.hours.remind_after - early), turn)


def _of_absences(look: _Look) -> Iterator[Due]:
    for seat, state in enumerate(look.after.seats):
        absence = state.time.absence
        if absence is not None and not state.gone:
            if absence.computer and not absence.began:
                yield look.due(seat, "away", absence.start)
            yield look.due(seat, "back", absence.back)


def _of_rest(look: _Look) -> Iterator[Due]:
    """A game without anybody at the table rests, and is closed in the end; an absent player will be back."""
    game = look.after
    if not game.humans and not any(state.time.absence for state in game.seats):
        rests = [row for row in look.known if row.kind == "closing"]
        yield from rests or [look.later(0, "closing", look.hours.rest_after)]
