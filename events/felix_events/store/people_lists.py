"""What the store in memory keeps of people: their seats, addresses and what they were asked."""

from __future__ import annotations

from dataclasses import replace

from felix_events.store.base import StoreError
from felix_events.store.lists import Tables
from felix_events.store.rows import AddressRow, Question, QuestionState, SeatRow


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
