"""Decide whether a due letter is sent, held, rewritten or dropped.

It is dropped if nobody needs any of it: whoever it asks has moved, and what came after is told by another
letter. It is rewritten if it also reminds of what was done meanwhile, or asks early for it. A letter
that does either is held in quiet hours, and while a mail waits that may be the move. A game or a notice that
cannot be read holds up no letter.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.clock import later
from felix_async.deliverability import is_stopped
from felix_async.follow_up.decisions import Early, Reminder, Turn
from felix_async.follow_up.kinds import load, load_all
from felix_async.follow_up.notice import Addressed, Notice
from felix_async.game.ahead import answers
from felix_async.game.state import Game
from felix_async.seat_logs import ahead_at
from felix_async.time.quiet_hours import quiet_for, quiet_until
from felix_async.time.zones import zone_for
from felix_events.store.base import Reader
from felix_events.store.rows import Letter
from felix_notifiers.mails.case import Case

log = logging.getLogger(__name__)

UNREAD: Final = 60
"""Seconds for which a reminder waits for the inbox."""
_LOOKED_THROUGH: Final = 50
"""Waiting letters of a game among which one is looked for that says the same."""
LoadCase = Callable[[Reader, str], Case]


@dataclass(frozen=True, slots=True)
class Drop:
    """It is not sent, now or later."""

    why: str


@dataclass(frozen=True, slots=True)
class Hold:
    """It is not sent before this time."""

    until: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Another takes its place, about those of its notices that are still worth telling."""

    notices: Sequence[Notice]
    fresh: Sequence[Notice]


Decision = Drop | Hold | Rewrite | None
"""None: it is sent."""


def decide(reader: Reader, letter: Letter, now: str, zone: str, load_case: LoadCase) -> Decision:
    """Return what becomes of a letter that would be sent now; `zone` is the server's."""
    try:
        # With one of them left out it might seem that nobody needs the letter.
        notices = [load(row) for row in reader.notices_in(letter.letter_id)]
        if _is_unwanted(reader, letter, notices):
            return Drop("not sent: mail to this address has stopped")
        if any(reader.trouble(game_id) for game_id in by_game(notices)):
            # Without the game nobody knows what is needless by now.
            return None
        fresh = _fresh(reader, notices, now, load_case)
        if (notices and not fresh) or _is_said_by_another(reader, letter, notices):
            return Drop("not sent: what it asks for was done meanwhile")
        # A letter that was never tried was written just now, and one that may have arrived is what it is.
        is_tried = letter.note and not letter.maybe_arrived
        if is_tried and not all(one in fresh for one in notices if isinstance(one, Reminder | Early)):
            return Rewrite(notices, fresh)
        until = _held_until(reader, letter, notices, now, zone, load_case)
    except (LookupError, ValueError):
        log.exception("letter %d goes as it is: what it tells cannot be looked up", letter.letter_id)
        return None
    return None if until is None else Hold(until)


def is_stale(reader: Reader, notice: Notice, game: Game, now: str) -> bool:
    """Return True if nobody needs this notice any more: the seat has acted or can no longer act, what it
    reminds of is due by now, or its question was answered.
    """
    if notice.policy.asks:
        asked = reader.questions(notice.game_id, notice.seat)
        return any(one.number == notice.question_number and one.state != "open" for one in asked)
    return notice.is_stale(game) or _is_too_late(reader, notice, now) or _is_answered(reader, notice, game)


def by_game(notices: Iterable[Notice]) -> dict[str, list[Notice]]:
    """Return the notices of each game."""
    games: dict[str, list[Notice]] = {}
    for notice in notices:
        games.setdefault(notice.game_id, []).append(notice)
    return games


def _fresh(reader: Reader, notices: Sequence[Notice], now: str, load_case: LoadCase) -> list[Notice]:
    """Return the notices that are still worth telling; a game in which nothing happened since is not read."""
    fresh: list[Notice] = []
    for game_id, of_game in by_game(notices).items():
        version = reader.head(game_id)[0] if any(one.goes_stale() for one in of_game) else 0
        for notice in of_game:
            if not notice.goes_stale():
                is_needless = False
            elif notice.version == version and not notice.policy.asks and not isinstance(notice, Early):
                is_needless = _is_too_late(reader, notice, now)
            else:
                is_needless = is_stale(reader, notice, load_case(reader, game_id).game, now)
            fresh += [] if is_needless else [notice]
    return fresh


def _is_unwanted(reader: Reader, letter: Letter, notices: Sequence[Notice]) -> bool:
    if any(isinstance(notice, Addressed) for notice in notices):
        return False
    said_back = any(notice.policy.said_back for notice in notices)
    return is_stopped(reader, letter.recipient, also_asked=not said_back)


def _is_said_by_another(reader: Reader, letter: Letter, notices: Sequence[Notice]) -> bool:
    """Return True for a reminder if the turn mail itself, or a later reminder, waits to be sent as well."""
    decisions = {notice.decision for notice in notices}
    if len(decisions) != 1 or not all(isinstance(notice, Reminder) for notice in notices):
        return False
    newest = max(notice.notice_id for notice in notices)
    others = reader.letter_lines(_LOOKED_THROUGH, "ready", game_id=letter.game_id)
    return any(
        isinstance(notice, Turn) or (isinstance(notice, Reminder) and notice.notice_id > newest)
        for line in others
        if line.letter_id != letter.letter_id
        for notice in load_all(reader.notices_in(line.letter_id))
        if notice.decision in decisions
    )


def _is_too_late(reader: Reader, notice: Notice, now: str) -> bool:
    """Return True for a reminder of what is due by now; its time-out may wait for a message to be read."""
    return isinstance(notice, Reminder) and any(
        due.due_at <= now
        for due in reader.due_of(notice.game_id)
        if due.kind in ("deadline", "expiry") and (due.seat, due.turn) == (notice.seat, notice.turn)
    )


def _is_answered(reader: Reader, notice: Notice, game: Game) -> bool:
    """Return True if its reader has said already what it asks for early: the game knows nothing of that."""
    if not isinstance(notice, Early):
        return False
    return answers(ahead_at(reader, notice.game_id, notice.seat), game, notice.seat)


def _held_until(
    reader: Reader, letter: Letter, notices: Sequence[Notice], now: str, zone: str, load_case: LoadCase
) -> str | None:
    """Return until when a reminder is not sent, None if it is sent now.

    It is sent in quiet hours if what it reminds of is due before they end. The schedule has found a better
    hour for it; since then a provider may have taken no mail, or felix been down.
    """
    reminders = [notice for notice in notices if notice.waits_for_day]
    if not reminders:
        return None
    if reader.next_mail() is not None:
        return later(now, UNREAD)
    seat = next((row for row in reader.seats(letter.game_id) if row.seat == letter.seat), None)
    choice = None if seat is None else reader.choice(seat.player_id)
    ends = quiet_until(now, quiet_for(choice), zone_for(choice, zone))
    if ends is None or any(_is_due_by(reader, notice, ends, load_case) for notice in reminders):
        return None
    return ends


def _is_due_by(reader: Reader, notice: Notice, at: str, load_case: LoadCase) -> bool:
    case = load_case(reader, notice.game_id)
    deadline = case.game.seats[notice.seat].time.deadline
    due_at = case.expires.get(notice.seat, "") if deadline is None else deadline.at
    return bool(due_at) and due_at <= at
