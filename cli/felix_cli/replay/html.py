"""A replay as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from felix_async.audit.evidence import exported
from felix_async.game.names import Names
from felix_async.game.state import Game
from felix_async.game.views import Viewer
from felix_async.replay.page.facts import isolated_names
from felix_async.replay.page.page import OPENING, page
from felix_async.replay.replay import replay_of
from felix_cli.output import Problem
from felix_cli.whole_file import write_whole
from felix_cli.wiring import Subject
from felix_events.envelope import Envelope

_MODE: Final = 0o644


def write_page(
    subject: Subject,
    envelopes: Sequence[Envelope],
    game: Game,
    viewer: Viewer,
    output: Path,
    *,
    at_end: bool,
) -> None:
    """Write the page of a game that is over, as everybody may see it then."""
    if not game.is_over or viewer != "all":
        raise Problem("A page holds the whole log: it is made once the game is over, and for all eyes.")
    names = isolated_names(Names(subject.names, subject.former))
    replay = replay_of(subject.evidence, envelopes, viewer, names, table=subject.table, words=subject.words)
    export = exported(subject.evidence, subject.people, subject.table, is_over=True, former=subject.former)
    made = page(replay, subject.words, export, at_end=at_end)
    write_whole(output, made, mode=_MODE, opening=OPENING, kind="felix page")
