"""What every store must do, whichever it is: the log, games and seats, received mail, commands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_events.store.base import Store, StoreError, VersionConflict
from felix_events.store.rows import GameRow, LogRow, Sealed

ONE, TWO, THREE = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2, 3))
"""Three times, in this order."""

GAME = GameRow("k7m2p", "Thursday club", "played", TWO, b"seed")


def sealed(*texts: str) -> list[Sealed]:
    return [Sealed(text.encode()) for text in texts]


# ---- the log
def test_bodies_come_in_order_and_from_any_version_on(store: Store) -> None:
    texts = [str(number) for number in range(1, 13)]
    with store.write() as tx:
        tx.append("k7m2p", 0, sealed(*texts))
        for after in range(13):
            assert tx.bodies("k7m2p", after) == [text.encode() for text in texts[after:]]
        assert tx.bodies("k7m2p") == tx.bodies("k7m2p", 0)


def test_bodies_may_end_at_a_version(store: Store) -> None:
    with store.write() as tx:
        tx.append("k7m2p", 0, sealed("one", "two", "three"))
        assert tx.bodies("k7m2p", until=2) == [b"one", b"two"]
        assert tx.bodies("k7m2p", 1, until=2) == [b"two"]
        assert tx.bodies("k7m2p", until=9) == tx.bodies("k7m2p")


def test_an_append_of_nothing_changes_nothing(store: Store) -> None:
    with store.write() as tx:
        assert tx.append("k7m2p", 0, []) == (0, b"")
        assert tx.logs() == []


def test_a_private_record_stays_beside_its_event(store: Store) -> None:
    with store.write() as tx:
        tx.append("k7m2p", 0, [Sealed(b"one", b"private"), Sealed(b"two")])
    with store.read() as reader:
        assert [row.private_record for row in reader.log("k7m2p")] == [b"private", None]
        assert isinstance(reader.log("k7m2p")[0], LogRow)


@pytest.mark.parametrize("expected", [0, 1, 3])
def test_an_append_at_another_version_is_a_conflict(store: Store, expected: int) -> None:
    with store.write() as tx:
        tx.append("k7m2p", 0, sealed("one", "two"))
        with pytest.raises(VersionConflict, match="k7m2p is at version 2, not") as caught:
            tx.append("k7m2p", expected, sealed("three"))
    error = caught.value
    assert (error.game_id, error.expected, error.actual) == ("k7m2p", expected, 2)


def test_after_a_conflict_the_transaction_goes_on(store: Store) -> None:
    with store.write() as tx:
        tx.append("k7m2p", 0, sealed("one"))
        with pytest.raises(VersionConflict):
            tx.append("k7m2p", 0, sealed("lost"))
        tx.append("k7m2p", 1, sealed("two"))
    with store.read() as reader:
        assert reader.bodies("k7m2p") == [b"one", b"two"]


# ---- games, players, seats
def test_a_game_id_is_taken_once(store: Store) -> None:
    with store.write() as tx:
        tx.add_game(GAME)
        with pytest.raises(StoreError, match=r"There is a game k7m2p here already\."):
            tx.add_game(replace(GAME, table_name="Friday club"))
        assert tx.games() == [GAME]


def test_a_game_that_is_not_there_is_not_noted(store: Store) -> None:
    with store.write() as tx:
        tx.note_game("k7m2p", "running", 17)
        assert tx.games() == []


# ---- received mail
def test_failed_tries_are_counted_and_the_mail_stays_new(store: Store) -> None:
    with store.write() as tx:
        mail_id = tx.keep_mail(ONE, "felix", "anna", b"raw")
        tx.try_mail(mail_id, "no luck")
        tx.try_mail(mail_id, "no luck again")
        mail = tx.next_mail()
        assert mail is not None
        assert (mail.mail_id, mail.state, mail.tries, mail.note) == (mail_id, "new", 2, "no luck again")


# ---- commands, secrets
def test_a_secret_is_kept_once(store: Store) -> None:
    with store.write() as tx:
        assert tx.secret("name") is None
        tx.keep_secret("name", b"first")
        tx.keep_secret("name", b"second")
        assert (tx.secret("name"), tx.secret("other")) == (b"first", None)


def test_a_secret_is_renewed(store: Store) -> None:
    with store.write() as tx:
        tx.keep_secret("name", b"first")
        tx.renew_secret("name", b"second")
        tx.renew_secret("new", b"third")
    with store.read() as reader:
        assert (reader.secret("name"), reader.secret("new")) == (b"second", b"third")
