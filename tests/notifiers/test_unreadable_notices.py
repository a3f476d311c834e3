"""A notice that cannot be read stops no other mail, and sends none twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import SecretStr

from felix_async.clock import text_of
from felix_async.deliverability import note_bounce
from felix_async.inbox.patience import answers_since
from felix_async.orders.rekeying import rekey
from felix_async.settings import Bounces
from felix_events.store.rows import Letter, NoticeRow
from felix_notifiers.mails.case import last_letter
from felix_notifiers.outbox.alerts import Alerts
from felix_notifiers.outbox.channel import TryAgain
from notifiers.office import Post, owe, recipients
from table import ANNA, BEN

BENS = "ben@players.test"
BAD = (
    ("greeting", "", "{}"),
    ("timed_out", "", "{"),
    ("substitute", "3", '{"by":"nobody"}'),
    ("turned_down", "2/4", "[1]"),
    ("answer", "1", "null"),
)
"""Kind, key and payload: of no known kind, cut off, of another type, of another form."""
bad = pytest.mark.parametrize("row", BAD, ids=[kind for kind, _, _ in BAD])


def frozen(post: Post, row: tuple[str, str, str], *, busy: bool = True) -> tuple[str, int]:
    """A game whose turn mails wait to be sent; the one to Ben also tells what cannot be read."""
    game_id = post.started(start=ANNA)
    post.send()
    post.claim()
    post.room.clock.now = post.room.clock.now.replace(hour=12)
    owe(post, game_id, BEN, "reminder", about="50%")
    owe(post, game_id, ANNA, "reminder", about="50%")
    if busy:
        post.tray.answers = [TryAgain("450 4.2.1 busy")] * 2
        post.send()
        post.wait(minutes=2)
    else:
        post.claim()
    mine = newest(post)
    kind, about, payload = row
    now = text_of(post.room.clock())
    notice = NoticeRow(game_id, post.room.game(game_id).version, BEN, kind, now, 1, about, payload)
    with post.room.store.write() as tx:
        assert tx.enqueue(notice)
        (kept,) = [one for one in tx.pending("9999", game_id) if one.kind == kind]
        tx.settle([kept.notice_id], mine.letter_id)
    post.tray.taken.clear()
    return game_id, mine.letter_id


def newest(post: Post) -> Letter:
    """The newest letter to Ben."""
    return [letter for letter in post.letters() if letter.recipient == BENS][-1]


@bad
@pytest.mark.parametrize("busy", [True, False])
def test_letters_go_out_once_beside_it(post: Post, row: tuple[str, str, str], busy: bool) -> None:
    frozen(post, row, busy=busy)
    post.send()
    post.wait(hours=1)
    post.send()
    assert sorted(recipients(post.tray.taken)) == ["anna@players.test", BENS]


@bad
def test_a_later_reminder_beside_it_goes_out(post: Post, row: tuple[str, str, str]) -> None:
    game_id, _ = frozen(post, row)
    owe(post, game_id, BEN, "reminder", about="80%")
    post.send()
    assert BENS in recipients(post.tray.taken)


@bad
def test_the_short_notice_beside_it_does_not_undo_the_mark(post: Post, row: tuple[str, str, str]) -> None:
    _, letter_id = frozen(post, row)
    post.outbox = replace(post.outbox, alerts=Alerts({BENS: [SecretStr("json://127.0.0.1")]}))
    post.send()
    assert next(one.state for one in post.letters() if one.letter_id == letter_id) == "sent"
    assert post.outbox.unmarked == []


@bad
def test_the_addresses_of_its_seat_are_revoked(post: Post, row: tuple[str, str, str]) -> None:
    game_id, letter_id = frozen(post, row)
    with post.room.store.write() as tx:
        assert rekey(tx, post.room.service, tx.seats(game_id)[BEN], "New addresses.")
        assert rekey(tx, post.room.service, tx.seats(game_id)[BEN], "New addresses.")
    assert next(one.state for one in post.letters() if one.letter_id == letter_id) == "dropped"


@bad
def test_mail_of_its_seat_can_be_answered(post: Post, row: tuple[str, str, str]) -> None:
    game_id, _ = frozen(post, row)
    with post.room.store.read() as reader:
        answers = answers_since(reader, reader.seats(game_id)[BEN], "")
    assert [one for one in answers if not one.is_erased] == []


def test_a_letter_of_it_alone_is_not_the_one_that_is_repeated(post: Post) -> None:
    game_id, letter_id = frozen(post, BAD[0])
    with post.room.store.write() as tx:
        (bad,) = [one for one in tx.notices_in(letter_id) if one.kind == "greeting"]
        tx.settle([bad.notice_id], tx.freeze(replace(newest(post), message_id="<9@play.test>", letter_id=0)))
        assert last_letter(tx, tx.seats(game_id)[BEN]) == letter_id


@bad
def test_the_news_that_went_to_a_dead_address_is_told_again(post: Post, row: tuple[str, str, str]) -> None:
    game_id, _ = frozen(post, row)
    with post.room.store.write() as tx:
        seat = tx.seats(game_id)[BEN]
        tx.add_player(seat.player_id, "ben@else.test")
        now = text_of(post.room.clock())
        for _ in range(9):
            note_bounce(tx, seat, BENS, "lasting", "no such user", now=now, limits=Bounces())
        assert [one.kind for one in tx.pending(now) if one.about.startswith("again ")] == ["reminder"]
