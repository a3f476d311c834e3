"""REMATCH: another game with the same players, opened or joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from felix_async.draw import contribution
from felix_async.language.phrases import phrase
from felix_async.language.words import CONTRIBUTED, DONE
from felix_async.orders.context import Opened, OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.hosting import refuse_opening, terms_told
from felix_async.orders.invitees import again_with
from felix_async.people import FORMER, name_of
from felix_async.rematch import Rematch, is_opened, rematch

_TO_BE_NAMED: Final = ("rematch/too_few", "rematch/left_out", "rematch/over")
"""Refusals after which a NEW with the same players, by name, may do."""


def play_again(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Open the rematch, or take the writer's seat in it; the answer goes to that seat.

    Who opens one invites people, as with NEW; who joins one does not.
    """
    if ctx.game.is_over and not is_opened(ctx.tx, ctx.game_id):
        refusal = refuse_opening(ctx.tx, ctx.service, ctx.player_id)
        if refusal is not None:
            return refused(received, refusal)
    words = contribution(ctx.source.message_id, received.order.text)
    origin = ctx.origin(received.command_id, "seat", str(received.order))
    with ctx.tx.savepoint():
        came = rematch(ctx.tx, ctx.service, ctx.game_id, ctx.seat, contribution=words, origin=origin)
    if came.outcome.refusal is not None:
        refusal = came.outcome.refusal
        return refused(received, refusal, again_with(ctx) if refusal.code in _TO_BE_NAMED else "")
    seat = next(row for row in ctx.tx.seats(came.game_id) if row.player_id == ctx.player_id)
    reply = done(received, " ".join(_told(ctx, came)), small=CONTRIBUTED.format(hash=words), changed=True)
    return replace(reply, opened=(Opened(seat, reply.lines[0], invites=came.opened),))


def _told(ctx: OrderContext, came: Rematch) -> list[str]:
    """What came of it, in words."""
    if not came.opened:
        return [DONE["JOIN"]]
    return [
        DONE["REMATCH"],
        phrase("answers.tables.invited", names=_named(came.invited)),
        *(
            phrase(f"answers.tables.left_out.{why}", names=_named(names))
            for why, names in came.left_out.items()
        ),
        terms_told(ctx, came.game_id),
    ]


def _named(names: Sequence[str]) -> list[str]:
    return [name_of(name) or FORMER for name in names]
