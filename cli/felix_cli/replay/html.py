"""A replay as one HTML file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from felix_async.audit.redacted import exported_for
from felix_async.game.views import Viewer
from felix_async.replay.page.facts import isolated_names
from felix_async.replay.page.page import OPENING, page
from felix_cli.replay.beside import say_unsound
from felix_cli.whole_file import write_game
from felix_cli.wiring import Subject, followed


def write_page(subject: Subject, viewer: Viewer, output: Path, *, at_end: bool = False) -> None:
    """Write the page of a game, with what its viewer may know and no more; `-` is stdout."""
    envelopes, game = followed(subject, None)
    whole = subject.whole()
    replay = replace(whole.replay(envelopes, viewer), names=isolated_names(whole.names_then))
    if not replay.is_sound:
        say_unsound()
    export = exported_for(
        viewer, whole.evidence, whole.people, whole.table, is_over=game.is_over, former=whole.former
    )
    made = page(replay, export, at_end=at_end)
    write_game(output, made, viewer, is_over=game.is_over, opening=OPENING, kind="felix page")
