"""The modules of the replay's page in Node: one for all questions, as a process costs more than they."""

from __future__ import annotations

import atexit
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Timer
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


_SERVER: Final = """
%s
const m = Object.assign({}, %s);
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const answered = (line) => {
  try {
    const {script, questions} = JSON.parse(line);
    return {answers: new Function("questions", "m", "bytes", script)(questions, m, bytes)};
  } catch (error) {
    return {error: String(error.stack ?? error)};
  }
};
let begun = [];
for await (const chunk of process.stdin) {
  let from = 0;
  for (let end; (end = chunk.indexOf(10, from)) >= 0; from = end + 1) {
    const line = Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
    begun = [];
    process.stdout.write(JSON.stringify(answered(line)) + "\\n");
  }
  begun.push(chunk.subarray(from));
}
"""
"""Answers one line with another, until there are no more."""
_PATIENCE: Final = 600


def asked(script: str, questions: object, modules: Sequence[str] = ENGINE) -> Any:
    """Return the answers to these questions: `script` is the body of a function `(questions, m) => …`.

    `m` holds all that these modules export. Bytes go over in base64: `bytes(text)` undoes it.
    """
    assert NODE is not None, "the test is marked with needs_node"
    process = _started(NODE, tuple(modules))
    assert process.stdin is not None
    assert process.stdout is not None
    line = orjson.dumps({"script": script, "questions": questions}, option=orjson.OPT_NON_STR_KEYS)
    end = Timer(_PATIENCE, process.kill)
    end.start()
    try:
        process.stdin.write(line + b"\n")
        process.stdin.flush()
        told = process.stdout.readline()
    finally:
        end.cancel()
        end.join()
    if not told:
        _started.cache_clear()
        raise AssertionError(f"Node ended with {process.wait()}")
    found = orjson.loads(told)
    assert "error" not in found, found["error"]
    return found["answers"]


@cache
def _started(node: str, modules: tuple[str, ...]) -> subprocess.Popen[bytes]:
    """Start a Node that has loaded these modules: it answers until this process ends."""
    imports = "\n".join(
        f"import * as _{place} from {orjson.dumps((MODULES / name).as_uri()).decode()};"
        for place, name in enumerate(modules)
    )
    program = _SERVER % (imports, ", ".join(f"_{place}" for place, _ in enumerate(modules)))
    process = subprocess.Popen(
        [node, "--input-type=module", "--eval", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    atexit.register(process.communicate)
    return process


def base64(data: bytes) -> str:
    """Bytes as they go over."""
    return b64encode(data).decode()
