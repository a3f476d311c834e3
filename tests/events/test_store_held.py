"""Mails that wait until a player says whether they wrote them."""

from __future__ import annotations

from felix_events.store.base import Tx
from felix_events.store.rows import Belief, GameRow, Held, NoticeRow, SeatRow

ONE = "2026-11-21T00:00:00.000000Z"


def held(tx: Tx, player_id: str = "anna", sender: str = "phone@example.org") -> int:
    mail_id = tx.keep_mail(ONE, "felix", sender, b"raw")
    tx.hold(mail_id, player_id, sender)
    return mail_id


def test_a_held_mail_is_not_confirmed(tx: Tx) -> None:
    mail_id = held(tx)
    assert not tx.is_confirmed(mail_id)
    assert not tx.is_confirmed(mail_id + 1)


def test_all_mails_of_a_sender_for_a_player_are_confirmed_in_the_order_of_receipt(tx: Tx) -> None:
    mine = [held(tx), held(tx)]
    others = [held(tx, "ben"), held(tx, "anna", "other@example.org")]
    assert tx.confirm_held("anna", "phone@example.org") == mine
    assert [tx.is_confirmed(mail_id) for mail_id in (*mine, *others)] == [True, True, False, False]


def test_a_mail_is_confirmed_once(tx: Tx) -> None:
    held(tx)
    tx.confirm_held("anna", "phone@example.org")
    later = held(tx)
    assert tx.confirm_held("anna", "phone@example.org") == [later]


def test_only_mails_that_came_by_one_provider_are_confirmed_or_released(tx: Tx) -> None:
    by = {name: tx.keep_mail(ONE, "felix", "anna@example.org", b"raw") for name in ("a", "b", "c")}
    for name, mail_id in by.items():
        tx.hold(mail_id, "anna", "anna@example.org", f"net {name}")
    assert tx.confirm_held("anna", "anna@example.org", provider="net a") == [by["a"]]
    tx.release_held("anna", "anna@example.org", "net b")
    assert tx.confirm_held("anna", "anna@example.org") == [by["c"]]


def test_a_held_mail_tells_by_whom_it_came(tx: Tx) -> None:
    mail_id = tx.keep_mail(ONE, "felix", "anna@example.org", b"raw")
    tx.hold(mail_id, "anna", "anna@example.org", "net a")
    assert tx.held(mail_id) == Held(mail_id, "anna", "anna@example.org", "net a")
    assert tx.held(mail_id + 1) is None


def test_what_is_believed_is_kept_once_with_the_time_of_the_first_word(tx: Tx) -> None:
    first = Belief("anna", "anna@example.org", "net a", ONE)
    tx.believe(first)
    tx.believe(Belief("anna", "anna@example.org", "net a", "2026-11-22T00:00:00.000000Z"))
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
    assert (tx.doubt("anna"), len(tx.beliefs("ben"))) == (0, 1)
    assert [row.player_id for row in tx.beliefs()] == ["ben"]


def test_one_mail_alone_may_be_confirmed(tx: Tx) -> None:
    mine = [held(tx), held(tx)]
    assert tx.confirm_held("anna", "phone@example.org", mine[1]) == [mine[1]]
    assert [tx.is_confirmed(mail_id) for mail_id in mine] == [False, True]


def test_mails_that_were_released_are_confirmed_by_nothing(tx: Tx) -> None:
    first, other = held(tx), held(tx, "anna", "other@example.org")
    tx.confirm_held("anna", "phone@example.org")
    held(tx)
    tx.release_held("anna", "phone@example.org")
    assert tx.is_confirmed(first)
    assert tx.confirm_held("anna", "phone@example.org") == []
    assert tx.confirm_held("anna", "other@example.org") == [other]


def test_a_mail_that_is_held_again_stays_as_it_was(tx: Tx) -> None:
    mail_id = held(tx)
    tx.confirm_held("anna", "phone@example.org")
    tx.hold(mail_id, "anna", "phone@example.org")
    assert tx.is_confirmed(mail_id)


# ---- adopted addresses
def test_an_adopted_address_is_written_from_and_not_written_to(tx: Tx) -> None:
    tx.add_game(GameRow("k7m2p", "Thursday club", "played", ONE, b"seed"))
    tx.add_seat(SeatRow("k7m2p", 0, "anna", "Anna", None, b"secret"))
    tx.adopt("anna", "phone@example.org")
    assert (tx.seats("k7m2p")[0].address, tx.seats("k7m2p")[0].addresses) == (
        None,
        ("phone@example.org",),
    )
    tx.add_player("anna", "anna@example.org")
    seat = tx.seats("k7m2p")[0]
    assert (seat.address, seat.addresses) == ("anna@example.org", ("anna@example.org", "phone@example.org"))


def test_an_adopted_address_may_be_adopted_by_others_and_be_somebodys_own(tx: Tx) -> None:
    tx.adopt("anna", "zoe@example.org")
    tx.adopt("ben", "zoe@example.org")
    tx.adopt("ben", "zoe@example.org")
    assert tx.player_at("zoe@example.org") is None
    tx.add_player("zoe", "zoe@example.org")
    assert tx.player_at("zoe@example.org") == "zoe"


# ---- notices of late
def test_notices_of_late_are_those_that_became_due_since(tx: Tx) -> None:
    for number, at in enumerate(("2026-11-20T00:00:00.000000Z", ONE, "2026-11-22T00:00:00.000000Z")):
        tx.enqueue(NoticeRow("k7m2p", 1, 0, "answer", at, about=str(number)))
    assert [notice.about for notice in tx.notices("k7m2p", ONE)] == ["2"]
    assert len(tx.notices("k7m2p")) == 3
