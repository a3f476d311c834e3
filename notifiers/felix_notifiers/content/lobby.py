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
    RULES_OPTION,
    RULESET_NAMES,
    TABLE_OPTION,
)
from felix_async.people import are_told_apart, as_listed
from felix_async.time.times import moment
from felix_notifiers.content.harmless import table_name
from felix_notifiers.content.scene import Scene
from felix_notifiers.content.sheet import Sequel, Sheet

ENDED: Final = ("left", "voted", "deserted")
"""Why a game ends that had begun, and has no result."""


def invitation(scene: Scene, sheet: Sheet) -> list[str]:
    """Who invites and who else is invited, what Felix is, and what an answer means.

    Who is invited to another game with the same players knows what Felix is.
    """
    table, name = scene.table, table_name(sheet.table_name)
    until = moment(sheet.expires, scene.zone) if sheet.expires else ""
    return [
        *(_sequel(scene, name, sheet.sequel) if sheet.sequel is not None else _first_time(scene, name)),
        *([phrase("mails.invitation.rules", edition=edition(table))] if is_other_edition(table) else []),
        *([_clock(scene)] if table.clock is not None else []),
        _beginning(scene),
        *([phrase("mails.invitation.expires", moment=until)] if until else []),
    ]


def _first_time(scene: Scene, name: str) -> list[str]:
    players = _players(scene)
    if name:
        players = f"{players} {phrase('mails.invitation.table', table=name)}"
    is_timed = scene.table.clock is not None
    how = phrase("mails.invitation.mail_clock") if is_timed else phrase("mails.invitation.mail")
    return [players, phrase("mails.invitation.game"), how]


def _sequel(scene: Scene, name: str, sequel: Sequel) -> list[str]:
    """That it is the next game of these players, who starts, and who was not asked."""
    next_ = phrase("mails.invitation.again_table", table=name) if name else phrase("mails.invitation.again")
    told = [_players(scene, is_sequel=True), next_]
    if sequel.start == scene.seat:
        told.append(phrase("mails.invitation.again_you_start"))
    elif sequel.start is not None:
        told.append(phrase("mails.invitation.again_start", who=scene.who(sequel.start)))
    if sequel.not_asked:
        told.append(phrase("mails.invitation.not_asked", names=sequel.not_asked))
    return [" ".join(told)]


def _clock(scene: Scene) -> str:
    """How much time there is for a move, and what comes when it is up."""
    terms = scene.table.clock
    clock = phrase("mails.invitation.clock", terms=phrase("mails.time.terms", terms=terms_text(terms)))
    has_reserve = terms is not None and terms.reserve
    return f"{clock} {phrase('mails.invitation.reserve')}" if has_reserve else clock


def edition(table: View) -> str:
    """What the rules are called by which this game is played."""
    return RULESET_NAMES[table.ruleset]


def is_other_edition(table: View) -> bool:
    """Whether they are not those by which games are played where nobody says anything."""
    return table.ruleset != DEFAULT_RULESET


def seal(scene: Scene) -> str:
    """Felix's own part in the draw, sealed: what an invitation says in small print."""
    return phrase("mails.invitation.draw", commitment=scene.table.commitment)


def answers(scene: Scene, sheet: Sheet) -> list[str]:
    """What the host hears of the answers so far: whether the game can begin, and what else can be done."""
    table = scene.table
    if table.phase != "inviting" or scene.seat != table.host:
        return []
    told = [phrase("mails.opening.reminder")] if sheet.rung == START else []
    told.append(_why_host(scene, sheet.hosts_since))
    joined = _seats(table, "joined")
    if waits_for_host(table):
        told.append(phrase("mails.opening.all_answered", names=_names(scene, joined)))
        if sheet.closes:
            told.append(phrase("mails.opening.closes", moment=moment(sheet.closes, scene.zone)))
    elif _can_start(scene):
        told.append(phrase("mails.opening.can_start"))
    elif len(joined) >= FEWEST:
        told.append(phrase("mails.opening.join_first"))
    else:
        told.append(phrase("mails.opening.cannot_start", players=len(joined)))
    uninvite = [phrase("mails.opening.uninvite")] if _silent(scene) else []
    return [*told, " ".join([*uninvite, phrase("mails.opening.cancel")])]


def waits_for_host(table: View) -> bool:
    """Whether all have answered, and nothing happens until the host begins the game."""
    return table.phase == "inviting" and table.host is not None and not table.asked


def is_for_host_alone(scene: Scene) -> bool:
    """Whether the table waits for others, so that all that it offers is what its host may do besides."""
    orders = host_orders(scene)
    return bool(orders) and not scene.is_asked and Order("START") not in orders


def _why_host(scene: Scene, since: NewHost | None) -> str:
    if since is None:
        return phrase("mails.opening.named_host")
    return phrase(f"mails.new_host.{since.why}", who=first_capital(scene.who(since.before)))


def _can_start(scene: Scene) -> bool:
    """Whether enough are in, the host, who reads this, among them."""
    joined = _seats(scene.table, "joined")
    return len(joined) >= FEWEST and scene.seat in joined


def host_orders(scene: Scene) -> list[Order]:
    """What the host may do with the table now, the likely ones first."""
    table = scene.table
    if table.phase != "inviting" or scene.seat != table.host:
        return []
    start = [Order("START")] if _can_start(scene) else []
    # Who has not joined yet is offered CANCEL with JOIN.
    cancel = [] if scene.is_asked else [Order("CANCEL")]
    return [*start, *(Order("UNINVITE", text=scene.names[seat]) for seat in _silent(scene)), *cancel]


