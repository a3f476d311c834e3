"""Questions to a seat, and words to the host: letters of their own, with nothing of the game in them."""

from __future__ import annotations

import logging
from dataclasses import replace

import orjson
import pytest

from felix_async.address import Token, check_token, decode_token, token_in
from felix_events.store.rows import AddressRow, Question, SeatRow
from felix_notifiers.content.offers import offers_in
from felix_notifiers.outbox.channel import Refused
from notifiers.office import Post, owe
from notifiers.sheets import MAILBOX, Html, an_answer, part
from table import BEN

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
    text = token_in(str(post.mails()[-1]["Reply-To"]), MAILBOX)
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
def test_the_question_goes_to_the_registered_address(post: Post, quiet: str) -> None:
    ask(post, quiet)
    assert post.claim() == 1
    letter, mail = post.letters()[-1], post.mails()[-1]
    assert letter.recipient == "ben@players.test"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert "phone@x.test" in part(mail, "plain")


def test_the_answer_to_a_question_goes_to_the_address_of_that_question(post: Post, quiet: str) -> None:
    ask(post, quiet, number=3)
    post.claim()
    assert reply_token(post, quiet) == Token(quiet, BEN, "question", 3)
    (link,) = Html(part(post.mails()[-1], "html")).links
    assert link.address.replace("%2B", "+") == str(post.mails()[-1]["Reply-To"])
    assert link.body == "YES"


def test_a_question_is_folded_with_nothing(post: Post, quiet: str) -> None:
    ask(post, quiet, 1)
    ask(post, quiet, 2)
    owe(post, quiet, BEN, "reminder")
    owe(post, quiet, BEN, "answer", about="1", payload=an_answer(("HAND", "done", ".")).to_json())
    assert post.claim() == 3
    asking = [mail for mail in post.mails()[-3:] if "another address" in str(mail["Subject"])]
    assert [offers_in(mail) for mail in asking] == [["YES"], ["YES"]]


def test_a_question_comes_back_to_the_address_for_bounces(post: Post, quiet: str) -> None:
    ask(post, quiet)
    post.claim()
    token = decode_token(token_in(post.letters()[-1].sender, MAILBOX) or "")
    assert token == Token(quiet, BEN, "bounce", 0)


def test_a_question_to_a_seat_without_an_address_is_dropped(post: Post, quiet: str) -> None:
    with post.room.store.write() as tx:
        tx.note_address(AddressRow("ben@players.test", seat(post, quiet).player_id, stopped="bounces"))
    ask(post, quiet)
    assert post.claim() == 0
    assert post.unsettled() == 0


# ---- did you mean that ------------------------------------------------------------------------------
def test_an_answer_that_asks_back_is_answered_at_the_address_of_the_question(post: Post, quiet: str) -> None:
    answer = an_answer(("PSAS", "ambiguous", "Did you mean PASS?"))
    number = in_doubt(post, quiet, "STATUS")
    asking = answer.model_copy(update={"asks": number, "asks_text": "Did you mean PASS?"})
    owe(post, quiet, BEN, "answer", about="1", payload=asking.to_json())
    post.claim()
    assert reply_token(post, quiet) == Token(quiet, BEN, "question", number)
    assert offers_in(post.mails()[-1])[:2] == ["YES", "NO"]
    links = Html(part(post.mails()[-1], "html")).links
    assert {link.address.replace("%2B", "+") for link in links} == {str(post.mails()[-1]["Reply-To"])}


def test_of_two_answers_that_ask_the_newer_question_is_asked(post: Post, quiet: str) -> None:
    for number in (in_doubt(post, quiet, "STATUS"), in_doubt(post, quiet, "HELP")):
        asking = an_answer((f"LINE {number}", "ambiguous", ".")).model_copy(
            update={"asks": number, "asks_text": f"Did you mean {number}?"}
        )
        owe(post, quiet, BEN, "answer", about=str(number), payload=asking.to_json())
    plain = an_answer(("HAND", "done", "."))
    owe(post, quiet, BEN, "answer", about="6", payload=plain.to_json())
    post.claim()
    assert reply_token(post, quiet).turn == number == 2
    assert "Did you mean 2?" in part(post.mails()[-1], "plain")


