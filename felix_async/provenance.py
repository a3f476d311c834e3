"""The way from a version of a game's log to who did it and by what: the record, the line, the mail.

The first event of a step names a private record, and the others follow from it by the rules. A move by an
order given in advance has a record without a mail: the words stand in the record of that order, in the seat's
own log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from felix_async.address import decode_token, token_in
from felix_async.audit.causes import cause_of
from felix_async.audit.evidence import Evidence
from felix_async.audit.private import opened_there
from felix_async.audit.redacted import OWN_DEEDS
from felix_async.audit.seat_logs import named_in, own_logs
from felix_async.game.commands import is_move, order_text
from felix_async.game.names import Names
from felix_async.game.state import initial_state
from felix_async.language.words import WORD_OF
from felix_events.envelope import Actor, Channel, Envelope, Private, PrivateV2
from felix_events.model import PLAYED, Event, OrderGiven, SeatTaken
from felix_events.store.base import Reader
from felix_events.store.rows import Mail

Missing = Literal["", "none", "unknown", "erased", "pruned"]
"""Why there is no mail to show: no mail caused it, none with this hash came here, its text was erased with a
player, or is gone by age."""
_BY_OTHERS: Final = ("computer", "clock")
_NAME_A_SEAT: Final = tuple(WORD_OF[word] for word in ("HOST", "UNINVITE", "STANDS", "HANDOVER"))
"""The orders behind which a record has the number of a seat."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The cause of the step that begins at `version`: who gave the command, and in which words.

    `seat` is None, and `name` '', if the host did it, or no seat; `name` is that of then, as are `names`.
    `record` is the step's own, `said` the one with the words: the order's, if it was given in advance, which
    has the version `given` in the seat's own log. They were about the table as it was after `until`.
    """

    version: int
    actor: Actor
    seat: int | None
    name: str
    record: Private
    said: Private
    given: int | None
    until: int
    names: Sequence[str]

    @property
    def channel(self) -> Channel:
        """The way by which the command came."""
        return self.record.channel

    @property
    def line(self) -> str | None:
        """The line as it was written, None if that is not kept."""
        return self.said.line if isinstance(self.said, PrivateV2) else None

    @property
    def order(self) -> str:
        """The order, '' if there was none; a player whom it names by the seat has the name of then.

        Of the order of a record no more than the seat is kept, so that somebody can be forgotten.
        """
        order = self.said.order or ""
        word, _, seat = order.rpartition(" ")
        if word not in _NAME_A_SEAT or not seat.isdecimal() or int(seat) >= len(self.names):
            return order
        return f"{word} {self.names[int(seat)]}"

    @property
    def message_id(self) -> str | None:
        """The Message-ID of the mail, if it had one."""
        return self.said.message_id if isinstance(self.said, PrivateV2) else None


@dataclass(frozen=True, slots=True)
class Found:
    """The mail of a step in the inbox, and the one whose words it said YES to, if it did no more."""

    mail: Mail | None
    missing: Missing = ""
    asked_about: int | None = None


def public_part(event: Event) -> str:
    """Return what a move is to everybody, as an order; '' for any other event.

    The line that made it may say more, as `BID 9, NEXT 11` does.
    """
    move = cause_of(event, initial_state(), ()) if isinstance(event, PLAYED) else None
    return order_text(move) if move is not None and is_move(move) else ""


def began_at(envelopes: Sequence[Envelope], version: int) -> int:
    """Return the version of the event that somebody caused, and that this one is, or follows from."""
    return next((at for at in range(version, 0, -1) if envelopes[at - 1].actor != "rules"), 1)


def provenances(evidence: Evidence, envelopes: Sequence[Envelope], names: Names) -> dict[int, Provenance]:
    """Return the causes of the steps whose private records are there, by the version of their first event.

    Raises Flaw.
    """
    ordered, own = named_in(evidence).ordered, own_logs(evidence, envelopes)
    orders = {
        (seat, version): (log.envelopes[version - 1], record)
        for seat, log in own.items()
        for version, record in log.records.items()
    }
    return {
        version: _provenance(envelopes[version - 1], record, orders.get(ordered.get(version, (-1, 0))), names)
        for version, record in opened_there(evidence, envelopes).items()
    }


def mail_of(reader: Reader, found: Provenance, game_id: str, mailbox: str) -> Found:
    """Return the mail by which a step was caused, as the inbox has it."""
    if found.said.mail_sha256 is None:
        return Found(None, "none")
    mail = dealt_with(reader.mails(sha256=found.said.mail_sha256))
    if mail is None:
        return Found(None, "unknown")
    missing: Missing = "" if mail.raw else "pruned" if mail.sender else "erased"
    return Found(mail, missing, _asked_about(reader, found, mail, game_id, mailbox))


def dealt_with(mails: Sequence[Mail]) -> Mail | None:
    """Return that of several mails of the same bytes which was dealt with, else the first."""
    return next((one for one in mails if one.state == "done"), next(iter(mails), None))


def _provenance(
    envelope: Envelope, record: Private, by: tuple[Envelope, Private] | None, names: Names
) -> Provenance:
    event, version = envelope.data, envelope.version
    is_own = isinstance(event, (*OWN_DEEDS, SeatTaken)) and envelope.actor != "host"
    is_own |= envelope.actor in _BY_OTHERS
    seat: int | None = getattr(event, "seat", None) if is_own else None
    given, said, until = None, record, version - 1
    if by is not None:
        given, said = by[0].version, by[1]
        until = by[0].data.size if isinstance(by[0].data, OrderGiven) else until
    then = names.at(version)
    name = "" if seat is None else then[seat]
    return Provenance(version, envelope.actor, seat, name, record, said, given, until, then)


def _asked_about(reader: Reader, found: Provenance, mail: Mail, game_id: str, mailbox: str) -> int | None:
    """Return the mail about which felix asked, if this one only said YES to that."""
    order, line = found.said.order or "", found.line
    if found.seat is None or line is None or line.casefold() == order.casefold():
        return None
    token = decode_token(token_in(mail.recipient, mailbox) or "")
    if token is None:
        return None
    questions = reader.questions(game_id, found.seat)
    asked = [one for one in questions if (one.kind, one.state) == ("order", "yes")]
    if token.purpose == "question":
        asked = [one for one in asked if one.number == token.turn]
    else:
        asked = [one for one in asked if (one.text, one.turn) == (order, token.turn)]
    if any(one.mail_id == mail.mail_id for one in asked):
        return None  # these are the words that were taken, and done when their time had come
    return next((one.mail_id for one in reversed(asked) if one.mail_id < mail.mail_id), None)
