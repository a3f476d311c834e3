"""A file for one viewer: it folds to what this viewer sees, is sound, and holds nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cache
from random import Random

import orjson
import pytest

from async_.sameness import CLOCK, Playing, Wants
from felix_async.audit.audit import Finding, audit
from felix_async.audit.evidence import Evidence, evidence_in, evidence_of, exported
from felix_async.audit.redacted import envelopes_of, exported_for
from felix_async.game.beats import beats
from felix_async.game.commands import Bid, Give, Play
from felix_async.game.folding import fold
from felix_async.game.names import Names
from felix_async.game.narrate import numbers_told, retell
from felix_async.game.story import Story
from felix_async.game.views import Viewer, view
from felix_events.envelope import check_envelopes
from felix_events.export import read_export
from felix_events.lines import Leaf, Said, line_of
from felix_events.model import CardPlaced, ReserveSpent, Terms
from felix_events.store.sqlite import SqliteStore
from games import NAMES, TABLE_NAME, Played, a_game_played, a_room, a_running_game
from golden.make_golden import GOLDEN, kept_game
from secrets_changed import with_other_secrets, with_other_times
from spoken import ANNA_SAID, BEN_SAID, NORA_SAID, a_spoken_game, say_aloud
from table import ANNA, BEN, CARA

SEATS = 4


def file_for(viewer: Viewer, played: Played) -> bytes:
    is_over = played.game().is_over
    return exported_for(viewer, played.evidence, played.names, TABLE_NAME, is_over=is_over)


def read(data: bytes) -> Evidence:
    return evidence_in(read_export(data))


def viewers(played: Played) -> list[Viewer]:
    return [*range(len(played.game().seats)), "spectator"]


@cache
def some_games() -> tuple[Played, ...]:
    """Golden games, to their ends and cut where they still run."""
    games = [kept_game(script.path) for script in GOLDEN]
    return tuple(cut for game in games for cut in (game, *map(game.until, game.step_ends()[5::29])))


# ---- what it holds
@pytest.mark.slow
def test_a_file_for_one_viewer_folds_to_what_this_one_sees() -> None:
    for played in some_games():
        for viewer in viewers(played):
            found = fold(envelope.data for envelope in envelopes_of(read(file_for(viewer, played))))
            assert view(found, viewer) == view(played.game(), viewer)


@pytest.mark.slow
def test_a_file_for_one_viewer_tells_what_this_one_is_told() -> None:
    """But for the actor of a hidden event: that the host placed a card for somebody."""
    for played in some_games():
        for viewer in viewers(played):
            found = retell(envelopes_of(read(file_for(viewer, played))), viewer, NAMES)
            whole = retell(played.envelopes, viewer, NAMES)
            assert [(line.at, line.event) for line in found] == [(line.at, line.event) for line in whole]


def test_the_file_of_a_running_game_counts_what_it_tells() -> None:
    evidence = read(file_for(CARA, a_running_game(SEATS)))
    assert [envelope.version for envelope in envelopes_of(evidence)] == [*range(1, len(evidence.bodies) + 1)]


def test_the_root_is_that_of_the_whole_game() -> None:
    played = a_game_played(SEATS)
    (whole, *others) = [
        orjson.loads(file_for(viewer, played).splitlines()[-1])["root"]
        for viewer in ("all", *viewers(played))
    ]
    assert set(others) == {whole}


def test_a_file_for_everybody_is_the_export() -> None:
    played = a_game_played(SEATS)
    assert file_for("all", played) == played.export()


# ---- what it does not hold
@pytest.mark.parametrize("viewer", [ANNA, CARA, "spectator"])
def test_a_running_game_with_other_secrets_gives_the_same_bytes(viewer: Viewer) -> None:
    for seats in (3, 4, 5):
        played = a_running_game(seats)
        other = with_other_secrets(played, viewer, "other")
        assert other.evidence.bodies != played.evidence.bodies
        assert file_for(viewer, other) == file_for(viewer, played)


@pytest.mark.slow
@pytest.mark.parametrize("viewer", [ANNA, CARA, "spectator"])
def test_a_running_game_with_other_times_and_another_order_of_cards_gives_the_same_bytes(
    viewer: Viewer,
) -> None:
    for played in some_games():
        if played.game().standing == "running":
            other = with_other_times(played, Random("times"))
            assert file_for(viewer, other) == file_for(viewer, played)


def a_table_with_a_clock() -> Playing:
    room = a_room("twin")
    game_id = room.open(SEATS, clock=CLOCK, start=ANNA)
    room.join_all(game_id)
    return Playing(Wants(SEATS, "twin"), room, game_id, Random("twin"), 0)


def place_card(table: Playing, seat: int) -> None:
    table.do(Play(seat=seat, card=table.game.seats[seat].hand[0]))


def a_late_placing(*seats: int) -> Played:
    """A game in which these seats have placed a card, one after the other, each out of its reserve."""
    table = a_table_with_a_clock()
    table.room.clock.now += timedelta(seconds=CLOCK.move)
    for seat in seats:
        table.room.clock.now += timedelta(minutes=7)
        place_card(table, seat)
    return Played(table.game_id, table.room.evidence(table.game_id), NAMES[:SEATS])


@pytest.mark.parametrize("viewer", [ANNA, CARA, "spectator"])
def test_a_move_by_an_order_gives_the_same_bytes_as_the_same_move_by_hand(viewer: Viewer) -> None:
    """Also with a clock: no deadline was set for it, and there is no hole where one would be."""
    files = []
    for is_ordered in (False, True):
        table = a_table_with_a_clock()
        for seat in range(SEATS):
            place_card(table, seat)
        if is_ordered:
            table.say(Give(seat=BEN, kind="bid", limit=3))
        table.do(Bid(seat=ANNA, amount=1))
        if not is_ordered:
            table.do(Bid(seat=BEN, amount=2))
        evidence = table.room.evidence(table.game_id)
        files.append(exported_for(viewer, evidence, NAMES[:SEATS], TABLE_NAME, is_over=False))
    assert files[0] == files[1]


def test_who_spent_reserve_first_is_not_told_while_cards_are_placed() -> None:
    lines = map(orjson.loads, file_for("spectator", a_late_placing(CARA, ANNA, BEN)).splitlines())
    spent = [line["data"]["seat"] for line in lines if line.get("type") == "reserve_spent"]
    assert spent == [ANNA, BEN, CARA]


def test_cards_that_were_placed_late_are_not_told_before_all_lie_there() -> None:
    played = a_late_placing(CARA, ANNA)
    told = beats(played.envelopes, "spectator", Names(played.names), {})
    assert not any(isinstance(line.step.event, CardPlaced) for beat in told for line in beat.lines)


def test_the_version_at_which_reserve_was_spent_is_not_told_while_a_game_runs() -> None:
    lines = retell(a_late_placing(CARA, ANNA, BEN).envelopes, "spectator", NAMES)
    assert [line.version for line in lines if isinstance(line.event, ReserveSpent)] == [None] * 3


def test_names_and_words_at_versions_that_nobody_is_told_of_are_left_out() -> None:
    """A file of another program's may have them anywhere."""
    played = a_late_placing(CARA)
    evidence = replace(played.evidence, said={9000: Said(said=9000, text="x", salt="")})
    data = exported_for(CARA, evidence, played.names, TABLE_NAME, is_over=False, former=[(9000, ANNA, "Zoe")])
    assert (read(data).said, read_export(data).header.former) == ({}, [])


