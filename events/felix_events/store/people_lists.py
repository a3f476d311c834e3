"""What the store in memory keeps of people: their seats, addresses and what they were asked."""

from __future__ import annotations

from dataclasses import replace

from felix_events.store.base import StoreError
from felix_events.store.lists import Tables
from felix_events.store.rows import (
    LOST,
    AddressRow,
    Belief,
    Choice,
    Former,
    Held,
    Question,
    QuestionState,
    Saying,
    SeatRow,
)

_RELEASED = Held(0, "", "", state="released")


class PeopleInMemory:
    """The part of `Tx` that is about people."""

    def __init__(self, tables: Tables) -> None:
        self._t = tables

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

    def reseat(self, seat: SeatRow, version: int) -> None:
        t, key = self._t, (seat.game_id, seat.seat)
        was = t.seats[key]
        t.former[seat.game_id, version] = Former(*key, was.player_id, was.name, version)
        t.seats[key] = seat
        for place, question in list(t.questions.items()):
            if place[:2] == key:
                state: QuestionState = "dropped" if question.state == "open" else question.state
                t.questions[place] = replace(question, text="", state=state)
        owed = {number for number, one in t.notices.items() if (one.game_id, one.seat) == key}
        kept = {number for number, one in t.notices.items() if one.kind in ("farewell", "unreachable")}
        for number, letter in list(t.letters.items()):
            told = {notice for notice, letter_id in t.settled.items() if letter_id == number}
            is_theirs = (letter.game_id, letter.seat) == key or bool(told & owed)
            if letter.state in ("ready", "failed") and is_theirs and not told & kept:
                t.letters[number] = replace(letter, state="dropped", note=LOST)
                for notice in told - owed:
                    del t.settled[notice]
        for number in owed - kept - t.settled.keys():
            t.settled[number] = None

    def has_written(self, player_id: str) -> bool:
        return any((mail.player_id, mail.state) == (player_id, "done") for mail in self._t.inbox.values())

    def former(self, game_id: str) -> list[Former]:
        return [row for (game, _), row in sorted(self._t.former.items()) if game == game_id]

    def former_of(self, player_id: str) -> list[Former]:
        return [row for row in self._t.former.values() if row.player_id == player_id]

    def co_players(self, player_id: str) -> list[SeatRow]:
        shared = {game for (game, _), seat in self._t.seats.items() if seat.player_id == player_id}
        shared |= {row.game_id for row in self._t.former.values() if row.player_id == player_id}
        newest: dict[str, SeatRow] = {}
        for seat in reversed(self._t.seats.values()):
            if seat.game_id in shared and seat.player_id != player_id and seat.name:
                newest.setdefault(seat.player_id, seat)
        for row in reversed(self._t.former.values()):
            if row.game_id in shared and row.player_id != player_id and row.name:
                newest.setdefault(
                    row.player_id, SeatRow(row.game_id, row.seat, row.player_id, row.name, None, b"")
                )
        return [self._with_addresses(seat) for seat in newest.values()]

    def player_at(self, address: str) -> str | None:
        row = self._t.addresses.get(address)
        return None if row is None else row.player_id

    def add_player(self, player_id: str, address: str) -> None:
        row = self._t.addresses.setdefault(address, AddressRow(address, player_id))
        if row.player_id != player_id:
            raise StoreError(f"The address {address} belongs to another player.")

    def addresses(self, player_id: str | None = None) -> list[AddressRow]:
        rows = [row for row in self._t.addresses.values() if player_id in (None, row.player_id)]
        return rows if player_id is None else sorted(rows, key=lambda row: not row.chosen)

    def choice(self, player_id: str) -> Choice:
        return self._t.choices.get(player_id, Choice(player_id))

    def choices_at(self, game_id: str) -> dict[int, Choice]:
        chosen = {seat.seat: self.choice(seat.player_id) for seat in self.seats(game_id)}
        return {seat: choice for seat, choice in chosen.items() if choice != Choice(choice.player_id)}

    def sayings(self, game_id: str) -> list[Saying]:
        return [row for (game, _), row in sorted(self._t.sayings.items()) if game == game_id]

    def adopt(self, player_id: str, address: str) -> None:
        self._t.adopted[player_id, address] = None

    def note_address(self, row: AddressRow) -> None:
        known = self._t.addresses[row.address]
        self._t.addresses[row.address] = replace(
            known, score=row.score, scored_at=row.scored_at, stopped=row.stopped
        )

    def move_mail(self, player_id: str, address: str) -> None:
        self.add_player(player_id, address)
        self._t.adopted.pop((player_id, address), None)
        for row in self.addresses(player_id):
            self._t.addresses[row.address] = replace(row, chosen=False, stopped=row.stopped or "moved")
        self._t.addresses[address] = AddressRow(address, player_id, chosen=True)

    def choose(self, choice: Choice) -> None:
        self._t.choices[choice.player_id] = choice

    def keep_saying(self, saying: Saying) -> None:
        self._t.sayings.setdefault((saying.game_id, saying.version), saying)

    def _with_addresses(self, seat: SeatRow) -> SeatRow:
        rows = self.addresses(seat.player_id)
        address = next((row.address for row in rows if not row.stopped), None)
        adopted = sorted(one for player_id, one in self._t.adopted if player_id == seat.player_id)
        return replace(seat, address=address, addresses=(*(row.address for row in rows), *adopted))

    def questions(self, game_id: str, seat: int) -> list[Question]:
        return [row for key, row in sorted(self._t.questions.items()) if key[:2] == (game_id, seat)]

    def ask(self, question: Question) -> int:
        number = len(self.questions(question.game_id, question.seat)) + 1
        key = (question.game_id, question.seat, number)
        self._t.questions[key] = replace(question, number=number)
        return number

    def hold(self, mail_id: int, player_id: str, sender: str, provider: str = "") -> None:
        if self._t.held.get(mail_id, _RELEASED).state == "released":
            self._t.held[mail_id] = Held(mail_id, player_id, sender, provider)

    def held(self, mail_id: int) -> Held | None:
        return self._t.held.get(mail_id)

    def is_confirmed(self, mail_id: int) -> bool:
        held = self.held(mail_id)
        return held is not None and held.state == "confirmed"

    def confirm_held(
        self, player_id: str, sender: str, only: int | None = None, provider: str | None = None
    ) -> list[int]:
        fresh = [one for one in self._waiting(player_id, sender, provider) if only in (None, one.mail_id)]
        self._t.held.update({one.mail_id: replace(one, state="confirmed") for one in fresh})
        return [one.mail_id for one in fresh]

    def release_held(self, player_id: str, sender: str, provider: str | None = None) -> None:
        for one in self._waiting(player_id, sender, provider):
            self._t.held[one.mail_id] = replace(one, state="released")

    def _waiting(self, player_id: str, sender: str, provider: str | None) -> list[Held]:
        """The mails that wait for this player to say that they are theirs."""
        return [
            one
            for _, one in sorted(self._t.held.items())
            if (one.player_id, one.sender, one.state) == (player_id, sender, "waiting")
            and provider in (None, one.provider)
        ]

    def beliefs(self, player_id: str | None = None) -> list[Belief]:
        return [row for key, row in sorted(self._t.beliefs.items()) if player_id in (None, key[0])]

    def believe(self, belief: Belief) -> None:
        self._t.beliefs.setdefault((belief.player_id, belief.address, belief.provider), belief)

    def doubt(self, player_id: str, address: str | None = None, provider: str | None = None) -> int:
        gone = [
            key
            for key in self._t.beliefs
            if key[0] == player_id and address in (None, key[1]) and provider in (None, key[2])
        ]
        for key in gone:
            del self._t.beliefs[key]
        return len(gone)

    def settle_question(self, question: Question, state: QuestionState) -> None:
        key = (question.game_id, question.seat, question.number)
        self._t.questions[key] = replace(self._t.questions[key], state=state)
