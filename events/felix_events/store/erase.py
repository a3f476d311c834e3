"""Erase a person bit by bit: each step is found in a view of the store, and done in a short transaction.

First comes all that must hold at once, in the transaction that asks for it (`begin_to_forget`): nobody can
write for their seats, no letter goes to them or repeats what they said, and their addresses are free. The
rest, which may be all mails and letters that there are, goes step by step: `next_forget_step` looks at some
rows and writes nothing, `do_forget_step` erases what was found, and notes how far it is. If felix is killed
on the way, it goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from sqlite3 import Cursor
from typing import Any, Final

import orjson

from felix_events.store.cutting import NamingMail, bytes_kept, cut_mail, taken_by_records
from felix_events.store.errors import StoreError
from felix_events.store.naming import Person, cut_down, names_one_of
from felix_events.store.packing import keep_bytes, raw_of
from felix_events.store.remembering import Remembering
from felix_events.store.rows import Change, ForgetStep

Sql = Callable[..., Cursor]
_ROWS: Final = 100
_BYTES: Final = 250_000
"""Of one step, unpacked."""
_HITS: Final = 20
"""Messages or letters that are erased in one step: about what an ordinary move writes."""
_NOTICES: Final = 1000
PAGES: Final = "pages"
"""The last stage: nothing of them is in a row any more, and perhaps between the rows."""
_STAGES: Final = ("inbox", "letters", "games", "questions", "notices", "rest", PAGES)

_NOBODY: Final = ("", "<>")
"""The envelope's sender of a bounce."""

_ADDRESSES: Final = (
    "SELECT address FROM addresses WHERE player_id = :me"
    # An address that another player writes from, too, is theirs to keep.
    " UNION SELECT address FROM adopted WHERE player_id = :me"
    " AND address NOT IN (SELECT address FROM addresses WHERE player_id != :me)"
    " AND address NOT IN (SELECT address FROM adopted WHERE player_id != :me)"
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
    # Everybody who sits or sat at a table of theirs.
    f"SELECT player_id FROM seats JOIN {_MINE} USING (game_id)"  # noqa: S608 - constants
    f" UNION SELECT player_id FROM former JOIN {_MINE} USING (game_id)"
)
_NEAR_SEATS: Final = f"SELECT game_id, seat FROM seats WHERE player_id IN ({_NEAR})"  # noqa: S608 - constants
_SAID_BY: Final = (
    f"game_id IN (SELECT game_id FROM {_MINE}) AND text != ''"  # noqa: S608 - constants
    " AND :me = coalesce((SELECT player_id FROM former WHERE former.game_id = sayings.game_id"
    " AND former.seat = sayings.seat AND former.version > sayings.version ORDER BY version LIMIT 1),"
    " (SELECT player_id FROM seats WHERE seats.game_id = sayings.game_id AND seats.seat = sayings.seat))"
)
_SAID: Final = f"SELECT text FROM sayings WHERE {_SAID_BY}"  # noqa: S608 - constants
_EMPTY_SAID: Final = f"UPDATE sayings SET text = '', salt = :empty WHERE {_SAID_BY}"  # noqa: S608 - constants
_REPEATING: Final = ("answer", "question", "claim", "substitute", "seat_closed")
"""Notices that may repeat an address which somebody else has written."""

