"""Which mails are dealt with: each once, in the order of receipt, and none can stop the others."""

from __future__ import annotations

import logging
from typing import Any, cast

import pytest

from felix_async.inbox.process import MAX_TRIES, process_all
from felix_async.service import Service
from felix_events.store.base import Store, Tx
from inbox.postbag import a_first_round, a_mail, a_table, verdicts


# ---- once -------------------------------------------------------------------------------------------
def test_a_mail_delivered_three_times_is_obeyed_once(store: Store) -> None:
    bag = a_table(store=store)
    raw = a_mail("JOIN")
    ids = [bag.post(raw, bag.address(0)) for _ in range(3)]
    bag.work()
    assert bag.states() == ["done", "duplicate", "duplicate"]
    assert bag.mail(ids[2]).note == f"the same as mail {ids[0]}"
    assert [bag.answer_to(mail_id) is None for mail_id in ids] == [False, True, True]


def test_a_message_id_with_other_content_is_put_aside() -> None:
    bag = a_first_round()
    size = bag.size
    bag.post(a_mail("HAND"), bag.address(0))
    other = bag.take(a_mail("PLAY 5"), bag.address(0))
    assert bag.states() == ["done", "quarantined"]
    assert bag.mail(other).note == "has the Message-ID of mail 1 and says something else"
    assert (bag.size, bag.answer_to(other)) == (size, None)


@pytest.mark.parametrize("same", ["1@players.test", " <1@players.test> "])
def test_a_message_id_is_the_same_however_it_is_written(same: str) -> None:
    bag = a_table()
    bag.post(a_mail("HELP"), bag.address(0))
    bag.take(a_mail("HELP", message_id=same), bag.address(0))
    assert bag.states() == ["done", "duplicate"]


@pytest.mark.parametrize("none", [None, "<>"])
def test_mails_without_a_message_id_are_told_apart_by_what_they_say(none: str | None) -> None:
    bag = a_table()
    for text in ("HELP", "HELP", "JOIN"):
        bag.take(a_mail(text, message_id=none), bag.address(0))
    assert bag.states() == ["done", "duplicate", "done"]
    assert bag.game.seats[0].answer == "joined"


def test_the_same_words_in_a_new_mail_are_a_new_mail() -> None:
    bag = a_table()
    bag.post(a_mail("HELP", message_id="<1@x>"), bag.address(0))
    bag.take(a_mail("HELP", message_id="<2@x>"), bag.address(0))
    assert bag.states() == ["done", "done"]


def test_two_players_may_use_the_same_message_id() -> None:
    bag = a_table()
    bag.post(a_mail("JOIN"), bag.address(0))
    bag.take(a_mail("JOIN", sender="ben@players.test"), bag.address(1))
    assert bag.states() == ["done", "done"]


# ---- whom it concerns -----------------------------------------------------------------------------------
def test_an_answer_is_owed_to_the_seat_that_wrote_and_to_nobody_else() -> None:
    bag = a_table()
    before = len(bag.notices())
    bag.send(2, "HAND")
    owed = bag.notices()[before:]
    assert [(notice.kind, notice.seat) for notice in owed] == [("answer", 2)]


def test_nothing_is_owed_to_strangers() -> None:
    bag = a_table()
    before = bag.notices(), bag.size
    mallory = "mallory@evil.test"
    bag.post(a_mail("JOIN", sender=f"anna@players.test<{mallory}>"), bag.address(0), mallory)
    bag.post(a_mail("JOIN", sender="ben@players.test"), bag.address(0), mallory)
    bag.post(a_mail("JOIN", sender=mallory), "felix+nonsense@felix.test")
    bag.take(b"\xff\xfe nonsense", "felix@felix.test")
    assert bag.states() == ["quarantined"] * 4
    assert (bag.notices(), bag.size) == before


@pytest.mark.parametrize("sender", ["", "<>"])
def test_a_mail_with_an_empty_envelope_sender_is_ignored(sender: str) -> None:
    """Bounces and many out-of-office programs send with `<>`; the header comes from later servers only."""
    bag = a_table()
    before = bag.notices(), bag.size
    bag.take(a_mail("DECLINE"), bag.address(0), sender)
    assert bag.states() == ["ignored"]
    assert (bag.notices(), bag.size) == before


def test_a_mail_to_a_game_that_is_over_is_answered() -> None:
    bag = a_table()
    bag.send(1, "DECLINE")
    assert verdicts(bag.send(0, "JOIN\nSTATUS")) == ["refused", "done"]


# ---- trouble ----------------------------------------------------------------------------------------
def broken_for(service: Service, order: str, monkeypatch: pytest.MonkeyPatch, times: int = 99) -> None:
    """Let the service fail at this order, so many times."""
    handle, left = service.handle, [times]

    def fail(tx: Tx, game_id: str, command: Any, origin: Any) -> Any:
        outcome = handle(tx, game_id, command, origin)
        if origin.order == order and left[0]:
            left[0] -= 1
            raise RuntimeError("out of luck")
        return outcome

    monkeypatch.setattr(service, "handle", fail)


