"""What every store must do to forget a person, and what it must leave as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from hashlib import sha256

import orjson
import pytest

from events.filling import ONE, TWO, a_game, letter_at, mail_at
from felix_events.store.base import Store, Tx
from felix_events.store.naming import cut_down, is_cut
from felix_events.store.rows import (
    Belief,
    Choice,
    Letter,
    MailState,
    NoticeRow,
    Question,
    Saying,
    Sealed,
    SeatRow,
)

RAW = b"To: x@example.org\r\nMessage-ID: <1@felix>\r\nReply-To:\r\n felix+abc@felix\r\n\r\nAnna bid 5.\r\n"
LETTER = Letter("k7m2p", 0, "anna@example.org", "<1@felix>", RAW, ONE, ONE)


@pytest.fixture
def tx(store: Store) -> Iterator[Tx]:
    """Anna and Ben at a table, Ben and Cara at another; Anna writes from her phone, too."""
    with store.write() as tx:
        for game_id, players in (("k7m2p", ("anna", "ben")), ("other", ("ben", "cara"))):
            a_game(tx, game_id, *players)
            tx.append(game_id, 0, [Sealed(b"event", b"private")])
        for player in ("anna", "ben", "cara"):
            tx.add_player(player, f"{player}@example.org")
        tx.adopt("anna", "phone@example.org")
    with store.write() as tx:
        yield tx


def kept(tx: Tx, sender: str, state: MailState = "done", raw: bytes = b"raw") -> int:
    mail_id = tx.keep_mail(ONE, "felix", sender, raw)
    if state != "new":
        tx.settle_mail(mail_id, state, key=f"key {mail_id}", note=f"from {sender}")
    return mail_id


def is_erased(tx: Tx, mail_id: int) -> bool:
    mail = mail_at(tx, mail_id)
    return (mail.raw, mail.sender, mail.note) == (b"", "", "")


def letter(tx: Tx, seat: int, state: str, *, game_id: str = "k7m2p") -> int:
    message_id = f"<{len(tx.letters())}@felix>"
    letter_id = tx.freeze(replace(LETTER, game_id=game_id, seat=seat, message_id=message_id))
    if state == "sent":
        tx.mark_letter(letter_id, "sent", next_at=ONE, note="250 anna@example.org")
    elif state == "failed":
        tx.end_letter(letter_id, "failed", "550 anna@example.org")
    return letter_id


# ---- the person
def test_the_seat_stays_without_a_name_an_address_or_a_secret(tx: Tx) -> None:
    tx.forget("anna")
    anna, ben = tx.seats("k7m2p")
    assert anna == SeatRow("k7m2p", 0, "anna", "", None, b"")
    assert (ben.name, ben.address, ben.secret) == ("Ben", "ben@example.org", b"secret")


def test_the_log_and_the_game_stay_as_they_are(tx: Tx) -> None:
    before = (tx.log("k7m2p"), tx.head("k7m2p"), tx.games())
    tx.forget("anna")
    assert (tx.log("k7m2p"), tx.head("k7m2p"), tx.games()) == before


def test_the_address_is_free_for_a_new_player(tx: Tx) -> None:
    tx.forget("anna")
    assert tx.addresses("anna") == []
    tx.add_player("anna-again", "anna@example.org")
    assert tx.player_at("anna@example.org") == "anna-again"


def test_an_adopted_address_is_no_longer_theirs_and_still_anothers(tx: Tx) -> None:
    tx.adopt("ben", "phone@example.org")
    mail_id = kept(tx, "phone@example.org")
    tx.forget("anna")
    assert tx.seats("k7m2p")[1].addresses == ("ben@example.org", "phone@example.org")
    assert not is_erased(tx, mail_id)


def test_what_they_chose_is_forgotten(tx: Tx) -> None:
    tx.choose(Choice("anna", "daily", True, "Europe/Berlin", "+01:00", "23:00-07:00", True))
    tx.choose(Choice("ben", "daily"))
    tx.forget("anna")
    assert (tx.choice("anna"), tx.choice("ben")) == (Choice("anna"), Choice("ben", "daily"))


def test_what_they_said_is_forgotten_and_that_they_said_something_stays(tx: Tx) -> None:
    mine, bens = Saying("k7m2p", 5, 0, b"salt", "Hello."), Saying("k7m2p", 6, 1, b"salt", "Hello.")
    tx.keep_saying(mine)
    tx.keep_saying(bens)
    tx.forget("anna")
    assert tx.sayings("k7m2p") == [replace(mine, salt=b"", text=""), bens]


def test_nobody_else_is_forgotten(tx: Tx) -> None:
    before = (tx.seats("other"), tx.addresses("ben"), tx.addresses("cara"))
    tx.forget("anna")
    tx.forget("zoe")
    assert (tx.seats("other"), tx.addresses("ben"), tx.addresses("cara")) == before


# ---- their mails
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("new", "ignored"),
        ("quarantined", "ignored"),
        ("done", "done"),
        ("ignored", "ignored"),
        ("duplicate", "duplicate"),
    ],
)
def test_mails_from_their_addresses_are_erased_wait_for_nobody_and_are_still_known(
    tx: Tx, before: MailState, after: MailState
) -> None:
    senders = ["anna@example.org", "ANNA@Example.ORG", "phone@example.org"]
    mails = [kept(tx, sender, before) for sender in senders]
    tx.forget("anna")
    assert [(is_erased(tx, one), mail_at(tx, one).state) for one in mails] == [(True, after)] * 3
    if before != "new":
        assert [tx.mail_with(f"key {one}") for one in mails] == [mail_at(tx, one) for one in mails]


def test_a_mail_that_was_theirs_is_erased_whoever_sent_it(tx: Tx) -> None:
    mail_id = kept(tx, "list@example.org")
    tx.attribute_mail(mail_id, "anna")
    tx.forget("anna")
    assert is_erased(tx, mail_id)


@pytest.mark.parametrize(
    ("player", "sender"), [("anna", "stranger@example.org"), ("ben", "anna@example.org")]
)
def test_a_mail_held_for_them_or_of_theirs_is_erased_and_held_no_longer(
    tx: Tx, player: str, sender: str
) -> None:
    mail_id = kept(tx, sender, "quarantined")
    tx.hold(mail_id, player, sender)
    tx.forget("anna")
    assert is_erased(tx, mail_id)
    assert tx.confirm_held(player, sender) == []


def test_what_was_believed_of_them_is_forgotten(tx: Tx) -> None:
    for player in ("anna", "ben"):
        tx.believe(Belief(player, f"{player}@example.org", "net 192.0.2.0/24", ONE))
    tx.forget("anna")
    assert (tx.beliefs("anna"), len(tx.beliefs("ben"))) == ([], 1)


def test_a_bounce_that_names_their_address_is_erased_and_other_mails_are_not(tx: Tx) -> None:
    named = b"Final-Recipient: rfc822; Anna@example.org\n"
    hers = [kept(tx, sender, raw=named) for sender in ("", "<>")]
    others = [kept(tx, sender, raw=named.replace(b"Anna", b"ben")) for sender in ("", "<>")]
    others.append(kept(tx, "ben@example.org", raw=b"anna@example.org wrote:"))
    others.append(kept(tx, "stranger@example.org"))
    others.append(kept(tx, "anna@example.org"))
    tx.attribute_mail(others[-1], "ben")
    tx.forget("anna")
    assert [one for one in (*hers, *others) if is_erased(tx, one)] == hers


# ---- what others prove by theirs
def recorded(tx: Tx, number: int, raw: bytes, log_id: str = "k7m2p", line: str = "PASS") -> int:
    """A mail of Ben's that a record of this log names; its id."""
    mail_id = kept(tx, "ben@example.org", raw=raw)
    tx.attribute_mail(mail_id, "ben")
    record = {"mail_sha256": sha256(raw).hexdigest(), "order": line}
    tx.append(log_id, tx.head(log_id)[0], [Sealed(b"event %d" % number, orjson.dumps(record))])
    return mail_id


