"""What the audit finds in what was said in advance: each change of it, and each order not followed.

Most changes here are made to fit: the log is written anew, its private records with it, and the game names
its new root at the end, as somebody would do it who owns the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import pairwise
from typing import Any

import orjson
import pytest

from async_.sameness import played
from felix_async.audit.audit import Finding, audit
from felix_async.audit.evidence import Evidence, SeatLog, evidence_in, exported
from felix_async.audit.seat_logs import named_in, roots
from felix_events.envelope import canonical, check_envelopes
from felix_events.export import read_export
from games import NAMES, TABLE_NAME, Fields, Played, cut, forged, found, recorded_otherwise, reordered

pytestmark = pytest.mark.slow

NO_LOG = SeatLog([])
Own = list[Fields]
"""The envelopes of a seat's own log, as JSON."""


@cache
def a_game(number: int = 6) -> Played:
    """A game with orders out of a file: 3, 4 or 5 players, and with a clock from number 6 on."""
    room, game_id = played(number, orders=True)
    evidence = room.evidence(game_id)
    names = NAMES[: 3 + number % 3]
    file = exported(evidence, names, TABLE_NAME, is_over=True)
    return Played(game_id, evidence_in(read_export(file)), names)


def own(evidence: Evidence, seat: int) -> Own:
    return [orjson.loads(body) for body in evidence.seat_logs.get(seat, NO_LOG).bodies]


def with_own(evidence: Evidence, seat: int, log: Own, *, renumbered: bool = False) -> Evidence:
    """Another log of this seat, with the private records that its events name, and nothing else changed."""
    records = dict(evidence.seat_logs.get(seat, NO_LOG).private_records)
    by_hash = {fields.get("private"): records.get(fields["version"]) for fields in own(evidence, seat)}
    if renumbered:
        log = [fields | {"version": version} for version, fields in enumerate(log, 1)]
    kept = {fields["version"]: by_hash.get(fields.get("private")) for fields in log}
    bodies = [canonical(fields) for fields in log]
    changed = SeatLog(bodies, {version: record for version, record in kept.items() if record})
    logs = {**evidence.seat_logs, seat: changed}
    return replace(evidence, seat_logs={one: log for one, log in logs.items() if log.bodies})


def bound(evidence: Evidence) -> Evidence:
    """The same, with roots at the end that fit."""
    version = len(evidence.bodies) - 1
    names = roots(evidence, len(orjson.loads(evidence.bodies[0])["data"]["seats"]))
    if orjson.loads(evidence.bodies[version - 1])["data"]["roots"] == names:
        return evidence
    return forged(evidence, version, lambda event: event["data"].update(roots=names))


def first(evidence: Evidence) -> Finding:
    (finding, *_) = audit(evidence).findings
    return finding


def rest_after(evidence: Evidence, version: int) -> int:
    """The last version of the transaction to which this one belongs."""
    at = orjson.loads(evidence.bodies[version - 1])["at"]
    return max(place for place, body in enumerate(evidence.bodies, 1) if orjson.loads(body)["at"] == at)


def by_orders(evidence: Evidence) -> dict[int, tuple[int, int]]:
    """The moves by orders: the seat, and the order's version in its own log."""
    return named_in(evidence).ordered


def test_a_game_with_orders_is_sound() -> None:
    report = audit(a_game().evidence)
    assert report.findings == []
    assert report.passed == ["bytes", "tree", "moves", "draws", "count", "scores", "time", "seats", "causes"]
    assert len(by_orders(a_game().evidence)) > 20


@pytest.mark.parametrize("number", [4, 6])
def test_a_game_with_orders_is_sound_wherever_the_table_rests(number: int) -> None:
    room, game_id = played(number, orders=True)
    evidence = room.evidence(game_id)
    envelopes = check_envelopes(evidence.bodies)
    rests = [one.version for one, after in pairwise(envelopes) if one.at != after.at]
    for version in rests[::3]:
        report = audit(cut(evidence, version))
        assert report.findings == [], version
        assert "seats" in report.passed


# ---- a log that is not the one which the game names -----------------------------------------------------
def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], (*path, key))
    else:
        yield path


def other(value: Any) -> Any:
    match value:
        case bool() | None:
            return 1
        case int():
            return value + 1
        case _:
            return ("1" if value[0] == "0" else "0") + value[1:]


