"""Stepping through a game: what is told around the table, at a step and at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from cli.test_cli_stepper import a_game, screen, stepped_through
from felix_async.audit.evidence import evidence_in
from felix_async.game.cards import cat_points
from felix_async.language.phrases import signed
from felix_cli.tables import moment_lines, score_lines
from felix_events.export import read_export
from games import NAMES, Played, a_game_played

GOLDEN: Final = Path(__file__).parents[1] / "golden"


def golden_game(name: str) -> Played:
    export = read_export((GOLDEN / f"{name}.jsonl").read_bytes())
    return Played(export.header.game_id, evidence_in(export), tuple(export.header.names))


def test_at_the_number_of_a_beat_all_of_it_is_told() -> None:
    """Some have a deadline behind it, which is below."""
    stepped = stepped_through(golden_game("time-hurried"))
    found = [beat for beat in stepped.replay("spectator").beats if beat.number != beat.last]
    assert found
    for beat in found:
        lines = screen("g", *str(beat.number), "enter", stepped=stepped, width=400, height=60)
        assert beat.text in lines


def test_everybody_sees_everybodys_mice_and_cats() -> None:
    sale = next(stop.version for stop in a_game().course("all").stops if stop.round == 2) - 1
    table, lines = a_game_played().game(sale), screen("g", *str(sale), "enter", width=120)
    told = next(line for line in lines if line.startswith("Mice: ")).replace("\N{NO-BREAK SPACE}", " ")
    mice = [f"{name} {seat.mice}" for name, seat in zip(NAMES, table.seats, strict=False)]
    cats = [f"{name} {signed(cat_points(seat.won))}" for name, seat in zip(NAMES, table.seats, strict=False)]
    assert told == f"Mice: {', '.join(mice)}. Cats: {', '.join(cats)}."


def test_whoever_does_not_play_has_no_mice() -> None:
    played = golden_game("life-5-late")
    lines = screen("]", "]", "]", stepped=stepped_through(played), width=200)
    (told,) = (line for line in lines if line.startswith("Mice: "))
    owners = [
        one.split("\N{NO-BREAK SPACE}")[0] for one in told.removeprefix("Mice: ").split(". ")[0].split(", ")
    ]
    assert owners == [played.names[seat] for seat in played.game().players]


def test_in_a_running_game_one_stands_only_where_something_is_told() -> None:
    """An old deadline is told of no more; inside a beat it would stand for what came later."""
    hurried = golden_game("time-hurried")
    stepped = stepped_through(hurried.until(hurried.step_ends()[-9]))
    *steps, _ = stepped.course("spectator").versions
    told = {version for beat in stepped.replay("spectator").beats for version in beat.versions}
    assert steps
    assert set(steps) <= told


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("eyes", ["0", "1", "a"])
def test_it_ends_with_scores_and_moments(eyes: str, width: int) -> None:
    lines, replay = screen(eyes, "end", width=width), a_game().replay("all")
    scores = score_lines(NAMES[:4], replay.game.scores, replay.game.winners, width)
    moments = moment_lines(replay.story, replay.names, width)
    start = lines.index(scores[0])
    assert lines[start : start + 5] == scores
    fits = eyes != "a" or width > 40
    assert (moments[-1] in lines) == fits


def test_a_low_window_spares_mice_and_cats_before_it_cuts_the_table() -> None:
    keys = ("]", "]", "right")
    high = screen(*keys, height=40)
    table = high[2 : next(place for place, line in enumerate(high) if line.startswith("Mice: "))]
    low = screen(*keys, height=len(table) + 4)
    assert (low[1 : len(table) + 1], any(line.startswith("Mice: ") for line in low)) == (table, False)
