"""A game as a page: told in HTML, with the export of the game, and a script that shows and checks it.

The same game, version and viewer give the same bytes. The page may load nothing, and its policy allows one
style and its own script alone, by their hashes. All that is strangers' is escaped.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import Final

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from felix_async.audit.evidence import Evidence
from felix_async.audit.redacted import envelopes_of, exported_for
from felix_async.game.cards import PET_CARDS, ROUNDS
from felix_async.game.figures import total_explained
from felix_async.game.names import Names
from felix_async.game.views import Viewer
from felix_async.language.data import table
from felix_async.language.phrases import phrase
from felix_async.people import NAME_LENGTH, seat_names
from felix_async.pictures.pictures import HIDDEN, Picture, face_of, shown
from felix_async.replay.page.facts import (
    data_of,
    figures_of,
    isolated,
    isolated_names,
    moments_of,
    ranking,
    story_of,
)
from felix_async.replay.page.script import START, module, packed, packed_script, script, styles
from felix_async.replay.replay import Replay
from felix_async.text import one_line, plain
from felix_events.embedded import embed
from felix_events.envelope import MAX_SAYING

OPENING: Final = b"<!DOCTYPE html>\n<!-- A game of Felix, told by felix. -->\n"
"""The first lines of every page."""
_UNHELPED: Final = ("quit",)
"""Keys of the terminal that a page has no use for."""


def page_of(
    evidence: Evidence,
    people: Sequence[str],
    table_name: str,
    former: Sequence[tuple[int, int, str]],
    viewer: Viewer,
    *,
    at_end: bool = False,
) -> tuple[Replay, bytes]:
    """Return a game as one viewer may know it, and its page; `people` and `former` are as they are kept."""
    people, former = list(map(plain, people)), [(until, seat, plain(name)) for until, seat, name in former]
    replay = Replay(
        evidence,
        envelopes_of(evidence),
        viewer,
        isolated_names(Names(seat_names(people, limit=NAME_LENGTH), former)),
        one_line(table_name, NAME_LENGTH),
        {version: plain(said.text, MAX_SAYING) for version, said in evidence.said.items()},
    )
    is_over = replay.game.is_over
    export = exported_for(viewer, evidence, people, plain(table_name), is_over=is_over, former=former)
    return replay, page(replay, export, at_end=at_end)


def page(replay: Replay, export: bytes, *, at_end: bool = False) -> bytes:
    """Return the page of a game; its names are isolated (`facts.isolated_names`).

    `export` is what the viewer of the replay may hold of the log. With `at_end` the page opens at the result
    instead of the deal.
    """
    told = story_of(replay)
    in_rounds = [one for one in told if one.kind != "result"]
    drawn = _template().render(
        name=isolated(replay.table) if replay.table else "",
        game=phrase("page.frame.game", game=replay.evidence.game_id),
        language=table("mails.toml")["language"],
        policy=_policy(),
        styles=Markup(styles()),
        start=Markup(module(START)),
        packed=packed_script(),
        drawings=list(_drawings()),
        parts=[(part, [one for one in in_rounds if one.round == part]) for part in range(ROUNDS + 1)],
        result=[one for one in told if one.kind == "result"],
        ranking=ranking(replay),
        moments=moments_of(replay),
        figures=replay.figures,
        figures_by_name=figures_of(replay),
        total_explained=total_explained(),
        help=[pair for pair in table("stepper.toml")["keys"].items() if pair[0] not in _UNHELPED],
        data=packed(orjson.dumps(data_of(replay, at_end=at_end))),
        log=Markup(embed(export).decode("utf-8")),
        words=table("page.toml"),
        phrase=phrase,
    )
    return OPENING + drawn.encode("utf-8")


def _drawings() -> Iterator[tuple[str, Picture, list[tuple[str, str]]]]:
    """The drawings by what they are called on the page, each as a path of every colour."""
    for name, drawing in [*((f"a{card}", face_of(card).drawing) for card in PET_CARDS), ("anull", HIDDEN)]:
        yield name, shown(drawing), _paths(shown(drawing))


def _paths(picture: Picture) -> list[tuple[str, str]]:
    """The colours of a drawing, each with a path of rectangles."""
    paths: dict[str, str] = {}
    y = 0
    for line in picture.lines:
        x = 0
        for run in line.runs:
            if run.ink:
                box = f"M{x} {y}h{run.length}v{line.height}h-{run.length}"
                paths[run.ink] = paths.get(run.ink, "") + box
            x += run.length
        y += line.height
    return [(picture.inks[ink], path) for ink, path in paths.items()]


def _policy() -> str:
    """Nothing may be loaded, and nothing may run but what is meant to."""
    runs = f"{_hash(module(START))} {_hash(script())}"
    may = f"default-src 'none'; style-src {_hash(styles())}; script-src {runs}"
    return f"{may}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("felix_async.replay.page", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2")
