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
from felix_async.time.times import moment
from felix_events.model import Terms
from felix_notifiers.content import wording
from felix_notifiers.content.harmless import NAME_LIMIT, one_line, seat_names
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
    asked = phrase("mails.substitute.asked", host=shown[told.by], who=shown[seat], names=others)
    until = moment(told.until, zone)
    if game.seats[seat].gone:
        why = phrase("mails.substitute.gone", who=shown[seat])
        until_when = phrase("mails.substitute.until_at_most", moment=until)
    else:
        why = phrase("mails.substitute.away", who=shown[seat])
        until_when = phrase("mails.substitute.until", moment=until, who=shown[seat])
    opening = [
        f"{asked} {first_capital(why)}",
        phrase("mails.invitation.game"),
        phrase("mails.substitute.state", round=game.round, rounds=ROUNDS, who=shown[seat]),
        *_clock_told(game.clock),
        until_when,
    ]
    return plain(
        label,
        phrase("mails.substitute.subject"),
        wording.greeting(one_line(told.name, NAME_LIMIT)),
        opening,
        words=(WORD_OF["JOIN"], WORD_OF["DECLINE"]),
        reply_address=reply_address,
        intro=wording.Intro(phrase("mails.intro.write_one"), phrase("mails.intro.tap")),
    )


def closed(*, label: Harmless, why: str) -> Mail:
    """To who was asked, and answers when the seat is not to be had any more: why."""
    headline = phrase("mails.substitute.closed")
    return plain(label, headline, wording.TO_NOBODY, [one_line(why)])


def lost(*, label: Harmless, who: str, name: str) -> Mail:
    """To whose seat it was: who plays on for them, and that they need do nothing."""
    name = one_line(name, NAME_LIMIT)
    greeting = wording.greeting(name) if name else wording.TO_NOBODY
    told = [phrase("mails.substitute.lost", who=who), phrase("mails.opening.own_table")]
    return plain(label, phrase("mails.substitute.lost_subject"), greeting, told)


def _clock_told(clock: Terms | None) -> list[str]:
    """Say how much time a move may take."""
    if clock is None:
        return [phrase("mails.substitute.no_clock")]
    days, rest = divmod(clock.move, _DAY)
    if rest == 0:
        return [phrase("mails.substitute.days", days=days)]
    return [phrase("mails.substitute.hours", hours=max(1, round(clock.move / _HOUR)))]
