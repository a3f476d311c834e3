"""Private records that were changed along with their events, so that every hash fits: what finds them.

A game is played by mail, exported, and made anew with one thing otherwise. What passes is listed in
`FREE`, as docs/proof.md lists it.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from club import an_honest_year
from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, SeatLog, evidence_in, evidence_of
from felix_async.audit.seat_logs import roots
from felix_async.clock import later
from felix_async.meaning.meaning import GRAMMAR
from felix_async.service import Service
from felix_cli.simulate import PLAYERS, SeededEntropy, SteppingClock, play_game
from felix_events.envelope import canonical
from felix_events.export import read_export
from felix_events.store.sqlite import SqliteStore
from games import Fields, forged, found, recorded_otherwise
from golden.make_golden import GOLDEN

pytestmark = pytest.mark.slow

EXAMPLES: Final = Path(__file__).parents[2] / "examples" / "games"
OTHER: Final = "0" * 64
FREE: Final = {"salt": "1" * 32, "cause": "another", "inferred": True}
"""The fields of a record that nothing else in a file tells of, whatever the way by which a move came."""


@cache
def by_mail() -> Evidence:
    """A game that people played by mail, with a clock, plain words and what is said in advance."""
    return of_year(an_honest_year().over)


def of_year(game_id: str) -> Evidence:
    with closing(SqliteStore.open_to_read(an_honest_year().path)) as store, store.read() as reader:
        evidence = evidence_of(reader, game_id)
    assert evidence is not None
    return replace(evidence, kept=None)


@cache
def example() -> Evidence:
    """A game in which the computer played for somebody."""
    return evidence_in(read_export((EXAMPLES / "5-players.jsonl").read_bytes()))


@cache
def disputed() -> Evidence:
    """A game in which moves were denied."""
    return golden("time-disputed")


def golden(name: str) -> Evidence:
    path = next(script.path for script in GOLDEN if script.name == name)
    return evidence_in(read_export(path.read_bytes()))


def events(evidence: Evidence) -> list[Fields]:
    return [orjson.loads(body) for body in evidence.bodies]


def records(evidence: Evidence) -> dict[int, Fields]:
    return {version: orjson.loads(record) for version, record in evidence.private_records.items()}


def places(evidence: Evidence, type_: str, channel: str) -> list[int]:
    kept = records(evidence)
    return [
        one["version"]
        for one in events(evidence)
        if one["type"] == type_ and kept.get(one["version"], {}).get("channel") == channel
    ]


def _bid(amount: int, event: Fields) -> None:
    event["data"]["amount"] = amount


def test_games_as_they_were_played_are_sound() -> None:
    for evidence in (by_mail(), example()):
        report = audit(evidence)
        assert report.findings == []
        assert "causes" in report.passed


# ---- the order and the line
@pytest.mark.parametrize("type_", ["bid_placed", "player_passed", "card_placed"])
@pytest.mark.parametrize("order", ["BID 29", "PASS, UP TO 3", "PLAY 15, NEXT", "STATUS", "", None, "xyz"])
def test_an_order_that_is_not_the_move_is_found(type_: str, order: str | None) -> None:
    version = places(by_mail(), type_, "mail")[-1]
    assert found(recorded_otherwise(by_mail(), version, order=order)) == {"causes": version}


def test_a_bid_that_was_changed_with_its_order_is_found_by_the_line() -> None:
    kept = records(by_mail())
    version = next(
        version
        for version in places(by_mail(), "bid_placed", "mail")
        if kept[version]["line"] == kept[version]["order"] and not kept[version]["inferred"]
    )
    amount = events(by_mail())[version - 1]["data"]["amount"] + 1
    changed = forged(by_mail(), version, lambda event: event["data"].update(amount=amount))
    assert found(recorded_otherwise(changed, version, order=f"BID {amount}"))["causes"] == version


def test_a_line_is_read_by_the_reader_of_its_time_alone() -> None:
    version = places(by_mail(), "bid_placed", "mail")[0]
    otherwise = partial(recorded_otherwise, by_mail(), version, inferred=False, line="BID 29")
    assert found(otherwise(grammar=GRAMMAR)) == {"causes": version}
    assert found(otherwise(grammar=GRAMMAR - 1)) == {}


@pytest.mark.parametrize("line", ["YES", "one more, please", "I never wrote this", "x" * 200])
def test_a_line_that_is_no_move_by_itself_is_no_finding(line: str) -> None:
    version = places(by_mail(), "bid_placed", "mail")[0]
    changed = recorded_otherwise(by_mail(), version, inferred=False, line=line, grammar=GRAMMAR)
    assert found(changed) == {}


# ---- the way and the actor
@pytest.mark.parametrize("channel", ["desk", "computer", "clock", "order", "web"])
def test_a_move_by_mail_cannot_have_come_another_way(channel: str) -> None:
    version = places(by_mail(), "bid_placed", "mail")[0]
    assert found(recorded_otherwise(by_mail(), version, channel=channel))


@pytest.mark.parametrize("actor", ["host", "computer", "clock"])
def test_a_players_move_is_nobody_elses(actor: str) -> None:
    version = places(by_mail(), "bid_placed", "mail")[0]
    changed = forged(by_mail(), version, lambda event: event.update(actor=actor))
    assert {"causes", "moves"} & set(found(changed))


def test_the_computers_move_is_no_players_mail() -> None:
    version = places(example(), "bid_placed", "computer")[0]
    changed = forged(example(), version, lambda event: event.update(actor="seat"))
    assert found(changed)
    mailed = recorded_otherwise(changed, version, channel="mail", mail_sha256=OTHER)
    assert found(mailed)["causes"] == version


@pytest.mark.parametrize(
    "fields",
    [
        {"mail_sha256": None},
        {"grammar": None},
        {"line": None},
        {"line": None, "grammar": None, "inferred": True},
    ],
)
def test_what_goes_with_a_mail_is_there(fields: dict[str, Any]) -> None:
    version = places(by_mail(), "bid_placed", "mail")[0]
    assert found(recorded_otherwise(by_mail(), version, **fields)) == {"causes": version}


@pytest.mark.parametrize("fields", [{"mail_sha256": OTHER}, {"message_id": "<x@players.test>"}])
def test_what_goes_with_a_mail_is_nowhere_else(fields: dict[str, Any]) -> None:
    version = places(example(), "bid_placed", "computer")[0]
    assert found(recorded_otherwise(example(), version, **fields)) == {"causes": version}


@pytest.mark.parametrize("fields", [{"mail_sha256": None}, {"channel": "web"}, {"order": "BID 29"}])
def test_an_order_was_taken_back_by_what_its_record_says(fields: dict[str, Any]) -> None:
    evidence = of_year(an_honest_year().on)
    seat, version = next(
        (seat, version)
        for seat, log in evidence.seat_logs.items()
        for version in log.private_records
        if b'"type":"order_dropped"' in log.bodies[version - 1]
    )
    log = evidence.seat_logs[seat]
    alone = Evidence(evidence.game_id, log.bodies, dict(log.private_records))
    changed = recorded_otherwise(alone, version, **fields)
    logs = {**evidence.seat_logs, seat: SeatLog(changed.bodies, changed.private_records)}
    assert found(evidence) == {}
    assert found(replace(evidence, seat_logs=logs)) == {"seats": version}


@pytest.mark.parametrize("fields", [{"order": "JOIN other words"}, {"order": "what?"}, {"message_id": None}])
def test_a_contribution_is_that_of_the_message(fields: dict[str, Any]) -> None:
    for version in places(example(), "player_joined", "mail"):
        assert found(recorded_otherwise(example(), version, **fields)) == {"causes": version}


@pytest.mark.parametrize(
    ("cause", "inferred"),
    [("taken/{game}/9/1", True), ("taken/another/{seat}/1", True), ("taken/{game}/{seat}/1", False)],
)
def test_only_an_order_that_was_taken_may_be_without_its_message(cause: str, inferred: bool) -> None:
    version = places(by_mail(), "bid_placed", "mail")[0]
    event = events(by_mail())[version - 1]
    cause = cause.format(game=event["game_id"], seat=event["data"]["seat"])
    changed = recorded_otherwise(by_mail(), version, mail_sha256=None, cause=cause, inferred=inferred)
    assert found(changed) == {"causes": version}


@pytest.mark.parametrize("order", ["STOP", "what?", "STATUS"])
@pytest.mark.parametrize("line", ["RESIGN", "YES (RESIGN)", "yes, I do (RESIGN)"])
def test_a_player_who_resigned_did_not_stop_for_a_while(order: str, line: str) -> None:
    version = places(by_mail(), "seat_handed_over", "mail")[0]
    changed = forged(by_mail(), version, lambda event: event["data"].update(for_good=False))
    changed = recorded_otherwise(changed, version, order=order, line=line, grammar=GRAMMAR, inferred=False)
    assert found(changed)["causes"] == version


def test_an_order_in_advance_by_mail_is_the_seats() -> None:
    evidence = by_mail()
    seat, version = next(
        (seat, version)
        for seat, log in evidence.seat_logs.items()
        for version, record in log.private_records.items()
        if b'"type":"order_given"' in log.bodies[version - 1] and b'"channel":"mail"' in record
    )
    log = evidence.seat_logs[seat]
    alone = Evidence(evidence.game_id, log.bodies, dict(log.private_records))
    changed = forged(alone, version, lambda event: event.update(actor="host"))
    logs = {**evidence.seat_logs, seat: replace(log, bodies=changed.bodies)}
    assert found(with_roots(replace(evidence, seat_logs=logs))) == {"seats": version}


def test_the_computer_says_nothing_for_the_next_round() -> None:
    version = places(example(), "card_placed", "computer")[0]
    order = records(example())[version]["order"]
    changed = recorded_otherwise(example(), version, order=f"{order}, NEXT 8")
    assert found(changed) == {"causes": version}


def test_a_step_has_one_time() -> None:
    first = next(one["version"] for one in events(by_mail()) if one["actor"] == "rules")
    changed = forged(by_mail(), first, lambda event: event.update(at=later(event["at"], 1)))
    assert found(changed)["moves"] == first


# ---- the computer
def test_another_choice_of_the_computer_is_found() -> None:
    """A bid of one mouse more, with the order in its record."""
    for version in places(example(), "bid_placed", "computer"):
        amount = events(example())[version - 1]["data"]["amount"] + 1
        changed = forged(example(), version, partial(_bid, amount))
        assert found(recorded_otherwise(changed, version, order=f"BID {amount}"))["causes"] == version


def test_a_move_of_the_computer_in_no_seat_is_found_where_it_stands() -> None:
    game = golden("time-outvoted")
    version = places(game, "bid_placed", "computer")[0]
    changed = forged(game, version, lambda event: event["data"].update(seat=4))
    assert found(changed)["moves"] == version


def test_an_explanation_taken_out_is_found() -> None:
    """With its name in the record of the move, and another root at the end."""
    evidence, seat = golden_with_explanation()
    log = evidence.seat_logs[seat]
    named_so = f"computer/{evidence.game_id}/seat/{seat}/{len(log.bodies)}"
    version = next(version for version, one in records(evidence).items() if one["cause"] == named_so)
    logs = {**evidence.seat_logs, seat: replace(log, bodies=log.bodies[:-1])}
    logs = {one: log for one, log in logs.items() if log.bodies}
    without = recorded_otherwise(replace(evidence, seat_logs=logs), version, cause=f"computer/x/{version}")
    assert found(with_roots(without)) == {"causes": version}
    seeded = forged(without, 1, lambda event: event["data"]["options"].update(seeded=True))
    assert found(with_roots(seeded)) == {"causes": version}


@cache
def golden_with_explanation() -> tuple[Evidence, int]:
    """A game whose last explanation may be taken out, and the seat that has it in its own log."""
    games = (evidence_in(read_export(script.path.read_bytes())) for script in GOLDEN)
    return next(
        (one, seat)
        for one in games
        for seat, log in one.seat_logs.items()
        if b'"type":"choice_explained"' in log.bodies[-1] and b'"type":"seed_revealed"' in one.bodies[-1]
    )


def with_roots(evidence: Evidence) -> Evidence:
    """The game naming the roots of its seats' logs as they are."""
    named = roots(evidence, len(events(evidence)[0]["data"]["seats"]))
    return forged(evidence, len(evidence.bodies) - 1, lambda event: event["data"].update(roots=named))


