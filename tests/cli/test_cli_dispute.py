"""dispute: who denies which move, and what is kept of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.mailroom import Mailroom, a_mail, a_mailroom
from cli.terminal import Terminal
from felix_events.envelope import encode_envelope
from felix_events.model import DisputeRaised
from felix_events.store.rows import Sealed

NEVER = "2027-01-01T00:00:00.000000Z"


@pytest.fixture
def room(terminal: Terminal) -> Mailroom:
    """A table at which nobody has done anything."""
    return a_mailroom(terminal)


def test_a_game_without_disputes_says_so(room: Mailroom) -> None:
    assert room.terminal.run("dispute", room.game_id).strip() == "Nothing in this game is or was disputed."
    assert room.terminal.json("dispute", room.game_id) == []


def test_a_dispute_about_no_move_leads_to_the_audit(room: Mailroom) -> None:
    """As only somebody who has the database can write it."""
    for name in ("Anna", "Ben", "Cara"):
        room.terminal.run("move", room.game_id, name, "JOIN")
    size = room.do(lambda tx: tx.head(room.game_id)[0])
    raised = DisputeRaised(seat=0, turn=300, what="bid", lapses=NEVER, until=None, stopped=0)
    body = encode_envelope(
        raised, game_id=room.game_id, version=size + 1, at=NEVER, actor="seat", private="ab" * 32
    )
    room.do(lambda tx: tx.append(room.game_id, size, [Sealed(body, None)]))
    result = room.terminal.invoke("dispute", room.game_id)
    said = f"step {size + 1} is about no move of this log; `felix audit {room.game_id}` says more."
    assert (result.exit_code, said in result.stderr) == (1, True)


def test_a_file_holds_no_messages(room: Mailroom) -> None:
    Path("game.jsonl").write_text(room.terminal.run("export", room.game_id), "utf-8")
    assert "A file holds no messages" in room.terminal.refused("dispute", "game.jsonl", code=2)


def test_a_dispute_is_told_with_what_is_kept_of_its_move(room: Mailroom) -> None:
    anna_places(room)
    room.keep(a_mail("DISPUTE"))
    room.process()
    shown = room.terminal.run("dispute", room.game_id).splitlines()
    assert shown[0].startswith("Anna denies a card that lies face down (step ")
    assert "; open until " in shown[1]
    assert shown[2:] == ["  it was entered at the host's desk"]
    (told,) = room.terminal.json("dispute", room.game_id)
    assert (told["seat"], told["move"], told["verdict"], told["how"]) == (0, "", "desk", None)


def anna_places(room: Mailroom) -> None:
    """All join, and Anna's card is entered at the desk: an 8, or the 11 if her 8 is in the box."""
    for name in ("Anna", "Ben", "Cara"):
        room.terminal.run("move", room.game_id, name, "JOIN")
    if room.terminal.invoke("move", room.game_id, "Anna", "PLAY 8").exit_code:
        room.terminal.run("move", room.game_id, "Anna", "PLAY 11")


def test_votes_on_the_seat_are_told_here_and_with_the_table(room: Mailroom) -> None:
    anna_places(room)
    for text in ("DISPUTE", "HAND OVER"):
        room.keep(a_mail(text, message_id=f"{text[:4]}@players.test"), turn=1)
        room.process()
    assert "  1 of 2 votes for handing the seat over" in room.terminal.run("dispute", room.game_id)
    (told,) = room.terminal.json("dispute", room.game_id)
    assert (told["votes"], told["needed"]) == (1, 2)
    shown = room.terminal.run("show", room.game_id)
    assert "Anna wants the computer to play on for Anna (1 of 2 votes)." in shown


def test_after_the_end_it_is_told_by_what_all_were_written(room: Mailroom) -> None:
    anna_places(room)
    for name in ("Anna", "Ben"):
        room.terminal.run("move", room.game_id, name, "ABANDON")
    room.keep(a_mail("DISPUTE"))
    room.process()
    (told,) = room.terminal.json("dispute", room.game_id)
    assert (told["seat"], told["how"], told["lapses"], told["verdict"]) == (0, "late", None, "desk")
    assert told["move"].startswith("PLAY ")
    assert "; the game was over, so " in room.terminal.run("dispute", room.game_id)
