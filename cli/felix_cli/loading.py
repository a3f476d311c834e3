"""Commands in less time: nobody looks for plugins, nor for garbage while modules are loaded or let go."""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

# Felix has no plugins of pydantic; to look for some, it reads the metadata of every package that is there.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

# At the end Python looks for garbage once more: a tenth of what a short command takes.
atexit.register(gc.freeze)


@contextmanager
def loading() -> Iterator[None]:
    """Collect no garbage while modules are loaded: they stay."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
