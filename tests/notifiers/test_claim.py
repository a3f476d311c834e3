"""From notices to letters: one for each seat, nothing stale, nothing twice, nothing held up by another."""

from __future__ import annotations

import logging
import re
from datetime import timedelta

import pytest

from felix_async.address import check_token, decode_token, token_in
from felix_async.clock import later, text_of
from felix_async.game.commands import Bid, Decline, Play
from felix_async.service import Origin, Player
from felix_events.store.base import Tx
from felix_events.store.rows import GameRow, Notice, Sealed
from felix_notifiers.content.offers import offers_in
from games import NAMES, a_room, joining
from notifiers.office import Post, owe, place_all, recipients
from notifiers.sheets import MAILBOX, an_answer
from table import ANNA, BEN, CARA

ADDRESSES = ["anna@players.test", "ben@players.test", "cara@players.test", "dan@players.test"]


# ---- what becomes a letter --------------------------------------------------------------------------
def test_everybody_gets_an_invitation(post: Post) -> None:
    post.open()
    assert post.claim() == 4
    assert recipients(post.letters()) == ADDRESSES
    assert all("You are invited" in str(mail["Subject"]) for mail in post.mails())


def test_what_was_claimed_is_owed_no_more(post: Post) -> None:
    post.open()
    post.claim()
    assert post.unsettled() == 0
    assert post.claim() == 0
    assert len(post.letters()) == 4


def test_notices_know_their_letter(post: Post) -> None:
    game_id = post.open()
    post.claim()
    with post.room.store.read() as reader:
        assert len(reader.notices(game_id)) == len(reader.letters("ready")) == 4


def test_everybody_gets_a_turn_mail_when_the_game_starts(post: Post) -> None:
    post.started()
    assert post.claim() == 4
    assert all("round 1, place a card" in str(mail["Subject"]) for mail in post.mails()[4:])


def test_only_the_bidder_gets_a_mail_in_the_auction(post: Post) -> None:
    game_id = post.started(start=BEN)
    post.claim()
    place_all(post, game_id)
    assert post.claim() == 1
    assert post.letters()[-1].recipient == "ben@players.test"


def test_the_reply_address_holds_the_seats_token_for_this_turn(post: Post) -> None:
    game_id = post.started()
    post.claim()
    with post.room.store.read() as reader:
        seats = reader.seats(game_id)
    for mail, seat in zip(post.mails()[4:], seats, strict=True):
        text = token_in(str(mail["Reply-To"]), MAILBOX)
        assert text is not None
        token = decode_token(text)
        assert token is not None
        assert check_token(text, seat.secret)
        assert (token.game_id, token.seat, token.turn) == (game_id, seat.seat, 1)


def test_a_letter_is_made_of_this_moment(post: Post) -> None:
    post.open()
    post.claim()
    letter = post.letters()[0]
    assert letter.created_at == letter.next_at == text_of(post.room.clock.now)
    assert letter.state == "ready"
    assert letter.message_id.encode() in letter.raw


def test_a_notice_waits_for_its_time(post: Post) -> None:
    game_id = post.started()
    post.claim()
    soon = later(text_of(post.room.clock()), 60)
    owe(post, game_id, BEN, "reminder", due_at=soon)
    assert post.claim() == 0
    post.wait(minutes=1)
    assert post.claim() == 1
    assert "Reminder: round 1, place a card" in str(post.mails()[-1]["Subject"])


def test_everybody_gets_the_result(post: Post) -> None:
    game_id = post.started(3)
    post.room.play(game_id)
    assert post.claim() == 3
    assert all("The game is over" in str(mail["Subject"]) for mail in post.mails()[3:])


def test_all_but_the_decliner_get_the_cancellation(post: Post) -> None:
    game_id = post.open()
    post.claim()
    post.move(game_id, joining(ANNA), Decline(seat=BEN))
    assert post.claim() == 3
    assert recipients(post.letters()[4:]) == ["anna@players.test", "cara@players.test", "dan@players.test"]


def test_a_seat_without_an_address_gets_no_letter_and_is_owed_nothing(post: Post) -> None:
    people = [Player(f"p-{seat}", NAMES[seat], None if seat == BEN else ADDRESSES[seat]) for seat in range(4)]
    post.do(
        lambda tx: post.room.service.open_table(
            tx, people, origin=Origin("c", "host", "desk"), table_name="T", ruleset="felicity-2017"
        )
    )
    assert post.claim() == 3
    assert "ben@players.test" not in recipients(post.letters())
    assert post.unsettled() == 0


def test_a_simulated_game_writes_to_nobody(post: Post) -> None:
    game_id = post.open(kind="simulated")
    post.room.join_all(game_id)
    assert post.claim() == 0


# ---- what is dropped --------------------------------------------------------------------------------
def test_a_turn_mail_about_a_card_that_was_placed_is_dropped(post: Post) -> None:
    game_id = post.started()
    post.move(game_id, Play(seat=BEN, card=post.room.game(game_id).seats[BEN].hand[0]))
    assert post.claim() == 3
    assert "ben@players.test" not in recipients(post.letters()[4:])
    assert post.unsettled() == 0


def test_a_turn_mail_about_an_earlier_turn_is_dropped(post: Post) -> None:
    game_id = post.started(start=ANNA)
    place_all(post, game_id)
    post.move(game_id, Bid(seat=ANNA, amount=1))
    assert post.claim() == 1
    assert post.letters()[-1].recipient == "ben@players.test"
    assert "bid or pass" in str(post.mails()[-1]["Subject"])


