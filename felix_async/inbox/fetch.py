"""The way in from a mailbox: messages are fetched by IMAP, kept, and only then marked as done.

A crash between the two fetches a mail again; the second one is noticed as a duplicate when it is dealt
with. One thread keeps one connection, waits for mail by IDLE or looks every so often, and comes back after
every trouble: with growing pauses, and one sentence in the log. Mails are taken in groups of bounded
size; one that cannot be fetched is left alone, so that it does not hold up the others.
"""

from __future__ import annotations

import logging
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, LoginError, ProtocolError

from felix_async.clock import Clock, text_of
from felix_async.inbox.delivery import MAX_HEAD_BYTES, recipients_in, sender_in
from felix_async.inbox.imap import Mailbox, batches, reason_of
from felix_async.settings import Fetch
from felix_async.text import plain
from felix_events.store.base import StoreError, Tx
from felix_events.store.writer import Writer

log = logging.getLogger(__name__)

GROUP_BYTES: Final = 1_000_000
"""Of so many bytes together are mails fetched and kept at once, or a single one that is larger."""
MAX_STUMBLES: Final = 3
"""So often may the connection break while a mail is fetched, before it is left alone."""
LONGEST_PAUSE: Final = 300.0
"""Seconds between two tries, at the most; after a refused login twelve times as long."""
FIRST_PAUSE_AFTER_REFUSAL: Final = 60.0
"""Many servers lock out who comes again too soon with the wrong password."""
_STAYS_CONNECTED: Final = 600.0
"""Seconds; if the server does not tell of new mail, a longer wait is not spent on an open connection."""
_MOST_TAKEN: Final = 20_000
"""UIDs that are remembered as kept; the marks in the mailbox remember them all."""
_PROMPT_SECONDS: Final = 0.8


def pause_after(tries: int, *, refused: bool = False) -> float:
    """Seconds until the next try: doubled each time, with some chance in it, and bounded."""
    first, most = (FIRST_PAUSE_AFTER_REFUSAL, 12 * LONGEST_PAUSE) if refused else (1.0, LONGEST_PAUSE)
    longest: float = min(most, first * 2 ** min(tries - 1, 20))
    return random.uniform(longest / 2, longest)


