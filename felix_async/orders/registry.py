"""All orders: the handler of each, and the policies that hold for it.

`grammar.lark` reads an order, HELP tells of it, and `felix_async.orders.execute` does it as its row says.
Adding one takes a handler, a row, a rule of the grammar and its words: see CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from felix_async.follow_up.answer import AnsweredLine, Section
from felix_async.game.commands import SeatCommand
from felix_async.game.rules import Refusal
from felix_async.language.grammar import Order
from felix_async.language.words import DONE, TOPIC_BELOW, TOPICS_BELOW
from felix_async.meaning.topics import Topic
from felix_async.orders.address_change import beliefs_told, move_address
from felix_async.orders.ahead import Said, decide, drop, orders, said_command
from felix_async.orders.away import away, away_command
from felix_async.orders.context import Handler, OrderContext, ReceivedOrder, Reply, done
from felix_async.orders.dispute import dispute, stand
from felix_async.orders.hosting import host, host_command, open_table
from felix_async.orders.leaving import forget_me, resign, resign_command, stop
from felix_async.orders.moves import move, move_command
from felix_async.orders.preferences import notify, quiet, receipts, timezone
from felix_async.orders.rematch import play_again
from felix_async.orders.replaying import send_replay
from felix_async.orders.say import say
from felix_async.orders.substitute import offer_seat
from felix_async.orders.votes import vote, vote_command
from felix_async.orders.yes_no import answer

When = Literal["inviting", "playing", "open", "over", "always"]
Back = Literal["from nothing", "from STOP", "from AWAY"]


@dataclass(frozen=True, slots=True)
class OrderType:
    """The handler of an order, and its policies. None of them has a default: each row states all."""

    handler: Handler
    """Does it for a player."""
    when: When
    """When its table takes it: `open` is inviting or playing, `always` also if it is about no table."""
    host_only: bool
    """Only the host may give it."""
    needs_token: bool
    """A message to felix's bare address, which is about no game, may not give it."""
    needs_turn: bool
    """Only an address for moves, or for a question about an order, takes it."""
    asks_yes: bool
    """It cannot be taken back, so it is done after a YES."""
    changes: bool
    """It does more than show something."""
    back: Back
    """It brings its player back after a STOP or timeouts, or also from an AWAY that is not over."""
    command: Callable[[OrderContext, Order], SeatCommand | Said | Refusal] | Literal["handler"] | None
    """The command at the host's desk, or done there by the same handler; None for an order that the desk has
    no use for.
    """
    logs_words: bool
    """The private record of the log keeps the words behind it. Names and days stay out of it."""


def show(ctx: OrderContext, received: ReceivedOrder, *, section: Section) -> Reply:
    """Show a section of the answer; STATUS also says which unsigned mail is the player's."""
    told = [DONE[received.order.word], beliefs_told(ctx) if section == "status" else ""]
    return replace(done(received, " ".join(filter(None, told))), show=(section,))


def answer_topics(ctx: OrderContext, text: str, topics: Sequence[Topic]) -> Reply:
    """Answer questions in plain words, which stand in this text."""
    (topic, *others) = topics
    told = [TOPICS_BELOW if others else DONE.get(topic.upper(), TOPIC_BELOW)]
    told += [beliefs_told(ctx)] if "status" in topics else []
    line = AnsweredLine(text=text, verdict="done", why=" ".join(filter(None, told)))
    return Reply((line,), show=tuple(topics))


def is_for_good(order: Order) -> bool:
    """Return True if an order cannot be taken back.

    >>> is_for_good(Order("RESIGN")), is_for_good(Order("STOP"))
    (True, False)
    """
    return ORDERS[order.word].asks_yes


def _shows(section: Section) -> Handler:
    return partial(show, section=section)


_ANSWER: Final[Handler] = partial(answer, is_for_good=is_for_good)
_N: Final = False
_Y: Final = True
_NOT: Final = "from nothing"
_STOP: Final = "from STOP"
_AWAY: Final = "from AWAY"

