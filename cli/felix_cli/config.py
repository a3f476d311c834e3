"""`--config PATH`: before the command or behind it; where both stand, the one behind it counts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from felix_async.variables import CONFIG_VARIABLE

_CONFIG: Final = "felix_cli.config"
"""The place of the settings' path while a command runs."""


def _keep(ctx: click.Context, _option: click.Parameter, path: Path | None) -> None:
    if path is not None:
        ctx.meta[_CONFIG] = path


def config_path() -> Path | None:
    """Return the path after --config of the command that runs, or in $FELIX_CONFIG; None if there is none."""
    context = click.get_current_context(silent=True)
    named: Path | None = None if context is None else context.meta.get(_CONFIG)
    variable = os.environ.get(CONFIG_VARIABLE)
    return named or (Path(variable) if variable else None)


config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    expose_value=False,
    callback=_keep,
    help="The settings.  [default: felix.toml]",
)
