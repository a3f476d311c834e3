"""Questions to a seat, and words to the host: letters of their own, with nothing of the game in them."""

from __future__ import annotations

import logging
from dataclasses import replace
from email.utils import parseaddr

import orjson
import pytest

from felix_async.address import Token, check_token, decode_token, token_in
from felix_events.store.rows import AddressRow, Question, SeatRow
from felix_notifiers.content.offers import offers_in
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.channel import Refused
from felix_notifiers.outbox.marks import mark
from notifiers.office import Post, owe
from notifiers.sheets import MAILBOX, an_answer, part
from table import BEN

SECRET = bytes(range(32))
HOST = "host@desk.test"


def ask(post: Post, game_id: str, number: int = 3, address: str = "phone@x.test") -> None:
    """Owe Ben the question whether that was him."""
    payload = orjson.dumps({"address": address, "number": number}).decode()
    owe(post, game_id, BEN, "question", about=str(number), payload=payload)


def in_doubt(post: Post, game_id: str, words: str) -> int:
    """Keep the question whether Ben meant this; its number."""
    turn = post.room.game(game_id).seats[BEN].turn
    with post.room.store.write() as tx:
        mail_id = tx.keep_mail("2026-01-01T00:00:00.000000Z", "", "", b"")
        return tx.ask(Question(game_id, BEN, "order", turn, mail_id, words, "2026-01-01T00:00:00.000000Z"))


def seat(post: Post, game_id: str) -> SeatRow:
    """Ben's seat."""
    with post.room.store.read() as reader:
        return reader.seats(game_id)[BEN]


def reply_token(post: Post, game_id: str) -> Token:
    """Where an answer to the newest letter goes."""
    text = token_in(parseaddr(str(post.mails()[-1]["Reply-To"]))[1], MAILBOX)
    assert text is not None
    assert check_token(text, seat(post, game_id).secret)
    token = decode_token(text)
    assert token is not None
    return token


@pytest.fixture
def quiet(post: Post) -> str:
    """A game whose letters are all gone."""
    game_id = post.started()
    post.send()
    return game_id


# ---- was that you -----------------------------------------------------------------------------------
def test_a_question_to_a_seat_without_an_address_is_dropped(post: Post, quiet: str) -> None:
    with post.room.store.write() as tx:
        tx.note_address(AddressRow("ben@players.test", seat(post, quiet).player_id, stopped="bounces"))
    ask(post, quiet)
    assert post.claim() == 0
    assert post.unsettled() == 0


# ---- did you mean that ------------------------------------------------------------------------------
def test_an_answer_whose_question_is_settled_asks_it_no_more(post: Post, quiet: str) -> None:
    """Its address would take orders for the turn that the question was about, and for no other."""
    number = in_doubt(post, quiet, "STATUS")
    with post.room.store.write() as tx:
        tx.settle_question(tx.questions(quiet, BEN)[0], "no")
    asking = an_answer(("I pass", "asked", ".")).model_copy(update={"asks": number, "asks_text": "Pass?"})
    owe(post, quiet, BEN, "answer", about="1", payload=asking.model_dump_json())
    post.claim()
    assert reply_token(post, quiet).purpose == "move"
    assert "YES" not in offers_in(post.mails()[-1])


# ---- words to the host ------------------------------------------------------------------------------
def lose(post: Post, times: int = 3) -> None:
    """Mail to Ben is refused so many times."""
    for _ in range(times):
        post.tray.answers = [Refused("550 5.1.1 no such user", "lasting")]
        with post.room.store.write() as tx:
            (letter, *_) = [one for one in tx.letters() if one.recipient == "ben@players.test"]
            mark(tx, post.outbox, letter, post.tray.send(letter))


def with_host(post: Post) -> Post:
    """The same post, with somebody to tell."""
    post.outbox = replace(post.outbox, writer=Letters(MAILBOX, SECRET, HOST))
    return post


