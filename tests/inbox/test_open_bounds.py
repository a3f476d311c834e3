"""One stranger who is let in, and wants felix to write to people who never heard of it: how much that is."""

from __future__ import annotations

from collections import Counter

import pytest

from felix_async.language.words import REFUSALS
from felix_async.orders.quotas import A_DAY
from felix_async.orders.strangers import ELSEWHERE, ELSEWHERE_OF_A_DOMAIN, GUESTS_OF_A_DOMAIN, TO_ONE
from felix_events.store.base import Reader
from inbox.doorstep import Door, a_door
from inbox.mailroom_of_people import a_village
from inbox.postbag import Postbag
from inbox.substituting import CARA, a_succession

EVE = "eve@evil.example"
VICTIM = "vic@victim.example"


@pytest.fixture
def door(bag: Postbag) -> Door:
    return a_door(bag)


def new(*guests: str) -> str:
    return "\n".join(["NEW", *guests])


def four(number: int) -> str:
    """A NEW with four people nobody knows, others for each number."""
    return new(*(f"{name}{number}@victim.example" for name in ("ann", "bob", "cy", "di")))


def last(door: Door) -> Postbag:
    """The newest table."""
    return Postbag(door.room, door.games[-1].game_id, door.processor)


def host_writes(door: Door, text: str, sender: str = EVE) -> str:
    """The host of the newest table writes to it; the sentences of the answer."""
    table = last(door)
    door.knock(text, sender, recipient=table.address(0))
    answer = table.answer_to(door.look(lambda reader: reader.mails())[-1].mail_id)
    return "" if answer is None else " ".join(line.why for line in answer.lines)


def invited(door: Door) -> Counter[str]:
    """How often somebody was invited by a stranger."""

    def count(reader: Reader) -> Counter[str]:
        rows = [row for game in door.games for row in reader.seats(game.game_id)[1:]]
        return Counter(row.addresses[0] for row in rows)

    return door.look(count)


# ---- invitations --------------------------------------------------------------------------------------
def test_one_stranger_opens_five_tables_a_day_whatever_they_close(door: Door) -> None:
    for number in range(8):
        door.knock(four(number), EVE)
        host_writes(door, "CANCEL")
    assert invited(door).total() == 4 * A_DAY["tables"] == GUESTS_OF_A_DOMAIN


