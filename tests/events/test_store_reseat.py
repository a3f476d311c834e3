"""What every store must do when somebody takes a seat over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from events.filling import ONE, TWO, a_game, letter_at
from felix_events.store.base import Store, Tx
from felix_events.store.rows import Former, Letter, NoticeRow, Question, Saying, SeatRow

DORA = SeatRow("k7m2p", 1, "dora", "Dora", None, b"new")


@pytest.fixture
def tx(store: Store) -> Iterator[Tx]:
    """Anna and Ben at two tables, and Dora who is known from a third."""
    with store.write() as tx:
        both = ("anna", "ben")
        for game_id, players in (("k7m2p", both), ("other", both), ("third", ("dora",))):
            a_game(tx, game_id, *players)
        for player in ("anna", "ben", "dora"):
            tx.add_player(player, f"{player}@example.org")
    with store.write() as tx:
        yield tx


def owed(tx: Tx, kind: str = "turn", *, game_id: str = "k7m2p", seat: int = 1, version: int = 1) -> int:
    """A notice; its id."""
    tx.enqueue(NoticeRow(game_id, version, seat, kind, ONE, payload='{"to":"ben@example.org"}'))
    return next(
        one.notice_id
        for one in tx.notices(game_id)
        if (one.seat, one.kind, one.version) == (seat, kind, version)
    )


def letter(tx: Tx, *notices: int, game_id: str = "k7m2p", seat: int = 1, to: str = "ben@example.org") -> int:
    """A letter that these notices became; its id."""
    message_id = f"<{len(tx.letters())}@felix>"
    raw = b"Message-ID: <1@felix>\n\nBen, your hand is 8.\n"
    letter_id = tx.freeze(Letter(game_id, seat, to, message_id, raw, ONE, ONE))
    tx.settle(notices, letter_id)
    return letter_id


def test_the_seat_is_somebody_elses_with_their_name_address_and_a_new_secret(tx: Tx) -> None:
    before = tx.seats("k7m2p")[0], tx.seats("other")
    tx.reseat(DORA, 7)
    seat = tx.seats("k7m2p")[1]
    assert (seat.player_id, seat.name, seat.secret) == ("dora", "Dora", b"new")
    assert seat.address == "dora@example.org"
    assert (tx.seats("k7m2p")[0], tx.seats("other")) == before
    assert [row.game_id for row in tx.seats_of("ben")] == ["other"]
    assert [row.game_id for row in tx.seats_of("dora")] == ["third", "k7m2p"]


def test_who_sat_there_is_known_as_such_and_all_have_played_with_each_other(tx: Tx) -> None:
    tx.reseat(DORA, 7)
    assert tx.former("k7m2p") == tx.former_of("ben") == [Former("k7m2p", 1, "ben", "Ben", 7)]
    assert tx.former("other") == tx.former_of("dora") == []
    players = ("anna", "ben", "dora")
    known = {player: {row.player_id for row in tx.co_players(player)} for player in players}
    assert known == {"anna": {"ben", "dora"}, "ben": {"anna", "dora"}, "dora": {"anna", "ben"}}


def test_a_seat_may_change_hands_twice(tx: Tx) -> None:
    tx.reseat(DORA, 7)
    tx.reseat(SeatRow("k7m2p", 1, "emil", "Emil", None, b"newer"), 9)
    assert [(row.player_id, row.version) for row in tx.former("k7m2p")] == [("ben", 7), ("dora", 9)]


def test_who_lost_the_only_seat_is_still_known_to_the_others(tx: Tx) -> None:
    a_game(tx, "fourth", "zoe", "yan")
    tx.add_player("yan", "yan@example.org")
    tx.reseat(replace(DORA, game_id="fourth"), 7)
    (dora, yan) = tx.co_players("zoe")
    assert (dora.player_id, yan.player_id, yan.name, yan.address, yan.secret) == (
        "dora", "yan", "Yan", "yan@example.org", b"")  # fmt: skip


def test_what_the_seat_was_asked_is_dropped_and_empty(tx: Tx) -> None:
    mail_id = tx.keep_mail(ONE, "felix", "ben@example.org", b"raw")
    for seat in (0, 1):
        tx.ask(Question("k7m2p", seat, "order", 1, mail_id, "PLAY 8", ONE))
    tx.reseat(DORA, 7)
    (asked,) = tx.questions("k7m2p", 1)
    assert (asked.state, asked.text) == ("dropped", "")
    (other,) = tx.questions("k7m2p", 0)
    assert (other.state, other.text) == ("open", "PLAY 8")


def test_what_the_seat_was_owed_is_settled_and_what_is_owed_later_is_the_new_players(tx: Tx) -> None:
    owed(tx, "turn")
    owed(tx, "turn", seat=0)
    owed(tx, "turn", game_id="other")
    tx.reseat(DORA, 7)
    assert [(one.game_id, one.seat) for one in tx.pending(TWO)] == [("k7m2p", 0), ("other", 1)]
    owed(tx, "turn", version=7)
    assert [(one.kind, one.version) for one in tx.pending_for("dora", TWO)] == [("turn", 7)]
    assert [one.game_id for one in tx.pending_for("ben", TWO)] == ["other"]


@pytest.mark.parametrize("was", ["ready", "failed"])
def test_a_letter_that_has_not_gone_out_is_dropped(tx: Tx, was: str) -> None:
    waiting = letter(tx, owed(tx))
    if was == "failed":
        tx.end_letter(waiting, "failed", "550")
    tx.reseat(DORA, 7)
    assert letter_at(tx, waiting).state == "dropped"


def test_a_letter_that_went_out_and_those_to_others_stay_as_they_are(tx: Tx) -> None:
    sent = letter(tx, owed(tx))
    tx.mark_letter(sent, "sent", next_at=ONE)
    others = letter(tx, owed(tx, seat=0), seat=0, to="anna@example.org")
    elsewhere = letter(tx, owed(tx, game_id="other"), game_id="other")
    tx.reseat(DORA, 7)
    assert [letter_at(tx, one).state for one in (sent, others, elsewhere)] == ["sent", "ready", "ready"]


@pytest.mark.parametrize("filed", ["k7m2p", "other"])
def test_a_digest_is_dropped_and_what_it_told_of_another_table_is_owed_again(tx: Tx, filed: str) -> None:
    digest = letter(tx, owed(tx), owed(tx, game_id="other"), game_id=filed)
    tx.reseat(DORA, 7)
    assert letter_at(tx, digest).state == "dropped"
    assert [(one.game_id, one.kind) for one in tx.pending(TWO)] == [("other", "turn")]


@pytest.mark.parametrize("kind", ["farewell", "unreachable"])
def test_a_farewell_and_a_word_to_the_operator_still_go_out(tx: Tx, kind: str) -> None:
    owed(tx, kind)
    waiting = letter(tx, owed(tx, kind, version=2))
    tx.reseat(DORA, 7)
    assert letter_at(tx, waiting).state == "ready"
    assert [(one.kind, one.version) for one in tx.pending(TWO)] == [(kind, 1)]


def test_with_the_transaction_it_is_undone(tx: Tx) -> None:
    owed(tx)
    with suppress(RuntimeError), tx.savepoint():
        tx.reseat(DORA, 7)
        raise RuntimeError
    assert tx.seats("k7m2p")[1].player_id == "ben"
    assert (tx.former("k7m2p"), len(tx.pending(TWO))) == ([], 1)


# ---- and when one of them is forgotten
def said(tx: Tx) -> None:
    for version, text in ((3, "Ben's words"), (9, "Dora's words")):
        tx.keep_saying(Saying("k7m2p", version, 1, b"salt", text))


@pytest.mark.parametrize(("who", "left"), [("ben", ["", "Dora's words"]), ("dora", ["Ben's words", ""])])
def test_what_somebody_said_goes_with_them_and_what_the_other_said_stays(
    tx: Tx, who: str, left: list[str]
) -> None:
    said(tx)
    tx.reseat(DORA, 7)
    tx.forget(who)
    assert [saying.text for saying in tx.sayings("k7m2p")] == left


def test_a_former_player_who_is_forgotten_has_no_name_and_the_seat_keeps_its_own(tx: Tx) -> None:
    tx.reseat(DORA, 7)
    tx.forget("ben")
    assert [row.name for row in tx.former("k7m2p")] == [""]
    assert (tx.seats("k7m2p")[1].name, tx.seats("k7m2p")[1].secret) == ("Dora", b"new")
    assert "ben" not in [row.player_id for row in tx.co_players("anna")]


def test_letters_to_a_former_player_are_erased_with_them_and_those_that_name_them_cut(tx: Tx) -> None:
    own = letter(tx, owed(tx))
    hers = letter(tx, owed(tx, "newcomer", seat=0), seat=0, to="anna@example.org")
    for one in (own, hers):
        tx.mark_letter(one, "sent", next_at=ONE)
    tx.reseat(DORA, 7)
    doras = letter(tx, owed(tx, "answer", version=8), to="dora@example.org")
    tx.mark_letter(doras, "sent", next_at=ONE)
    tx.forget("ben")
    letters = {one.letter_id: one for one in tx.letters()}
    assert (letters[own].raw, letters[own].recipient) == (b"", "")
    assert b"Ben" not in letters[hers].raw + letters[doras].raw
    assert letters[doras].recipient == "dora@example.org"


def test_what_was_owed_to_a_former_player_is_erased_with_them(tx: Tx) -> None:
    letter(tx, owed(tx))
    tx.reseat(DORA, 7)
    owed(tx, "seat_lost", version=7)
    owed(tx, "turn", version=7)
    tx.forget("ben")
    assert [(one.kind, one.version) for one in tx.pending(TWO)] == [("turn", 7)]
    assert all("ben@" not in one.payload for one in tx.notices("k7m2p") if one.kind != "turn")


def test_who_was_asked_to_take_a_seat_at_a_table_not_theirs_is_forgotten_there(tx: Tx) -> None:
    mail_id = tx.keep_mail(ONE, "felix", "anna@example.org", b"raw")
    tx.ask(Question("k7m2p", 1, "substitute", 1, mail_id, "Dora <dora@example.org>", ONE))
    tx.enqueue(NoticeRow("k7m2p", 1, 1, "substitute", ONE, payload='{"address":"dora@example.org"}'))
    tx.forget("dora")
    (asked,) = tx.questions("k7m2p", 1)
    assert (asked.text, asked.state) == ("", "dropped")
    assert ([one.payload for one in tx.notices("k7m2p")], tx.pending(TWO)) == (["{}"], [])
