"""What every store must do for the dialogue by mail: addresses, questions, mails and letters tried again."""

from __future__ import annotations

from dataclasses import replace

from felix_events.store.base import Store, Tx
from felix_events.store.rows import AddressRow, GameRow, Letter, SeatRow

ONE, TWO = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2))
LETTER = Letter("k7m2p", 0, "anna@example.org", "<1@felix>", b"raw", ONE, ONE, sender="felix+b@felix")


def a_seat(tx: Tx, game_id: str = "k7m2p") -> None:
    tx.add_game(GameRow(game_id, "Thursday club", "played", ONE, b"seed"))
    tx.add_seat(SeatRow(game_id, 0, "anna", "Anna", None, b"secret"))


# ---- addresses
def test_a_stopped_address_is_still_its_players(store: Store) -> None:
    with store.write() as tx:
        a_seat(tx)
        tx.add_player("anna", "z@example.org")
        tx.note_address(AddressRow("z@example.org", "anna", 5.5, ONE, "bounces"))
    with store.read() as reader:
        assert reader.seats("k7m2p")[0].addresses == ("z@example.org",)
        assert reader.addresses("anna") == [AddressRow("z@example.org", "anna", 5.5, ONE, "bounces")]


def test_addresses_are_listed_by_player_or_all_the_oldest_first(store: Store) -> None:
    with store.write() as tx:
        tx.add_player("ben", "z@example.org")
        tx.add_player("anna", "a@example.org")
        tx.add_player("ben", "b@example.org")
        assert [row.address for row in tx.addresses("ben")] == ["z@example.org", "b@example.org"]
        assert [row.player_id for row in tx.addresses()] == ["ben", "anna", "ben"]


def test_a_rotated_secret_is_the_seats_from_then_on(store: Store) -> None:
    with store.write() as tx:
        a_seat(tx)
        tx.rotate_secret("k7m2p", 0, b"new")
    with store.read() as reader:
        assert reader.seats("k7m2p")[0].secret == b"new"


# ---- mails and letters tried again
def test_a_letter_is_found_by_id_and_by_message_id_with_its_envelope_sender(store: Store) -> None:
    with store.write() as tx:
        letter_id = tx.freeze(LETTER)
    with store.read() as reader:
        frozen = replace(LETTER, letter_id=letter_id)
        assert (reader.letter(letter_id), reader.letter_with("<1@felix>")) == (frozen, frozen)
        assert (reader.letter(letter_id + 1), reader.letter_with("<2@felix>")) == (None, None)
        assert (reader.has_letter("<1@felix>"), reader.has_letter("<2@felix>")) == (True, False)


def test_a_requeued_letter_is_ready_at_the_time_that_was_named(store: Store) -> None:
    with store.write() as tx:
        letter_id = tx.freeze(LETTER)
        tx.mark_letter(letter_id, "failed", next_at=ONE, note="no")
        tx.requeue_letter(letter_id, TWO, "once more")
        assert tx.letters_due(ONE, 9) == []
        (ready,) = tx.letters_due(TWO, 9)
        assert (ready.state, ready.tries, ready.note) == ("ready", 0, "once more")