# A table is read by its columns. They are the fields above, in short.
# fmt: off
#                           done by            when        hos tkn tur sur chg back   at the desk     log
ORDERS: Final[Mapping[str, OrderType]] = {
    "PLAY":       OrderType(decide,            "playing",  _N, _Y, _Y, _N, _Y, _AWAY, said_command,   _Y),
    "BID":        OrderType(decide,            "playing",  _N, _Y, _Y, _N, _Y, _AWAY, said_command,   _Y),
    "PASS":       OrderType(decide,            "playing",  _N, _Y, _Y, _N, _Y, _AWAY, said_command,   _Y),
    "UPTO":       OrderType(decide,            "playing",  _N, _Y, _Y, _N, _Y, _AWAY, said_command,   _Y),
    "NEXT":       OrderType(decide,            "playing",  _N, _Y, _Y, _N, _Y, _AWAY, said_command,   _Y),
    "ORDERS":     OrderType(orders,            "always",   _N, _Y, _N, _N, _N, _STOP, "handler",      _Y),
    "DROP":       OrderType(drop,              "playing",  _N, _Y, _N, _N, _Y, _STOP, "handler",      _Y),
    "JOIN":       OrderType(move,              "inviting", _N, _Y, _Y, _N, _Y, _STOP, move_command,   _Y),
    "DECLINE":    OrderType(move,              "inviting", _N, _Y, _Y, _N, _Y, _STOP, move_command,   _Y),
    "NEW":        OrderType(open_table,        "always",   _N, _N, _Y, _N, _Y, _STOP, None,           _Y),
    "REMATCH":    OrderType(play_again,        "over",     _N, _Y, _Y, _N, _Y, _STOP, None,           _Y),
    "START":      OrderType(host,              "inviting", _Y, _Y, _Y, _N, _Y, _STOP, host_command,   _N),
    "HOST":       OrderType(host,              "open",     _Y, _Y, _Y, _N, _Y, _STOP, host_command,   _N),
    "UNINVITE":   OrderType(host,              "inviting", _Y, _Y, _Y, _N, _Y, _STOP, host_command,   _N),
    "CANCEL":     OrderType(host,              "inviting", _Y, _Y, _Y, _N, _Y, _STOP, host_command,   _N),
    "SUBSTITUTE": OrderType(offer_seat,        "playing",  _Y, _Y, _Y, _N, _Y, _STOP, None,           _N),
    "SAY":        OrderType(say,               "always",   _N, _Y, _N, _N, _Y, _STOP, None,           _N),
    "STATUS":     OrderType(_shows("status"),  "always",   _N, _Y, _N, _N, _N, _STOP, None,           _Y),
    "HAND":       OrderType(_shows("hand"),    "always",   _N, _Y, _N, _N, _N, _STOP, None,           _Y),
    "HISTORY":    OrderType(_shows("history"), "always",   _N, _Y, _N, _N, _N, _STOP, None,           _Y),
    "RULES":      OrderType(_shows("rules"),   "always",   _N, _Y, _N, _N, _N, _STOP, None,           _Y),
    "HELP":       OrderType(_shows("help"),    "always",   _N, _Y, _N, _N, _N, _STOP, None,           _Y),
    "GAMES":      OrderType(_shows("games"),   "always",   _N, _Y, _N, _N, _N, _STOP, None,           _Y),
    "RESEND":     OrderType(_shows("resend"),  "always",   _N, _Y, _N, _N, _N, _STOP, None,           _Y),
    "REPLAY":     OrderType(send_replay,       "over",     _N, _Y, _N, _N, _N, _STOP, None,           _Y),
    "PAUSE":      OrderType(vote,              "playing",  _N, _Y, _Y, _N, _Y, _AWAY, vote_command,   _Y),
    "RESUME":     OrderType(vote,              "playing",  _N, _Y, _Y, _N, _Y, _AWAY, vote_command,   _Y),
    "ABANDON":    OrderType(vote,              "playing",  _N, _Y, _Y, _N, _Y, _AWAY, vote_command,   _Y),
    "DISPUTE":    OrderType(dispute,           "always",   _N, _Y, _N, _N, _Y, _STOP, None,           _N),
    "STANDS":     OrderType(stand,             "playing",  _Y, _Y, _N, _N, _Y, _STOP, None,           _N),
    "HANDOVER":   OrderType(vote,              "playing",  _N, _Y, _N, _N, _Y, _AWAY, None,           _N),
    "YES":        OrderType(_ANSWER,           "always",   _N, _Y, _N, _N, _Y, _NOT,  None,           _Y),
    "NO":         OrderType(_ANSWER,           "always",   _N, _Y, _N, _N, _Y, _NOT,  None,           _Y),
    "STOP":       OrderType(stop,              "always",   _N, _Y, _N, _N, _Y, _NOT,  None,           _Y),
    "RESIGN":     OrderType(resign,            "open",     _N, _Y, _N, _Y, _Y, _NOT,  resign_command, _Y),
    "NOTIFY":     OrderType(notify,            "always",   _N, _Y, _N, _N, _Y, _STOP, None,           _N),
    "RECEIPTS":   OrderType(receipts,          "always",   _N, _Y, _N, _N, _Y, _STOP, None,           _N),
    "TIMEZONE":   OrderType(timezone,          "always",   _N, _Y, _N, _N, _Y, _STOP, None,           _N),
    "QUIET":      OrderType(quiet,             "always",   _N, _Y, _N, _N, _Y, _STOP, None,           _N),
    "AWAY":       OrderType(away,              "always",   _N, _Y, _N, _N, _Y, _STOP, away_command,   _N),
    "ADDRESS":    OrderType(move_address,      "always",   _N, _Y, _N, _N, _Y, _STOP, None,           _N),
    "FORGET":     OrderType(forget_me,         "always",   _N, _Y, _N, _Y, _Y, _NOT,  None,           _Y),
}
# fmt: on
"""Order -> its handler, and its policies."""