def text_of(number: int, line: str = "PASS") -> bytes:
    return b"Subject: Anna\r\nMessage-ID: <%d@ben>\r\n\r\n%s\r\n\r\n> Anna passes.\r\n" % (
        number,
        line.encode(),
    )


@pytest.mark.parametrize("log_id", ["k7m2p", "k7m2p/seat/1", "other", "other/seat/0"])
def test_a_mail_that_a_record_names_keeps_its_line_and_its_message_id(tx: Tx, log_id: str) -> None:
    mail_id = recorded(tx, 1, text_of(1), log_id)
    tx.forget("anna")
    mail, game_id = mail_at(tx, mail_id), log_id.partition("/")[0]
    assert mail.evidence == (
        b"X-Felix-Kept: cut\nContent-Type: text/plain; charset=utf-8\nMessage-ID: <1@ben>\n\nPASS\n"
    )
    assert (mail.raw, mail.sha256) == (b"", sha256(text_of(1)).hexdigest())
    assert (mail.state, mail.note) == ("done", f"cut down to its orders in {game_id}")


@pytest.mark.parametrize("log_id", ["third", "k7m2p/seat/0", "k7m2p/seat/2"])
def test_a_record_of_a_log_that_is_not_its_writers_keeps_nothing(tx: Tx, log_id: str) -> None:
    mail_id = recorded(tx, 1, text_of(1), log_id)
    tx.forget("anna")
    assert (mail_at(tx, mail_id).evidence, mail_at(tx, mail_id).note) == (b"", "")


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("PASS, Anna", "PASS, […]"),
        ("PASS for an  anna like Anna's", "PASS for an  […] like […]'s"),
        ("ANNA: phone@example.org", "[…]: […]"),
        ("BID 3 mailto:anna%40example.org", "[…]"),
    ],
)
def test_who_is_forgotten_is_cut_out_of_a_line(tx: Tx, line: str, left: str) -> None:
    mail_id = recorded(tx, 1, text_of(1, line), line=line)
    tx.forget("anna")
    assert mail_at(tx, mail_id).evidence.decode().partition("\n\n")[2] == f"{left}\n"