def test_no_time_of_a_move_is_in_the_file_of_a_running_game() -> None:
    played = a_running_game(SEATS)
    for viewer in viewers(played):
        assert not any(envelope.at.encode() in file_for(viewer, played) for envelope in played.envelopes)


@pytest.mark.parametrize("viewer", [ANNA, "spectator"])
def test_of_hidden_events_of_a_game_that_is_over_there_is_a_leaf_and_no_card_or_salt(viewer: Viewer) -> None:
    played = a_game_played(SEATS)
    data = file_for(viewer, played)
    hidden = [
        one for one in played.envelopes if one.data.secret and getattr(one.data, "seat", None) != viewer
    ]
    assert hidden
    for envelope in hidden:
        line = data.splitlines()[envelope.version]
        assert orjson.loads(line).keys() == {"leaf", "version", "type", "seat", "at"}
        assert str(envelope.salt).encode() not in data


def test_private_records_and_own_logs_are_those_of_the_seat() -> None:
    played = kept_game(next(script.path for script in GOLDEN if script.course == "hurried"))
    records = 0
    for viewer in viewers(played):
        evidence = read(file_for(viewer, played))
        assert set(evidence.seat_logs) == {viewer} & set(played.evidence.seat_logs)
        for version in evidence.private_records:
            assert getattr(played.events[version - 1], "seat", None) == viewer
        records += len(evidence.private_records)
        assert viewer != "spectator" or not evidence.private_records
    assert 0 < records < len(played.evidence.private_records)


