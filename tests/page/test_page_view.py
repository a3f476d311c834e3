"""The fold and the view in JavaScript give what Python gives, after each event and to each viewer."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel

from each import each
from felix_async.game.folding import apply
from felix_async.game.state import initial_state
from felix_async.game.views import Viewer, view
from felix_events.envelope import check_envelopes
from felix_events.export import read_export
from games import a_game_played
from golden.make_golden import BEFORE, FOLDER
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
    kept = [*sorted(FOLDER.glob("*.jsonl")), *sorted(BEFORE.glob("*.jsonl"))]
    played = {f"{seats} players": a_game_played(seats).export() for seats in (3, 4, 5)}
    return {**{str(path.relative_to(FOLDER)): path.read_bytes() for path in kept}, **played}


@cache
def shown() -> dict[str, Any]:
    return dict(zip(files(), asked(SCRIPT, [*map(base64, files().values())]), strict=True))


@each("name", files)
def test_each_viewer_sees_after_each_event_what_python_shows(name: str) -> None:
    expected, found = views(files()[name]), shown()[name]
    assert len(found) == len(expected)
    for version, (one, other) in enumerate(zip(found, expected, strict=True), 1):
        assert one == other, f"version {version}"


def test_nobody_sees_all_of_a_running_game() -> None:
    script = "try { m.viewOf(m.newGame(), 'all'); } catch (error) { return error.message; }"
    assert asked(script, None) == "a running game has hidden cards"
