"""What the store in memory keeps of mail: what came in, what is owed, and the letters that go out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from hashlib import sha256
from typing import Literal

from felix_events.store.lines import Backlog, LetterLine, MailLine, letter_line, mail_line
from felix_events.store.lists import Tables
from felix_events.store.rows import Letter, LetterState, Mail, MailState, Notice, Tidings, lane_of


class MailInMemory:
    """The part of `Tx` that is about mail."""

    _t: Tables

    def mails(self, state: MailState | None = None) -> list[Mail]:
        return [mail for _, mail in sorted(self._t.inbox.items()) if state in (None, mail.state)]

    def mail(self, mail_id: int) -> Mail | None:
        return self._t.inbox.get(mail_id)

    def mail_lines(
        self, limit: int, state: MailState | None = None, before: int | None = None
    ) -> list[MailLine]:
        rows = [mail for mail in reversed(self.mails(state)) if before is None or mail.mail_id < before]
        return [mail_line(mail) for mail in rows[:limit]]

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
        return [letter_line(letter) for letter in rows[:limit]]

    def backlog(self) -> Backlog:
        mails: tuple[MailState, ...] = ("new", "quarantined")
        letters: tuple[LetterState, ...] = ("ready", "failed")
        return Backlog(
            *(len(self.mails(state)) for state in mails), *(len(self.letters(state)) for state in letters)
        )

    def next_mail(self, after: int = 0) -> Mail | None:
        return next((mail for mail in self.mails("new") if mail.mail_id > after), None)

    def mail_with(self, key: str) -> Mail | None:
        return next((mail for mail in self.mails() if mail.key == key and mail.state != "new"), None)

    def keep_mail(self, received_at: str, recipient: str, sender: str, raw: bytes) -> int:
        mail_id = len(self._t.inbox) + 1
        self._t.inbox[mail_id] = Mail(mail_id, received_at, recipient, sender, raw, sha256(raw).hexdigest())
        return mail_id

    def settle_mail(self, mail_id: int, state: MailState, *, key: str | None = None, note: str = "") -> None:
        self._t.inbox[mail_id] = replace(self._t.inbox[mail_id], state=state, key=key, note=note)

    def attribute_mail(self, mail_id: int, player_id: str) -> None:
        self._t.inbox[mail_id] = replace(self._t.inbox[mail_id], player_id=player_id)

    def requeue_mail(self, mail_id: int, note: str) -> None:
        mail = self._t.inbox[mail_id]
        self._t.inbox[mail_id] = replace(mail, state="new", tries=0, key=None, note=note)

    def try_mail(self, mail_id: int, note: str) -> None:
        mail = self._t.inbox[mail_id]
        self._t.inbox[mail_id] = replace(mail, tries=mail.tries + 1, note=note)

    def owed(self, now: str, game_id: str | None = None) -> list[Notice]:
        return [
            notice
            for notice_id, notice in sorted(self._t.notices.items())
            if notice_id not in self._t.settled and notice.due_at <= now and game_id in (None, notice.game_id)
        ]

    def owed_to(self, player_id: str, now: str) -> list[Notice]:
        seats = {key for key, seat in self._t.seats.items() if seat.player_id == player_id}
        return [notice for notice in self.owed(now) if (notice.game_id, notice.seat) in seats]

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

    def owe_at_once(self, player_id: str, now: str) -> None:
        for notice in self.owed_to(player_id, "9999"):
            if notice.due_at > now:
                self._t.notices[notice.notice_id] = replace(notice, due_at=now)

    def settle(self, notice_ids: Iterable[int], letter_id: int | None) -> None:
        self._t.settled.update(dict.fromkeys(notice_ids, letter_id))

    def letters(self, state: LetterState | None = None) -> list[Letter]:
        return [letter for _, letter in sorted(self._t.letters.items()) if state in (None, letter.state)]

    def letter(self, letter_id: int) -> Letter | None:
        return self._t.letters.get(letter_id)

    def letter_with(self, message_id: str) -> Letter | None:
        return next((letter for letter in self.letters() if letter.message_id == message_id), None)

    def has_letter(self, message_id: str) -> bool:
        return self.letter_with(message_id) is not None

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

    def telling(self, game_id: str, seat: int, turn: int) -> Letter | None:
        letters = [
            letter_id
            for notice_id, letter_id in self._t.settled.items()
            if letter_id is not None
            and (notice := self._t.notices[notice_id]).kind == "turn"
            and (notice.game_id, notice.seat, notice.turn) == (game_id, seat, turn)
        ]
        return self.letter(max(letters)) if letters else None

    def reminded(self, game_id: str, seat: int, turn: int) -> list[str]:
        told = [one for one in self.notices(game_id) if (one.kind, one.seat) == ("reminder", seat)]
        return [one.about for one in told if one.turn == turn]

    def notices_in(self, letter_id: int) -> list[Notice]:
        return [
            self._t.notices[one] for one, letter in sorted(self._t.settled.items()) if letter == letter_id
        ]

    def letters_about(self, game_id: str, seat: int, limit: int) -> list[int]:
        found = {
            letter_id
            for notice_id, letter_id in self._t.settled.items()
            if letter_id is not None
            and (self._t.notices[notice_id].game_id, self._t.notices[notice_id].seat) == (game_id, seat)
        }
        return sorted(filter(self._is_live, found), reverse=True)[:limit]

    def told_until(self, game_id: str, seat: int, before: int | None = None) -> int | None:
        heads = [one.head for one in self._told(game_id, seat, before) if one.head is not None]
        return max(heads, default=None)

    def heard(self, game_id: str, seat: int, before: int | None = None) -> set[int]:
        return {version for one in self._told(game_id, seat, before) for version in one.sayings}

    def _told(self, game_id: str, seat: int, before: int | None) -> list[Tidings]:
        return [
            tidings
            for (letter_id, *whose), tidings in self._t.tidings.items()
            if whose == [game_id, seat]
            and (before is None or letter_id < before)
            and self._is_live(letter_id)
        ]

    def _is_live(self, letter_id: int) -> bool:
        return self._t.letters[letter_id].state not in ("failed", "dropped")

    def keep_tidings(self, letter_id: int, tidings: Tidings) -> None:
        self._t.tidings[letter_id, tidings.game_id, tidings.seat] = tidings

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
