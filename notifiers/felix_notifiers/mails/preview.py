"""The message that a seat would get now for a log, without sending anything."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from felix_async.address import address_of
from felix_async.game.ledger import purses
from felix_async.game.story import Story
from felix_async.game.views import View, view
from felix_events.envelope import Envelope
from felix_notifiers.content.ending import ending_of
from felix_notifiers.content.history import since_last_move
from felix_notifiers.content.mail import Composed
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.render import rendered

PLACEHOLDER: Final = "preview"
"""In the place of the token: no seat's secret is needed for a preview, and no answer to it is accepted."""


def preview(
    envelopes: Sequence[Envelope], names: Sequence[str], table_name: str, seat: int, mailbox: str
) -> Composed:
    """The seat's turn mail, invitation or result; if it is not asked, a look at the table.

    IndexError if the log has no such seat.
    """
    story = Story.of(envelopes)
    if not 0 <= seat < len(story.game.seats):
        raise IndexError(f"this log has {len(story.game.seats)} seats, and no seat {seat}")
    table = view(story.game, seat)
    game = Snapshot(
        game_id=envelopes[0].game_id,
        table_name=table_name,
        kept_names=names,
        table=table,
        reply_address=address_of(mailbox, PLACEHOLDER),
        now=envelopes[-1].at,
        since=story.asked_since,
        purses=purses((step.event for step in story.steps), story.game.players),
    )
    occasion = Occasion(
        game=game,
        kinds=occasions_now(table, seat),
        history=since_last_move(story, names, seat),
        has_moved=story.has_moved(seat),
        sale=story.sale,
        ending=ending_of(story) if table.phase == "ended" else None,
    )
    return rendered(mail_of(occasion))


def occasions_now(table: View, seat: int) -> Set[str]:
    """Return the kinds of notices that a seat has to get now."""
    if table.phase == "ended":
        return {"result"}
    if table.phase == "abandoned":
        return {"cancelled"}
    if seat not in table.asked:
        return {"lobby"} if table.phase == "inviting" and seat == table.host else set()
    return {"invitation"} if table.phase == "inviting" else {"turn"}