def test_only_the_newest_of_several_turns_is_told(post: Post) -> None:
    game_id = post.started(start=ANNA)
    place_all(post, game_id)
    assert post.claim() == 1
    assert "place a card" not in str(post.mails()[-1]["Subject"])


def test_a_reminder_about_a_move_that_was_made_is_dropped(post: Post) -> None:
    game_id = post.started()
    post.claim()
    owe(post, game_id, BEN, "reminder")
    post.move(game_id, Play(seat=BEN, card=post.room.game(game_id).seats[BEN].hand[0]))
    assert post.claim() == 0
    assert post.unsettled() == 0


def test_a_reminder_for_another_turn_is_dropped(post: Post) -> None:
    game_id = post.started()
    post.claim()
    owe(post, game_id, BEN, "reminder", turn=7)
    assert post.claim() == 0


def test_an_invitation_that_was_answered_is_dropped(post: Post) -> None:
    game_id = post.open()
    post.move(game_id, joining(BEN))
    assert post.claim() == 3
    assert "ben@players.test" not in recipients(post.letters())


def test_an_invitation_to_a_game_that_started_is_dropped(post: Post) -> None:
    game_id = post.open()
    post.room.join_all(game_id)
    assert post.claim() == 4
    assert not [mail for mail in post.mails() if "invited" in str(mail["Subject"])]


def test_an_invitation_to_a_game_that_was_declined_is_dropped(post: Post) -> None:
    game_id = post.open()
    post.move(game_id, Decline(seat=BEN))
    assert post.claim() == 3
    assert all("will not happen" in str(mail["Subject"]) for mail in post.mails())


def test_the_reminder_of_an_invitation_is_sent_while_it_is_open(post: Post) -> None:
    game_id = post.open()
    post.claim()
    owe(post, game_id, BEN, "reminder")
    post.move(game_id, joining(CARA))
    assert post.claim() == 1
    assert "Reminder: your invitation" in str(post.mails()[-1]["Subject"])


# ---- folding ----------------------------------------------------------------------------------------
def test_an_answer_and_a_turn_become_one_mail(post: Post) -> None:
    game_id = post.started(start=BEN)
    post.claim()
    place_all(post, game_id)
    answer = an_answer(("PLAY 3", "done", "Your card lies face down."), in_reply_to="m1@players.test")
    owe(post, game_id, BEN, "answer", about="1", payload=answer.to_json())
    assert post.claim() == 1
    mail = post.mails()[-1]
    assert "bid or pass" in str(mail["Subject"])
    assert mail["Auto-Submitted"] == "auto-replied"
    assert mail["In-Reply-To"] == "<m1@players.test>"
    assert "PASS" in offers_in(mail)


def test_answers_to_two_mails_become_one_mail(post: Post) -> None:
    game_id = post.started()
    post.claim()
    for number in (1, 2):
        answer = an_answer((f"LINE {number}", "not understood", "."), in_reply_to=f"m{number}@players.test")
        owe(post, game_id, BEN, "answer", about=str(number), payload=answer.to_json())
    assert post.claim() == 1
    body = post.mails()[-1].get_body(("plain",))
    assert body is not None
    assert '"LINE 1": ' in body.get_content()
    assert '"LINE 2": ' in body.get_content()
    assert post.mails()[-1]["In-Reply-To"] == "<m2@players.test>"


def test_a_stale_turn_does_not_spoil_the_answer_beside_it(post: Post) -> None:
    game_id = post.started()
    post.move(game_id, Play(seat=BEN, card=post.room.game(game_id).seats[BEN].hand[0]))
    payload = an_answer(("PLAY 3", "done", ".")).to_json()
    owe(post, game_id, BEN, "answer", about="1", payload=payload)
    assert post.claim() == 4
    mail = next(mail for mail in post.mails()[4:] if "ben@" in str(mail["To"]))
    assert "Answer to your mail" in str(mail["Subject"])
    assert offers_in(mail) == []


# ---- names of mails ---------------------------------------------------------------------------------
def test_a_seat_has_one_thread_and_another_seat_another(post: Post) -> None:
    post.started()
    post.claim()
    roots = [str(mail["Message-ID"]) for mail in post.mails()[:4]]
    assert [str(mail["References"]) for mail in post.mails()[4:]] == roots
    assert len(set(roots)) == 4


def test_message_ids_are_all_different_and_tell_nothing(post: Post) -> None:
    game_id = post.started()
    post.claim()
    ids = [letter.message_id for letter in post.letters()]
    assert len(set(ids)) == 8
    assert all(re.fullmatch(r"<[a-z2-7]{32}@play\.test>", name) for name in ids)
    assert not [name for name in ids if game_id in name]


def test_message_ids_depend_on_the_servers_secret(post: Post) -> None:
    other = Post(a_room("post"), post.sender)
    other.room.clock.step = timedelta(0)
    other.sender = type(post.sender)(other.room.clock, MAILBOX, bytes(32))
    for each in (post, other):
        each.open()
        each.claim()
    assert post.letters()[0].recipient == other.letters()[0].recipient
    assert post.letters()[0].message_id != other.letters()[0].message_id


def test_the_secret_is_not_printed(post: Post) -> None:
    assert "secret" not in repr(post.sender)


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
    nothing = Notice("zzzzz", 1, 0, "turn", text_of(post.room.clock()))
    post.do(lambda tx: tx.owe(nothing))
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
        tx.owe(Notice("zzzzz", 1, 0, "turn", text_of(post.room.clock())))

    post.do(spoil)
    post.open()
    with caplog.at_level(logging.ERROR):
        assert post.claim() == 4
    assert "game zzzzz" in caplog.text
