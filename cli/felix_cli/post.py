"""The post: a thread that turns notices into letters, sends them, and waits for more.

In a rush of incoming mail it waits for a moment: moves go first, and what several of them do to a game goes
into fewer letters.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import Final

from felix_cli.jobs import Watch
from felix_notifiers.outbox.channel import Channel
from felix_notifiers.outbox.claim import Do, Look
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox

log = logging.getLogger(__name__)

_RUSH: Final = 8
"""So many messages within `_RUSH_SECONDS` are a rush: moves go first then, and letters wait."""
_RUSH_SECONDS: Final = 0.25
_PATIENCE: Final = 0.5
"""Seconds after which a game's letters are written though the rush goes on."""


class Post:
    """Delivers from `start` to `stop`; `do` opens a transaction for what it is given, `look` a view."""

    def __init__(self, do: Do, look: Look, outbox: Outbox, channel: Channel, watch: Watch) -> None:
        self._do = do
        self._look = look
        self._outbox = outbox
        self._channel = channel
        self._watch = watch
        self._thread = threading.Thread(target=self._deliver_forever, name="felix-post", daemon=True)
        self._awake = threading.Event()
        self._stopping = threading.Event()
        self._kept: deque[float] = deque(maxlen=_RUSH)

    def start(self) -> None:
        """Begin with the notices that wait, at the first `wake`."""
        self._thread.start()

    def stop(self) -> None:
        """Go out once more, then end."""
        self._stopping.set()
        self._awake.set()
        self._thread.join()
        if self._outbox.alerts is not None:
            self._outbox.alerts.close()

    def wake(self) -> None:
        """Look at once: there are notices to send."""
        self._awake.set()

    def kept(self) -> None:
        """A message has come in; many of them make a rush."""
        self._kept.append(time.monotonic())

    def _deliver_forever(self) -> None:
        while True:
            self._awake.wait()
            self._awake.clear()
            try:
                self._deliver()
            except Exception:
                # Whatever it was: no mail would go out any more if this thread ended.
                log.exception("the post could not go out; it will be tried again")
            if self._stopping.is_set():
                return

    def _deliver(self) -> None:
        """Write due letters and send ready ones, burst by burst; never inside a transaction."""
        more = True
        while more:
            with self._watch.at_work("post"):
                tried = send_due(
                    self._do, self._outbox, self._channel, self._let_mail_in_first, look=self._look
                )
                more = bool(tried) and not tried.is_all
            if self._stopping.is_set():
                return

    def _let_mail_in_first(self) -> None:
        """Wait in a rush, but not for long; what the messages do then goes into fewer letters."""
        patience = time.monotonic() + _PATIENCE
        while self._in_a_rush() and time.monotonic() < patience:
            if self._stopping.wait(_RUSH_SECONDS / _RUSH):
                return

    def _in_a_rush(self) -> bool:
        return len(self._kept) == _RUSH and time.monotonic() - self._kept[0] < _RUSH_SECONDS
