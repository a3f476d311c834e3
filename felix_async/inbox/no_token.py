"""A mail to felix's bare address: what a NEW in it asks for, before anybody knows who wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.inbox.lines import orders_for_a_table, received_in
from felix_async.orders.context import OrderContext
from felix_async.orders.hosting import refuse_opening, refused_opening
from felix_async.orders.invitees import party_of
from felix_async.orders.listed import Guest, gathered
from felix_async.reading.reader import Reading
from felix_async.reading.understand import weighed
from felix_async.service import Service
from felix_async.text import plain
from felix_async.trouble import readable
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow


@dataclass(frozen=True, slots=True)
class Wish:
    """The table that a NEW would open: its name, and who would be invited, as the NEW names them."""

    table: str
    guests: Sequence[str]

    def told(self, letter: Reading) -> dict[str, object]:
        """What the question about that mail needs to know of it."""
        return {
            "table": self.table,
            "guests": list(self.guests),
            "in_reply_to": plain(letter.message_id),
            "whose": "own",
        }


def wish_of(ctx: OrderContext, letter: Reading) -> Wish | AnsweredLine:
    """Return what the first NEW of a mail asks for, or the line that says why it could not be done."""
    news = orders_for_a_table(letter)
    lines = gathered(ctx, weighed(letter.said))
    received = received_in(next((line for _, line in lines if line.order == news[0].order), news[0]), "")
    refusal = refuse_opening(ctx.tx, ctx.service, ctx.player_id)
    party = refusal or party_of(ctx, received)
    if isinstance(party, Refusal):
        return refused_opening(ctx, received, party, may_list=refusal is None).lines[0]
    return Wish(party.table, [_named(guest) for guest in party.guests])


def invitation_of(reader: Reader, service: Service, player_id: str) -> SeatRow | None:
    """The one seat to which a player is invited and has not answered; None where there is not just one."""
    invited = []
    for seat in readable(reader, reader.seats_of(player_id)):
        row = reader.game(seat.game_id)
        is_open = row is not None and (row.kind, row.state) == ("played", "inviting") and bool(seat.secret)
        if is_open and seat.seat in service.load(reader, seat.game_id).asked:
            invited.append(seat)
    return invited[0] if len(invited) == 1 else None


def _named(guest: Guest) -> str:
    """A guest as the NEW named them: who is known by name has an address that its writer may not know."""
    return guest.name if guest.by_name else f"{guest.name} <{guest.address}>"
