"""Reminders that cannot be sent at once: not at night, not beside an unread mail, not after the move."""

from __future__ import annotations

from datetime import timedelta

import pytest

from felix_async.clock import text_of, time_of
from felix_async.game.commands import Play
from felix_events.store.rows import Letter
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.channel import Sent, TryAgain
from notifiers.office import Post, owe
from table import ANNA, BEN

BENS = "ben@players.test"
BUSY = TryAgain("450 4.2.1 busy")
EVENING = time_of("2026-01-01T21:50:00.000000Z")


@pytest.fixture
def game_id(post: Post) -> str:
    """A game in round 1, all turn mails gone, on an evening shortly before the quiet hours."""
    game_id = post.started(start=ANNA)
    post.send()
    post.room.clock.now = EVENING
    return game_id


def reminder(post: Post) -> Letter:
    """The newest letter to Ben."""
    return [letter for letter in post.letters() if letter.recipient == BENS][-1]


def remind_late(post: Post, game_id: str, about: str = "50%") -> Letter:
    """Ben is owed a reminder, and his provider takes no mail until he sleeps."""
    owe(post, game_id, BEN, "reminder", about=about)
    post.tray.answers = [BUSY]
    post.send()
    post.wait(minutes=15)
    return reminder(post)


def place(post: Post, game_id: str) -> None:
    post.move(game_id, Play(seat=BEN, card=post.room.game(game_id).seats[BEN].hand[0]))


def test_a_reminder_waits_while_a_mail_is_unread(post: Post, game_id: str) -> None:
    post.room.clock.now -= timedelta(hours=6)
    with post.room.store.write() as tx:
        mail_id = tx.keep_mail(text_of(post.room.clock()), "", BENS, b"PASS")
    owe(post, game_id, BEN, "reminder", about="50%")
    post.send()
    assert reminder(post).state == "ready"
    with post.room.store.write() as tx:
        tx.settle_mail(mail_id, "done")
    post.wait(minutes=1)
    post.send()
    assert reminder(post).state == "sent"


def test_a_letter_that_waited_forgets_the_reminder_of_a_move_made_meanwhile(post: Post, game_id: str) -> None:
    owe(post, game_id, BEN, "timed_out")
    late = remind_late(post, game_id)
    place(post, game_id)
    post.send()
    post.send()
    old = next(letter for letter in post.letters() if letter.letter_id == late.letter_id)
    assert (old.state, old.note) == (
        "dropped",
        "not sent: written anew, without what was done meanwhile",
    )
    with post.room.store.read() as reader:
        assert [one.kind for one in reader.notices_in(reminder(post).letter_id)] == ["timed_out"]
    assert reminder(post).state == "sent"


def test_a_letter_that_cannot_be_written_anew_goes_as_it_is(
    post: Post, game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owe(post, game_id, BEN, "timed_out")
    late = remind_late(post, game_id)
    place(post, game_id)
    seen: list[str] = []

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    def send(letter: Letter) -> Sent:
        # A crash now must leave it to be sent.
        seen.append(next(one for one in post.letters() if one.letter_id == letter.letter_id).state)
        return Sent()

    monkeypatch.setattr(Letters, "to_player", fail)
    monkeypatch.setattr(post.tray, "send", send)
    post.send()
    sent = next(one for one in post.letters() if one.letter_id == late.letter_id)
    assert (seen, sent.state) == (["ready"], "sent")
