"""The script of the page: its modules, joined so that each comes after those that it uses, and packed.

A module may only `import {a, b} from "./x.mjs";` on one line and export what it declares, declares no name
that another one does, and has no text that goes over several lines: so joining takes no parser. Packed
(deflate, base64), as its data is, it takes less than half of that: a page has 100 kB beside the log, and a
browser unpacks it in a moment. One that cannot shows the story, as it does without scripts. The same zlib
packs the same text into the same bytes.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Final

ENGINE: Final = (
    *("sha256", "tree", "draws", "shapes", "exported", "times", "fold", "view"),
    *("rules", "steps", "orders", "origins", "verify"),
)
INTERFACE: Final = ("dom", "course", "told", "table", "charts", "quiz", "steer", "main")
START: Final = "start"
"""The module that unpacks the data and the others, and runs them."""
_IMPORT: Final = re.compile(r"import \{[^}]*\} from \"\./[a-z0-9_]+\.mjs\";")
_EXPORT: Final = re.compile(r"export (?=(?:const|let|class|(?:async )?function)\b)")


@cache
def script() -> str:
    """Return the joined modules, without comments and indentation."""
    return "\n".join(map(module, (*ENGINE, *INTERFACE)))


@cache
def packed_script() -> str:
    """Return the joined modules as a page holds them."""
    return packed(script().encode("utf-8"))


def packed(data: bytes) -> str:
    """Return what START unpacks; nothing in it can end an element."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, memLevel=9)
    return b64encode(deflate.compress(data) + deflate.flush()).decode("ascii")


@cache
def module(name: str) -> str:
    """Return a module without imports, exports, comments and indentation."""
    lines = (line.strip() for line in read(f"{name}.mjs").splitlines())
    kept = (line for line in lines if line and not line.startswith("//") and not _IMPORT.fullmatch(line))
    return "\n".join(_EXPORT.sub("", line, count=1) if line.startswith("export ") else line for line in kept)


@cache
def styles() -> str:
    """Return the styles of the page, in one line."""
    return "".join(read("page.css").splitlines())


def read(name: str) -> str:
    """Return a file of this folder."""
    return files("felix_async.replay.page").joinpath(name).read_text("utf-8")
