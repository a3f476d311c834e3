"""Around a game that has not begun: invitations, who has answered, and why nothing came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.follow_up.kinds import START
from felix_async.game.lobby import FEWEST
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.game.story import NewHost
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
from felix_async.time.times import moment
from felix_events.model import DEFAULT_PACE
from felix_notifiers.content.harmless import table_name
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Sequel, Snapshot

ENDED: Final = ("left", "voted", "deserted")
"""Why a game ends that had begun, and has no result."""


def invitation(occasion: Occasion) -> list[str]:
    """Say who invites and who else is invited, what Felix is, and what an answer means.

    Who is invited to another game with the same players knows what Felix is.
    """
    game = occasion.game
    table, name = game.table, table_name(game.table_name)
    until = moment(game.expires, game.zone) if game.expires else ""
    return [
        *(_sequel(game, name, game.sequel) if game.sequel is not None else _first_time(game, name)),
        *([phrase("mails.invitation.rules", edition=edition(table))] if is_other_edition(table) else []),
        *([_clock(game)] if table.clock is not None else []),
        *([phrase("mails.invitation.in_turn")] if is_in_turn(table) else []),
        _beginning(game),
        *([phrase("mails.invitation.expires", moment=until)] if until else []),
    ]


def _first_time(game: Snapshot, name: str) -> list[str]:
    players = _players(game)
    if name:
        players = f"{players} {phrase('mails.invitation.table', table=name)}"
    is_timed = game.table.clock is not None
    how = phrase("mails.invitation.mail_clock") if is_timed else phrase("mails.invitation.mail")
    return [players, phrase("mails.invitation.game"), how]


def _sequel(game: Snapshot, name: str, sequel: Sequel) -> list[str]:
    """That it is the next game of these players, who starts, and who was not asked."""
    next_ = phrase("mails.invitation.again_table", table=name) if name else phrase("mails.invitation.again")
    told = [_players(game, is_sequel=True), next_]
    if sequel.start == game.seat:
        told.append(phrase("mails.invitation.again_you_start"))
    elif sequel.start is not None:
        told.append(phrase("mails.invitation.again_start", who=game.who(sequel.start)))
    if sequel.not_asked:
        told.append(phrase("mails.invitation.not_asked", names=sequel.not_asked))
    return [" ".join(told)]


def _clock(game: Snapshot) -> str:
    """Say how much time there is for a move, and what comes when it is up."""
    terms = game.table.clock
    clock = phrase("mails.invitation.clock", terms=phrase("mails.time.terms", terms=terms_text(terms)))
    has_reserve = terms is not None and terms.reserve
    return f"{clock} {phrase('mails.invitation.reserve')}" if has_reserve else clock


def edition(table: View) -> str:
    """Return the name of the rules of this game."""
    return RULESET_NAMES[table.ruleset]


def is_other_edition(table: View) -> bool:
    """Return True if they are not the usual rules."""
    return table.ruleset != DEFAULT_RULESET


def is_in_turn(table: View) -> bool:
    """Return True if one player is asked after the other, which is not the usual pace."""
    return table.options.pace != DEFAULT_PACE


def seal(game: Snapshot) -> str:
    """Felix's own part in the draw, sealed: what an invitation says in small print."""
    return phrase("mails.invitation.draw", commitment=game.table.commitment)


def answers(occasion: Occasion) -> list[str]:
    """Tell the host who has answered, if the game can begin, and what else can be done."""
    game = occasion.game
    table = game.table
    if table.phase != "inviting" or game.seat != table.host:
        return []
    told = [phrase("mails.opening.reminder")] if occasion.rung == START else []
    told.append(_why_host(game, occasion.hosts_since))
    joined = _seats(table, "joined")
    if waits_for_host(table):
        told.append(phrase("mails.opening.all_answered", names=_names(game, joined)))
        if game.closes:
            told.append(phrase("mails.opening.closes", moment=moment(game.closes, game.zone)))
    elif _can_start(game):
        told.append(phrase("mails.opening.can_start"))
    elif len(joined) >= FEWEST:
        told.append(phrase("mails.opening.join_first"))
    else:
        told.append(phrase("mails.opening.cannot_start", players=len(joined)))
    uninvite = [phrase("mails.opening.uninvite")] if _silent(game) else []
    return [*told, " ".join([*uninvite, phrase("mails.opening.cancel")])]


