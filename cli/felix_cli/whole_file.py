"""Files that felix writes: whole or not at all, and over nothing that it has not written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from felix_async.text import plain
from felix_cli.output import Problem


def write_whole(output: Path, data: bytes, *, mode: int, opening: bytes, kind: str) -> None:
    """Write a file of a kind that begins with `opening`; over an older one of it, but over nothing else.

    `-` is standard output.
    """
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
                os.fchmod(file.fileno(), mode)
                # All of it must be there before it takes the older file's name.
                file.flush()
                os.fsync(file.fileno())
                os.replace(file.name, output)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise Problem(f"{plain(str(output))} cannot be written: {error.strerror}.") from None
