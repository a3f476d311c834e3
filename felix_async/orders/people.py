"""The orders about a player rather than the table: SAY, STOP, NOTIFY, TIMEZONE, AWAY, FORGET ME and so on."""

from __future__ import annotations

from felix_async.follow_up.answer import AnsweredLine
from felix_async.game.rules import Refusal
from felix_async.orders.address_change import move_address
from felix_async.orders.away import away
from felix_async.orders.clocks import quiet, timezone
from felix_async.orders.context import Desk, Given, refused
from felix_async.orders.forget_me import forget_me
from felix_async.orders.leaving import resign, stop
from felix_async.orders.preferences import hear, is_about_hearing, notify
from felix_async.orders.questions import forget_orders
from felix_async.orders.say import say


def obey_person(desk: Desk, given: Given, confirmed: int | None) -> AnsweredLine:
    """Do the order; `confirmed` is the turn at which it was asked whether it is meant, None where it was not.

    RESIGN is done for the turn that it was asked at, as a move is, unless the computer makes the moves.
    Nobody who wants to be forgotten has to keep up with a game.
    """
    if given.order.word == "RESIGN" and confirmed not in (None, desk.turn) and not _is_away(desk):
        return refused(given, Refusal("turn/stale"))
    if given.order.word == "STOP":
        forget_orders(desk.tx, desk.writer)
    match given.order.word:
        case "SAY" if is_about_hearing(given):
            return hear(desk, given)
        case "SAY":
            return say(desk, given)
        case "STOP":
            return stop(desk, given)
        case "RESIGN":
            return resign(desk, given, confirmed)
        case "NOTIFY":
            return notify(desk, given)
        case "TIMEZONE":
            return timezone(desk, given)
        case "QUIET":
            return quiet(desk, given)
        case "AWAY":
            return away(desk, given)
        case "ADDRESS":
            return move_address(desk, given)
        case _:
            return forget_me(desk, given, confirmed)


def _is_away(desk: Desk) -> bool:
    """Whether the turns of this seat go by without its player."""
    return desk.game.seats[desk.seat].computer
