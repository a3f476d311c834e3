"""What the tests of the store put into it, and how they look at a row or at an example of the README."""

from __future__ import annotations

from pathlib import Path

from felix_events.store.base import Reader, Tx
from felix_events.store.rows import GameRow, Letter, Mail, SeatRow

ONE, TWO, THREE = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2, 3))
"""Three times, in this order."""


README = (Path(__file__).parents[2] / "events" / "README.md").read_text("utf-8")


def example(name: str) -> str:
    """The code block of `events/README.md` between the markers of this name."""
    between = README.split(f"<!-- example: {name} -->")[1].split("<!-- end -->")[0]
    return between.split("```")[1].partition("\n")[2]


def a_game(tx: Tx, game_id: str, *players: str, named: str = "") -> None:
    """A table at which these sit, under their names or all under one."""
    tx.add_game(GameRow(game_id, "Thursday club", "played", ONE, b"seed"))
    for seat, player in enumerate(players):
        tx.add_seat(SeatRow(game_id, seat, player, named or player.title(), None, b"secret"))


def mail_at(reader: Reader, mail_id: int) -> Mail:
    """The mail with this id, which there is."""
    found = reader.mail(mail_id)
    assert found is not None
    return found


def letter_at(reader: Reader, letter_id: int) -> Letter:
    """The letter with this id, which there is."""
    found = reader.letter(letter_id)
    assert found is not None
    return found
