"""What others wrote that names somebody who is forgotten: it goes, too, and is known as before."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

import pytest

from events.filling import ONE, TWO, letter_at, mail_at
from felix_events.store.base import Store, Tx
from felix_events.store.naming import Person, is_cut, readings
from felix_events.store.rows import GameRow, Letter, MailState, NoticeRow, Question, Saying, SeatRow

NEW = b"From: ben@example.org\nCc: Zoe Zimmer <zoe@zimmer.test>\n\nNEW\n"
SAID = "I like parsnips."


@pytest.fixture
def tx(store: Store) -> Iterator[Tx]:
    """Ben and Zoe at a table, Ben and Cara at another; Dan sits at neither."""
    names = {"ben": "Ben", "zoe": "Zoe Zimmer", "cara": "Cara", "dan": "Dan"}
    with store.write() as tx:
        for game_id, players in (("k7m2p", ("ben", "zoe")), ("other", ("ben", "cara")), ("third", ("dan",))):
            tx.add_game(GameRow(game_id, "Club", "played", ONE, b"seed"))
            for seat, player in enumerate(players):
                tx.add_seat(SeatRow(game_id, seat, player, names[player], None, b"secret"))
        for player in ("ben", "cara", "dan"):
            tx.add_player(player, f"{player}@example.org")
        tx.add_player("zoe", "zoe@zimmer.test")
        tx.keep_saying(Saying("k7m2p", 5, 1, b"salt", SAID))
    with store.write() as tx:
        yield tx


def kept(tx: Tx, raw: bytes, *, by: str = "ben", state: MailState = "done") -> int:
    mail_id = tx.keep_mail(ONE, "felix", f"{by}@example.org", raw)
    tx.attribute_mail(mail_id, by)
    if state != "new":
        tx.settle_mail(mail_id, state, key=f"key {mail_id}", note="about zoe@zimmer.test")
    return mail_id


@pytest.mark.parametrize(
    "raw",
    [
        NEW,
        NEW.upper(),
        b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\nzoe@zim=\nmer.test\n",
        b"Subject: x\nContent-Transfer-Encoding: base64\n\n" + b64encode(b"NEW\nzoe@zimmer.test\n") + b"\n",
        b"Cc: =?utf-8?b?" + b64encode(b"zoe@zimmer.test") + b"?= <a@b.test>\n\nNEW\n",
        b"Cc: =?utf-8?q?zoe=40zimmer=2Etest?= <a@b.test>\n\nNEW\n",
        b"Content-Type: text/html\n\n<p>zoe&#64;zimmer.test</p>\n",
        b"Subject: x\n\nmailto:zoe%40zimmer.test\n",
        b"Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n"
        + b64encode("zoe@zimmer.test".encode("utf-16"))
        + b"\n",
    ],
)
def test_a_mail_of_another_with_their_address_is_empty_and_still_known(tx: Tx, raw: bytes) -> None:
    mail_id = kept(tx, raw, by="dan")
    before = mail_at(tx, mail_id)
    tx.forget("zoe")
    after = mail_at(tx, mail_id)
    assert (after.raw, after.note, after.sender) == (b"", "", "dan@example.org")
    assert (after.key, after.sha256, after.state) == (before.key, before.sha256, "done")
    assert tx.mail_with(before.key or "") == after


@pytest.mark.parametrize(
    "text",
    [
        "HOST Zoe",
        "UNINVITE zoe zimmer",
        "> Zoe\n> Zimmer says: hi",
        f"> {SAID[:6]}\n> {SAID[7:]}",
        "HOST Zo=C3=AB",
    ],
)
def test_a_mail_by_somebody_at_their_table_that_names_them_is_empty(tx: Tx, text: str) -> None:
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable"
    tx.add_game(GameRow("fourth", "Club", "played", ONE, b"seed"))
    tx.add_seat(SeatRow("fourth", 0, "zoe", "Zoë", None, b"secret"))
    mail_id = kept(tx, f"Subject: Re\n{head}\n\n{text}\n".encode())
    tx.forget("zoe")
    assert mail_at(tx, mail_id).raw == b""


@pytest.mark.parametrize(("text", "by"), [("HOST Zoe", "dan"), ("HOST Zoey", "ben"), ("PASS", "ben")])
def test_other_mails_stay_as_they_are(tx: Tx, text: str, by: str) -> None:
    before = mail_at(tx, kept(tx, f"Subject: Re\n\n{text}\n".encode(), by=by))
    tx.forget("zoe")
    assert mail_at(tx, before.mail_id) == before


def test_a_mail_that_waits_to_be_read_is_left(tx: Tx) -> None:
    mail_id = kept(tx, NEW, state="new")
    tx.forget("zoe")
    assert (mail_at(tx, mail_id).raw, mail_at(tx, mail_id).state) == (NEW, "new")


def test_a_mail_that_waits_for_a_word_of_its_writer_is_empty_and_no_longer_asked_about(tx: Tx) -> None:
    mail_id = kept(tx, NEW, state="quarantined")
    tx.hold(mail_id, "ben", "ben@example.org")
    tx.ask(Question("other", 0, "sender", 1, mail_id, "ben@example.org", ONE))
    tx.ask(Question("other", 0, "order", 1, mail_id, "PASS", ONE))
    tx.forget("zoe")
    assert (mail_at(tx, mail_id).raw, mail_at(tx, mail_id).state) == (b"", "ignored")
    assert [one.state for one in tx.questions("other", 0)] == ["dropped", "open"]
    assert tx.confirm_held("ben", "ben@example.org") == []


def test_an_order_with_their_name_is_no_longer_asked_about(tx: Tx) -> None:
    mail_id = kept(tx, b"PASS")
    tx.ask(Question("k7m2p", 0, "order", 1, mail_id, "HOST Zoe", ONE))
    tx.ask(Question("other", 0, "order", 1, mail_id, "HOST Zoe", ONE))
    tx.forget("zoe")
    assert [(one.text, one.state) for one in tx.questions("k7m2p", 0)] == [("", "dropped")]
    assert [one.text for one in tx.questions("other", 0)] == ["HOST Zoe"]


def test_an_answer_about_another_game_that_repeats_their_address_is_erased(tx: Tx) -> None:
    tx.enqueue(NoticeRow("third", 1, 0, "answer", ONE, about="1", payload='{"lines":["zoe@zimmer.test"]}'))
    tx.enqueue(NoticeRow("third", 1, 0, "answer", ONE, about="2", payload='{"lines":["dan@example.org"]}'))
    tx.forget("zoe")
    assert [one.payload for one in tx.notices("third")] == ["{}", '{"lines":["dan@example.org"]}']


@pytest.mark.parametrize("state", ["sent", "failed"])
def test_a_letter_about_another_game_that_repeats_their_address_is_cut(tx: Tx, state: str) -> None:
    raw = b"Message-ID: <1@felix>\nReply-To: felix+a@felix\n\n- NEW; zoe@zimmer.test\n"
    number = tx.freeze(Letter("third", 0, "dan@example.org", "<1@felix>", raw, ONE, ONE))
    if state == "sent":
        tx.mark_letter(number, "sent", next_at=TWO)
    else:
        tx.end_letter(number, "failed", "550")
    tx.forget("zoe")
    cut = letter_at(tx, number)
    assert (is_cut(cut.raw), cut.state) == (True, "sent" if state == "sent" else "dropped")


def test_who_had_no_name_and_no_address_is_found_nowhere() -> None:
    nobody = Person([], [""], ["ok"])
    assert not nobody.is_named_in(NEW)
    assert not nobody.is_meant_in(NEW)


@pytest.mark.parametrize(
    "raw",
    [
        b"Cc: =?x?b?====?= Zoe\n\nHOST Zoe\n",
        b"Cc: =?no-such-charset?q?Zoe?=\n\nhi\n",
        b"Content-Type: text/plain; charset=no-such\nContent-Transfer-Encoding: base64\n\nWm9l\n",
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nHOST Zoe\n--x--\n",
        b"Content-Type: multipart/mixed; boundary=\n\nHOST Zoe\n",
    ],
)
def test_a_mail_that_is_badly_formed_is_read_as_well_as_it_goes(raw: bytes) -> None:
    assert [text for text in list(readings(raw)) if "zoe" in text]


def test_of_a_mail_that_cannot_be_taken_apart_the_bytes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: bytes) -> None:
        raise RecursionError

    monkeypatch.setattr("felix_events.store.naming.message_from_bytes", broken)
    assert list(readings(b"HOST\n  Zoe\n")) == ["host zoe"]
