"""From notices to letters: one for each seat, nothing stale, nothing twice, nothing held up by another."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from email.utils import parseaddr

import pytest

from felix_async.address import check_token, decode_token, token_in
from felix_async.clock import text_of
from felix_async.service import Origin, Player
from felix_events.store.base import Tx
from felix_events.store.rows import GameRow, NoticeRow, Sealed
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from games import NAMES, a_room
from notifiers.office import Post, owe
from notifiers.sheets import MAILBOX
from table import BEN

ADDRESSES = ["anna@players.test", "ben@players.test", "cara@players.test", "dan@players.test"]


# ---- what becomes a letter --------------------------------------------------------------------------
def test_what_was_claimed_is_owed_no_more(post: Post) -> None:
    post.open()
    post.claim()
    assert post.unsettled() == 0
    assert post.claim() == 0
    assert len(post.letters()) == 4


def test_the_reply_address_holds_the_seats_token_for_this_turn(post: Post) -> None:
    game_id = post.started()
    post.claim()
    with post.room.store.read() as reader:
        seats = reader.seats(game_id)
    for mail, seat in zip(post.mails()[4:], seats, strict=True):
        text = token_in(parseaddr(str(mail["Reply-To"]))[1], MAILBOX)
        assert text is not None
        token = decode_token(text)
        assert token is not None
        assert check_token(text, seat.secret)
        assert (token.game_id, token.seat, token.turn) == (game_id, seat.seat, 1)


# ---- names of mails ---------------------------------------------------------------------------------
def test_message_ids_depend_on_the_servers_secret(post: Post) -> None:
    other = Post(a_room("post"), post.outbox)
    other.room.clock.step = timedelta(0)
    other.outbox = Outbox(other.room.clock, Letters(MAILBOX, bytes(32)))
    for each in (post, other):
        each.open()
        each.claim()
    assert post.letters()[0].recipient == other.letters()[0].recipient
    assert post.letters()[0].message_id != other.letters()[0].message_id


def test_the_secret_is_not_printed(post: Post) -> None:
    assert "secret" not in repr(post.outbox)


# ---- trouble ----------------------------------------------------------------------------------------
def test_a_broken_payload_stays_owed_and_holds_up_nobody(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    game_id = post.started()
    owe(post, game_id, BEN, "answer", about="1", payload="{}")
    with caplog.at_level(logging.ERROR):
        assert post.claim() == 3
    assert "seat 1 of game" in caplog.text
    assert post.unsettled() == 2, "the turn and the answer of this seat"


def test_an_address_that_is_none_holds_up_nobody(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    people = [
        Player(f"p-{seat}", NAMES[seat], "no address" if seat == BEN else ADDRESSES[seat])
        for seat in range(4)
    ]
    post.do(
        lambda tx: post.room.service.open_table(
            tx, people, origin=Origin("c", "host", "desk"), table_name="T", ruleset="felicity-2017"
        )
    )
    with caplog.at_level(logging.ERROR):
        assert post.claim() == 3
    assert "cannot be written to" in caplog.text


def test_a_notice_about_no_game_holds_up_no_other_game(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    nothing = NoticeRow("zzzzz", 1, 0, "turn", text_of(post.room.clock()))
    post.do(lambda tx: tx.enqueue(nothing))
    post.open()
    with caplog.at_level(logging.ERROR):
        assert post.claim() == 4
    assert "game zzzzz" in caplog.text


def test_a_log_that_cannot_be_read_holds_up_no_other_game(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    def spoil(tx: Tx) -> None:
        tx.add_game(GameRow("zzzzz", "T", "played", text_of(post.room.clock()), bytes(32)))
        tx.append("zzzzz", 0, [Sealed(b"{}")])
        tx.enqueue(NoticeRow("zzzzz", 1, 0, "turn", text_of(post.room.clock())))

    post.do(spoil)
    post.open()
    with caplog.at_level(logging.ERROR):
        assert post.claim() == 4
    assert "game zzzzz" in caplog.text


def test_message_ids_are_all_different_and_tell_nothing(post: Post) -> None:
    game_id = post.started()
    post.claim()
    ids = [letter.message_id for letter in post.letters()]
    assert len(set(ids)) == 8
    assert all(re.fullmatch(r"<[a-z2-7]{32}@play\.test>", name) for name in ids)
    assert not [name for name in ids if game_id in name]
