"""The questions and changes about people whom felix answered and who play nowhere: the contract, and its SQL.

Of their addresses a hash is kept, by which the same one is known again. The address itself stands in the
letter, and goes with its bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from felix_events.store.remembering import Remembering, columns
from felix_events.store.rows import Greeting, Question

M017: Final = (
    """CREATE TABLE greetings (
        address BLOB NOT NULL,
        domain BLOB NOT NULL,
        mail_id INTEGER NOT NULL REFERENCES inbox (mail_id),
        what TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (address, mail_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX greetings_at ON greetings (at)",
    "CREATE INDEX letters_strangers ON letters (created_at) WHERE game_id = '' AND recipient != ''",
)
"""The step that makes their table (`felix_events.store.schema`)."""
_GREETING = f"SELECT {columns(Greeting)} FROM greetings"  # noqa: S608 - names of columns
_ELSEWHERE = (
    f"SELECT {columns(Question)} FROM questions"  # noqa: S608 - names of columns
    " WHERE kind IN ('address', 'substitute') AND state != 'yes' AND asked_at > ?"
)
_NOBODYS = "game_id = '' AND recipient != ''"


class GreetingsAsked(Protocol):
    """The questions."""

    def greetings(self, address: bytes) -> list[Greeting]:
        """How felix answered somebody whose address has this hash, the oldest first."""

    def greeted_since(self, at: str) -> Mapping[bytes, int]:
        """Return how many messages of such people were answered after that, by the hash of their domain."""

    def asked_elsewhere(self, since: str) -> list[Question]:
        """Questions asked after that at addresses that somebody named, and not answered with YES."""

    def letters_to_strangers(self, before: str) -> list[int]:
        """The letters to such people that were written before that, are not to be sent any more, and still
        name somebody.
        """


class GreetingsWritten(Protocol):
    """The changes."""

    def greet(self, greeting: Greeting) -> None:
        """Note that a message was answered; once, however often it comes."""

    def forget_sender(self, mail_id: int) -> None:
        """Keep of a message of nobody's that it came, and not from whom."""

    def forget_stranger(self, letter_id: int) -> None:
        """Keep of such a letter that there was one, and not to whom."""


class GreetingsReader(Remembering):
    """Questions to one connection."""

    def greetings(self, address: bytes) -> list[Greeting]:
        return self._each(Greeting, f"{_GREETING} WHERE address = ? ORDER BY at, mail_id", (address,))

    def greeted_since(self, at: str) -> Mapping[bytes, int]:
        return dict(self._sql("SELECT domain, count(*) FROM greetings WHERE at > ? GROUP BY domain", (at,)))

    def asked_elsewhere(self, since: str) -> list[Question]:
        return self._each(Question, _ELSEWHERE, (since,))

    def letters_to_strangers(self, before: str) -> list[int]:
        rows = self._sql(
            f"SELECT letter_id FROM letters WHERE {_NOBODYS} AND created_at < ? AND state != 'ready'"  # noqa: S608 - a constant
            # In the order of the index, which is not used else.
            " ORDER BY created_at",
            (before,),
        )
        return [letter_id for (letter_id,) in rows]


class GreetingsTx(GreetingsReader):
    """Changes, in a transaction that somebody else opened."""

    def greet(self, greeting: Greeting) -> None:
        self._sql(
            "INSERT INTO greetings (address, domain, mail_id, what, at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (greeting.address, greeting.domain, greeting.mail_id, greeting.what, greeting.at),
        )

    def forget_sender(self, mail_id: int) -> None:
        self._sql("UPDATE inbox SET sender = '' WHERE mail_id = ? AND player_id IS NULL", (mail_id,))

    def forget_stranger(self, letter_id: int) -> None:
        self._sql("DELETE FROM letter_bytes WHERE letter_id = ?", (letter_id,))
        self._sql(
            f"UPDATE letters SET recipient = '', lane = '', note = '' WHERE letter_id = ? AND {_NOBODYS}",  # noqa: S608 - a constant
            (letter_id,),
        )
