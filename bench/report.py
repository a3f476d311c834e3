"""Results as people read them, as scripts read them, and as they stand in the documentation."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

import orjson
from rich.console import Console
from rich.table import Table

from bench.measure import Result, seconds

_BEGIN: Final = "<!-- numbers: written by `python -m bench --write-docs` -->"
_END: Final = "<!-- end of numbers -->"
_HEADINGS: Final = ("what", "beside", "felix", "yardstick", "ratio", "spread", "goal", "")


def print_table(results: Sequence[Result], machine: str) -> None:
    """For people."""
    table = Table(*_HEADINGS, caption=machine)
    for result in results:
        table.add_row(*_cells(result))
    Console().print(table)


def write_json(results: Sequence[Result], path: Path) -> None:
    """For scripts: name, ratio, spread, goal, at_least or at_most (the goal again, and which way), met."""
    told = [
        {
            "name": result.row.name,
            "yardstick": result.row.yardstick,
            "ratio": result.ratio,
            "spread": result.spread,
            "goal": result.row.goal,
            "bound": result.row.bound,
            result.row.bound: result.row.goal,
            "met": result.met,
        }
        for result in results
    ]
    path.write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def write_docs(results: Sequence[Result], machine: str, path: Path) -> None:
    """Put the table between the two marks of the page. ValueError if they are not there."""
    before, begin, rest = path.read_text("utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{path} has no place for numbers: the lines {_BEGIN} and {_END}")
    lines = [_HEADINGS, ("---", "---", "---:", "---:", "---:", "---:", "---", "---"), *map(_cells, results)]
    # Without times: they are those of one machine.
    table = "\n".join(f"| {' | '.join((*line[:2], *line[4:]))} |" for line in lines)
    path.write_text(f"{before}{begin}\n{machine}\n\n{table}\n{end}{after}", "utf-8")


def machine(folder: Path) -> str:
    """What it was measured on, in a sentence or two; the disk is the one of this folder."""
    today = datetime.now(UTC).date().isoformat()
    return (
        f"Measured on {today}: {os.cpu_count()} cores ({_processor()}), Python {platform.python_version()},"
        f" SQLite {sqlite3.sqlite_version}, pydantic {version('pydantic')}, orjson {version('orjson')},"
        f" eventsourcing {version('eventsourcing')}. Writing 4 KiB and waiting for the disk took"
        f" {_told(_sync(folder / 'sync'))}."
    )


def _cells(result: Result) -> tuple[str, ...]:
    row = result.row
    return (
        row.name,
        row.yardstick,
        _told(result.felix),
        _told(result.yardstick),
        f"{result.ratio:.2f} ×",
        f"{result.spread:.0%}",
        f"{'≥' if row.bound == 'at_least' else '≤'} {row.goal:g} ×",
        "met" if result.met else "missed",
    )


def _told(duration: float) -> str:
    return f"{duration * 1e3:.1f} ms" if duration >= 1e-3 else f"{duration * 1e6:.0f} µs"


def _processor() -> str:
    """The processor's name, as Linux has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _sync(path: Path) -> float:
    with path.open("wb", buffering=0) as file:

        def write() -> None:
            os.pwrite(file.fileno(), bytes(4096), 0)
            os.fdatasync(file.fileno())

        return median(seconds(write, clock=perf_counter) for _ in range(200))
