"""FORGET ME: a player's name, addresses and mails are erased, and the games go on without them."""

from __future__ import annotations

import orjson

from felix_async.clock import text_of
from felix_async.follow_up.answer import AnsweredLine
from felix_async.orders.context import OrderContext, ReceivedOrder, asked_first, done
from felix_async.orders.leaving import leave_all
from felix_async.reading.reader import Reading
from felix_async.reading.sender import Writer
from felix_async.service import Service
from felix_async.text import plain
from felix_async.trouble import check_readable
from felix_events.store.base import Tx
from felix_events.store.rows import Notice

WAITING = 1000
"""Letters, of one game and of all, that may wait to be sent while somebody is forgotten."""


def forget_me(ctx: OrderContext, received: ReceivedOrder, turn: int | None) -> AnsweredLine:
    """Leave all tables for good, once the player has said YES; the erasing is the last that a mail does.

    Leaving for a while comes first, as it hands hosting on.
    """
    if turn is None:
        return asked_first(ctx, received)
    for row in ctx.tx.seats_of(ctx.writer.seat.player_id):
        # Where there is a seat that cannot be left now, all of it waits for that.
        check_readable(ctx.tx, row.game_id)
    leave_all(ctx, received, for_good=False)
    leave_all(ctx, received, for_good=True)
    ctx.obeyed.changed = True
    ctx.obeyed.forgets = True
    return done(received)


def erase(tx: Tx, service: Service, letter: Reading, writer: Writer) -> None:
    """Begin to forget the writer, and owe one last letter that says so.

    A running server does the rest bit by bit. What the letter needs stays in its notice until it is sent;
    then that goes, too, and so do the letters to others that waited and may name the player.
    """
    player, seat = writer.seat.player_id, writer.seat
    games = {row.game_id for row in tx.seats_of(player)}
    games |= {row.game_id for row in tx.former_of(player)}
    waiting = {
        line.letter_id for game_id in games for line in tx.letter_lines(WAITING, "ready", None, game_id)
    }
    # A digest is filed under one game and may tell about another.
    waiting |= {
        line.letter_id
        for line in tx.letter_lines(WAITING, "ready")
        if any(notice.game_id in games for notice in tx.notices_in(line.letter_id))
    }
    now = text_of(service.clock())
    # What is owed to others becomes letters in a moment, which may repeat what they wrote of the player.
    owed = [f"notice {notice.notice_id}" for game_id in sorted(games) for notice in tx.owed(now, game_id)]
    address = next((row.address for row in tx.addresses(player) if not row.stopped), letter.sender)
    tx.begin_to_forget(player)
    tx.remember(f"forgotten/{player}", seat.game_id, orjson.dumps([*sorted(waiting), *owed]).decode())
    payload = {
        "address": address,
        "in_reply_to": plain(letter.message_id),
        "subject": plain(letter.headers.get("subject", "")),
    }
    version = service.load(tx, seat.game_id).version
    tx.owe(Notice(seat.game_id, version, seat.seat, "farewell", now, payload=orjson.dumps(payload).decode()))
