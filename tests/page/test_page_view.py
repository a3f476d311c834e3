"""The fold and the view in JavaScript give what Python gives, after each event and to each viewer."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson
import pytest
from pydantic import BaseModel

from felix_async.audit.evidence import evidence_in
from felix_async.audit.redacted import envelopes_of
from felix_async.game.folding import apply, fold
from felix_async.game.state import initial_state
from felix_async.game.views import Viewer, view
from felix_events.envelope import check_envelopes
from felix_events.export import read_export
from games import a_game_played, a_running_game
from page.forging import golden, seen_by, written
from page.node import asked, base64, needs_node

pytestmark = needs_node

SCRIPT = """
    return questions.map((file) => {
      const {header, events} = m.readExport(bytes(file));
      return m.fold(events).slice(1).map((game) => {
        const viewers = [...header.names.keys(), "spectator", ...(m.isOver(game) ? ["all"] : [])];
        return viewers.map((viewer) => m.viewOf(game, viewer));
      });
    });
"""


def as_json(value: object) -> Any:
    return orjson.loads(orjson.dumps(value, default=BaseModel.model_dump, option=orjson.OPT_NON_STR_KEYS))


def views(data: bytes) -> list[Any]:
    export = read_export(data)
    game, states = initial_state(), []
    for envelope in check_envelopes(export.bodies):
        apply(game, envelope.data)
        viewers: list[Viewer] = [*range(len(export.header.names)), "spectator"]
        if game.is_over:
            viewers.append("all")
        states.append([as_json(view(game, viewer)) for viewer in viewers])
    return states


@cache
def files() -> dict[str, bytes]:
    played = {f"{seats} players": a_game_played(seats).export() for seats in (3, 4, 5)}
    return {**{name: written(evidence) for name, evidence in golden().items()}, **played}


QUICK = ["3 players", "4 players", "5 players", "life-taken.jsonl", "time-deserted.jsonl"]
SLOW = [name for name in golden() if name not in QUICK]


@pytest.mark.parametrize("names", [QUICK, pytest.param(SLOW, marks=pytest.mark.slow)], ids=["few", "many"])
def test_each_viewer_sees_after_each_event_what_python_shows(names: list[str]) -> None:
    found = asked(SCRIPT, [base64(files()[name]) for name in names])
    for name, states in zip(names, found, strict=True):
        expected = views(files()[name])
        assert len(states) == len(expected)
        for version, (one, other) in enumerate(zip(states, expected, strict=True), 1):
            assert one == other, f"{name}, version {version}"


def test_the_file_of_one_viewer_shows_what_that_viewer_sees() -> None:
    evidence = golden()["life-taken.jsonl"]
    viewers: list[Viewer] = [0, 2, "spectator"]
    script = """
        return questions.map(([viewer, file]) =>
          m.fold(m.readExport(bytes(file)).events).slice(1).map((game) => m.viewOf(game, viewer)));
    """
    found = asked(script, [[viewer, base64(seen_by(viewer, evidence))] for viewer in viewers])
    for viewer, states in zip(viewers, found, strict=True):
        game = initial_state()
        for envelope, state in zip(check_envelopes(evidence.bodies), states, strict=True):
            apply(game, envelope.data)
            assert state == as_json(view(game, viewer)), f"{viewer}, version {envelope.version}"


def test_the_file_of_a_running_game_shows_its_viewer_the_same_table() -> None:
    evidence = a_running_game().evidence
    viewers: list[Viewer] = [0, 3, "spectator"]
    files = [seen_by(viewer, evidence, is_over=False) for viewer in viewers]
    script = """
        return questions.map(([viewer, file]) =>
          m.viewOf(m.fold(m.readExport(bytes(file)).events).at(-1), viewer));
    """
    found = asked(script, [[viewer, base64(file)] for viewer, file in zip(viewers, files, strict=True)])
    for viewer, file, table in zip(viewers, files, found, strict=True):
        game = fold(one.data for one in envelopes_of(evidence_in(read_export(file))))
        assert table == as_json(view(game, viewer))


def test_nobody_sees_all_of_a_running_game() -> None:
    script = "try { m.viewOf(m.newGame(), 'all'); } catch (error) { return error.message; }"
    assert asked(script, None) == "a running game has hidden cards"
