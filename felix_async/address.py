"""Mail addresses that are capabilities: `felix+<token>@host` names a seat, a purpose, a turn and a row.

    token = base32(version 1 || purpose 1 || seat 1 || turn 2 || row 1 || game id || mac 10)

in lower case and without padding (the numbers are bytes; the row is 8 times the round, and how many cards of
it lie open). The first version had no row.
The mac is the first 10 bytes of HMAC-SHA256 over everything before it, under a secret of that seat alone:
who knows a token may act for that seat, a new secret revokes all older tokens of the seat, and nobody
can make one. Base32, because mail servers change the case of addresses.

>>> secret = bytes(32)
>>> token = encode_token(Token("k7m2p", 2, "move", 17, Row(3, 2)), secret)
>>> decode_token(token.upper()), check_token(token, secret)
(Token(game_id='k7m2p', seat=2, purpose='move', turn=17, row=Row(round=3, turned=2)), True)
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from dataclasses import dataclass
from typing import Final, Literal, get_args

from felix_async.game.moment import NOT_SAID, Row

Purpose = Literal["move", "bounce", "question"]
"""What an address is for: orders, bounces of our own letters, or the answer to a question of ours.

For a question `Token.turn` is its number among those of the seat; for a bounce it is 0.
"""
TRIAL: Final = "trial"
"""Stands behind the plus where `felix doctor` tries whether such mail arrives; it is no token."""
_PURPOSES: Final[tuple[Purpose, ...]] = get_args(Purpose)
_VERSION: Final = 2
_WITHOUT_ROW: Final = 1
"""The version of the addresses that were given out before there was one."""
_ROW: Final = 8
"""More than the cards of a row."""
_HEAD: Final = 5
"""The bytes before the row, or before the game id."""
_MAC: Final = 10
_GAME_ID: Final = re.compile(r"[a-z2-9]{3,12}")
_TOKENS: Final = re.compile(
    # Behind a plus, as it stands in links and in quoted-printable, too; or alone: all begin with a version.
    r"(?P<plus>\+|%2b|=2b)[a-z2-7=\r\n]{20,200}(?=@|%40|=40|$)|a[ei][abc][a-z2-7]{26,200}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """The meaning of an address: the number of the seat's decision that it was sent for, and the row then."""

    game_id: str
    seat: int
    purpose: Purpose
    turn: int
    row: Row = NOT_SAID


def encode_token(token: Token, secret: bytes) -> str:
    """The token as it stands in an address: at most 45 lower-case letters and digits."""
    purpose = _PURPOSES.index(token.purpose)
    head = bytes((_VERSION, purpose, token.seat)) + token.turn.to_bytes(2)
    body = head + bytes((token.row.round * _ROW + token.row.turned,)) + token.game_id.encode("ascii")
    return base64.b32encode(body + _mac(body, secret)).decode("ascii").rstrip("=").lower()


def decode_token(text: str) -> Token | None:
    """Decode a token without checking it; None if the text is none."""
    body = _body(text)
    if body is None or len(body) < _HEAD or body[1] >= len(_PURPOSES):
        return None
    rest, row = body[_HEAD:], NOT_SAID
    if body[0] == _VERSION:
        rest, row = rest[1:], Row(*divmod(int.from_bytes(rest[:1]), _ROW))
    elif body[0] != _WITHOUT_ROW:
        return None
    game_id = rest.decode("ascii", "replace")
    if not _GAME_ID.fullmatch(game_id):
        return None
    return Token(game_id, body[2], _PURPOSES[body[1]], int.from_bytes(body[3:_HEAD]), row)


def check_token(text: str, secret: bytes) -> bool:
    """Return True if a token was made with this secret, in constant time."""
    raw = _raw(text)
    return raw is not None and hmac.compare_digest(raw[-_MAC:], _mac(raw[:-_MAC], secret))


def address_of(mailbox: str, token: str) -> str:
    """`felix@host` and a token as `felix+token@host`."""
    local, host = mailbox.rsplit("@", 1)
    return f"{local}+{token}@{host}"


def token_in(address: str, mailbox: str) -> str | None:
    """The token in an address of this mailbox, '' if it has none; None if the address is not ours."""
    local, _, host = address.lower().rpartition("@")
    our_local, _, our_host = mailbox.lower().rpartition("@")
    name, _, token = local.partition("+")
    return token if (name, host) == (our_local, our_host) else None


def without_tokens(text: str) -> str:
    """The text with every token in it blanked: who reads a log or a list must not be able to move.

    >>> without_tokens("to felix+aeaackl2nm4g26joopq4xqcbpqeg4@felix.test")
    'to felix+…@felix.test'
    """
    return _TOKENS.sub(lambda found: f"{found['plus'] or ''}…", text)


def _mac(body: bytes, secret: bytes) -> bytes:
    return hmac.digest(secret, body, "sha256")[:_MAC]


def _raw(text: str) -> bytes | None:
    if not (text.isascii() and text.isalnum()):
        return None
    padded = text.upper() + "=" * (-len(text) % 8)
    try:
        raw = base64.b32decode(padded)
    except (binascii.Error, ValueError):
        return None
    # Unused bits in the last letter would let several texts stand for one token.
    canonical = base64.b32encode(raw).decode("ascii") == padded
    return raw if canonical and len(raw) > _MAC else None


def _body(text: str) -> bytes | None:
    raw = _raw(text)
    return None if raw is None else raw[:-_MAC]