def test_an_answer_whose_question_is_settled_asks_it_no_more(post: Post, quiet: str) -> None:
    """Its address would take orders for the turn that the question was about, and for no other."""
    number = in_doubt(post, quiet, "STATUS")
    with post.room.store.write() as tx:
        tx.settle_question(tx.questions(quiet, BEN)[0], "no")
    asking = an_answer(("I pass", "asked", ".")).model_copy(update={"asks": number, "asks_text": "Pass?"})
    owe(post, quiet, BEN, "answer", about="1", payload=asking.to_json())
    post.claim()
    assert reply_token(post, quiet).purpose == "move"
    assert "YES" not in offers_in(post.mails()[-1])


def test_the_confirmation_of_a_stop_goes_to_the_address_that_was_stopped(post: Post, quiet: str) -> None:
    with post.room.store.write() as tx:
        tx.note_address(AddressRow("ben@players.test", seat(post, quiet).player_id, stopped="asked"))
    owe(post, quiet, BEN, "answer", about="1", payload=an_answer(("STOP", "done", ".")).to_json())
    assert post.claim() == 1
    assert post.letters()[-1].recipient == "ben@players.test"


def test_an_answer_that_asks_nothing_is_answered_as_ever(post: Post, quiet: str) -> None:
    owe(post, quiet, BEN, "answer", about="1", payload=an_answer(("HAND", "done", ".")).to_json())
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
            post.sender.mark(tx, replace(letter), post.tray.send(letter))


def with_host(post: Post) -> Post:
    """The same post, with somebody to tell."""
    post.sender = replace(post.sender, operator=HOST)
    return post


def test_the_host_is_told_whose_mail_comes_back_and_why(post: Post, quiet: str) -> None:
    lose(with_host(post))
    assert post.claim() == 1
    letter, mail = post.letters()[-1], post.mails()[-1]
    assert (letter.recipient, letter.sender) == (HOST, "")
    text = " ".join(part(mail, "plain").split())
    assert f"[Thursday club {quiet}] A player no longer gets mail" == mail["Subject"]
    assert f"Mail to Ben (seat 1 of Thursday club {quiet}) keeps coming back from ben@players.test." in text
    assert "The last report said: 550 5.1.1 no such user" in text
    assert "`felix mail letters list`" in text
    assert f'`felix move {quiet} 1 "PLAY 3"`' in text


def test_the_host_is_told_once(post: Post, quiet: str) -> None:
    lose(with_host(post), 6)
    post.claim()
    assert post.claim() == 0
    assert len([letter for letter in post.letters() if letter.recipient == HOST]) == 1


def test_a_letter_to_the_host_can_be_answered_by_nobody(post: Post, quiet: str) -> None:
    lose(with_host(post))
    post.claim()
    letter, mail = post.letters()[-1], post.mails()[-1]
    for header in ("Reply-To", "List-Unsubscribe", "References", "In-Reply-To"):
        assert mail[header] is None
    assert Html(part(mail, "html")).links == []
    assert b"felix+" not in letter.raw
    assert b"felix%2B" not in letter.raw


def test_the_host_is_told_where_mail_goes_instead(post: Post, quiet: str) -> None:
    with post.room.store.write() as tx:
        tx.add_player(seat(post, quiet).player_id, "ben@home.test")
    lose(with_host(post))
    post.claim()
    (mail,) = [mail for mail in post.mails() if HOST in str(mail["To"])]
    text = " ".join(part(mail, "plain").split())
    assert "From now on mail for Ben goes to ben@home.test instead." in text
    assert "felix move" not in text


def test_the_last_news_goes_to_the_other_address_as_well(post: Post, quiet: str) -> None:
    """Mail that came back was not read: without this, the game would wait for the reminder."""
    with post.room.store.write() as tx:
        tx.add_player(seat(post, quiet).player_id, "ben@home.test")
    lose(post)
    post.claim()
    letter, mail = post.letters()[-1], post.mails()[-1]
    assert letter.recipient == "ben@home.test"
    assert "Your turn: round 1, place a card" in str(mail["Subject"])


def test_a_host_whose_address_is_none_is_told_by_the_log(
    post: Post, quiet: str, caplog: pytest.LogCaptureFixture
) -> None:
    post.sender = replace(post.sender, operator="the cellar")
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
    post.do(lambda tx: post.sender.mark(tx, letter, Refused("550 no such host", "lasting")))
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
    post.do(lambda tx: post.sender.mark(tx, letter, result))
    assert score(post) == counted
