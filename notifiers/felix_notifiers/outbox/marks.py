"""The outbox, and the mark of each try: how it went, when the next one is, and what else follows from it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from felix_async.clock import Clock, later, text_of, time_of
from felix_async.deliverability import Failure, note_bounce
from felix_async.follow_up.decisions import Reminder
from felix_async.follow_up.kinds import Farewell, load_all
from felix_async.settings import Bounces
from felix_async.text import plain
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Letter, LetterLine
from felix_notifiers.outbox.alerts import Alerts, alert_text, digest_text
from felix_notifiers.outbox.backoff import Backoff
from felix_notifiers.outbox.channel import Refused, Result, Sent
from felix_notifiers.outbox.claim import LetterWriter
from felix_notifiers.outbox.decision import Decision, decide

log = logging.getLogger(__name__)

DELAYS: Final = (60, 5 * 60, 15 * 60, 3600, 4 * 3600)
"""Seconds until the next try, by the number of tries before; the last one stays."""
GIVE_UP_AFTER: Final = timedelta(days=5)
_JITTER: Final = 0.1
_GIVEN_UP: Final = 1000
"""Letters that were given up just now and are looked through for somebody who was forgotten meanwhile."""


@dataclass(frozen=True, slots=True)
class Outbox:
    """The writer of the letters, and what is known of the other side.

    `unmarked` are tries that could not be marked yet.
    """

    clock: Clock
    writer: LetterWriter
    limits: Bounces = field(default_factory=Bounces)
    alerts: Alerts | None = None
    backoff: Backoff = field(default_factory=Backoff, repr=False, compare=False)
    unmarked: list[tuple[Letter, Result]] = field(default_factory=list, repr=False, compare=False)

    def decide(self, reader: Reader, letter: Letter) -> Decision:
        """Return what becomes of a letter that would be sent now."""
        return decide(reader, letter, text_of(self.clock()), self.writer.zone, self.writer.case)


def mark(tx: Tx, outbox: Outbox, letter: Letter, result: Result) -> str | None:
    """Mark a try; return the short notice that it is time for, if there is one.

    A failure for good counts against the address.
    """
    now = outbox.clock()
    domain = letter.recipient.rpartition("@")[2]
    whom = f"seat {letter.seat} of {letter.game_id}" if letter.game_id else "a stranger"
    about = f"letter {letter.letter_id} to {whom}"
    _back_off(tx, outbox, letter, result, now)
    is_last = now - time_of(letter.created_at) >= GIVE_UP_AFTER
    if isinstance(result, Sent):
        log.info("%s: sent to %s", about, domain)
        tx.mark_letter(letter.letter_id, "sent", next_at=text_of(now), note=result.text)
    elif isinstance(result, Refused) or is_last:
        log.warning("%s: given up, %s said: %s", about, domain, result.text)
        _fail(tx, outbox, letter, result, now)
    else:
        next_at = later(text_of(now), _delay(outbox, letter))
        log.info("%s: not yet, to be tried again at %s: %s", about, next_at, result.text)
        # Once a try of it may have succeeded, that is not forgotten.
        unsure = letter.maybe_arrived or result.about == "silence"
        note = noted(result.text, unsure=unsure)
        tx.mark_letter(letter.letter_id, "ready", next_at=next_at, note=note, maybe_arrived=unsure)
        return None
    forget_again(tx, letter)
    return _alert(tx, outbox, letter) if isinstance(result, Sent) else None


def noted(text: str, *, unsure: bool) -> str:
    """Return the note of a letter that stays."""
    return f"may have arrived: {text}" if unsure else text


def forget_again(tx: Tx, letter: Letter | LetterLine) -> None:
    """Erase a letter that waited while one of its people was forgotten, once it has left or never will.

    That is the last letter to them, and those to others that waited, or were to be written, then.
    """
    notices = tx.notices_in(letter.letter_id)
    games = dict.fromkeys([letter.game_id, *(one.game_id for one in notices)])
    is_farewell = any(one.kind == Farewell.kind for one in notices)
    nameless: list[tuple[str, str, int]] = []
    for game_id in games:
        nameless += [(row.player_id, game_id, row.seat) for row in tx.seats(game_id) if not row.name]
        nameless += [(row.player_id, game_id, row.seat) for row in tx.former(game_id) if not row.name]
    for player_id, game_id, seat in nameless:
        # Somebody else may get letters in that seat by now.
        is_theirs = is_farewell and (game_id, seat) == (letter.game_id, letter.seat)
        if is_theirs or tx.is_left_over(player_id, letter.letter_id):
            tx.forget_letter(letter.letter_id, player_id, is_theirs=is_theirs)


def _back_off(tx: Tx, outbox: Outbox, letter: Letter, result: Result, now: datetime) -> None:
    """Learn from a try which lane is left alone for a while."""
    lane = outbox.backoff.note(letter.recipient, result, now)
    if lane is None:
        return
    if lane == "":
        log.warning("all mail waits, because our own mail server cannot be used: %s", result.text)
    else:
        log.info("mail to %s waits for a while", plain(lane))
    # Letters of this lane are not tried for now, so that none of them would notice its last day.
    count = tx.give_up_letters(text_of(now - GIVE_UP_AFTER), result.text, lane or None)
    for line in tx.letter_lines(_GIVEN_UP, "failed") if count else []:
        forget_again(tx, line)


def _fail(tx: Tx, outbox: Outbox, letter: Letter, result: Result, now: datetime) -> None:
    tx.mark_letter(letter.letter_id, "failed", next_at=text_of(now), note=result.text)
    failure: Failure | None = "passing"
    if isinstance(result, Refused):
        failure = result.failure
    elif not isinstance(result, Sent) and result.about == "server":
        failure = None
    seat = next((row for row in tx.seats(letter.game_id) if row.seat == letter.seat), None)
    if failure is not None and seat is not None:
        note_bounce(tx, seat, letter.recipient, failure, result.text, now=text_of(now), limits=outbox.limits)


def _delay(outbox: Outbox, letter: Letter) -> float:
    """Return the seconds until the next try, spread a little, so that a burst does not come back as one."""
    delay = DELAYS[min(letter.tries, len(DELAYS) - 1)]
    digest = outbox.writer.digest("try", letter.message_id, letter.tries)
    return delay * (1 + _JITTER * int.from_bytes(digest[:2]) / 0x10000)


def _alert(tx: Tx, outbox: Outbox, letter: Letter) -> str | None:
    """Return the short notice for a letter that was sent just now; None if nobody wants it, or has it."""
    if outbox.alerts is None or not outbox.alerts.wanted(letter.recipient):
        return None
    notices = load_all(tx.notices_in(letter.letter_id))
    kinds = {notice.kind for notice in notices}
    if len({notice.game_id for notice in notices}) > 1:
        text: str | None = digest_text(kinds)
    else:
        row = tx.game(letter.game_id)
        is_late = any(isinstance(notice, Reminder) and notice.is_pressing for notice in notices)
        text = alert_text(kinds, row.table_name if row else "", is_late=is_late)
    return text if text is not None and tx.note_alert(letter.letter_id) else None
