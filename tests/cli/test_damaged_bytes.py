"""The packed bytes of one mail or letter are damaged: everybody else is served, and the operator is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from cli.mailroom import Mailroom, a_mail, a_mailroom
from cli.terminal import Terminal


@pytest.fixture
def room(terminal: Terminal) -> Mailroom:
    """A game by mail, its invitations gone."""
    mailroom = a_mailroom(terminal)
    mailroom.deliver()
    return mailroom


def damage(table: str, key: str, row_id: int) -> None:
    """Change a byte in the middle."""
    with closing(sqlite3.connect("felix.db")) as connection, connection:
        read = f"SELECT data FROM {table} WHERE {key} = ?"  # noqa: S608 - constants
        (data,) = connection.execute(read, (row_id,)).fetchone()
        middle = len(data) // 2
        changed = data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :]
        write = f"UPDATE {table} SET data = ? WHERE {key} = ?"  # noqa: S608 - constants
        connection.execute(write, (changed, row_id))


def test_a_damaged_mail_goes_to_quarantine_and_the_next_one_is_answered(room: Mailroom) -> None:
    first, second = (room.keep(a_mail("STATUS" + "\n> a line" * 50, message_id=f"{n}@x")) for n in (1, 2))
    damage("inbox_bytes", "mail_id", first)
    room.process()
    assert room.mail(first).state == "quarantined"
    assert "DamagedMail" in room.mail(first).note
    assert room.mail(second).state == "done"


def test_a_damaged_letter_is_given_up_and_the_next_one_goes_out(
    room: Mailroom, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = (room.letter(number) for number in (1, 2))
    damage("letter_bytes", "letter_id", first)
    assert [letter.letter_id for letter in room.deliver()] == [second]
    letter = room.do(lambda tx: tx.letter(first))
    assert letter is not None
    assert (letter.state, letter.note) == ("failed", "not sent: the database has lost its text")
    assert f"letter {first} cannot be read" in caplog.text
