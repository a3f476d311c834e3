"""The modules of the replay's page in Node, with many questions at once: a process costs more than they."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

import felix_async

MODULES: Final = Path(felix_async.__file__).parent / "replay" / "page"
NODE: Final = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed (apt: nodejs)")


def asked(module: str, script: str, questions: object) -> Any:
    """Return the answers to these questions: `script` is the body of a function `(questions, m) => …`.

    `m` holds what the module exports. Bytes go over in base64: `bytes(text)` undoes it.
    """
    assert NODE is not None, "the test is marked with needs_node"
    program = f"""
        import {{readFileSync}} from "node:fs";
        import * as m from {orjson.dumps((MODULES / module).as_uri()).decode()};
        const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
        const answers = ((questions, m) => {{ {script} }})(JSON.parse(readFileSync(0, "utf8")), m);
        process.stdout.write(JSON.stringify(answers));
    """
    done = subprocess.run(
        [NODE, "--input-type=module", "--eval", program],
        input=orjson.dumps(questions),
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.decode()
    return orjson.loads(done.stdout)
