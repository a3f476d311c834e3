"""From letters to the other side: back-off, the last try, and a crash at the worst moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from felix_async.clock import time_of
from felix_events.store.base import Tx
from felix_events.store.rows import Letter
from felix_notifiers.outbox import claim as claiming
from felix_notifiers.outbox import deliver as send
from felix_notifiers.outbox import marks
from felix_notifiers.outbox.channel import Refused, Result, Sent, TryAgain
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import DELAYS, GIVE_UP_AFTER, Outbox
from notifiers.office import Post, Tray, claim_in, recipients
from notifiers.sheets import read

BUSY = TryAgain("450 busy")


class BrokenTray(Tray):
    """A channel with a bug."""

    def send(self, letter: Letter) -> Result:
        raise ZeroDivisionError


def one_letter(post: Post) -> Letter:
    """A letter to Ben; the other invitations are gone."""
    post.open()
    post.claim()
    for letter in post.letters():
        if letter.recipient != "ben@players.test":
            mark(post, letter, Sent())
    return bens(post)


def bens(post: Post) -> Letter:
    """The letter to Ben as it stands now."""
    return next(letter for letter in post.letters() if letter.recipient == "ben@players.test")


def mark(post: Post, letter: Letter, result: Result) -> None:
    """Say how a try went."""
    post.do(lambda tx: marks.mark(tx, post.outbox, letter, result))


# ---- a burst ----------------------------------------------------------------------------------------
def test_a_burst_claims_sends_and_closes_the_channel(post: Post) -> None:
    post.open()
    assert post.send() == [Sent()] * 4
    assert [letter.state for letter in post.letters()] == ["sent"] * 4
    assert post.tray.closed == 1


def test_what_was_sent_is_not_sent_again(post: Post) -> None:
    post.open()
    post.send()
    assert post.send() == []
    assert len(post.tray.taken) == 4


def test_the_frozen_bytes_are_what_is_sent(post: Post) -> None:
    post.open()
    post.claim()
    frozen = [letter.raw for letter in post.letters()]
    post.send()
    assert [letter.raw for letter in post.tray.taken] == frozen


def test_a_letter_that_must_wait_holds_up_nobody(post: Post) -> None:
    post.open()
    post.tray.answers = [BUSY]
    assert post.send() == [BUSY, Sent(), Sent(), Sent()]
    assert [letter.state for letter in post.letters()] == ["ready", "sent", "sent", "sent"]


def test_the_channel_is_closed_when_a_burst_breaks_off(post: Post) -> None:
    tray = BrokenTray()
    post.open()
    with pytest.raises(ZeroDivisionError):
        send_due(post.do, post.outbox, tray)
    assert tray.closed == 1


def test_a_burst_takes_no_more_than_its_limit(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(send, "BATCH", 3)
    post.open()
    post.claim()
    assert len(post.send()) == 3


# ---- back-off ---------------------------------------------------------------------------------------
def test_the_times_between_tries_grow_with_a_little_spread(post: Post) -> None:
    letter = one_letter(post)
    waits = []
    for _ in range(8):
        mark(post, letter, BUSY)
        letter = bens(post)
        waits.append((time_of(letter.next_at) - post.room.clock.now).total_seconds())
        post.room.clock.now = time_of(letter.next_at)
    for wait, delay in zip(waits, [60, 300, 900, 3600, 14400, 14400, 14400, 14400], strict=True):
        assert delay <= wait < 1.1 * delay
    assert letter.tries == 8
    assert letter.state == "ready"
    assert letter.note == "450 busy"


def test_the_spread_differs_from_letter_to_letter_and_is_always_the_same(post: Post) -> None:
    post.open()
    post.claim()
    for letter in post.letters():
        mark(post, letter, BUSY)
    first = [letter.next_at for letter in post.letters()]
    assert len(set(first)) == 4
    for letter in post.letters():
        mark(post, replace(letter, tries=0), BUSY)
    assert [letter.next_at for letter in post.letters()] == first


def test_a_letter_is_not_tried_before_its_time(post: Post) -> None:
    post.tray.answers = [BUSY]
    one_letter(post)
    post.send()
    post.wait(seconds=DELAYS[0] - 1)
    assert post.send() == []
    post.wait(seconds=DELAYS[0])
    assert post.send() == [Sent()]
    assert recipients(post.tray.taken) == ["ben@players.test"] * 2


def test_a_refusal_is_for_good(post: Post) -> None:
    post.tray.answers = [Refused("550 no such user")]
    one_letter(post)
    post.send()
    post.wait(days=1)
    assert post.send() == []
    assert (bens(post).state, bens(post).note, bens(post).tries) == ("failed", "550 no such user", 1)


def test_after_five_days_the_next_failure_is_the_last(post: Post) -> None:
    letter = one_letter(post)
    post.room.clock.now += GIVE_UP_AFTER - timedelta(seconds=1)
    mark(post, letter, BUSY)
    assert bens(post).state == "ready"
    post.wait(seconds=1)
    mark(post, letter, BUSY)
    assert bens(post).state == "failed"


def test_a_letter_may_still_arrive_on_its_last_try(post: Post) -> None:
    letter = one_letter(post)
    post.wait(days=6)
    mark(post, letter, Sent("250 at last"))
    assert (bens(post).state, bens(post).note) == ("sent", "250 at last")


@pytest.mark.parametrize(
    ("result", "counted"), [(BUSY, 1), (TryAgain("timed out", "silence"), 1), (TryAgain("no", "server"), 0)]
)
def test_a_letter_given_up_counts_as_a_passing_failure_unless_our_own_server_is_to_blame(
    post: Post, result: Result, counted: float
) -> None:
    letter = one_letter(post)
    post.wait(days=5)
    mark(post, letter, result)
    with post.room.store.read() as reader:
        assert [row.score for row in reader.addresses() if row.address == letter.recipient] == [counted]


# ---- marks ------------------------------------------------------------------------------------------
class Counting:
    """Opens transactions, and notes how many letters each of them marked."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self.marked: list[int] = []

    def __call__(self, work: Callable[[Tx], Any]) -> Any:
        before = self._open()
        done = self._post.do(work)
        if marked := before - self._open():
            self.marked.append(marked)
        return done

    def _open(self) -> int:
        return sum(letter.state == "ready" for letter in self._post.letters())


