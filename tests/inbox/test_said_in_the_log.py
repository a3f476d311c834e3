"""What an order by mail leaves in the logs: which line of which mail said it, and a game that is sound."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from felix_async.audit.audit import audit
from felix_async.game.cards import card_word
from felix_async.orders.rekeying import rekey
from felix_events.envelope import check_private, seat_log_id
from games import Fields
from inbox.postbag import Postbag, a_mail, an_auction


def second(bag: Postbag) -> int:
    """The seat that bids next but one."""
    return bag.game.clockwise(bag.to_move)[1]


def own(bag: Postbag, seat: int) -> list[tuple[Fields, dict[str, Any] | None]]:
    """The events of a seat's own log, each with its private record."""
    rows = bag.look(lambda reader: reader.log(seat_log_id(bag.game_id, seat)))
    found = []
    for row in rows:
        event = orjson.loads(row.body)
        record = row.private_record
        assert (record is None) == ("private" not in event)
        if record is not None:
            check_private(record, event["private"])
        found.append((event, None if record is None else orjson.loads(record)))
    return found


@pytest.mark.parametrize(
    ("text", "order", "kinds"),
    [
        ("UP TO 7", "UP TO 7", ["bid"]),
        ("up to 7, then ask", "UP TO 7 THEN ASK", ["bid"]),
        ("**Bid 3, up to 7.**", "BID 3, UP TO 7", ["bid"]),
        ("pass", "PASS", ["pass"]),
    ],
)
def test_the_private_record_has_the_order_and_the_line(text: str, order: str, kinds: list[str]) -> None:
    bag = an_auction()
    seat = second(bag)
    bag.send(seat, text)
    (mail,) = bag.look(lambda reader: reader.mails())[-1:]
    ((event, record),) = own(bag, seat)
    assert [event["data"]["kind"]] == kinds
    assert record is not None
    assert (record["schema"], record["channel"], record["order"]) == (2, "mail", order)
    assert record["line"] is not None
    assert record["mail_sha256"] == mail.sha256
    assert record["message_id"]
    assert record["grammar"] >= 2
    assert record["inferred"] is False


def test_all_that_is_said_and_dropped_by_mail_is_sound() -> None:
    bag = an_auction()
    seat = second(bag)
    cards = [card_word(card).upper() for card in bag.game.seats[seat].hand]
    for text in ("UP TO 5", "UP TO 6, NEXT " + cards[0], "NEXT " + cards[1], "DROP", "UP TO 3", "PASS"):
        bag.send(seat, text)
    told = [
        (event["type"], event["data"].get("why"), event["actor"], record and record["order"])
        for event, record in own(bag, seat)
    ]
    assert told == [
        ("order_given", None, "seat", "UP TO 5"),
        ("order_dropped", "replaced", "seat", f"UP TO 6, NEXT {cards[0]}"),
        ("order_given", None, "seat", f"UP TO 6, NEXT {cards[0]}"),
        ("order_given", None, "seat", f"UP TO 6, NEXT {cards[0]}"),
        ("order_dropped", "replaced", "seat", f"NEXT {cards[1]}"),
        ("order_given", None, "seat", f"NEXT {cards[1]}"),
        ("order_dropped", "asked", "seat", "DROP"),
        ("order_dropped", "asked", "seat", "DROP"),
        ("order_given", None, "seat", "UP TO 3"),
        ("order_dropped", "replaced", "seat", "PASS"),
        ("order_given", None, "seat", "PASS"),
    ]
    assert audit(bag.room.evidence(bag.game_id)).findings == []
    bag.send(bag.to_move, "BID 1")
    bag.room.play(bag.game_id)
    report = audit(bag.room.evidence(bag.game_id))
    assert report.findings == []
    assert report.not_checked == {}


def test_a_move_with_a_card_behind_it_is_one_line_and_two_records() -> None:
    bag = an_auction()
    seat = bag.to_move
    card = card_word(bag.game.seats[seat].hand[-1]).upper()
    bag.send(seat, f"BID 2, NEXT {card}")
    ((event, record),) = own(bag, seat)
    assert record is not None
    assert event["data"]["kind"] == "next"
    evidence = bag.room.evidence(bag.game_id)
    moved = orjson.loads(evidence.private_records[max(evidence.private_records)])
    assert {record["line"], moved["line"]} == {f"BID 2, NEXT {card}"}
    assert moved["channel"] == "mail"
    assert audit(evidence).findings == []


def test_void_addresses_leave_a_log_that_is_sound() -> None:
    bag = an_auction()
    seat = second(bag)
    bag.send(seat, "UP TO 5")
    bag.do(lambda tx: rekey(tx, bag.room.service, bag.seat(seat), "Renewed."))
    assert own(bag, seat)[-1][0]["data"]["why"] == "rekeyed"
    assert audit(bag.room.evidence(bag.game_id)).findings == []


@pytest.mark.parametrize("length", [900, 30_000])
def test_a_stranger_cannot_fill_the_log_with_a_message_id(length: int) -> None:
    bag = an_auction()
    seat, address = second(bag), bag.seat(second(bag)).address or ""
    message_id = f"<{'a' * length}@x.test>"
    bag.take(a_mail("UP TO 5", sender=address, message_id=message_id), bag.address(seat), address)
    ((_, record),) = own(bag, seat)
    assert record is not None
    assert record["message_id"] == f"{'a' * length}@x.test"[:998]
    assert audit(bag.room.evidence(bag.game_id)).findings == []
