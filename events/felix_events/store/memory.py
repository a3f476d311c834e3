"""The store in lists: the contract without a disk, for tests, previews and simulations that keep nothing."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from typing import Literal

from felix_events.store.base import Reader, StoreError, Tx, VersionConflict
from felix_events.store.lines import Backlog, LetterLine, MailLine
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
    lane_of,
)
from felix_events.tree import extend, leaf


@dataclass(slots=True)
class _Tables:
    """All rows. The rows never change, so a copy of the containers is a snapshot."""

    logs: dict[str, tuple[LogRow, ...]] = field(default_factory=dict)
    games: dict[str, GameRow] = field(default_factory=dict)
    addresses: dict[str, AddressRow] = field(default_factory=dict)
    adopted: dict[tuple[str, str], None] = field(default_factory=dict)
    seats: dict[tuple[str, int], SeatRow] = field(default_factory=dict)
    inbox: dict[int, Mail] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)
    notices: dict[int, Notice] = field(default_factory=dict)
    settled: dict[int, int | None] = field(default_factory=dict)
    letters: dict[int, Letter] = field(default_factory=dict)
    questions: dict[tuple[str, int, int], Question] = field(default_factory=dict)
    held: dict[int, tuple[str, str]] = field(default_factory=dict)
    confirmed: dict[int, bool] = field(default_factory=dict)
    due: dict[tuple[str, int, str, int], Due] = field(default_factory=dict)
    secrets: dict[str, bytes] = field(default_factory=dict)

    def snapshot(self) -> _Tables:
        return _Tables(*(getattr(self, table.name).copy() for table in fields(self)))

    def restore(self, snapshot: _Tables) -> None:
        for table in fields(self):
            setattr(self, table.name, getattr(snapshot, table.name))


class MemoryStore:
    """Games in memory, one writer at a time."""

    def __init__(self) -> None:
        self._tables = _Tables()
        self._lock = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Reader]:
        yield _MemoryTx(self._tables.snapshot())

    @contextmanager
    def write(self) -> Iterator[Tx]:
        with self._lock:
            draft = self._tables.snapshot()
            yield _MemoryTx(draft)
            self._tables = draft

    def close(self) -> None:
        """Nothing to let go of."""


class _MemoryTx:
    def __init__(self, tables: _Tables) -> None:
        self._t = tables

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        before = self._t.snapshot()
        try:
            yield
        except BaseException:
            self._t.restore(before)
            raise

    # ---- the log

    def bodies(self, game_id: str, after: int = 0) -> list[bytes]:
        return [row.body for row in self._t.logs.get(game_id, ())[after:]]

    def log(self, game_id: str) -> list[LogRow]:
        return list(self._t.logs.get(game_id, ()))

    def head(self, game_id: str) -> tuple[int, bytes]:
        log = self._t.logs.get(game_id, ())
        return (log[-1].version, log[-1].range_) if log else (0, b"")

    def logs(self) -> list[str]:
        return sorted(self._t.logs.keys() | self._t.games.keys())

    def append(self, game_id: str, expected: int, events: Sequence[Sealed]) -> tuple[int, bytes]:
        version, range_ = self.head(game_id)
        if version != expected:
            raise VersionConflict(game_id, expected, version)
        rows = []
        for event in events:
            range_ = extend(range_, version, leaf(event.body))
            version += 1
            rows.append(LogRow(version, event.body, range_, event.private_record))
        if rows:
            self._t.logs[game_id] = (*self._t.logs.get(game_id, ()), *rows)
        return version, range_

    # ---- games and seats

    def game(self, game_id: str) -> GameRow | None:
        return self._t.games.get(game_id)

    def games(self) -> list[GameRow]:
        return sorted(self._t.games.values(), key=lambda game: (game.created_at, game.game_id))

    def add_game(self, game: GameRow) -> None:
        if game.game_id in self._t.games:
            raise StoreError(f"There is a game {game.game_id} here already.")
        self._t.games[game.game_id] = game

    def note_game(self, game_id: str, state: str, size: int) -> None:
        game = self._t.games.get(game_id)
        if game is not None:
            self._t.games[game_id] = replace(game, state=state, size=size)

    def seats(self, game_id: str) -> list[SeatRow]:
        found = [seat for (game, _), seat in sorted(self._t.seats.items()) if game == game_id]
        return [self._with_addresses(seat) for seat in found]

    def seats_of(self, player_id: str) -> list[SeatRow]:
        found = [seat for seat in reversed(self._t.seats.values()) if seat.player_id == player_id]
        return [self._with_addresses(seat) for seat in found]

    def add_seat(self, seat: SeatRow) -> None:
        self._t.seats[seat.game_id, seat.seat] = seat

    def rotate_secret(self, game_id: str, seat: int, secret: bytes) -> None:
        self._t.seats[game_id, seat] = replace(self._t.seats[game_id, seat], secret=secret)

    def player_at(self, address: str) -> str | None:
        row = self._t.addresses.get(address)
        return None if row is None else row.player_id

    def add_player(self, player_id: str, address: str) -> None:
        row = self._t.addresses.setdefault(address, AddressRow(address, player_id))
        if row.player_id != player_id:
            raise StoreError(f"The address {address} belongs to another player.")

    def addresses(self, player_id: str | None = None) -> list[AddressRow]:
        return [row for row in self._t.addresses.values() if player_id in (None, row.player_id)]

    def adopt(self, player_id: str, address: str) -> None:
        self._t.adopted[player_id, address] = None

    def note_address(self, row: AddressRow) -> None:
        self._t.addresses[row.address] = row

    def _with_addresses(self, seat: SeatRow) -> SeatRow:
        rows = self.addresses(seat.player_id)
        address = next((row.address for row in rows if not row.stopped), None)
        adopted = sorted(one for player_id, one in self._t.adopted if player_id == seat.player_id)
        return replace(seat, address=address, addresses=(*(row.address for row in rows), *adopted))

    # ---- questions

    def questions(self, game_id: str, seat: int) -> list[Question]:
        return [row for key, row in sorted(self._t.questions.items()) if key[:2] == (game_id, seat)]

    def ask(self, question: Question) -> int:
        number = len(self.questions(question.game_id, question.seat)) + 1
        key = (question.game_id, question.seat, number)
        self._t.questions[key] = replace(question, number=number)
        return number

    def hold(self, mail_id: int, player_id: str, sender: str) -> None:
        self._t.held.setdefault(mail_id, (player_id, sender))

    def is_confirmed(self, mail_id: int) -> bool:
        return self._t.confirmed.get(mail_id, False)

    def confirm_held(self, player_id: str, sender: str) -> list[int]:
        waiting = [mail_id for mail_id, key in sorted(self._t.held.items()) if key == (player_id, sender)]
        fresh = [mail_id for mail_id in waiting if not self.is_confirmed(mail_id)]
        self._t.confirmed.update(dict.fromkeys(fresh, True))
        return fresh

    def settle_question(self, question: Question, state: QuestionState) -> None:
        key = (question.game_id, question.seat, question.number)
        self._t.questions[key] = replace(self._t.questions[key], state=state)

    # ---- received mail

    def mails(self, state: MailState | None = None) -> list[Mail]:
        return [mail for _, mail in sorted(self._t.inbox.items()) if state in (None, mail.state)]

    def mail(self, mail_id: int) -> Mail | None:
        return self._t.inbox.get(mail_id)

    def mail_lines(
        self, limit: int, state: MailState | None = None, before: int | None = None
    ) -> list[MailLine]:
        rows = [mail for mail in reversed(self.mails(state)) if before is None or mail.mail_id < before]
        return [
            MailLine(m.mail_id, m.received_at, m.recipient, m.sender, len(m.raw), m.state, m.tries, m.note)
            for m in rows[:limit]
        ]

    def letter_lines(
        self,
        limit: int,
        state: LetterState | None = None,
        before: int | None = None,
        game_id: str | None = None,
    ) -> list[LetterLine]:
        rows = [
            letter
            for letter in reversed(self.letters(state))
            if (before is None or letter.letter_id < before) and game_id in (None, letter.game_id)
        ]
        return [
            LetterLine(
                row.letter_id,
                row.game_id,
                row.seat,
                row.recipient,
                row.created_at,
                row.next_at,
                len(row.raw),
                row.state,
                row.tries,
                row.note,
            )
            for row in rows[:limit]
        ]

    def backlog(self) -> Backlog:
        mails: tuple[MailState, ...] = ("new", "quarantined")
        letters: tuple[LetterState, ...] = ("ready", "failed")
        return Backlog(
            *(len(self.mails(state)) for state in mails), *(len(self.letters(state)) for state in letters)
        )

    def next_mail(self) -> Mail | None:
        return next(iter(self.mails("new")), None)

    def mail_with(self, key: str) -> Mail | None:
        return next((mail for mail in self.mails() if mail.key == key and mail.state != "new"), None)

    def keep_mail(self, received_at: str, recipient: str, sender: str, raw: bytes) -> int:
        mail_id = len(self._t.inbox) + 1
        self._t.inbox[mail_id] = Mail(mail_id, received_at, recipient, sender, raw, sha256(raw).hexdigest())
        return mail_id

    def settle_mail(self, mail_id: int, state: MailState, *, key: str | None = None, note: str = "") -> None:
        self._t.inbox[mail_id] = replace(self._t.inbox[mail_id], state=state, key=key, note=note)

    def requeue_mail(self, mail_id: int, note: str) -> None:
        mail = self._t.inbox[mail_id]
        self._t.inbox[mail_id] = replace(mail, state="new", tries=0, key=None, note=note)

    def try_mail(self, mail_id: int, note: str) -> None:
        mail = self._t.inbox[mail_id]
        self._t.inbox[mail_id] = replace(mail, tries=mail.tries + 1, note=note)

    def outcome(self, command_id: str) -> str | None:
        return self._t.commands.get(command_id)

    def remember(self, command_id: str, game_id: str, outcome: str) -> None:
        self._t.commands[command_id] = outcome

    # ---- notices and letters

    def owed(self, now: str, game_id: str | None = None) -> list[Notice]:
        return [
            notice
            for notice_id, notice in sorted(self._t.notices.items())
            if notice_id not in self._t.settled and notice.due_at <= now and game_id in (None, notice.game_id)
        ]

    def notices(self, game_id: str, since: str = "") -> list[Notice]:
        ours = [notice for _, notice in sorted(self._t.notices.items()) if notice.game_id == game_id]
        return [notice for notice in ours if notice.due_at > since]

    def owe(self, notice: Notice) -> bool:
        def key(n: Notice) -> tuple[object, ...]:
            return n.game_id, n.version, n.seat, n.kind, n.about

        if any(key(known) == key(notice) for known in self._t.notices.values()):
            return False
        notice_id = len(self._t.notices) + 1
        self._t.notices[notice_id] = replace(notice, notice_id=notice_id)
        return True

    def settle(self, notice_ids: Iterable[int], letter_id: int | None) -> None:
        self._t.settled.update(dict.fromkeys(notice_ids, letter_id))

    def letters(self, state: LetterState | None = None) -> list[Letter]:
        return [letter for _, letter in sorted(self._t.letters.items()) if state in (None, letter.state)]

    def letter(self, letter_id: int) -> Letter | None:
        return self._t.letters.get(letter_id)

    def letter_with(self, message_id: str) -> Letter | None:
        return next((letter for letter in self.letters() if letter.message_id == message_id), None)

    def letters_due(self, now: str, limit: int) -> list[Letter]:
        ready = [letter for letter in self.letters("ready") if letter.next_at <= now]
        return sorted(ready, key=lambda letter: (letter.next_at, letter.letter_id))[:limit]

    def letters_in_turn(self, now: str, limit: int, without: Collection[str] = ()) -> list[Letter]:
        places: list[tuple[int, Letter]] = []
        waiting: Counter[str] = Counter()
        for letter in self.letters_due(now, len(self._t.letters)):
            lane = lane_of(letter.recipient)
            if lane not in without:
                waiting[lane] += 1
                places.append((waiting[lane], letter))
        return [letter for _, letter in sorted(places, key=lambda pair: pair[0])[:limit]]

    def notices_in(self, letter_id: int) -> list[Notice]:
        return [
            self._t.notices[one] for one, letter in sorted(self._t.settled.items()) if letter == letter_id
        ]

    def freeze(self, letter: Letter) -> int:
        letter_id = len(self._t.letters) + 1
        self._t.letters[letter_id] = replace(letter, letter_id=letter_id)
        return letter_id

    def mark_letter(self, letter_id: int, state: LetterState, *, next_at: str, note: str = "") -> None:
        letter = self._t.letters[letter_id]
        self._t.letters[letter_id] = replace(
            letter, state=state, next_at=next_at, note=note, tries=letter.tries + 1
        )

    def end_letter(self, letter_id: int, state: Literal["failed", "dropped"], note: str) -> None:
        self._t.letters[letter_id] = replace(self._t.letters[letter_id], state=state, note=note)

    def give_up_letters(self, frozen_before: str, note: str, lane: str | None = None) -> int:
        late = [
            letter
            for letter in self.letters("ready")
            if letter.created_at < frozen_before and lane in (None, lane_of(letter.recipient))
        ]
        for letter in late:
            self._t.letters[letter.letter_id] = replace(letter, state="failed", note=note)
        return len(late)

    def requeue_letter(self, letter_id: int, next_at: str, note: str) -> None:
        letter = self._t.letters[letter_id]
        self._t.letters[letter_id] = replace(letter, state="ready", tries=0, next_at=next_at, note=note)

    # ---- due rows and secrets

    def due(self, now: str, limit: int) -> list[Due]:
        ripe = [row for row in self._t.due.values() if row.due_at <= now]
        return sorted(ripe, key=lambda row: row.due_at)[:limit]

    def due_of(self, game_id: str) -> list[Due]:
        rows = [row for row in self._t.due.values() if row.game_id == game_id]
        return sorted(rows, key=lambda row: (row.seat, row.kind))

    def set_due(self, game_id: str, rows: Iterable[Due]) -> None:
        for row in self.due_of(game_id):
            self.clear_due(row)
        for row in rows:
            self._t.due[row.game_id, row.seat, row.kind, row.turn] = row

    def clear_due(self, row: Due) -> None:
        self._t.due.pop((row.game_id, row.seat, row.kind, row.turn), None)

    def secret(self, name: str) -> bytes | None:
        return self._t.secrets.get(name)

    def keep_secret(self, name: str, value: bytes) -> None:
        self._t.secrets.setdefault(name, value)

    def renew_secret(self, name: str, value: bytes) -> None:
        self._t.secrets[name] = value
