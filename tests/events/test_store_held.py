"""Mails that wait until a player says whether they wrote them."""

from __future__ import annotations

from felix_events.store.base import Store, Tx

ONE = "2026-11-21T00:00:00.000000Z"


def held(tx: Tx, player_id: str = "anna", sender: str = "phone@example.org") -> int:
    mail_id = tx.keep_mail(ONE, "felix", sender, b"raw")
    tx.hold(mail_id, player_id, sender)
    return mail_id


def test_a_held_mail_is_not_confirmed(store: Store) -> None:
    with store.write() as tx:
        mail_id = held(tx)
        assert not tx.is_confirmed(mail_id)
        assert not tx.is_confirmed(mail_id + 1)


def test_all_mails_of_a_sender_for_a_player_are_confirmed_in_the_order_of_receipt(store: Store) -> None:
    with store.write() as tx:
        mine = [held(tx), held(tx)]
        others = [held(tx, "ben"), held(tx, "anna", "other@example.org")]
        assert tx.confirm_held("anna", "phone@example.org") == mine
        assert [tx.is_confirmed(mail_id) for mail_id in (*mine, *others)] == [True, True, False, False]


def test_a_mail_is_confirmed_once(store: Store) -> None:
    with store.write() as tx:
        held(tx)
        tx.confirm_held("anna", "phone@example.org")
        later = held(tx)
        assert tx.confirm_held("anna", "phone@example.org") == [later]


def test_a_mail_that_is_held_again_stays_as_it_was(store: Store) -> None:
    with store.write() as tx:
        mail_id = held(tx)
        tx.confirm_held("anna", "phone@example.org")
        tx.hold(mail_id, "anna", "phone@example.org")
        assert tx.is_confirmed(mail_id)
