"""The mails about a seat that changes hands, and which kinds of notices the gallery shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from felix_async.follow_up.kinds import Offer
from felix_async.game.commands import Leave
from felix_async.language.phrases import phrase
from felix_async.text import plain
from felix_events.model import Terms
from felix_notifiers.content.mail import Mail
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.mails import seat
from games import NAMES, TABLE_NAME
from notifiers.sheets import REPLY_ADDRESS, changed
from notifiers.timed import PLAIN, a_timed_game, in_auction
from table import ANNA, DAN, GAME_ID

LABEL: Final = plain(f"{TABLE_NAME} {GAME_ID}")
TOLD: Final = Offer(
    game_id=GAME_ID,
    version=1,
    seat=DAN,
    due_at="",
    by=ANNA,
    name="Dora",
    until="2026-11-27T21:00:00.000000Z",
)
BY_ITSELF: Final[Mapping[str, str]] = {
    "claim": "claim: is this your address",
    "question": "question: was that you",
    "substitute": "seat: offered, its player is away",
    "seat_closed": "seat: not to be had any more",
    "seat_lost": "seat: somebody plays on for the reader",
    "farewell": "farewell to who was forgotten",
    "moved": "mail goes to another address",
    "unreachable": "host: unreachable",
    "unreadable": "game that cannot be read",
}
"""Kinds of notices that are no mail about a game, each with a mail of the gallery that is one."""


def changing() -> dict[str, Occasion]:
    """What those read who sit at the table."""
    taken = changed(
        in_auction().occasion("newcomer"),
        arrivals=[phrase("lobby.substitute.newcomer", who="Dora", whom="Dan")],
    )
    refused = changed(
        in_auction().occasion("turned_down", seat=ANNA),
        arrivals=[phrase("lobby.substitute.turned_down", name="Dora", who="Dan")],
    )
    return {"seat: somebody new plays on": taken, "seat: nobody has taken it": refused}


def offers() -> dict[str, Mail]:
    """What those read who do not sit there: not yet, or not any more."""
    why = phrase("lobby.seat_closed.player_back")
    return {
        "seat: offered, its player is away": _offer(PLAIN, for_good=False),
        "seat: offered, its player is gone": _offer(PLAIN, for_good=True),
        "seat: offered, without a clock": _offer(None, for_good=False),
        "seat: offered, gone, without a clock": _offer(None, for_good=True),
        "seat: not to be had any more": seat.closed(label=LABEL, why=why),
        "seat: somebody plays on for the reader": seat.lost(label=LABEL, who="Dora"),
    }


def _offer(clock: Terms | None, *, for_good: bool) -> Mail:
    timed = a_timed_game(clock).do(Leave(seat=DAN, for_good=for_good))
    return seat.offer(
        game=timed.room.game(timed.game_id),
        names=NAMES[:4],
        label=LABEL,
        seat=DAN,
        told=TOLD,
        reply_address=REPLY_ADDRESS,
        zone="Europe/Berlin",
    )