def test_one_domain_invites_no_more_than_that(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(8):
        door.knock(four(number), f"eve{number}@evil.example")
    assert invited(door).total() == GUESTS_OF_A_DOMAIN
    assert "people of one mail domain have invited 20 others within a day" in caplog.text
    assert "evil.example" not in caplog.text
    assert "opened a table" in door.knock(four(9), "zoe@friends.example")


def test_whoever_they_bring_in_is_counted_beside_them(door: Door) -> None:
    door.knock(new("mallory@evil.example", "bob@victim.example"), EVE)
    table = last(door)
    door.knock("JOIN", "mallory@evil.example", recipient=table.address(1))
    for number in range(4):
        door.knock(four(number), EVE)
    for number in range(4, 8):
        door.knock(four(number), "mallory@evil.example")
    strangers = [address for address in invited(door).elements() if address.endswith("victim.example")]
    assert len(strangers) <= GUESTS_OF_A_DOMAIN


def test_who_answers_does_not_count_any_more(door: Door) -> None:
    for number in range(5):
        door.knock(four(number), f"eve{number}@evil.example")
    assert "new/enough_strangers" in door.knock(four(9), "eve9@evil.example")
    table = last(door)
    for seat, name in enumerate(("ann4", "bob4", "cy4", "di4"), 1):
        door.knock("DECLINE", f"{name}@victim.example", recipient=table.address(seat))
    assert "opened a table" in door.knock(four(9), "eve9@evil.example")


def test_all_domains_together_invite_as_many_as_the_settings_say(door: Door) -> None:
    for number in range(20):
        door.knock(four(number), f"eve@evil{number}.example")
    assert invited(door).total() == door.room.service.strangers_a_day


def test_a_rematch_of_a_table_that_never_began_invites_within_the_same_bounds(door: Door) -> None:
    door.room.service.strangers_a_day = 12
    for number in range(3):
        door.knock(four(number), f"eve@evil{number}.example")
    host_writes(door, "CANCEL", "eve@evil2.example")
    why = host_writes(door, "REMATCH", "eve@evil2.example")
    assert why == REFUSALS["new/enough_strangers"]
    assert invited(door).total() == 12


def test_one_person_is_one_whatever_stands_behind_the_plus(door: Door) -> None:
    for number in range(20):
        guests = [f"vic+{number}@victim.example", f"bob{number}@victim.example"]
        door.knock(new(*guests), f"eve@evil{number}.example")
    to_vic = [address for address in invited(door).elements() if address.startswith("vic")]
    assert len(to_vic) == 10


# ---- words ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("orders", [["SAY Buy this"], ["CANCEL", "SAY Buy this", "SAY And that"]])
def test_who_has_not_joined_is_told_none_of_their_words(door: Door, orders: list[str]) -> None:
    door.knock(four(1), EVE)
    for order in orders:
        assert "nobody else is there to hear it" in host_writes(door, order) or order == "CANCEL"
    talk = [notice for notice in last(door).notices() if notice.kind == "talk"]
    assert talk == []


def test_no_letter_to_them_holds_any_and_who_joins_reads_them(door: Door) -> None:
    door.knock(four(1), EVE)
    host_writes(door, "SAY Xylophones are cheap")
    table = last(door)
    door.knock("JOIN", "ann1@victim.example", recipient=table.address(1))
    host_writes(door, "SAY Zithers, too")
    host_writes(door, "CANCEL")
    a_village(door)
    letters = [one for one in door.letters if one.game_id == table.game_id]
    told = {
        one.recipient.partition("1@")[0]
        for one in letters
        if one.recipient != EVE and (b"Xylophones" in one.raw or b"Zithers" in one.raw)
    }
    assert len({one.recipient for one in letters}) == 5
    assert told == {"ann"}


# ---- addresses that are named -------------------------------------------------------------------------
def claims(door: Door) -> int:
    """How many letters ask somebody whether an address is theirs."""
    tables = [Postbag(door.room, game.game_id, door.processor) for game in door.games]
    return sum(notice.kind == "claim" for table in tables for notice in table.notices())


def name_addresses(door: Door, host: str, *addresses: str) -> str:
    there = host.partition("@")[2]
    door.knock(new(f"bob@home.{there}", f"cy@home.{there}"), host)
    return [host_writes(door, f"ADDRESS {address}", host) for address in addresses][-1]


def test_to_one_person_so_many_letters_go_whoever_names_them(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(TO_ONE + 2):
        why = name_addresses(door, f"eve@evil{number}.example", f"vic+{number}@victim.example")
    assert why == REFUSALS["elsewhere/enough"]
    assert claims(door) == TO_ONE
    assert "3 to that address" in caplog.text
    assert "victim" not in caplog.text


def test_people_of_one_domain_name_so_many(door: Door) -> None:
    for number in range(5):
        mine = [f"v{number}{letter}@victim.example" for letter in "abc"]
        name_addresses(door, f"eve{number}@evil.example", *mine)
    assert claims(door) == ELSEWHERE_OF_A_DOMAIN
    name_addresses(door, "zoe@friends.example", "zoe@elsewhere.example")
    assert claims(door) == ELSEWHERE_OF_A_DOMAIN + 1


def test_all_together_name_so_many_and_more_a_day_later(door: Door) -> None:
    for number in range(ELSEWHERE // 3 + 2):
        mine = [f"v{number}{letter}@victim{number}.example" for letter in "abc"]
        name_addresses(door, f"eve@evil{number}.example", *mine)
    assert claims(door) == ELSEWHERE
    door.wait(days=1, seconds=1)
    host_writes(door, "ADDRESS later@victim.example", f"eve@evil{number}.example")
    assert claims(door) == ELSEWHERE + 1


def test_a_seat_is_offered_within_the_same_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("felix_async.orders.strangers.ELSEWHERE_OF_A_DOMAIN", 1)
    succession = a_succession()
    succession.bag.send(CARA, "ADDRESS cara@elsewhere.example")
    assert REFUSALS["elsewhere/enough"] in " ".join(succession.offer().split())
    assert not succession.questions()
