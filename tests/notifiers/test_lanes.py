"""One provider that is down holds up nobody else, and neither do a thousand letters that wait for it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from felix_async.clock import text_of
from felix_events.store.rows import Letter
from felix_notifiers.outbox.backoff import IN_A_ROW, PAUSES, SILENT_LANES, Backoff
from felix_notifiers.outbox.channel import Refused, Result, Sent, TryAgain
from felix_notifiers.outbox.deliver import BATCH, send_due
from felix_notifiers.outbox.marks import GIVE_UP_AFTER
from notifiers.office import Post, Tray, recipients
from notifiers.peer import Mailroom, a_channel, a_server

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATER = TryAgain("451 later", "provider")
SILENCE = TryAgain("timed out", "silence")
DOWN = TryAgain("connection refused", "server")
FULL = TryAgain("452 4.2.2 full", "mailbox")


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


# ---- what a lane learns -----------------------------------------------------------------------------
def test_silence_puts_a_lane_aside_at_once_and_no_other() -> None:
    lanes = Backoff()
    assert lanes.note("a@dead.test", SILENCE, NOON) == "dead.test"
    assert lanes.waits("b@DEAD.test", NOON)
    assert not lanes.waits("a@alive.test", NOON)
    assert lanes.aside(NOON) == ["dead.test"]


def test_a_lane_is_asked_again_after_its_pause() -> None:
    lanes = Backoff()
    lanes.note("a@dead.test", SILENCE, NOON)
    assert lanes.waits("a@dead.test", after(PAUSES[0] - 1))
    assert not lanes.waits("a@dead.test", after(PAUSES[0]))


def test_the_pauses_of_a_silent_lane_grow_up_to_a_quarter_of_an_hour() -> None:
    lanes, now = Backoff(), NOON
    pauses = []
    for _ in range(5):
        lanes.note("a@dead.test", SILENCE, now)
        start = now
        while lanes.waits("a@dead.test", now):
            now += timedelta(seconds=30)
        pauses.append((now - start).total_seconds())
    assert pauses == [60, 300, 900, 900, 900]


@pytest.mark.parametrize("heard", [Sent(), Refused("550 no"), FULL])
def test_a_lane_that_speaks_again_is_as_new(heard: Result) -> None:
    lanes = Backoff()
    for _ in range(3):
        lanes.note("a@slow.test", SILENCE, NOON)
    assert lanes.note("a@slow.test", heard, NOON) is None
    assert not lanes.waits("a@slow.test", NOON)
    lanes.note("a@slow.test", SILENCE, NOON)
    assert not lanes.waits("a@slow.test", after(PAUSES[0]))


def test_a_lane_that_says_later_waits_after_several_letters_only() -> None:
    """The first letters to a greylisting server are all told to come again."""
    lanes = Backoff()
    put_aside = [lanes.note(f"{number}@grey.test", LATER, NOON) for number in range(IN_A_ROW)]
    assert put_aside == [None] * (IN_A_ROW - 1) + ["grey.test"]
    assert lanes.waits("x@grey.test", after(PAUSES[0] - 1))
    assert lanes.note("x@grey.test", LATER, after(PAUSES[0])) is None


def test_a_full_mailbox_says_nothing_of_its_neighbours() -> None:
    lanes = Backoff()
    assert [lanes.note("a@big.test", FULL, NOON) for _ in range(99)] == [None] * 99
    assert lanes.aside(NOON) == []


def test_trouble_with_our_own_server_puts_everybody_aside() -> None:
    lanes = Backoff()
    assert lanes.note("a@one.test", DOWN, NOON) == ""
    assert lanes.all_wait(NOON)
    assert lanes.waits("b@two.test", after(PAUSES[0] - 1))
    assert not lanes.waits("b@two.test", after(PAUSES[0]))


@pytest.mark.parametrize("heard", [Sent(), Refused("550 no"), LATER])
def test_our_own_server_is_as_new_once_it_speaks(heard: Result) -> None:
    lanes = Backoff()
    for _ in range(3):
        lanes.note("a@one.test", DOWN, NOON)
    lanes.note("a@one.test", heard, NOON)
    assert not lanes.all_wait(NOON)
    lanes.note("a@one.test", DOWN, NOON)
    assert not lanes.all_wait(after(PAUSES[0]))


def test_many_silent_lanes_in_a_row_are_our_own_servers_silence() -> None:
    lanes = Backoff()
    for number in range(SILENT_LANES):
        assert not lanes.all_wait(NOON)
        lanes.note(f"a@{number}.test", SILENCE, NOON)
    assert lanes.all_wait(NOON)


def test_two_dead_providers_are_no_reason_to_wait_with_the_others() -> None:
    lanes = Backoff()
    for _ in range(9):
        for name in ("one", "two"):
            lanes.note(f"a@{name}.test", SILENCE, NOON)
        lanes.note("a@alive.test", Sent(), NOON)
    assert lanes.aside(NOON) == ["one.test", "two.test"]
    assert not lanes.all_wait(NOON)


# ---- bursts -----------------------------------------------------------------------------------------
class Providers(Tray):
    """A channel behind which each provider has its own answer."""

    def __init__(self, **answers: Result) -> None:
        super().__init__()
        self.by_name = answers

    def send(self, letter: Letter) -> Result:
        super().send(letter)
        return self.by_name.get(letter.recipient.partition("@")[2].removesuffix(".test"), Sent())


def freeze(post: Post, *recipients: str) -> None:
    """Letters that wait, without a game behind them."""
    now = text_of(post.room.clock.now)
    letter = Letter("k7m2p", 0, "", "", b"raw", now, now)
    with post.room.store.write() as tx:
        start = len(tx.letters())
        for number, recipient in enumerate(recipients, start):
            tx.freeze(replace(letter, recipient=recipient, message_id=f"<{number}@play.test>"))


def deliver_all(post: Post, channel: Tray) -> int:
    """Bursts until there is nothing to do now, as a server does it; how many."""
    bursts = 0
    while send_due(post.do, post.outbox, channel):
        bursts += 1
    return bursts


def test_a_thousand_letters_to_a_dead_provider_cost_one_try(post: Post) -> None:
    freeze(post, *[f"{number}@dead.test" for number in range(1000)], "ben@alive.test")
    channel = Providers(dead=SILENCE)
    deliver_all(post, channel)
    assert sorted(recipients(channel.taken)) == ["0@dead.test", "ben@alive.test"]


def test_a_letter_that_is_frozen_now_does_not_wait_for_the_dead_provider_either(post: Post) -> None:
    freeze(post, *[f"{number}@dead.test" for number in range(1000)])
    channel = Providers(dead=SILENCE)
    deliver_all(post, channel)
    freeze(post, "ben@alive.test", "late@dead.test")
    deliver_all(post, channel)
    assert recipients(channel.taken) == ["0@dead.test", "ben@alive.test"]


def test_a_lane_that_is_put_aside_leaves_its_letters_as_they_were(post: Post) -> None:
    freeze(post, "a@dead.test", "b@dead.test")
    deliver_all(post, Providers(dead=SILENCE))
    assert [(letter.state, letter.tries) for letter in post.letters()] == [("ready", 1), ("ready", 0)]


def test_all_letters_of_a_healthy_provider_go_out_whatever_the_others_do(post: Post) -> None:
    names = [f"{number}@{lane}.test" for number in range(2 * BATCH) for lane in ("dead", "alive", "grey")]
    freeze(post, *names)
    channel = Providers(dead=SILENCE, grey=LATER)
    deliver_all(post, channel)
    sent = [letter.recipient for letter in post.letters() if letter.state == "sent"]
    assert len(sent) == 2 * BATCH
    assert {name.partition("@")[2] for name in sent} == {"alive.test"}
    assert len(channel.taken) == 2 * BATCH + 1 + IN_A_ROW


def test_a_provider_that_comes_back_gets_all_its_letters(post: Post) -> None:
    freeze(post, *[f"{number}@dead.test" for number in range(70)])
    channel = Providers(dead=SILENCE)
    deliver_all(post, channel)
    channel.by_name.clear()
    post.wait(seconds=2 * PAUSES[0])
    deliver_all(post, channel)
    assert {letter.state for letter in post.letters()} == {"sent"}


def test_while_our_own_server_is_down_it_is_asked_once_for_a_pause(post: Post) -> None:
    freeze(post, *[f"a@{number}.test" for number in range(100)])
    post.tray.answers = [DOWN] * 100
    for _ in range(10):
        post.send()
        post.wait(seconds=5)
    assert len(post.tray.taken) == 1
    post.wait(seconds=PAUSES[0])
    post.send()
    assert len(post.tray.taken) == 2


def test_what_is_owed_while_our_own_server_is_down_becomes_one_letter_later(post: Post) -> None:
    game_id = post.open()
    post.tray.answers = [DOWN]
    post.send()
    post.room.join_all(game_id)
    post.send()
    assert len(post.letters()) == 4, "the invitations only"
    post.wait(minutes=2)
    post.send()
    post.send()
    names = ("anna", "ben", "cara", "dan")
    assert recipients(post.tray.taken[1:]) == [f"{name}@players.test" for name in names]


@pytest.mark.parametrize("answer", [SILENCE, DOWN])
def test_letters_that_wait_behind_a_dead_lane_have_a_last_day_too(post: Post, answer: Result) -> None:
    freeze(post, "a@dead.test", "b@dead.test", "c@dead.test")
    post.do(lambda tx: tx.mark_letter(3, "sent", next_at=text_of(post.room.clock.now)))
    post.room.clock.now += GIVE_UP_AFTER + timedelta(seconds=1)
    freeze(post, "young@dead.test")
    post.tray.answers = [answer] * 9
    post.send()
    gone = [letter for letter in post.letters() if letter.state == "failed"]
    assert recipients(gone) == ["a@dead.test", "b@dead.test"]
    assert {letter.note for letter in gone} == {answer.text}
    assert [letter.state for letter in post.letters() if "young" in letter.recipient] == ["ready"]


# ---- on real connections ----------------------------------------------------------------------------
@pytest.fixture
def mailroom() -> Mailroom:
    """What the server thinks."""
    return Mailroom()


@pytest.fixture
def unreachable_port() -> Iterator[int]:
    """A port at which nobody listens."""
    with socket.socket() as ours:
        ours.bind(("127.0.0.1", 0))
        yield ours.getsockname()[1]


def test_a_relay_that_waits_for_a_dead_provider_still_takes_mail_for_the_others(
    post: Post, mailroom: Mailroom
) -> None:
    mailroom.silent_for = "dead.test"
    freeze(post, *[f"{number}@dead.test" for number in range(60)], "ben@alive.test", "cara@alive.test")
    with a_server(mailroom) as port:
        channel = a_channel(port, timeout=0.3)
        while send_due(post.do, post.outbox, channel):
            pass
    sent = [letter.recipient for letter in post.letters() if letter.state == "sent"]
    assert sent == ["ben@alive.test", "cara@alive.test"]
    assert sum(letter.tries for letter in post.letters()) == 3


def test_a_relay_that_greylists_gets_each_letter_again_and_takes_it(post: Post, mailroom: Mailroom) -> None:
    mailroom.greylists = True
    freeze(post, *[f"{number}@grey.test" for number in range(4)])
    with a_server(mailroom) as port:
        channel = a_channel(port)
        send_due(post.do, post.outbox, channel)
        assert mailroom.taken == []
        post.wait(minutes=2)
        send_due(post.do, post.outbox, channel)
    assert [letter.state for letter in post.letters()] == ["sent"] * 4
    assert [letter.tries for letter in post.letters()] == [2] * 4


def test_a_server_that_is_not_there_is_asked_once_for_a_burst(post: Post, unreachable_port: int) -> None:
    freeze(post, "a@one.test", "b@two.test", "c@three.test")
    (result,) = send_due(post.do, post.outbox, a_channel(unreachable_port))
    assert isinstance(result, TryAgain)
    assert "refused" in result.text
