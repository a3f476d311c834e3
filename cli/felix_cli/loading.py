"""Commands in less time: nobody looks for plugins, and seldom anybody for garbage."""

from __future__ import annotations

import atexit
import gc
import os

# Felix has no plugins of pydantic; to look for some, it reads the metadata of every package that is there.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

# At the end Python looks for garbage once more: a tenth of what a short command takes.
atexit.register(gc.freeze)

# Modules stay once they are loaded; by default Python looks for garbage after each 700 new objects.
gc.set_threshold(20_000)
