"""Suggest orders that would be done now, in place of a line that was not.

They follow from what the reader may see and from why the line was not done; so they tell no more
than the rest of their mail does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from felix_async.game.commands import (
    Cancel,
    Decline,
    Join,
    NameHost,
    Resume,
    SeatCommand,
    Stand,
    Uninvite,
    Withdraw,
)
from felix_async.game.lobby import FEWEST
from felix_async.game.views import View
from felix_async.language.grammar import Order, clean, corrected, read_line
from felix_async.language.words import ANSWERS, DISPUTE_WORDS, QUESTIONS, QUIET_WORDS
from felix_async.people import FORMER
from felix_async.reading.verdicts import instead_of
from felix_async.time.zones import Unknown, zone_named
from felix_events.store.rows import DEFAULT_QUIET
from felix_notifiers.content.moves import likely_orders

MOST: Final = 9
"""Ways out of one line; as many as a hand has cards."""
_NAMELESS: Final = {"order/no_name": "HOST", "order/no_guest": "UNINVITE"}
"""Why an order could not be read that lacks a name -> the order."""
_HEIRS: Final = 2
"""Players offered as the next host."""
_STATUS: Final = Order("STATUS")
_GAMES: Final = Order("GAMES")
_HELP: Final = Order("HELP")
_DISPUTE_OFF: Final = Order("DISPUTE", text=DISPUTE_WORDS["off"][0].upper())

Names = Sequence[str]


def ways_out(
    table: View, seat: int, names: Names, code: str, *, has_next: bool = False, unasked: Sequence[int] = ()
) -> list[Order]:
    """Return orders to write instead of one that was refused with this code; at least one.

    `names` are those by which the reader knows the seats; `has_next` says that the next game with these
    players was opened already, `unasked` are the seats that it would not reach. STATUS is always welcome, and
    if no game goes on, GAMES.
    """
    if code in ("game/over", "game/never_began", "say/enough"):
        may_go_again = not has_next and asked_again(table, seat, unasked)
        return [Order("REMATCH"), _GAMES] if may_go_again else [_GAMES]
    # Beside a NEW that would be taken, or words to pass on, a card is no way out.
    found = _WAYS.get(code, _look if code.startswith(("new/", "say/")) else _go_on)(table, seat, names)
    ways = [way for way in found if is_welcome(table, seat, way)]
    return ways[:MOST] or ([_GAMES] if table.is_over else [_STATUS])


def names_meant(table: View, seat: int, names: Names, word: str) -> list[Order]:
    """Return an order of the host with each name that it may take; STATUS if there is none."""
    if word == "HOST":
        return _hand_over(table, seat, names) or [_STATUS]
    guests = [other for other in table.seats if table.welcome(Uninvite(seat=seat, whom=other.seat))]
    # Whom the host may want to be rid of has not answered, more likely than not.
    guests.sort(key=lambda guest: guest.answer != "invited")
    return [Order("UNINVITE", text=names[guest.seat]) for guest in guests] or [_STATUS]


def ways_on(table: View, seat: int, text: str, names: Names = ()) -> list[Order]:
    """Return what may have been meant with a line that was not understood, or not clear; else HELP."""
    read = read_line(text)
    if not isinstance(read, Order) and read.code in _NAMELESS and names:
        return names_meant(table, seat, names, _NAMELESS[read.code])
    if isinstance(read, Order):
        meant = [read]
    elif read.meant is not None:
        is_impossible_bid = read.meant.word == "BID" and not is_welcome(table, seat, read.meant)
        meant = _bids(table, seat) if is_impossible_bid else [read.meant]
    elif read.choices or corrected(clean(text)):
        meant = [*read.choices, *corrected(clean(text))]
    elif read.code in ("order/no_card", "order/no_card_like_that"):
        meant = _plays(table, seat)
    elif read.code == "order/no_days":
        meant = [Order("AWAY")]
    elif read.code == "order/no_amount":
        meant = _bids(table, seat)
    else:
        words = ("PLAY",) if table.phase == "placing" else ("BID", "PASS", *ANSWERS)
        meant = [*instead_of(clean(text), None, words)]
    return [order for order in meant if is_welcome(table, seat, order)][:MOST] or [_HELP]


def zones_near(text: str) -> list[Order]:
    """The zones that may have been meant with a TIMEZONE that was refused."""
    read = read_line(text)
    found = zone_named(read.text) if isinstance(read, Order) else Unknown()
    nearest = found.nearest if isinstance(found, Unknown) else (found,)
    return [Order("TIMEZONE", text=name) for name in nearest] or [_STATUS]


def is_welcome(table: View, seat: int, order: Order) -> bool:
    """Return True if this order of a seat would be done now; for those that felix ever offers.

    HOST is offered to a host alone, with a name that fits.
    """
    if order.word == "REPLAY":
        return table.is_over and bool(table.round) and _took_part(table, seat)
    if order.word in (*QUESTIONS, "TIMEZONE", "QUIET"):
        return True
    if order.word == "HOST":
        return bool(_hand_over(table, seat, [""] * len(table.seats)))
    if order == _DISPUTE_OFF:
        return table.welcome(Withdraw(seat=seat))
    if order == Order("AWAY"):
        return not table.is_over and table.is_in(seat) and table.seats[seat].answer == "joined"
    command = order.move(seat) or _COMMANDS.get(order.word, lambda _: None)(seat)
    return command is not None and table.welcome(command)


_COMMANDS: Final[dict[str, Callable[[int], SeatCommand]]] = {
    "JOIN": lambda seat: Join(seat=seat, contribution="0" * 64),
    "DECLINE": lambda seat: Decline(seat=seat),
    "CANCEL": lambda seat: Cancel(seat=seat),
    "RESUME": lambda seat: Resume(seat=seat),
}
"""The orders that are no moves, and may be offered instead of another one."""


def _go_on(table: View, seat: int, _names: Names) -> list[Order]:
    """Return the orders that the table waits for from this seat, else a look at it."""
    return [*likely_orders(table, seat), _STATUS] if seat in table.asked else [_STATUS]


def _hours(_table: View, _seat: int, _names: Names) -> list[Order]:
    return [Order("QUIET", text=DEFAULT_QUIET), Order("QUIET", text=QUIET_WORDS["off"][0])]


def _absence(_table: View, _seat: int, _names: Names) -> list[Order]:
    """Return AWAY alone, which is answered with examples: only the reader knows which days are meant."""
    return [Order("AWAY"), _STATUS]


def _place(table: View, seat: int, _names: Names) -> list[Order]:
    return _plays(table, seat)


def _bid(table: View, seat: int, _names: Names) -> list[Order]:
    return _bids(table, seat)


def _look(_table: View, _seat: int, _names: Names) -> list[Order]:
    return [_STATUS]


def _elsewhere(_table: View, _seat: int, _names: Names) -> list[Order]:
    return [_GAMES]


def asked_again(table: View, seat: int, unasked: Sequence[int] = ()) -> list[int]:
    """The seats that another game would have, if this one asks for it: this one first, the others clockwise.

    Those who have left are not asked, nor those who get no mail (`unasked`); too few are no game.
    """
    if not table.is_over or not _took_part(table, seat):
        return []
    others = [(seat + step) % len(table.seats) for step in range(1, len(table.seats))]
    asked = [
        other
        for other in others
        if _took_part(table, other) and not table.seats[other].gone and other not in unasked
    ]
    return [seat, *asked] if len(asked) + 1 >= FEWEST else []


def _took_part(table: View, seat: int) -> bool:
    """Return True if a seat played; in a game that never began, if it might have."""
    if table.round:
        return seat in table.players
    return table.seats[seat].answer in ("joined", "invited", "expired")


def _hand_over(table: View, seat: int, names: Names) -> list[Order]:
    """Another host, out of those who may be one."""
    others = [other.seat for other in table.seats if other.seat != seat]
    heirs = [other for other in others if table.welcome(NameHost(seat=seat, to=other))]
    return [Order("HOST", text=names[heir]) for heir in heirs][:_HEIRS]


def stands_of(table: View, seat: int, names: Names) -> list[Order]:
    """Return the orders of a host that let what others dispute stand."""
    stands = [Stand(seat=seat, whom=one.seat) for one in table.disputes]
    whom = [names[one.whom] for one in stands if table.welcome(one)]
    if whom == [FORMER]:
        return [Order("STANDS")]
    return [Order("STANDS", text=name) for name in whom if name != FORMER]


def _leave(table: View, seat: int, _names: Names) -> list[Order]:
    """Leaving for good, which somebody who hosts cannot, or for a while."""
    return [*([] if table.host == seat else [Order("RESIGN")]), Order("STOP")]


def _call_off(table: View, seat: int, names: Names) -> list[Order]:
    may_cancel = table.welcome(Cancel(seat=seat))
    return [Order("CANCEL"), *_hand_over(table, seat, names)] if may_cancel else []


def _wait_or_call_off(table: View, seat: int, names: Names) -> list[Order]:
    return [_STATUS, *_call_off(table, seat, names)[:1]]


def _plays(table: View, seat: int) -> list[Order]:
    """Every card that may lie in the row, also instead of one that lies there."""
    if table.seats[seat].gone:
        return []
    return [Order("PLAY", card=card) for card in table.own[seat].choices.plays]


def _bids(table: View, seat: int) -> list[Order]:
    """The least bid there is, and PASS, while it is this seat's turn."""
    choices = table.own[seat].choices
    if table.seats[seat].gone or not choices.may_pass:
        return []
    return [*([Order("BID", amount=choices.bids[0])] if choices.bids else []), Order("PASS")]


