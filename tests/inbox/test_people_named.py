"""Who was invited by mail and asks to be forgotten: their name and address leave the mails of others, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from felix_async.audit.audit import audit
from felix_cli.erasure import Forgetter
from felix_events.store.base import Store
from felix_events.store.sqlite import SqliteStore
from inbox.hosting import game_at, opened, seats_at, write_new
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import Postbag, a_table

ZOE = "zoe@zimmer.test"
NEW = "NEW Friday club\nCara"
CC = f"Cc: Zoe Zimmer <{ZOE}>"


def a_party(store: Store | None = None) -> Village:
    """Anna has opened a table by mail for Zoe, Cara and Ben; all of them are in, and the game runs."""
    bag = a_table(store=store)
    write_new(bag, NEW, headers=[CC, "To: ben@players.test"])
    bag.game_id = opened(bag)[0]
    village = a_village(bag)
    for seat, row in enumerate(seats_at(bag, bag.game_id)):
        if seat:
            write(village, seat, row.address or "", "JOIN")
    village.deliver()
    assert bag.game.phase == "placing"
    return village


def write(village: Village, seat: int, sender: str, text: str, recipient: str | None = None) -> None:
    bag = village.bag
    bag.bring(text, recipient or bag.address(seat), sender)


def zoe_is_forgotten(village: Village) -> None:
    (seat,) = [row.seat for row in seats_at(village.bag, village.bag.game_id) if ZOE in row.addresses]
    write(village, seat, ZOE, "FORGET ME")
    (question,) = village.bag.do(lambda tx: tx.questions(village.bag.game_id, seat))
    write(village, seat, ZOE, "YES", village.bag.question_address(seat, question.number))
    village.deliver()


def raws(bag: Postbag) -> bytes:
    return b"\n".join(mail.raw for mail in bag.look(lambda reader: reader.mails())).lower()


def test_the_mail_that_invited_somebody_goes_with_them() -> None:
    village = a_party()
    assert ZOE.encode() in raws(village.bag)
    zoe_is_forgotten(village)
    assert b"zoe" not in raws(village.bag)
    assert b"zimmer" not in raws(village.bag)


def test_the_game_is_as_sound_as_before_and_says_what_opened_it() -> None:
    village = a_party()
    zoe_is_forgotten(village)
    assert audit(village.bag.room.evidence(village.bag.game_id)).findings == []


def test_the_same_mail_again_opens_no_other_table() -> None:
    village = a_party()
    raw = next(one.raw for one in village.bag.do(lambda tx: tx.mails()) if b"Friday club" in one.raw)
    recipient = next(one.recipient for one in village.bag.do(lambda tx: tx.mails()) if one.raw == raw)
    zoe_is_forgotten(village)
    before = opened(village.bag)
    again = village.bag.take(raw, recipient)
    assert village.bag.mail(again).state == "duplicate"
    assert opened(village.bag) == before


@pytest.mark.parametrize(
    "text", ["HOST Zoe", "UNINVITE Zoe", "SUBSTITUTE Dan: Zoe", "STATUS\n\n> Zoe Zimmer placed a card."]
)
def test_orders_of_others_that_name_them_go_too(text: str) -> None:
    village = a_party()
    write(village, 0, "anna@players.test", text)
    zoe_is_forgotten(village)
    assert b"zoe" not in raws(village.bag)


def test_an_address_that_was_asked_to_play_on_elsewhere_goes_too() -> None:
    village = a_party()
    write(village, 0, "anna@players.test", f"SUBSTITUTE Ben: Zoe {ZOE}")
    zoe_is_forgotten(village)
    assert ZOE.encode() not in raws(village.bag)


def test_what_somebody_else_said_stays_with_the_name_in_it() -> None:
    village = a_party()
    write(village, 0, "anna@players.test", "SAY Hurry up, Zoe")
    zoe_is_forgotten(village)
    (saying,) = village.bag.do(lambda tx: tx.sayings(village.bag.game_id))
    assert saying.text == "Hurry up, Zoe"


def test_the_files_of_a_server_that_goes_on_hold_neither_name_nor_address(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "felix.db")
    village = a_party(store)
    write(village, 0, "anna@players.test", f"NEW\nZoe Zimmer <{ZOE}>")
    village.deliver()
    assert game_at(village.bag, village.bag.game_id).phase == "placing"
    zoe_is_forgotten(village)
    Forgetter(store, village.bag.do).look()
    files = {file.name: file.read_bytes().lower() for file in tmp_path.iterdir()}
    assert set(files) >= {"felix.db", "felix.db-wal"}
    # Packed bytes hold any three letters sooner or later.
    assert [name for name, data in files.items() if b"zoe@" in data or b"zimmer" in data] == []
    store.close()
