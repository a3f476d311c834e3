"""The notices about a decision that is before a seat: asked for, reminded of, made for it.

Those of all kinds, and how they are kept, are in `felix_async.follow_up.kinds`.
"""

from __future__ import annotations

from typing import Any, Final

from felix_async.follow_up.notice import LAST, Notice, Policy, share_of
from felix_async.game.moment import NOT_SAID, Row, coming, row_of, waits_in_auction
from felix_async.game.state import Game

LATE: Final = "late"
"""The reminder at which the move time is over, and the reserve begins."""
RESERVE: Final = "reserve"
"""The reminder at which most of the reserve is gone."""
LAST_CALL: Final = "last_call"
"""The reminder before an invitation expires."""


class Turn(Notice):
    """It is the reader's turn."""

    kind = "turn"
    policy = Policy(in_digest=True, told_again=True, said_back=False, asks=False, alert=True)

    def is_stale(self, game: Game) -> bool:
        return self.seat not in game.asked or self.turn != game.seats[self.seat].turn


class Early(Notice):
    """It will be the reader's turn in this auction: all who are still in it are asked when a card turns.

    `turn` is the decision to come, `row` the row as it lay open.
    """

    kind = "early"
    policy = Policy(in_digest=True, told_again=True, said_back=False, asks=False, alert=False)
    key = "row"
    row: Row = NOT_SAID

    @property
    def key_text(self) -> str:
        return f"{self.row.round}/{self.row.turned}"

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        round_, _, turned = text.partition("/")
        return {"row": (round_, turned)} if turned else {}

    @property
    def waits_for_day(self) -> bool:
        return True

    def is_stale(self, game: Game) -> bool:
        is_now = waits_in_auction(game, self.seat) and self.turn == coming(game, self.seat)
        is_there = not game.seats[self.seat].computer and not game.paused_until
        return not (is_now and is_there and self.row == row_of(game))


class TimedOut(Notice):
    """The reader's time was up, and a move was made for them."""

    kind = "timed_out"
    policy = Policy(in_digest=True, told_again=False, said_back=False, asks=False, alert=True)


class Reminder(Notice):
    """The reader has not decided yet. `rung` says which reminder it is: `50%` of the move time, `LATE`,
    `RESERVE`, `LAST_CALL`, or '' for the only one.
    """

    kind = "reminder"
    policy = Policy(in_digest=True, told_again=True, said_back=False, asks=False, alert=False)
    key = "rung"
    rung: str = ""

    @property
    def waits_for_day(self) -> bool:
        return True

    @property
    def is_pressing(self) -> bool:
        """True if it is one of the last, which is worth a short notice."""
        share = share_of(self.rung)
        return self.rung in (LATE, RESERVE, LAST_CALL) if share is None else share >= LAST

    def is_stale(self, game: Game) -> bool:
        state = game.seats[self.seat]
        is_settled = self.seat not in game.asked or self.turn != state.turn
        return is_settled or state.computer or bool(game.paused_until)
