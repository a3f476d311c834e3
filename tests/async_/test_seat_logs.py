"""The seats' own logs: why the computer moved as it did, kept with it, shown to nobody before the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import orjson
import pytest

from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, SeatLog, evidence_in, exported
from felix_async.audit.seat_logs import explained_moves, explanations
from felix_async.game.commands import Leave
from felix_async.game.narrate import told_reasons
from felix_events.envelope import canonical, check_envelopes, seat_log_id
from felix_events.export import read_export
from felix_events.model import BidPlaced, CardPlaced, PlayerPassed
from felix_events.store.base import Tx
from felix_events.tree import extend, leaf
from games import NAMES, Fields, Played, Room, a_game_played, a_room, a_started_room, found
from golden.make_golden import GOLDEN
from table import ANNA, BEN


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
def test_each_move_of_the_computer_for_a_seat_is_explained_and_no_other() -> None:
    played = a_life()
    made = {
        version
        for version, envelope in enumerate(played.envelopes, 1)
        if isinstance(envelope.data, CardPlaced | BidPlaced | PlayerPassed)
        and envelope.actor == "computer"
        and played.game(version - 1).seats[envelope.data.seat].computer
    }
    assert set(explanations(played.evidence, played.envelopes)) == made
    assert len(made) > 20


def test_an_explanation_names_the_decision_and_the_order_of_its_move() -> None:
    played = a_life()
    for version, why in explanations(played.evidence, played.envelopes).items():
        event = played.events[version - 1]
        word = {"card_placed": "PLAY", "bid_placed": "BID", "player_passed": "PASS"}[event.type]
        assert why.order.split()[0] == word
        assert why.turn == played.game(version - 1).seats[why.seat].turn


def test_the_moves_private_record_names_the_explanation_and_has_its_order() -> None:
    played = a_life()
    whys = explanations(played.evidence, played.envelopes)
    for (seat, number), version in explained_moves(played.evidence).items():
        record = orjson.loads(played.evidence.private_records[version])
        assert record["cause"] == f"computer/{played.game_id}/seat/{seat}/{number}"
        assert record["order"] == whys[version].order


def test_a_game_without_the_computer_has_no_seat_logs() -> None:
    assert a_game_played().evidence.seat_logs == {}


def test_a_simulated_game_is_not_explained() -> None:
    room = a_room()
    game_id = room.open(kind="simulated", start=0)
    room.join_all(game_id)
    room.do(game_id, Leave(seat=BEN, for_good=False))
    evidence = room.evidence(game_id)
    assert check_envelopes(evidence.bodies)[-1].actor == "computer"
    assert evidence.seat_logs == {}


def away(seat: int) -> tuple[Room, str]:
    """A game in which the computer has placed a card for this seat."""
    room, game_id = a_started_room()
    room.do(game_id, Leave(seat=seat, for_good=False))
    return room, game_id


def leave_and_fail(room: Room, tx: Tx, game_id: str) -> None:
    """Ben leaves, the computer moves for him, and then something goes wrong."""
    leave = Leave(seat=BEN, for_good=False)
    with tx.savepoint():
        room.service.handle(tx, game_id, leave, room.by_mail(leave))
        assert tx.head(seat_log_id(game_id, BEN))[0] == 1
        raise ZeroDivisionError


def test_what_undoes_the_move_undoes_the_explanation() -> None:
    """Move and explanation are one transaction."""
    room, game_id = a_started_room()
    with room.store.write() as tx:
        with pytest.raises(ZeroDivisionError):
            leave_and_fail(room, tx, game_id)
        assert tx.head(seat_log_id(game_id, BEN)) == (0, b"")
    assert room.evidence(game_id).seat_logs == {}


def test_a_seats_log_is_no_game() -> None:
    room, game_id = away(BEN)
    with room.store.read() as reader:
        assert reader.logs() == [game_id]
        assert [game.game_id for game in reader.games()] == [game_id]


# ---- what is shown ----------------------------------------------------------------------------------
def test_before_the_end_no_file_holds_an_explanation() -> None:
    room, game_id = away(BEN)
    evidence = room.evidence(game_id)
    assert list(evidence.seat_logs) == [BEN]
    file = exported(evidence, NAMES[:4], "Thursday club", is_over=False)
    assert file == exported(replace(evidence, seat_logs={}), NAMES[:4], "Thursday club", is_over=False)
    assert b"choice_explained" not in file


def test_after_the_end_the_file_holds_them_and_is_sound() -> None:
    export = read_export(a_life().export())
    assert {seat: list(log.bodies) for seat, log in a_life().evidence.seat_logs.items()} == export.seat_logs
    report = audit(evidence_in(export))
    assert report.sound
    assert report.passed[-1] == "seats"


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
    spoiled = SeatLog([row.body for row in rows], rows)
    (finding,) = audit(replace(evidence, seat_logs={**evidence.seat_logs, seat: spoiled})).findings
    assert (finding.check, finding.seat, finding.version) == ("seats", seat, 2)
    assert str(finding).startswith(f"version 2 of seat {seat}'s own log: seats: expected an event that fits")


def test_an_explanation_that_is_missing_at_the_end_is_found() -> None:
    evidence = a_life().evidence
    seat, log = next(iter(evidence.seat_logs.items()))
    assert found(with_log(evidence, seat, list(log.bodies[:-1]))) == {"seats": len(log.bodies)}


def test_all_explanations_missing_are_found() -> None:
    assert found(replace(a_life().evidence, seat_logs={})) == {"seats": 1}


def test_an_explanation_of_no_move_is_found() -> None:
    evidence = a_life().evidence
    seat, log = next(iter(evidence.seat_logs.items()))
    fields = orjson.loads(log.bodies[-1])
    fields["version"] += 1
    fields["data"]["turn"] += 1
    assert found(with_log(evidence, seat, [*log.bodies, canonical(fields)])) == {"seats": len(log.bodies) + 1}


def test_a_private_record_in_a_seats_log_is_found() -> None:
    evidence = a_life().evidence
    seat, log = next(iter(evidence.seat_logs.items()))
    assert log.rows is not None
    rows = [replace(log.rows[0], private_record=b"{}"), *log.rows[1:]]
    logs = {**evidence.seat_logs, seat: SeatLog(log.bodies, rows)}
    assert found(replace(evidence, seat_logs=logs)) == {"seats": 1}


def test_with_unreadable_events_the_seats_logs_are_not_checked() -> None:
    evidence = a_life().evidence
    report = audit(replace(evidence, bodies=[b"{}", *evidence.bodies[1:]]))
    assert "seats" in report.not_checked


def test_a_log_of_a_seat_without_its_game_is_a_finding() -> None:
    room, game_id = away(ANNA)
    (row,) = room.evidence(game_id).seat_logs[ANNA].rows or ()
    range_ = extend(b"", 0, leaf(row.body))
    assert row.range_ == range_
    assert found(replace(room.evidence(game_id), bodies=[], kept=None, private_records={})) == {"bytes": 1}