_LEFT_OVER = (
    "SELECT 1 FROM leftovers WHERE player_id = :player_id AND (letter_id = :letter_id"
    " OR notice_id IN (SELECT notice_id FROM notices WHERE letter_id = :letter_id)) LIMIT 1"
)
_FIRST: Final = (
    "UPDATE questions SET text = '', state = CASE state WHEN 'open' THEN 'dropped' ELSE state END"
    " WHERE (game_id, seat) IN (SELECT game_id, seat FROM seats WHERE player_id = :me)",
    "UPDATE notices SET payload = '{}', settled = 1 WHERE settled = 0"
    " AND (game_id, seat) IN (SELECT game_id, seat FROM seats WHERE player_id = :me)",
    "UPDATE letters SET state = 'dropped' WHERE state = 'ready'"
    " AND ((game_id, seat) IN (SELECT game_id, seat FROM seats WHERE player_id = :me)"
    " OR (recipient IN (SELECT address FROM addresses WHERE player_id = :me)"
    " AND (game_id = '' OR (game_id, seat) IN (SELECT game_id, seat FROM former WHERE player_id = :me)"
    " OR letter_id IN (SELECT letter_id FROM notices WHERE kind IN ('substitute', 'seat_closed')"
    " AND notices.letter_id = letters.letter_id))))",
    _EMPTY_SAID,
    "DELETE FROM beliefs WHERE player_id = :me",
    "DELETE FROM choices WHERE player_id = :me",
    "DELETE FROM adopted WHERE player_id = :me",
    "DELETE FROM addresses WHERE player_id = :me",
    "UPDATE seats SET name = '', secret = :empty WHERE player_id = :me",
    "UPDATE former SET name = '' WHERE player_id = :me",
)
_MAILS: Final = (
    "SELECT inbox.mail_id, inbox.player_id, held.player_id, inbox.sender, state, sha256, note,"
    " size, dictionary, data"
    " FROM inbox LEFT JOIN held USING (mail_id) LEFT JOIN inbox_bytes USING (mail_id)"
    " WHERE inbox.mail_id > ? AND inbox.mail_id <= ? ORDER BY inbox.mail_id LIMIT ?"
)
_EMPTY_MAIL: Final = (
    "UPDATE inbox SET sender = '', note = '',"
    " state = CASE WHEN state IN ('new', 'quarantined') THEN 'ignored' ELSE state END WHERE mail_id = ?"
)
_NOT_HELD: Final = "DELETE FROM held WHERE mail_id = ?"
_ALL_OF_MAIL: Final = (_EMPTY_MAIL, _NOT_HELD, "DELETE FROM greetings WHERE mail_id = ?")
_ASKED_ABOUT: Final = (
    "UPDATE questions SET state = 'dropped' WHERE mail_id = ? AND state = 'open' AND kind = 'sender'"
)
_LETTERS: Final = (
    "SELECT letter_id, game_id, seat, recipient, state, size, dictionary, data"
    " FROM letters LEFT JOIN letter_bytes USING (letter_id)"
    " WHERE letter_id > ? AND letter_id <= ? ORDER BY letter_id LIMIT ?"
)
_EMPTY_LETTER: Final = (
    "UPDATE letters SET recipient = '', lane = '', note = '',"
    " state = CASE WHEN state IN ('ready', 'failed') THEN 'dropped' ELSE state END WHERE letter_id = ?"
)
_CUT_LETTER: Final = (
    # One that could not be sent cannot be sent again.
    "UPDATE letters SET state = CASE state WHEN 'failed' THEN 'dropped' ELSE state END WHERE letter_id = ?"
)
_EMPTY_NOTICE: Final = "UPDATE notices SET payload = '{}', settled = 1 WHERE notice_id = ?"
_NOT_ABOUT: Final = "UPDATE notices SET about = 'erased ' || notice_id WHERE notice_id = ?"
_EMPTY_QUESTION: Final = (
    "UPDATE questions SET text = '', state = CASE state WHEN 'open' THEN 'dropped' ELSE state END"
    " WHERE game_id = ? AND seat = ? AND number = ?"
)
_OWN_NOTICES: Final = (
    # A notice is one of its kind by what it is about, which may be an address.
    "UPDATE notices SET payload = '{}', settled = 1,"
    " about = CASE WHEN about LIKE '%@%' THEN 'erased ' || notice_id ELSE about END"
    " WHERE game_id = ? AND seat = ? AND notice_id <= ?"
)
_FORMER_NOTICES: Final = (
    "UPDATE notices SET payload = '{}', settled = 1 WHERE game_id = ? AND seat = ? AND notice_id <= ?"
    " AND (version < ? OR kind = 'seat_lost')"
)
_TOLD_NOTICES: Final = (
    "UPDATE notices SET payload = '{}'"
    " WHERE game_id = ? AND settled = 1 AND payload != '{}' AND notice_id <= ?"
)
_ASKED: Final = "SELECT seat, number, text FROM questions WHERE game_id = ? AND text != ''"
_ABOUT: Final = "SELECT notice_id, seat, about FROM notices WHERE game_id = ? AND about LIKE '%@%'"
_PAYLOADS: Final = (
    "SELECT notice_id, payload FROM notices WHERE notice_id > ? AND notice_id <= ?"  # noqa: S608 - constants
    f" AND kind IN {_REPEATING} AND payload LIKE '%@%'"
)


