"""What every store must do for mails that wait for a player's word, for questions, and for beliefs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from events.filling import ONE, TWO
from felix_events.store.base import Store, Tx
from felix_events.store.rows import Belief, Held, Question, QuestionState

QUESTION = Question("k7m2p", 0, "sender", 3, 1, "phone@example.org", ONE)
PHONE, OTHER = "phone@example.org", "other@example.org"


def held(tx: Tx, player_id: str = "anna", sender: str = PHONE, provider: str = "") -> int:
    mail_id = tx.keep_mail(ONE, "felix", sender, b"raw")
    tx.hold(mail_id, player_id, sender, provider)
    return mail_id


def test_all_mails_of_a_sender_for_a_player_are_confirmed_once_in_the_order_of_receipt(tx: Tx) -> None:
    mine = [held(tx), held(tx)]
    others = [held(tx, "ben"), held(tx, "anna", OTHER)]
    known = [*mine, *others, others[-1] + 1]
    assert not [mail_id for mail_id in known if tx.is_confirmed(mail_id)]
    assert tx.confirm_held("anna", PHONE) == mine
    assert [mail_id for mail_id in known if tx.is_confirmed(mail_id)] == mine
    later = held(tx)
    assert tx.confirm_held("anna", PHONE) == [later]


def test_only_mails_that_came_by_one_provider_are_confirmed_or_released(tx: Tx) -> None:
    first, _, last = (held(tx, provider=f"net {name}") for name in "abc")
    assert (tx.held(first), tx.held(last + 1)) == (Held(first, "anna", PHONE, "net a"), None)
    assert tx.confirm_held("anna", PHONE, provider="net a") == [first]
    tx.release_held("anna", PHONE, "net b")
    assert tx.confirm_held("anna", PHONE) == [last]


def test_one_mail_alone_may_be_confirmed(tx: Tx) -> None:
    mine = [held(tx), held(tx)]
    assert tx.confirm_held("anna", PHONE, mine[1]) == [mine[1]]
    assert [tx.is_confirmed(mail_id) for mail_id in mine] == [False, True]


def test_mails_that_were_released_are_confirmed_by_nothing(tx: Tx) -> None:
    first, other = held(tx), held(tx, "anna", OTHER)
    tx.confirm_held("anna", PHONE)
    held(tx)
    tx.release_held("anna", PHONE)
    assert tx.is_confirmed(first)
    assert (tx.confirm_held("anna", PHONE), tx.confirm_held("anna", OTHER)) == ([], [other])


def test_a_mail_that_is_held_again_stays_as_it_was(tx: Tx) -> None:
    mail_id = held(tx)
    tx.confirm_held("anna", PHONE)
    tx.hold(mail_id, "anna", PHONE)
    assert tx.is_confirmed(mail_id)


# ---- what is believed
def test_what_is_believed_is_kept_once_with_the_time_of_the_first_word(tx: Tx) -> None:
    first = Belief("anna", "anna@example.org", "net a", ONE)
    tx.believe(first)
    tx.believe(replace(first, since=TWO))
    assert (tx.beliefs("anna"), tx.beliefs("ben")) == ([first], [])


def test_what_is_believed_is_forgotten_one_by_one_or_all_together(tx: Tx) -> None:
    for address in ("a@example.org", "b@example.org"):
        for provider in ("net a", "net b"):
            tx.believe(Belief("anna", address, provider, ONE))
    tx.believe(Belief("ben", "a@example.org", "net a", ONE))
    assert tx.doubt("anna", "a@example.org", "net a") == 1
    assert tx.doubt("anna", "b@example.org") == 2
    assert [row.provider for row in tx.beliefs("anna")] == ["net b"]
    assert tx.doubt("anna") == 1
    assert (tx.doubt("anna"), [row.player_id for row in tx.beliefs()]) == (0, ["ben"])


# ---- questions
def test_questions_are_numbered_by_seat_and_stay_with_their_answers(store: Store) -> None:
    with store.write() as tx:
        question = replace(QUESTION, mail_id=tx.keep_mail(ONE, "felix", "anna", b"raw"))
        assert [tx.ask(question), tx.ask(question), tx.ask(replace(question, seat=1))] == [1, 2, 1]
        tx.settle_question(replace(question, number=1), "yes")
    first, second = replace(question, number=1, state="yes"), replace(question, number=2)
    with store.read() as reader:
        assert (reader.questions("k7m2p", 0), reader.questions("k7m2p", 2)) == ([first, second], [])


def asked(tx: Tx, seat: int, due_at: str) -> Question:
    """A question about an order that was taken from a mail of its own, if it has a time."""
    mail_id = tx.keep_mail(ONE, "felix", "anna", b"raw")
    question = Question("k7m2p", seat, "order", 3, mail_id, "BID 4", ONE, due_at=due_at)
    return replace(question, number=tx.ask(question))


def test_questions_with_a_time_are_due_from_then_on_the_earliest_first(tx: Tx) -> None:
    late, early, never = asked(tx, 0, TWO), asked(tx, 1, ONE), asked(tx, 2, "")
    assert tx.questions("k7m2p", 2) == [never]
    assert (tx.questions_due("", 9), tx.questions_due(ONE, 9)) == ([], [early])
    assert (tx.questions_due(TWO, 9), tx.questions_due(TWO, 1)) == ([early, late], [early])


@pytest.mark.parametrize("state", ["yes", "no", "dropped"])
def test_a_question_that_was_answered_is_not_due(tx: Tx, state: QuestionState) -> None:
    tx.settle_question(asked(tx, 0, ONE), state)
    assert tx.questions_due(TWO, 9) == []


def test_an_open_question_is_put_off_and_no_other(tx: Tx) -> None:
    first, second = asked(tx, 0, ONE), asked(tx, 0, ONE)
    tx.settle_question(second, "no")
    for question in (first, second):
        tx.put_off_question(question, TWO)
    assert [one.due_at for one in tx.questions("k7m2p", 0)] == [TWO, ONE]
    assert (tx.questions_due(ONE, 9), tx.questions_due(TWO, 9)) == ([], [replace(first, due_at=TWO)])