def spoken(viewer: Viewer, *, ends: bool) -> set[str]:
    """The words in the file of a viewer."""
    store = SqliteStore.in_memory()
    game_id, *_ = a_spoken_game(store, ends=ends)
    with store.read() as reader:
        evidence = evidence_of(reader, game_id)
    assert evidence is not None
    data = exported_for(viewer, evidence, NAMES[:SEATS], "", is_over=ends)
    assert audit(read(data)).sound
    return {one.text for one in read_export(data).said.values()}


def test_a_seat_has_the_words_of_its_table_but_none_from_before_its_player_came() -> None:
    assert spoken(ANNA, ends=False) == spoken(BEN, ends=True) == {ANNA_SAID, BEN_SAID, NORA_SAID}
    assert spoken(BEN, ends=False) == {NORA_SAID}
    assert spoken("spectator", ends=True) == spoken("spectator", ends=False) == set()


# ---- the audit of it
@pytest.mark.slow
def test_a_file_for_one_viewer_is_sound_and_says_what_was_not_checked() -> None:
    for played in some_games():
        for viewer in viewers(played):
            assert audit(read(file_for(viewer, played))).findings == []
    report = audit(read(file_for(CARA, a_game_played(SEATS))))
    assert report.passed == ["bytes", "tree", "scores", "time"]
    assert report.not_checked.keys() == {"moves", "draws", "count", "seats", "causes"}
    report = audit(read(file_for(CARA, a_running_game(SEATS))))
    assert report.passed == ["bytes", "scores"]
    assert report.not_checked.keys() == {"tree", "moves", "draws", "count", "time", "seats", "causes"}


def test_words_are_those_of_their_versions_where_deadlines_are_not_told() -> None:
    room = a_room("clock")
    game_id = room.open(
        SEATS, start=ANNA, clock=Terms(move=86400, reserve=0, zone="UTC", weekends=True, away=0)
    )
    room.join_all(game_id)
    room.play(game_id, until=lambda game: game.phase == "bidding")
    said = say_aloud(room, game_id, BEN, BEN_SAID)
    evidence = read(exported_for(CARA, room.evidence(game_id), NAMES[:SEATS], "", is_over=False))
    assert len(envelopes_of(evidence)) < said
    assert audit(evidence).sound


def test_a_finding_in_a_file_that_tells_of_a_running_game_names_its_version() -> None:
    hurried = kept_game(next(script.path for script in GOLDEN if script.course == "hurried"))
    running = hurried.until(hurried.step_ends()[-9])
    passed = numbers_told(Story.of(running.envelopes))[running.versions("player_passed")[2]]
    evidence = read(file_for(CARA, running))
    line = orjson.loads(evidence.bodies[passed - 1])
    line["data"]["mice"] += 1
    found = finding(with_line(evidence, passed, orjson.dumps(line)))
    assert (found.check, found.version) == ("count", passed)


