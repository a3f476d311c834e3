"""What every store must do for what players choose and say, and for where they want their letters."""

from __future__ import annotations

import pytest

from felix_events.store.base import Store, StoreError, Tx
from felix_events.store.rows import AddressRow, Choice, GameRow, Saying, SeatRow

ONE, TWO, THREE = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2, 3))
SAYING = Saying("k7m2p", 7, 1, b"salt", "Nice cat.")


def a_game(tx: Tx, game_id: str, *players: str, named: str = "") -> None:
    tx.add_game(GameRow(game_id, "Thursday club", "played", ONE, b"seed"))
    for seat, player in enumerate(players):
        tx.add_seat(SeatRow(game_id, seat, player, named or player.title(), None, b"secret"))


def address_of(tx: Tx) -> str | None:
    """Where letters to Anna go."""
    return tx.seats("k7m2p")[0].address


# ---- choices
def test_the_choices_at_a_table_come_by_seat_without_the_defaults(store: Store) -> None:
    with store.write() as tx:
        a_game(tx, "k7m2p", "anna", "ben", "cara", "dan")
        a_game(tx, "other", "cara", "anna")
        tx.choose(Choice("cara", "daily"))
        tx.choose(Choice("ben", hears=False))
        tx.choose(Choice("anna", "all"))
        tx.choose(Choice("anna"))
        assert tx.choices_at("k7m2p") == {1: Choice("ben", hears=False), 2: Choice("cara", "daily")}
        assert tx.choices_at("other") == {0: Choice("cara", "daily")}
        assert tx.choices_at("xyz") == {}


# ---- sayings
def test_a_saying_does_not_show_its_words_or_its_salt() -> None:
    assert repr(SAYING) == "Saying(game_id='k7m2p', version=7, seat=1)"


# ---- whose mail
def test_a_mail_is_nobodys_until_it_is_somebodys(store: Store) -> None:
    with store.write() as tx:
        first, second = (tx.keep_mail(ONE, "felix", "anna@example.org", b"raw") for _ in range(2))
        tx.attribute_mail(second, "anna")
        tx.settle_mail(second, "done")
    with store.read() as reader:
        owners = {mail.mail_id: mail.player_id for mail in reader.mails()}
    assert owners == {first: None, second: "anna"}


# ---- where letters go
def test_letters_come_back_to_an_address_that_was_left(store: Store) -> None:
    with store.write() as tx:
        a_game(tx, "k7m2p", "anna")
        tx.add_player("anna", "old@example.org")
        tx.move_mail("anna", "new@example.org")
        tx.move_mail("anna", "old@example.org")
        assert tx.addresses("anna") == [
            AddressRow("old@example.org", "anna", chosen=True),
            AddressRow("new@example.org", "anna", stopped="moved"),
        ]


def test_the_new_address_starts_without_bounces(store: Store) -> None:
    with store.write() as tx:
        tx.add_player("anna", "new@example.org")
        tx.note_address(AddressRow("new@example.org", "anna", 5.0, ONE, "bounces"))
        tx.move_mail("anna", "new@example.org")
        assert tx.addresses("anna") == [AddressRow("new@example.org", "anna", chosen=True)]


def test_letters_do_not_go_to_an_address_of_somebody_else(store: Store) -> None:
    with store.write() as tx:
        a_game(tx, "k7m2p", "anna")
        tx.add_player("anna", "anna@example.org")
        tx.add_player("ben", "ben@example.org")
        with pytest.raises(StoreError, match=r"The address ben@example\.org belongs to another player\."):
            tx.move_mail("anna", "ben@example.org")
        assert address_of(tx) == "anna@example.org"


def test_an_address_that_was_only_written_from_becomes_the_players_own(store: Store) -> None:
    with store.write() as tx:
        a_game(tx, "k7m2p", "anna")
        a_game(tx, "other", "ben")
        tx.adopt("anna", "phone@example.org")
        tx.adopt("ben", "phone@example.org")
        tx.move_mail("anna", "phone@example.org")
        assert tx.seats("k7m2p")[0].addresses == ("phone@example.org",)
        assert tx.seats("other")[0].addresses == ("phone@example.org",)


# ---- all games of a player
def test_who_was_forgotten_is_no_co_player(store: Store) -> None:
    with store.write() as tx:
        a_game(tx, "k7m2p", "anna", "ben")
        tx.forget("ben")
        assert tx.co_players("anna") == []