class Fetcher:
    """Fetches mail out of one mailbox, in a thread of its own, from `start` to `stop`."""

    def __init__(
        self,
        settings: Fetch,
        mailbox: str,
        *,
        max_bytes: int,
        writer: Writer,
        clock: Clock,
        kept: Callable[[], object],
        pause: Callable[..., float] = pause_after,
    ) -> None:
        self._settings = settings
        self._address = mailbox
        self._max_bytes = max_bytes
        self._writer = writer
        self._clock = clock
        self._told = kept
        self._pause = pause
        self._heard_until = ""
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread = self._new_thread()
        self._mailbox: Mailbox | None = None
        self._uid_validity = 0
        # Of this folder, as long as its UIDs are valid:
        self._taken: set[int] = set()
        self._left_alone: set[int] = set()
        self._stumbles: Counter[int] = Counter()
        self._in_hand: Sequence[int] = ()

    def start(self) -> None:
        """Begin; trouble with the mailbox is told in the log and tried again."""
        self._thread.start()

    def revive(self) -> bool:
        """Go on in a new thread if the old one has ended without being told to; return True if it had."""
        has_begun = self._thread.ident is not None
        if self._stop.is_set() or not has_begun or self._thread.is_alive():
            return False
        self._thread = self._new_thread()
        self._thread.start()
        return True

    def _new_thread(self) -> threading.Thread:
        return threading.Thread(target=self._run, name="felix-fetch", daemon=True)

    def heard_until(self) -> str:
        """Until when all mail that came in is kept, as a stored time; '' before the first look."""
        return self._heard_until

    def look(self) -> None:
        """Look at once, if the thread waits for mail."""
        self._wake.set()

    def stop(self) -> None:
        """End within two seconds, also in the middle of a wait or of a slow answer."""
        self._stop.set()
        self._wake.set()
        self._thread.join(_PROMPT_SECONDS)
        if self._thread.is_alive() and (mailbox := self._mailbox) is not None:
            mailbox.abort()
            self._thread.join(_PROMPT_SECONDS)
        # Only the look-up of a name, or a connect, still hangs now: it keeps nothing, and ends by itself.

    def _run(self) -> None:
        tries = 0
        while not self._stop.is_set():
            trouble: Exception | None = None
            try:
                for _ in self._rounds():
                    tries = 0
            except Exception as error:  # noqa: BLE001 - no mail would come in any more if this thread ended
                trouble = error
            if trouble is None or self._stop.is_set():
                continue
            tries += 1
            self._stumble()
            seconds = self._pause(tries, refused=isinstance(trouble, LoginError))
            self._tell(trouble, seconds)
            self._stop.wait(seconds)

    def _rounds(self) -> Iterator[None]:
        """Connect, then take what waits, again and again, until the server or somebody else ends it."""
        self._mailbox = mailbox = Mailbox.connect(self._settings)
        try:
            log.info("the mailbox is open")
            while self._goes_on():
                looked_at = text_of(self._clock())
                mailbox.open()
                count = self._take_all(mailbox)
                self._heard_until = looked_at
                mailbox.tidy()
                yield
                if count:
                    mailbox.has_news()
                    # More may have come meanwhile, and only a waiting server tells.
                    continue
                if not mailbox.tells and self._settings.poll_seconds > _STAYS_CONNECTED:
                    break
                mailbox.wait(self._settings.poll_seconds, self._wake)
        finally:
            self._mailbox = None
            mailbox.close()
        if not self._stop.is_set():
            self._wake.wait(self._settings.poll_seconds)

    def _goes_on(self) -> bool:
        """Return False if it is to stop; whoever asks for a look from now on ends the next wait."""
        self._wake.clear()
        return not self._stop.is_set()

    def _take_all(self, mailbox: Mailbox) -> int:
        """Take what waits; how many mails were kept."""
        if mailbox.uid_validity != self._uid_validity:
            self._uid_validity = mailbox.uid_validity
            self._taken.clear()
            self._left_alone.clear()
            self._stumbles.clear()
        waiting = mailbox.waiting()
        again = self._taken.intersection(waiting)
        if again:
            # Kept before, and the mark did not get there or did not stay: not kept twice.
            mailbox.done(sorted(again))
        if len(self._taken) > _MOST_TAKEN:
            self._taken = set(sorted(self._taken)[-_MOST_TAKEN // 2 :]) | again
        fresh = [uid for uid in waiting if uid not in self._taken and uid not in self._left_alone]
        count = 0
        for some in batches(fresh):
            sizes = mailbox.sizes(some)
            for group in self._groups(sizes):
                if self._stop.is_set():
                    return count
                count += self._take(mailbox, group, sizes)
        return count

    def _groups(self, sizes: Mapping[int, int]) -> Iterator[list[int]]:
        """Mails to be fetched at once: together not too large, and what made trouble before is alone."""
        group: list[int] = []
        total = 0
        for uid, size in sizes.items():
            size = min(size, self._max_bytes)
            if group and (total + size > GROUP_BYTES or self._stumbles[uid] or self._stumbles[group[-1]]):
                yield group
                group, total = [], 0
            group.append(uid)
            total += size
        if group:
            yield group

    def _take(self, mailbox: Mailbox, group: Sequence[int], sizes: Mapping[int, int]) -> int:
        """Fetch these mails, keep them in one transaction, and mark them as done; how many were there."""
        large = {uid: sizes[uid] for uid in group if sizes[uid] > self._max_bytes}
        self._in_hand = group
        found = self._fetch(mailbox.bodies, [uid for uid in group if uid not in large], self._max_bytes + 1)
        # A size that is told may be wrong; what is fetched is not.
        large |= {uid: len(raw) for uid, raw in found.items() if len(raw) > self._max_bytes}
        heads = self._fetch(mailbox.heads, list(large), MAX_HEAD_BYTES)
        self._in_hand = ()
        mails = {uid: (heads if uid in large else found).get(uid) for uid in group}
        received_at = text_of(self._clock())

        def keep(tx: Tx) -> None:
            for uid, raw in mails.items():
                for recipient in recipients_in(raw, self._address) if raw is not None else ():
                    assert raw is not None, "has recipients"
                    mail_id = tx.keep_mail(received_at, recipient, sender_in(raw), raw)
                    if uid in large:
                        tx.settle_mail(mail_id, "quarantined", note=self._too_large(large[uid]))

        kept = [uid for uid, raw in mails.items() if raw is not None]
        if not kept:
            return 0
        self._writer.do(keep)
        self._taken.update(kept)
        self._told()
        for uid in large:
            log.warning("a mail was not fetched: %s", self._too_large(large[uid]))
        mailbox.done(kept)
        return len(kept)

    def _too_large(self, size: int) -> str:
        return f"it has {size} bytes, the limit is {self._max_bytes}; its headers alone were kept"

    def _fetch(
        self, fetch: Callable[[Sequence[int], int], dict[int, bytes]], uids: Sequence[int], most: int
    ) -> dict[int, bytes]:
        """Return what the server gives of these mails; if it refuses, one by one, without those refused."""
        try:
            return fetch(uids, most) if uids else {}
        except (IMAPClientAbortError, ProtocolError):
            raise
        except IMAPClientError as error:
            if len(uids) > 1:
                found: dict[int, bytes] = {}
                for uid in uids:
                    found |= self._fetch(fetch, [uid], most)
                return found
            self._leave_alone(uids[0], reason_of(error, self._settings))
            return {}

    def _leave_alone(self, uid: int, why: str) -> None:
        self._left_alone.add(uid)
        log.error("the mail with UID %d cannot be fetched and stays where it is (%s); look at it", uid, why)

    def _stumble(self) -> None:
        """Remember which mails were being fetched when the connection broke."""
        for uid in self._in_hand:
            self._stumbles[uid] += 1
            if len(self._in_hand) == 1 and self._stumbles[uid] >= MAX_STUMBLES:
                self._leave_alone(uid, f"the connection broke {MAX_STUMBLES} times")
        self._in_hand = ()

    def _tell(self, trouble: Exception, seconds: float) -> None:
        if isinstance(trouble, StoreError):
            log.error(
                "fetched mail cannot be kept; next try in %.0f s: %s", seconds, plain(str(trouble), 500)
            )
            return
        where = plain(f"{self._settings.folder} at {self._settings.host}:{self._settings.port}")
        reason = reason_of(trouble, self._settings)
        log.error("no mail comes from %s; next try in %.0f s: %s", where, seconds, reason)
