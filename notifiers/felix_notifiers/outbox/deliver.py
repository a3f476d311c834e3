"""From letters to the other side: try them until they are gone, and hold up nobody because of another.

Letters are drafted and looked at in a view of the store; `Sender.keep`, `goes` and `mark` run in a
transaction that the caller opened, and `deliver` runs outside any. What is sent is always the frozen
bytes: a crash between the server's yes and the mark sends the same mail once more, never another one, and
never none; a few letters that went out at once are marked together. Whether a letter goes at all when its
time has come, `decision.py` says.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from operator import methodcaller
from typing import Any, Final, cast

from felix_async.clock import Clock, later, text_of, time_of
from felix_async.deliverability import Failure, note_bounce
from felix_async.follow_up.kinds import Reminder, load_all
from felix_async.follow_up.notice import Notice
from felix_async.settings import Bounces
from felix_async.text import plain
from felix_async.time.zones import DEFAULT_ZONE
from felix_async.trouble import note_trouble
from felix_events.store.base import Damaged, Reader, StoreError, Tx
from felix_events.store.rows import Letter, lane_of
from felix_notifiers.mails.case import case_of
from felix_notifiers.mails.recent import Recent
from felix_notifiers.outbox.alerts import Alerts, alert_text, digest_text
from felix_notifiers.outbox.backoff import Lanes
from felix_notifiers.outbox.channel import Channel, Refused, Result, Sent, TryAgain
from felix_notifiers.outbox.claim import Cases, Hand, Scribe
from felix_notifiers.outbox.decision import Dropped, Fate, Held, Outdated, fate_of, forget_again
from felix_notifiers.outbox.draft import Draft, Kept

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
_ATTEMPTS: Final = 5
"""How often a game's letters are written in a view; one attempt may write but a part of them."""
_SLOW: Final = timedelta(seconds=2)
"""A letter that took so long to send has kept the others waiting."""
_REFUSED: Final = (StoreError, sqlite3.Error, OSError, MemoryError)
"""Trouble with the disk or the memory: no mark can be made."""
_GIVEN_UP: Final = 1000
"""Letters that were given up just now and are looked through for somebody who was forgotten meanwhile."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Writes and sends felix's letters; `operator` is the host's address, '' where nobody is told.

    `zone` is the server's time zone, for players of whom no other is known. `hand` and `cases` are the
    scribe's (`felix_notifiers.outbox.claim`). `unmarked` are tries that could not be marked yet.
    """

    clock: Clock
    mailbox: str
    secret: bytes = field(repr=False)
    operator: str = ""
    zone: str = DEFAULT_ZONE
    limits: Bounces = field(default_factory=Bounces)
    alerts: Alerts | None = None
    lanes: Lanes = field(default_factory=Lanes, repr=False, compare=False)
    unmarked: list[tuple[Letter, Result]] = field(default_factory=list, repr=False, compare=False)
    hand: Hand | None = None
    cases: Cases = field(default_factory=lambda: partial(case_of, recent=Recent()), compare=False)

    def owing(self, reader: Reader) -> list[str]:
        """The games in which somebody is to be written to now.

        While our own server is in trouble nothing is frozen: what is owed meanwhile becomes one letter later.
        """
        return [] if self.lanes.all_wait(self.clock()) else self._scribe().owing(reader)

    def draft(self, reader: Reader, game_id: str) -> Draft | None:
        """Write what a game owes now, outside any transaction that holds others up; see `Scribe.draft`."""
        return self._scribe().draft(reader, game_id)

    def keep(self, tx: Tx, draft: Draft) -> list[Kept] | None:
        """Freeze a draft; None if it is out of date."""
        return self._scribe().keep(tx, draft)

    def tell_trouble(self, tx: Tx, game_id: str) -> None:
        """Owe the word that a game cannot be read to who is owed an answer in it."""
        self._scribe().tell_trouble(tx, game_id)

    def claim(self, tx: Tx, game_id: str) -> list[Kept]:
        """Turn what a game owes now into letters in one transaction, and drop what is stale."""
        return self._scribe().claim(tx, game_id)

    def due(self, reader: Reader, limit: int = BATCH) -> list[tuple[Letter, Fate]]:
        """The letters to try now, all lanes in turn, each with what is to become of it instead."""
        now = self.clock()
        if self.lanes.all_wait(now):
            return []
        return self.fates(reader, reader.letters_in_turn(text_of(now), limit, self.lanes.aside(now)))

    def waiting(self, reader: Reader) -> tuple[list[str], list[tuple[Letter, Fate]]]:
        """The games in which somebody is owed something; if there are none, the letters to try."""
        owing = self.owing(reader)
        return owing, [] if owing else self.due(reader)

    def fates(self, reader: Reader, letters: Iterable[Letter]) -> list[tuple[Letter, Fate]]:
        """What is to become of letters; None where they go."""
        now = text_of(self.clock())
        return [(letter, fate_of(reader, letter, now, self.zone, self.cases)) for letter in letters]

    def goes(self, tx: Tx, letter: Letter) -> bool:
        """Whether a letter is sent now; if not, it has got what becomes of it instead.

        What nobody needs any more is dropped, and a reminder waits if it is a bad hour for it. One that
        waited is written anew if it reminds of a decision that was made meanwhile: its place is taken by a
        letter for the next look.
        """
        match fate_of(tx, letter, text_of(self.clock()), self.zone, self.cases):
            case Dropped(why):
                tx.end_letter(letter.letter_id, "dropped", why)
                forget_again(tx, letter)
            case Held(until):
                unsure = letter.maybe_arrived
                note = _noted("waits: a reminder at a bad hour", unsure=unsure)
                tx.requeue_letter(letter.letter_id, until, note, maybe_arrived=unsure)
            case Outdated(fresh):
                return not self._is_rewritten(tx, letter, fresh)
            case None:
                return True
        return False

    def deliver(self, letter: Letter, channel: Channel) -> Result:
        """Try to send a letter once; outside any transaction, because the other side may take its time."""
        if not letter.raw:
            # What was erased is not ready to be sent; this was damaged.
            return Refused("not sent: the database has lost its text")
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
                forget_again(tx, line)
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
            # Once a try of it may have succeeded, that is not forgotten.
            unsure = letter.maybe_arrived or result.about == "silence"
            note = _noted(result.text, unsure=unsure)
            tx.mark_letter(letter.letter_id, "ready", next_at=next_at, note=note, maybe_arrived=unsure)
            return
        forget_again(tx, letter)

    def alert(self, tx: Tx, letter: Letter) -> str | None:
        """The short notice for a letter that was sent just now; None where nobody wants it, or has it."""
        if self.alerts is None or not self.alerts.wanted(letter.recipient):
            return None
        notices = load_all(tx.notices_in(letter.letter_id))
        kinds = {notice.kind for notice in notices}
        row = tx.game(letter.game_id)
        is_digest = len({notice.game_id for notice in notices}) > 1
        text = (
            digest_text(kinds)
            if is_digest
            else alert_text(kinds, row.table_name if row else "", is_late=_is_pressing(notices))
        )
        return text if text is not None and tx.note_alert(letter.letter_id) else None

    def _fail(self, tx: Tx, letter: Letter, said: str, failure: Failure | None, now: datetime) -> None:
        tx.mark_letter(letter.letter_id, "failed", next_at=text_of(now), note=said)
        seat = next((row for row in tx.seats(letter.game_id) if row.seat == letter.seat), None)
        if failure is not None and seat is not None:
            note_bounce(tx, seat, letter.recipient, failure, said, now=text_of(now), limits=self.limits)

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


