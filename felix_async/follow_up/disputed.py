"""The notices about disputes: that a move is denied, and that this is over."""

from __future__ import annotations

from typing import Any

from felix_async.follow_up.notice import Notice, Policy
from felix_async.game.state import Game


class Disputed(Notice):
    """Somebody (`by`) denies a move; `move` is what all were told of it, '' of a card that lies face down."""

    kind = "disputed"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)
    key = "by"
    by: int = 0
    move: str = ""
    round: int = 0
    verdict: str = "record"

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        return {"by": text} if text else {}

    def is_stale(self, game: Game) -> bool:
        return game.is_over or all(one.seat != self.by for one in game.disputes)


class Settled(Notice):
    """The dispute of a seat is over."""

    kind = "settled"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)

    def is_stale(self, game: Game) -> bool:
        return game.is_over
