"""Finds who wrote a message: by the token in our address, and the address it came from. Both must fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.utils import parseaddr
from hashlib import sha256
from typing import Final

from felix_async.address import Token, check_token, decode_token, token_in
from felix_async.reading.reader import Reading
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Mail, SeatRow

_PLACES: Final = ("to", "delivered-to", "x-original-to", "envelope-to")
"""Headers that may name the address a mail was sent to, if the envelope does not."""
_MAX_REFERENCES: Final = 20
_MESSAGE_ID: Final = re.compile(r"<[^<>\s]{1,250}>")


class InDoubt(Exception):
    """The mail is for a seat, and may be its player's: whoever sits there can say so. `str()` says why."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A player who wrote, and the token that the mail was addressed to."""

    seat: SeatRow
    token: Token
    token_text: str


def seat_of(reader: Reader, address: str, mailbox: str) -> Writer | None:
    """The seat that an address of ours is for; None if it is not ours or its token is not good."""
    text = token_in(address, mailbox)
    token = decode_token(text) if text else None
    if text is None or token is None:
        return None
    seat = next((row for row in reader.seats(token.game_id) if row.seat == token.seat), None)
    # An imported game's seats have no secret, and nobody may write for them.
    if seat is None or not seat.secret or not check_token(text, seat.secret):
        return None
    return Writer(seat, token, text)


def seat_in(reader: Reader, mailbox: str, reading: Reading) -> Writer | None:
    """The seat that a mail is for if its envelope does not say so.

    Some mail programs answer to From and leave Reply-To alone, and some servers cut `+token` off; then the
    letter that a mail refers to tells what it answers.
    """
    for address in _addresses_in(reading, mailbox):
        writer = seat_of(reader, address, mailbox)
        if writer is not None and writer.token.purpose != "bounce":
            return writer
    for message_id in referred_to(reading):
        ours = reader.letter_with(message_id)
        if ours is not None:
            reply_to = message_from_bytes(ours.raw, policy=policy.default)["Reply-To"]
            writer = seat_of(reader, parseaddr(str(reply_to or ""))[1], mailbox)
            # A question is answered at its own address only: that was told to nobody but the player.
            return writer if writer is not None and writer.token.purpose == "move" else None
    return None


def letter_answered(reader: Reader, mailbox: str, mail: Mail, reading: Reading) -> bytes:
    """The letter that a mail answers, b'' if it is not known any more.

    A letter to another seat, or to another stranger, is none: what it says must not be found out by
    answering it.
    """
    writer = seat_of(reader, mail.recipient, mailbox) or seat_in(reader, mailbox, reading)
    known = (reader.letter_with(message_id) for message_id in referred_to(reading))
    letters = (letter for letter in known if letter is not None and letter.raw)
    if writer is None:
        theirs = (one.raw for one in letters if not one.game_id and one.recipient == reading.sender)
    else:
        to = (writer.seat.game_id, writer.seat.seat)
        theirs = (one.raw for one in letters if (one.game_id, one.seat) == to)
    return next(theirs, b"")


def check_sender(writer: Writer, reading: Reading, *, is_believed: bool = False) -> None:
    """Raise InDoubt if the mail is not, or not surely, from the player of this seat.

    Unless it `is_believed`, our mail server must vouch for the sender, if one is asked.
    """
    if reading.sender not in writer.seat.addresses:
        raise InDoubt("the sender is not the player of this seat")
    if not is_believed:
        check_vouched(reading)


def has_left(reader: Reader, player_id: str, address: str) -> bool:
    """Return True if the player's mail goes elsewhere since an ADDRESS: somebody else may read it here."""
    rows = reader.addresses(player_id)
    own = [row.stopped for row in rows if row.address == address]
    return own == ["moved"] or (own == ["bounces"] and any(row.chosen for row in rows))


def check_vouched(reading: Reading) -> None:
    """Raise InDoubt if our mail server is asked, and does not vouch for the sender."""
    if reading.vouching.server and not reading.vouching.is_given:
        raise InDoubt(f"{reading.vouching.server} does not vouch for the sender")


def _addresses_in(reading: Reading, mailbox: str) -> Iterator[str]:
    """Addresses of ours with a token, in the headers that may name one."""
    local, _, host = mailbox.partition("@")
    ours = re.compile(rf"{re.escape(local)}\+[a-z2-7]{{1,60}}@{re.escape(host)}")
    for name in _PLACES:
        # A few handlers of links write the plus sign as it stands in a link.
        yield from ours.findall(reading.headers.get(name, "").lower().replace("%2b", "+"))


def referred_to(reading: Reading) -> list[str]:
    """The Message-IDs that a mail answers, the nearest first."""
    named = [reading.headers.get(name, "") for name in ("references", "in-reply-to")]
    found = _MESSAGE_ID.findall(" ".join(named))
    return list(dict.fromkeys(reversed(found)))[:_MAX_REFERENCES]


def attribute(tx: Tx, mail: Mail, reading: Reading, writer: Writer | None) -> None:
    """Say whose mail this is, as far as its sender tells: it goes with them when they are forgotten."""
    if writer is not None and reading.sender in writer.seat.addresses:
        player: str | None = writer.seat.player_id
    else:
        player = tx.player_at(reading.sender) if reading.sender else None
    if player is not None:
        tx.attribute_mail(mail.mail_id, player)


def key_of(token_text: str, reading: Reading) -> str:
    """Return what a mail is known by: where it went, and its Message-ID, or what it says if it has none."""
    return sha256(f"{token_text}\n{reading.message_id or reading.content_sha256}".encode()).hexdigest()
