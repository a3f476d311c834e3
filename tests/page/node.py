"""The modules of the replay's page in Node, with many questions at once: a process costs more than they."""

from __future__ import annotations

import shutil
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

import felix_async

MODULES: Final = Path(felix_async.__file__).parent / "replay" / "page"
ENGINE: Final = (
    "sha256.mjs",
    "tree.mjs",
    "draws.mjs",
    "shapes.mjs",
    "exported.mjs",
    "fold.mjs",
    "view.mjs",
    "times.mjs",
    "rules.mjs",
    "steps.mjs",
    "orders.mjs",
    "verify.mjs",
)
NODE: Final = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed (apt: nodejs)")


def asked(script: str, questions: object, modules: Sequence[str] = ENGINE) -> Any:
    """Return the answers to these questions: `script` is the body of a function `(questions, m) => …`.

    `m` holds all that these modules export. Bytes go over in base64: `bytes(text)` undoes it.
    """
    assert NODE is not None, "the test is marked with needs_node"
    names = ", ".join(f"_{place}" for place, _ in enumerate(modules))
    imports = "\n".join(
        f"import * as _{place} from {orjson.dumps((MODULES / name).as_uri()).decode()};"
        for place, name in enumerate(modules)
    )
    program = f"""
        import {{readFileSync}} from "node:fs";
        {imports}
        const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
        const answers = ((questions, m) => {{ {script} }})(
          JSON.parse(readFileSync(0, "utf8")), Object.assign({{}}, {names}));
        process.stdout.write(JSON.stringify(answers));
    """
    done = subprocess.run(
        [NODE, "--input-type=module", "--eval", program],
        input=orjson.dumps(questions, option=orjson.OPT_NON_STR_KEYS),
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.decode()
    return orjson.loads(done.stdout)


def base64(data: bytes) -> str:
    """Bytes as they go over."""
    return b64encode(data).decode()