@dataclass(frozen=True, slots=True)
class _Task:
    """One person to forget: how far it is, their marks, and the last row of each table as it began."""

    player_id: str
    stage: str
    cursor: int
    addresses: Sequence[str]
    names: Sequence[str]
    said: Sequence[str]
    last: dict[str, int]


# ---- what each stage looks at


def _inbox(sql: Sql, task: _Task) -> ForgetStep:
    """Messages of theirs, and those of others that name them."""
    me, person = {"me": task.player_id, "empty": b""}, _person(sql, task)
    own = {address.lower() for address in task.addresses}
    taken = cache(partial(taken_by_records, sql))
    near = {other for (other,) in sql(_NEAR, me)} - {task.player_id}
    changes: list[Change] = []
    until = hits = 0
    for mail_id, owner, held_for, sender, state, sha256, note, raw in _some(sql, _MAILS, task):
        until = mail_id
        is_nobodys = owner is None and (
            names_one_of(raw, task.addresses) if sender in _NOBODY else sender.lower() in own
        )
        if task.player_id in (owner, held_for) or is_nobodys:
            # Another player may have been asked about a message from this address.
            changes += [*bytes_kept("inbox_bytes", mail_id), *((one, (mail_id,)) for one in _ALL_OF_MAIL)]
        elif (
            raw
            and state != "new"
            and (person.is_named_in(raw) or (owner in near and person.is_meant_in(raw)))
        ):
            changes += cut_mail(NamingMail(mail_id, owner, sha256, note, raw), taken, person)
            changes += [(_NOT_HELD, (mail_id,)), (_ASKED_ABOUT, (mail_id,))]
        else:
            continue
        hits += 1
        if hits == _HITS:
            break
    return _after(task, until, changes)


def _letters(sql: Sql, task: _Task) -> ForgetStep:
    """Letters to them, and what stays of those to others who were told their name, or have their address.

    With a letter about another table may come a mail of its reader, who plays with them, too, and names them.
    """
    me, person = {"me": task.player_id}, _person(sql, task)
    near = set(sql(_NEAR_SEATS, me))
    mine = {(game_id, seat) for game_id, seat in _seats(sql, task)}
    lost = {(game_id, seat) for game_id, seat, _ in _former(sql, task)}
    games = {game_id for game_id, _ in mine | lost}
    changes: list[Change] = []
    until = hits = 0
    for letter_id, game_id, seat, recipient, state, raw in _some(sql, _LETTERS, task):
        until = letter_id
        about = sql("SELECT game_id, seat, kind FROM notices WHERE letter_id = ?", (letter_id,)).fetchall()
        kinds = {kind for _, _, kind in about}
        is_theirs = (game_id, seat) in mine or (
            recipient in task.addresses
            and (not game_id or (game_id, seat) in lost or bool(kinds & {"substitute", "seat_closed"}))
        )
        told = {(game_id, seat), *((game, told) for game, told, _ in about)}
        if is_theirs:
            changes += [*bytes_kept("letter_bytes", letter_id), (_EMPTY_LETTER, (letter_id,))]
        elif (
            raw
            and state != "ready"
            and (
                any(game in games and (game, told_seat) not in mine for game, told_seat in told)
                or person.is_named_in(raw)
                or ((game_id, seat) in near and person.is_meant_beside(raw))
            )
        ):
            cut = cut_down(raw)
            if cut != raw:
                changes += bytes_kept("letter_bytes", letter_id, cut)
            changes.append((_CUT_LETTER, (letter_id,)))
        else:
            continue
        hits += 1
        if hits == _HITS:
            break
    return _after(task, until, changes)


