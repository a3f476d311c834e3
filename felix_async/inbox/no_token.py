"""A message to felix's bare address: it opens a table for a registered player, else its writer is helped.

Nobody but the player can know a token. Without one the mail server must vouch for the sender, or the player
is asked: anybody can write such a mail, so a YES does the one that was asked about, and no other.
"""

from __future__ import annotations

from collections.abc import Sequence

from felix_async.address import Token
from felix_async.clock import DAY, later
from felix_async.deliverability import mark_deliverable
from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.inbox.answers import answer_orders, answer_to
from felix_async.inbox.arrival import Arrival, Handled, Told
from felix_async.inbox.doubts import ask_about_sender
from felix_async.inbox.lines import context_of, orders_for_a_table, received_in
from felix_async.inbox.patience import answers_since
from felix_async.inbox.strangers import MAX_REFUSALS, meet_stranger
from felix_async.language.phrases import phrase
from felix_async.language.words import OWN_YES, WHICH_GAME, WORD_OF
from felix_async.orders.context import OrderContext, Reply
from felix_async.orders.hosting import refuse_opening, refused_opening
from felix_async.orders.invitees import Party, party_of
from felix_async.orders.listed import Guest, gathered
from felix_async.orders.questions import UNKEYED
from felix_async.reading.reader import Reading
from felix_async.reading.sender import Writer, has_left
from felix_async.reading.verdicts import settled
from felix_async.text import plain
from felix_async.trouble import check_readable, readable
from felix_events.store.base import Reader
from felix_events.store.rows import SeatRow


def without_token(arrival: Arrival) -> Handled:
    """Open the table that a registered player asks for, or help them once a day; all others are strangers."""
    tx, sender = arrival.tx, arrival.reading.sender
    player = tx.player_at(sender) if sender else None
    if player is not None and orders_for_a_table(arrival.reading):
        seat = _newest_seat(tx, player, running=False)
        if seat is not None:
            check_readable(tx, seat.game_id)
            return _for_a_table(arrival, seat)
    seat = None if player is None else _newest_seat(tx, player, running=True)
    if player is None:
        return meet_stranger(arrival)
    if seat is None:
        return Handled("quarantined", "from a player who has no seat any more that a message could be about")
    check_readable(tx, seat.game_id)
    line = AnsweredLine(text="", verdict="not understood", why=WHICH_GAME)
    return help_guest(arrival, player) or _help(arrival, seat, Reply((line,), show=("help",)))


def help_guest(arrival: Arrival, player_id: str) -> Handled | None:
    """Tell a player who is invited to one table, and wrote elsewhere, how to join; None for anybody else."""
    invited = _invitation_of(arrival, player_id)
    if invited is None:
        return None
    line = AnsweredLine(text="", verdict="ignored", why=phrase("people.keyless.invited"))
    return _help(arrival, invited, Reply((line,)))


def _help(arrival: Arrival, seat: SeatRow, reply: Reply, most: int = 1) -> Handled:
    """Answer a mail of which it is not sure whose it is, so many times a day and seat."""
    lately = answers_since(arrival.tx, seat, later(arrival.now, -DAY))
    if sum(one.reason == "no token" for one in lately) >= most:
        return Handled("ignored", "the address holds no valid token, and its sender got help today")
    told = Told(seat, answer_to(arrival.reading, reply), "no token")
    return Handled("done", "without a token: its sender was helped", (told,))


def _for_a_table(arrival: Arrival, seat: SeatRow) -> Handled:
    """Open the table that the player of this seat asks for; if nobody vouches for the mail, ask about it
    first, unless it could not be done anyway.
    """
    tx, mail, reading = arrival.tx, arrival.mail, arrival.reading
    turn = arrival.service.load(tx, seat.game_id).seats[seat.seat].turn
    writer = Writer(seat, Token(seat.game_id, seat.seat, "move", turn), "")
    vouched = reading.vouching.is_given and not has_left(tx, seat.player_id, reading.sender)
    confirmed = tx.is_confirmed(mail.mail_id)
    if vouched or confirmed:
        mark_deliverable(tx, reading.sender)
        said = [AnsweredLine(text=WORD_OF["YES"], verdict="done", why=OWN_YES)] if confirmed else []
        return answer_orders(arrival, writer, said)
    asked = _asked_for(context_of(arrival, writer), reading)
    if isinstance(asked, Reply):
        return _help(arrival, seat, asked, MAX_REFUSALS)
    more: dict[str, object] = {
        "table": asked.table,
        "guests": tuple(_named(guest) for guest in asked.guests),
        "in_reply_to": plain(reading.message_id),
        "whose": "own",
    }
    number = ask_about_sender(arrival, writer, turn, UNKEYED, more)
    if number is None:
        is_asked = _is_asked_about(tx, seat, reading.sender)
        why = phrase("people.keyless.asked") if is_asked else phrase("people.keyless.here")
        line = AnsweredLine(text=WORD_OF["NEW"], verdict="ignored", why=why)
        return _help(arrival, seat, Reply((line,)), MAX_REFUSALS)
    tx.hold(mail.mail_id, seat.player_id, reading.sender, UNKEYED)
    tx.note_keyless(mail.mail_id)
    note = f"no token, and nobody vouches for the sender; the player was asked, question {number}"
    return Handled("quarantined", note)


def _asked_for(ctx: OrderContext, reading: Reading) -> Party | Reply:
    """The table that the first NEW of a mail would open, or the reply if it could not be done."""
    news = orders_for_a_table(reading)
    lines = gathered(ctx, settled(reading.said))
    received = received_in(next((line for _, line in lines if line.order == news[0].order), news[0]), "")
    refusal = refuse_opening(ctx.tx, ctx.service, ctx.player_id)
    party = refusal or party_of(ctx, received)
    if isinstance(party, Refusal):
        return refused_opening(ctx, received, party, may_list=refusal is None)
    return party


def _named(guest: Guest) -> str:
    """A guest as the NEW named them: who is known by name has an address that its writer may not know."""
    return guest.name if guest.by_name else f"{guest.name} <{guest.address}>"


def _is_asked_about(reader: Reader, seat: SeatRow, sender: str) -> bool:
    """Return True if the question is still open whether a mail from there was the player's."""
    asked = reader.questions(seat.game_id, seat.seat)
    return any((one.kind, one.state, one.text) == ("sender", "open", sender) for one in asked)


def _invitation_of(arrival: Arrival, player_id: str) -> SeatRow | None:
    """The one seat to which a player is invited and has not answered; None if there is not just one."""
    tx, invited = arrival.tx, []
    for seat in readable(tx, tx.seats_of(player_id)):
        row = tx.game(seat.game_id)
        is_open = row is not None and (row.kind, row.state) == ("played", "inviting") and bool(seat.secret)
        if is_open and seat.seat in arrival.service.load(tx, seat.game_id).asked:
            invited.append(seat)
    return invited[0] if len(invited) == 1 else None


def _newest_seat(reader: Reader, player_id: str, *, running: bool) -> SeatRow | None:
    """The seat of a player in their newest game: one that is open, if there is any, or must be; in a game
    that cannot be read only if there is no other.
    """
    own = reader.seats_of(player_id)
    return _newest_of(reader, readable(reader, own), running) or _newest_of(reader, own, running)


def _newest_of(reader: Reader, own: Sequence[SeatRow], running: bool) -> SeatRow | None:
    seats = []
    for seat in own:
        game = reader.game(seat.game_id)
        if game is not None and game.kind == "played" and seat.secret:
            if game.state in ("inviting", "running"):
                return seat
            seats.append(seat)
    return seats[0] if seats and not running else None
