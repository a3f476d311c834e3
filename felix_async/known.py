"""The games that were read last, in memory: each as good as its log's head says."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

import orjson

from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_events.envelope import decode_events
from felix_events.store.base import Damaged, Reader
from felix_events.store.errors import LOOK_FIRST

_CACHED_GAMES: Final = 1024


@dataclass(frozen=True, slots=True)
class Known:
    """A game as its log has it up to a version: its state, and the time of the last event."""

    version: int
    range_: bytes
    game: Game
    last_at: str | None


@dataclass
class KnownGames:
    """States of games by their log's head; whoever reads and whoever writes may ask at the same time."""

    _known: OrderedDict[str, Known] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def load(self, reader: Reader, game_id: str) -> Known:
        """From memory if the log's head is the one that we know (its hash says so), else from the log.

        Raises Damaged if it cannot be followed.
        """
        version, range_ = reader.head(game_id)
        with self._lock:
            known = self._known.get(game_id)
            if known is not None and (known.version, known.range_) == (version, range_):
                self._known.move_to_end(game_id)
                return known
        bodies = reader.bodies(game_id)
        try:
            last_at = orjson.loads(bodies[-1])["at"] if bodies else None
            known = Known(version, range_, fold(decode_events(bodies)), last_at)
        except (LookupError, ValueError, TypeError) as error:
            raise Damaged(f"The log of game {game_id} cannot be followed; {LOOK_FIRST}", game_id) from error
        self.keep(game_id, known)
        return known

    def keep(self, game_id: str, known: Known) -> None:
        """Remember a game; of those that nobody asks for the oldest are forgotten."""
        with self._lock:
            self._known[game_id] = known
            self._known.move_to_end(game_id)
            while len(self._known) > _CACHED_GAMES:
                self._known.popitem(last=False)

    def forget(self, game_id: str) -> None:
        """Let the next one who asks read the log."""
        with self._lock:
            self._known.pop(game_id, None)