def _games(sql: Sql, task: _Task) -> ForgetStep:
    """Questions, notices and news of one of their games."""
    seats, former = _seats(sql, task), _former(sql, task)
    games = sorted({game_id for game_id, *_ in [*seats, *former]})
    if task.cursor >= len(games):
        return _next(task)
    game_id, last = games[task.cursor], task.last["notices"]
    own = {seat for game, seat in seats if game == game_id}
    person = _person(sql, task)
    changes: list[Change] = []
    for seat, number, text in sql(_ASKED, (game_id,)):
        if seat in own or names_one_of(text, task.addresses) or person.is_called_in(text):
            changes.append((_EMPTY_QUESTION, (game_id, seat, number)))
    for notice_id, seat, about in sql(_ABOUT, (game_id,)):
        if seat not in own and names_one_of(about, task.addresses):
            changes.append((_NOT_ABOUT, (notice_id,)))
    changes += [(_OWN_NOTICES, (game_id, seat, last)) for seat in own]
    changes += [
        (_FORMER_NOTICES, (game, seat, last, version)) for game, seat, version in former if game == game_id
    ]
    changes.append((_TOLD_NOTICES, (game_id, last)))
    return ForgetStep(task.player_id, task.stage, task.cursor + 1, changes)


def _questions(sql: Sql, task: _Task) -> ForgetStep:
    """Questions to players elsewhere about an address of theirs."""
    rows = sql("SELECT game_id, seat, number, text FROM questions WHERE text LIKE '%@%'")
    named = [place for *place, text in rows if names_one_of(text, task.addresses)]
    return _next(task, [(_EMPTY_QUESTION, place) for place in named])


def _notices(sql: Sql, task: _Task) -> ForgetStep:
    """Notices that repeat an address: somebody asked to take a seat need not have had one."""
    last = task.last["notices"]
    if task.cursor >= last:
        return _next(task)
    until = min(last, task.cursor + _NOTICES)
    rows = sql(_PAYLOADS, (task.cursor, until))
    named = [notice_id for notice_id, payload in rows if names_one_of(payload, task.addresses)]
    return ForgetStep(
        task.player_id, task.stage, until, [(_EMPTY_NOTICE, (notice_id,)) for notice_id in named]
    )


def _rest(_: Sql, task: _Task) -> ForgetStep:
    me = {"me": task.player_id, "empty": b""}
    return _next(task, [(_EMPTY_SAID, me), ("DELETE FROM held WHERE player_id = :me", me)])


_FINDERS: Final[dict[str, Callable[[Sql, _Task], ForgetStep]]] = {
    "inbox": _inbox,
    "letters": _letters,
    "games": _games,
    "questions": _questions,
    "notices": _notices,
    "rest": _rest,
}


def _some(sql: Sql, query: str, task: _Task) -> Iterator[list[Any]]:
    """A few rows from where the task is, their bytes unpacked in the place of the last three columns."""
    size = 0
    for *row, length, dictionary, data in sql(query, (task.cursor, task.last[task.stage], _ROWS)):
        try:
            raw = raw_of((length, dictionary, data))
        except StoreError:
            # Bytes that cannot be read name nobody.
            raw = b""
        yield [*row, raw]
        size += len(raw)
        if size > _BYTES:
            return


def _after(task: _Task, until: int, changes: Sequence[Change]) -> ForgetStep:
    return ForgetStep(task.player_id, task.stage, until, changes) if until else _next(task)


def _next(task: _Task, changes: Sequence[Change] = ()) -> ForgetStep:
    """The end of a stage."""
    following = _STAGES[_STAGES.index(task.stage) + 1]
    return ForgetStep(task.player_id, following, 0, changes)


def _task(sql: Sql, player_id: str) -> _Task | None:
    row = sql("SELECT stage, cursor, about FROM forgettings WHERE player_id = ?", (player_id,)).fetchone()
    if row is None:
        return None
    stage, cursor, text = row
    about = orjson.loads(text)
    addresses, names, said = (about.get(what, []) for what in ("addresses", "names", "said"))
    return _Task(player_id, stage, cursor, addresses, names, said, about.get("last", {}))


def _person(sql: Sql, task: _Task) -> Person:
    # If an older felix began, their lines are still there.
    said = [text for (text,) in sql(_SAID, {"me": task.player_id, "empty": b""})]
    return Person(task.addresses, task.names, [*task.said, *said])


def _seats(sql: Sql, task: _Task) -> list[tuple[str, int]]:
    return sql("SELECT game_id, seat FROM seats WHERE player_id = ?", (task.player_id,)).fetchall()


def _former(sql: Sql, task: _Task) -> list[tuple[str, int, int]]:
    return sql("SELECT game_id, seat, version FROM former WHERE player_id = ?", (task.player_id,)).fetchall()


