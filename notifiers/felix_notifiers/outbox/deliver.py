"""Deliver: try letters until they are gone, and hold up nobody because of another.

Letters are written and decided about in a view of the store, frozen and marked in short transactions, and
sent outside any. What is sent is always the frozen bytes: a crash between the server's yes and the mark sends
the same message once more, never another one, and never none. A few letters that went out at once are marked
together.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from operator import methodcaller
from typing import Any, Final

from felix_async.clock import text_of
from felix_events.store.base import Damaged, Reader, StoreError, Tx
from felix_events.store.rows import Letter, lane_of
from felix_notifiers.outbox.channel import Channel, Refused, Result, Sent, TryAgain
from felix_notifiers.outbox.claim import Do, Look, claim, past_damage, pending, rewrite
from felix_notifiers.outbox.decision import Decision, Drop, Hold, Rewrite
from felix_notifiers.outbox.marks import Outbox, forget_again, mark, noted

log = logging.getLogger(__name__)

BATCH: Final = 50
"""Letters of one burst."""
MARKED_TOGETHER: Final = 8
"""Letters that wait for their mark: so many, and no more, go once more after a crash."""
MARKED_WITHIN: Final = 1.0
"""Seconds for which the first of them waits."""
_SLOW: Final = 2.0
"""Seconds: a letter that took so long to send has kept the others waiting."""
_REFUSED: Final = (StoreError, sqlite3.Error, OSError, MemoryError)
"""Trouble with the disk or the memory: no mark can be made."""
_Decided = tuple[Letter, Decision]


class Tried(list[Result]):
    """The result of each try; `is_all` says that nothing was left to do at the end of them."""

    is_all = False


def send_due(
    do: Do,
    outbox: Outbox,
    channel: Channel,
    before_each: Callable[[], object] = lambda: None,
    look: Look | None = None,
) -> Tried:
    """Claim what is due and try what is ready, in transactions that `do` opens; return each try's result.

    The letters of a game are tried before those of the next are written, then all others, lane by lane. No
    result means that there is nothing to do now; as long as there is one, there may be more. Letters are
    written in a view that `look` opens; a letter takes longer to write than a move to make, so
    `before_each` may let moves go first.
    """
    burst = _Burst(do, look or do, outbox, channel)
    try:
        burst.send_all(before_each)
    finally:
        try:
            burst.mark_all()
        finally:
            channel.close()
    return burst.results


@dataclass(slots=True)
class _Burst:
    """Letters sent one after the other, until there are none or the other side is silent."""

    do: Do
    look: Look
    outbox: Outbox
    channel: Channel
    results: Tried = field(default_factory=Tried)
    slow: set[str] = field(default_factory=set)
    """Lanes that have kept the others waiting; their letters come last."""
    tried: list[tuple[Letter, Result]] = field(default_factory=list)
    """Tries that are to be marked, the first of them by `mark_at`."""
    mark_at: float = 0.0

    def send_all(self, before_each: Callable[[], object]) -> None:
        """Game by game what is due, up to a batch, then a batch of all that waits."""
        is_cut = False
        self._mark_left_over()
        games, due = self._decided(self._waiting)
        for game_id in games:
            before_each()
            if not self._send(self._claimed(game_id), self.slow):
                return
            if len(self.results) >= BATCH:
                is_cut = True
                break
        if games:
            # A letter that is not marked yet would be sent again.
            self.mark_all()
            due = self._decided(self._due)
        # Letters that were written anew instead of being sent are for the next look.
        is_plain = len(due) < BATCH and all(decision is None for _, decision in due)
        self.results.is_all = self._send(due) and is_plain and not is_cut

    def mark_all(self) -> None:
        """Mark the tries so far."""
        _mark_all(self.do, self.outbox, self.tried)

    # ---- what is to be sent

    def _waiting(self, reader: Reader) -> tuple[list[str], list[_Decided]]:
        """The games in which somebody is to be told something; if there are none, the letters to try.

        While our own server is in trouble nothing is frozen: what comes meanwhile becomes one letter later.
        """
        now = self.outbox.clock()
        games = [] if self.outbox.backoff.all_wait(now) else pending(reader, text_of(now))
        return games, [] if games else self._due(reader)

    def _due(self, reader: Reader) -> list[_Decided]:
        """The letters to try now, all lanes in turn."""
        now, backoff = self.outbox.clock(), self.outbox.backoff
        if backoff.all_wait(now):
            return []
        return self._decide(reader, reader.letters_in_turn(text_of(now), BATCH, backoff.aside(now)))

    def _decide(self, reader: Reader, letters: Iterable[Letter]) -> list[_Decided]:
        return [(letter, self.outbox.decide(reader, letter)) for letter in letters]

    def _claimed(self, game_id: str) -> list[_Decided]:
        """The letters that a game gives now. All that may not wait were found to be wanted as they were
        written.
        """
        outbox = self.outbox
        try:
            written = claim(self.do, self.look, outbox.writer, outbox.clock, game_id)
        except Exception as error:
            if isinstance(error, _REFUSED) and not isinstance(error, sqlite3.IntegrityError):
                raise
            # Whatever it is must not keep the letters of the others back.
            log.exception("the letters of game %s cannot be written; its notices wait", game_id)
            return []
        letters = [(one.written.letter, one.may_wait) for one in written if one.written is not None]
        surely = [(letter, None) for letter, may_wait in letters if not may_wait]
        others = [letter for letter, may_wait in letters if may_wait]
        return [*surely, *(self._decided(partial(self._decide, letters=others)) if others else ())]

    def _decided(self, look_at: Callable[[Reader], Any]) -> Any:
        return past_damage(self.do, self.outbox.clock, partial(self.look, look_at))

    # ---- sending

    def _send(self, letters: Iterable[_Decided], but_to: Set[str] = frozenset()) -> bool:
        """Try letters, except to some lanes; False once the other side was silent: that took its time, and
        what is still to be sent may have changed meanwhile.
        """
        unmarked = {letter.letter_id for letter, _ in self.outbox.unmarked}
        for letter, decision in letters:
            if letter.letter_id in unmarked:
                continue
            waits = self.outbox.backoff.waits(letter.recipient, self.outbox.clock())
            if waits or lane_of(letter.recipient) in but_to:
                continue
            goes = partial(self.do, partial(_goes, outbox=self.outbox, letter=letter))
            if decision is not None and not past_damage(self.do, self.outbox.clock, goes):
                continue
            result = self._try(letter)
            if isinstance(result, TryAgain) and result.about == "silence":
                return False
        return True

    def _try(self, letter: Letter) -> Result:
        if not self.tried:
            self.mark_at = time.monotonic() + MARKED_WITHIN
        began = self.outbox.clock()
        if letter.raw:
            result = self.channel.send(letter)
        else:
            # An erased letter is not ready to be sent; this one was damaged.
            result = Refused("not sent: the database has lost its text")
        if (self.outbox.clock() - began).total_seconds() > _SLOW:
            self.slow.add(lane_of(letter.recipient))
        self.results.append(result)
        self.tried.append((letter, result))
        # How a try failed decides which of the others are tried at all.
        is_late = len(self.tried) == MARKED_TOGETHER or time.monotonic() >= self.mark_at
        if is_late or not isinstance(result, Sent):
            self.mark_all()
        return result

    def _mark_left_over(self) -> None:
        """Mark what could not be marked before: while the disk refuses that, nothing else goes out."""
        for pair in self.outbox.unmarked.copy():
            try:
                letter: Letter | None = self.look(methodcaller("letter", pair[0].letter_id))
                self.outbox.unmarked.remove(pair)
                # It may have been dropped meanwhile.
                if letter is not None and letter.state == "ready":
                    _mark_all(self.do, self.outbox, [pair])
            except Exception as error:
                if isinstance(error, _REFUSED) and not isinstance(error, Damaged):
                    raise
                log.exception("letter %d was tried and cannot be marked; it waits", pair[0].letter_id)


def _goes(tx: Tx, outbox: Outbox, letter: Letter) -> bool:
    """Carry a decision out; return True if the letter is sent now."""
    match outbox.decide(tx, letter):
        case Drop(why):
            tx.end_letter(letter.letter_id, "dropped", why)
            forget_again(tx, letter)
        case Hold(until):
            unsure = letter.maybe_arrived
            note = noted("waits: a reminder at a bad hour", unsure=unsure)
            tx.requeue_letter(letter.letter_id, until, note, maybe_arrived=unsure)
        case Rewrite(notices, fresh):
            try:
                with tx.savepoint():
                    rewrite(tx, outbox.writer, letter, notices, fresh, text_of(outbox.clock()))
            except Damaged:
                raise
            except Exception:
                log.exception("letter %s cannot be written anew; it goes as it is", letter.letter_id)
                return True
        case None:
            return True
    return False


def _mark_all(do: Do, outbox: Outbox, tried: list[tuple[Letter, Result]]) -> None:
    """Mark tries, in one transaction if that can be done, and send the short notices that it is time for."""
    pairs = tried.copy()
    tried.clear()
    if not pairs:
        return
    try:
        texts: Sequence[str | None] = do(
            lambda tx: [mark(tx, outbox, letter, result) for letter, result in pairs]
        )
    except Exception:
        if len(pairs) == 1:
            outbox.unmarked.extend(pairs)
            raise
        # One that cannot be marked must not send the others once more.
        log.exception("%d letters cannot be marked together; it is tried one by one", len(pairs))
        with ExitStack() as one_by_one:
            for pair in reversed(pairs):
                one_by_one.callback(_mark_all, do, outbox, [pair])
        return
    for (letter, _), text in zip(pairs, texts, strict=True):
        if text is not None and outbox.alerts is not None:
            outbox.alerts.tell(letter.recipient, text)
