"""The envelope of a letter: its sender, the way to stop."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage
from email.utils import parseaddr
from urllib.parse import parse_qs, unquote, urlsplit

from felix_async.address import Token, check_token, decode_token, token_in
from felix_async.language.words import LOOP_HEADER
from games import a_room
from notifiers.office import Post, owe, place_all
from notifiers.sheets import MAILBOX, an_answer, read
from table import BEN


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
    payload = an_answer(("HAND", "done", "."), in_reply_to=message_id).model_dump_json()
    owe(post, game_id, BEN, "answer", about=about, payload=payload)


# ---- the envelope -----------------------------------------------------------------------------------
def test_an_answer_comes_back_to_nobody(post: Post) -> None:
    game_id = post.started()
    post.claim()
    answer_to(post, game_id, "m1@players.test")
    post.claim()
    assert post.letters()[-1].sender == ""


# ---- what machines are told -------------------------------------------------------------------------
def test_list_unsubscribe_is_a_mail_that_says_stop_to_the_token_address(post: Post) -> None:
    game_id = post.open()
    post.claim()
    mail = post.mails()[BEN]
    url = urlsplit(str(mail["List-Unsubscribe"]).removeprefix("<").removesuffix(">"))
    assert (url.scheme, unquote(url.path)) == ("mailto", parseaddr(str(mail["Reply-To"]))[1])
    assert token_at(post, game_id, unquote(url.path)).purpose == "move"
    assert parse_qs(url.query) == {"subject": ["STOP"], "body": ["STOP"]}


def test_machines_are_told_not_to_answer(post: Post) -> None:
    game_id = post.started()
    post.claim()
    answer_to(post, game_id, "m1@players.test")
    post.claim()
    assert {str(mail["Auto-Submitted"]) for mail in post.mails()[:-1]} == {"auto-generated"}
    assert post.mails()[-1]["Auto-Submitted"] == "auto-replied"
    assert all(mail[LOOP_HEADER] == MAILBOX for mail in post.mails())


def test_the_envelopes_sender_is_in_no_header(post: Post) -> None:
    post.open()
    post.claim()
    for letter in post.letters():
        assert letter.sender.encode() not in letter.raw
        assert read(letter.raw)["Return-Path"] is None


# ---- what others get --------------------------------------------------------------------------------
def test_a_mail_more_of_one_player_changes_no_byte_of_the_letters_of_others(post: Post) -> None:
    other = Post(a_room("post"), post.outbox)
    other.room.clock.step = timedelta(0)
    for each in (post, other):
        game_id = each.started()
        each.claim()
        if each is other:
            answer_to(each, game_id, "m1@players.test")
            each.claim()
        place_all(each, game_id)
        each.claim()
    mine, theirs = ([one.raw for one in each.letters() if one.seat != BEN] for each in (post, other))
    assert len(post.letters()) + 1 == len(other.letters())
    assert mine == theirs
