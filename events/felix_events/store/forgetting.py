"""Erasing a person: which rows are theirs, and what stays of letters to others, who were told their name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from sqlite3 import Cursor
from typing import Final

from felix_events.store.naming import Person
from felix_events.store.packing import keep_bytes, raw_of

_KEPT: Final = (b"message-id", b"reply-to")
"""By these an answer to a letter is known: which letter, and which address of ours."""
_FIELD: Final = re.compile(rb"^[^\s:][^:\n]*:.*\n?(?:[ \t].*\n?)*", re.MULTILINE)
NOBODY: Final = ("", "<>")
"""The envelope's sender of a bounce."""

_ADDRESSES: Final = (
    "SELECT address FROM addresses WHERE player_id = :me"
    # What another player writes from, too, is theirs to keep.
    " UNION SELECT address FROM adopted WHERE player_id = :me"
    " AND address NOT IN (SELECT address FROM addresses WHERE player_id != :me)"
    " AND address NOT IN (SELECT address FROM adopted WHERE player_id != :me)"
)
_EMPTY_MAIL: Final = (
    "UPDATE inbox SET sender = '', note = '',"
    " state = iif(state IN ('new', 'quarantined'), 'ignored', state) WHERE mail_id = ?"
)
_NAMES: Final = (
    "SELECT name FROM seats WHERE player_id = :me UNION SELECT name FROM former WHERE player_id = :me"
)
_MINE: Final = (
    # In a seat that was lost sits somebody else: what they got is among what others were told.
    "(SELECT game_id, seat FROM seats WHERE player_id = :me"
    " UNION SELECT game_id, -1 FROM former WHERE player_id = :me) AS mine"
)
_NEAR: Final = (
    # Who sits or sat at a table of theirs.
    f"SELECT player_id FROM seats JOIN {_MINE} USING (game_id)"  # noqa: S608 - constants
    f" UNION SELECT player_id FROM former JOIN {_MINE} USING (game_id)"
)
_SAID: Final = (
    "SELECT text FROM sayings WHERE text != ''"
    " AND :me = coalesce((SELECT player_id FROM former WHERE former.game_id = sayings.game_id"
    " AND former.seat = sayings.seat AND former.version > sayings.version ORDER BY version LIMIT 1),"
    " (SELECT player_id FROM seats WHERE seats.game_id = sayings.game_id AND seats.seat = sayings.seat))"
)
_QUESTIONS: Final = (
    "SELECT game_id, seat, number, text, game_id IN"  # noqa: S608 - constants
    f" (SELECT game_id FROM {_MINE}) FROM questions WHERE text != ''"
)
REPEATING: Final = ("answer", "question", "claim", "substitute", "seat_closed")
"""Notices that may repeat an address which somebody else has written."""
_PAYLOADS: Final = f"SELECT notice_id, payload FROM notices WHERE kind IN {REPEATING} AND payload LIKE '%@%'"  # noqa: S608 - constants
_EMPTY_NAMING: Final = (
    "UPDATE inbox SET note = '', state = iif(state = 'quarantined', 'ignored', state) WHERE mail_id = ?"
)
_ASKED_ABOUT: Final = (
    "UPDATE questions SET state = 'dropped' WHERE mail_id = ? AND state = 'open' AND kind = 'sender'"
)
_EMPTY_QUESTION: Final = (
    "UPDATE questions SET text = '', state = iif(state = 'open', 'dropped', state)"
    " WHERE game_id = ? AND seat = ? AND number = ?"
)
_OTHERS_NOTICES: Final = (
    f"SELECT notice_id, about FROM notices JOIN {_MINE} USING (game_id)"  # noqa: S608 - constants
    " WHERE mine.seat != notices.seat AND about LIKE '%@%'"
)
_OTHERS_LETTERS: Final = (
    f"SELECT letter_id FROM letters JOIN {_MINE} USING (game_id)"  # noqa: S608 - constants
    " WHERE mine.seat != letters.seat AND state != 'ready'"
    # One letter may tell about several games.
    " UNION SELECT letter_id FROM letters JOIN notices USING (letter_id)"
    f" JOIN {_MINE} ON mine.game_id = notices.game_id"
    " WHERE mine.seat != notices.seat AND state != 'ready'"
)
_CUT_LETTER: Final = (
    # One that could not be sent cannot be sent again.
    "UPDATE letters SET state = iif(state = 'failed', 'dropped', state) WHERE letter_id = ?"
)
_TO_THEM: Final = (
    "(game_id, seat) IN (SELECT game_id, seat FROM seats WHERE player_id = :me)"
    " OR (recipient IN (SELECT address FROM addresses WHERE player_id = :me)"
    " AND ((game_id, seat) IN (SELECT game_id, seat FROM former WHERE player_id = :me)"
    " OR letter_id IN (SELECT letter_id FROM notices WHERE kind IN ('substitute', 'seat_closed'))))"
)
_FORGET: Final = (
    "UPDATE questions SET text = '', state = iif(state = 'open', 'dropped', state)"
    " WHERE (game_id, seat) IN (SELECT game_id, seat FROM seats WHERE player_id = :me)",
    # A notice is one of its kind by what it is about, which may be an address.
    "UPDATE notices SET payload = '{}', settled = 1,"
    " about = iif(about LIKE '%@%', 'erased ' || notice_id, about)"
    " WHERE (game_id, seat) IN (SELECT game_id, seat FROM seats WHERE player_id = :me)",
    "UPDATE notices SET payload = '{}', settled = 1 WHERE EXISTS (SELECT 1 FROM former"
    " WHERE former.player_id = :me AND former.game_id = notices.game_id AND former.seat = notices.seat"
    " AND (notices.version < former.version OR notices.kind = 'seat_lost'))",
    f"UPDATE notices SET payload = '{{}}' WHERE game_id IN (SELECT game_id FROM {_MINE}) AND settled = 1",  # noqa: S608 - constants
    f"DELETE FROM letter_bytes WHERE letter_id IN (SELECT letter_id FROM letters WHERE {_TO_THEM})",  # noqa: S608 - constants
    "UPDATE letters SET recipient = '', note = '',"  # noqa: S608 - constants
    f" state = iif(state IN ('ready', 'failed'), 'dropped', state) WHERE {_TO_THEM}",
    # Who has a seat now need not have had it when something was said there.
    f"UPDATE sayings SET text = '', salt = x'' WHERE game_id IN (SELECT game_id FROM {_MINE})"  # noqa: S608 - constants
    " AND :me = coalesce((SELECT player_id FROM former WHERE former.game_id = sayings.game_id"
    " AND former.seat = sayings.seat AND former.version > sayings.version ORDER BY version LIMIT 1),"
    " (SELECT player_id FROM seats WHERE seats.game_id = sayings.game_id AND seats.seat = sayings.seat))",
    "DELETE FROM held WHERE player_id = :me",
    "DELETE FROM beliefs WHERE player_id = :me",
    "DELETE FROM choices WHERE player_id = :me",
    "DELETE FROM adopted WHERE player_id = :me",
    "DELETE FROM addresses WHERE player_id = :me",
    "UPDATE seats SET name = '', secret = x'' WHERE player_id = :me",
    "UPDATE former SET name = '' WHERE player_id = :me",
)