def test_any_value_of_a_seats_log_changed_alone_is_found() -> None:
    evidence = a_game(7).evidence
    for seat in evidence.seat_logs:
        log = own(evidence, seat)
        for place in range(0, len(log), 1 + len(log) // 3):
            for path in leaves(log[place]):
                changed = orjson.loads(orjson.dumps(log))
                inner = changed[place]
                for key in path[:-1]:
                    inner = inner[key]
                inner[path[-1]] = other(inner[path[-1]])
                findings = audit(with_own(evidence, seat, changed)).findings
                assert [one.check for one in findings] == ["seats"], path


def test_any_value_of_a_private_record_of_a_seats_log_changed_alone_is_found() -> None:
    evidence = a_game(7).evidence
    seat, log = next(iter(evidence.seat_logs.items()))
    version, record = next(iter(log.private_records.items()))
    fields = orjson.loads(record)
    for key in fields:
        changed = canonical(fields | {key: other(fields[key])})
        spoiled = replace(log, private_records={**log.private_records, version: changed})
        finding = first(replace(evidence, seat_logs={**evidence.seat_logs, seat: spoiled}))
        assert (finding.check, finding.seat, finding.version) == ("seats", seat, version)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda log: log[:-1],
        lambda log: [],
        lambda log: log[1:],
        lambda log: [*log[:3], *log[4:]],
        lambda log: [log[1], log[0], *log[2:]],
        lambda log: [*log, log[-1]],
        lambda log: [*log, {**log[-1], "version": len(log) + 1}],
    ],
    ids=["cut", "dropped", "no beginning", "one missing", "two swapped", "one twice", "one more"],
)
def test_a_seats_log_that_is_not_whole_is_found(spoil: Callable[[Own], Own]) -> None:
    evidence = a_game(7).evidence
    for seat in evidence.seat_logs:
        for renumbered in (False, True):
            changed = with_own(evidence, seat, spoil(own(evidence, seat)), renumbered=renumbered)
            assert "seats" in {one.check for one in audit(changed).findings}


def test_two_seats_logs_exchanged_are_found() -> None:
    evidence = a_game(7).evidence
    one, two, *_ = evidence.seat_logs
    logs = {**evidence.seat_logs, one: evidence.seat_logs[two], two: evidence.seat_logs[one]}
    assert first(replace(evidence, seat_logs=logs)).check == "seats"


def test_an_order_that_never_acted_is_bound_by_the_root_alone() -> None:
    """Taken out so that all else fits: then it is the game's log that convicts."""
    evidence = a_game(0).evidence
    used = {*by_orders(evidence).values()}
    ends = {seat: own(evidence, seat)[-1] for seat in evidence.seat_logs}
    seat = next(
        seat
        for seat, end in ends.items()
        if end["type"] == "order_given" and (seat, end["version"]) not in used
    )
    log = own(evidence, seat)
    shorter = with_own(evidence, seat, log[:-1])
    assert str(first(shorter)).startswith(f"version {len(evidence.bodies) - 1}: seats: expected root ")
    assert audit(bound(shorter)).findings == []


# ---- a log that the game names, and that does not fit it ------------------------------------------------
def changed(evidence: Evidence, seat: int, version: int, change: Callable[[Fields], object]) -> Evidence:
    log = own(evidence, seat)
    change(log[version - 1])
    return bound(with_own(evidence, seat, log))


def acting(evidence: Evidence, kind: str, *, least: int = 1) -> tuple[int, int, list[int]]:
    """An order of this kind that made some moves: the seat, its version, and the moves' versions."""
    for place in {*by_orders(evidence).values()}:
        moves = [version for version, named in by_orders(evidence).items() if named == place]
        order = own(evidence, place[0])[place[1] - 1]["data"]
        if order["kind"] == kind and len(moves) >= least and (kind != "bid" or order["limit"] is not None):
            return *place, moves
    raise AssertionError("no such order")


