"""What every store must do for what players choose and say, and for where they want their letters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_events.store.base import Store, StoreError, Tx
from felix_events.store.rows import DEFAULT_QUIET, AddressRow, Choice, GameRow, NoticeRow, Saying, SeatRow

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
def test_who_chose_nothing_has_the_default(tx: Tx) -> None:
    assert tx.choice("anna") == Choice("anna", notify="turns", hears=True)


def test_the_last_choice_counts(store: Store) -> None:
    with store.write() as tx:
        tx.choose(Choice("anna", "daily"))
        tx.choose(Choice("anna", "all", hears=False))
    with store.read() as reader:
        assert reader.choice("anna") == Choice("anna", "all", hears=False)
        assert reader.choice("ben") == Choice("ben")


def test_the_choices_at_a_table_come_by_seat_without_the_defaults(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna", "ben", "cara", "dan")
    a_game(tx, "other", "cara", "anna")
    tx.choose(Choice("cara", "daily"))
    tx.choose(Choice("ben", hears=False))
    tx.choose(Choice("anna", "all"))
    tx.choose(Choice("anna"))
    assert tx.choices_at("k7m2p") == {1: Choice("ben", hears=False), 2: Choice("cara", "daily")}
    assert tx.choices_at("other") == {0: Choice("cara", "daily")}
    assert tx.choices_at("xyz") == {}


def test_where_a_player_is_and_when_they_want_quiet_is_kept(store: Store) -> None:
    anna = Choice("anna", zone="Europe/Berlin", offset="+01:00", quiet="", asked_zone=True)
    ben = Choice("ben", offset="-05:00")
    with store.write() as tx:
        a_game(tx, "k7m2p", "anna", "ben", "cara")
        for choice in (anna, ben):
            tx.choose(choice)
    with store.read() as reader:
        assert reader.choice("anna") == anna
        assert reader.choices_at("k7m2p") == {0: anna, 1: ben}
        assert reader.choice("cara").quiet == DEFAULT_QUIET == "22:00-08:00"


# ---- sayings
def test_sayings_come_by_version_and_game(tx: Tx) -> None:
    later, other = replace(SAYING, version=12), replace(SAYING, game_id="other")
    for saying in (later, SAYING, other):
        tx.keep_saying(saying)
    assert tx.sayings("k7m2p") == [SAYING, later]
    assert tx.sayings("xyz") == []


def test_a_saying_is_kept_once(tx: Tx) -> None:
    tx.keep_saying(SAYING)
    tx.keep_saying(replace(SAYING, text="Nice dog."))
    assert tx.sayings("k7m2p") == [SAYING]


def test_a_saying_does_not_show_its_words_or_its_salt() -> None:
    assert repr(SAYING) == "Saying(game_id='k7m2p', version=7, seat=1)"


# ---- whose mail
def test_a_mail_is_nobodys_until_it_is_somebodys(tx: Tx) -> None:
    first, second = (tx.keep_mail(ONE, "felix", "anna@example.org", b"raw") for _ in range(2))
    tx.attribute_mail(second, "anna")
    tx.settle_mail(second, "done")
    owners = {mail.mail_id: mail.player_id for mail in tx.mails()}
    assert owners == {first: None, second: "anna"}


# ---- where letters go
def test_letters_go_to_the_new_address_and_the_old_one_still_says_who_writes(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    tx.add_player("anna", "old@example.org")
    tx.move_mail("anna", "new@example.org")
    (seat,) = tx.seats("k7m2p")
    assert (seat.address, seat.addresses) == ("new@example.org", ("new@example.org", "old@example.org"))
    assert tx.player_at("old@example.org") == tx.player_at("new@example.org") == "anna"


def test_letters_come_back_to_an_address_that_was_left(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    tx.add_player("anna", "old@example.org")
    tx.move_mail("anna", "new@example.org")
    tx.move_mail("anna", "old@example.org")
    assert tx.addresses("anna") == [
        AddressRow("old@example.org", "anna", chosen=True),
        AddressRow("new@example.org", "anna", stopped="moved"),
    ]


def test_the_chosen_address_comes_before_an_older_one_that_is_alive_again(tx: Tx) -> None:
    """It bounced when the letters moved, and by a mail from it that is forgotten."""
    a_game(tx, "k7m2p", "anna")
    tx.add_player("anna", "old@example.org")
    tx.note_address(AddressRow("old@example.org", "anna", 5.0, ONE, "bounces"))
    tx.move_mail("anna", "new@example.org")
    assert tx.addresses("anna")[1] == AddressRow("old@example.org", "anna", 5.0, ONE, "bounces")
    tx.note_address(AddressRow("old@example.org", "anna"))
    assert address_of(tx) == "new@example.org"


def test_where_the_chosen_address_bounces_another_that_is_not_stopped_is_taken(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    tx.move_mail("anna", "new@example.org")
    tx.add_player("anna", "other@example.org")
    tx.note_address(AddressRow("new@example.org", "anna", 5.0, ONE, "bounces"))
    assert address_of(tx) == "other@example.org"
    tx.note_address(AddressRow("new@example.org", "anna"))
    assert address_of(tx) == "new@example.org"


def test_the_new_address_starts_without_bounces(tx: Tx) -> None:
    tx.add_player("anna", "new@example.org")
    tx.note_address(AddressRow("new@example.org", "anna", 5.0, ONE, "bounces"))
    tx.move_mail("anna", "new@example.org")
    assert tx.addresses("anna") == [AddressRow("new@example.org", "anna", chosen=True)]


def test_letters_do_not_go_to_an_address_of_somebody_else(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    tx.add_player("anna", "anna@example.org")
    tx.add_player("ben", "ben@example.org")
    with pytest.raises(StoreError, match=r"The address ben@example\.org belongs to another player\."):
        tx.move_mail("anna", "ben@example.org")
    assert address_of(tx) == "anna@example.org"


def test_an_address_that_was_only_written_from_becomes_the_players_own(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna")
    a_game(tx, "other", "ben")
    tx.adopt("anna", "phone@example.org")
    tx.adopt("ben", "phone@example.org")
    tx.move_mail("anna", "phone@example.org")
    assert tx.seats("k7m2p")[0].addresses == ("phone@example.org",)
    assert tx.seats("other")[0].addresses == ("phone@example.org",)


# ---- all games of a player
def test_what_is_owed_to_a_player_comes_from_all_their_seats_the_oldest_first(tx: Tx) -> None:
    a_game(tx, "k7m2p", "ben", "anna")
    a_game(tx, "other", "anna", "ben")
    for about, game_id, seat, due_at in [
        ("1", "other", 0, TWO),
        ("2", "k7m2p", 1, ONE),
        ("3", "k7m2p", 0, ONE),
        ("4", "k7m2p", 1, THREE),
        ("5", "other", 0, ONE),
    ]:
        tx.enqueue(NoticeRow(game_id, 1, seat, "news", due_at, about=about))
    tx.settle([5], None)
    assert [notice.about for notice in tx.pending_for("anna", TWO)] == ["1", "2"]
    assert [notice.about for notice in tx.pending_for("anna", THREE)] == ["1", "2", "4"]
    assert tx.pending_for("zoe", THREE) == []


def test_co_players_are_all_others_of_shared_games_each_by_the_newest_seat(tx: Tx) -> None:
    a_game(tx, "first", "anna", "ben", "cara", named="First")
    a_game(tx, "second", "ben", "anna", named="Second")
    a_game(tx, "third", "ben", "zoe", named="Third")
    tx.add_player("cara", "cara@example.org")
    found = tx.co_players("anna")
    assert [(row.player_id, row.game_id, row.name) for row in found] == [
        ("ben", "second", "Second"),
        ("cara", "first", "First"),
    ]
    assert found[1].address == "cara@example.org"


def test_who_was_forgotten_is_no_co_player(tx: Tx) -> None:
    a_game(tx, "k7m2p", "anna", "ben")
    tx.forget("ben")
    assert tx.co_players("anna") == []