def cut_down(raw: bytes) -> bytes:
    """What stays of a letter that named somebody who was forgotten: two header fields, and no text.

    >>> cut_down(b"To: ben@example.org\\nMessage-ID: <1@felix>\\nReply-To:\\n felix@here.org\\n\\nAnna.\\n")
    b'Message-ID: <1@felix>\\nReply-To:\\n felix@here.org\\n\\n'
    """
    head, _, _ = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    fields = [field.group() for field in _FIELD.finditer(head)]
    kept = [field.rstrip(b"\n") for field in fields if field.partition(b":")[0].strip().lower() in _KEPT]
    return b"".join(field + b"\n" for field in kept) + b"\n" if kept else b""


def is_cut(raw: bytes) -> bool:
    """Whether a letter was erased or cut down, and is nothing to send."""
    return raw == cut_down(raw)


def names_one_of(text: str | bytes, addresses: Collection[str]) -> bool:
    """Whether one of these addresses stands in a text, in letters of any size."""
    found = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return any(address.lower() in found.lower() for address in addresses)


def forget_in_tables(sql: Callable[..., Cursor], player_id: str) -> None:
    """`Tx.forget` in SQL, on a connection that is in a transaction."""
    me = {"me": player_id}
    addresses = [address for (address,) in sql(_ADDRESSES, me)]
    person = Person(addresses, [name for (name,) in sql(_NAMES, me)], [text for (text,) in sql(_SAID, me)])
    for mail_id in _mails_in_tables(sql, player_id, addresses):
        keep_bytes(sql, "inbox_bytes", mail_id, b"")
        sql(_EMPTY_MAIL, (mail_id,))
        # Another player may have been asked about a mail from this address.
        sql("DELETE FROM held WHERE mail_id = ?", (mail_id,))
    for mail_id in _naming_in_tables(sql, player_id, person):
        keep_bytes(sql, "inbox_bytes", mail_id, b"")
        sql(_EMPTY_NAMING, (mail_id,))
        sql("DELETE FROM held WHERE mail_id = ?", (mail_id,))
        sql(_ASKED_ABOUT, (mail_id,))
    for game_id, seat, number, text, is_near in sql(_QUESTIONS, me).fetchall():
        if names_one_of(text, addresses) or (is_near and person.is_called_in(text)):
            sql(_EMPTY_QUESTION, (game_id, seat, number))
    for notice_id, payload in sql(_PAYLOADS).fetchall():
        if names_one_of(payload, addresses):
            sql("UPDATE notices SET payload = '{}', settled = 1 WHERE notice_id = ?", (notice_id,))
    for notice_id, about in sql(_OTHERS_NOTICES, me).fetchall():
        if names_one_of(about, addresses):
            sql("UPDATE notices SET about = 'erased ' || notice_id WHERE notice_id = ?", (notice_id,))
    near = {letter_id for (letter_id,) in sql(_OTHERS_LETTERS, me)}
    for letter_id in near | _letters_naming(sql, person):
        row = sql(
            "SELECT size, dictionary, data FROM letter_bytes WHERE letter_id = ?", (letter_id,)
        ).fetchone()
        keep_bytes(sql, "letter_bytes", letter_id, cut_down(raw_of(row)))
        sql(_CUT_LETTER, (letter_id,))
    for statement in _FORGET:
        sql(statement, me)


