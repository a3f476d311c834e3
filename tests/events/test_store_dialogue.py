"""What every store must do for the dialogue by mail: addresses, questions, mails and letters tried again."""

from __future__ import annotations

from dataclasses import replace

from felix_events.store.base import Store, Tx
from felix_events.store.rows import AddressRow, GameRow, Letter, Question, SeatRow

ONE, TWO = (f"2026-11-2{day}T00:00:00.000000Z" for day in (1, 2))
QUESTION = Question("k7m2p", 0, "sender", 3, 1, "phone@example.org", ONE)
LETTER = Letter("k7m2p", 0, "anna@example.org", "<1@felix>", b"raw", ONE, ONE, sender="felix+b@felix")


def a_seat(tx: Tx, game_id: str = "k7m2p") -> None:
    tx.add_game(GameRow(game_id, "Thursday club", "played", ONE, b"seed"))
    tx.add_seat(SeatRow(game_id, 0, "anna", "Anna", None, b"secret"))


# ---- addresses
def test_letters_go_to_the_oldest_address(store: Store) -> None:
    with store.write() as tx:
        a_seat(tx)
        tx.add_player("anna", "z@example.org")
        tx.add_player("anna", "a@example.org")
    with store.read() as reader:
        (seat,) = reader.seats("k7m2p")
    assert (seat.address, seat.addresses) == ("z@example.org", ("z@example.org", "a@example.org"))


def test_letters_go_to_the_next_address_where_one_is_stopped(tx: Tx) -> None:
    a_seat(tx)
    tx.add_player("anna", "z@example.org")
    tx.add_player("anna", "a@example.org")
    tx.note_address(AddressRow("z@example.org", "anna", 5.0, ONE, "bounces"))
    assert tx.seats("k7m2p")[0].address == "a@example.org"
    tx.note_address(AddressRow("a@example.org", "anna", 0.0, "", "asked"))
    assert tx.seats("k7m2p")[0].address is None


def test_a_stopped_address_is_still_its_players(store: Store) -> None:
    with store.write() as tx:
        a_seat(tx)
        tx.add_player("anna", "z@example.org")
        tx.note_address(AddressRow("z@example.org", "anna", 5.5, ONE, "bounces"))
    with store.read() as reader:
        assert reader.seats("k7m2p")[0].addresses == ("z@example.org",)
        assert reader.addresses("anna") == [AddressRow("z@example.org", "anna", 5.5, ONE, "bounces")]


def test_addresses_are_listed_by_player_or_all_the_oldest_first(tx: Tx) -> None:
    tx.add_player("ben", "z@example.org")
    tx.add_player("anna", "a@example.org")
    tx.add_player("ben", "b@example.org")
    assert [row.address for row in tx.addresses("ben")] == ["z@example.org", "b@example.org"]
    assert [row.player_id for row in tx.addresses()] == ["ben", "anna", "ben"]


def test_the_seats_of_a_player_come_newest_first(tx: Tx) -> None:
    a_seat(tx)
    a_seat(tx, "other")
    assert [seat.game_id for seat in tx.seats_of("anna")] == ["other", "k7m2p"]
    assert tx.seats_of("ben") == []


def test_a_rotated_secret_is_the_seats_from_then_on(store: Store) -> None:
    with store.write() as tx:
        a_seat(tx)
        tx.rotate_secret("k7m2p", 0, b"new")
    with store.read() as reader:
        assert reader.seats("k7m2p")[0].secret == b"new"


# ---- questions
def test_questions_are_numbered_by_seat(store: Store) -> None:
    with store.write() as tx:
        mail_id = tx.keep_mail(ONE, "felix", "anna", b"raw")
        question = replace(QUESTION, mail_id=mail_id)
        assert [tx.ask(question), tx.ask(question), tx.ask(replace(question, seat=1))] == [1, 2, 1]
    with store.read() as reader:
        assert reader.questions("k7m2p", 0) == [replace(question, number=number) for number in (1, 2)]
        assert reader.questions("k7m2p", 2) == []


def test_an_answered_question_stays_with_its_answer(tx: Tx) -> None:
    tx.keep_mail(ONE, "felix", "anna", b"raw")
    tx.ask(QUESTION)
    tx.settle_question(replace(QUESTION, number=1), "yes")
    assert [row.state for row in tx.questions("k7m2p", 0)] == ["yes"]


# ---- mails and letters tried again
def test_a_mail_is_found_by_its_id(tx: Tx) -> None:
    mail_id = tx.keep_mail(ONE, "felix", "anna", b"raw")
    found = tx.mail(mail_id)
    assert found is not None
    assert (found.raw, tx.mail(mail_id + 1)) == (b"raw", None)


def test_a_requeued_mail_is_as_new(tx: Tx) -> None:
    mail_id = tx.keep_mail(ONE, "felix", "anna", b"raw")
    tx.try_mail(mail_id, "failed")
    tx.settle_mail(mail_id, "quarantined", key="key", note="put aside")
    tx.requeue_mail(mail_id, "once more")
    mail = tx.next_mail()
    assert mail is not None
    assert (mail.mail_id, mail.state, mail.tries, mail.key, mail.note) == (
        mail_id,
        "new",
        0,
        None,
        "once more",
    )


def test_a_letter_is_found_by_id_and_by_message_id_with_its_envelope_sender(tx: Tx) -> None:
    letter_id = tx.freeze(LETTER)
    frozen = replace(LETTER, letter_id=letter_id)
    assert (tx.letter(letter_id), tx.letter_with("<1@felix>")) == (frozen, frozen)
    assert (tx.letter(letter_id + 1), tx.letter_with("<2@felix>")) == (None, None)
    assert (tx.has_letter("<1@felix>"), tx.has_letter("<2@felix>")) == (True, False)


def test_a_requeued_letter_is_ready_at_the_time_that_was_named(tx: Tx) -> None:
    letter_id = tx.freeze(LETTER)
    tx.mark_letter(letter_id, "failed", next_at=ONE, note="no")
    tx.requeue_letter(letter_id, TWO, "once more")
    assert tx.letters_due(ONE, 9) == []
    (ready,) = tx.letters_due(TWO, 9)
    assert (ready.state, ready.tries, ready.note) == ("ready", 0, "once more")