def waits_for_host(table: View) -> bool:
    """Return True if all have answered, and the host is to begin the game."""
    return table.phase == "inviting" and table.host is not None and not table.asked


def is_for_host_alone(game: Snapshot) -> bool:
    """Return True if the table waits for others, and offers only what its host may do besides."""
    orders = host_orders(game)
    return bool(orders) and not game.is_asked and Order("START") not in orders


def _why_host(game: Snapshot, since: NewHost | None) -> str:
    if since is None:
        return phrase("mails.opening.named_host")
    return phrase(f"mails.new_host.{since.why}", who=first_capital(game.who(since.before)))


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
        return phrase("mails.opening.invitation_expired")
    if table.phase not in ("inviting", "abandoned"):
        return phrase("mails.opening.started_without")
    return phrase("mails.opening.uninvited", host=_host(game))


def cancelled(game: Snapshot) -> str:
    """Why there is no game; who declined, and who did not answer, is no secret."""
    table = game.table
    if table.reason in ENDED:
        return phrase(f"mails.no_result.{table.reason}")
    if table.reason == "cancelled" and table.host == game.seat:
        return phrase("mails.opening.called_off_by_you")
    if table.reason == "cancelled":
        return phrase("mails.opening.called_off", host=_host(game))
    why = _missing(game)
    is_started_late = table.host is not None and len(_seats(table, "joined")) >= FEWEST
    if table.reason == "expired" and (is_started_late or not why):
        return phrase("mails.opening.expired")
    if game.seat in _late(table):
        return phrase("mails.opening.expired_at_last")
    if why:
        both = why[0] if len(why) == 1 else phrase("mails.opening.and_also", first=why[0], second=why[1])
        return phrase("mails.opening.so_none", why=first_capital(both))
    return phrase("mails.opening.too_few") if table.reason else phrase("mails.opening.cancelled")


def _missing(game: Snapshot) -> list[str]:
    """Say who did not come, and why: two reasons at the most."""
    table = game.table
    declined, uninvited, late = _seats(table, "declined"), _seats(table, "uninvited"), _late(table)
    why = []
    if declined:
        why.append(phrase("mails.opening.declined", names=game.everyone(declined)))
    if uninvited and not (declined and late):
        names, count = game.everyone(uninvited), len(uninvited)
        why.append(phrase("mails.opening.uninvited_now", names=names, count=count))
    if late:
        why.append(phrase("mails.opening.silent", names=game.everyone(late)))
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
    """Say who has answered the invitation, one line for each seat."""
    lines = []
    for seat in game.table.seats:
        answer = seat.answer or "not_invited"
        if seat.seat == game.seat:
            lines.append(phrase(f"mails.guests.you.{answer}"))
        else:
            lines.append(phrase(f"mails.guests.{answer}", who=first_capital(game.who(seat.seat))))
    return lines


def _players(game: Snapshot, *, is_sequel: bool = False) -> str:
    still = [seat for seat in _seats(game.table, "", "invited", "joined") if seat != game.seat]
    order = [name for name in game.others if name in {game.names[seat] for seat in still}]
    if game.table.host is None:
        return phrase("mails.invitation.players", names=order)
    if game.table.host == game.seat:
        host = phrase("mails.invitation.again_host", names=order)
        return host if is_sequel else phrase("mails.invitation.host", names=order)
    guests = [name for name in order if name != game.names[game.table.host]]
    players = phrase("mails.invitation.from_host", host=_host(game))
    if is_sequel:
        players = phrase("mails.invitation.again_from_host", host=_host(game))
    return f"{players} {phrase('mails.invitation.guests', names=guests)}" if guests else players


def _beginning(game: Snapshot) -> str:
    if game.table.host is None:
        return phrase("mails.invitation.start")
    if game.table.host == game.seat:
        return phrase("mails.invitation.start_you")
    return phrase("mails.invitation.start_host", host=game.who(game.table.host))


def _host(game: Snapshot) -> str:
    """The host, at the beginning of a sentence."""
    return first_capital(game.who(game.table.host)) if game.table.host is not None else ""


def _seats(table: View, *answers: str) -> list[int]:
    return [seat.seat for seat in table.seats if seat.answer in answers]
