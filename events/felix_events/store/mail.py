"""The SQL of mail: what came in, what is owed, and the letters that go out, on one connection."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from hashlib import sha256
from operator import attrgetter
from typing import Any, Literal

from felix_events.store.errors import Damaged
from felix_events.store.packing import keep_bytes, raw_of
from felix_events.store.remembering import Remembering, columns, remembered
from felix_events.store.rows import (
    Backlog,
    Delivered,
    Letter,
    LetterLine,
    LetterState,
    Mail,
    MailLine,
    MailState,
    NoticeRow,
    games_of_cut,
    lane_of,
)

log = logging.getLogger(__name__)

_MAIL = (
    "SELECT mail_id, received_at, recipient, sender, sha256, state, tries, key, note, player_id, retried,"
    " size, dictionary, data FROM inbox LEFT JOIN inbox_bytes USING (mail_id)"
)
_TELLING = "SELECT max(letter_id) FROM notices WHERE game_id = ? AND seat = ? AND kind = 'turn' AND turn = ?"
_REMINDED = (
    "SELECT about FROM notices WHERE game_id = ? AND seat = ? AND kind = 'reminder' AND turn = ?"
    " ORDER BY notice_id"
)
_NOTICE = f"SELECT {columns(NoticeRow)} FROM notices"  # noqa: S608 - names of columns
_OWED_TO = (
    f"{_NOTICE} JOIN seats USING (game_id, seat) WHERE player_id = ? AND settled = 0 AND due_at <= ?"
    " ORDER BY notice_id"
)
_LETTER = (
    "SELECT game_id, seat, recipient, message_id, created_at, next_at, state, tries, note, sender, letter_id,"
    " maybe_arrived, size, dictionary, data FROM letters LEFT JOIN letter_bytes USING (letter_id)"
)
_MAIL_LINE = (
    "SELECT mail_id, received_at, recipient, sender, coalesce(size, 0) AS size, state, tries, note, player_id"
    " FROM inbox LEFT JOIN inbox_bytes USING (mail_id)"
)
_LETTER_LINE = (
    "SELECT letter_id, game_id, seat, recipient, created_at, next_at, coalesce(size, 0) AS size, state,"
    " tries, note"
    " FROM letters LEFT JOIN letter_bytes USING (letter_id)"
)
_LIVE = "state NOT IN ('failed', 'dropped')"
_ABOUT = (
    "SELECT DISTINCT letter_id FROM notices JOIN letters USING (letter_id)"  # noqa: S608 - a constant
    f" WHERE notices.game_id = ? AND notices.seat = ? AND {_LIVE} ORDER BY letter_id DESC LIMIT ?"
)
_TIDINGS = (
    "FROM tidings JOIN letters USING (letter_id) WHERE tidings.game_id = ? AND tidings.seat = ?"
    f" AND letter_id < coalesce(?, letter_id + 1) AND {_LIVE}"
)
_BACKLOG = (
    "SELECT (SELECT count(*) FROM inbox WHERE state = 'new') AS new,"
    " (SELECT count(*) FROM inbox WHERE state = 'quarantined') AS quarantined,"
    " (SELECT count(*) FROM letters WHERE state = 'ready') AS ready,"
    " (SELECT count(*) FROM letters WHERE state = 'failed') AS failed"
)
# Each is one step in the index `letters_lane`, however many letters wait.
_NEXT_LANE = "SELECT min(lane) FROM letters WHERE state = 'ready' AND lane > ?"
_IN_LANE = (
    "SELECT next_at, letter_id FROM letters WHERE state = 'ready' AND lane = ? AND next_at <= ?"
    " ORDER BY next_at, letter_id LIMIT ?"
)
_GIVE_UP = (
    "UPDATE letters SET state = 'failed', note = ? WHERE state = 'ready' AND created_at < ?"
    " AND lane = coalesce(?, lane)"
)
_MAILS_KEPT = (
    # Few of all rows may have their bytes: those come first, and the others are not looked at.
    "SELECT mail_id, received_at, recipient, sender, size, state, tries, note, player_id FROM"
    " (SELECT mail_id, size FROM inbox_bytes WHERE mail_id > ? ORDER BY mail_id LIMIT ?) AS kept"
    " JOIN inbox USING (mail_id) ORDER BY mail_id"
)
_LETTERS_KEPT = (
    "SELECT letter_id, game_id, seat, recipient, created_at, next_at, size, state, tries, note FROM"
    " (SELECT letter_id, size FROM letter_bytes WHERE letter_id > ? ORDER BY letter_id LIMIT ?) AS kept"
    " JOIN letters USING (letter_id) ORDER BY letter_id"
)
_UNDONE = " UNION ALL ".join(
    # State by state, because each has an index of its own.
    "SELECT mail_id, received_at, recipient, sender, size, state, tries, note, player_id"  # noqa: S608 - constants
    f" FROM inbox JOIN inbox_bytes USING (mail_id) WHERE state = '{state}'"
    " AND mail_id NOT IN (SELECT mail_id FROM held WHERE confirmed < 2)"
    for state in ("quarantined", "ignored", "duplicate")
)
_NOTICE_VALUES = attrgetter("game_id", "version", "seat", "kind", "about", "turn", "due_at", "payload")


class MailReader(Remembering):
    """Questions about mail to one connection."""

    def mails(self, state: MailState | None = None, sha256: str | None = None) -> list[Mail]:
        where, values = _where(state, {"sha256 =": sha256})
        return [_mail(row) for row in self._rows(f"{_MAIL} {where} ORDER BY mail_id", values)]

    def mail(self, mail_id: int) -> Mail | None:
        row = self._row(f"{_MAIL} WHERE mail_id = ?", (mail_id,))
        return None if row is None else _mail(row)

    def mail_lines(
        self, limit: int, state: MailState | None = None, before: int | None = None
    ) -> list[MailLine]:
        where, values = _where(state, {"mail_id <": before})
        rows = self._rows(f"{_MAIL_LINE} {where} ORDER BY mail_id DESC LIMIT ?", (*values, limit))
        return [MailLine(**row) for row in rows]

    def letter_lines(
        self,
        limit: int,
        state: LetterState | None = None,
        before: int | None = None,
        game_id: str | None = None,
    ) -> list[LetterLine]:
        where, values = _where(state, {"letter_id <": before, "game_id =": game_id})
        rows = self._rows(f"{_LETTER_LINE} {where} ORDER BY letter_id DESC LIMIT ?", (*values, limit))
        return [LetterLine(**row) for row in rows]

    def backlog(self) -> Backlog:
        return Backlog(**self._rows(_BACKLOG)[0])

    def next_mail(self, after: int = 0) -> Mail | None:
        row = self._row(f"{_MAIL} WHERE state = 'new' AND mail_id > ? ORDER BY mail_id LIMIT 1", (after,))
        return None if row is None else _mail(row)

    def mail_with(self, key: str) -> Mail | None:
        row = self._row(f"{_MAIL} WHERE key = ? AND state != 'new' LIMIT 1", (key,))
        return None if row is None else _mail(row)

    def pending(self, now: str, game_id: str | None = None) -> list[NoticeRow]:
        where = "" if game_id is None else "AND game_id = ?"
        named = () if game_id is None else (game_id,)
        # The plus keeps SQLite from walking through all notices there ever were, by their ids.
        return self._each(
            NoticeRow,
            f"{_NOTICE} WHERE settled = 0 AND due_at <= ? {where} ORDER BY +notice_id",
            (now, *named),
        )

    def pending_for(self, player_id: str, now: str) -> list[NoticeRow]:
        return self._each(NoticeRow, _OWED_TO, (player_id, now))

    def notices(self, game_id: str, since: str = "") -> list[NoticeRow]:
        return self._each(
            NoticeRow, f"{_NOTICE} WHERE game_id = ? AND due_at > ? ORDER BY notice_id", (game_id, since)
        )

    def letters(self, state: LetterState | None = None) -> list[Letter]:
        where = "" if state is None else "WHERE state = ?"
        rows = self._rows(f"{_LETTER} {where} ORDER BY letter_id", () if state is None else (state,))
        return [_letter(row) for row in rows]

    def letter(self, letter_id: int) -> Letter | None:
        row = self._row(f"{_LETTER} WHERE letter_id = ?", (letter_id,))
        return None if row is None else _letter(row)

    def letter_with(self, message_id: str) -> Letter | None:
        row = self._row(f"{_LETTER} WHERE message_id = ?", (message_id,))
        return None if row is None else _letter(row)

    def letter_lives(self, message_id: str) -> bool | None:
        row = self._sql("SELECT state FROM letters WHERE message_id = ?", (message_id,)).fetchone()
        return None if row is None else row[0] not in ("failed", "dropped")

    def letters_due(self, now: str, limit: int) -> list[Letter]:
        rows = self._rows(
            f"{_LETTER} WHERE state = 'ready' AND next_at <= ? ORDER BY next_at, letter_id LIMIT ?",
            (now, limit),
        )
        return [_letter(row) for row in rows]

    def letters_in_turn(self, now: str, limit: int, without: Collection[str] = ()) -> list[Letter]:
        places: list[tuple[int, str, int]] = []
        lane = ""
        while lane is not None:
            if lane not in without:
                rows = self._sql(_IN_LANE, (lane, now, limit)).fetchall()
                places += [(place, next_at, letter_id) for place, (next_at, letter_id) in enumerate(rows)]
            (lane,) = self._sql(_NEXT_LANE, (lane,)).fetchone()
        letters = [self.letter(letter_id) for _, _, letter_id in sorted(places)[:limit]]
        return [letter for letter in letters if letter is not None]

    def telling(self, game_id: str, seat: int, turn: int) -> Letter | None:
        row = self._row(
            f"{_LETTER} WHERE letter_id = ({_TELLING})",
            (game_id, seat, turn),
        )
        return None if row is None else _letter(row)

    def letters_about(self, game_id: str, seat: int, limit: int) -> list[int]:
        return [letter_id for (letter_id,) in self._sql(_ABOUT, (game_id, seat, limit))]

    def reported_until(self, game_id: str, seat: int, before: int | None = None) -> int | None:
        row = self._sql(f"SELECT max(version) {_TIDINGS} AND said = 0", (game_id, seat, before)).fetchone()
        head: int | None = row[0]
        return head

    def delivered(self, game_id: str, seat: int, before: int | None = None) -> set[int]:
        rows = self._sql(f"SELECT DISTINCT version {_TIDINGS} AND said = 1", (game_id, seat, before))
        return {version for (version,) in rows}

    def reminded(self, game_id: str, seat: int, turn: int) -> list[str]:
        rows = self._sql(_REMINDED, (game_id, seat, turn))
        return [about for (about,) in rows]

    @remembered("notices")
    def notices_in(self, letter_id: int) -> list[NoticeRow]:
        return self._each(NoticeRow, f"{_NOTICE} WHERE letter_id = ? ORDER BY notice_id", (letter_id,))

    def mails_kept(self, after: int, limit: int) -> list[MailLine]:
        return [MailLine(**row) for row in self._rows(_MAILS_KEPT, (after, limit))]

    def letters_kept(self, after: int, limit: int) -> list[LetterLine]:
        return [LetterLine(**row) for row in self._rows(_LETTERS_KEPT, (after, limit))]

    def undone_kept(self) -> list[MailLine]:
        return [MailLine(**row) for row in self._rows(f"{_UNDONE} ORDER BY mail_id DESC")]


class MailTx(MailReader):
    """Changes to mail, in a transaction that somebody else opened."""

    def keep_mail(self, received_at: str, recipient: str, sender: str, raw: bytes) -> int:
        rows = self._sql(
            "INSERT INTO inbox (received_at, recipient, sender, sha256) VALUES (?, ?, ?, ?)"
            " RETURNING mail_id",
            (received_at, recipient, sender, sha256(raw).hexdigest()),
        ).fetchall()
        mail_id = int(rows[0][0])
        keep_bytes(self._sql, "inbox_bytes", mail_id, raw)
        return mail_id

    def settle_mail(self, mail_id: int, state: MailState, *, key: str | None = None, note: str = "") -> None:
        self._sql(
            "UPDATE inbox SET state = ?, key = ?, note = ? WHERE mail_id = ?", (state, key, note, mail_id)
        )

    def attribute_mail(self, mail_id: int, player_id: str) -> None:
        self._sql("UPDATE inbox SET player_id = ? WHERE mail_id = ?", (player_id, mail_id))

    def requeue_mail(self, mail_id: int, note: str, *, retried: bool = False) -> None:
        self._sql(
            "UPDATE inbox SET state = 'new', tries = 0, key = NULL, note = ?, retried = ? WHERE mail_id = ?",
            (note, int(retried), mail_id),
        )

    def try_mail(self, mail_id: int, note: str) -> None:
        self._sql(
            "UPDATE inbox SET tries = tries + 1, note = ?, retried = 0 WHERE mail_id = ?", (note, mail_id)
        )

    def enqueue(self, notice: NoticeRow) -> bool:
        cursor = self._sql(
            "INSERT INTO notices (game_id, version, seat, kind, about, turn, due_at, payload)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            _NOTICE_VALUES(notice),
        )
        return cursor.rowcount == 1

    def bring_forward(self, player_id: str, now: str) -> None:
        self._sql(
            "UPDATE notices SET due_at = ? WHERE settled = 0 AND due_at > ?"
            " AND (game_id, seat) IN (SELECT game_id, seat FROM seats WHERE player_id = ?)",
            (now, now, player_id),
        )

    def settle(self, notice_ids: Iterable[int], letter_id: int | None) -> None:
        for notice_id in notice_ids:
            self._sql(
                "UPDATE notices SET settled = 1, letter_id = ? WHERE notice_id = ?", (letter_id, notice_id)
            )

    def freeze(self, letter: Letter) -> int:
        rows = self._sql(
            "INSERT INTO letters (game_id, seat, recipient, lane, message_id, created_at, next_at, sender)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING letter_id",
            (
                letter.game_id,
                letter.seat,
                letter.recipient,
                lane_of(letter.recipient),
                letter.message_id,
                letter.created_at,
                letter.next_at,
                letter.sender,
            ),
        ).fetchall()
        letter_id = int(rows[0][0])
        keep_bytes(self._sql, "letter_bytes", letter_id, letter.raw)
        return letter_id

    def keep_delivered(self, letter_id: int, delivered: Delivered) -> None:
        versions = [(version, 1) for version in delivered.sayings]
        if delivered.head is not None:
            versions.append((delivered.head, 0))
        for version, said in versions:
            self._sql(
                "INSERT INTO tidings (game_id, seat, letter_id, version, said) VALUES (?, ?, ?, ?, ?)",
                (delivered.game_id, delivered.seat, letter_id, version, said),
            )

    def mark_letter(
        self,
        letter_id: int,
        state: LetterState,
        *,
        next_at: str,
        note: str = "",
        maybe_arrived: bool = False,
    ) -> None:
        self._sql(
            "UPDATE letters SET state = ?, next_at = ?, note = ?, maybe_arrived = ?, tries = tries + 1"
            " WHERE letter_id = ?",
            (state, next_at, note, int(maybe_arrived), letter_id),
        )

    def note_alert(self, letter_id: int) -> bool:
        cursor = self._sql("UPDATE letters SET alerted = 1 WHERE letter_id = ? AND alerted = 0", (letter_id,))
        return cursor.rowcount == 1

    def count_bounce(self, game_id: str, seat: int, report: str) -> bool:
        cursor = self._sql(
            "INSERT INTO bounces (game_id, seat, report) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (game_id, seat, report),
        )
        return cursor.rowcount == 1

    def end_letter(self, letter_id: int, state: Literal["failed", "dropped"], note: str) -> None:
        self._sql("UPDATE letters SET state = ?, note = ? WHERE letter_id = ?", (state, note, letter_id))

    def give_up_letters(self, frozen_before: str, note: str, lane: str | None = None) -> int:
        cursor = self._sql(_GIVE_UP, (note, frozen_before, lane))
        return cursor.rowcount

    def requeue_letter(self, letter_id: int, next_at: str, note: str, *, maybe_arrived: bool = False) -> None:
        self._sql(
            "UPDATE letters SET state = 'ready', tries = 0, next_at = ?, note = ?, maybe_arrived = ?"
            " WHERE letter_id = ?",
            (next_at, note, int(maybe_arrived), letter_id),
        )

    def drop_mail_bytes(self, mail_id: int) -> None:
        self._sql("DELETE FROM inbox_bytes WHERE mail_id = ?", (mail_id,))

    def drop_letter_bytes(self, letter_id: int) -> None:
        self._sql("DELETE FROM letter_bytes WHERE letter_id = ?", (letter_id,))


def _raw(what: str, row_id: int, row: tuple[Any, ...]) -> bytes:
    """The bytes of a row. Those that are damaged are as good as gone: nobody else waits because of them."""
    try:
        return raw_of(row)
    except Damaged as error:
        log.error("%s %d cannot be read: %s", what, row_id, error)
        return b""


def _mail(row: dict[str, Any]) -> Mail:
    packed = (row.pop("size"), row.pop("dictionary"), row.pop("data"))
    raw = _raw("mail", row["mail_id"], packed)
    # A mail that was cut down is no longer read as a message.
    parts = {"raw": b"", "evidence": raw} if games_of_cut(row["note"]) else {"raw": raw}
    return Mail(**{**row, **parts, "retried": bool(row["retried"])})


def _letter(row: dict[str, Any]) -> Letter:
    packed = (row.pop("size"), row.pop("dictionary"), row.pop("data"))
    raw = _raw("letter", row["letter_id"], packed)
    return Letter(**{**row, "raw": raw, "maybe_arrived": bool(row["maybe_arrived"])})


def _where(state: MailState | LetterState | None, wanted: dict[str, object]) -> tuple[str, list[object]]:
    """A WHERE clause; the state stands in it as a word, because an index for one state is not found else."""
    asked = {term: value for term, value in wanted.items() if value is not None}
    terms = [f"{term} ?" for term in asked] + ([f"state = '{state}'"] if state else [])
    return f"WHERE {' AND '.join(terms)}" if terms else "", list(asked.values())