def test_a_game_in_which_nothing_is_hidden_is_checked_as_a_whole() -> None:
    declined = kept_game(next(script.path for script in GOLDEN if script.name == "declined"))
    assert {"moves", "draws", "count"} <= set(audit(read(file_for("spectator", declined))).passed)


def finding(evidence: Evidence) -> Finding:
    (found,) = audit(evidence).findings
    return found


def with_line(evidence: Evidence, version: int, line: bytes) -> Evidence:
    bodies = list(evidence.bodies)
    bodies[version - 1] = line
    return replace(evidence, bodies=bodies)


def test_a_card_hidden_from_the_one_who_may_know_it_is_a_finding() -> None:
    played = a_game_played(SEATS)
    version = next(
        v for v in played.versions("card_placed") if getattr(played.events[v - 1], "seat", None) == CARA
    )
    for seat in (CARA, None):
        hidden = Leaf(
            leaf="0" * 64, version=version, type="card_placed", seat=seat, at=played.envelopes[version - 1].at
        )
        found = finding(with_line(read(file_for(CARA, played)), version, line_of(hidden)))
        assert (found.check, found.version) == ("bytes", version)


def test_a_card_told_to_one_who_may_not_know_it_is_a_finding() -> None:
    told = b'{"told":%d,"type":"card_placed","actor":"seat","data":{"card":3,"seat":1}}'
    played = a_running_game(SEATS)
    version = played.versions("card_placed")[0]
    found = finding(with_line(read(file_for("spectator", played)), version, told % version))
    assert (found.check, found.version) == ("bytes", version)


def test_an_event_that_is_none_is_named_by_its_version_among_hidden_ones() -> None:
    played = a_game_played(SEATS)
    version = played.versions("bid_placed")[-1]
    evidence = read(file_for(CARA, played))
    report = audit(
        with_line(evidence, version, evidence.bodies[version - 1].replace(b'"seat"', b'"feat"', 1))
    )
    assert [(one.check, one.version) for one in report.findings] == [("bytes", version)]


def test_a_file_that_tells_nothing_of_its_beginning_is_a_finding() -> None:
    evidence = read(file_for(CARA, a_running_game(SEATS)))
    hidden = b'{"told":1,"type":"card_placed","seat":1}'
    assert finding(replace(evidence, bodies=[hidden])).version == 1
    assert finding(with_line(evidence, 1, hidden)).version == 1


def test_a_changed_event_of_a_file_for_one_viewer_is_a_finding() -> None:
    """Mice and scores show it, if somebody made the tree fit."""
    played = a_game_played(SEATS)
    version = played.versions("sack_sold")[0]
    evidence = read(file_for("spectator", played))
    body = evidence.bodies[version - 1]
    price = orjson.loads(body)["data"]["price"]
    changed = body.replace(b'"price":%d' % price, b'"price":%d' % (price + 1))
    assert {one.check for one in audit(with_line(evidence, version, changed)).findings} == {"count", "scores"}


def test_another_log_of_the_viewers_own_is_a_finding() -> None:
    played = kept_game(next(script.path for script in GOLDEN if script.course == "hurried"))
    seat = min(played.evidence.seat_logs)
    evidence = read(file_for(seat, played))
    own = evidence.seat_logs[seat]
    shorter = replace(own, bodies=own.bodies[:-1])
    found = finding(replace(evidence, seat_logs={seat: shorter}))
    assert found.check == "seats"


def test_whole_evidence_reads_as_before() -> None:
    played = a_game_played(SEATS)
    assert envelopes_of(played.evidence) == check_envelopes(played.evidence.bodies)
    data = exported(played.evidence, played.names, TABLE_NAME, is_over=True)
    assert envelopes_of(read(data), 7) == played.envelopes[:7]
