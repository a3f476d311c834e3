"""From letters to the other side: try them until they are gone, and hold up nobody because of another.

`Sender.claim`, `due` and `mark` run in a transaction that the caller opened; `deliver` runs outside any. What
is sent is always the frozen bytes: a crash between the server's yes and the mark sends the same mail once
more, never another one, and never none; a few letters that went out at once are marked together. Whether a
letter goes at all when its time has come, `fate.py` says.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import orjson

from felix_async.clock import Clock, later, text_of, time_of
from felix_async.reach import Failure, note_bounce
from felix_async.settings import Bounces
from felix_async.text import plain
from felix_async.time.zones import DEFAULT_ZONE
from felix_async.trouble import note_trouble
from felix_events.store.base import Damaged, Tx
from felix_events.store.lines import LetterLine
from felix_events.store.rows import Letter, Notice
from felix_notifiers.content.deadline import is_pressing
from felix_notifiers.sending.alerts import Alerts, alert_text, digest_text
from felix_notifiers.sending.channel import Channel, Refused, Result, Sent, TryAgain
from felix_notifiers.sending.fate import UNSURE, Dropped, Held, Outdated, fate_of
from felix_notifiers.sending.lanes import Lanes
from felix_notifiers.writing.case import case_of
from felix_notifiers.writing.recent import Recent
from felix_notifiers.writing.scribe import Cases, Hand, Scribe

log = logging.getLogger(__name__)

BATCH: Final = 50
"""Letters of one burst."""
DELAYS: Final = (60, 5 * 60, 15 * 60, 3600, 4 * 3600)
"""Seconds until the next try, by the number of tries before; the last one stays."""
MARKED_TOGETHER: Final = 8
"""Letters that wait for their mark: so many, and no more, go once more after a crash."""
MARKED_WITHIN: Final = 1.0
"""Seconds for which the first of them waits."""
GIVE_UP_AFTER: Final = timedelta(days=5)
_JITTER: Final = 0.1
_GIVEN_UP: Final = 1000
"""Letters that were given up just now and are looked through for somebody who was forgotten meanwhile."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Writes and sends felix's letters; `operator` is the host's address, '' where nobody is told.

    `zone` is the server's time zone, for players of whom no other is known. `hand` and `cases` are the
    scribe's (`felix_notifiers.writing.scribe`).
    """

    clock: Clock
    mailbox: str
    secret: bytes = field(repr=False)
    operator: str = ""
    zone: str = DEFAULT_ZONE
    limits: Bounces = field(default_factory=Bounces)
    alerts: Alerts | None = None
    lanes: Lanes = field(default_factory=Lanes, repr=False, compare=False)
    hand: Hand | None = None
    cases: Cases = field(default_factory=lambda: partial(case_of, recent=Recent()), compare=False)

    def owing(self, tx: Tx) -> list[str]:
        """The games in which somebody is to be written to now.

        While our own server is in trouble nothing is frozen: what is owed meanwhile becomes one letter later.
        """
        return [] if self.lanes.all_wait(self.clock()) else self._scribe().owing(tx)

    def claim(self, tx: Tx, game_id: str) -> int:
        """Turn what a game owes now into letters, one for each seat, and drop what is stale; how many."""
        return self._scribe().claim(tx, game_id)

    def due(self, tx: Tx, limit: int = BATCH) -> list[Letter]:
        """The letters to try now, all lanes in turn; those that nobody needs any more are dropped, and
        reminders wait where it is a bad hour for them. One that waited is written anew where it reminds of a
        decision that was made meanwhile: its place is taken by a letter for the next look.
        """
        now = self.clock()
        if self.lanes.all_wait(now):
            return []
        letters = tx.letters_in_turn(text_of(now), limit, self.lanes.aside(now))
        return [letter for letter in letters if self._goes(tx, letter)]

    def deliver(self, letter: Letter, channel: Channel) -> Result:
        """Try to send a letter once; outside any transaction, because the other side may take its time."""
        return channel.send(letter)

    def mark(self, tx: Tx, letter: Letter, result: Result) -> None:
        """Say how a try went, and when the next one is; a failure for good counts against the address."""
        now = self.clock()
        domain = letter.recipient.rpartition("@")[2]
        about = f"letter {letter.letter_id} to seat {letter.seat} of {letter.game_id}"
        lane = self.lanes.note(letter.recipient, result, now)
        if lane == "":
            log.warning("all mail waits, because our own mail server cannot be used: %s", result.text)
        elif lane is not None:
            log.info("mail to %s waits for a while", plain(lane))
        if lane is not None:
            # Letters of this lane are not tried for now, so that none of them would notice its last day.
            count = tx.give_up_letters(text_of(now - GIVE_UP_AFTER), result.text, lane or None)
            for line in tx.letter_lines(_GIVEN_UP, "failed") if count else []:
                _forget_again(tx, line)
        is_last = now - time_of(letter.created_at) >= GIVE_UP_AFTER
        if isinstance(result, Sent):
            log.info("%s: sent to %s", about, domain)
            tx.mark_letter(letter.letter_id, "sent", next_at=text_of(now), note=result.text)
        elif isinstance(result, Refused):
            log.warning("%s: given up, %s said: %s", about, domain, result.text)
            self._fail(tx, letter, result.text, result.failure, now)
        elif is_last:
            log.warning("%s: given up, %s said: %s", about, domain, result.text)
            self._fail(tx, letter, result.text, None if result.about == "server" else "passing", now)
        else:
            next_at = later(text_of(now), self._delay(letter))
            log.info("%s: not yet, to be tried again at %s: %s", about, next_at, result.text)
            note = _noted(letter, result.text, is_unsure=result.about == "silence")
            tx.mark_letter(letter.letter_id, "ready", next_at=next_at, note=note)
            return
        _forget_again(tx, letter)

    def alert(self, tx: Tx, letter: Letter) -> str | None:
        """The short notice for a letter that was sent just now; None where nobody wants it, or has it."""
        if self.alerts is None or not self.alerts.wanted(letter.recipient):
            return None
        notices = tx.notices_in(letter.letter_id)
        kinds = {notice.kind for notice in notices}
        row = tx.game(letter.game_id)
        is_digest = len({notice.game_id for notice in notices}) > 1
        text = (
            digest_text(kinds)
            if is_digest
            else alert_text(kinds, row.table_name if row else "", is_late=_is_pressing(notices))
        )
        told = f"alert/{letter.letter_id}"
        if text is None or tx.outcome(told) is not None:
            return None
        tx.remember(told, letter.game_id, "{}")
        return text

    def _fail(self, tx: Tx, letter: Letter, said: str, failure: Failure | None, now: datetime) -> None:
        tx.mark_letter(letter.letter_id, "failed", next_at=text_of(now), note=said)
        seat = next((row for row in tx.seats(letter.game_id) if row.seat == letter.seat), None)
        if failure is not None and seat is not None:
            note_bounce(tx, seat, letter.recipient, failure, said, now=text_of(now), limits=self.limits)

    def _goes(self, tx: Tx, letter: Letter) -> bool:
        """Whether a letter is sent now; where it is not, it has got what becomes of it instead."""
        match fate_of(tx, letter, text_of(self.clock()), self.zone, self.cases):
            case Dropped(why):
                tx.end_letter(letter.letter_id, "dropped", why)
                _forget_again(tx, letter)
            case Held(until):
                tx.requeue_letter(letter.letter_id, until, _noted(letter, "waits: a reminder at a bad hour"))
            case Outdated(fresh):
                return not self._is_rewritten(tx, letter, fresh)
            case None:
                return True
        return False

    def _is_rewritten(self, tx: Tx, letter: Letter, fresh: Sequence[Notice]) -> bool:
        try:
            self._scribe().rewrite(tx, letter, fresh)
        except Damaged:
            raise
        except Exception:
            log.exception("letter %s cannot be written anew; it goes as it is", letter.letter_id)
            return False
        return True

    def _scribe(self) -> Scribe:
        return Scribe(self.clock, self.mailbox, self.secret, self.operator, self.zone, self.hand, self.cases)

    def _delay(self, letter: Letter) -> float:
        """Seconds until the next try: a little spread, so that a burst does not come back as a burst."""
        delay = DELAYS[min(letter.tries, len(DELAYS) - 1)]
        digest = self._scribe().pen.digest("try", letter.message_id, letter.tries)
        spread = int.from_bytes(digest[:2]) / 0x10000
        return delay * (1 + _JITTER * spread)


def _noted(letter: Letter, note: str, *, is_unsure: bool = False) -> str:
    """The note of a letter that stays; once a try of it may have succeeded, that is not forgotten."""
    return f"{UNSURE}{note}" if is_unsure or letter.note.startswith(UNSURE) else note


def _is_pressing(notices: Iterable[Notice]) -> bool:
    return any(notice.kind == "reminder" and is_pressing(notice.about) for notice in notices)


def _forget_again(tx: Tx, letter: Letter | LetterLine) -> None:
    """A letter that waited while one of its people was forgotten goes the way of all that names them, once
    it is out of the house, or will never be.

    That is the last letter to them, and those to others that waited then.
    """
    notices = tx.notices_in(letter.letter_id)
    games = dict.fromkeys([letter.game_id, *(one.game_id for one in notices)])
    is_farewell = any(one.kind == "farewell" for one in notices)
    nameless: list[tuple[str, str, int]] = []
    for game_id in games:
        nameless += [(row.player_id, game_id, row.seat) for row in tx.seats(game_id) if not row.name]
        nameless += [(row.player_id, game_id, row.seat) for row in tx.former(game_id) if not row.name]
    for player_id, game_id, seat in nameless:
        waited = tx.outcome(f"forgotten/{player_id}")
        # Somebody else may get letters in that seat by now.
        is_theirs = is_farewell and (game_id, seat) == (letter.game_id, letter.seat)
        if waited is not None and (is_theirs or letter.letter_id in orjson.loads(waited)):
            tx.forget(player_id)


def claim_owed(
    do: Callable[[Callable[[Tx], Any]], Any], sender: Sender, before_each: Callable[[], object] = lambda: None
) -> int:
    """Turn all that is owed now into letters, game by game, in transactions that `do` opens; how many.

    A letter takes longer to write than a move to make: `before_each` may let moves go first.
    """
    count = 0
    for game_id in do(sender.owing):
        before_each()
        try:
            count += do(partial(sender.claim, game_id=game_id))
        except Damaged as trouble:
            note_trouble(do, trouble.game_id or game_id, text_of(sender.clock()), str(trouble))
            count += do(partial(sender.claim, game_id=game_id))
    return count


def send_due(
    do: Callable[[Callable[[Tx], Any]], Any],
    sender: Sender,
    channel: Channel,
    before_each: Callable[[], object] = lambda: None,
) -> list[Result]:
    """Claim what is owed and try what is due, in transactions that `do` opens; what came of each try.

    No result means that there is nothing to do now; as long as there is one, there may be more.
    """
    claim_owed(do, sender, before_each)
    letters: list[Letter] = _due(do, sender)
    results: list[Result] = []
    tried: list[tuple[Letter, Result]] = []
    try:
        for letter in letters:
            if sender.lanes.waits(letter.recipient, sender.clock()):
                continue
            if not tried:
                mark_at = time.monotonic() + MARKED_WITHIN
            results.append(sender.deliver(letter, channel))
            tried.append((letter, results[-1]))
            is_sent = isinstance(results[-1], Sent)
            # How a try failed decides which of the others are tried at all.
            if not is_sent or len(tried) == MARKED_TOGETHER or time.monotonic() >= mark_at:
                _mark_all(do, sender, tried)
            if isinstance(results[-1], TryAgain) and results[-1].about == "silence":
                # That took its time, and what is still to be sent may have changed meanwhile.
                break
    finally:
        try:
            _mark_all(do, sender, tried)
        finally:
            channel.close()
    return results


def _due(do: Callable[[Callable[[Tx], Any]], Any], sender: Sender) -> list[Letter]:
    """The letters to try now, whichever games of theirs cannot be read."""
    seen: set[str] = set()
    while True:
        try:
            letters: list[Letter] = do(sender.due)
        except Damaged as trouble:
            if not trouble.game_id or trouble.game_id in seen:
                raise
            seen.add(trouble.game_id)
            note_trouble(do, trouble.game_id, text_of(sender.clock()), str(trouble))
        else:
            return letters


def _mark_all(
    do: Callable[[Callable[[Tx], Any]], Any], sender: Sender, tried: list[tuple[Letter, Result]]
) -> None:
    """Mark tries, in one transaction if that can be done, and send the short notices that it is time for."""
    pairs = tried.copy()
    tried.clear()
    if not pairs:
        return
    try:
        texts = do(lambda tx: [_mark(tx, sender, letter, result) for letter, result in pairs])
    except Exception:
        if len(pairs) == 1:
            raise
        # One that cannot be marked must not send the others once more.
        log.exception("%d letters cannot be marked together; it is tried one by one", len(pairs))
        with ExitStack() as one_by_one:
            for pair in reversed(pairs):
                one_by_one.callback(_mark_all, do, sender, [pair])
        return
    for (letter, _), text in zip(pairs, texts, strict=True):
        if text is not None and sender.alerts is not None:
            sender.alerts.tell(letter.recipient, text)


def _mark(tx: Tx, sender: Sender, letter: Letter, result: Result) -> str | None:
    """Mark a try; the short notice that it is time for, if any."""
    sender.mark(tx, letter, result)
    return sender.alert(tx, letter) if isinstance(result, Sent) else None