def _silent(scene: Scene) -> list[int]:
    """The others who have not answered yet."""
    return [seat for seat in _seats(scene.table, "invited") if seat != scene.seat]


def _names(scene: Scene, seats: Sequence[int]) -> list[str]:
    """The names of the others among these seats."""
    return [scene.names[seat] for seat in seats if seat != scene.seat]


def withdrawn(scene: Scene) -> str:
    """Why the reader, who was invited, is not in this game."""
    table = scene.table
    if table.seats[scene.seat].answer == "expired":
        if table.phase == "abandoned":
            return cancelled(scene)
        return phrase("mails.opening.invitation_expired")
    if table.phase not in ("inviting", "abandoned"):
        return phrase("mails.opening.started_without")
    return phrase("mails.opening.uninvited", host=_host(scene))


def cancelled(scene: Scene) -> str:
    """Why there is no game; who declined, and who did not answer, is no secret."""
    table = scene.table
    if table.reason in ENDED:
        return phrase(f"mails.no_result.{table.reason}")
    if table.reason == "cancelled" and table.host == scene.seat:
        return phrase("mails.opening.called_off_by_you")
    if table.reason == "cancelled":
        return phrase("mails.opening.called_off", host=_host(scene))
    why = _missing(scene)
    is_started_late = table.host is not None and len(_seats(table, "joined")) >= FEWEST
    if table.reason == "expired" and (is_started_late or not why):
        return phrase("mails.opening.expired")
    if scene.seat in _late(table):
        return phrase("mails.opening.expired_at_last")
    if why:
        both = why[0] if len(why) == 1 else phrase("mails.opening.and_also", first=why[0], second=why[1])
        return phrase("mails.opening.so_none", why=first_capital(both))
    return phrase("mails.opening.too_few") if table.reason else phrase("mails.opening.cancelled")


def _missing(scene: Scene) -> list[str]:
    """Who did not come, and why: two reasons at the most."""
    table = scene.table
    declined, uninvited, late = _seats(table, "declined"), _seats(table, "uninvited"), _late(table)
    why = []
    if declined:
        why.append(phrase("mails.opening.declined", names=scene.everyone(declined)))
    if uninvited and not (declined and late):
        names, count = scene.everyone(uninvited), len(uninvited)
        why.append(phrase("mails.opening.uninvited_now", names=names, count=count))
    if late:
        why.append(phrase("mails.opening.silent", names=scene.everyone(late)))
    return why


def _late(table: View) -> list[int]:
    """Who did not answer in time. All have the same time, so it is up for all where it is for one."""
    return _seats(table, "expired", "invited") if _seats(table, "expired") else []


def left_over(scene: Scene) -> list[int]:
    """With whom the host of a game that came to nothing may begin a new one, where enough are left for that.

    They are those who wanted to play, and, where they are too few, those who did not say.
    """
    table = scene.table
    if table.phase != "abandoned" or scene.seat != table.host or table.reason in ENDED:
        return []
    for answers in (("joined",), ("joined", "invited", "expired")):
        seats = [seat for seat in _seats(table, *answers) if seat != scene.seat]
        if len(seats) + 1 >= FEWEST:
            return seats
    return []


def new_game(scene: Scene, name: str, kept: Sequence[str]) -> str:
    """The lines of a mail that begins a game like this one with those who are left over: NEW reads them back.

    `kept` are the names by seat, as they are kept; '' where one of them cannot tell who is meant.
    """
    table = scene.table
    names = [kept[seat] for seat in left_over(scene)]
    if not names or not are_told_apart([*names, kept[scene.seat]]):
        return ""
    lines = [str(Order("NEW")), *([f"{TABLE_OPTION[0]} {name}"] if name else []), *map(as_listed, names)]
    if is_other_edition(table):
        lines.append(f"{RULES_OPTION[0]} {edition(table)}")
    return "\n".join([*lines, terms_text(table.clock)])


def guests(scene: Scene) -> list[str]:
    """Who has answered the invitation, one line for each seat."""
    lines = []
    for seat in scene.table.seats:
        answer = seat.answer or "not_invited"
        if seat.seat == scene.seat:
            lines.append(phrase(f"mails.guests.you.{answer}"))
        else:
            lines.append(phrase(f"mails.guests.{answer}", who=first_capital(scene.who(seat.seat))))
    return lines


def _players(scene: Scene, *, is_sequel: bool = False) -> str:
    still = [seat for seat in _seats(scene.table, "", "invited", "joined") if seat != scene.seat]
    order = [name for name in scene.others if name in {scene.names[seat] for seat in still}]
    if scene.table.host is None:
        return phrase("mails.invitation.players", names=order)
    if scene.table.host == scene.seat:
        host = phrase("mails.invitation.again_host", names=order)
        return host if is_sequel else phrase("mails.invitation.host", names=order)
    guests = [name for name in order if name != scene.names[scene.table.host]]
    players = phrase("mails.invitation.from_host", host=_host(scene))
    if is_sequel:
        players = phrase("mails.invitation.again_from_host", host=_host(scene))
    return f"{players} {phrase('mails.invitation.guests', names=guests)}" if guests else players


def _beginning(scene: Scene) -> str:
    if scene.table.host is None:
        return phrase("mails.invitation.start")
    if scene.table.host == scene.seat:
        return phrase("mails.invitation.start_you")
    return phrase("mails.invitation.start_host", host=scene.who(scene.table.host))


def _host(scene: Scene) -> str:
    """The host, at the beginning of a sentence."""
    return first_capital(scene.who(scene.table.host)) if scene.table.host is not None else ""


def _seats(table: View, *answers: str) -> list[int]:
    return [seat.seat for seat in table.seats if seat.answer in answers]