def test_the_host_is_told_where_mail_goes_instead(post: Post, quiet: str) -> None:
    with post.room.store.write() as tx:
        tx.add_player(seat(post, quiet).player_id, "ben@home.test")
    lose(with_host(post))
    post.claim()
    (mail,) = [mail for mail in post.mails() if HOST in str(mail["To"])]
    text = " ".join(part(mail, "plain").split())
    assert "From now on I write to Ben at ben@home.test instead." in text
    assert "felix move" not in text


def test_the_last_news_goes_to_the_other_address_as_well(post: Post, quiet: str) -> None:
    """Mail that came back was not read: without this, the game would wait for the reminder."""
    with post.room.store.write() as tx:
        tx.add_player(seat(post, quiet).player_id, "ben@home.test")
    lose(post)
    post.claim()
    letter, mail = post.letters()[-1], post.mails()[-1]
    assert letter.recipient == "ben@home.test"
    assert str(mail["Subject"]) == "Round 1 · Thursday club"


def test_a_host_whose_address_is_none_is_told_by_the_log(
    post: Post, quiet: str, caplog: pytest.LogCaptureFixture
) -> None:
    post.outbox = replace(post.outbox, writer=Letters(MAILBOX, SECRET, "the cellar"))
    lose(post)
    with caplog.at_level(logging.WARNING):
        assert post.claim() == 0
    assert "no longer gets mail" in caplog.text
    assert post.unsettled() == 0


def test_without_a_host_a_line_in_the_log_says_it(
    post: Post, quiet: str, caplog: pytest.LogCaptureFixture
) -> None:
    lose(post)
    with caplog.at_level(logging.WARNING):
        assert post.claim() == 0
    assert f"seat 1 of game {quiet} no longer gets mail" in caplog.text
    assert post.unsettled() == 0


def test_a_host_whose_own_address_is_refused_is_no_players_bounce(post: Post, quiet: str) -> None:
    lose(with_host(post))
    post.claim()
    letter = post.letters()[-1]
    post.do(lambda tx: mark(tx, post.outbox, letter, Refused("550 no such host", "lasting")))
    assert post.claim() == 0
    assert post.letters()[-1].state == "failed"


# ---- refusals count ---------------------------------------------------------------------------------
def score(post: Post) -> float:
    """What is counted against Ben's address."""
    with post.room.store.read() as reader:
        return next(row.score for row in reader.addresses() if row.address == "ben@players.test")


@pytest.mark.parametrize(
    ("result", "counted"),
    [
        (Refused("550 no such user", "lasting"), 2),
        (Refused("552 full", "passing"), 1),
        (Refused("554 looks like spam"), 0),
    ],
)
def test_a_refusal_counts_by_what_it_says_of_the_address(
    post: Post, quiet: str, result: Refused, counted: float
) -> None:
    (letter, *_) = [one for one in post.letters() if one.recipient == "ben@players.test"]
    post.do(lambda tx: mark(tx, post.outbox, letter, result))
    assert score(post) == counted


def test_the_question_goes_to_the_registered_address(post: Post, quiet: str) -> None:
    ask(post, quiet)
    assert post.claim() == 1
    letter, mail = post.letters()[-1], post.mails()[-1]
    assert letter.recipient == "ben@players.test"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert "phone@x.test" in part(mail, "plain")


def test_the_host_is_told_whose_mail_comes_back_and_why(post: Post, quiet: str) -> None:
    lose(with_host(post))
    assert post.claim() == 1
    letter, mail = post.letters()[-1], post.mails()[-1]
    assert (letter.recipient, letter.sender) == (HOST, "")
    text = " ".join(part(mail, "plain").split())
    assert mail["Subject"] == "A player no longer gets mail"
    assert f"Mail to Ben (seat 1 of Thursday club {quiet}) keeps coming back from ben@players.test, " in text
    assert "The last report said: 550 5.1.1 no such user" in text
    assert "`felix mail letters list`" in text
    assert f'`felix move {quiet} 1 "PLAY 3"`' in text
