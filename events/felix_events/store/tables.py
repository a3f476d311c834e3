"""The SQL of every table, as the methods of `Reader` and `Tx`, on one connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from operator import attrgetter
from typing import Any, Literal

from felix_events.store.base import StoreError, VersionConflict
from felix_events.store.lines import Backlog, LetterLine, MailLine
from felix_events.store.migrations import LANE
from felix_events.store.rows import (
    AddressRow,
    Due,
    GameRow,
    Letter,
    LetterState,
    LogRow,
    Mail,
    MailState,
    Notice,
    Question,
    QuestionState,
    Sealed,
    SeatRow,
)
from felix_events.tree import extend, leaf

_GAME = "SELECT game_id, table_name, kind, created_at, seed, state, size FROM games"
_MAIL = "SELECT mail_id, received_at, recipient, sender, raw, sha256, state, tries, key, note FROM inbox"
_NOTICE = "SELECT game_id, version, seat, kind, due_at, turn, about, payload, notice_id FROM notices"
_LETTER = (
    "SELECT game_id, seat, recipient, message_id, raw, created_at, next_at, state, tries, note, sender,"
    " letter_id FROM letters"
)
_MAIL_LINE = "SELECT mail_id, received_at, recipient, sender, length(raw), state, tries, note FROM inbox"
_LETTER_LINE = (
    "SELECT letter_id, game_id, seat, recipient, created_at, next_at, length(raw), state, tries, note"
    " FROM letters"
)
_BACKLOG = (
    "SELECT (SELECT count(*) FROM inbox WHERE state = 'new'),"
    " (SELECT count(*) FROM inbox WHERE state = 'quarantined'),"
    " (SELECT count(*) FROM letters WHERE state = 'ready'),"
    " (SELECT count(*) FROM letters WHERE state = 'failed')"
)
# Each is one step in the index `letters_lane`, however many letters wait.
_NEXT_LANE = f"SELECT min({LANE}) FROM letters WHERE state = 'ready' AND {LANE} > ?"  # noqa: S608 - a constant
_IN_LANE = (
    f"SELECT next_at, letter_id FROM letters WHERE state = 'ready' AND {LANE} = ? AND next_at <= ?"  # noqa: S608 - a constant
    " ORDER BY next_at, letter_id LIMIT ?"
)
_GIVE_UP = (
    "UPDATE letters SET state = 'failed', note = ? WHERE state = 'ready' AND created_at < ?"  # noqa: S608 - a constant
    f" AND coalesce(?, {LANE}) = {LANE}"
)
_DUE = "SELECT game_id, seat, kind, turn, due_at FROM due"
_SEAT = (
    "SELECT game_id, seat, player_id, name, (SELECT address FROM addresses"
    " WHERE addresses.player_id = seats.player_id AND stopped = '' ORDER BY addresses.rowid LIMIT 1), secret,"
    " (SELECT group_concat(address, ' ') FROM (SELECT address FROM addresses"
    " WHERE addresses.player_id = seats.player_id ORDER BY addresses.rowid)),"
    " (SELECT group_concat(address, ' ') FROM adopted WHERE adopted.player_id = seats.player_id) FROM seats"
)
_ADDRESS = "SELECT address, player_id, score, scored_at, stopped FROM addresses"
_QUESTION = "SELECT game_id, seat, kind, turn, mail_id, text, asked_at, number, state FROM questions"

_NOTICE_VALUES = attrgetter("game_id", "version", "seat", "kind", "about", "turn", "due_at", "payload")

_LETTER_VALUES = attrgetter(
    "game_id", "seat", "recipient", "message_id", "raw", "created_at", "next_at", "sender"
)


class SqliteReader:
    """Questions to one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._sql = connection.execute

    def bodies(self, game_id: str, after: int = 0) -> list[bytes]:
        rows = self._sql(
            "SELECT body FROM events WHERE game_id = ? AND version > ? ORDER BY version", (game_id, after)
        )
        return [body for (body,) in rows.fetchall()]

    def log(self, game_id: str) -> list[LogRow]:
        rows = self._sql(
            "SELECT version, body, range, private_record FROM events WHERE game_id = ? ORDER BY version",
            (game_id,),
        )
        return [LogRow(*row) for row in rows]

    def head(self, game_id: str) -> tuple[int, bytes]:
        row = self._sql(
            "SELECT version, range FROM events WHERE game_id = ? ORDER BY version DESC LIMIT 1", (game_id,)
        ).fetchone()
        return (0, b"") if row is None else row

    def logs(self) -> list[str]:
        rows = self._sql("SELECT game_id FROM games UNION SELECT game_id FROM events ORDER BY game_id")
        return [game_id for (game_id,) in rows]

    def game(self, game_id: str) -> GameRow | None:
        row = self._sql(f"{_GAME} WHERE game_id = ?", (game_id,)).fetchone()
        return None if row is None else GameRow(*row)

    def games(self) -> list[GameRow]:
        return [GameRow(*row) for row in self._sql(f"{_GAME} ORDER BY created_at, game_id")]

    def seats(self, game_id: str) -> list[SeatRow]:
        return [_seat(row) for row in self._sql(f"{_SEAT} WHERE game_id = ? ORDER BY seat", (game_id,))]

    def seats_of(self, player_id: str) -> list[SeatRow]:
        rows = self._sql(f"{_SEAT} WHERE player_id = ? ORDER BY seats.rowid DESC", (player_id,))
        return [_seat(row) for row in rows]

    def player_at(self, address: str) -> str | None:
        row = self._sql("SELECT player_id FROM addresses WHERE address = ?", (address,)).fetchone()
        return None if row is None else str(row[0])

    def addresses(self, player_id: str | None = None) -> list[AddressRow]:
        where = "" if player_id is None else "WHERE player_id = ?"
        rows = self._sql(f"{_ADDRESS} {where} ORDER BY rowid", () if player_id is None else (player_id,))
        return [AddressRow(*row) for row in rows]

    def mails(self, state: MailState | None = None) -> list[Mail]:
        where = "" if state is None else "WHERE state = ?"
        rows = self._sql(f"{_MAIL} {where} ORDER BY mail_id", () if state is None else (state,))
        return [Mail(*row) for row in rows]

    def mail(self, mail_id: int) -> Mail | None:
        row = self._sql(f"{_MAIL} WHERE mail_id = ?", (mail_id,)).fetchone()
        return None if row is None else Mail(*row)

    def mail_lines(
        self, limit: int, state: MailState | None = None, before: int | None = None
    ) -> list[MailLine]:
        where, values = _where(state, {"mail_id <": before})
        rows = self._sql(f"{_MAIL_LINE} {where} ORDER BY mail_id DESC LIMIT ?", (*values, limit))
        return [MailLine(*row) for row in rows]

    def letter_lines(
        self,
        limit: int,
        state: LetterState | None = None,
        before: int | None = None,
        game_id: str | None = None,
    ) -> list[LetterLine]:
        where, values = _where(state, {"letter_id <": before, "game_id =": game_id})
        rows = self._sql(f"{_LETTER_LINE} {where} ORDER BY letter_id DESC LIMIT ?", (*values, limit))
        return [LetterLine(*row) for row in rows]

    def backlog(self) -> Backlog:
        return Backlog(*self._sql(_BACKLOG).fetchone())

    def next_mail(self) -> Mail | None:
        row = self._sql(f"{_MAIL} WHERE state = 'new' ORDER BY mail_id LIMIT 1").fetchone()
        return None if row is None else Mail(*row)

    def mail_with(self, key: str) -> Mail | None:
        row = self._sql(f"{_MAIL} WHERE key = ? AND state != 'new' LIMIT 1", (key,)).fetchone()
        return None if row is None else Mail(*row)

    def outcome(self, command_id: str) -> str | None:
        row = self._sql("SELECT outcome FROM commands WHERE command_id = ?", (command_id,)).fetchone()
        return None if row is None else str(row[0])

    def owed(self, now: str, game_id: str | None = None) -> list[Notice]:
        where = "" if game_id is None else "AND game_id = ?"
        named = () if game_id is None else (game_id,)
        rows = self._sql(
            f"{_NOTICE} WHERE settled = 0 AND due_at <= ? {where} ORDER BY notice_id", (now, *named)
        )
        return [Notice(*row) for row in rows]

    def notices(self, game_id: str, since: str = "") -> list[Notice]:
        rows = self._sql(f"{_NOTICE} WHERE game_id = ? AND due_at > ? ORDER BY notice_id", (game_id, since))
        return [Notice(*row) for row in rows]

    def letters(self, state: LetterState | None = None) -> list[Letter]:
        where = "" if state is None else "WHERE state = ?"
        rows = self._sql(f"{_LETTER} {where} ORDER BY letter_id", () if state is None else (state,))
        return [Letter(*row) for row in rows]

    def letter(self, letter_id: int) -> Letter | None:
        row = self._sql(f"{_LETTER} WHERE letter_id = ?", (letter_id,)).fetchone()
        return None if row is None else Letter(*row)

    def letter_with(self, message_id: str) -> Letter | None:
        row = self._sql(f"{_LETTER} WHERE message_id = ?", (message_id,)).fetchone()
        return None if row is None else Letter(*row)

    def questions(self, game_id: str, seat: int) -> list[Question]:
        rows = self._sql(f"{_QUESTION} WHERE game_id = ? AND seat = ? ORDER BY number", (game_id, seat))
        return [Question(*row) for row in rows]

    def is_confirmed(self, mail_id: int) -> bool:
        row = self._sql("SELECT confirmed FROM held WHERE mail_id = ?", (mail_id,)).fetchone()
        return row is not None and bool(row[0])

    def letters_due(self, now: str, limit: int) -> list[Letter]:
        rows = self._sql(
            f"{_LETTER} WHERE state = 'ready' AND next_at <= ? ORDER BY next_at, letter_id LIMIT ?",
            (now, limit),
        )
        return [Letter(*row) for row in rows]

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

    def notices_in(self, letter_id: int) -> list[Notice]:
        rows = self._sql(f"{_NOTICE} WHERE letter_id = ? ORDER BY notice_id", (letter_id,))
        return [Notice(*row) for row in rows]

    def due(self, now: str, limit: int) -> list[Due]:
        rows = self._sql(f"{_DUE} WHERE due_at <= ? ORDER BY due_at LIMIT ?", (now, limit))
        return [Due(*row) for row in rows]

    def due_of(self, game_id: str) -> list[Due]:
        return [Due(*row) for row in self._sql(f"{_DUE} WHERE game_id = ? ORDER BY seat, kind", (game_id,))]

    def secret(self, name: str) -> bytes | None:
        row = self._sql("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])


class SqliteTx(SqliteReader):
    """Changes within a transaction that somebody else opened and will end."""

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        self._sql("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._sql("ROLLBACK TO part")
            raise
        finally:
            self._sql("RELEASE part")

    def append(self, game_id: str, expected: int, events: Sequence[Sealed]) -> tuple[int, bytes]:
        version, range_ = self.head(game_id)
        if version != expected:
            raise VersionConflict(game_id, expected, version)
        for event in events:
            range_ = extend(range_, version, leaf(event.body))
            version += 1
            self._sql(
                "INSERT INTO events (game_id, version, body, range, private_record) VALUES (?, ?, ?, ?, ?)",
                (game_id, version, event.body, range_, event.private_record),
            )
        return version, range_

    def add_game(self, game: GameRow) -> None:
        values = (game.game_id, game.table_name, game.kind, game.created_at, game.seed, game.state, game.size)
        try:
            self._sql(
                "INSERT INTO games (game_id, table_name, kind, created_at, seed, state, size)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )
        except sqlite3.IntegrityError:
            raise StoreError(f"There is a game {game.game_id} here already.") from None

    def note_game(self, game_id: str, state: str, size: int) -> None:
        self._sql("UPDATE games SET state = ?, size = ? WHERE game_id = ?", (state, size, game_id))

    def add_seat(self, seat: SeatRow) -> None:
        self._sql(
            "INSERT INTO seats (game_id, seat, player_id, name, secret) VALUES (?, ?, ?, ?, ?)",
            (seat.game_id, seat.seat, seat.player_id, seat.name, seat.secret),
        )

    def add_player(self, player_id: str, address: str) -> None:
        owner = self.player_at(address)
        if owner is None:
            self._sql("INSERT INTO addresses (address, player_id) VALUES (?, ?)", (address, player_id))
        elif owner != player_id:
            raise StoreError(f"The address {address} belongs to another player.")

    def rotate_secret(self, game_id: str, seat: int, secret: bytes) -> None:
        self._sql("UPDATE seats SET secret = ? WHERE game_id = ? AND seat = ?", (secret, game_id, seat))

    def adopt(self, player_id: str, address: str) -> None:
        self._sql(
            "INSERT INTO adopted (player_id, address) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (player_id, address),
        )

    def note_address(self, row: AddressRow) -> None:
        self._sql(
            "UPDATE addresses SET score = ?, scored_at = ?, stopped = ? WHERE address = ?",
            (row.score, row.scored_at, row.stopped, row.address),
        )

    def ask(self, question: Question) -> int:
        number = len(self.questions(question.game_id, question.seat)) + 1
        self._sql(
            "INSERT INTO questions (game_id, seat, number, kind, turn, mail_id, text, asked_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                question.game_id,
                question.seat,
                number,
                question.kind,
                question.turn,
                question.mail_id,
                question.text,
                question.asked_at,
            ),
        )
        return number

    def hold(self, mail_id: int, player_id: str, sender: str) -> None:
        self._sql(
            "INSERT INTO held (mail_id, player_id, sender) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (mail_id, player_id, sender),
        )

    def confirm_held(self, player_id: str, sender: str) -> list[int]:
        key = (player_id, sender)
        rows = self._sql(
            "SELECT mail_id FROM held WHERE player_id = ? AND sender = ? AND confirmed = 0 ORDER BY mail_id",
            key,
        ).fetchall()
        self._sql("UPDATE held SET confirmed = 1 WHERE player_id = ? AND sender = ?", key)
        return [mail_id for (mail_id,) in rows]

    def settle_question(self, question: Question, state: QuestionState) -> None:
        self._sql(
            "UPDATE questions SET state = ? WHERE game_id = ? AND seat = ? AND number = ?",
            (state, question.game_id, question.seat, question.number),
        )

    def keep_mail(self, received_at: str, recipient: str, sender: str, raw: bytes) -> int:
        cursor = self._sql(
            "INSERT INTO inbox (received_at, recipient, sender, raw, sha256) VALUES (?, ?, ?, ?, ?)",
            (received_at, recipient, sender, raw, sha256(raw).hexdigest()),
        )
        return _id(cursor)

    def settle_mail(self, mail_id: int, state: MailState, *, key: str | None = None, note: str = "") -> None:
        self._sql(
            "UPDATE inbox SET state = ?, key = ?, note = ? WHERE mail_id = ?", (state, key, note, mail_id)
        )

    def requeue_mail(self, mail_id: int, note: str) -> None:
        self._sql(
            "UPDATE inbox SET state = 'new', tries = 0, key = NULL, note = ? WHERE mail_id = ?",
            (note, mail_id),
        )

    def try_mail(self, mail_id: int, note: str) -> None:
        self._sql("UPDATE inbox SET tries = tries + 1, note = ? WHERE mail_id = ?", (note, mail_id))

    def remember(self, command_id: str, game_id: str, outcome: str) -> None:
        self._sql(
            "INSERT INTO commands (command_id, game_id, outcome) VALUES (?, ?, ?)",
            (command_id, game_id, outcome),
        )

    def owe(self, notice: Notice) -> bool:
        cursor = self._sql(
            "INSERT INTO notices (game_id, version, seat, kind, about, turn, due_at, payload)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            _NOTICE_VALUES(notice),
        )
        return cursor.rowcount == 1

    def settle(self, notice_ids: Iterable[int], letter_id: int | None) -> None:
        for notice_id in notice_ids:
            self._sql(
                "UPDATE notices SET settled = 1, letter_id = ? WHERE notice_id = ?", (letter_id, notice_id)
            )

    def freeze(self, letter: Letter) -> int:
        cursor = self._sql(
            "INSERT INTO letters (game_id, seat, recipient, message_id, raw, created_at, next_at, sender)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            _LETTER_VALUES(letter),
        )
        return _id(cursor)

    def mark_letter(self, letter_id: int, state: LetterState, *, next_at: str, note: str = "") -> None:
        self._sql(
            "UPDATE letters SET state = ?, next_at = ?, note = ?, tries = tries + 1 WHERE letter_id = ?",
            (state, next_at, note, letter_id),
        )

    def end_letter(self, letter_id: int, state: Literal["failed", "dropped"], note: str) -> None:
        self._sql("UPDATE letters SET state = ?, note = ? WHERE letter_id = ?", (state, note, letter_id))

    def give_up_letters(self, frozen_before: str, note: str, lane: str | None = None) -> int:
        cursor = self._sql(_GIVE_UP, (note, frozen_before, lane))
        return cursor.rowcount

    def requeue_letter(self, letter_id: int, next_at: str, note: str) -> None:
        self._sql(
            "UPDATE letters SET state = 'ready', tries = 0, next_at = ?, note = ? WHERE letter_id = ?",
            (next_at, note, letter_id),
        )

    def set_due(self, game_id: str, rows: Iterable[Due]) -> None:
        self._sql("DELETE FROM due WHERE game_id = ?", (game_id,))
        for row in rows:
            self._sql(
                "INSERT INTO due (game_id, seat, kind, turn, due_at) VALUES (?, ?, ?, ?, ?)",
                (row.game_id, row.seat, row.kind, row.turn, row.due_at),
            )

    def clear_due(self, row: Due) -> None:
        self._sql(
            "DELETE FROM due WHERE game_id = ? AND seat = ? AND kind = ? AND turn = ?",
            (row.game_id, row.seat, row.kind, row.turn),
        )

    def keep_secret(self, name: str, value: bytes) -> None:
        self._sql("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", (name, value))

    def renew_secret(self, name: str, value: bytes) -> None:
        self._sql("INSERT OR REPLACE INTO secrets (name, value) VALUES (?, ?)", (name, value))


def _where(state: MailState | LetterState | None, wanted: dict[str, object]) -> tuple[str, list[object]]:
    """A WHERE clause; the state stands in it as a word, because an index for one state is not found else."""
    asked = {term: value for term, value in wanted.items() if value is not None}
    terms = [f"{term} ?" for term in asked] + ([f"state = '{state}'"] if state else [])
    return f"WHERE {' AND '.join(terms)}" if terms else "", list(asked.values())


def _seat(row: Sequence[Any]) -> SeatRow:
    game_id, seat, player_id, name, address, secret, own, adopted = row
    addresses = (*(own or "").split(), *sorted((adopted or "").split()))
    return SeatRow(game_id, seat, player_id, name, address, secret, addresses)


def _id(cursor: sqlite3.Cursor) -> int:
    if cursor.lastrowid is None:
        raise StoreError("The database gave no id for a new row.")
    return cursor.lastrowid
