"""Who may invite, and how many strangers: felix is no way to write to people who never heard of it."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

from felix_async.game.rules import Refusal
from felix_async.language.words import REFUSALS
from felix_async.orders.strangers import too_many_strangers
from felix_async.schedule.tick import tick
from inbox.hosting import FRIENDS, opened, seats_at, why_not, write_new
from inbox.mailroom_of_people import a_village
from inbox.postbag import Postbag, a_table

DORA = "dora@friends.test"


@pytest.fixture
def bag() -> Postbag:
    """Dora and Emil, of whom nobody knows, are invited by mail."""
    bag = a_table()
    write_new(bag, f"NEW\n{FRIENDS}")
    return bag


def of_dora(bag: Postbag) -> Postbag:
    """The table at which she sits."""
    return Postbag(bag.room, opened(bag)[0], bag.processor, bag.mails)


def dora_writes(bag: Postbag, text: str) -> int:
    table = of_dora(bag)
    (seat,) = [row.seat for row in seats_at(bag, table.game_id) if DORA in row.addresses]
    return bag.bring(text, table.address(seat), DORA)


# ---- who may invite -------------------------------------------------------------------------------------
def test_who_was_only_invited_by_mail_opens_no_table(bag: Postbag) -> None:
    mail = dora_writes(bag, "NEW\nx@friends.test\ny@friends.test")
    answer = of_dora(bag).answer_to(mail)
    assert answer is not None
    assert (answer.lines[0].code, len(opened(bag))) == ("new/not_joined", 1)


@pytest.mark.parametrize("order", ["JOIN", "JOIN\nSTATUS"])
def test_who_has_joined_may(bag: Postbag, order: str) -> None:
    dora_writes(bag, order)
    dora_writes(bag, "NEW\nx@friends.test\ny@friends.test")
    assert len(opened(bag)) == 2


def test_who_was_entered_by_the_operator_may_without_having_joined() -> None:
    bag = a_table()
    write_new(bag, f"NEW\n{FRIENDS}")
    assert len(opened(bag)) == 1


# ---- how many strangers ---------------------------------------------------------------------------------
def test_beyond_so_many_a_day_no_stranger_is_invited(bag: Postbag, caplog: pytest.LogCaptureFixture) -> None:
    bag.room.service.strangers_a_day = 3
    with caplog.at_level(logging.WARNING):
        said = why_not(bag, "NEW\nx@friends.test\ny@friends.test", sender="ben@players.test", seat=1)
    assert said == REFUSALS["new/enough_strangers"]
    assert "invitations.strangers_a_day is 3" in caplog.text
    assert "friends.test" not in caplog.text


def test_no_log_is_read_to_count_them(bag: Postbag, monkeypatch: pytest.MonkeyPatch) -> None:
    bag.room.service.strangers_a_day = 2
    with bag.room.store.read() as reader:
        monkeypatch.setattr(type(reader), "log", None)
        assert too_many_strangers(reader, bag.room.service, [DORA], bag.seat(0)) == Refusal(
            "new/enough_strangers"
        )


def test_as_many_as_there_may_be_are_invited(bag: Postbag) -> None:
    bag.room.service.strangers_a_day = 4
    write_new(bag, "NEW\nx@friends.test\ny@friends.test", sender="ben@players.test", seat=1)
    assert len(opened(bag)) == 2


def test_who_has_written_is_no_stranger(bag: Postbag) -> None:
    bag.room.service.strangers_a_day = 3
    dora_writes(bag, "DECLINE")
    write_new(bag, f"NEW\n{DORA}\nx@friends.test\ny@friends.test", sender="ben@players.test", seat=1)
    assert len(opened(bag)) == 2


def test_a_day_later_strangers_are_invited_again(bag: Postbag) -> None:
    bag.room.service.strangers_a_day = 2
    bag.room.clock.now += timedelta(days=1, minutes=5)
    write_new(bag, "NEW\nx@friends.test\ny@friends.test")
    assert len(opened(bag)) == 2


def test_who_was_invited_at_the_desk_does_not_count() -> None:
    bag = a_table()
    bag.room.service.strangers_a_day = 2
    write_new(bag, f"NEW\n{FRIENDS}")
    assert len(opened(bag)) == 1


def test_friends_are_invited_also_where_no_stranger_may_be() -> None:
    bag = a_table()
    bag.room.service.strangers_a_day = 0
    for seat in (1, 2):
        bag.send(seat, "STATUS")
    write_new(bag, "NEW\nBen\nCara")
    assert len(opened(bag)) == 1


# ---- how often a stranger is written to -----------------------------------------------------------------
def reminders(bag: Postbag, address: str) -> list[str]:
    """The kinds of all that is owed to somebody until the invitation expires."""
    for _ in range(9 * 24):
        bag.room.clock.now += timedelta(hours=1)
        tick(bag.do, bag.room.service)
    table = of_dora(bag)
    (seat,) = [row.seat for row in seats_at(bag, table.game_id) if address in row.addresses]
    return [notice.kind for notice in table.notices() if notice.seat == seat]


def test_who_never_wrote_is_reminded_once(bag: Postbag) -> None:
    assert reminders(bag, DORA).count("reminder") == 1


def test_who_has_written_is_reminded_again_before_the_invitation_expires(bag: Postbag) -> None:
    dora_writes(bag, "RULES")
    assert reminders(bag, DORA).count("reminder") == 2


# ---- what stands in the mail to a stranger --------------------------------------------------------------
def test_neither_a_table_nor_a_guest_brings_a_link_into_a_strangers_mail() -> None:
    bag = a_table()
    write_new(bag, f'NEW: Win at https://evil.test/x\n"www.evil.test" <{DORA}>\nEmil <emil@friends.test>')
    a_village(bag)
    with bag.room.store.read() as reader:
        raws = [letter.raw for letter in reader.letters() if "friends.test" in letter.recipient]
    assert len(raws) == 2
    for raw in raws:
        assert b"evil.test" not in raw
        assert b"://evil" not in raw
