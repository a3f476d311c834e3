"""The store in lists: the contract without a disk, for tests, previews and simulations that keep nothing."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from felix_events.envelope import game_of
from felix_events.store.base import Reader, StoreError, Tx, VersionConflict
from felix_events.store.forgetting import NOBODY, REPEATING, cut_down, names_one_of
from felix_events.store.keeping import KeptInMemory
from felix_events.store.lines import GameLine
from felix_events.store.lists import Tables
from felix_events.store.mail_lists import MailInMemory
from felix_events.store.naming import Person
from felix_events.store.people_lists import PeopleInMemory
from felix_events.store.rows import (
    Due,
    Former,
    GameRow,
    Letter,
    LetterState,
    LogRow,
    Mail,
    MailState,
    QuestionState,
    Saying,
    Sealed,
)
from felix_events.store.troubles import TroublesInMemory
from felix_events.tree import extend, leaf


class MemoryStore:
    """Games in memory, one writer at a time."""

    def __init__(self) -> None:
        self._tables = Tables()
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


class _MemoryTx(PeopleInMemory, MailInMemory, TroublesInMemory, KeptInMemory):
    """Everything that can be asked of rows in memory, and done to them."""

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        before = self._t.snapshot()
        try:
            yield
        except BaseException:
            self._t.restore(before)
            raise

    def bodies(self, game_id: str, after: int = 0, until: int | None = None) -> list[bytes]:
        return [row.body for row in self._t.logs.get(game_id, ())[after:until]]

    def log(self, game_id: str) -> list[LogRow]:
        return list(self._t.logs.get(game_id, ()))

    def head(self, game_id: str) -> tuple[int, bytes]:
        log = self._t.logs.get(game_id, ())
        return (log[-1].version, log[-1].range_) if log else (0, b"")

    def logs(self) -> list[str]:
        return sorted(self._t.games.keys() | {game_of(log_id) for log_id in self._t.logs})

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

    def game(self, game_id: str) -> GameRow | None:
        return self._t.games.get(game_id)

    def games(self) -> list[GameRow]:
        return sorted(self._t.games.values(), key=lambda game: (game.created_at, game.game_id))

    def game_lines(self) -> list[GameLine]:
        return [
            GameLine(
                game.game_id,
                game.table_name,
                game.kind,
                game.created_at,
                game.state,
                game.size,
                game.clock,
                tuple(seat.name for seat in self.seats(game.game_id)),
                tuple(row for row in self.due_of(game.game_id) if row.kind in ("deadline", "resume")),
            )
            for game in self.games()
        ]

    def games_since(self, since: str) -> list[GameRow]:
        return [game for game in self.games() if game.created_at > since]

    def add_game(self, game: GameRow) -> None:
        if game.game_id in self._t.games:
            raise StoreError(f"There is a game {game.game_id} here already.")
        self._t.games[game.game_id] = game

    def note_game(self, game_id: str, state: str, size: int) -> None:
        game = self._t.games.get(game_id)
        if game is not None:
            self._t.games[game_id] = replace(game, state=state, size=size)

    def outcome(self, command_id: str) -> str | None:
        return self._t.commands.get(command_id)

    def remember(self, command_id: str, game_id: str, outcome: str) -> None:
        self._t.commands[command_id] = outcome

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

    def last_beat(self) -> str | None:
        return self._t.heartbeat[0] if self._t.heartbeat else None

    def beat(self, at: str) -> None:
        self._t.heartbeat = [at]

    def secret(self, name: str) -> bytes | None:
        return self._t.secrets.get(name)

    # ---- people who leave

    def forgettings(self) -> list[str]:
        return []

    def next_forget_step(self, player_id: str) -> None:
        """Nothing is left over: `begin_to_forget` does all of it."""

    def begin_to_forget(self, player_id: str) -> None:
        self.forget(player_id)

    def do_forget_step(self, step: object) -> None:
        """There is none."""

    def end_forgetting(self, player_id: str) -> None:
        """It has ended."""

    def forget_letter(self, letter_id: int, player_id: str, *, is_theirs: bool) -> None:
        self.forget(player_id)

    def forget(self, player_id: str) -> None:
        t = self._t
        own = {address for address, row in t.addresses.items() if row.player_id == player_id}
        others = t.addresses.keys() - own | {one for player, one in t.adopted if player != player_id}
        addresses = own | {one for player, one in t.adopted if player == player_id} - others
        for mail in list(t.inbox.values()):
            if self._is_from(mail, player_id, addresses):
                state: MailState = "ignored" if mail.state in ("new", "quarantined") else mail.state
                t.inbox[mail.mail_id] = replace(mail, raw=b"", sender="", note="", state=state)
                t.held.pop(mail.mail_id, None)
        self._forget_naming(player_id, self._person(player_id, addresses))
        for key, seat in list(t.seats.items()):
            if seat.player_id == player_id:
                self._forget_seat(key, addresses)
                t.seats[key] = replace(seat, name="", secret=b"")
        for place, row in list(t.former.items()):
            if row.player_id == player_id:
                self._forget_former(row, addresses)
                t.former[place] = replace(row, name="")
        self._forget_payloads(addresses)
        self._forget_sayings(player_id)
        lost = {(row.game_id, row.seat) for row in self.former_of(player_id)}
        offers = {
            t.settled.get(number)
            for number, notice in t.notices.items()
            if notice.kind in ("substitute", "seat_closed")
        }
        for number, letter in list(t.letters.items()):
            if letter.recipient in own and ((letter.game_id, letter.seat) in lost or number in offers):
                self._empty_letter(number, letter)
        t.choices.pop(player_id, None)
        self.doubt(player_id)
        t.adopted = {key: None for key in t.adopted if key[0] != player_id}
        t.addresses = {key: row for key, row in t.addresses.items() if row.player_id != player_id}

    def _holds_for(self, mail: Mail, player_id: str) -> bool:
        held = self.held(mail.mail_id)
        return held is not None and held.player_id == player_id

    def _is_from(self, mail: Mail, player_id: str, addresses: Collection[str]) -> bool:
        """Whether a mail is this player's: attributed, held, from an address of theirs; or a bounce of it."""
        if mail.player_id == player_id or self._holds_for(mail, player_id):
            return True
        if mail.sender in NOBODY:
            return mail.player_id is None and names_one_of(mail.raw, addresses)
        return mail.player_id is None and mail.sender.lower() in {one.lower() for one in addresses}

    def _forget_seat(self, seat: tuple[str, int], addresses: Collection[str]) -> None:
        """Erase what was owed, asked and written to a seat, and what others were told about it."""
        t = self._t
        for place, question in list(t.questions.items()):
            if place[:2] == seat:
                state: QuestionState = "dropped" if question.state == "open" else question.state
                t.questions[place] = replace(question, text="", state=state)
        for number, notice in list(t.notices.items()):
            if notice.game_id == seat[0]:
                is_theirs = notice.seat == seat[1]
                if is_theirs:
                    t.settled.setdefault(number, None)
                named = "@" in notice.about if is_theirs else names_one_of(notice.about, addresses)
                about = f"erased {number}" if named else notice.about
                payload = "{}" if number in t.settled else notice.payload
                t.notices[number] = replace(notice, about=about, payload=payload)
        # One letter may tell about several games.
        telling = {
            t.settled.get(number)
            for number, notice in t.notices.items()
            if notice.game_id == seat[0] and notice.seat != seat[1]
        }
        for number, letter in list(t.letters.items()):
            if (letter.game_id, letter.seat) == seat:
                self._empty_letter(number, letter)
            elif (letter.game_id == seat[0] or number in telling) and letter.state != "ready":
                gone: LetterState = "dropped" if letter.state == "failed" else letter.state
                t.letters[number] = replace(letter, raw=cut_down(letter.raw), state=gone)

    def _empty_letter(self, number: int, letter: Letter) -> None:
        gone: LetterState = "dropped" if letter.state in ("ready", "failed") else letter.state
        self._t.letters[number] = replace(letter, raw=b"", recipient="", note="", state=gone)

    def _forget_former(self, row: Former, addresses: Collection[str]) -> None:
        """Erase what was told about somebody who had lost their seat, and what was owed to them there."""
        for number, notice in list(self._t.notices.items()):
            is_there = (notice.game_id, notice.seat) == (row.game_id, row.seat)
            if is_there and (notice.version < row.version or notice.kind == "seat_lost"):
                self._t.notices[number] = replace(notice, payload="{}")
                self._t.settled.setdefault(number, None)
        self._forget_seat((row.game_id, -1), addresses)

    def _person(self, player_id: str, addresses: Collection[str]) -> Person:
        """By what somebody is known."""
        names = [seat.name for seat in self._t.seats.values() if seat.player_id == player_id]
        names += [row.name for row in self.former_of(player_id)]
        said = [one.text for one in self._t.sayings.values() if self._said_by(one) == player_id]
        return Person(addresses, names, said)

    def _forget_naming(self, player_id: str, person: Person) -> None:
        """Erase what others wrote, were asked and were told that names this person."""
        t = self._t
        games = {row.game_id for row in t.seats.values() if row.player_id == player_id}
        games |= {row.game_id for row in self.former_of(player_id)}
        near = {row.player_id for row in t.seats.values() if row.game_id in games}
        near |= {row.player_id for row in t.former.values() if row.game_id in games}
        for mail in list(t.inbox.values()):
            is_near = mail.player_id in near - {player_id}
            is_done = mail.state != "new" and bool(mail.raw)
            if is_done and (person.is_named_in(mail.raw) or (is_near and person.is_meant_in(mail.raw))):
                state: MailState = "ignored" if mail.state == "quarantined" else mail.state
                t.inbox[mail.mail_id] = replace(mail, raw=b"", note="", state=state)
                t.held.pop(mail.mail_id, None)
                self._drop_questions_about(mail.mail_id)
        for place, question in list(t.questions.items()):
            is_near = place[0] in games and person.is_called_in(question.text)
            if is_near or names_one_of(question.text, person.addresses):
                gone: QuestionState = "dropped" if question.state == "open" else question.state
                t.questions[place] = replace(question, text="", state=gone)
        for number, letter in list(t.letters.items()):
            if letter.state != "ready" and person.is_named_in(letter.raw):
                cut: LetterState = "dropped" if letter.state == "failed" else letter.state
                t.letters[number] = replace(letter, raw=cut_down(letter.raw), state=cut)

    def _drop_questions_about(self, mail_id: int) -> None:
        for place, question in list(self._t.questions.items()):
            if (question.mail_id, question.kind, question.state) == (mail_id, "sender", "open"):
                self._t.questions[place] = replace(question, state="dropped")

    def _forget_payloads(self, addresses: Collection[str]) -> None:
        """What repeats an address: who was asked to take a seat need not have had one."""
        for number, notice in list(self._t.notices.items()):
            if notice.kind in REPEATING and names_one_of(notice.payload, addresses):
                self._t.notices[number] = replace(notice, payload="{}")
                self._t.settled.setdefault(number, None)

    def _said_by(self, saying: Saying) -> str:
        """Whose line this was; who has a seat now need not have had it then."""
        later = [row for row in self.former(saying.game_id) if row.version > saying.version]
        then = next((row for row in later if row.seat == saying.seat), None)
        return self._t.seats[saying.game_id, saying.seat].player_id if then is None else then.player_id

    def _forget_sayings(self, player_id: str) -> None:
        for place, saying in list(self._t.sayings.items()):
            if self._said_by(saying) == player_id:
                self._t.sayings[place] = replace(saying, salt=b"", text="")

    # ---- secrets

    def keep_secret(self, name: str, value: bytes) -> None:
        self._t.secrets.setdefault(name, value)

    def renew_secret(self, name: str, value: bytes) -> None:
        self._t.secrets[name] = value
