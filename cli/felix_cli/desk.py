"""The desk's own voice: why an order was refused there, to whoever moves for a player.

Nobody at the desk is the player, is written to, or can send STATUS. What no sentence here is for speaks of
nobody, and is told as players read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.narrate import describe
from felix_async.game.story import Story
from felix_async.game.table import Refusal
from felix_async.game.views import redact, view
from felix_async.language.grammar import Misread
from felix_async.language.phrases import filled
from felix_async.orders.context import OrderContext
from felix_async.text import plain
from felix_cli.tables import standing
from felix_events.envelope import check_envelopes

NO_HOST: Final = "Nobody hosts this game; it starts when everybody has joined. {waiting}"
_WHY: Final = {
    "game/over": "This game is over; `felix show {game}` shows how it ended.",
    "game/never_began": "This game did not take place.",
    "game/not_started": "The game has not started. {waiting}",
    "game/already_started": "The game has started already. {waiting}",
    "game/not_to_cancel": "The game has started, so it cannot be called off; ABANDON votes for that.",
    "game/not_to_decline": "The game has started, and {who} is in it; RESIGN leaves it for good.",
    "host/only": "Only the host can do that: {host}.",
    "host/must_hand_over": "{who} hosts this game; hand it over first: HOST and a player's name.",
    "host/cancel_or_hand_over": "{who} hosts this game: CANCEL calls it off, HOST and a name hands it over.",
    "host/not_at_the_table": "Only somebody who has joined and is still playing can host.",
    "start/too_few": "Felix is for 3 to 5 players, and {players} {players:has|have} joined so far. {waiting}",
    "start/join_first": "{who} has not joined yet: JOIN first, then START.",
    "invitation/uninvited": "{who}'s invitation was withdrawn.",
    "invitation/expired": "{who}'s invitation has expired.",
    "invitation/answered": "That player has answered already. {waiting}",
    "seat/not_playing": "{who} is not in this game.",
    "seat/gone": "{who} has left this game for good, and the computer plays on.",
    "seat/already_joined": "{who} has joined already. {waiting}",
    "card/not_in_hand": "The {card} is not in {who}'s hand.",
    "row/complete": "All cards of this round are down, and {who}'s stays where it is. {waiting}",
    "auction/not_open": "Nobody can bid or pass yet. {waiting}",
    "auction/card_lies": "{who}'s card is down, and nobody can bid or pass yet. {waiting}",
    "turn/not_yours": "It is not {who}'s turn. {waiting}",
    "turn/already_passed": "{who} has passed this round. {waiting}",
    "bid/stands": "{who}'s bid of {amount} stands, and it is not {who}'s turn. {waiting}",
    "bid/above_mice": "{who} has {mice} {mice:mouse|mice}, and cannot bid {amount}.",
    "bid/too_poor": "{who} has {mice} {mice:mouse|mice}, and a bid would have to be {least} or more: PASS.",
    "bid/no_mice": "{who} has no mice, and cannot bid: PASS.",
    "ahead/limit_below_bid": "The limit ({limit}) is below the bid ({bid}): BID {bid}, or a higher limit.",
    "ahead/above_mice": "{who} has {mice} {mice:mouse|mice}, and cannot go up to {amount}.",
    "ahead/too_poor": "{who} has {mice} {mice:mouse|mice}, a bid would have to be {least} or more:"
    " {who} passes without being asked.",
    "ahead/too_many": "{who} has given {most} advance orders in this round, and no more are kept.",
    "next/last_round": "There is no card left to choose: in round 9 the last one is played by itself.",
    "next/not_in_hand": "The {card} is not in {who}'s hand.",
    "next/in_row": "{who}'s {card} is already in the row.",
    "next/played_now": "The {card} is played now, so it cannot be the card of the next round, too.",
    "away/too_long": "{who} can be away from this game for {days} more {days:day|days}.",
    "away/all_used": "{who} has used up the days away in this game.",
    "away/not_away": "{who} is not away, and has not said so.",
    "away/too_often": "{who} has changed that {most} times today; try again tomorrow.",
    "vote/too_often": "{who} has voted {most} times today; try again tomorrow.",
    "vote/no_clock": "This game has no clock, so there is nothing to pause.",
    "vote/paused": "The game is paused already; RESUME goes on.",
    "vote/none": "The game is not paused, and {who} has not asked for anything.",
    "vote/away": "The computer plays for {who}, who has no vote meanwhile.",
    "name/unknown": "Nobody at this table is called {name}: here are {names}.",
    "name/ambiguous": "{name} may be {names}.",
}
"""Code of a refusal -> the sentence; in braces its details, and what `why_refused` adds to them."""
_NOT_UNDERSTOOD: Final = "felix did not understand that; `felix move --help` lists the orders."


def why_refused(ctx: OrderContext, names: Sequence[str], line: AnsweredLine, refusal: Refusal | None) -> str:
    """Return why an order was refused, in the third person and with what to do here."""
    table = view(ctx.game, "spectator")
    sentence = _WHY.get(line.code, "")
    if line.code == "host/only" and table.host is None:
        sentence = NO_HOST
    try:
        return (
            filled(
                sentence,
                **{} if refusal is None else refusal.details,
                who=plain(names[ctx.seat]),
                game=plain(ctx.game_id),
                host="" if table.host is None else plain(names[table.host]),
                waiting=plain(standing(names, table)[0], 500),
            ).strip()
            or line.why
        )
    except KeyError:
        # Its details are known to the sentence for players alone.
        return line.why


def what_happened(ctx: OrderContext, names: Sequence[str], before: int) -> str:
    """Return what the order did since that version, as everybody may see it, and who is waited for now; ''
    if it did nothing that is seen.
    """
    story = Story.of(check_envelopes(ctx.tx.bodies(ctx.game_id)))
    seen = [step for step in story.steps if step.version > before]
    if not seen:
        return ""
    first = describe(redact(seen[0].event, "spectator"), names, before=seen[0].before)
    return f"{first} {standing(names, view(story.game, 'spectator'))[0]}"


def why_misread(read: Misread) -> str:
    """Return why an order could not be read; nobody at the desk is asked, so nobody can answer YES."""
    if read.meant is not None:
        return f"Did you mean {read.meant}? Then write it that way."
    return _NOT_UNDERSTOOD if read.code == "order/unknown" else str(read)
