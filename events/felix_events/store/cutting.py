"""Cut down messages that name who was forgotten: what others need to prove their own moves is left.

That is the Message-ID, and each line that a private record of a log took from the mail, if it stands in it;
of an order whose line a record leaves out, since it may name somebody, the lines that begin with its word.
The row keeps the hash of all that came in, and its note names the games; the log is not touched. A mail that
no record names is emptied. Until when such mails stay is said in `felix_async.schedule.retention`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Cursor, DatabaseError
from typing import Any, Final

import orjson

from felix_events.store.files import is_damage
from felix_events.store.naming import Person, begun_with, field_of, holds
from felix_events.store.packing import BytesTable, keep_bytes
from felix_events.store.rows import CUT, Change, games_of_cut

_CUT: Final = (
    "X-Felix-Kept: cut\nContent-Type: text/plain; charset=utf-8\nMessage-ID: {message_id}\n\n{lines}"
)
Taken = Callable[[str], Mapping[str, Sequence[tuple[str, str, str]]]]
"""What `taken_by_records` gives of a player."""
_TALK: Final = "SAY"
"""Its words are kept beside the log, as long as they are."""
_BY_MAIL: Final = b'"mail_sha256":"'
"""Stands in the records of what came by mail."""
_RECORDS: Final = (
    "SELECT game_id, private_record FROM events WHERE game_id IN (SELECT value FROM json_each(?))"
    " AND private_record IS NOT NULL AND instr(private_record, ?) ORDER BY game_id, version"
)
_SEATS: Final = (
    "SELECT game_id, seat FROM seats WHERE player_id = :player_id"
    " UNION SELECT game_id, seat FROM former WHERE player_id = :player_id"
)
_CUT_MAIL: Final = (
    "UPDATE inbox SET note = ?, state = CASE state WHEN 'quarantined' THEN 'ignored' ELSE state END"
    " WHERE mail_id = ?"
)


@dataclass(frozen=True, slots=True)
class NamingMail:
    """A mail of somebody else, `owner`, that names a person who is forgotten."""

    mail_id: int
    owner: str | None
    sha256: str
    note: str
    raw: bytes


def cut_mail(mail: NamingMail, taken: Taken, person: Person) -> list[Change]:
    """Return the changes that leave of a mail what it proves, and nothing that names the person."""
    games, lines = games_of_cut(mail.note), list[str]()
    if games:
        lines = mail.raw.partition(b"\n\n")[2].decode("utf-8", "replace").splitlines()
    elif mail.owner is not None:
        found = taken(mail.owner).get(mail.sha256, [])
        games = sorted({game_id for game_id, *_ in found})
        lines = [line for _, line, _ in found if line and holds(mail.raw, line)]
        lines += [line for *_, order in found if order for line in begun_with(mail.raw, order)]
    cut = b""
    if games:
        message_id = person.without(field_of(mail.raw, b"message-id").decode("utf-8", "replace"))
        kept = "".join(f"{person.without(line)}\n" for line in dict.fromkeys(lines))
        cut = _CUT.format(message_id=message_id, lines=kept).encode()
    note = f"{CUT}{' '.join(games)}" if games else ""
    return [*bytes_kept("inbox_bytes", mail.mail_id, cut), (_CUT_MAIL, (note, mail.mail_id))]


def bytes_kept(table: BytesTable, row_id: int, raw: bytes = b"") -> list[Change]:
    """How these bytes are kept in place of those of before, or none."""
    changes: list[Change] = []

    def note(statement: str, values: Sequence[Any]) -> None:
        changes.append((statement, values))

    keep_bytes(note, table, row_id, raw)
    return changes


def taken_by_records(sql: Callable[..., Cursor], player_id: str) -> dict[str, list[tuple[str, str, str]]]:
    """Return, by the hash of a mail, which games of this player name it in a record, and each line; the
    order if its line is left out.
    """
    # Here, because it brings every kind of event along, and readers of other tables need none.
    from felix_events.envelope import game_of, lines_of, seat_log_id

    logs = set[str]()
    for game_id, seat in sql(_SEATS, {"player_id": player_id}):
        logs |= {game_id, seat_log_id(game_id, seat)}
    try:
        rows = sql(_RECORDS, (orjson.dumps(sorted(logs)).decode(), _BY_MAIL)).fetchall()
    except DatabaseError as error:
        if not is_damage(error):
            raise
        # A damaged page must not keep somebody waiting who wants to be forgotten.
        rows = []
    taken = defaultdict[str, list[tuple[str, str, str]]](list)
    for log_id, text in rows:
        record = orjson.loads(text)
        # Of schema 1 the order is the line as it was read; of later ones it is canonical.
        line, order = record.get("line", record["order"]), record["order"] or ""
        left_out = "" if line is not None or order == _TALK else order
        taken[record["mail_sha256"]] += [(game_of(log_id), one, left_out) for one in lines_of(line or "")]
    return taken