def test_other_reasons_of_the_computer_are_found() -> None:
    evidence, seat = golden_with_explanation()
    log = evidence.seat_logs[seat]
    last = orjson.loads(log.bodies[-1])
    last["data"]["reasons"] = last["data"]["reasons"][1:] or [{"what": "chance_added", "value": 3}]
    logs = {**evidence.seat_logs, seat: replace(log, bodies=[*log.bodies[:-1], canonical(last)])}
    assert set(found(with_roots(replace(evidence, seat_logs=logs)))) == {"seats"}


@pytest.mark.parametrize("is_seeded", [False, True])
def test_a_table_opened_by_the_computer_is_a_simulated_one(is_seeded: bool) -> None:
    def simulate(event: Fields) -> None:
        event["actor"] = "computer"
        event["data"]["options"]["seeded"] = is_seeded

    changed = forged(example(), 1, simulate)
    assert found(recorded_otherwise(changed, 1, channel="computer", order=None))["causes"] == 1


def test_no_player_by_mail_is_the_computer_from_the_start() -> None:
    version = places(example(), "player_joined", "mail")[0]
    changed = forged(example(), version, lambda event: event.update(actor="computer"))
    fields = {"channel": "computer", "mail_sha256": None, "message_id": None, "line": None, "grammar": None}
    assert found(recorded_otherwise(changed, version, inferred=False, **fields))["causes"] == 1


