"""The audit's checks of bytes and tree: what felix did not write, and what does not fit beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import pytest

from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, SeatLog, evidence_in
from felix_events.export import read_export
from games import (
    Fields,
    a_declined_game,
    a_game_played,
    a_running_game,
    envelope_with,
    forged,
    found,
    reordered,
    with_kept,
)


# ---- bytes ------------------------------------------------------------------------------------------
def changed_body(evidence: Evidence, version: int, body: bytes) -> Evidence:
    bodies = list(evidence.bodies)
    bodies[version - 1] = body
    return replace(evidence, bodies=bodies)


def test_an_empty_log_is_no_game() -> None:
    assert found(Evidence("k7m2p", [], {})) == {"bytes": 1}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: b"",
        lambda body: b"null",
        lambda body: body[:-1],
        lambda body: body + b" ",
        lambda body: body.replace(b'":', b'": ', 1),
        lambda body: body.replace(b'{"actor"', b'{"a":1,"actor"'),
        lambda body: body.replace(b'{"actor"', b'{"actor":"host","actor"'),
        lambda body: body.replace(b'"schema":1', b'"schema":0'),
        lambda body: body.replace(b'"seat":', b'"seat":1'),
        lambda body: body.replace(b'"seat":', b'"seat":0.'),
    ],
    ids=["no bytes", "null", "cut", "a blank after", "a blank within", "a new key", "a key twice",
         "a schema that never was", "no such seat",
         "no whole number"],
)  # fmt: skip
def test_bytes_that_felix_never_wrote(spoil: Callable[[bytes], bytes]) -> None:
    played = a_game_played()
    version = played.versions("player_joined")[2]
    evidence = changed_body(played.evidence, version, spoil(played.evidence.bodies[version - 1]))
    report = audit(evidence)
    assert {finding.check: finding.version for finding in report.findings} == {
        "bytes": version,
        "tree": version,
    }
    assert list(report.not_checked) == ["moves", "draws", "count", "scores", "time", "causes"]


@pytest.mark.parametrize(
    ("type_", "number", "truth"),
    [("player_joined", b'"schema":1', b'"schema":true'), ("card_placed", b'"card":0', b'"card":false')],
    ids=["schema", "card"],
)
def test_a_truth_value_is_no_number(type_: str, number: bytes, truth: bytes) -> None:
    evidence = a_game_played().evidence
    version = next(
        version for version in a_game_played().versions(type_) if number in evidence.bodies[version - 1]
    )
    body = evidence.bodies[version - 1].replace(number, truth)
    assert found(changed_body(evidence, version, body)) == {"bytes": version, "tree": version}


def test_without_a_tree_unreadable_events_leave_the_records_unchecked() -> None:
    evidence = evidence_in(read_export(a_game_played().export()))
    report = audit(changed_body(evidence, 5, b"{}"))
    assert [(finding.check, finding.version) for finding in report.findings] == [("bytes", 5)]
    assert list(report.not_checked) == ["tree", "moves", "draws", "count", "scores", "time", "causes"]


@pytest.mark.parametrize(
    "change",
    [
        envelope_with(version=999),
        envelope_with(version=1),
        envelope_with(game_id="zzzzz"),
        lambda event: event.pop("salt"),
        envelope_with(salt="00"),
    ],
    ids=["a version too many", "a version twice", "another game", "no salt", "a short salt"],
)
def test_an_envelope_that_does_not_belong_there(change: Callable[[Fields], object]) -> None:
    played = a_game_played()
    version = played.versions("card_placed")[0]
    assert found(forged(played.evidence, version, change))["bytes"] == version


def test_a_salt_on_an_event_that_is_no_secret() -> None:
    evidence = forged(a_game_played().evidence, 2, envelope_with(salt="00" * 16))
    assert found(evidence)["bytes"] == 2


def test_a_log_that_begins_with_something_else_than_its_creation() -> None:
    played = a_game_played()
    assert found(reordered(played.evidence, range(2, played.size + 1)))["bytes"] == 1


def test_a_log_in_which_a_game_is_created_twice() -> None:
    played = a_game_played()
    assert found(reordered(played.evidence, [1, *range(1, played.size + 1)]))["bytes"] == 2


@pytest.mark.parametrize("version", [2, 40, 100])
def test_an_event_that_is_missing(version: int) -> None:
    evidence = a_game_played().evidence
    bodies = [*evidence.bodies[: version - 1], *evidence.bodies[version:]]
    assert found(replace(evidence, bodies=bodies, kept=None, private_records={})) == {"bytes": version}


# ---- tree -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("version", [1, 2, 30, 64, 100])
def test_a_range_that_fits_another_event(version: int) -> None:
    evidence = a_game_played().evidence
    assert evidence.kept is not None
    ranges = list(evidence.kept.ranges)
    ranges[version - 1] = bytes([ranges[version - 1][0] ^ 1]) + ranges[version - 1][1:]
    assert found(with_kept(evidence, ranges=ranges)) == {"tree": version}


def test_a_version_of_the_store_that_is_not_the_event_s() -> None:
    evidence = a_game_played().evidence
    versions = [*range(1, len(evidence.bodies)), 999]
    assert found(with_kept(evidence, versions=versions)) == {"tree": len(evidence.bodies)}


def test_a_log_shorter_than_the_store_says() -> None:
    evidence = a_running_game().evidence
    assert found(with_kept(evidence, size=len(evidence.bodies) + 2)) == {"tree": len(evidence.bodies) + 1}


def test_a_log_longer_than_the_store_says() -> None:
    evidence = a_running_game().evidence
    size = len(evidence.bodies) - 2
    assert found(with_kept(evidence, size=size)) == {"tree": size + 1}


def test_a_deal_for_which_nobody_was_there_is_a_finding_and_no_crash() -> None:
    """Nobody can be drawn who starts."""
    declined = a_declined_game()
    begun = envelope_with(type="game_started", data={"start_seat": 1})
    assert found(forged(declined.evidence, 2, begun))["draws"] == declined.size


def test_rows_that_do_not_go_with_the_events_are_a_finding_and_no_crash() -> None:
    evidence = a_game_played().evidence
    assert list(found(with_kept(evidence, ranges=[]))) == ["tree"]


def test_a_private_record_that_was_changed() -> None:
    evidence = a_game_played().evidence
    version = sorted(evidence.private_records)[2]
    records = evidence.private_records | {
        version: evidence.private_records[version].replace(b'"mail"', b'"desk"')
    }
    assert found(replace(evidence, private_records=records)) == {"tree": version}


def test_a_private_record_that_is_hashed_but_no_private_record() -> None:
    played = a_game_played()
    version = sorted(played.evidence.private_records)[5]
    for record in (b"{}", b'{"salt": 1}', played.evidence.private_records[version] + b" "):
        records = played.evidence.private_records | {version: record}
        evidence = replace(played.evidence, private_records=records)
        evidence = forged(evidence, version, envelope_with(private=sha256(record).hexdigest()))
        assert found(evidence) == {"tree": version}


def test_a_private_record_that_is_missing() -> None:
    evidence = a_game_played().evidence
    version = sorted(evidence.private_records)[5]
    records = {place: record for place, record in evidence.private_records.items() if place != version}
    assert found(replace(evidence, private_records=records)) == {"tree": version}


def test_a_private_record_that_no_event_names() -> None:
    evidence = a_game_played().evidence
    record = next(iter(evidence.private_records.values()))
    assert 2 not in evidence.private_records
    records = evidence.private_records | {2: record}
    assert found(replace(evidence, private_records=records)) == {"tree": 2}


def test_all_private_records_of_a_store_missing() -> None:
    """A file may leave them out, a store never does."""
    assert found(replace(a_game_played().evidence, private_records={})) == {"tree": 1}


@pytest.mark.parametrize("state", ["running", "abandoned", "unknown"])
def test_a_state_in_the_store_that_the_log_does_not_give(state: str) -> None:
    evidence = a_game_played().evidence
    assert found(with_kept(evidence, state=state)) == {"moves": len(evidence.bodies)}


@pytest.mark.parametrize(
    "change", [(b'"schema":1', b'"schema":9'), (b'"type":"', b'"type":"un')], ids=["schema", "type"]
)
def test_an_event_of_a_later_felix_is_no_finding(
    change: tuple[bytes, bytes],
) -> None:
    played = a_game_played()
    version = played.versions("player_joined")[2]
    file = evidence_in(read_export(played.export()))
    report = audit(changed_body(file, version, file.bodies[version - 1].replace(*change)))
    assert (report.findings, report.sound) == ([], False)
    assert report.later.startswith(f"This felix does not know an event of this log (version {version}: ")
    assert report.later.endswith("; if a newer felix wrote it, look with that")
    kept = played.evidence
    report = audit(changed_body(kept, version, kept.bodies[version - 1].replace(*change)))
    assert [finding.check for finding in report.findings] == ["tree"]


def test_an_event_of_a_later_felix_in_a_seats_own_log_is_none_if_the_game_names_no_other_log() -> None:
    over, running = a_game_played().evidence, a_running_game().evidence
    logs = {0: SeatLog([over.bodies[4].replace(b'"type":"', b'"type":"un')], {})}
    report = audit(replace(running, seat_logs=logs))
    assert report.findings == []
    assert report.later.startswith("This felix does not know an event of this log (version 1: event type 'un")
    assert found(replace(over, seat_logs=logs)) == {"seats": len(over.bodies) - 1}


def test_what_a_viewer_is_told_of_a_later_felix_is_no_finding() -> None:
    told = b'{"told":1,"type":"unseen","actor":"host","data":{}}'
    report = audit(Evidence("k7m2p", [told], {}, viewer="spectator"))
    assert (report.findings, report.later.partition(" (")[2]) == (
        [],
        "version 1: event type 'unseen' is not known to this version of felix); "
        "if a newer felix wrote it, look with that",
    )
