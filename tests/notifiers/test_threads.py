"""One thread for each round and player, and whom a letter is from: a mail program sorts letters by both."""

from __future__ import annotations

from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import parseaddr

from hypothesis import example, given
from hypothesis import strategies as st

from felix_async.game.commands import Bid, Pass
from felix_notifiers.content.harmless import sender_name
from notifiers.office import Post, owe, place_all
from notifiers.sheets import MAILBOX, an_answer, read
from notifiers.test_letter import a_letter
from notifiers.test_mail_digest import digest, two_games
from table import BEN

BENS = "ben@players.test"
THEIRS = "<m1@players.test>"


def to_ben(post: Post) -> list[EmailMessage]:
    """The letters to Ben."""
    post.claim()
    return [mail for mail in post.mails() if BENS in str(mail["To"])]


def answer_ben(post: Post, game_id: str) -> None:
    """Ben wrote, and is owed an answer."""
    payload = an_answer(("HAND", "done", "."), in_reply_to=THEIRS).model_dump_json()
    owe(post, game_id, BEN, "answer", about="1", payload=payload)


def sell(post: Post, game_id: str) -> None:
    """The first bids a mouse, and the others pass."""
    for bid in (True, False, False, False):
        seat = post.room.game(game_id).to_move
        assert seat is not None
        post.move(game_id, Bid(seat=seat, amount=1) if bid else Pass(seat=seat))


def ids(mail: EmailMessage, *headers: str) -> list[str]:
    """The Message-IDs in these headers."""
    return " ".join(str(mail[header] or "") for header in headers).split()


# ---- threads ------------------------------------------------------------------------------------------
def test_each_round_begins_a_thread_of_its_own_and_so_do_the_invitations(post: Post) -> None:
    game_id = post.started()
    invited, first = to_ben(post)
    place_all(post, game_id)
    _, _, second = to_ben(post)
    sell(post, game_id)
    sold = to_ben(post)[3:]
    roots = [str(mail["Message-ID"]) for mail in (invited, first, sold[-1])]
    assert [ids(mail, "References", "In-Reply-To") for mail in (invited, first, sold[-1])] == [[], [], []]
    assert ids(second, "References") == ids(second, "In-Reply-To") == [roots[1]]
    place_all(post, game_id)
    assert ids(to_ben(post)[-1], "References") == [roots[2]]


def test_the_result_begins_a_thread(post: Post) -> None:
    game_id = post.started()
    post.claim()
    post.room.play(game_id)
    assert ids(to_ben(post)[-1], "References", "In-Reply-To") == []


def test_two_players_share_no_thread(post: Post) -> None:
    post.started()
    post.claim()
    assert len({str(mail["Message-ID"]) for mail in post.mails()}) == 8


def test_an_answer_is_in_the_thread_of_the_round_and_of_the_mail_that_it_answers(post: Post) -> None:
    game_id = post.started()
    root = ids(to_ben(post)[-1], "Message-ID")
    answer_ben(post, game_id)
    answer = to_ben(post)[-1]
    assert ids(answer, "References") == [*root, THEIRS]
    assert ids(answer, "In-Reply-To") == [THEIRS]


def test_with_an_answer_no_thread_begins(post: Post) -> None:
    game_id = post.started()
    answer_ben(post, game_id)
    answer = to_ben(post)[-1]
    place_all(post, game_id)
    after = to_ben(post)[-1]
    assert ids(answer, "References", "In-Reply-To") == [THEIRS, THEIRS]
    assert ids(after, "References", "In-Reply-To") == []


def test_nobody_is_sent_to_a_letter_that_was_dropped(post: Post) -> None:
    game_id = post.started()
    root = to_ben(post)[-1]
    (dropped,) = [one for one in post.letters() if one.message_id == str(root["Message-ID"])]
    post.do(lambda tx: tx.end_letter(dropped.letter_id, "dropped", "written anew"))
    place_all(post, game_id)
    after = to_ben(post)[-1]
    answer_ben(post, game_id)
    assert ids(after, "References", "In-Reply-To") == []
    assert ids(to_ben(post)[-1], "References") == [str(after["Message-ID"]), THEIRS]


def test_a_digest_is_in_no_thread(post: Post) -> None:
    two_games(post)
    assert ids(digest(post), "References", "In-Reply-To") == []


# ---- whom it is from ----------------------------------------------------------------------------------
def test_a_letter_of_a_table_that_has_begun_is_from_felix_at_that_table(post: Post) -> None:
    post.started()
    invited, first = to_ben(post)
    assert parseaddr(str(invited["From"])) == ("Felix", MAILBOX)
    assert parseaddr(str(first["From"])) == ("Felix · Thursday club", MAILBOX)
    for mail in (invited, first):
        assert parseaddr(str(mail["Reply-To"]))[0] == parseaddr(str(mail["From"]))[0]


def test_a_digest_is_from_felix(post: Post) -> None:
    two_games(post)
    assert parseaddr(str(digest(post)["From"])) == ("Felix", MAILBOX)


NAMES = st.text(max_size=60) | st.sampled_from([
    '"Bank" <bank@bank.test>', "x@y.test", "a\r\nBcc: x@y.test", "=?utf-8?q?=0D=0ABcc:m=40evil.test?=",
    "(c), d;",
    "〈bank＠bank.test〉", "\u202etset", "=\u200b?utf-8?q?x?=",
])  # fmt: skip


def name_in(letter: bytes, header: str) -> str:
    """The name in front of an address, with no space between its encoded words (RFC 2047, 6.2): the header
    registry of Python 3.11 leaves one there.
    """
    name, _ = parseaddr(str(message_from_bytes(letter)[header]))
    return str(make_header(decode_header(name)))


@given(name=NAMES)
@example(name="Пятничные коты и мышки!")
def test_a_tables_name_is_a_name_and_nothing_else(name: str) -> None:
    shown = sender_name(name)
    letter = a_letter(shown_as=shown)
    message = read(letter)
    assert [name_in(letter, header) for header in ("From", "Reply-To")] == [shown, shown]
    assert [one.addr_spec for one in message["From"].addresses] == [MAILBOX]
    assert list(message) == list(read(a_letter()))
    assert message.defects == []
    assert len(shown) <= len("Felix · ") + 25
    assert not set(shown) & set('<>@"“”')
    assert shown.isprintable()
