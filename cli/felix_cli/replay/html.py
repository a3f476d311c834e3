"""A replay as one HTML file."""

from __future__ import annotations

from pathlib import Path

from felix_async.game.views import Viewer
from felix_async.replay.page.page import OPENING, page_of
from felix_cli.replay.beside import say_unsound
from felix_cli.whole_file import write_game
from felix_cli.wiring import Subject, followed


def write_page(subject: Subject, viewer: Viewer, output: Path, *, at_end: bool = False) -> None:
    """Write the page of a game, with what its viewer may know and no more; `-` is stdout."""
    _, game = followed(subject, None)
    whole = subject.whole().as_written()
    replay, made = page_of(whole.evidence, whole.people, whole.table, whole.former, viewer, at_end=at_end)
    if not replay.is_sound:
        say_unsound()
    write_game(output, made, viewer, is_over=game.is_over, opening=OPENING, kind="felix page")
