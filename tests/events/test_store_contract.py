"""What every store must do, whichever it is: the log, games and seats, received mail, commands."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from hashlib import sha256

import pytest

from felix_events.store.base import Store, StoreError, Tx, VersionConflict
from felix_events.store.rows import GameRow, LogRow, Mail, Sealed, SeatRow
from felix_events.tree import extend, leaf

ONE, TWO, THREE = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2, 3))
"""Three times, in this order."""

GAME = GameRow("k7m2p", "Thursday club", "played", TWO, b"seed")
SEAT = SeatRow("k7m2p", 0, "anna", "Anna", None, b"secret")


def sealed(*texts: str) -> list[Sealed]:
    return [Sealed(text.encode()) for text in texts]


# ---- the log
def test_a_log_that_is_not_there_is_at_version_0(tx: Tx) -> None:
    assert tx.head("k7m2p") == (0, b"")
    assert (tx.bodies("k7m2p"), tx.log("k7m2p"), tx.logs()) == ([], [], [])


def test_events_are_numbered_from_1(tx: Tx) -> None:
    tx.append("k7m2p", 0, sealed("one", "two"))
    tx.append("k7m2p", 2, sealed("three"))
    assert [(row.version, row.body) for row in tx.log("k7m2p")] == [
        (1, b"one"),
        (2, b"two"),
        (3, b"three"),
    ]


def test_bodies_come_in_order_and_from_any_version_on(tx: Tx) -> None:
    texts = [str(number) for number in range(1, 13)]
    tx.append("k7m2p", 0, sealed(*texts))
    for after in range(13):
        assert tx.bodies("k7m2p", after) == [text.encode() for text in texts[after:]]
    assert tx.bodies("k7m2p") == tx.bodies("k7m2p", 0)


def test_bodies_may_end_at_a_version(tx: Tx) -> None:
    tx.append("k7m2p", 0, sealed("one", "two", "three"))
    assert tx.bodies("k7m2p", until=2) == [b"one", b"two"]
    assert tx.bodies("k7m2p", 1, until=2) == [b"two"]
    assert tx.bodies("k7m2p", until=9) == tx.bodies("k7m2p")


def test_every_row_keeps_the_range_of_the_tree(tx: Tx) -> None:
    tx.append("k7m2p", 0, sealed("one", "two", "three"))
    range_ = b""
    for size, row in enumerate(tx.log("k7m2p")):
        range_ = extend(range_, size, leaf(row.body))
        assert row.range_ == range_


def test_an_append_answers_with_the_new_head(tx: Tx) -> None:
    answer = tx.append("k7m2p", 0, sealed("one", "two"))
    assert answer == tx.head("k7m2p") == (2, tx.log("k7m2p")[-1].range_)


def test_an_append_of_nothing_changes_nothing(tx: Tx) -> None:
    assert tx.append("k7m2p", 0, []) == (0, b"")
    assert tx.logs() == []


def test_a_private_record_stays_beside_its_event(tx: Tx) -> None:
    tx.append("k7m2p", 0, [Sealed(b"one", b"private"), Sealed(b"two")])
    assert [row.private_record for row in tx.log("k7m2p")] == [b"private", None]
    assert isinstance(tx.log("k7m2p")[0], LogRow)


def test_logs_do_not_mix(tx: Tx) -> None:
    tx.append("aaa", 0, sealed("a1"))
    tx.append("bbb", 0, sealed("b1"))
    tx.append("aaa", 1, sealed("a2"))
    assert (tx.bodies("aaa"), tx.bodies("bbb")) == ([b"a1", b"a2"], [b"b1"])


@pytest.mark.parametrize("expected", [0, 1, 3])
def test_an_append_at_another_version_is_a_conflict(tx: Tx, expected: int) -> None:
    tx.append("k7m2p", 0, sealed("one", "two"))
    with pytest.raises(VersionConflict, match="k7m2p is at version 2, not") as caught:
        tx.append("k7m2p", expected, sealed("three"))
    error = caught.value
    assert (error.game_id, error.expected, error.actual) == ("k7m2p", expected, 2)


def test_after_a_conflict_the_transaction_goes_on(tx: Tx) -> None:
    tx.append("k7m2p", 0, sealed("one"))
    with pytest.raises(VersionConflict):
        tx.append("k7m2p", 0, sealed("lost"))
    tx.append("k7m2p", 1, sealed("two"))
    assert tx.bodies("k7m2p") == [b"one", b"two"]


def test_logs_are_those_with_events_and_those_known_sorted(tx: Tx) -> None:
    tx.append("ccc", 0, sealed("c"))
    tx.append("aaa", 0, sealed("a"))
    tx.add_game(replace(GAME, game_id="bbb"))
    tx.add_game(replace(GAME, game_id="aaa"))
    assert tx.logs() == ["aaa", "bbb", "ccc"]


def test_a_seats_own_log_is_listed_as_its_game_and_kept_apart_from_its_log(tx: Tx) -> None:
    tx.append("aaa", 0, sealed("a"))
    tx.append("aaa/seat/1", 0, sealed("why"))
    tx.append("ccc/seat/4", 0, sealed("an orphan"))
    assert (tx.logs(), tx.games()) == (["aaa", "ccc"], [])
    assert (tx.bodies("aaa"), tx.bodies("aaa/seat/1"), tx.bodies("ccc")) == ([b"a"], [b"why"], [])


# ---- games, players, seats
def test_a_game_comes_back(store: Store) -> None:
    imported = GameRow("abc", "", "imported", THREE, None, "ended", 150)
    with store.write() as tx:
        tx.add_game(GAME)
        tx.add_game(imported)
    with store.read() as reader:
        assert (reader.game("k7m2p"), reader.game("abc"), reader.game("xyz")) == (GAME, imported, None)


def test_games_come_oldest_first_and_then_by_id(tx: Tx) -> None:
    rows = [("ddd", ONE), ("bbb", TWO), ("ccc", TWO), ("aaa", THREE)]
    for game_id, created_at in reversed(rows):
        tx.add_game(replace(GAME, game_id=game_id, created_at=created_at))
    assert [(game.game_id, game.created_at) for game in tx.games()] == rows


def test_a_game_id_is_taken_once(tx: Tx) -> None:
    tx.add_game(GAME)
    with pytest.raises(StoreError, match=r"There is a game k7m2p here already\."):
        tx.add_game(replace(GAME, table_name="Friday club"))
    assert tx.games() == [GAME]


def test_a_game_is_brought_up_to_its_log(tx: Tx) -> None:
    tx.add_game(GAME)
    tx.add_game(replace(GAME, game_id="other"))
    tx.note_game("k7m2p", "running", 17)
    assert tx.game("k7m2p") == replace(GAME, state="running", size=17)
    assert tx.game("other") == replace(GAME, game_id="other")


def test_a_game_that_is_not_there_is_not_noted(tx: Tx) -> None:
    tx.note_game("k7m2p", "running", 17)
    assert tx.games() == []


def test_seats_come_in_order_each_with_its_players_address(tx: Tx) -> None:
    tx.add_game(GAME)
    tx.add_game(replace(GAME, game_id="other"))
    for number, player in [(2, "cara"), (0, "anna"), (1, "ben")]:
        tx.add_seat(SeatRow("k7m2p", number, player, player.title(), "not kept here", b"%d" % number))
    tx.add_seat(replace(SEAT, game_id="other"))
    tx.add_player("anna", "anna@example.org")
    tx.add_player("cara", "cara@example.org")
    assert tx.seats("k7m2p") == [
        SeatRow("k7m2p", 0, "anna", "Anna", "anna@example.org", b"0", ("anna@example.org",)),
        SeatRow("k7m2p", 1, "ben", "Ben", None, b"1"),
        SeatRow("k7m2p", 2, "cara", "Cara", "cara@example.org", b"2", ("cara@example.org",)),
    ]
    assert [seat.game_id for seat in tx.seats("other")] == ["other"]
    assert tx.seats("xyz") == []


def test_a_player_is_found_by_address(tx: Tx) -> None:
    tx.add_player("anna", "anna@example.org")
    tx.add_player("anna", "a@example.com")
    assert tx.player_at("anna@example.org") == tx.player_at("a@example.com") == "anna"
    assert tx.player_at("ben@example.org") is None


def test_an_address_belongs_to_one_player(tx: Tx) -> None:
    tx.add_player("anna", "anna@example.org")
    tx.add_player("anna", "anna@example.org")
    with pytest.raises(StoreError, match=r"The address anna@example\.org belongs to another player\."):
        tx.add_player("ben", "anna@example.org")
    assert tx.player_at("anna@example.org") == "anna"


# ---- received mail
def test_a_mail_is_kept_as_it_came(tx: Tx) -> None:
    raw = b"Subject: BID 5\r\n\r\n\xff\x00\n"
    mail_id = tx.keep_mail(ONE, "felix@example.org", "anna@example.org", raw)
    digest = sha256(raw).hexdigest()
    kept = Mail(mail_id, ONE, "felix@example.org", "anna@example.org", raw, digest)
    assert tx.mails() == [kept]
    assert (kept.state, kept.tries, kept.key, kept.note) == ("new", 0, None, "")


def test_the_same_mail_twice_is_two_mails(tx: Tx) -> None:
    """That it is the same shows when it is read, by its key."""
    ids = [tx.keep_mail(ONE, "felix", "anna", b"raw") for _ in range(2)]
    assert [mail.mail_id for mail in tx.mails()] == sorted(set(ids)) == ids


def test_mails_come_in_the_order_of_receipt_and_by_state(tx: Tx) -> None:
    ids = [tx.keep_mail(at, "felix", "anna", b"raw") for at in (THREE, ONE, TWO)]
    tx.settle_mail(ids[1], "done")
    assert [mail.mail_id for mail in tx.mails()] == ids
    assert [mail.mail_id for mail in tx.mails("new")] == [ids[0], ids[2]]
    assert [mail.mail_id for mail in tx.mails("done")] == [ids[1]]
    assert tx.mails("ignored") == []


def test_the_next_mail_is_the_oldest_new_one(tx: Tx) -> None:
    assert tx.next_mail() is None
    first, second = (tx.keep_mail(ONE, "felix", "anna", raw) for raw in (b"first", b"second"))
    mail = tx.next_mail()
    assert mail is not None
    assert (mail.mail_id, mail.raw) == (first, b"first")
    tx.settle_mail(first, "quarantined")
    mail = tx.next_mail()
    assert mail is not None
    assert mail.mail_id == second
    tx.settle_mail(second, "duplicate")
    assert tx.next_mail() is None


def test_what_became_of_a_mail_is_kept(tx: Tx) -> None:
    mail_id = tx.keep_mail(ONE, "felix", "anna", b"raw")
    tx.keep_mail(ONE, "felix", "anna", b"other")
    tx.settle_mail(mail_id, "ignored", key="<1@example.org>", note="an auto-reply")
    done, other = tx.mails()
    assert (done.state, done.key, done.note) == ("ignored", "<1@example.org>", "an auto-reply")
    assert (other.state, other.key, other.note) == ("new", None, "")


def test_failed_tries_are_counted_and_the_mail_stays_new(tx: Tx) -> None:
    mail_id = tx.keep_mail(ONE, "felix", "anna", b"raw")
    tx.try_mail(mail_id, "no luck")
    tx.try_mail(mail_id, "no luck again")
    mail = tx.next_mail()
    assert mail is not None
    assert (mail.mail_id, mail.state, mail.tries, mail.note) == (mail_id, "new", 2, "no luck again")


def test_a_mail_delivered_twice_is_known_by_its_key(tx: Tx) -> None:
    mail_id = tx.keep_mail(ONE, "felix", "anna", b"raw")
    assert tx.mail_with("<1@example.org>") is None
    tx.settle_mail(mail_id, "done", key="<1@example.org>")
    mail = tx.mail_with("<1@example.org>")
    assert mail is not None
    assert mail.mail_id == mail_id
    assert tx.mail_with("<2@example.org>") is None


def test_a_mail_put_back_does_not_stand_in_its_own_way(tx: Tx) -> None:
    mail_id = tx.keep_mail(ONE, "felix", "anna", b"raw")
    tx.settle_mail(mail_id, "quarantined", key="<1@example.org>")
    tx.settle_mail(mail_id, "new", key="<1@example.org>")
    assert tx.mail_with("<1@example.org>") is None


# ---- commands, secrets
def test_what_came_of_a_command_is_remembered(store: Store) -> None:
    with store.write() as tx:
        assert tx.outcome("command") is None
        tx.remember("command", "k7m2p", '{"version":7}')
    with store.read() as reader:
        assert (reader.outcome("command"), reader.outcome("other")) == ('{"version":7}', None)


def test_a_secret_is_kept_once(tx: Tx) -> None:
    assert tx.secret("name") is None
    tx.keep_secret("name", b"first")
    tx.keep_secret("name", b"second")
    assert (tx.secret("name"), tx.secret("other")) == (b"first", None)


def test_a_secret_is_renewed(tx: Tx) -> None:
    tx.keep_secret("name", b"first")
    tx.renew_secret("name", b"second")
    tx.renew_secret("new", b"third")
    assert (tx.secret("name"), tx.secret("new")) == (b"second", b"third")


# ---- the heartbeat
def test_a_store_on_which_no_server_ever_ran_has_no_heartbeat(tx: Tx) -> None:
    assert tx.last_beat() is None


def test_the_last_heartbeat_takes_the_place_of_the_one_before(store: Store) -> None:
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
