"""Files that felix writes: whole or not at all, and over nothing that it has not written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from felix_async.game.views import Viewer
from felix_async.text import plain
from felix_cli.output import Problem, say


def write_game(
    output: Path, data: bytes, viewer: Viewer, *, is_over: bool, opening: bytes, kind: str
) -> None:
    """Write what a viewer may know of a game, in a file of a kind that begins with `opening`.

    It goes over an older file of its kind, but over nothing else. With hidden cards of a running game it is
    for its owner alone, and says so. `-` is standard output.
    """
    is_open = is_over or viewer == "spectator"
    if not is_open:
        whose = "hidden cards" if viewer == "all" else "cards of a player"
        say(f"This game still runs: the file holds {whose}, so keep it to yourself.")
    if str(output) == "-":
        click.echo(data, nl=False)
        return
    try:
        if output.is_file() and output.stat().st_size:
            with output.open("rb") as file:
                if file.read(len(opening)) != opening:
                    raise Problem(
                        f"{plain(str(output))} is there already and is no {kind}; name another file."
                    )
        if output.exists() and not output.is_file():
            output.write_bytes(data)
            return
        with tempfile.NamedTemporaryFile(dir=output.parent, prefix=".felix-", delete=False) as file:
            try:
                file.write(data)
                os.fchmod(file.fileno(), 0o644 if is_open else 0o600)
                # All of it must be there before it takes the older file's name.
                file.flush()
                os.fsync(file.fileno())
                os.replace(file.name, output)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise Problem(f"{plain(str(output))} cannot be written: {error.strerror}.") from None
