"""Who wrote a mail: the token in the address, and the address it came from. Both must fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from felix_async.address import Token, check_token, decode_token, token_in
from felix_async.inbox.reader import Letter
from felix_async.words import AWAY_SUBJECTS, LOOP_HEADER
from felix_events.store.base import Reader, SeatRow


class NotAPlayer(Exception):
    """The mail is not acted on; `str()` says why, for the operator."""


class ByAMachine(NotAPlayer):
    """The mail is an automatic answer, a bounce or a list's: nobody needs to look at it."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A player who wrote, and the token that the mail was addressed to."""

    seat: SeatRow
    token: Token
    token_text: str


def seat_of(reader: Reader, address: str, mailbox: str) -> Writer | None:
    """The seat that an address of ours is for; None where it is not ours or its token is not good."""
    text = token_in(address, mailbox)
    token = decode_token(text) if text else None
    if text is None or token is None:
        return None
    seat = next((row for row in reader.seats(token.game_id) if row.seat == token.seat), None)
    # An imported game's seats have no secret, and nobody may write for them.
    if seat is None or not seat.secret or not check_token(text, seat.secret):
        return None
    return Writer(seat, token, text)


def player_of(reader: Reader, recipient: str, mailbox: str, letter: Letter) -> Writer:
    """The player who wrote this letter to this address. Raises NotAPlayer, or ByAMachine."""
    machine = machine_mark(letter.headers)
    if machine is not None:
        raise ByAMachine(f"written by a machine ({machine})")
    writer = seat_of(reader, recipient, mailbox)
    if writer is None:
        raise NotAPlayer("the address holds no valid token")
    if writer.seat.address is None or letter.sender != writer.seat.address:
        raise NotAPlayer("the sender is not the player of this seat")
    return writer


def machine_mark(headers: Mapping[str, str]) -> str | None:
    """The header by which a mail gives itself away as written by a machine, None where a person wrote it."""
    if headers.get("auto-submitted", "no").split(";")[0].strip().lower() != "no":
        return "Auto-Submitted"
    if headers.get("precedence", "").strip().lower() in ("bulk", "junk", "list"):
        return "Precedence"
    if headers.get("return-path", "").strip() == "<>":
        return "Return-Path"
    if headers.get("subject", "").strip().lower().startswith(AWAY_SUBJECTS):
        return "Subject"
    # People's mail from Exchange may carry the first of these two; a rule's answer carries both.
    if "x-auto-response-suppress" in headers and "x-ms-exchange-inbox-rules-loop" in headers:
        return "x-ms-exchange-inbox-rules-loop"
    telling = ("list-id", "x-autoreply", "x-autorespond", LOOP_HEADER.lower())
    return next((name for name in telling if name in headers), None)
