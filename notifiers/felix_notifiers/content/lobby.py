"""Around a game that has not begun: invitations, who has answered, and why nothing came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.game.lobby import FEWEST
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.game.views import View
from felix_async.language.clock_terms import terms_text
from felix_async.language.grammar import Order
from felix_async.language.phrases import first_capital, phrase
from felix_async.language.words import (
    PACE_NAMES,
    RULES_OPTION,
    RULESET_NAMES,
    TABLE_OPTION,
)
from felix_async.people import are_told_apart, as_listed
from felix_async.time.times import until
from felix_events.model import DEFAULT_PACE
from felix_notifiers.content.harmless import table_name
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot

ENDED: Final = ("left", "voted", "deserted")
"""Why a game ends that had begun, and has no result."""
_ANSWERS: Final = ("joined", "invited", "not_invited", "declined", "uninvited", "expired")
"""The answers to an invitation, the welcome ones first."""


def edition(table: View) -> str:
    """Return the name of the rules of this game."""
    return RULESET_NAMES[table.ruleset]


def is_other_edition(table: View) -> bool:
    """Return True if they are not the usual rules."""
    return table.ruleset != DEFAULT_RULESET


def is_in_turn(table: View) -> bool:
    """Return True if one player is asked after the other, which is not the usual pace."""
    return table.options.pace != DEFAULT_PACE


def answers(occasion: Occasion) -> list[str]:
    """Tell the host if the game can begin, and why it is they who begin it, if that is news."""
    game, since = occasion.game, occasion.hosts_since
    table = game.table
    if table.phase != "inviting" or game.seat != table.host:
        return []
    told = []
    if since is not None:
        told.append(phrase(f"lobby.new_host.{since.why}", who=first_capital(game.who(since.before))))
    joined = _seats(table, "joined")
    if _can_start(game):
        told.append(phrase("lobby.host.can_start", names=_names(game, joined)))
    elif len(joined) >= FEWEST:
        told.append(phrase("lobby.host.join_first"))
    else:
        told.append(phrase("lobby.host.cannot_start", players=len(joined)))
    if game.closes and waits_for_host(table):
        told.append(phrase("lobby.host.closes", moment=until(game.closes, game.zone)))
    return [" ".join(told)]


def waits_for_host(table: View) -> bool:
    """Return True if all have answered, and the host is to begin the game."""
    return table.phase == "inviting" and table.host is not None and not table.asked


def is_for_host_alone(game: Snapshot) -> bool:
    """Return True if the table waits for others, and offers only what its host may do besides."""
    orders = host_orders(game)
    return bool(orders) and not game.is_asked and Order("START") not in orders


def _can_start(game: Snapshot) -> bool:
    """Return True if enough are in, the host, who reads this, among them."""
    joined = _seats(game.table, "joined")
    return len(joined) >= FEWEST and game.seat in joined


def host_orders(game: Snapshot) -> list[Order]:
    """Return the orders that a host may give about the table now, the likely ones first."""
    table = game.table
    if table.phase != "inviting" or game.seat != table.host:
        return []
    start = [Order("START")] if _can_start(game) else []
    # A host who has not joined yet is offered CANCEL with JOIN.
    cancel = [] if game.is_asked else [Order("CANCEL")]
    return [*start, *(Order("UNINVITE", text=game.names[seat]) for seat in _silent(game)), *cancel]


def _silent(game: Snapshot) -> list[int]:
    """The others who have not answered yet."""
    return [seat for seat in _seats(game.table, "invited") if seat != game.seat]


def _names(game: Snapshot, seats: Sequence[int]) -> list[str]:
    """The names of the others among these seats."""
    return [game.names[seat] for seat in seats if seat != game.seat]


def withdrawn(game: Snapshot) -> str:
    """Why the reader, who was invited, is not in this game."""
    table = game.table
    if table.seats[game.seat].answer == "expired":
        if table.phase == "abandoned":
            return cancelled(game)
        return phrase("lobby.withdrawn.expired")
    if table.phase not in ("inviting", "abandoned"):
        return phrase("lobby.withdrawn.started_without")
    return phrase("lobby.withdrawn.uninvited", host=_host(game))


def cancelled(game: Snapshot) -> str:
    """Why there is no game; who declined, and who did not answer, is no secret."""
    table = game.table
    if table.reason in ENDED:
        return phrase(f"lobby.no_result.{table.reason}")
    if table.reason == "cancelled" and table.host == game.seat:
        return phrase("lobby.called_off.by_you")
    if table.reason == "cancelled":
        return phrase("lobby.called_off.by_host", host=_host(game))
    why = _missing(game)
    is_started_late = table.host is not None and len(_seats(table, "joined")) >= FEWEST
    if table.reason == "expired" and (is_started_late or not why):
        return phrase("lobby.called_off.expired")
    if game.seat in _late(table):
        return phrase("lobby.called_off.expired_at_last")
    if why:
        both = why[0] if len(why) == 1 else phrase("lobby.called_off.and_also", first=why[0], second=why[1])
        return phrase("lobby.called_off.so_none", why=first_capital(both))
    return phrase("lobby.called_off.too_few") if table.reason else phrase("lobby.called_off.simply")


def _missing(game: Snapshot) -> list[str]:
    """Say who did not come, and why: two reasons at the most."""
    table = game.table
    declined, uninvited, late = _seats(table, "declined"), _seats(table, "uninvited"), _late(table)
    why = []
    if declined:
        why.append(phrase("lobby.called_off.declined", names=game.everyone(declined)))
    if uninvited and not (declined and late):
        names, count = game.everyone(uninvited), len(uninvited)
        why.append(phrase("lobby.called_off.uninvited", names=names, count=count))
    if late:
        why.append(phrase("lobby.called_off.silent", names=game.everyone(late)))
    return why


def _late(table: View) -> list[int]:
    """Return the seats that did not answer in time: it is up for all if it is for one."""
    return _seats(table, "expired", "invited") if _seats(table, "expired") else []


def left_over(game: Snapshot) -> list[int]:
    """Return the seats with whom the host of a game that never began may begin another, if they are enough.

    They are those who wanted to play, and, if they are too few, those who did not say.
    """
    table = game.table
    if table.phase != "abandoned" or game.seat != table.host or table.reason in ENDED:
        return []
    for answers in (("joined",), ("joined", "invited", "expired")):
        seats = [seat for seat in _seats(table, *answers) if seat != game.seat]
        if len(seats) + 1 >= FEWEST:
            return seats
    return []


def new_game(game: Snapshot) -> str:
    """The lines of a mail that begins a game like this one with those who are left over: NEW reads them back.

    Return '' if a name as it is kept cannot tell who is meant.
    """
    table = game.table
    kept, name = game.kept_names, table_name(game.table_name)
    names = [kept[seat] for seat in left_over(game)]
    if not names or not are_told_apart([*names, kept[game.seat]]):
        return ""
    lines = [str(Order("NEW")), *([f"{TABLE_OPTION[0]} {name}"] if name else []), *map(as_listed, names)]
    if is_other_edition(table):
        lines.append(f"{RULES_OPTION[0]} {edition(table)}")
    if is_in_turn(table):
        lines.append(PACE_NAMES[table.options.pace])
    return "\n".join([*lines, terms_text(table.clock)])


def guests(game: Snapshot) -> list[str]:
    """Say who has answered the invitation, and how: one sentence for each answer."""
    told: dict[str, list[int]] = {answer: [] for answer in _ANSWERS}
    for seat in game.table.seats:
        told[seat.answer or "not_invited"].append(seat.seat)
    answered = [
        phrase(f"lobby.guests.{answer}", names=game.everyone(seats))
        for answer, seats in told.items()
        if seats
    ]
    return [" ".join(answered)]


def still_in(game: Snapshot) -> list[str]:
    """Return the others who are in or may still come in: the host, and clockwise from the reader's left."""
    seats = _seats(game.table, "", "invited", "joined")
    left = [(game.seat + step) % len(game.names) for step in range(1, len(game.names))]
    left.sort(key=lambda seat: seat != game.table.host)
    return [game.names[seat] for seat in left if seat in seats]


def _host(game: Snapshot) -> str:
    """The host, at the beginning of a sentence."""
    return first_capital(game.who(game.table.host)) if game.table.host is not None else ""


def _seats(table: View, *answers: str) -> list[int]:
    return [seat.seat for seat in table.seats if seat.answer in answers]
