"""Letters about a seat that changes hands: to who is asked to play on, and to whose seat it was.

Neither sits at the table as the letter is written: it says no more than a spectator may know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.follow_up.kinds import Offer
from felix_async.game.cards import ROUNDS
from felix_async.game.state import Game
from felix_async.language.phrases import first_capital, phrase
from felix_async.language.words import WORD_OF
from felix_async.text import Harmless
from felix_async.time.times import until
from felix_events.model import Terms
from felix_notifiers.content import wording
from felix_notifiers.content.glance import letter_glance
from felix_notifiers.content.harmless import one_line, seat_names
from felix_notifiers.content.mail import Mail
from felix_notifiers.mails.plain import plain

_DAY: Final = 24 * 3600
_HOUR: Final = 3600


def offer(
    *,
    game: Game,
    names: Sequence[str],
    label: Harmless,
    seat: int,
    told: Offer,
    reply_address: str,
    zone: str,
) -> Mail:
    """To somebody who is asked to play on: who asks, how far the game is, and what they would do."""
    shown = seat_names(names)
    others = [shown[other] for other in game.players if other != seat]
    asked = phrase("lobby.substitute.asked", who=shown[seat], names=others)
    last = until(told.until, zone)
    if game.seats[seat].gone:
        why = phrase("lobby.substitute.gone", who=shown[seat])
        until_when = phrase("lobby.substitute.until_at_most", moment=last)
    else:
        why = phrase("lobby.substitute.away", who=shown[seat])
        until_when = phrase("lobby.substitute.until", moment=last, who=shown[seat])
    state = phrase("lobby.substitute.state", round=game.round, rounds=ROUNDS, who=shown[seat])
    opening = [
        f"{asked} {first_capital(why)}",
        phrase("lobby.invitation.game"),
        " ".join([state, _clock_told(game.clock), until_when]),
    ]
    return plain(
        label,
        letter_glance("offer", phrase("lobby.substitute.subject"), who=shown[told.by]),
        opening,
        words=(WORD_OF["JOIN"], WORD_OF["DECLINE"]),
        reply_address=reply_address,
        intro=wording.Intro(phrase("table.intro.write_one"), phrase("table.intro.tap")),
    )


def closed(*, label: Harmless, why: str) -> Mail:
    """To who was asked, and answers when the seat is not to be had any more: why."""
    glance = letter_glance("seat_closed", phrase("lobby.substitute.closed"))
    return plain(label, glance, [one_line(why)])


def lost(*, label: Harmless, who: str) -> Mail:
    """To whose seat it was: who plays on for them, and that they need do nothing."""
    told = [phrase("lobby.substitute.lost", who=who), phrase("lobby.again.own_table")]
    return plain(label, letter_glance("seat_lost", phrase("lobby.substitute.lost_subject")), told)


def _clock_told(clock: Terms | None) -> str:
    """Say how much time a move may take."""
    if clock is None:
        return phrase("lobby.substitute.no_clock")
    days, rest = divmod(clock.move, _DAY)
    if rest == 0:
        return phrase("lobby.substitute.days", days=days)
    return phrase("lobby.substitute.hours", hours=max(1, round(clock.move / _HOUR)))
