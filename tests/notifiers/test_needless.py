"""Letters that nobody needs any more are dropped before they are sent; all others go, as they were frozen."""

from __future__ import annotations

import logging

import pytest

from felix_async.game.commands import Play
from felix_events.store.rows import AddressRow, Letter, Sealed
from felix_notifiers.outbox.channel import TryAgain
from notifiers.office import Post, recipients
from table import ANNA, BEN

BUSY = TryAgain("450 4.2.1 busy")


def waiting(post: Post) -> str:
    """A game whose turn mails are frozen and not sent, because the other side was busy."""
    game_id = post.started(start=ANNA)
    post.tray.answers = [BUSY] * 4
    post.send()
    post.tray.taken.clear()
    post.wait(minutes=2)
    assert [letter.tries for letter in post.letters()[4:]] == [1] * 4
    return game_id


def place(post: Post, game_id: str, seat: int) -> None:
    """The seat places its first card, say by another mail."""
    post.move(game_id, Play(seat=seat, card=post.room.game(game_id).seats[seat].hand[0]))


def bens(post: Post) -> Letter:
    """The turn mail to Ben."""
    return next(letter for letter in post.letters()[4:] if letter.recipient == "ben@players.test")


@pytest.mark.parametrize("stopped", ["bounces", "asked"])
def test_letters_to_an_address_that_was_stopped_are_not_sent(post: Post, stopped: str) -> None:
    game_id = waiting(post)
    with post.room.store.write() as tx:
        player = tx.seats(game_id)[BEN].player_id
        tx.note_address(AddressRow("ben@players.test", player, 5, "", stopped))  # type: ignore[arg-type]
    post.send()
    assert "ben@players.test" not in recipients(post.tray.taken)
    assert (bens(post).state, bens(post).note) == ("dropped", "not sent: mail to this address has stopped")


def test_letters_about_a_game_that_cannot_be_read_go_as_they_are(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    game_id = waiting(post)
    post.do(lambda tx: tx.append(game_id, tx.head(game_id)[0], [Sealed(b"{}")]))
    with caplog.at_level(logging.ERROR):
        post.send()
    assert len([letter for letter in post.tray.taken if letter.note == "450 4.2.1 busy"]) == 4
    assert f"game {game_id} cannot be read" in caplog.text