# ---- which move a dispute is about, and how it ended
@pytest.mark.parametrize("order", ["DISPUTE BID 29", "DISPUTE PASS", "DISPUTE off"])
def test_a_dispute_is_about_the_move_that_its_order_names(order: str) -> None:
    for version in places(disputed(), "dispute_raised", "mail"):
        if order != "DISPUTE PASS" or events(disputed())[version - 1]["data"]["what"] != "pass":
            assert found(recorded_otherwise(disputed(), version, order=order)) == {"causes": version}


@pytest.mark.parametrize("order", ["STANDS 2", "what?", None])
def test_what_the_host_let_stand_was_not_withdrawn(order: str | None) -> None:
    kept = events(disputed())
    version = next(one["version"] for one in kept if one["data"].get("how") == "stands")

    def withdraw(event: Fields) -> None:
        event["actor"] = "seat"
        event["data"]["how"] = "withdrawn"

    changed = recorded_otherwise(disputed(), version, order=order)
    assert found(forged(changed, version, withdraw))["causes"] == version


# ---- schemas
def test_a_schema_cannot_be_dropped() -> None:
    def drop(event: Fields) -> None:
        event["schema"] = 1
        event["data"]["options"] = {key: event["data"]["options"][key] for key in ("seeded", "start_seat")}

    bare = replace(by_mail(), private_records={})
    assert found(forged(bare, 1, drop))
    assert found(forged(by_mail(), 1, drop))