def _naming_in_tables(sql: Callable[..., Cursor], player_id: str, person: Person) -> list[int]:
    """Mails of others that were dealt with and name this person.

    An address is looked for in all of them, a name where the writer sits or sat at one table with its owner.
    """
    near = {other for (other,) in sql(_NEAR, {"me": player_id})} - {player_id}
    rows = sql(
        "SELECT mail_id, player_id, size, dictionary, data FROM inbox JOIN inbox_bytes USING (mail_id)"
        " WHERE state != 'new'"
    )
    return [
        mail_id
        for mail_id, owner, *kept in rows
        if person.is_named_in(raw := raw_of(kept)) or (owner in near and person.is_meant_in(raw))
    ]


def _letters_naming(sql: Callable[..., Cursor], person: Person) -> set[int]:
    """Letters about other games that repeat what somebody wrote there, with an address of this person."""
    rows = sql(
        "SELECT letter_id, size, dictionary, data FROM letters JOIN letter_bytes USING (letter_id)"
        " WHERE state != 'ready'"
    )
    return {letter_id for letter_id, *kept in rows if person.is_named_in(raw_of(kept))}


def _mails_in_tables(sql: Callable[..., Cursor], player_id: str, addresses: list[str]) -> set[int]:
    """The mails of a player: attributed, held, or from one of their addresses; and bounces that name one."""
    theirs = {mail_id for (mail_id,) in sql("SELECT mail_id FROM inbox WHERE player_id = ?", (player_id,))}
    theirs |= {mail_id for (mail_id,) in sql("SELECT mail_id FROM held WHERE player_id = ?", (player_id,))}
    own = {address.lower() for address in addresses}
    senders = sql("SELECT mail_id, sender FROM inbox").fetchall()
    maybe = [(mail_id, sender) for mail_id, sender in senders if sender in NOBODY or sender.lower() in own]
    for mail_id, sender in maybe:
        owner, *kept = sql(
            "SELECT player_id, size, dictionary, data FROM inbox LEFT JOIN inbox_bytes USING (mail_id)"
            " WHERE mail_id = ?",
            (mail_id,),
        ).fetchone()
        if owner is None and (sender not in NOBODY or names_one_of(raw_of(kept), addresses)):
            theirs.add(mail_id)
    return theirs