class EraseReader(Remembering):
    """Whom a store has begun to forget, and what is to be erased next."""

    def forgettings(self) -> list[str]:
        return [
            player_id for (player_id,) in self._sql("SELECT player_id FROM forgettings ORDER BY player_id")
        ]

    def next_forget_step(self, player_id: str) -> ForgetStep | None:
        task = _task(self._sql, player_id)
        if task is None or task.stage == PAGES:
            return None
        return _FINDERS[task.stage](self._sql, task)

    def is_left_over(self, player_id: str, letter_id: int) -> bool:
        found = self._sql(_LEFT_OVER, {"player_id": player_id, "letter_id": letter_id})
        return found.fetchone() is not None


class EraseTx(EraseReader):
    """Erasing, bit by bit or at once, in a transaction that somebody else opened.

    `has_erased` says that bytes were erased which must not linger in the write-ahead log either.
    """

    has_erased = False

    def forget(self, player_id: str) -> None:
        self.begin_to_forget(player_id)
        while (step := self.next_forget_step(player_id)) is not None:
            self.do_forget_step(step)
        self.end_forgetting(player_id)
        self.has_erased = True

    def begin_to_forget(
        self, player_id: str, letters: Iterable[int] = (), notices: Iterable[int] = ()
    ) -> None:
        me = {"me": player_id, "empty": b""}
        # By what was said there, messages of others are known that repeat it.
        found = {"addresses": _ADDRESSES, "names": _NAMES, "said": _SAID}
        known = {what: {text for (text,) in self._sql(query, me) if text} for what, query in found.items()}
        if (before := _task(self._sql, player_id)) is not None:
            known["addresses"] |= set(before.addresses)
            known["names"] |= set(before.names)
            known["said"] |= set(before.said)
        about = {
            **{what: sorted(texts) for what, texts in known.items()},
            "last": {
                table: self._sql(f"SELECT coalesce(max({key}), 0) FROM {table}").fetchone()[0]  # noqa: S608 - constants
                for table, key in (("inbox", "mail_id"), ("letters", "letter_id"), ("notices", "notice_id"))
            },
        }
        for statement in _FIRST:
            self._sql(statement, me)
        self._sql(
            "INSERT INTO forgettings (player_id, about, stage, cursor) VALUES (?, ?, ?, 0)"
            " ON CONFLICT (player_id) DO UPDATE SET about = excluded.about, stage = excluded.stage,"
            " cursor = excluded.cursor",
            (player_id, orjson.dumps(about).decode(), _STAGES[0]),
        )
        for letter_id, notice_id in [*((one, 0) for one in letters), *((0, one) for one in notices)]:
            self._sql(
                "INSERT INTO leftovers (player_id, letter_id, notice_id) VALUES (?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (player_id, letter_id, notice_id),
            )

    def do_forget_step(self, step: ForgetStep) -> None:
        for statement, values in step.changes:
            self._sql(statement, values)
        about = ", about = '{}'" if step.stage == PAGES else ""
        self._sql(
            f"UPDATE forgettings SET stage = ?, cursor = ?{about} WHERE player_id = ?",  # noqa: S608 - a constant
            (step.stage, step.until, step.player_id),
        )

    def end_forgetting(self, player_id: str) -> None:
        self._sql("DELETE FROM forgettings WHERE player_id = ?", (player_id,))

    def forget_letter(self, letter_id: int, player_id: str, *, is_theirs: bool) -> None:
        statement = _EMPTY_LETTER if is_theirs else _CUT_LETTER
        raw = raw_of(
            self._sql(
                "SELECT size, dictionary, data FROM letter_bytes WHERE letter_id = ?", (letter_id,)
            ).fetchone()
        )
        keep_bytes(self._sql, "letter_bytes", letter_id, b"" if is_theirs else cut_down(raw))
        self._sql(statement, (letter_id,))
        self._sql("UPDATE notices SET payload = '{}' WHERE letter_id = ? AND settled = 1", (letter_id,))
        self._sql(
            "INSERT INTO forgettings (player_id, about, stage, cursor) VALUES (?, '{}', ?, 0)"
            " ON CONFLICT DO NOTHING",
            (player_id, PAGES),
        )