@pytest.mark.parametrize("schema", [1, 2])
def test_options_are_those_of_their_schema(schema: int) -> None:
    def tell(event: Fields) -> None:
        event["schema"] = schema
        event["data"]["options"] |= {"records": 1}

    assert found(forged(by_mail(), 1, tell))["bytes"] == 1


# ---- what is free
@pytest.mark.parametrize("name", FREE)
def test_what_is_said_to_be_free_passes(name: str) -> None:
    version = places(by_mail(), "bid_placed", "mail")[0]
    assert found(recorded_otherwise(by_mail(), version, **{name: FREE[name]})) == {}


def test_of_a_move_by_mail_the_hash_and_the_id_are_free() -> None:
    version = places(by_mail(), "bid_placed", "mail")[0]
    changed = recorded_otherwise(by_mail(), version, mail_sha256=OTHER, message_id="another@players.test")
    assert found(changed) == {}


# ---- no false convictions
def test_simulated_games_are_sound() -> None:
    kinds = sorted(PLAYERS.items())
    store = SqliteStore.in_memory()
    service = Service(SteppingClock(), SeededEntropy("many"))
    with store.write() as tx:
        for number in range(300):
            seated = [kinds[(number + seat) % len(kinds)] for seat in range(3 + number % 3)]
            ruleset: Any = ("felicity-2017", "felix-2007")[number % 2]
            game_id, _ = play_game(tx, service, seated, ruleset, str(number))
            evidence = evidence_of(tx, game_id)
            assert evidence is not None
            assert audit(evidence).findings == []


def test_golden_games_are_followed_to_their_records() -> None:
    for script in GOLDEN:
        report = audit(evidence_in(read_export(script.path.read_bytes())))
        assert (report.findings, "causes" in report.passed) == ([], True), script.name
