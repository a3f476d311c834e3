"""Messages to the operator of the server: a player no longer gets mail. No secret of a game is in them."""

from __future__ import annotations

from typing import Final

from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.text import Harmless
from felix_notifiers.content.glance import letter_glance
from felix_notifiers.content.harmless import NAME_LIMIT, one_line
from felix_notifiers.content.mail import Mail
from felix_notifiers.mails.plain import plain

UNREACHABLE: Final = phrase("mails.unreachable.subject")


def unreachable(
    *,
    game_id: str,
    label: Harmless,
    seat: int,
    name: str,
    address: str,
    why: str,
    other: str | None,
    phase: str,
) -> Mail:
    """Say whose mail comes back, what the last report said, and what to do; `other` is the address now."""
    who = one_line(name, NAME_LIMIT) or phrase("mails.unreachable.seat", seat=seat)
    dead = one_line(address)
    report = one_line(why) or phrase("mails.unreachable.no_report")
    opening = [
        phrase("mails.unreachable.gone", who=who, seat=seat, label=label, address=dead),
        phrase("mails.unreachable.report", why=report),
    ]
    if other is not None:
        opening.append(phrase("mails.unreachable.other", who=who, address=one_line(other)))
    elif phase in ("inviting", "placing", "bidding"):
        command = f"felix move {game_id} {seat} {_example(phase)}"
        opening += [
            phrase("mails.unreachable.waits", who=who),
            phrase("mails.unreachable.ask", who=who, address=dead),
            phrase("mails.unreachable.answer", command=command),
        ]
        if phase == "inviting":
            opening.append(phrase("mails.unreachable.decline", command="felix new"))
    opening.append(phrase("mails.unreachable.letters", command="felix mail letters list"))
    return plain(label, letter_glance("unreachable", UNREACHABLE), opening)


def _example(phase: str) -> str:
    """An order that a host may give for a seat in this phase, as it is typed in a shell."""
    match phase:
        case "inviting":
            return str(Order("DECLINE"))
        case "placing":
            return f'"{Order("PLAY", card=3)}"'
        case _:
            return str(Order("PASS"))
