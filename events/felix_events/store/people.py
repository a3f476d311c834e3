"""The SQL about people: their seats, addresses and what they were asked, on one connection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from felix_events.store.base import StoreError
from felix_events.store.remembering import Remembering, columns, remembered
from felix_events.store.rows import (
    LOST,
    AddressRow,
    Belief,
    Choice,
    Former,
    Held,
    HeldState,
    Question,
    QuestionState,
    Saying,
    SeatRow,
)

_SEAT = (
    "SELECT seats.game_id, seats.seat, seats.player_id, seats.name, seats.secret, addresses.address,"
    " addresses.stopped, addresses.chosen, addresses.added, adopted.address AS adopted FROM seats"
    " LEFT JOIN addresses ON addresses.player_id = seats.player_id"
    " LEFT JOIN adopted ON adopted.player_id = seats.player_id"
)
_ADDRESS = "SELECT address, player_id, score, scored_at, stopped, chosen FROM addresses"
_CHOSEN = 'player_id, notify, hears, zone, "offset", quiet, asked_zone, discreet, receipts'
_CHOICE = f"SELECT {_CHOSEN} FROM choices"  # noqa: S608 - names of columns
_YES_OR_NO = ("hears", "asked_zone", "discreet", "receipts")
_HELD = "SELECT mail_id, player_id, sender, provider, confirmed, keyless FROM held"
_HELD_STATES: list[HeldState] = ["waiting", "confirmed", "released"]
_BELIEF = f"SELECT {columns(Belief)} FROM beliefs"  # noqa: S608 - names of columns
_QUESTION = f"SELECT {columns(Question)} FROM questions"  # noqa: S608 - names of columns
_FORMER = f"SELECT {columns(Former)} FROM former"  # noqa: S608 - names of columns
_PLAYED = (
    "SELECT game_id FROM seats WHERE player_id = :me UNION SELECT game_id FROM former WHERE player_id = :me"
)
_CO_PLAYERS = (
    f"SELECT max(added) FROM seats WHERE game_id IN ({_PLAYED}) AND player_id != :me GROUP BY player_id"  # noqa: S608 - constants
)
_FORMER_CO_PLAYERS = (
    "SELECT game_id, seat, player_id, name FROM former"  # noqa: S608 - constants
    f" WHERE game_id IN ({_PLAYED}) AND player_id != :me AND name != '' ORDER BY added DESC"
)
# Letters to the player who sat there, but for the last that they get.
_LETTERS_OF = (
    "SELECT letter_id FROM letters WHERE state IN ('ready', 'failed')"
    " AND ((game_id = :game_id AND seat = :seat)"
    # One letter may tell about several games.
    " OR letter_id IN (SELECT letter_id FROM notices WHERE game_id = :game_id AND seat = :seat))"
    " AND letter_id NOT IN (SELECT letter_id FROM notices"
    " WHERE letter_id IS NOT NULL AND kind IN ('farewell', 'unreachable'))"
)
_RESEAT = (
    "INSERT INTO former (game_id, seat, version, player_id, name, added)"
    " SELECT game_id, seat, :version, player_id, name, (SELECT coalesce(max(added), 0) + 1 FROM former)"
    " FROM seats WHERE game_id = :game_id AND seat = :seat",
    "UPDATE seats SET player_id = :player_id, name = :name, secret = :secret"
    " WHERE game_id = :game_id AND seat = :seat",
    "UPDATE questions SET text = '', state = CASE state WHEN 'open' THEN 'dropped' ELSE state END"
    " WHERE game_id = :game_id AND seat = :seat",
    "UPDATE notices SET settled = 1"
    " WHERE game_id = :game_id AND seat = :seat AND settled = 0 AND kind NOT IN ('farewell', 'unreachable')",
)
_OWED_AGAIN = (
    "UPDATE notices SET settled = 0, letter_id = NULL"
    " WHERE letter_id = :letter_id AND NOT (game_id = :game_id AND seat = :seat)"
)


class PeopleReader(Remembering):
    """Questions about people to one connection."""

    @remembered("seats", "addresses", "adopted")
    def seats(self, game_id: str) -> list[SeatRow]:
        return _seats(self._rows(f"{_SEAT} WHERE seats.game_id = ? ORDER BY seats.seat", (game_id,)))

    def seats_of(self, player_id: str) -> list[SeatRow]:
        order = "ORDER BY seats.added DESC"
        return _seats(self._rows(f"{_SEAT} WHERE seats.player_id = ? {order}", (player_id,)))

    def co_players(self, player_id: str) -> list[SeatRow]:
        me = {"me": player_id}
        order = "ORDER BY seats.added DESC"
        rows = self._rows(f"{_SEAT} WHERE seats.added IN ({_CO_PLAYERS}) AND seats.name != '' {order}", me)
        found = {seat.player_id: seat for seat in _seats(rows)}
        for game_id, seat, other, name in self._sql(_FORMER_CO_PLAYERS, me).fetchall():
            if other not in found:
                found[other] = self._without_seat(Former(game_id, seat, other, name, 0))
        return list(found.values())

    @remembered("former")
    def former(self, game_id: str) -> list[Former]:
        return self._each(Former, f"{_FORMER} WHERE game_id = ? ORDER BY version", (game_id,))

    def former_of(self, player_id: str) -> list[Former]:
        return self._each(Former, f"{_FORMER} WHERE player_id = ? ORDER BY added", (player_id,))

    def _without_seat(self, row: Former) -> SeatRow:
        rows = self.addresses(row.player_id)
        address = next((one.address for one in rows if not one.stopped), None)
        own = tuple(one.address for one in rows)
        return SeatRow(row.game_id, row.seat, row.player_id, row.name, address, b"", own)

    def has_written(self, player_id: str) -> bool:
        found = self._sql("SELECT 1 FROM inbox WHERE player_id = ? AND state = 'done' LIMIT 1", (player_id,))
        return found.fetchone() is not None

    @remembered("addresses")
    def player_at(self, address: str) -> str | None:
        row = self._sql("SELECT player_id FROM addresses WHERE address = ?", (address,)).fetchone()
        return None if row is None else str(row[0])

    @remembered("addresses")
    def addresses(self, player_id: str | None = None) -> list[AddressRow]:
        if player_id is None:
            rows = self._rows(f"{_ADDRESS} ORDER BY added")
        else:
            rows = self._rows(f"{_ADDRESS} WHERE player_id = ? ORDER BY chosen DESC, added", (player_id,))
        return [AddressRow(**{**row, "chosen": bool(row["chosen"])}) for row in rows]

    @remembered("choices")
    def choice(self, player_id: str) -> Choice:
        row = self._row(f"{_CHOICE} WHERE player_id = ?", (player_id,))
        return Choice(player_id) if row is None else _choice(row)

    @remembered("choices", "seats")
    def choices_at(self, game_id: str) -> dict[int, Choice]:
        rows = self._rows(
            f"SELECT seat, {_CHOSEN} FROM seats JOIN choices USING (player_id)"  # noqa: S608 - names of columns
            " WHERE game_id = ? ORDER BY seat",
            (game_id,),
        )
        return {row.pop("seat"): _choice(row) for row in rows}

    def sayings(self, game_id: str) -> list[Saying]:
        return self._each(
            Saying,
            "SELECT game_id, version, seat, salt, text FROM sayings WHERE game_id = ? ORDER BY version",
            (game_id,),
        )

    @remembered("questions")
    def questions(self, game_id: str, seat: int) -> list[Question]:
        return self._each(
            Question, f"{_QUESTION} WHERE game_id = ? AND seat = ? ORDER BY number", (game_id, seat)
        )

    def questions_due(self, now: str, limit: int) -> list[Question]:
        return self._each(
            Question,
            f"{_QUESTION} WHERE state = 'open' AND due_at != '' AND due_at <= ?"
            " ORDER BY due_at, game_id, seat, number LIMIT ?",
            (now, limit),
        )

    def held(self, mail_id: int) -> Held | None:
        row = self._sql(f"{_HELD} WHERE mail_id = ?", (mail_id,)).fetchone()
        if row is None:
            return None
        mail_id, player_id, sender, provider, confirmed, keyless = row
        return Held(mail_id, player_id, sender, provider, _HELD_STATES[confirmed], bool(keyless))

    def is_confirmed(self, mail_id: int) -> bool:
        held = self.held(mail_id)
        return held is not None and held.state == "confirmed"

    def beliefs(self, player_id: str | None = None) -> list[Belief]:
        which = "" if player_id is None else " WHERE player_id = :player_id"
        order = " ORDER BY player_id, address, provider"
        return self._each(Belief, f"{_BELIEF}{which}{order}", {"player_id": player_id})


class PeopleTx(PeopleReader):
    """Changes to what is kept of people, in a transaction that somebody else opened."""

    def add_seat(self, seat: SeatRow) -> None:
        self._sql(
            "INSERT INTO seats (game_id, seat, player_id, name, secret, added)"
            " VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(added), 0) + 1 FROM seats))",
            (seat.game_id, seat.seat, seat.player_id, seat.name, seat.secret),
        )

    def add_player(self, player_id: str, address: str) -> None:
        owner = self.player_at(address)
        if owner is None:
            self._sql(
                "INSERT INTO addresses (address, player_id, added)"
                " VALUES (?, ?, (SELECT coalesce(max(added), 0) + 1 FROM addresses))",
                (address, player_id),
            )
        elif owner != player_id:
            raise StoreError(f"The address {address} belongs to another player.")

    def rotate_secret(self, game_id: str, seat: int, secret: bytes) -> None:
        self._sql("UPDATE seats SET secret = ? WHERE game_id = ? AND seat = ?", (secret, game_id, seat))

    def reseat(self, seat: SeatRow, version: int) -> None:
        at = {"game_id": seat.game_id, "seat": seat.seat}
        who = {"player_id": seat.player_id, "name": seat.name, "secret": seat.secret, "version": version}
        for statement in _RESEAT:
            self._sql(statement, {**at, **who})
        for (letter_id,) in self._sql(_LETTERS_OF, at).fetchall():
            self._sql("UPDATE letters SET state = 'dropped', note = ? WHERE letter_id = ?", (LOST, letter_id))
            self._sql(_OWED_AGAIN, {**at, "letter_id": letter_id})

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

    def move_mail(self, player_id: str, address: str) -> None:
        self.add_player(player_id, address)
        self._sql("DELETE FROM adopted WHERE player_id = ? AND address = ?", (player_id, address))
        self._sql(
            "UPDATE addresses SET chosen = 0, stopped = CASE stopped WHEN '' THEN 'moved' ELSE stopped END"
            " WHERE player_id = ?",
            (player_id,),
        )
        self._sql(
            "UPDATE addresses SET chosen = 1, stopped = '', score = 0, scored_at = '' WHERE address = ?",
            (address,),
        )

    def choose(self, choice: Choice) -> None:
        # Only what differs from the default is kept: `choices_at` is asked at every move.
        self._sql("DELETE FROM choices WHERE player_id = ?", (choice.player_id,))
        if choice != Choice(choice.player_id):
            self._sql(
                f"INSERT INTO choices ({_CHOSEN})"  # noqa: S608 - names of columns
                " VALUES (:player_id, :notify, :hears, :zone, :offset, :quiet, :asked_zone, :discreet,"
                " :receipts)",
                asdict(choice),
            )

    def keep_saying(self, saying: Saying) -> None:
        self._sql(
            "INSERT INTO sayings (game_id, version, seat, salt, text) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (saying.game_id, saying.version, saying.seat, saying.salt, saying.text),
        )

    def ask(self, question: Question) -> int:
        number = len(self.questions(question.game_id, question.seat)) + 1
        self._sql(
            "INSERT INTO questions"
            " (game_id, seat, number, kind, turn, mail_id, text, asked_at, due_at, round, turned)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                question.game_id,
                question.seat,
                number,
                question.kind,
                question.turn,
                question.mail_id,
                question.text,
                question.asked_at,
                question.due_at,
                question.round,
                question.turned,
            ),
        )
        return number

    def hold(self, mail_id: int, player_id: str, sender: str, provider: str = "") -> None:
        self._sql(
            "INSERT INTO held (mail_id, player_id, sender, provider) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (mail_id) DO UPDATE SET player_id = excluded.player_id, sender = excluded.sender,"
            " provider = excluded.provider, confirmed = 0 WHERE held.confirmed = 2",
            (mail_id, player_id, sender, provider),
        )

    def note_keyless(self, mail_id: int) -> None:
        self._sql("UPDATE held SET keyless = 1 WHERE mail_id = ?", (mail_id,))

    def confirm_held(
        self, player_id: str, sender: str, only: int | None = None, provider: str | None = None
    ) -> list[int]:
        rows = self._sql(
            "UPDATE held SET confirmed = 1 WHERE player_id = ? AND sender = ? AND confirmed = 0"
            " AND mail_id = coalesce(?, mail_id) AND provider = coalesce(?, provider) RETURNING mail_id",
            (player_id, sender, only, provider),
        ).fetchall()
        return sorted(mail_id for (mail_id,) in rows)

    def release_held(self, player_id: str, sender: str, provider: str | None = None) -> None:
        self._sql(
            "UPDATE held SET confirmed = 2 WHERE player_id = ? AND sender = ? AND confirmed = 0"
            " AND provider = coalesce(?, provider)",
            (player_id, sender, provider),
        )

    def believe(self, belief: Belief) -> None:
        self._sql(
            "INSERT INTO beliefs (player_id, address, provider, since)"
            " VALUES (:player_id, :address, :provider, :since) ON CONFLICT DO NOTHING",
            asdict(belief),
        )

    def doubt(self, player_id: str, address: str | None = None, provider: str | None = None) -> int:
        gone = self._sql(
            "DELETE FROM beliefs WHERE player_id = ? AND address = coalesce(?, address)"
            " AND provider = coalesce(?, provider)",
            (player_id, address, provider),
        )
        return gone.rowcount

    def settle_question(self, question: Question, state: QuestionState) -> None:
        self._sql(
            "UPDATE questions SET state = ? WHERE game_id = ? AND seat = ? AND number = ?",
            (state, question.game_id, question.seat, question.number),
        )

    def put_off_question(self, question: Question, due_at: str) -> None:
        self._sql(
            "UPDATE questions SET due_at = ?"
            " WHERE game_id = ? AND seat = ? AND number = ? AND state = 'open'",
            (due_at, question.game_id, question.seat, question.number),
        )


def _choice(row: dict[str, Any]) -> Choice:
    return Choice(**{**row, **{name: bool(row[name]) for name in _YES_OR_NO}})


def _seats(rows: Sequence[dict[str, Any]]) -> list[SeatRow]:
    """The seats of rows that name one address of each, with all of them."""
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["game_id"], row["seat"]), []).append(row)
    return [_seat(group) for group in groups.values()]


def _seat(rows: Sequence[dict[str, Any]]) -> SeatRow:
    mine = [row for row in rows if row["address"] is not None]
    mine.sort(key=lambda row: (-row["chosen"], row["added"]))
    address = next((row["address"] for row in mine if not row["stopped"]), None)
    own = dict.fromkeys(row["address"] for row in mine)
    adopted = sorted({row["adopted"] for row in rows if row["adopted"] is not None})
    one = rows[0]
    return SeatRow(
        one["game_id"], one["seat"], one["player_id"], one["name"], address, one["secret"], (*own, *adopted)
    )