def _noted(text: str, *, unsure: bool) -> str:
    """The note of a letter that stays."""
    return f"may have arrived: {text}" if unsure else text


def _is_pressing(notices: Iterable[Notice]) -> bool:
    return any(isinstance(notice, Reminder) and notice.is_pressing for notice in notices)


Do = Callable[[Callable[[Tx], Any]], Any]
"""Opens a transaction for what it is given."""
Look = Callable[[Callable[[Reader], Any]], Any]
"""Opens a view for what it is given, in which nobody is held up."""


def claim_owed(
    do: Do, sender: Sender, before_each: Callable[[], object] = lambda: None, look: Look | None = None
) -> int:
    """Turn all that is owed now into letters, game by game; how many. See `send_due`."""
    count = 0
    for game_id in (look or do)(sender.owing):
        before_each()
        count += len(_claimed(do, look or do, sender, game_id))
    return count


class Tried(list[Result]):
    """What came of each try; `is_all` says that nothing was left to do at the end of them."""

    is_all = False


def send_due(
    do: Do,
    sender: Sender,
    channel: Channel,
    before_each: Callable[[], object] = lambda: None,
    look: Look | None = None,
) -> Tried:
    """Claim what is owed and try what is due, in transactions that `do` opens; what came of each try.

    The letters of a game are tried before those of the next are written, then all others, lane by lane. No
    result means that there is nothing to do now; as long as there is one, there may be more. Letters are
    written in a view that `look` opens; a letter takes longer to write than a move to make, so
    `before_each` may let moves go first.
    """
    burst = _Burst(do, look or do, sender, channel)
    try:
        burst.send_all(before_each)
    finally:
        try:
            burst.mark_all()
        finally:
            channel.close()
    return burst.results


def _claimed(do: Do, look: Look, sender: Sender, game_id: str) -> list[Kept]:
    """The letters that a game owed, written in a view and then frozen; also if it cannot be read."""
    try:
        return _drafted(do, look, sender, game_id)
    except Damaged as trouble:
        note_trouble(do, trouble.game_id or game_id, text_of(sender.clock()), str(trouble))
        return _drafted(do, look, sender, game_id)


def _drafted(do: Do, look: Look, sender: Sender, game_id: str) -> list[Kept]:
    """If moves are made again and again while letters are written, they are written in the transaction."""
    letters: list[Kept] = []
    for attempt in range(_ATTEMPTS):
        draft: Draft | None = look(partial(sender.draft, game_id=game_id))
        if draft is not None and draft.in_trouble and not attempt:
            do(partial(sender.tell_trouble, game_id=game_id))
        elif draft is None or not draft.settlements:
            return letters
        else:
            kept: list[Kept] | None = do(partial(sender.keep, draft=draft))
            letters += kept or []
            if kept is not None and draft.is_all:
                return letters
    return letters + cast("list[Kept]", do(partial(sender.claim, game_id=game_id)))


