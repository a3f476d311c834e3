"""Threads: the messages of a round stand together in a mail program, apart from those of the other rounds."""

from __future__ import annotations

from typing import NewType

from felix_async.game.state import Game

ThreadKey = NewType("ThreadKey", str)
"""A thread among those of a seat: `lobby`, the number of a round, or `end`."""


def thread_of(game: Game) -> ThreadKey:
    """Return the thread of the mails about a game as it is now."""
    if game.phase in ("ended", "abandoned"):
        return ThreadKey("end")
    return ThreadKey(str(game.round) if game.round else "lobby")
