"""The seats' own logs: why the computer moved as it did, kept with it, shown to nobody before the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import orjson
import pytest

from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, SeatLog, exported
from felix_async.audit.seat_logs import explanations, named_in
from felix_async.game.commands import Leave
from felix_async.game.narrate import told_reasons
from felix_events.envelope import canonical
from games import NAMES, Fields, Played, Room, a_game_played, a_started_room, found
from golden.make_golden import GOLDEN
from table import BEN


@cache
def a_life() -> Played:
    """A game in which the computer played for several, for a while and for good."""
    return next(script for script in GOLDEN if script.course == "life").play()


def with_log(evidence: Evidence, seat: int, bodies: list[bytes]) -> Evidence:
    """Another log of this seat, as if out of a file."""
    logs = {**evidence.seat_logs, seat: SeatLog(bodies)}
    return replace(evidence, seat_logs={seat: log for seat, log in logs.items() if log.bodies})


def changed(evidence: Evidence, seat: int, version: int, change: Callable[[Fields], object]) -> Evidence:
    bodies = list(evidence.seat_logs[seat].bodies)
    fields = orjson.loads(bodies[version - 1])
    change(fields)
    bodies[version - 1] = canonical(fields)
    return with_log(evidence, seat, bodies)


# ---- what is kept -----------------------------------------------------------------------------------
def test_the_moves_private_record_names_the_explanation_and_has_its_order() -> None:
    played = a_life()
    whys = explanations(played.evidence, played.envelopes)
    for (seat, number), version in named_in(played.evidence).explained.items():
        record = orjson.loads(played.evidence.private_records[version])
        assert record["cause"] == f"computer/{played.game_id}/seat/{seat}/{number}"
        assert record["order"] == whys[version].order


def test_a_game_without_the_computer_has_no_seat_logs() -> None:
    assert a_game_played().evidence.seat_logs == {}


def away(seat: int) -> tuple[Room, str]:
    """A game in which the computer has placed a card for this seat."""
    room, game_id = a_started_room()
    room.do(game_id, Leave(seat=seat, for_good=False))
    return room, game_id


# ---- what is shown ----------------------------------------------------------------------------------
def test_another_seat_is_not_told_the_reasons() -> None:
    played = a_life()
    why = next(iter(explanations(played.evidence, played.envelopes).values()))
    assert told_reasons(why, "spectator") == told_reasons(why, (why.seat + 1) % 5) == []
    assert len(told_reasons(why, why.seat)) == len(told_reasons(why, "all")) == len(why.reasons)


# ---- what an audit finds ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields["data"].update(order="BID 99"),
        lambda fields: fields["data"].update(turn=99),
        lambda fields: fields["data"].update(seat=(fields["data"]["seat"] + 1) % 5),
        lambda fields: fields["data"].update(reasons=[]),
        lambda fields: fields["data"].update(more=1),
        lambda fields: fields.update(version=9),
        lambda fields: fields.update(game_id="zzzzz/seat/0"),
        lambda fields: fields.update(actor="seat"),
        lambda fields: fields.update(at="2030-01-01T00:00:00.000000Z"),
        lambda fields: fields.pop("salt"),
    ],
    ids=["order", "turn", "seat", "no reasons", "a key", "version", "another log", "actor", "time", "salt"],
)
def test_an_explanation_that_does_not_belong_there_is_found(change: Callable[[Fields], object]) -> None:
    evidence = a_life().evidence
    seat = max(evidence.seat_logs)
    assert found(changed(evidence, seat, 3, change)) == {"seats": 3}


def test_a_changed_byte_in_the_store_is_found_by_the_tree() -> None:
    evidence = a_life().evidence
    seat = max(evidence.seat_logs, key=lambda seat: len(evidence.seat_logs[seat].bodies))
    log = evidence.seat_logs[seat]
    assert log.rows is not None
    rows = list(log.rows)
    rows[1] = replace(rows[1], body=rows[1].body.replace(b'"value":', b'"value":1', 1))
    spoiled = SeatLog([row.body for row in rows], rows=rows)
    (finding,) = audit(replace(evidence, seat_logs={**evidence.seat_logs, seat: spoiled})).findings
    assert (finding.check, finding.seat, finding.version) == ("seats", seat, 2)
    assert str(finding).startswith(f"version 2 of seat {seat}'s own log: seats: expected an event that fits")


def test_an_explanation_that_is_missing_at_the_end_is_found() -> None:
    evidence = a_life().evidence
    seat, log = next(iter(evidence.seat_logs.items()))
    assert found(with_log(evidence, seat, list(log.bodies[:-1]))) == {"seats": len(log.bodies)}


def test_all_explanations_missing_are_found() -> None:
    assert found(replace(a_life().evidence, seat_logs={})) == {"seats": 1}


def test_a_private_record_in_a_seats_log_is_found() -> None:
    evidence = a_life().evidence
    seat, log = next(iter(evidence.seat_logs.items()))
    logs = {**evidence.seat_logs, seat: replace(log, private_records={1: b"{}"})}
    assert found(replace(evidence, seat_logs=logs)) == {"seats": 1}


def test_with_unreadable_events_the_seats_logs_are_not_checked() -> None:
    evidence = a_life().evidence
    report = audit(replace(evidence, bodies=[b"{}", *evidence.bodies[1:]]))
    assert "seats" in report.not_checked


def test_before_the_end_no_file_holds_an_explanation() -> None:
    room, game_id = away(BEN)
    evidence = room.evidence(game_id)
    assert list(evidence.seat_logs) == [BEN]
    file = exported(evidence, NAMES[:4], "Thursday club", is_over=False)
    assert file == exported(replace(evidence, seat_logs={}), NAMES[:4], "Thursday club", is_over=False)
    assert b"choice_explained" not in file
