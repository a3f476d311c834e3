"""REPLAY: a game that is over, as a file to look at; it goes with the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from felix_async.clock import DAY, later
from felix_async.follow_up import kinds
from felix_async.follow_up.kinds import load_all
from felix_async.game.rules import Refusal
from felix_async.orders.context import OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.quotas import A_DAY, is_used_up
from felix_async.text import Harmless, plain


def file_name(game_id: str) -> Harmless:
    """Return what the file of a game is called."""
    return plain(f"felix-{game_id}.html")


def send_replay(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Send the whole game to somebody who played in it, once it is over, and so many times a day.

    Of several such lines in a message one is answered.
    """
    refusal = _refusal(ctx)
    said = [line.code for line in ctx.earlier.lines]
    if "replay" in ctx.earlier.show or (refusal is not None and refusal.code in said):
        return Reply()
    return replace(done(received), show=("replay",)) if refusal is None else refused(received, refusal)


def _refusal(ctx: OrderContext) -> Refusal | None:
    game = ctx.game
    if not game.is_over:
        return Refusal("replay/not_over")
    if not game.has_begun:
        return Refusal("game/never_began")
    if not game.took_part(ctx.seat):
        return Refusal("game/not_yours")
    if is_used_up("replays", _sent(ctx), ctx.now):
        return Refusal("replay/too_often", {"most": A_DAY["replays"], "file": file_name(ctx.game_id)})
    return None


def _sent(ctx: OrderContext) -> Iterator[str]:
    """The times at which the file was sent to this seat within a day."""
    rows = ctx.tx.notices(ctx.game_id, later(ctx.now, -DAY))
    for one in load_all(row for row in rows if row.seat == ctx.seat):
        if isinstance(one, kinds.Answer) and "replay" in one.answer.show:
            yield one.due_at
