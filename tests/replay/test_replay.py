"""A game told again to one viewer: beats, decisions and the table at each version, and nothing more."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from async_.sameness import played as played_with_orders
from each import each
from felix_async.audit.evidence import evidence_in
from felix_async.audit.redacted import envelopes_of, exported_for
from felix_async.game.beats import beats
from felix_async.game.figures import figures
from felix_async.game.moments import moments
from felix_async.game.names import Names
from felix_async.game.narrate import numbers_told
from felix_async.game.state import Game
from felix_async.game.story import Story
from felix_async.game.views import View, Viewer, view
from felix_async.replay.beside import Told
from felix_async.replay.places import course_of
from felix_async.replay.replay import Replay
from felix_async.replay.tables import table_at
from felix_events.export import read_export
from games import NAMES, TABLE_NAME, Played, a_game_played, a_running_game
from secrets_changed import with_other_secrets, with_other_times
from table import ANNA, BEN


def replayed(played: Played, viewer: Viewer = "all") -> Replay:
    return Replay(played.evidence, played.envelopes, viewer, Names(NAMES), table=TABLE_NAME)


@cache
def with_orders() -> Played:
    room, game_id = played_with_orders(7, orders=True)
    return Played(game_id, room.evidence(game_id), NAMES[:4])


@cache
def running() -> Played:
    """A game in which a card of a round is placed, and others are not."""
    whole = with_orders()
    return [whole.until(end) for end in whole.step_ends()[:-30] if is_between_cards(whole.game(end))][-1]


def is_between_cards(game: Game) -> bool:
    return game.phase == "placing" and any(seat.has_placed for seat in game.seats)


def test_it_has_the_beats_the_decisions_and_the_end_of_the_game() -> None:
    played = with_orders()
    found = replayed(played)
    assert (found.table, found.game) == (TABLE_NAME, played.game())
    assert found.beats == beats(played.envelopes, "all", Names(NAMES), {})
    assert found.decisions.keys() >= set(played.versions("bid_placed"))
    assert found.told.by.keys() <= found.decisions.keys()
    assert found.is_sound


def test_what_was_said_is_in_its_beats() -> None:
    played = with_orders()
    told = Replay(played.evidence, played.envelopes, ANNA, Names(NAMES), words={1: "no talk there"})
    assert told.beats == beats(played.envelopes, ANNA, Names(NAMES), {})


def test_whoever_looks_at_a_game_that_is_over_has_its_moments_and_figures() -> None:
    played = with_orders()
    story = Story.of(played.envelopes)
    viewers: list[Viewer] = ["all", "spectator", ANNA]
    for viewer in viewers:
        found = replayed(played, viewer)
        assert (found.moments, found.figures) == (moments(story), figures(story))
        assert found.moments
        assert found.figures


def test_while_a_game_runs_there_are_none() -> None:
    found = replayed(running(), "spectator")
    assert (found.moments, found.figures) == ([], [])


def test_nobody_sees_all_of_a_running_game() -> None:
    with pytest.raises(ValueError, match="nobody may see all of it"):
        replayed(a_running_game())


def test_logs_of_seats_that_are_not_sound_are_left_out() -> None:
    played = with_orders()
    log = played.evidence.seat_logs[ANNA]
    torn = {ANNA: replace(log, bodies=[log.bodies[0], *log.bodies[2:]])}
    found = replayed(Played(played.game_id, replace(played.evidence, seat_logs=torn), NAMES))
    assert (found.is_sound, found.told, found.decisions) == (False, Told(), {})
    assert found.beats == replayed(played).beats


# ---- the table at each version ----------------------------------------------------------------------


@each("seats", [3, 4, 5])
def test_the_table_is_what_the_viewer_saw_then(seats: int) -> None:
    played = a_game_played(seats)
    for viewer in ("spectator", ANNA):
        found = replayed(played, viewer)
        for version in range(1, played.size + 1, 7):
            assert found.view(version) == table_at(played.envelopes, version, viewer, is_over=True)


def test_who_sees_all_sees_every_hand_also_before_the_end() -> None:
    played = a_game_played(4)
    table = replayed(played).view(30)
    assert table.viewer == "all"
    assert table.own == {seat: view(played.game(30), seat).own[seat] for seat in range(4)}
    assert table.public == view(played.game(30), "spectator")


@pytest.mark.parametrize("version", [0, -1, 10_000])
def test_a_version_that_is_not_there_has_no_table(version: int) -> None:
    found = replayed(a_game_played(3))
    with pytest.raises(IndexError, match=f"the game has {a_game_played(3).size} steps"):
        found.view(version)


def test_an_earlier_table_of_a_running_game_has_no_deadlines() -> None:
    found = replayed(running(), BEN)
    last = len(found.envelopes)
    assert any(seat.time.deadline for seat in found.view(last).seats)
    assert not any(seat.time.deadline for seat in found.view(last - 1).seats)


def test_an_earlier_table_of_a_running_game_does_not_tell_who_had_placed_a_card() -> None:
    played = running()
    assert is_between_cards(played.game())
    found = replayed(played, "spectator")
    placing = [v for v in range(1, played.size) if is_between_cards(played.game(v))]
    assert placing
    for version in placing:
        table = found.view(version)
        assert (table.phase, any(seat.placed for seat in table.seats)) == ("placing", False)
    assert any(seat.placed for seat in found.view(played.size).seats)


# ---- what a viewer must not know --------------------------------------------------------------------


def shown(played: Played, viewer: Viewer) -> list[object]:
    """Everything that a viewer gets of a game."""
    found = replayed(played, viewer)
    lines = [(line.event, line.text, line.at) for beat in found.beats for line in (*beat.lines, *beat.below)]
    told = [(beat.kind, beat.round, beat.text, beat.versions) for beat in found.beats]
    tables = [found.view(version) for version in range(1, len(found.envelopes) + 1, 5)]
    return [told, lines, tables, found.decisions, found.told]


@each("viewer", ["spectator", *range(4)])
def test_other_secrets_are_told_the_same(viewer: Viewer) -> None:
    played = running()
    one, two = (with_other_secrets(played, viewer, seed) for seed in "ab")
    assert one.envelopes != two.envelopes
    assert shown(one, viewer) == shown(two, viewer)


@each("viewer", ["spectator", *range(4)])
def test_other_times_are_told_the_same_while_a_game_runs(viewer: Viewer) -> None:
    one, two = (with_other_times(running(), Random(seed)) for seed in (1, 2))
    assert one.envelopes != two.envelopes
    assert shown(one, viewer) == shown(two, viewer)


# ---- out of a file for one viewer -------------------------------------------------------------------


def out_of_file(played: Played, viewer: Viewer) -> Replay:
    """The game as it is told out of what this viewer may hold of it."""
    is_over = played.game().is_over
    data = exported_for(viewer, played.evidence, played.names, TABLE_NAME, is_over=is_over)
    evidence = evidence_in(read_export(data))
    return Replay(evidence, envelopes_of(evidence), viewer, Names(NAMES), table=TABLE_NAME)


def tables(found: Replay, last: int) -> list[View]:
    return [found.view(version) for version in range(1, last + 1, 3)]


def told(found: Replay) -> list[tuple[object, ...]]:
    return [(beat.kind, beat.round, beat.text, beat.versions) for beat in found.beats]


@each("viewer", ["spectator", ANNA, BEN])
def test_a_file_for_one_viewer_tells_a_game_that_is_over_as_the_log_does(viewer: Viewer) -> None:
    whole, out = replayed(with_orders(), viewer), out_of_file(with_orders(), viewer)
    assert told(out) == told(whole)
    assert (out.decisions, out.told) == (whole.decisions, whole.told)
    assert tables(out, with_orders().size) == tables(whole, with_orders().size)


@each("viewer", ["spectator", ANNA, BEN])
def test_a_file_for_one_viewer_tells_a_running_game_as_the_log_does(viewer: Viewer) -> None:
    """It counts what it tells, and does not hold what a seat has said in advance."""
    whole, out = replayed(running(), viewer), out_of_file(running(), viewer)
    numbers = numbers_told(whole.story)
    assert [(beat.kind, beat.round, beat.text) for beat in out.beats] == [
        (beat.kind, beat.round, beat.text) for beat in whole.beats
    ]
    between = [beat.last for beat in whole.beats if beat.last]
    assert [out.view(numbers[version]) for version in between] == [whole.view(one) for one in between]
    assert {v: one.choices for v, one in out.decisions.items()} == {
        numbers[v]: one.choices for v, one in whole.decisions.items()
    }


@each("viewer", ["spectator", BEN])
def test_one_steps_through_such_a_file_as_through_the_log(viewer: Viewer) -> None:
    whole, out = replayed(running(), viewer), out_of_file(running(), viewer)
    course = course_of(out.beats, out.envelopes, [viewer])
    stops = course_of(whole.beats, whole.envelopes, [viewer]).stops
    assert [stop.round for stop in course.stops] == [stop.round for stop in stops]
    assert course.versions[-1] == len(out.envelopes)
