"""The letter to somebody who plays nowhere: sent and tried again as others are, and never twice."""

from __future__ import annotations

import pytest

from felix_async.inbox.process import Processor
from felix_notifiers.outbox.channel import Refused, Sent, TryAgain
from felix_notifiers.outbox.marks import Outbox
from games import a_room
from inbox.doorstep import GREETER, NEW, ZOE, Door, a_door
from inbox.postbag import MAILBOX, Postbag
from notifiers.office import Post, recipients


@pytest.fixture
def door() -> Door:
    room = a_room("door")
    return a_door(Postbag(room, room.open(3), Processor(room.service, MAILBOX)))


@pytest.fixture
def post(door: Door) -> Post:
    post = Post(door.room, Outbox(door.room.clock, GREETER))
    post.send()
    post.tray.taken.clear()
    return post


def test_it_goes_out_once_and_no_bounce_is_wanted(door: Door, post: Post) -> None:
    door.knock()
    post.send()
    post.send()
    (sent,) = post.tray.taken
    assert (sent.recipient, sent.sender) == (ZOE, "")
    assert door.letters[-1].state == "sent"


def test_the_same_bytes_go_until_they_are_taken(door: Door, post: Post) -> None:
    door.knock()
    post.tray.answers = [TryAgain("451 later"), Sent()]
    post.send()
    assert [letter.state for letter in door.letters[-1:]] == ["ready"]
    post.wait(hours=1)
    post.send()
    first, second = post.tray.taken
    assert first.raw == second.raw
    assert door.letters[-1].state == "sent"


def test_after_a_crash_before_it_was_marked_it_is_the_same_letter(door: Door, post: Post) -> None:
    door.knock()
    again = Post(door.room, Outbox(door.room.clock, GREETER))
    again.send()
    assert "because they had theirs" in door.retry(1)
    again.send()
    assert recipients(again.tray.taken) == [ZOE]


def test_one_that_is_refused_is_given_up_and_counts_against_nobody(door: Door, post: Post) -> None:
    door.knock()
    post.tray.answers = [Refused("550 no such user", "lasting")]
    post.send()
    post.wait(days=1)
    post.send()
    assert len(post.tray.taken) == 1
    assert (door.letters[-1].state, door.look(lambda reader: reader.player_at(ZOE))) == ("failed", None)


def test_who_opens_a_table_gets_what_a_host_gets_and_the_guests_are_invited(door: Door, post: Post) -> None:
    door.knock(NEW)
    post.send()
    assert sorted(recipients(post.tray.taken)) == ["ben@home.example", "cara@home.example", ZOE]
