"""The verifier in JavaScript and `felix audit` say the same of a file: sound, or what is wrong where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from random import Random
from typing import Any

import orjson
import pytest

from async_.test_audit_forged import FORGERIES, forge, forgeable
from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, SeatLog, evidence_in
from felix_async.game.views import Viewer
from felix_events.envelope import Envelope, canonical
from felix_events.export import NotAnExport, read_export, write_export
from felix_events.lines import Damaged
from felix_events.tree import leaf, tree_root
from games import Fields, a_game_played, a_running_game, forged
from golden.make_golden import BEFORE
from page.forging import (
    Forged,
    bound,
    changed_bytes,
    changed_events,
    changed_lines,
    changed_records,
    changed_seat_logs,
    changed_words,
    golden,
    seen_by,
    simulated,
    spoken,
    with_orders,
    written,
)
from page.node import asked, base64, needs_node

pytestmark = needs_node
Verdict = dict[str, Any]
Change = Callable[[Evidence, Random, int], Forged]
_AT_ONCE = 100
"""Files that one process of Node is asked about."""


def by_python(data: bytes) -> Verdict:
    """What `felix audit` says: whether a game is sound, else where the first finding is."""
    try:
        report = audit(evidence_in(read_export(data)))
    except NotAnExport:
        return {"sound": False, "version": None, "line": None, "seat": None}
    except Damaged as damage:
        return {"sound": False, "version": None, "line": damage.line, "seat": None}
    first = report.findings[0] if report.findings else None
    found = (
        {"version": None, "seat": None} if first is None else {"version": first.version, "seat": first.seat}
    )
    return {"sound": report.sound, "line": None, **found}


def disagreements(cases: Iterable[tuple[str, bytes]]) -> Iterator[str]:
    script = "return questions.map((file) => m.verify(bytes(file)));"
    remaining = iter(cases)
    while some := [*islice(remaining, _AT_ONCE)]:
        for (name, data), told in zip(some, asked(script, [base64(data) for _, data in some]), strict=True):
            expected = by_python(data)
            # The audit names the line of a damaged file; the page the version, too, if there is one in it.
            of_line = {"version": None} if told["line"] is not None else {}
            if {**{key: told[key] for key in expected}, **of_line} != expected:
                yield f"{name}: felix audit {expected}, the page {told['text']}"


def check_agreed(cases: Iterable[tuple[str, bytes]]) -> None:
    assert [*disagreements(cases)] == []


# ---- sound games ----------------------------------------------------------------------------------------
@pytest.mark.slow
def test_the_golden_games_are_sound() -> None:
    files = [base64(written(evidence)) for evidence in golden().values()]
    assert asked("return questions.map((file) => m.verify(bytes(file)).text);", files) == [
        f"{len(evidence.bodies)} events, root {root_of(evidence)}" for evidence in golden().values()
    ]
    check_agreed((name, written(evidence)) for name, evidence in golden().items())


def root_of(evidence: Evidence) -> str:
    return tree_root(map(leaf, evidence.bodies)).hex()


@pytest.mark.parametrize("count", [9, pytest.param(100, marks=pytest.mark.slow)])
def test_simulated_games_are_sound(count: int) -> None:
    found: list[Verdict] = []
    games = simulated(count)
    while some := [base64(one.export()) for one in islice(games, _AT_ONCE)]:
        found += asked("return questions.map((file) => m.verify(bytes(file)));", some)
    assert [one["text"] for one in found if not (one["sound"] and one["redrawn"])] == []
    check_agreed((one.game_id, one.export()) for one in simulated(min(count, 30)))


@pytest.mark.slow
def test_games_with_orders_given_in_advance_are_sound() -> None:
    check_agreed((f"game {number}", written(with_orders(number))) for number in (4, 6, 7))


def test_a_running_game_is_sound_and_says_what_is_not_checked() -> None:
    running = replace(a_running_game().evidence, private_records={}, seat_logs={})
    told = asked("return m.verify(bytes(questions));", base64(written(running)))
    assert told["sound"]
    assert not told["redrawn"]
    assert [check["name"] for check in told["checks"] if check["state"] == "not checked"] == [
        "records",
        "draws",
        "seats",
        "causes",
    ]


def test_a_verdict_names_the_players_whose_words_were_in_the_draw() -> None:
    told = asked("return m.verify(bytes(questions));", base64(a_game_played(5).export()))
    assert told["words"] == 5


def test_a_game_that_never_began_was_not_dealt() -> None:
    told = asked("return m.verify(bytes(questions));", base64(written(golden()["declined.jsonl"])))
    assert (told["sound"], told["redrawn"]) == (True, False)


def test_a_zone_that_the_browser_does_not_know_is_said_to_be_that() -> None:
    """A place may have got its name later than the browser was made: nobody has moved against the rules."""
    hurried = golden()["time-hurried.jsonl"]
    zone = orjson.loads(hurried.bodies[2])["data"]["terms"]["zone"].encode()
    bodies = [body.replace(zone, b"Moon/Base") for body in hurried.bodies]
    told = asked("return m.verify(bytes(questions));", base64(written(replace(hurried, bodies=bodies))))
    assert told["text"] == "version 1: moves: expected a table and a time zone known here"


# ---- changed ones -----------------------------------------------------------------------------------------
def test_what_is_no_export_is_said() -> None:
    told = asked("return m.verify(bytes(questions));", base64(b'{"hello":1}\n'))
    assert (told["sound"], told["text"]) == (False, "this is not a felix export")


@pytest.mark.parametrize("few", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_forged_games_are_found_where_the_audit_finds_them(few: int) -> None:
    def cases() -> Iterator[tuple[str, bytes]]:
        for forgery in FORGERIES[::few]:
            for played, version in islice(forgeable(forgery), 1 if few > 1 else 6):
                yield f"{forgery.type}.{forgery.field}", written(forge(forgery, played, version))

    check_agreed(cases())


@pytest.mark.parametrize("count", [4, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("change", [changed_events, changed_seat_logs, changed_records])
def test_games_changed_at_random_are_judged_alike(change: Change, count: int) -> None:
    drawn = Random(f"{change.__name__}/{count}")
    check_agreed(
        case
        for evidence in (with_orders(4), with_orders(6), golden()["time-hurried.jsonl"])
        if evidence.seat_logs
        for case in change(evidence, drawn, count)
    )


def test_numbers_that_a_script_cannot_hold_are_refused_by_both() -> None:
    evidence = with_orders(4)
    version = min(evidence.private_records)
    record = canonical(orjson.loads(evidence.private_records[version]) | {"grammar": 2**53 + 1})
    bodies = [*evidence.bodies]
    fields = orjson.loads(bodies[version - 1]) | {"private": sha256(record).hexdigest()}
    bodies[version - 1] = canonical(fields)
    records = evidence.private_records | {version: record}
    cases = [("grammar", written(replace(evidence, bodies=bodies, private_records=records)))]
    ended = golden()["3-players-2017.jsonl"]
    place = next(place for place, body in enumerate(ended.bodies) if b'"type":"game_ended"' in body)
    *others, opened, trailer = written(ended).splitlines()
    for number in (b"999", b"1000", b"9007199254740993", b"18446744073709551616", b"1" + b"0" * 20, b"1e+21"):
        for key in (b"cats", b"total"):
            body = re.sub(b'"%b":[0-9]+' % key, b'"%b":%b' % (key, number), ended.bodies[place], count=1)
            bodies = [*ended.bodies[:place], body, *ended.bodies[place + 1 :]]
            cases.append((f"{key!r} {number!r}", written(replace(ended, bodies=bodies))))
        line = re.sub(rb'^{"opens":[0-9]+', b'{"opens":%b' % number, opened)
        before = b"".join(one + b"\n" for one in (*others, line))
        last = orjson.dumps(orjson.loads(trailer) | {"sha256": sha256(before).hexdigest()})
        cases.append((f"opens {number!r}", before + last + b"\n"))
    check_agreed(cases)


def test_the_first_explanation_that_is_missing_is_found_by_both() -> None:
    evidence = golden()["life-5-invited.jsonl"]
    for seat, log in evidence.seat_logs.items():
        short = replace(evidence, seat_logs={**evidence.seat_logs, seat: SeatLog(log.bodies[:1])})
        check_agreed([(f"seat {seat}", written(bound(short)))])


@pytest.mark.parametrize("count", [8, pytest.param(80, marks=pytest.mark.slow)])
def test_changed_words_are_judged_alike(count: int) -> None:
    check_agreed([("as it was", written(spoken())), *changed_words(spoken(), Random(count), count)])


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_files_changed_at_random_are_damaged_in_the_same_line(count: int) -> None:
    data = written(with_orders(6))
    check_agreed(changed_bytes(data, Random(count), count))


def test_a_line_that_is_nested_without_end_is_damage_and_no_crash() -> None:
    header, *lines = written(a_game_played(3).evidence).splitlines(keepends=True)
    deep = b"[" * 200_000 + b"]" * 200_000
    names = header.replace(b'"names":[', b'"names":[' + deep + b",")
    event = lines[5].replace(b'"data":{', b'"data":{"a":' + deep + b",")
    said = b'{"said":' + deep + b"}\n"
    files = [[names, *lines], [header, *lines[:5], event, *lines[6:]], [header, *lines[:-1], said, lines[-1]]]
    script = "return questions.map((file) => m.verify(bytes(file)).line);"
    assert asked(script, [base64(b"".join(file)) for file in files]) == [1, 7, len(lines) + 1]


def test_a_changed_byte_in_an_event_says_which_version() -> None:
    data = written(with_orders(6))
    lines = data.splitlines(keepends=True)
    files = []
    for version in (1, 2, 77):
        changed = [*lines]
        changed[version] = lines[version].replace(b'"version"', b'"versioN"')
        files.append(base64(b"".join(changed)))
    told = asked("return questions.map((file) => m.verify(bytes(file)));", files)
    assert [(one["version"], one["line"]) for one in told] == [(1, 2), (2, 3), (77, 78)]
    assert told[2]["text"] == "line 78: expected version 77 as it was exported"


def test_a_changed_byte_beside_the_events_says_no_version() -> None:
    data = written(with_orders(6)).replace(b'"names":["Anna"', b'"names":["Anne"')
    assert asked("return m.verify(bytes(questions)).version;", base64(data)) is None


@pytest.mark.parametrize("mark", [b'{"said":', b'{"opens":'])
def test_a_changed_byte_in_what_belongs_to_an_event_says_its_version(mark: bytes) -> None:
    data = written(spoken())
    start = data.index(mark)
    version = int(data[start + len(mark) :].partition(b",")[0])
    told = asked("return m.verify(bytes(questions));", base64(with_another_salt(data, start)))
    assert (told["version"], told["line"]) == (version, data.count(b"\n", 0, start) + 1)


def test_a_changed_byte_in_a_record_of_a_seats_own_log_says_no_version_of_the_game() -> None:
    data = written(with_orders(4))
    start = data.index(b'{"opens":', data.index(b'{"seat_log":'))
    told = asked("return m.verify(bytes(questions));", base64(with_another_salt(data, start)))
    assert (told["version"], told["line"]) == (None, data.count(b"\n", 0, start) + 1)


def with_another_salt(data: bytes, start: int) -> bytes:
    """The file with another digit in the first salt from there on."""
    place = data.index(b'"salt":"', start) + 8
    return data[:place] + (b"0" if data[place : place + 1] != b"0" else b"1") + data[place + 1 :]


def test_a_file_of_format_1_is_damaged_in_the_same_line() -> None:
    data = (BEFORE / "life-taken.jsonl").read_bytes()
    check_agreed(changed_bytes(data, Random("before"), 8))


# ---- files for one viewer ---------------------------------------------------------------------------------
VIEWERS: list[Viewer] = [0, 2, "spectator"]


def test_a_file_for_one_viewer_has_the_same_root_and_says_what_is_not_checked() -> None:
    evidence = with_orders(4)
    found = asked(
        "return questions.map((file) => m.verify(bytes(file)));",
        [base64(seen_by(viewer, evidence)) for viewer in VIEWERS],
    )
    for told in found:
        assert (told["sound"], told["root"], told["redrawn"]) == (True, root_of(evidence), False)
        assert told["hides"]
        assert [one["name"] for one in told["checks"] if one["state"] == "not checked"] == [
            "records",
            "moves",
            "draws",
            "count",
            "seats",
            "causes",
        ]


def test_the_hand_of_the_viewer_is_drawn_again() -> None:
    played = a_game_played(4)
    dealt = played.versions("hand_dealt")[1]
    forged_one = forged(played.evidence, dealt, box_a_card)
    told = asked("return m.verify(bytes(questions));", base64(seen_by(1, forged_one)))
    assert (told["sound"], told["version"]) == (False, dealt)


def box_a_card(event: Fields) -> None:
    cards = event["data"]["cards"]
    cards[0], event["data"]["boxed"] = event["data"]["boxed"], cards[0]


def test_another_log_than_the_one_that_the_game_names_is_found_in_a_file_for_its_seat() -> None:
    evidence = with_orders(4)
    log = evidence.seat_logs[2]
    shorter = replace(
        log,
        bodies=log.bodies[:1],
        private_records={version: record for version, record in log.private_records.items() if version == 1},
    )
    cut = replace(evidence, seat_logs={2: shorter})
    told = asked("return m.verify(bytes(questions));", base64(seen_by(2, cut)))
    assert (told["sound"], told["version"]) == (False, len(evidence.bodies) - 1)


@pytest.mark.parametrize("count", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_files_for_one_viewer_are_judged_alike(count: int) -> None:
    drawn = Random(f"viewers/{count}")

    def cases() -> Iterator[tuple[str, bytes]]:
        for viewer in VIEWERS:
            for number in (4, 6)[: count // 2]:
                data = seen_by(viewer, with_orders(number))
                yield f"{number} for {viewer}", data
                yield from changed_bytes(data, drawn, count)
            running = seen_by(viewer, a_running_game().evidence, is_over=False)
            yield f"running for {viewer}", running
            yield from changed_bytes(running, drawn, count)
            yield from changed_lines(running, drawn, 3 * count)

    check_agreed(cases())


def test_nothing_is_proved_by_the_file_of_a_running_game_for_one_viewer() -> None:
    running = seen_by(1, a_running_game().evidence, is_over=False)
    told = asked("return m.verify(bytes(questions));", base64(running))
    assert (told["sound"], told["root"], told["redrawn"]) == (True, "", False)
    assert [one["name"] for one in told["checks"] if one["state"] == "right"] == ["bytes", "scores", "words"]


def test_what_felix_would_not_tell_is_found_by_both() -> None:
    header, *lines, _ = seen_by(1, a_running_game().evidence, is_over=False).splitlines()
    fields, created = orjson.loads(header), orjson.loads(lines[0])

    def told(*bodies: bytes) -> bytes:
        return write_export(fields["game_id"], fields["names"], "", bodies, viewer=1)

    def without(option: str) -> bytes:
        options = {name: value for name, value in created["data"]["options"].items() if name != option}
        return orjson.dumps(created | {"data": created["data"] | {"options": options}})

    turned = created | {"data": dict(reversed(created["data"].items()))}
    firsts = [orjson.dumps(turned), *map(without, created["data"]["options"])]
    files = [told(first, *lines[1:]) for first in firsts]
    files.append(told(b'{"told":1}', lines[0].replace(b":1,", b":2,", 1), *lines[2:]))
    files.append(told(*(b'{"told":%d}' % version for version, _ in enumerate(lines, 1))))
    place = next(place for place, line in enumerate(lines) if b'"amount":' in line)
    for number in (b"1.0", b"9007199254740993", b"1" + b"0" * 20, b"1e+21", b"-1"):
        bid = re.sub(rb'"amount":[0-9]+', b'"amount":' + number, lines[place])
        files.append(told(*lines[:place], bid, *lines[place + 1 :]))
    check_agreed((f"file {place}", file) for place, file in enumerate(files))
    assert not any(by_python(file)["sound"] for file in files)


def test_an_event_that_is_told_is_judged_at_its_version_in_a_game_with_a_clock() -> None:
    """Others are left out: deadlines that run no longer."""
    hurried = golden()["time-hurried.jsonl"]
    running = replace(hurried, bodies=hurried.bodies[:200], private_records={}, seat_logs={})
    check_agreed(changed_lines(seen_by(1, running, is_over=False), Random("clock"), 12))


def test_a_leaf_that_is_cut_off_is_damaged_in_the_same_line() -> None:
    data = seen_by(1, with_orders(4))
    header, *lines, trailer = data.splitlines()
    fields = orjson.loads(header)
    bodies = lines[: orjson.loads(trailer)["size"]]
    bodies[20] = b'{"leaf":"'
    check_agreed([("cut off", write_export(fields["game_id"], fields["names"], "", bodies, viewer=1))])


def test_mice_from_nowhere_are_found_where_cards_are_hidden() -> None:
    played = a_game_played(4)
    passed = played.versions("player_passed")[5]
    richer = forged(played.evidence, passed, lambda event: event["data"].update(mice=9))
    told = asked("return m.verify(bytes(questions));", base64(seen_by("spectator", richer)))
    assert (told["sound"], told["version"]) == (False, passed)


def test_a_missing_record_of_the_viewers_own_deed_is_found() -> None:
    evidence = a_game_played(4).evidence
    (deed, *_) = [one.version for one in a_game_played(4).envelopes if is_by(one, 1)]
    records = {version: record for version, record in evidence.private_records.items() if version != deed}
    told = asked(
        "return m.verify(bytes(questions));", base64(seen_by(1, replace(evidence, private_records=records)))
    )
    assert (told["sound"], told["version"]) == (False, deed)


def is_by(envelope: Envelope, seat: int) -> bool:
    return envelope.type == "bid_placed" and getattr(envelope.data, "seat", None) == seat