def test_many_mails_are_cut_in_many_small_steps(tx: Tx) -> None:
    mails = [recorded(tx, number, text_of(number)) for number in range(70)]
    tx.begin_to_forget("anna")
    sizes = []
    while (step := tx.next_forget_step("anna")) is not None:
        tx.do_forget_step(step)
        sizes.append(len(step.changes))
    assert max(sizes) <= 100
    assert len(sizes) > 4
    assert all(mail_at(tx, mail_id).evidence.endswith(b"\n\nPASS\n") for mail_id in mails)


# ---- questions and notices
def test_what_they_were_asked_loses_its_words(tx: Tx) -> None:
    mail_id = kept(tx, "stranger@example.org")
    question = Question("k7m2p", 0, "sender", 3, mail_id, "stranger@example.org", ONE)
    tx.ask(question)
    tx.ask(replace(question, kind="order", text="PASS"))
    tx.settle_question(replace(question, number=2), "yes")
    tx.ask(replace(question, seat=1, text="zoe@example.org"))
    tx.forget("anna")
    assert [(one.text, one.state) for one in tx.questions("k7m2p", 0)] == [("", "dropped"), ("", "yes")]
    assert [(one.text, one.state) for one in tx.questions("k7m2p", 1)] == [("zoe@example.org", "open")]


def test_what_somebody_else_was_asked_about_their_address_loses_it(tx: Tx) -> None:
    mail_id = kept(tx, "phone@example.org")
    tx.ask(Question("k7m2p", 1, "sender", 3, mail_id, "phone@example.org", ONE))
    tx.forget("anna")
    assert [(one.text, one.state) for one in tx.questions("k7m2p", 1)] == [("", "dropped")]


def test_nothing_is_owed_to_them_any_more(tx: Tx) -> None:
    tx.enqueue(NoticeRow("k7m2p", 1, 0, "turn", ONE, payload='{"name":"Anna"}'))
    tx.enqueue(NoticeRow("k7m2p", 1, 0, "unreachable", TWO, about="anna@example.org 2026-11-21"))
    tx.enqueue(NoticeRow("k7m2p", 1, 0, "unreachable", TWO, about="phone@example.org 2026-11-21"))
    tx.forget("anna")
    assert tx.pending(TWO) == tx.pending_for("anna", TWO) == []
    assert [(one.payload, one.about) for one in tx.notices("k7m2p")] == [
        ("{}", ""),
        ("{}", "erased 2"),
        ("{}", "erased 3"),
    ]


def test_of_what_was_told_to_others_stays_that_it_was_told(tx: Tx) -> None:
    for game_id, about in (("k7m2p", "told"), ("k7m2p", "not yet"), ("other", "told")):
        tx.enqueue(NoticeRow(game_id, 1, 1, "lobby", ONE, about=about, payload='{"name":"Anna"}'))
    letter_id = letter(tx, 1, "sent")
    tx.settle([1, 3], letter_id)
    tx.forget("anna")
    assert [(one.about, one.payload) for one in tx.notices("k7m2p")] == [
        ("told", "{}"),
        ("not yet", '{"name":"Anna"}'),
    ]
    assert tx.notices("other")[0].payload == '{"name":"Anna"}'
    assert [one.about for one in tx.notices_in(letter_id)] == ["told", "told"]
    assert [one.about for one in tx.pending(ONE)] == ["not yet"]


def test_a_notice_to_somebody_else_is_not_about_their_address_any_more(tx: Tx) -> None:
    tx.enqueue(NoticeRow("k7m2p", 1, 1, "lobby", ONE, about="Anna@example.org"))
    tx.enqueue(NoticeRow("k7m2p", 1, 1, "lobby", ONE, about="ben@example.org"))
    tx.forget("anna")
    assert [one.about for one in tx.notices("k7m2p")] == ["erased 1", "ben@example.org"]


