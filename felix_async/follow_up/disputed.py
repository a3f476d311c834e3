"""The notices about disputes: that a move is denied, and that this is over."""

from __future__ import annotations

from typing import Any

from felix_async.follow_up.notice import Notice, Policy
from felix_async.game.state import Game


class Disputed(Notice):
    """Somebody (`by`) denies the move at a decision; `move` is what all were told of it, '' of a card that
    lies face down. The one to `by` keeps that it was denied after the end, and is never sent.
    """

    kind = "disputed"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)
    by: int = 0
    denied: int = 0
    move: str = ""
    round: int = 0
    verdict: str = "record"

    @property
    def key_text(self) -> str:
        return f"{self.by} {self.denied}"

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        return dict(zip(("by", "denied"), text.split(), strict=False))

    def is_stale(self, game: Game) -> bool:
        if game.is_over and self.version == game.version:
            return self.by == self.seat
        return all((one.seat, one.turn) != (self.by, self.denied) for one in game.disputes)


class Settled(Notice):
    """The dispute of a seat is over."""

    kind = "settled"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)

    def is_stale(self, game: Game) -> bool:
        return game.is_over
