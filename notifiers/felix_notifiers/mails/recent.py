"""Games as their letters need them, the newest of them remembered: a letter follows a move or two.

Of a game its log is remembered, as far as it has been read, and its story, which follows from that alone. The
hashes say if the log went on from there.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.game.story import Story
from felix_events.envelope import check_envelopes
from felix_events.store.base import Reader
from felix_events.tree import extend, leaf

MOST: Final = 64
"""Games that are remembered; each takes some 200 kB."""


@dataclass(frozen=True, slots=True)
class Past:
    """A log up to its head, whose hash is `range_`, and its story."""

    range_: bytes = b""
    story: Story = field(default_factory=Story)


@dataclass(slots=True)
class Recent:
    """Reads the logs of games, and of those that it has read lately only what is new."""

    _known: OrderedDict[str, Past] = field(default_factory=OrderedDict, repr=False)
    _cache_lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def past(self, reader: Reader, game_id: str) -> Past:
        """Return the log of a game now. Raises ValueError."""
        _, range_ = reader.head(game_id)
        with self._cache_lock:
            known = self._known.get(game_id, Past())
        if known.range_ != range_:
            known = _gone_on(reader, game_id, range_, known) or _from_beginning(reader, game_id, range_)
        with self._cache_lock:
            self._known[game_id] = known
            self._known.move_to_end(game_id)
            while len(self._known) > MOST:
                self._known.popitem(last=False)
        return known


def _gone_on(reader: Reader, game_id: str, range_: bytes, known: Past) -> Past | None:
    """Return what is known of a game and the rest of its log; None if that does not go on from there."""
    size = len(known.story.steps)
    if not size:
        return None
    bodies = reader.bodies(game_id, size)
    head = known.range_
    for version, body in enumerate(bodies, size):
        head = extend(head, version, leaf(body))
    return _with(known, bodies, range_) if head == range_ else None


def _from_beginning(reader: Reader, game_id: str, range_: bytes) -> Past:
    return _with(Past(), reader.bodies(game_id), range_)


def _with(known: Past, bodies: Sequence[bytes], range_: bytes) -> Past:
    return Past(range_, known.story.and_then(check_envelopes(bodies)))
