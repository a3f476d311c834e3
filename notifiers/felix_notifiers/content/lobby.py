"""Around a game that has not begun: invitations, who has answered, and why nothing came of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from felix_async.game.lobby import FEWEST
from felix_async.game.view import View
from felix_async.grammar import Order, continues, read_line
from felix_async.people import are_told_apart
from felix_async.text import one_line
from felix_async.time.terms import mentions_clock
from felix_async.time.times import moment
from felix_async.words import RULESET_WORDS, STOP_WORDS, TABLE_OPTION
from felix_async.words.phrases import first_capital, phrase
from felix_notifiers.content.scene import Scene

_IS_PLAIN: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|[ .'’-])*").fullmatch
"""A name without any mark that lines are read by."""
ENDED: Final = ("left", "voted", "deserted")
"""Why a game ends that had begun, and has no result."""


def invitation(scene: Scene, table_name: str, expires: str, terms: str = "") -> list[str]:
    """Who invites and who else is invited, what Felix is, and what an answer means.

    `terms` is how much time there is for a move, '' where nobody is hurried.
    """
    players = _players(scene)
    if table_name:
        players = f"{players} {phrase('mails.invitation.table', table=table_name)}"
    return [
        players,
        phrase("mails.invitation.game"),
        *(_by_clock(scene, terms) if terms else [phrase("mails.invitation.mail")]),
        _beginning(scene),
        *([phrase("mails.invitation.expires", moment=moment(expires, scene.zone))] if expires else []),
    ]


def _by_clock(scene: Scene, terms: str) -> list[str]:
    """How one plays where there is a clock, and what it means."""
    clock = phrase("mails.invitation.clock", terms=terms)
    has_reserve = scene.table.clock is not None and scene.table.clock.reserve
    reserve = f" {phrase('mails.invitation.reserve')}" if has_reserve else ""
    return [phrase("mails.invitation.mail_clock"), f"{clock}{reserve}"]


def seal(scene: Scene) -> str:
    """Felix's own part in the draw, sealed: what an invitation says in small print."""
    return phrase("mails.invitation.draw", commitment=scene.table.commitment)


def answers(scene: Scene) -> list[str]:
    """What the host hears of the answers so far: whether the game can begin, and what else can be done."""
    if scene.table.phase != "inviting" or scene.seat != scene.table.host:
        return []
    joined = len(_seats(scene.table, "joined"))
    named = phrase("mails.opening.named_host")
    if _can_start(scene):
        begin = phrase("mails.opening.can_start")
    elif joined >= FEWEST:
        begin = phrase("mails.opening.join_first")
    else:
        begin = phrase("mails.opening.cannot_start", players=joined)
    return [named, begin, phrase("mails.opening.host_orders")]


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
    silent = [seat for seat in _seats(table, "invited") if seat != table.host]
    # Who has not joined yet is offered CANCEL with JOIN.
    cancel = [] if scene.is_asked else [Order("CANCEL")]
    return [*start, *(Order("UNINVITE", text=scene.names[seat]) for seat in silent), *cancel]


def withdrawn(scene: Scene) -> str:
    """Why the reader, who was invited, is not in this game."""
    table = scene.table
    if table.seats[scene.seat].answer == "expired":
        if table.phase == "abandoned":
            return phrase("mails.opening.expired_at_last")
        return phrase("mails.opening.invitation_expired")
    if table.phase not in ("inviting", "abandoned"):
        return phrase("mails.opening.started_without")
    return phrase("mails.opening.uninvited", host=_host(scene))


def cancelled(scene: Scene) -> str:
    """Why there is no game; who declined is no secret."""
    table = scene.table
    if table.reason in ENDED:
        return phrase(f"mails.no_result.{table.reason}")
    if table.reason == "expired":
        return phrase("mails.opening.expired")
    if table.reason == "cancelled" and table.host == scene.seat:
        return phrase("mails.opening.called_off_by_you")
    if table.reason == "cancelled":
        return phrase("mails.opening.called_off", host=_host(scene))
    decliners = _seats(table, "declined")
    if decliners:
        return phrase("mails.opening.declined", names=first_capital(scene.everyone(decliners)))
    return phrase("mails.opening.too_few") if table.reason else phrase("mails.opening.cancelled")


def left_over(scene: Scene) -> list[int]:
    """The seats of the others who wanted to play, for the host of a game that came to nothing."""
    table = scene.table
    if table.phase != "abandoned" or scene.seat != table.host or table.reason in ENDED:
        return []
    return [seat for seat in _seats(table, "joined") if seat != scene.seat]


def new_game(scene: Scene, kept: Sequence[str]) -> str:
    """The lines of a mail that begins a new game with those who are left over, by their kept names.

    '' where a name cannot tell who is meant.
    """
    names = [kept[seat] for seat in left_over(scene)]
    if not names or not are_told_apart([*names, kept[scene.seat]]):
        return ""
    return "\n".join([str(Order("NEW")), *map(_guest, names)])


def _guest(name: str) -> str:
    """A name as a line below NEW: in quotes where it might be read as something else."""
    line = one_line(name)
    says_more = (
        _IS_PLAIN(line) is None
        or line.casefold() in (*RULESET_WORDS, *STOP_WORDS)
        or line.partition(" ")[0].casefold() in TABLE_OPTION
        or mentions_clock(line)
        or continues(line)
        or isinstance(read_line(line), Order)
    )
    return f'"{line}"' if says_more else line


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


def _players(scene: Scene) -> str:
    still = [seat for seat in _seats(scene.table, "", "invited", "joined") if seat != scene.seat]
    order = [name for name in scene.others if name in {scene.names[seat] for seat in still}]
    if scene.table.host is None:
        return phrase("mails.invitation.players", names=order)
    if scene.table.host == scene.seat:
        return phrase("mails.invitation.host", names=order)
    guests = [name for name in order if name != scene.names[scene.table.host]]
    players = phrase("mails.invitation.from_host", host=_host(scene))
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
