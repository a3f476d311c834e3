"""What a viewer must not know changes no beat: hidden cards, and while a game runs, who moved when."""

from __future__ import annotations

from random import Random

import pytest

from each import each
from felix_async.game.beats import Beat, beats
from felix_async.game.names import Names
from felix_async.game.views import Viewer
from games import Played, a_game_played, a_running_game
from secrets_changed import with_other_secrets, with_other_times
from table import BEN


def beats_of(played: Played, viewer: Viewer = "spectator") -> list[Beat]:
    return beats(played.envelopes, viewer, Names(played.names), {})


def known(played: Played, viewer: Viewer) -> list[tuple[object, ...]]:
    """Everything that the beats tell of it."""
    found = beats_of(played, viewer)
    lines = [[(line.event, line.text, line.version, line.at) for line in beat.lines] for beat in found]
    return [
        (beat.kind, beat.round, beat.text, beat.versions, *some)
        for beat, some in zip(found, lines, strict=True)
    ]


@each("seats", [3, 4, 5])
def test_what_a_viewer_must_not_know_changes_no_beat(seats: int) -> None:
    played = a_running_game(seats)
    for viewer in ("spectator", *range(seats)):
        other = with_other_secrets(played, viewer, "x")
        assert other.envelopes != played.envelopes
        assert known(other, viewer) == known(played, viewer)


@each("seats", [3, 4, 5])
def test_when_and_in_which_order_cards_were_placed_changes_no_beat_of_a_running_game(seats: int) -> None:
    played = a_running_game(seats)
    other = with_other_times(played, Random(seats))
    assert other.envelopes != played.envelopes
    for viewer in ("spectator", *range(seats)):
        assert known(other, viewer) == known(played, viewer)


def test_a_running_game_is_told_without_times() -> None:
    found = beats_of(a_running_game())
    assert {line.at for beat in found for line in beat.lines} == {None}


def test_the_beats_of_a_game_that_went_on_are_those_of_before_and_more() -> None:
    """Whoever follows a game is told what came since, and nothing anew, but for the last beat."""
    played = a_running_game()
    before = beats_of(played.until(played.size - 20))
    assert [beat.text for beat in beats_of(played)][: len(before) - 1] == [beat.text for beat in before][:-1]


@pytest.mark.parametrize("viewer", ["spectator", BEN])
def test_of_a_running_game_every_record_that_may_be_told_is_in_one_beat(viewer: Viewer) -> None:
    played = a_game_played(4, seed="running")
    for end in played.step_ends()[::9]:
        log = played.until(end).envelopes
        found = beats_of(played.until(end), viewer)
        versions = [version for beat in found for version in beat.versions]
        assert versions == sorted(set(versions)), end
        lines = [line.step.version for beat in found for line in (*beat.lines, *beat.below)]
        untold = {one.version for one in log} - set(lines)
        assert len(lines) == len(set(lines))
        assert {log[version - 1].type for version in untold} <= {"card_placed"}
        assert not untold or played.game(end).phase == "placing", end