def test_letters_that_go_out_at_once_are_marked_together(post: Post) -> None:
    post.open()
    post.claim()
    do = Counting(post)
    send_due(do, post.outbox, post.tray)
    assert do.marked == [4]


def test_no_more_than_a_few_wait_for_their_mark(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(send, "MARKED_TOGETHER", 3)
    post.open()
    post.claim()
    do = Counting(post)
    send_due(do, post.outbox, post.tray)
    assert do.marked == [3, 1]


def test_none_waits_for_long(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(send, "MARKED_WITHIN", 0.0)
    post.open()
    post.claim()
    do = Counting(post)
    send_due(do, post.outbox, post.tray)
    assert do.marked == [1, 1, 1, 1]


def test_what_went_out_before_a_bug_is_marked(post: Post) -> None:
    post.open()
    post.claim()

    class Stumbling(Tray):
        def send(self, letter: Letter) -> Result:
            if len(self.taken) == 2:
                raise ZeroDivisionError
            return super().send(letter)

    with pytest.raises(ZeroDivisionError):
        send_due(post.do, post.outbox, Stumbling())
    assert sorted(letter.state for letter in post.letters()) == ["ready", "ready", "sent", "sent"]


def test_one_that_cannot_be_marked_leaves_no_other_unmarked(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    post.open()
    post.claim()
    mark_one = marks.mark

    def mark(tx: Tx, outbox: Outbox, letter: Letter, result: Result) -> str | None:
        if letter.seat == 1:
            raise ZeroDivisionError
        return mark_one(tx, outbox, letter, result)

    monkeypatch.setattr(send, "mark", mark)
    with pytest.raises(ZeroDivisionError):
        post.send()
    assert [letter.state for letter in post.letters()] == ["sent", "ready", "sent", "sent"]


def test_while_the_disk_refuses_marks_no_letter_goes_twice(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send, "MARKED_TOGETHER", 3)
    post.open()
    post.claim()

    def refused(work: Callable[[Tx], Any]) -> Any:
        raise sqlite3.OperationalError("disk I/O error")

    for _ in range(3):
        with pytest.raises(sqlite3.OperationalError):
            send_due(refused, post.outbox, post.tray, look=post.do)
    assert len(post.tray.taken) == 3
    post.send()
    assert len(post.tray.taken) == len(set(recipients(post.tray.taken))) == 4
    assert [letter.state for letter in post.letters()] == ["sent"] * 4


def test_one_that_a_bug_keeps_from_its_mark_goes_once_and_holds_up_no_other(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_letter(post)

    def mark_none(tx: Tx, outbox: Outbox, letter: Letter, result: Result) -> str | None:
        raise ZeroDivisionError

    monkeypatch.setattr(send, "mark", mark_none)
    with pytest.raises(ZeroDivisionError):
        post.send()
    post.open(command_id="another")
    with pytest.raises(ZeroDivisionError):
        post.send()
    post.send()
    assert len(post.tray.taken) == len({letter.letter_id for letter in post.tray.taken}) == 5


def test_a_letter_dropped_before_its_mark_stays_dropped(post: Post) -> None:
    letter = one_letter(post)
    post.outbox.unmarked.append((letter, BUSY))
    post.do(lambda tx: tx.end_letter(letter.letter_id, "dropped", "by the operator"))
    post.send()
    assert (bens(post).state, post.outbox.unmarked) == ("dropped", [])


# ---- a crash ----------------------------------------------------------------------------------------
def test_a_crash_between_the_yes_and_the_mark_sends_the_same_mail_again(post: Post) -> None:
    letter = one_letter(post)
    assert post.tray.send(letter) == Sent()
    post.send()  # after the restart: nobody had marked it
    first, second = post.tray.taken
    assert first.raw == second.raw
    assert read(first.raw)["Message-ID"] == read(second.raw)["Message-ID"]
    assert bens(post).state == "sent"


def test_a_crash_before_the_claim_is_committed_loses_nothing(post: Post) -> None:
    post.open()
    assert len(claim_and_crash(post)) == 4
    assert post.letters() == []
    assert post.unsettled() == 4
    assert post.send() == [Sent()] * 4


def test_a_claim_that_is_repeated_after_a_crash_gives_the_same_mail(post: Post) -> None:
    post.open()
    first, second = claim_and_crash(post), claim_and_crash(post)
    assert [letter.raw for letter in first] == [letter.raw for letter in second]


def claim_and_crash(post: Post) -> list[Letter]:
    """Claim what is owed, and stop before the transaction ends; the letters that are lost."""
    frozen: list[Letter] = []

    def work(tx: Tx) -> None:
        claim_in(tx, post.outbox)
        frozen.extend(tx.letters())
        raise RuntimeError("the power went out")

    with pytest.raises(RuntimeError, match="power"):
        post.do(work)
    return frozen


@pytest.mark.parametrize("error", [sqlite3.IntegrityError("UNIQUE"), ZeroDivisionError()])
def test_a_game_whose_letters_cannot_be_kept_holds_up_no_other(
    post: Post, error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = post.open(3), post.open(4, command_id="other")
    claim = claiming.claim

    def broken(*args: Any) -> Any:
        if args[-1] == first:
            raise error
        return claim(*args)

    monkeypatch.setattr(send, "claim", broken)
    assert post.send() == [Sent()] * 4
    assert {letter.game_id for letter in post.letters()} == {second}
    assert f"the letters of game {first} cannot be written; its notices wait" in caplog.text
    monkeypatch.undo()
    assert post.send() == [Sent()] * 3


def test_a_database_that_takes_nothing_is_no_games_own_trouble(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    post.open()

    def full(*_: Any) -> Any:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(send, "claim", full)
    with pytest.raises(sqlite3.OperationalError):
        post.send()
