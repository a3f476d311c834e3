"""What every store must do for what players choose and say, and for where they want their letters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from events.filling import ONE, THREE, TWO, a_game
from felix_events.store.base import Store, StoreError, Tx
from felix_events.store.rows import DEFAULT_QUIET, AddressRow, Choice, NoticeRow, Saying

SAYING = Saying("k7m2p", 7, 1, b"salt", "Nice cat.")
OLD, NEW, PHONE = (f"{name}@example.org" for name in ("old", "new", "phone"))
BOUNCES = AddressRow(OLD, "anna", 5.5, ONE, "bounces")


def address_of(tx: Tx) -> str | None:
    """Where letters to Anna go."""
    return tx.seats("k7m2p")[0].address


# ---- choices
def test_the_last_choice_counts_and_the_default_before_it(store: Store) -> None:
    with store.write() as tx:
        assert tx.choice("anna") == Choice("anna", notify="turns", hears=True)
        tx.choose(Choice("anna", "daily"))
        tx.choose(Choice("anna", "all", hears=False))
    with store.read() as reader:
        assert reader.choice("anna") == Choice("anna", "all", hears=False)
        assert reader.choice("ben") == Choice("ben")


def test_each_wish_is_kept_beside_the_others(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna", "ben")
    anna = Choice("anna")
    for wish in (replace(anna, discreet=True), replace(anna, receipts=True), replace(anna, asked_zone=True)):
        tx.choose(wish)
        assert tx.choice("anna") == wish
        assert tx.choices_at("k7m2p") == {0: wish}


def test_the_choices_at_a_table_come_by_seat_without_the_defaults(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna", "ben", "cara", "dan")
    a_game(tx, "other", "cara", "anna")
    for choice in (
        Choice("cara", "daily"),
        Choice("ben", hears=False),
        Choice("anna", "all"),
        Choice("anna"),
    ):
        tx.choose(choice)
    assert tx.choices_at("k7m2p") == {1: Choice("ben", hears=False), 2: Choice("cara", "daily")}
    assert (tx.choices_at("other"), tx.choices_at("xyz")) == ({0: Choice("cara", "daily")}, {})


def test_where_a_player_is_and_when_they_want_quiet_is_kept(store: Store) -> None:
    anna = Choice("anna", zone="Europe/Berlin", offset="+01:00", quiet="", asked_zone=True)
    ben = Choice("ben", offset="-05:00")
    with store.write() as tx:
        a_game(tx, "k7m2p", "anna", "ben", "cara")
        for choice in (anna, ben):
            tx.choose(choice)
    with store.read() as reader:
        assert (reader.choice("anna"), reader.choices_at("k7m2p")) == (anna, {0: anna, 1: ben})
        assert reader.choice("cara").quiet == DEFAULT_QUIET == "22:00-08:00"


# ---- sayings
def test_sayings_come_by_version_and_game_and_each_is_kept_once(tx: Tx) -> None:
    later, other = replace(SAYING, version=12), replace(SAYING, game_id="other")
    for saying in (later, SAYING, other, replace(SAYING, text="Nice dog.")):
        tx.keep_saying(saying)
    assert (tx.sayings("k7m2p"), tx.sayings("xyz")) == ([SAYING, later], [])


def test_a_saying_does_not_show_its_words_or_its_salt() -> None:
    assert repr(SAYING) == "Saying(game_id='k7m2p', version=7, seat=1)"


# ---- seats
def test_the_seats_of_a_player_come_newest_first(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    a_game(tx, "other", "anna")
    assert [seat.game_id for seat in tx.seats_of("anna")] == ["other", "k7m2p"]
    assert tx.seats_of("ben") == []


def test_a_rotated_secret_is_the_seats_from_then_on(store: Store) -> None:
    with store.write() as tx:
        a_game(tx, "k7m2p", "anna")
        tx.rotate_secret("k7m2p", 0, b"new")
    with store.read() as reader:
        assert reader.seats("k7m2p")[0].secret == b"new"


# ---- where letters go
def test_letters_go_to_the_oldest_address_that_is_not_stopped(store: Store) -> None:
    with store.write() as tx:
        a_game(tx, "k7m2p", "anna")
        for address in (OLD, "a@example.org"):
            tx.add_player("anna", address)
        assert address_of(tx) == OLD
        tx.note_address(BOUNCES)
        assert address_of(tx) == "a@example.org"
        tx.note_address(AddressRow("a@example.org", "anna", 0.0, "", "asked"))
        assert address_of(tx) is None
    with store.read() as reader:
        assert reader.seats("k7m2p")[0].addresses == (OLD, "a@example.org")
        assert reader.addresses("anna")[0] == BOUNCES


def test_addresses_are_listed_by_player_or_all_the_oldest_first(tx: Tx) -> None:
    for player, address in (("ben", "z@example.org"), ("anna", "a@example.org"), ("ben", "b@example.org")):
        tx.add_player(player, address)
    assert [row.address for row in tx.addresses("ben")] == ["z@example.org", "b@example.org"]
    assert [row.player_id for row in tx.addresses()] == ["ben", "anna", "ben"]


def test_letters_go_to_the_new_address_and_come_back_while_each_still_says_who_writes(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    tx.add_player("anna", OLD)
    tx.move_mail("anna", NEW)
    (seat,) = tx.seats("k7m2p")
    assert (seat.address, seat.addresses) == (NEW, (NEW, OLD))
    assert tx.player_at(OLD) == tx.player_at(NEW) == "anna"
    tx.move_mail("anna", OLD)
    left = [AddressRow(OLD, "anna", chosen=True), AddressRow(NEW, "anna", stopped="moved")]
    assert tx.addresses("anna") == left


def test_the_chosen_address_comes_before_an_older_one_that_is_alive_again(tx: Tx) -> None:
    """It bounced when the letters moved, and by a mail from it that is forgotten."""
    a_game(tx, "k7m2p", "anna")
    tx.add_player("anna", OLD)
    tx.note_address(BOUNCES)
    tx.move_mail("anna", NEW)
    assert tx.addresses("anna")[1] == BOUNCES
    tx.note_address(AddressRow(OLD, "anna"))
    assert address_of(tx) == NEW


def test_while_the_chosen_address_bounces_another_that_is_not_stopped_is_taken(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    tx.move_mail("anna", NEW)
    tx.add_player("anna", OLD)
    tx.note_address(replace(BOUNCES, address=NEW))
    assert address_of(tx) == OLD
    tx.note_address(AddressRow(NEW, "anna"))
    assert address_of(tx) == NEW


def test_the_new_address_starts_without_bounces(tx: Tx) -> None:
    tx.add_player("anna", OLD)
    tx.note_address(BOUNCES)
    tx.move_mail("anna", OLD)
    assert tx.addresses("anna") == [AddressRow(OLD, "anna", chosen=True)]


def test_letters_do_not_go_to_an_address_of_somebody_else(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    tx.add_player("anna", OLD)
    tx.add_player("ben", "ben@example.org")
    with pytest.raises(StoreError, match=r"The address ben@example\.org belongs to another player\."):
        tx.move_mail("anna", "ben@example.org")
    assert address_of(tx) == OLD


# ---- adopted addresses
def test_an_adopted_address_is_written_from_and_not_written_to(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    tx.adopt("anna", PHONE)
    (seat,) = tx.seats("k7m2p")
    assert (seat.address, seat.addresses) == (None, (PHONE,))
    tx.add_player("anna", OLD)
    (seat,) = tx.seats("k7m2p")
    assert (seat.address, seat.addresses) == (OLD, (OLD, PHONE))


def test_an_adopted_address_may_be_adopted_by_others_and_be_somebodys_own(tx: Tx) -> None:
    for player in ("anna", "ben", "ben"):
        tx.adopt(player, PHONE)
    assert tx.player_at(PHONE) is None
    tx.add_player("zoe", PHONE)
    assert tx.player_at(PHONE) == "zoe"


def test_an_address_that_was_only_written_from_becomes_the_players_own(tx: Tx) -> None:
    for game_id, player in (("k7m2p", "anna"), ("other", "ben")):
        a_game(tx, game_id, player)
        tx.adopt(player, PHONE)
    tx.move_mail("anna", PHONE)
    assert [tx.seats(game_id)[0].addresses for game_id in ("k7m2p", "other")] == [(PHONE,), (PHONE,)]


# ---- all games of a player
def test_what_is_owed_to_a_player_comes_from_all_their_seats_the_oldest_first(tx: Tx) -> None:
    a_game(tx, "k7m2p", "ben", "anna")
    a_game(tx, "other", "anna", "ben")
    for about, (game_id, seat, due_at) in enumerate(
        [("other", 0, TWO), ("k7m2p", 1, ONE), ("k7m2p", 0, ONE), ("k7m2p", 1, THREE), ("other", 0, ONE)], 1
    ):
        tx.enqueue(NoticeRow(game_id, 1, seat, "news", due_at, about=str(about)))
    tx.settle([5], None)
    assert [notice.about for notice in tx.pending_for("anna", TWO)] == ["1", "2"]
    assert [notice.about for notice in tx.pending_for("anna", THREE)] == ["1", "2", "4"]
    assert tx.pending_for("zoe", THREE) == []


def test_co_players_are_all_others_of_shared_games_each_by_the_newest_seat_but_the_forgotten(tx: Tx) -> None:
    a_game(tx, "first", "anna", "ben", "cara", named="First")
    a_game(tx, "second", "ben", "anna", named="Second")
    a_game(tx, "third", "ben", "zoe", named="Third")
    tx.add_player("cara", "cara@example.org")
    found = [(row.player_id, row.game_id, row.name, row.address) for row in tx.co_players("anna")]
    assert found == [("ben", "second", "Second", None), ("cara", "first", "First", "cara@example.org")]
    tx.forget("ben")
    assert [row.player_id for row in tx.co_players("anna")] == ["cara"]