def test_a_mail_that_fails_three_times_is_put_aside_and_the_others_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bag = a_table(store=store)
    broken_for(bag.room.service, "JOIN", monkeypatch)
    with caplog.at_level(logging.CRITICAL, "felix_async"):
        bad, good = bag.write(0, "JOIN"), bag.write(1, "JOIN today")
        bag.work()
    assert (bag.mail(bad).state, bag.mail(bad).tries) == ("quarantined", MAX_TRIES)
    assert bag.mail(bad).note == "failed: RuntimeError, 3 times"
    assert bag.mail(good).state == "done"
    assert [seat.answer for seat in bag.game.seats[:2]] == ["invited", "joined"]
    assert (bag.answer_to(bad), bag.answer_to(good) is None) == (None, False)


def test_a_mail_that_fails_once_is_obeyed_the_next_time(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bag = a_table(store=store)
    broken_for(bag.room.service, "JOIN", monkeypatch, times=1)
    mail_id = bag.write(0, "JOIN")
    size = bag.size
    bag.work()
    assert (bag.mail(mail_id).state, bag.mail(mail_id).tries) == ("done", 1)
    assert (bag.size, bag.game.seats[0].answer) == (size + 1, "joined")
    assert "mail 1 could not be dealt with" in caplog.text


def test_what_a_failed_mail_had_begun_is_undone(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bag = a_table(store=store)
    broken_for(bag.room.service, "SAY", monkeypatch)
    size, owed = bag.size, bag.notices()
    bag.write(0, "JOIN\nSAY hello")
    with caplog.at_level(logging.CRITICAL, "felix_async"):
        bag.work()
    assert (bag.size, bag.notices()) == (size, owed)


def test_a_mail_that_stopped_the_server_three_times_is_put_aside() -> None:
    bag = a_table()
    mail_id = bag.write(0, "JOIN")
    for tries in range(1, MAX_TRIES + 1):
        assert bag.mail(mail_id).state == "new"
        bag.do(bag.processor.recover)
        assert bag.mail(mail_id).tries == tries
    assert bag.mail(mail_id).state == "quarantined"
    assert bag.mail(mail_id).note == "the server crashed when it was next, 3 times"


def test_only_the_mail_that_was_in_hand_is_suspected_after_a_crash() -> None:
    bag = a_table()
    first, second = bag.write(0, "JOIN"), bag.write(1, "JOIN")
    bag.do(bag.processor.recover)
    assert [bag.mail(first).tries, bag.mail(second).tries] == [1, 0]
    bag.work()
    assert bag.states() == ["done", "done"]


def test_after_a_stop_with_an_empty_inbox_nothing_is_suspected() -> None:
    bag = a_table()
    bag.send(0, "JOIN")
    bag.do(bag.processor.recover)
    assert bag.mail(1).tries == 0


class Crash(BaseException):
    """The process is gone."""


class CrashingTx:
    """A transaction in which the process dies at the first call of one method."""

    def __init__(self, tx: Tx, method: str) -> None:
        self._tx = tx
        self._method = method

    def __getattr__(self, name: str) -> Any:
        if name == self._method:
            raise Crash
        return getattr(self._tx, name)


@pytest.mark.parametrize(
    "method", ["mail_with", "outcome", "append", "remember", "note_game", "set_due", "enqueue", "settle_mail"]
)
def test_a_crash_leaves_the_mail_as_it_was_and_it_is_obeyed_once_afterwards(
    store: Store, method: str
) -> None:
    """One transaction for a mail: what it did, its answer, and that it is done."""
    bag = a_table(store=store)
    for seat in (1, 2, 3):
        bag.send(seat, "JOIN")
    mail_id = bag.write(0, "JOIN")
    size, owed = bag.size, bag.notices()
    with pytest.raises(Crash):
        process_all(lambda work: bag.do(lambda tx: work(cast(Tx, CrashingTx(tx, method)))), bag.processor)
    assert (bag.mail(mail_id).state, bag.size, bag.notices()) == ("new", size, owed)
    bag.work()
    assert bag.mail(mail_id).state == "done"
    assert [notice.kind for notice in bag.notices()[len(owed) :]] == ["turn"] * 4 + ["answer"]
    assert sum(row.kind == "reminder" for row in bag.look(lambda reader: reader.due_of(bag.game_id))) == 4
    assert bag.game.round == 1


def test_a_crash_before_the_commit_leaves_the_mail_as_it_was(store: Store) -> None:
    bag = a_table(store=store)
    mail_id = bag.write(0, "JOIN")
    size = bag.size

    def die_at_the_end(tx: Tx) -> None:
        assert process_all(lambda work: work(tx), bag.processor) == 1
        raise Crash

    with pytest.raises(Crash):
        bag.do(die_at_the_end)
    assert (bag.mail(mail_id).state, bag.size) == ("new", size)
    bag.work()
    assert (bag.mail(mail_id).state, bag.size) == ("done", size + 1)


def test_an_empty_inbox_is_no_work() -> None:
    assert a_table().work() == 0