# ---- letters
@pytest.mark.parametrize(("before", "after"), [("ready", "dropped"), ("failed", "dropped"), ("sent", "sent")])
def test_letters_to_them_are_erased(tx: Tx, before: str, after: str) -> None:
    letter_id = letter(tx, 0, before)
    tx.forget("anna")
    erased = letter_at(tx, letter_id)
    assert (erased.raw, erased.recipient, erased.note, erased.state) == (b"", "", "", after)
    assert tx.letters_in_turn(TWO, 9) == []


@pytest.mark.parametrize(("before", "after"), [("failed", "dropped"), ("sent", "sent")])
def test_of_letters_to_others_stays_what_an_answer_is_known_by(tx: Tx, before: str, after: str) -> None:
    letter_id = letter(tx, 1, before)
    tx.forget("anna")
    cut = letter_at(tx, letter_id)
    assert (cut.raw, cut.state) == (b"Message-ID: <1@felix>\nReply-To:\n felix+abc@felix\n\n", after)
    assert tx.letter_with(cut.message_id) == cut


def test_a_letter_to_others_that_waits_goes_out_whole_and_is_cut_the_next_time(tx: Tx) -> None:
    letter_id = letter(tx, 1, "ready")
    tx.forget("anna")
    assert [one.raw for one in tx.letters_in_turn(TWO, 9)] == [RAW]
    tx.mark_letter(letter_id, "sent", next_at=TWO)
    tx.forget("anna")
    assert [is_cut(one.raw) for one in tx.letters()] == [True]


def test_letters_of_games_without_them_stay_whole(tx: Tx) -> None:
    letter(tx, 1, "sent", game_id="other")
    tx.forget("anna")
    assert [one.raw for one in tx.letters()] == [RAW]


def with_mail(mail: bytes, filename: str = "your-message-1.eml") -> bytes:
    """The letter with a mail of its reader attached, as an answer to DISPUTE is."""
    message = EmailMessage()
    message["Message-ID"] = "<1@felix>"
    message.set_content("This is what came in.")
    message.add_attachment(mail, maintype="application", subtype="octet-stream", filename=filename)
    return bytes(message)


BY_ANNA = with_mail(b"Subject: x\n\nwrite to anna@example.org\n")


@pytest.mark.parametrize(
    ("seat", "mail", "is_found"),
    [
        (0, b"Subject: Re\n\nBID 3, but ask anna\n", True),
        (0, b"Subject: =?utf-8?b?QW5uYQ==?=\n\nBID 3\n", True),
        (0, BY_ANNA, True),
        (1, BY_ANNA, True),
        (0, b"Subject: Re\n\nBID 3\n", False),
        (1, b"Subject: Re\n\nBID 3, but ask anna\n", False),
    ],
    ids=["name", "encoded name", "address in a mail in it", "to anybody", "nobody", "another Anna"],
)
def test_a_mail_that_comes_with_a_letter_to_a_friend_names_them(
    tx: Tx, seat: int, mail: bytes, is_found: bool
) -> None:
    tx.mark_letter(
        tx.freeze(replace(LETTER, game_id="other", seat=seat, raw=with_mail(mail))), "sent", next_at=ONE
    )
    tx.forget("anna")
    assert [is_cut(one.raw) for one in tx.letters()] == [is_found]


def test_a_letter_about_several_games_is_cut_where_they_played_in_one_of_them(tx: Tx) -> None:
    told = letter(tx, 0, "sent", game_id="other")
    tx.enqueue(NoticeRow("k7m2p", 1, 1, "turn", ONE))
    tx.settle([notice.notice_id for notice in tx.notices("k7m2p")], told)
    tx.forget("anna")
    assert [is_cut(one.raw) for one in tx.letters()] == [True]


@pytest.mark.parametrize(
    ("raw", "cut"),
    [
        (b"", b""),
        (b"no header at all", b""),
        (b"Subject: Anna\n\nMessage-ID: <2@felix>\n", b""),
        (b"MESSAGE-ID: <1@felix>\nX: Anna\n Reply-To: x\n\ntext", b"MESSAGE-ID: <1@felix>\n\n"),
        (b"Reply-To: a\n\tb\nSubject: c", b"Reply-To: a\n\tb\n\n"),
        (b"Reply-To: Felix for Anna\n <felix+abc@felix>\nTo: x", b"Reply-To: felix+abc@felix\n\n"),
    ],
)
def test_a_letter_is_cut_down_to_two_fields_of_its_header(raw: bytes, cut: bytes) -> None:
    assert cut_down(raw) == cut
    assert is_cut(cut)
    assert not is_cut(raw) or raw == b""
