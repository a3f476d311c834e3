"""What stands around a letter: the envelope's sender, one thread for a game and player, the way to stop."""

from __future__ import annotations

from email.message import EmailMessage
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from felix_async.address import Token, check_token, decode_token, token_in
from felix_async.language.words import LOOP_HEADER
from notifiers.office import Post, owe, place_all
from notifiers.sheets import MAILBOX, an_answer, read
from table import ANNA, BEN


def token_at(post: Post, game_id: str, address: str, seat: int = BEN) -> Token:
    """The token in an address of ours, checked."""
    text = token_in(address, MAILBOX)
    token = decode_token(text) if text else None
    assert text is not None
    assert token is not None
    with post.room.store.read() as reader:
        assert check_token(text, reader.seats(game_id)[seat].secret)
    return token


def ids(mail: EmailMessage, header: str) -> list[str]:
    """The Message-IDs in a header."""
    return str(mail[header] or "").split()


def answer_to(post: Post, game_id: str, message_id: str, about: str = "1") -> None:
    """Ben wrote, and is owed an answer."""
    payload = an_answer(("HAND", "done", "."), in_reply_to=message_id).to_json()
    owe(post, game_id, BEN, "answer", about=about, payload=payload)


# ---- the envelope -----------------------------------------------------------------------------------
def test_a_notice_comes_back_to_the_address_for_bounces_of_its_seat(post: Post) -> None:
    game_id = post.open()
    post.claim()
    for seat, letter in enumerate(post.letters()):
        assert token_at(post, game_id, letter.sender, seat) == Token(game_id, seat, "bounce", 0)


def test_an_answer_comes_back_to_nobody(post: Post) -> None:
    game_id = post.started()
    post.claim()
    answer_to(post, game_id, "m1@players.test")
    post.claim()
    assert post.letters()[-1].sender == ""


def test_the_envelopes_sender_is_in_no_header(post: Post) -> None:
    post.open()
    post.claim()
    for letter in post.letters():
        assert letter.sender.encode() not in letter.raw
        assert read(letter.raw)["Return-Path"] is None


# ---- threads ----------------------------------------------------------------------------------------
def test_the_first_letter_is_the_root_of_its_thread_and_refers_to_nothing(post: Post) -> None:
    post.open()
    post.claim()
    for mail in post.mails():
        assert ids(mail, "References") == ids(mail, "In-Reply-To") == []


def test_every_later_notice_answers_the_root(post: Post) -> None:
    game_id = post.started(start=ANNA)
    post.claim()
    place_all(post, game_id)
    post.claim()
    first, later = post.mails()[0], [post.mails()[4], post.mails()[-1]]
    assert str(first["To"]) == str(later[0]["To"]) == str(later[1]["To"])
    for mail in later:
        assert ids(mail, "References") == ids(mail, "In-Reply-To") == ids(first, "Message-ID")


def test_an_answer_stands_below_the_mail_that_it_answers_in_the_same_thread(post: Post) -> None:
    game_id = post.started()
    post.claim()
    answer_to(post, game_id, "m1@players.test")
    post.claim()
    root = ids(post.mails()[BEN], "Message-ID")
    assert ids(post.mails()[-1], "In-Reply-To") == ["<m1@players.test>"]
    assert ids(post.mails()[-1], "References") == [*root, "<m1@players.test>"]


def test_an_answer_that_is_the_first_letter_of_all_refers_to_the_players_mail_alone(post: Post) -> None:
    game_id = post.open()
    with post.room.store.write() as tx:
        tx.settle([notice.notice_id for notice in tx.notices(game_id)], None)
    answer_to(post, game_id, "m1@players.test")
    post.claim()
    (mail,) = post.mails()
    assert ids(mail, "References") == ids(mail, "In-Reply-To") == ["<m1@players.test>"]


def test_all_mail_of_a_game_and_a_player_is_one_thread(post: Post) -> None:
    """As mail programs join them: by Message-ID, In-Reply-To and References."""
    game_id = post.started(start=BEN)
    post.claim()
    theirs = []
    for number in range(3):
        last = [mail for mail in post.mails() if "ben@" in str(mail["To"])][-1]
        reply = EmailMessage()
        reply["Message-ID"] = f"<{number}@players.test>"
        reply["References"] = " ".join([*ids(last, "References"), *ids(last, "Message-ID")])
        theirs.append(reply)
        answer_to(post, game_id, f"{number}@players.test", about=str(number))
        post.claim()
        if number == 0:
            place_all(post, game_id)
            post.claim()
    mails = [mail for mail in [*post.mails(), *theirs] if str(mail["To"] or "ben@").find("ben@") >= 0]
    assert len(mails) == 9
    assert threads(mails) == 1


def threads(mails: list[EmailMessage]) -> int:
    """How many threads a mail program sees: mails that refer to each other, directly or through others."""
    groups: list[set[str]] = []
    for mail in mails:
        own = {*ids(mail, "Message-ID"), *ids(mail, "In-Reply-To"), *ids(mail, "References")}
        joined = [group for group in groups if group & own]
        groups = [group for group in groups if not group & own] + [own.union(*joined)]
    return len(groups)


def test_two_tables_are_two_threads(post: Post) -> None:
    post.open()
    post.open(command_id="another")
    post.claim()
    bens = [mail for mail in post.mails() if "ben@" in str(mail["To"])]
    assert threads(bens) == len(bens) == 2


# ---- what machines are told -------------------------------------------------------------------------
def test_list_unsubscribe_is_a_mail_that_says_stop_to_the_token_address(post: Post) -> None:
    game_id = post.open()
    post.claim()
    mail = post.mails()[BEN]
    url = urlsplit(str(mail["List-Unsubscribe"]).removeprefix("<").removesuffix(">"))
    assert (url.scheme, unquote(url.path)) == ("mailto", str(mail["Reply-To"]))
    assert token_at(post, game_id, unquote(url.path)).purpose == "move"
    assert parse_qs(url.query) == {"subject": ["STOP"], "body": ["STOP"]}


def test_list_unsubscribe_arrives_in_one_piece(post: Post) -> None:
    post.open()
    post.claim()
    head = post.letters()[BEN].raw.partition(b"\r\n\r\n")[0].split(b"\r\n")
    (line,) = [line for line in head if line.startswith(b"List-Unsubscribe:")]
    assert line.startswith(b"List-Unsubscribe: <mailto:felix%2B")
    assert line.endswith(b"?subject=STOP&body=STOP>")


@pytest.mark.parametrize("header", ["List-Id", "Precedence", "List-Unsubscribe-Post", "Errors-To"])
def test_a_letter_to_one_person_is_no_lists_mail(post: Post, header: str) -> None:
    post.open()
    post.claim()
    assert post.mails()[0][header] is None


def test_machines_are_told_not_to_answer(post: Post) -> None:
    game_id = post.started()
    post.claim()
    answer_to(post, game_id, "m1@players.test")
    post.claim()
    assert {str(mail["Auto-Submitted"]) for mail in post.mails()[:-1]} == {"auto-generated"}
    assert post.mails()[-1]["Auto-Submitted"] == "auto-replied"
    assert all(mail[LOOP_HEADER] == MAILBOX for mail in post.mails())
