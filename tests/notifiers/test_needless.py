"""Letters that nobody needs any more are dropped before they are sent; all others go, as they were frozen."""

from __future__ import annotations

import logging

import pytest

from felix_async.clock import text_of
from felix_async.game.commands import Play
from felix_events.store.rows import AddressRow, Letter, Question, Sealed
from felix_notifiers.outbox.channel import TryAgain
from notifiers.office import Post, owe, place_all, recipients
from notifiers.sheets import an_answer
from table import ANNA, BEN

BUSY = TryAgain("450 4.2.1 busy")
NEEDLESS = "not sent: what it asks for was done meanwhile"


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


def test_a_turn_mail_that_waited_until_the_move_was_made_is_not_sent(post: Post) -> None:
    place(post, waiting(post), BEN)
    post.send()
    assert recipients(post.tray.taken) == ["anna@players.test", "cara@players.test", "dan@players.test"]
    assert (bens(post).state, bens(post).note, bens(post).tries) == ("dropped", NEEDLESS, 1)


def test_a_turn_mail_that_waited_is_sent_while_the_turn_is_still_open(post: Post) -> None:
    game_id = waiting(post)
    frozen = bens(post).raw
    place(post, game_id, ANNA)
    post.send()
    assert "ben@players.test" in recipients(post.tray.taken)
    assert frozen in [letter.raw for letter in post.tray.taken]


def test_an_invitation_that_was_answered_while_it_waited_is_not_sent(post: Post) -> None:
    game_id = post.open()
    post.tray.answers = [BUSY] * 4
    post.send()
    post.room.join_all(game_id)
    post.wait(minutes=2)
    post.tray.taken.clear()
    post.send()
    assert [letter.state for letter in post.letters()] == ["dropped"] * 4 + ["sent"] * 4


def test_an_answer_is_sent_even_where_the_turn_beside_it_is_over(post: Post) -> None:
    game_id = post.started(start=ANNA)
    owe(post, game_id, BEN, "answer", about="1", payload=an_answer(("HAND", "done", ".")).to_json())
    post.tray.answers = [BUSY] * 4
    post.send()
    place(post, game_id, BEN)
    post.wait(minutes=2)
    post.send()
    assert bens(post).state == "sent"


def test_what_comes_after_a_dropped_letter_is_told_by_another(post: Post) -> None:
    game_id = waiting(post)
    place_all(post, game_id)
    post.send()
    assert {letter.state for letter in post.letters()[4:8]} == {"dropped"}
    assert recipients(post.tray.taken) == ["anna@players.test"]
    assert b"bid or pass" in post.tray.taken[0].raw


def test_a_question_that_was_answered_while_its_letter_waited_is_not_sent(post: Post) -> None:
    game_id = waiting(post)
    asked = Question(game_id, BEN, "sender", 1, 1, "phone@x.test", text_of(post.room.clock.now))
    post.do(lambda tx: tx.keep_mail("", "", "", b""))
    number = post.do(lambda tx: tx.ask(asked))
    owe(post, game_id, BEN, "question", payload=f'{{"address": "phone@x.test", "number": {number}}}')
    post.tray.answers = [BUSY] * 9
    post.send()
    (question,) = post.do(lambda tx: tx.questions(game_id, BEN))
    post.do(lambda tx: tx.settle_question(question, "yes"))
    post.wait(minutes=10)
    post.send()
    assert post.letters()[-1].state == "dropped"


def test_a_question_that_was_answered_before_is_not_even_written(post: Post) -> None:
    game_id = waiting(post)
    asked = Question(game_id, BEN, "sender", 1, 1, "phone@x.test", text_of(post.room.clock.now))
    post.do(lambda tx: tx.keep_mail("", "", "", b""))
    post.do(lambda tx: tx.ask(asked))
    owe(post, game_id, BEN, "question", payload='{"address": "phone@x.test", "number": 1}')
    (question,) = post.do(lambda tx: tx.questions(game_id, BEN))
    post.do(lambda tx: tx.settle_question(question, "no"))
    assert post.claim() == 0
    assert post.unsettled() == 0


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