_WAYS: Final[dict[str, Callable[[View, int, Names], list[Order]]]] = {
    "game/not_started": _go_on,
    "host/only": _look,
    "host/must_hand_over": _hand_over,
    "host/cancel_or_hand_over": _call_off,
    "host/not_at_the_table": _hand_over,
    "start/too_few": _wait_or_call_off,
    "game/not_yours": _elsewhere,
    "game/not_to_cancel": lambda _table, _seat, _names: [Order("ABANDON"), _STATUS],
    "game/not_to_decline": _leave,
    "invitation/uninvited": _elsewhere,
    "invitation/expired": _elsewhere,
    "invitation/answered": _look,
    "seat/not_playing": _elsewhere,
    "seat/gone": lambda _table, _seat, _names: [_STATUS, _GAMES],
    "card/not_in_hand": _place,
    "auction/not_open": _place,
    "auction/card_lies": _look,
    "turn/not_yours": _look,
    "bid/stands": _look,
    "turn/already_passed": _look,
    "bid/too_low": _bid,
    "bid/above_mice": _bid,
    "bid/too_poor": _bid,
    "bid/no_mice": _bid,
    "bid/last_pays_one": _bid,
    "away/no_game": _elsewhere,
    **dict.fromkeys(
        ("replay/not_over", "dispute/no_move", "dispute/again"),
        lambda _table, _seat, _names: [Order("HISTORY")],
    ),
    "replay/too_often": _elsewhere,
    **dict.fromkeys(("new/enough_today", "new/enough_open"), lambda _table, _seat, _names: [_GAMES, _STATUS]),
    **dict.fromkeys(
        (
            "away/unclear",
            "away/two_days",
            "away/one_day",
            "away/no_day",
            "away/other_weekday",
            "away/past",
            "away/backwards",
            "away/too_far",
            "away/too_long",
            "away/all_used",
            "away/not_away",
        ),
        _absence,
    ),
    "vote/no_clock": _absence,
    "vote/paused": lambda _table, _seat, _names: [Order("RESUME"), _STATUS],
    "vote/none": _look,
    **dict.fromkeys(
        (
            "dispute/none",
            "dispute/own",
            "dispute/too_many",
            "dispute/too_often",
            "dispute/over",
        ),
        _look,
    ),
    "dispute/ahead": lambda _table, _seat, _names: [Order("ORDERS"), Order("DROP")],
    "dispute/open": lambda _table, _seat, _names: [_DISPUTE_OFF, _STATUS],
    "zone/unknown": lambda _table, _seat, _names: [Order("TIMEZONE")],
    **dict.fromkeys(("quiet/no_time", "quiet/all_day", "quiet/unclear"), _hours),
}
"""Refusal code -> the way out of it; for any other, what the table waits for, else STATUS."""
