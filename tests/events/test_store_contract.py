"""What every store must do, whichever it is: the log, games and seats, received mail, commands."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import get_args

import pytest

from events.filling import ONE, THREE, TWO, mail_at
from felix_events.store.base import Store, StoreError, Tx, VersionConflict
from felix_events.store.rows import GameRow, LogRow, Mail, MailState, Sealed, SeatRow
from felix_events.tree import extend, leaf

GAME = GameRow("k7m2p", "Thursday club", "played", TWO, b"seed")


def sealed(*texts: str) -> list[Sealed]:
    return [Sealed(text.encode()) for text in texts]


# ---- the log
def test_events_are_numbered_from_1_with_the_range_of_the_tree_and_their_private_records(
    store: Store,
) -> None:
    with store.write() as tx:
        assert (tx.head("k7m2p"), tx.bodies("k7m2p"), tx.log("k7m2p"), tx.logs()) == ((0, b""), [], [], [])
        assert (tx.append("k7m2p", 0, []), tx.logs()) == ((0, b""), [])
        tx.append("k7m2p", 0, [Sealed(b"one", b"private"), Sealed(b"two")])
        head = tx.append("k7m2p", 2, sealed("three"))
        assert tx.head("k7m2p") == head
    range_, expected = b"", []
    for version, (body, record) in enumerate([(b"one", b"private"), (b"two", None), (b"three", None)], 1):
        range_ = extend(range_, version - 1, leaf(body))
        expected.append(LogRow(version, body, range_, record))
    with store.read() as reader:
        assert (reader.log("k7m2p"), reader.head("k7m2p")) == (expected, (3, range_)) == (expected, head)


def test_bodies_come_in_order_from_any_version_on_and_up_to_any(tx: Tx) -> None:
    texts = [str(number) for number in range(1, 13)]
    tx.append("k7m2p", 0, sealed(*texts))
    for after in range(13):
        assert tx.bodies("k7m2p", after) == [text.encode() for text in texts[after:]]
    assert tx.bodies("k7m2p", until=2) == [b"1", b"2"]
    assert tx.bodies("k7m2p", 1, until=2) == [b"2"]
    assert tx.bodies("k7m2p", until=99) == tx.bodies("k7m2p") == tx.bodies("k7m2p", 0)


def test_an_append_at_another_version_is_a_conflict_after_which_the_transaction_goes_on(store: Store) -> None:
    with store.write() as tx:
        tx.append("k7m2p", 0, sealed("one", "two"))
        for expected in (0, 1, 3):
            with pytest.raises(VersionConflict, match="k7m2p is at version 2, not") as caught:
                tx.append("k7m2p", expected, sealed("lost"))
            error = caught.value
            assert (error.game_id, error.expected, error.actual) == ("k7m2p", expected, 2)
        tx.append("k7m2p", 2, sealed("three"))
    with store.read() as reader:
        assert reader.bodies("k7m2p") == [b"one", b"two", b"three"]


def test_logs_do_not_mix_and_are_listed_with_the_games_that_are_known(tx: Tx) -> None:
    tx.append("ccc", 0, sealed("c1"))
    tx.append("aaa", 0, sealed("a1"))
    tx.append("ccc", 1, sealed("c2"))
    tx.append("aaa/seat/1", 0, sealed("why"))
    tx.append("ddd/seat/4", 0, sealed("an orphan"))
    assert (tx.logs(), tx.games()) == (["aaa", "ccc", "ddd"], [])
    for game_id in ("bbb", "aaa"):
        tx.add_game(replace(GAME, game_id=game_id))
    assert tx.logs() == ["aaa", "bbb", "ccc", "ddd"]
    found = [tx.bodies(log) for log in ("aaa", "ccc", "aaa/seat/1", "ddd")]
    assert found == [[b"a1"], [b"c1", b"c2"], [b"why"], []]


# ---- games, players, seats
def test_a_game_comes_back_and_its_id_is_taken_once(store: Store) -> None:
    imported = GameRow("abc", "", "imported", THREE, None, "ended", 150)
    with store.write() as tx:
        tx.add_game(GAME)
        tx.add_game(imported)
        with pytest.raises(StoreError, match=r"There is a game k7m2p here already\."):
            tx.add_game(replace(GAME, table_name="Friday club"))
    with store.read() as reader:
        assert (reader.game("k7m2p"), reader.game("abc"), reader.game("xyz")) == (GAME, imported, None)


def test_games_come_oldest_first_and_then_by_id_and_may_be_those_of_late(tx: Tx) -> None:
    rows = [("ddd", ONE), ("bbb", TWO), ("ccc", TWO), ("aaa", THREE)]
    for game_id, created_at in reversed(rows):
        tx.add_game(replace(GAME, game_id=game_id, created_at=created_at))
    assert [(game.game_id, game.created_at) for game in tx.games()] == rows
    assert [game.game_id for game in tx.games(ONE)] == ["bbb", "ccc", "aaa"]


def test_a_game_is_brought_up_to_its_log_where_there_is_one(tx: Tx) -> None:
    tx.note_game("k7m2p", "running", 17)
    assert tx.games() == []
    tx.add_game(GAME)
    tx.add_game(replace(GAME, game_id="other"))
    tx.note_game("k7m2p", "running", 17)
    assert tx.game("k7m2p") == replace(GAME, state="running", size=17)
    assert tx.game("other") == replace(GAME, game_id="other")


def test_seats_come_in_order_each_with_its_players_address(tx: Tx) -> None:
    for game_id in ("k7m2p", "other"):
        tx.add_game(replace(GAME, game_id=game_id))
    for number, player in [(2, "cara"), (0, "anna"), (1, "ben")]:
        tx.add_seat(SeatRow("k7m2p", number, player, player.title(), "not kept here", b"%d" % number))
    tx.add_seat(SeatRow("other", 0, "anna", "Anna", None, b"secret"))
    tx.add_player("anna", "anna@example.org")
    tx.add_player("cara", "cara@example.org")
    assert tx.seats("k7m2p") == [
        SeatRow("k7m2p", 0, "anna", "Anna", "anna@example.org", b"0", ("anna@example.org",)),
        SeatRow("k7m2p", 1, "ben", "Ben", None, b"1"),
        SeatRow("k7m2p", 2, "cara", "Cara", "cara@example.org", b"2", ("cara@example.org",)),
    ]
    assert ([seat.game_id for seat in tx.seats("other")], tx.seats("xyz")) == (["other"], [])


def test_a_player_is_found_by_each_address_which_belongs_to_nobody_else(tx: Tx) -> None:
    for address in ("anna@example.org", "anna@example.org", "a@example.com"):
        tx.add_player("anna", address)
    with pytest.raises(StoreError, match=r"The address anna@example\.org belongs to another player\."):
        tx.add_player("ben", "anna@example.org")
    assert tx.player_at("anna@example.org") == tx.player_at("a@example.com") == "anna"
    assert tx.player_at("ben@example.org") is None


# ---- received mail
def test_a_mail_is_kept_as_it_came(tx: Tx) -> None:
    """Twice, if it came twice: that it is the same shows when it is read, by its key."""
    raw = b"Subject: BID 5\r\n\r\n\xff\x00\n"
    first, second = (tx.keep_mail(ONE, "felix@example.org", "anna@example.org", raw) for _ in range(2))
    kept = Mail(first, ONE, "felix@example.org", "anna@example.org", raw, sha256(raw).hexdigest())
    assert tx.mails() == [kept, replace(kept, mail_id=second)]
    assert (kept.state, kept.tries, kept.key, kept.note) == ("new", 0, None, "")
    assert (tx.mail(second), tx.mail(second + 1)) == (replace(kept, mail_id=second), None)


def test_mails_come_in_the_order_of_receipt_and_by_state(tx: Tx) -> None:
    ids = [tx.keep_mail(at, "felix", "anna", b"raw") for at in (THREE, ONE, TWO)]
    tx.settle_mail(ids[1], "done")
    states: tuple[MailState | None, ...] = (None, "new", "done", "ignored")
    found = [[mail.mail_id for mail in tx.mails(state)] for state in states]
    assert found == [ids, [ids[0], ids[2]], [ids[1]], []]


def test_the_next_mail_is_the_oldest_new_one_whatever_tries_failed(tx: Tx) -> None:
    assert tx.next_mail() is None
    first, second = (tx.keep_mail(ONE, "felix", "anna", raw) for raw in (b"first", b"second"))
    tx.try_mail(first, "no luck")
    tx.try_mail(first, "no luck again")
    mail = mail_at(tx, first)
    assert (mail.raw, mail.state, mail.tries, mail.note) == (b"first", "new", 2, "no luck again")
    assert tx.next_mail() == mail
    tx.settle_mail(first, "quarantined")
    assert tx.next_mail() == mail_at(tx, second)
    tx.settle_mail(second, "duplicate")
    assert tx.next_mail() is None


def test_what_became_of_a_mail_is_kept_and_it_is_known_by_its_key(tx: Tx) -> None:
    mail_id, other_id = (tx.keep_mail(ONE, "felix", "anna", b"raw") for _ in range(2))
    assert tx.mail_with("<1@example.org>") is None
    tx.settle_mail(mail_id, "ignored", key="<1@example.org>", note="an auto-reply")
    done, other = mail_at(tx, mail_id), mail_at(tx, other_id)
    assert (done.state, done.key, done.note) == ("ignored", "<1@example.org>", "an auto-reply")
    assert (other.state, other.key, other.note) == ("new", None, "")
    assert (tx.mail_with("<1@example.org>"), tx.mail_with("<2@example.org>")) == (done, None)


def test_a_mail_put_back_is_as_new_and_does_not_stand_in_its_own_way(tx: Tx) -> None:
    first, second = (tx.keep_mail(ONE, "felix", "anna", b"raw") for _ in range(2))
    tx.settle_mail(second, "quarantined", key="<1@example.org>")
    tx.settle_mail(second, "new", key="<1@example.org>")
    assert tx.mail_with("<1@example.org>") is None
    tx.try_mail(first, "failed")
    tx.settle_mail(first, "quarantined", key="key", note="put aside")
    tx.requeue_mail(first, "once more")
    mail = tx.next_mail()
    assert mail is not None
    assert (mail.mail_id, mail.state, mail.tries, mail.key, mail.note) == (first, "new", 0, None, "once more")


def test_a_mail_is_nobodys_until_it_is_somebodys_who_has_written_once_it_is_done(tx: Tx) -> None:
    nobodys = tx.keep_mail("2026", "felix", "x@y.test", b"raw")
    for state in get_args(MailState):
        mail_id = tx.keep_mail("2026", "felix", "x@y.test", b"raw")
        tx.attribute_mail(mail_id, state)
        if state != "new":
            tx.settle_mail(mail_id, state)
    owners = [mail.player_id for mail in tx.mails() if mail.mail_id != nobodys]
    assert (owners, mail_at(tx, nobodys).player_id) == ([*get_args(MailState)], None)
    assert [state for state in (*get_args(MailState), "nobody") if tx.has_written(state)] == ["done"]


# ---- commands, secrets
def test_what_came_of_a_command_is_remembered(store: Store) -> None:
    with store.write() as tx:
        assert tx.outcome("command") is None
        tx.remember("command", "k7m2p", '{"version":7}')
    with store.read() as reader:
        assert (reader.outcome("command"), reader.outcome("other")) == ('{"version":7}', None)


def test_a_secret_is_kept_once_unless_it_is_renewed(tx: Tx) -> None:
    assert tx.secret("name") is None
    tx.keep_secret("name", b"first")
    tx.keep_secret("name", b"second")
    assert (tx.secret("name"), tx.secret("other")) == (b"first", None)
    tx.renew_secret("name", b"third")
    tx.renew_secret("new", b"fourth")
    assert (tx.secret("name"), tx.secret("new")) == (b"third", b"fourth")


# ---- the heartbeat
def test_the_last_heartbeat_takes_the_place_of_the_one_before(store: Store) -> None:
    with store.read() as reader:
        assert reader.last_beat() is None
    for at in (ONE, THREE, TWO):
        with store.write() as tx:
            tx.beat(at)
            assert tx.last_beat() == at
    with store.read() as reader:
        assert reader.last_beat() == TWO


def test_a_heartbeat_is_undone_with_its_transaction(store: Store) -> None:
    with store.write() as tx:
        tx.beat(ONE)
    with suppress(RuntimeError), store.write() as tx:
        tx.beat(TWO)
        raise RuntimeError
    with store.write() as tx:
        with suppress(RuntimeError), tx.savepoint():
            tx.beat(TWO)
            raise RuntimeError
        assert tx.last_beat() == ONE