def data(**values: object) -> Callable[[Fields], object]:
    return lambda event: event["data"].update(values)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("bid", data(limit=1)),
        ("bid", data(first=30, limit=30)),
        ("bid", data(limit=None, first=None)),
        ("bid", data(kind="pass")),
        ("bid", data(card=3)),
        ("bid", lambda event: event["data"].update(turned=event["data"]["turned"] % 4 + 1)),
        ("bid", lambda event: event["data"].update(round=event["data"]["round"] % 9 + 1)),
        ("bid", lambda event: event["data"].update(size=event["data"]["size"] - 1)),
        ("bid", lambda event: event["data"].update(size=event["data"]["size"] + 1)),
        ("bid", lambda event: event["data"].update(size=999)),
        ("bid", lambda event: event["data"].update(seat=(event["data"]["seat"] + 1) % 4)),
        ("bid", lambda event: event.update(at="2030-01-01T00:00:00.000000Z")),
        ("bid", lambda event: event.update(at="2020-01-01T00:00:00.000000Z")),
        ("bid", lambda event: event.update(actor="rules")),
        ("pass", data(kind="bid", limit=30)),
        ("pass", data(limit=5)),
        ("next", lambda event: event["data"].update(card=5 if event["data"]["card"] != 5 else 3)),
        ("next", data(then="ask")),
        ("next", data(card=None)),
        ("next", data(kind="pass")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_order_that_did_not_say_what_was_done_is_found_there(
    kind: str, change: Callable[[Fields], object]
) -> None:
    evidence = a_game(7).evidence
    seat, version, _ = acting(evidence, kind)
    finding = first(changed(evidence, seat, version, change))
    assert (finding.check, finding.seat) == ("seats", seat)
    assert abs(finding.version - version) <= 1


def test_an_order_that_reached_further_than_its_moves_is_found() -> None:
    """With a limit one higher, the pass that was made would have been a bid."""
    evidence = a_game(6).evidence
    for (seat, version), moves in _moves(evidence).items():
        order = own(evidence, seat)[version - 1]["data"]
        is_pass = orjson.loads(evidence.bodies[moves[-1] - 1])["type"] == "player_passed"
        if order["kind"] != "bid" or not is_pass or order["limit"] > 8:
            continue
        higher = changed(evidence, seat, version, data(limit=order["limit"] + 1))
        findings = audit(higher).findings
        if findings and f"version {moves[-1]} of the game" in findings[0].expected:
            assert (findings[0].check, findings[0].seat, findings[0].version) == ("seats", seat, version)
            return
    raise AssertionError("no such order")


def _moves(evidence: Evidence) -> dict[tuple[int, int], list[int]]:
    found: dict[tuple[int, int], list[int]] = {}
    for move, place in by_orders(evidence).items():
        found.setdefault(place, []).append(move)
    return found


@pytest.mark.parametrize("type_", ["bid_placed", "player_passed"])
def test_an_order_put_in_that_was_not_followed_is_found(type_: str) -> None:
    """A limit that nobody gave, before a move by hand: with it, the seat would not have been asked."""
    room, game_id = played(7, orders=True)
    evidence = room.evidence(game_id)
    version = next(
        one.version
        for one in check_envelopes(evidence.bodies)
        if one.type == type_ and one.actor == "seat" and one.version not in by_orders(evidence)
    )
    running = cut(evidence, rest_after(evidence, version))
    seat = orjson.loads(running.bodies[version - 1])["data"]["seat"]
    log = own(running, seat)
    like = next(one for one in own(evidence, seat) if one["type"] == "order_given")
    before = orjson.loads(running.bodies[version - 2])
    game = Played(game_id, running).game(version - 1)
    least = game.high_bid + 1
    order = like["data"] | {"size": version - 1, "round": game.round, "turned": len(game.turned)}
    order |= {"kind": "bid", "first": None, "limit": least, "then": "pass", "card": None}
    log.append({**like, "at": before["at"], "data": order, "version": len(log) + 1})
    records = {**evidence.seat_logs[seat].private_records}
    put_in = with_own(running, seat, log)
    own_log = put_in.seat_logs[seat]
    kept = {**own_log.private_records, len(log): records[like["version"]]}
    logs = {**put_in.seat_logs, seat: replace(own_log, private_records=kept)}
    finding = first(replace(put_in, seat_logs=logs))
    assert (finding.check, finding.seat, finding.version) == ("seats", seat, len(log))


@pytest.mark.parametrize("type_", ["order_done", "order_dropped"])
def test_an_end_of_an_order_that_is_missing_or_names_another_is_found(type_: str) -> None:
    evidence = a_game(7).evidence
    for seat in evidence.seat_logs:
        log = own(evidence, seat)
        place = next(place for place, fields in enumerate(log) if fields["type"] == type_)
        version = log[place]["version"]
        without = bound(with_own(evidence, seat, [*log[:place], *log[place + 1 :]], renumbered=True))
        assert first(without).check in ("seats", "tree")
        assert first(changed(evidence, seat, version, data(order=version))).seat == seat
        assert first(changed(evidence, seat, version, data(size=1))).seat == seat


def test_an_end_that_was_not_one_is_found() -> None:
    """After a move that is not the order's last."""
    evidence = a_game(7).evidence
    seat, version, moves = acting(evidence, "bid", least=2)
    log = own(evidence, seat)
    at = orjson.loads(evidence.bodies[moves[0] - 1])["at"]
    event = {"order": version, "seat": seat, "size": moves[0] - 1}
    end = {**log[version - 1], "actor": "rules", "at": at, "data": event, "type": "order_done"}
    end.pop("private")
    wrong = [*log[:version], end, *log[version:]]
    finding = first(bound(with_own(evidence, seat, wrong, renumbered=True)))
    assert (finding.check, finding.seat) == ("seats", seat)


@pytest.mark.parametrize("why", ["timed_out", "left", "substituted", "replaced"])
def test_an_order_that_was_dropped_for_what_never_happened_is_found(why: str) -> None:
    evidence = a_game(7).evidence
    for seat in evidence.seat_logs:
        asked = [one["version"] for one in own(evidence, seat) if one["data"].get("why") == "asked"]
        if asked:
            finding = first(changed(evidence, seat, asked[0], data(why=why)))
            assert (finding.check, finding.seat, finding.version) == ("seats", seat, asked[0])
            return
    raise AssertionError("nobody dropped anything")


# ---- the game's own log, changed so that its bytes and records fit ---------------------------------------
@pytest.mark.parametrize(
    "fields",
    [{"channel": "mail"}, {"cause": "mail-1"}, {"cause": "order/zzzzz/seat/0/1"}],
    ids=["channel", "cause", "another game"],
)
def test_a_move_that_does_not_name_its_order_is_found(fields: dict[str, str]) -> None:
    evidence = a_game(7).evidence
    seat, version, moves = acting(evidence, "bid")
    findings = audit(recorded_otherwise(evidence, moves[0], **fields)).findings
    assert ("seats", seat, version) in [(one.check, one.seat, one.version) for one in findings]
    assert ("tree" in {one.check for one in findings}) == ("cause" in fields)


def test_a_move_by_hand_that_names_an_order_is_found() -> None:
    evidence = a_game(7).evidence
    seat, version, moves = acting(evidence, "bid")
    cause = orjson.loads(evidence.private_records[moves[0]])["cause"]
    by_hand = next(
        one.version
        for one in a_game(7).envelopes
        if one.type == "bid_placed" and one.actor == "seat" and one.version not in by_orders(evidence)
    )
    finding = first(recorded_otherwise(evidence, by_hand, channel="order", cause=cause))
    assert (finding.check, finding.seat, finding.version) == ("seats", seat, version)


@pytest.mark.parametrize(
    ("option", "value", "check"), [("seat_logs_closed", False, "bytes"), ("records", 1, "bytes")]
)
def test_an_option_that_says_otherwise_is_found(option: str, value: object, check: str) -> None:
    evidence = forged(a_game(7).evidence, 1, lambda event: event["data"]["options"].update({option: value}))
    assert check in found(evidence)


def test_roots_that_are_not_named_are_found() -> None:
    evidence = a_game(7).evidence
    size = len(evidence.bodies)
    unbound = reordered(evidence, [*range(1, size - 1), size])
    assert found(unbound)["moves"] == size - 1
    report = audit(unbound)
    assert "expected seat_logs_closed" in str(next(one for one in report.findings if one.check == "moves"))


def test_private_records_left_out_are_found() -> None:
    evidence = a_game(7).evidence
    assert found(replace(evidence, private_records={}))["tree"] == 1
    seat, log = next(iter(evidence.seat_logs.items()))
    bare = {**evidence.seat_logs, seat: replace(log, private_records={})}
    assert "seats" in found(replace(evidence, seat_logs=bare))


def test_a_private_record_of_another_schema_is_found() -> None:
    evidence = a_game(7).evidence
    *_, moves = acting(evidence, "bid")
    fields = orjson.loads(evidence.private_records[moves[0]])
    old = canonical({key: fields[key] for key in ("salt", "channel", "cause", "mail_sha256", "order")})
    named = sha256(old).hexdigest()
    changed = replace(evidence, private_records={**evidence.private_records, moves[0]: old})
    finding = first(forged(changed, moves[0], lambda event: event.update(private=named)))
    assert str(finding) == (
        f"version {moves[0]}: tree: expected a private record of schema 2, found one of schema 1"
    )


# ---- while the game runs ---------------------------------------------------------------------------------
def test_a_finding_of_a_running_game_does_not_say_what_an_order_says() -> None:
    room, game_id = played(7, orders=True)
    evidence = room.evidence(game_id)
    seat, version, moves = acting(evidence, "next")
    running = cut(evidence, rest_after(evidence, moves[0]))
    log = own(running, seat)
    card = log[version - 1]["data"]["card"]
    log[version - 1]["data"]["card"] = next(other for other in (3, 5, 8, 11) if other != card)
    finding = first(with_own(running, seat, log))
    assert (finding.check, finding.seat, finding.version) == ("seats", seat, version)
    assert "PLAY" not in str(finding)
    assert "hidden while the game runs" in str(finding)


def test_a_file_of_a_running_game_holds_no_seats_log_and_they_are_not_checked() -> None:
    room, game_id = played(7, orders=True)
    evidence = room.evidence(game_id)
    running = cut(evidence, rest_after(evidence, acting(evidence, "pass")[2][-1]))
    assert running.seat_logs
    file = exported(running, NAMES[:4], TABLE_NAME, is_over=False)
    assert b"order_given" not in file
    report = audit(evidence_in(read_export(file)))
    assert report.findings == []
    assert "seats" in report.not_checked