def _whatever_cannot_be_read(do: Do, opened: Look | Do, sender: Sender, work: Callable[[Any], Any]) -> Any:
    """What work comes to once the games are known that cannot be read."""
    seen: set[str] = set()
    while True:
        try:
            return opened(work)
        except Damaged as trouble:
            if not trouble.game_id or trouble.game_id in seen:
                raise
            seen.add(trouble.game_id)
            note_trouble(do, trouble.game_id, text_of(sender.clock()), str(trouble))


@dataclass(slots=True)
class _Burst:
    """Letters sent one after the other, until there are none or the other side is silent."""

    do: Do
    look: Look
    sender: Sender
    channel: Channel
    results: Tried = field(default_factory=Tried)
    slow: set[str] = field(default_factory=set)
    """Lanes that have kept the others waiting; their letters come last."""
    tried: list[tuple[Letter, Result]] = field(default_factory=list)
    """Tries that are to be marked, the first of them by `mark_at`."""
    mark_at: float = 0.0

    def send_all(self, before_each: Callable[[], object]) -> None:
        """Game by game what is owed, up to a batch, then a batch of all that waits."""
        is_cut = False
        self._mark_kept()
        owing, due = self._fated(self.sender.waiting)
        for game_id in owing:
            before_each()
            kept = _claimed(self.do, self.look, self.sender, game_id)
            surely = [(one.letter, None) for one in kept if not one.may_wait]
            others = [one.letter for one in kept if one.may_wait]
            letters = [*surely, *(self._fated(partial(self.sender.fates, letters=others)) if others else ())]
            if not self._send(letters, self.slow):
                return
            if len(self.results) >= BATCH:
                is_cut = True
                break
        if owing:
            # What is not marked yet would be sent again.
            self.mark_all()
            due = self._fated(self.sender.due)
        # What was written anew instead of being sent is for the next look.
        is_plain = len(due) < BATCH and all(fate is None for _, fate in due)
        self.results.is_all = self._send(due) and is_plain and not is_cut

    def mark_all(self) -> None:
        """Mark the tries so far."""
        _mark_all(self.do, self.sender, self.tried)

    def _mark_kept(self) -> None:
        """Mark what could not be marked before: while the disk refuses that, nothing else goes out."""
        for pair in self.sender.unmarked.copy():
            try:
                letter: Letter | None = self.look(methodcaller("letter", pair[0].letter_id))
                self.sender.unmarked.remove(pair)
                # It may have been dropped meanwhile.
                if letter is not None and letter.state == "ready":
                    _mark_all(self.do, self.sender, [pair])
            except Exception as error:
                if isinstance(error, _REFUSED) and not isinstance(error, Damaged):
                    raise
                log.exception("letter %d was tried and cannot be marked; it waits", pair[0].letter_id)

    def _fated(self, look_at: Callable[[Reader], Any]) -> Any:
        return _whatever_cannot_be_read(self.do, self.look, self.sender, look_at)

    def _send(self, letters: Iterable[tuple[Letter, Fate]], but_to: Set[str] = frozenset()) -> bool:
        """Try letters, except to some lanes; False once the other side was silent: that took its time, and
        what is still to be sent may have changed meanwhile.
        """
        unmarked = {letter.letter_id for letter, _ in self.sender.unmarked}
        for letter, fate in letters:
            if letter.letter_id in unmarked:
                continue
            waits = self.sender.lanes.waits(letter.recipient, self.sender.clock())
            if waits or lane_of(letter.recipient) in but_to:
                continue
            goes = partial(self.sender.goes, letter=letter)
            if fate is not None and not _whatever_cannot_be_read(self.do, self.do, self.sender, goes):
                continue
            result = self._try(letter)
            if isinstance(result, TryAgain) and result.about == "silence":
                return False
        return True

    def _try(self, letter: Letter) -> Result:
        if not self.tried:
            self.mark_at = time.monotonic() + MARKED_WITHIN
        began = self.sender.clock()
        result = self.sender.deliver(letter, self.channel)
        if self.sender.clock() - began > _SLOW:
            self.slow.add(lane_of(letter.recipient))
        self.results.append(result)
        self.tried.append((letter, result))
        # How a try failed decides which of the others are tried at all.
        is_late = len(self.tried) == MARKED_TOGETHER or time.monotonic() >= self.mark_at
        if is_late or not isinstance(result, Sent):
            self.mark_all()
        return result


def _mark_all(do: Do, sender: Sender, tried: list[tuple[Letter, Result]]) -> None:
    """Mark tries, in one transaction if that can be done, and send the short notices that it is time for."""
    pairs = tried.copy()
    tried.clear()
    if not pairs:
        return
    try:
        texts = do(lambda tx: [_mark(tx, sender, letter, result) for letter, result in pairs])
    except Exception:
        if len(pairs) == 1:
            sender.unmarked.extend(pairs)
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
