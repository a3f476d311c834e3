"""Was that you? Is this you? Messages to somebody who may be a stranger: nothing of a game is in them."""

from __future__ import annotations

from felix_async.follow_up.kinds import Question, Whose
from felix_async.language.phrases import phrase
from felix_async.text import Harmless
from felix_async.time.times import until
from felix_async.time.zones import DEFAULT_ZONE
from felix_notifiers.content import wording
from felix_notifiers.content.glance import letter_glance
from felix_notifiers.content.harmless import one_line, table_name
from felix_notifiers.content.mail import Mail
from felix_notifiers.mails.plain import plain


def was_that_you(
    asked: Question, *, whose: Whose, label: Harmless, reply_address: str, zone: str = DEFAULT_ZONE
) -> Mail:
    """Ask the reader about a mail that came from another address, or whose sender is not proven."""
    is_own = whose == "own"
    return plain(
        "" if asked.guests is not None else label,
        letter_glance("question_own" if is_own else "question", phrase("glance.subject.question")),
        _told(asked, whose, zone),
        words=[wording.YES],
        reply_address=reply_address,
    )


def _told(asked: Question, whose: Whose, zone: str) -> list[str]:
    """Say where it came from, what it asks for, and what a YES does."""
    asks = (
        [phrase("lobby.claimed.orders", orders=[one_line(word) for word in asked.orders])]
        if asked.orders
        else []
    )
    if asked.guests:
        name = table_name(asked.table)
        asks = [phrase("lobby.claimed.table", table=name)] if name else [phrase("lobby.claimed.nameless")]
        asks.append(phrase("lobby.claimed.guests", names=[one_line(guest) for guest in asked.guests]))
    told = [
        phrase(f"mails.was_that_you.{whose}", address=one_line(asked.address)),
        *asks,
        phrase("mails.was_that_you.no"),
        phrase(f"mails.was_that_you.{whose}_yes"),
    ]
    if asked.provider:
        provider = one_line(asked.provider)
        told.insert(1, phrase("mails.how_it_came.provider", provider=provider))
        if asked.believed:
            told.append(phrase("mails.how_it_came.believed", provider=provider))
        else:
            told.append(phrase("mails.how_it_came.alone"))
    if asked.until:
        told.append(phrase("mails.how_it_came.until", time=until(asked.until, zone)))
    return told


def is_this_you(*, label: Harmless, whose: Whose, reply_address: str) -> Mail:
    """To an address that a player of this table has named as theirs; nothing to answer if it is `taken`."""
    yes = ["taken"] if whose == "taken" else ["no", "yes"]
    return plain(
        label,
        letter_glance("claim_taken" if whose == "taken" else "claim", phrase("glance.subject.claim")),
        [phrase(f"mails.claim.{what}", label=label) for what in ("named", *yes)],
        words=[] if whose == "taken" else [wording.YES],
        reply_address=reply_address,
    )
