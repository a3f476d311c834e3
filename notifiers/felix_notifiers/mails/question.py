"""Was that you? Is this you? Mails to somebody who may be a stranger: nothing of a game is in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.follow_up.kinds import Whose
from felix_async.language.phrases import phrase
from felix_async.text import Harmless
from felix_async.time.times import moment
from felix_async.time.zones import DEFAULT_ZONE
from felix_notifiers.content import wording
from felix_notifiers.content.harmless import one_line, table_name
from felix_notifiers.content.mail import Mail
from felix_notifiers.mails.plain import plain

"""What is known of an address: nothing; it is the reader's own; they have left it; another player has it."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A mail that came from an `address`, with the words of its `orders`.

    `provider` says by whom it came, '' if it is vouched for; `believed` that a YES holds for later mails that
    come so, and `until` when the next such question may be asked, if this was the last one for a while. A
    mail that would open a `table` is about no game: it has `guests`.
    """

    address: str
    whose: Whose = "other"
    orders: Sequence[str] = ()
    provider: str = ""
    believed: bool = False
    until: str = ""
    table: str = ""
    guests: Sequence[str] | None = None


def was_that_you(
    mail: Doubtful, *, label: Harmless, name: str, reply_address: str, zone: str = DEFAULT_ZONE
) -> Mail:
    """A mail for the reader's seat came from somewhere else, or nobody vouches for where it came from."""
    is_own = mail.whose == "own"
    return plain(
        "" if mail.guests is not None else label,
        phrase("mails.subjects.question_own") if is_own else phrase("mails.subjects.question"),
        wording.greeting(name),
        _told(mail, zone),
        words=[wording.YES],
        reply_address=reply_address,
    )


def _told(mail: Doubtful, zone: str) -> list[str]:
    """Where it came from, what it asks for, and what a YES does."""
    asks = [phrase("mails.claimed.orders", orders=mail.orders)] if mail.orders else []
    if mail.guests:
        name = table_name(mail.table)
        asks = [phrase("mails.claimed.table", table=name)] if name else [phrase("mails.claimed.nameless")]
        asks.append(phrase("mails.claimed.guests", names=[one_line(guest) for guest in mail.guests]))
    told = [
        phrase(f"mails.was_that_you.{mail.whose}", address=one_line(mail.address)),
        *asks,
        phrase("mails.was_that_you.no"),
        phrase(f"mails.was_that_you.{mail.whose}_yes"),
    ]
    if mail.provider:
        provider = one_line(mail.provider)
        told.insert(1, phrase("mails.how_it_came.provider", provider=provider))
        if mail.believed:
            told.append(phrase("mails.how_it_came.believed", provider=provider))
        else:
            told.append(phrase("mails.how_it_came.alone"))
    if mail.until:
        told.append(phrase("mails.how_it_came.until", time=moment(mail.until, zone)))
    return told


def is_this_you(*, label: Harmless, whose: Whose, reply_address: str) -> Mail:
    """To an address that a player of this table has named as theirs; nothing to answer if it is `taken`."""
    yes = ["taken"] if whose == "taken" else ["no", "yes"]
    return plain(
        label,
        phrase("mails.subjects.claim"),
        wording.TO_NOBODY,
        [phrase(f"mails.claim.{what}", label=label) for what in ("named", *yes)],
        words=[] if whose == "taken" else [wording.YES],
        reply_address=reply_address,
    )
