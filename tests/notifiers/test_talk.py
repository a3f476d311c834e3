"""Talk while a game runs: one letter for an hour of words, unless another one tells them before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage

import pytest

from felix_async.clock import text_of
from felix_async.follow_up.notices import TALK_WAIT
from felix_async.game.cards import ROUNDS
from felix_async.language.grammar import Order
from felix_events.store.rows import Choice
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import a_first_round
from notifiers.sheets import part

ANNA, BEN, CARA, DAN = range(4)


def a_chatty_table(**choices: object) -> Village:
    """An auction in round 1; Dan wants to be told of everything, and all mail is gone."""
    bag = a_first_round()
    bag.place_all()
    dan = bag.seat(DAN).player_id
    bag.do(lambda tx: tx.choose(replace(Choice(dan, notify="all"), **choices)))  # type: ignore[arg-type]
    return a_village(bag)


def to_dan(mails: Sequence[EmailMessage]) -> list[str]:
    return [part(mail, "plain") for mail in mails if "dan@players.test" in str(mail["To"])]


def say(village: Village, text: str) -> None:
    village.bag.send(CARA, f"SAY {text}")


def test_words_wait_for_more_words() -> None:
    village = a_chatty_table()
    say(village, "I smell a dog.")
    assert to_dan(village.deliver()) == []
    village.post.wait(minutes=30)
    say(village, "Or two.")
    village.post.wait(minutes=30)
    (text,) = to_dan(village.deliver())
    assert text.index("I smell a dog.") < text.index("Or two.")


def test_they_are_told_once() -> None:
    village = a_chatty_table()
    say(village, "I smell a dog.")
    say(village, "Or two.")
    village.post.wait(seconds=TALK_WAIT)
    assert len(to_dan(village.deliver())) == 1
    village.post.wait(days=1)
    assert to_dan(village.deliver()) == []


def test_the_next_letter_takes_them_along() -> None:
    village = a_chatty_table()
    say(village, "I smell a dog.")
    village.bag.send(village.bag.to_move, "BID 1")
    (text,) = to_dan(village.deliver())
    assert "I smell a dog." in text
    village.post.wait(seconds=TALK_WAIT)
    assert to_dan(village.deliver()) == []


@pytest.mark.slow
def test_what_is_said_with_the_last_move_is_heard_with_the_result() -> None:
    village = a_chatty_table()
    bag = village.bag
    while not (game := bag.game).is_over:
        if game.round == ROUNDS:
            village.deliver()
        seat = game.asked[0]
        card = Order("PLAY", card=game.seats[seat].hand[0]) if game.phase == "placing" else None
        bag.send(seat, f"{card or 'PASS'}\nSAY That was move {game.version}.")
    told = [*village.deliver()]
    village.post.wait(seconds=TALK_WAIT)
    told += village.deliver()
    with bag.room.store.read() as reader:
        last = reader.sayings(bag.game_id)[-1].text
    hearers = [str(mail["To"]) for mail in told if last in part(mail, "plain")]
    assert len(hearers) == len(set(hearers)) == 4


def test_nobody_is_woken_by_them() -> None:
    village = a_chatty_table(quiet="12:00-18:00")
    say(village, "I smell a dog.")
    village.post.wait(hours=3)
    assert to_dan(village.deliver()) == []
    village.post.wait(hours=3)
    assert sum("I smell a dog." in text for text in to_dan(village.deliver())) == 1


def test_who_is_told_of_turns_reads_them_then() -> None:
    village = a_chatty_table(notify="turns")
    say(village, "I smell a dog.")
    village.post.wait(days=1)
    assert to_dan(village.deliver()) == []


def test_who_wants_none_gets_none() -> None:
    village = a_chatty_table(hears=False)
    say(village, "I smell a dog.")
    village.post.wait(days=1)
    assert to_dan(village.deliver()) == []


def test_news_of_old_with_words_are_told_at_once() -> None:
    village = a_chatty_table()
    say(village, "I smell a dog.")
    (talk,) = village.bag.owed(DAN, "talk")
    now = text_of(village.bag.room.clock() - timedelta(minutes=1))
    village.bag.do(lambda tx: tx.enqueue(replace(talk, kind="news", about="said 7", due_at=now)))
    (text,) = to_dan(village.deliver())
    assert "I smell a dog." in text
