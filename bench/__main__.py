"""Measure every row, print the table, and write bench.json into the current folder."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory


def main() -> int:
    """The exit code: 0 however the goals come out, 2 where nothing can be measured."""
    parser = ArgumentParser(prog="python -m bench", description="Measure felix beside its yardsticks.")
    parser.add_argument("--write-docs", type=Path, metavar="PAGE", help="put the numbers into this page, too")
    parser.add_argument("--only", default="", metavar="TEXT", help="the rows with this in their names")
    given = parser.parse_args()
    if find_spec("eventsourcing") is None:
        print('The yardstick is missing: run `pip install "eventsourcing>=9.5"`.', file=sys.stderr)
        return 2
    from bench.measure import measure
    from bench.report import machine, print_table, write_docs, write_json
    from bench.rows import all_rows

    # Beside the results, not in the system's temporary folder: that may be in memory, where syncing is free.
    with TemporaryDirectory(prefix=".bench-", dir=".") as name:
        folder = Path(name)
        told = machine(folder)
        results = []
        for row in all_rows(folder):
            if given.only not in row.name:
                continue
            print(f"measuring: {row.name}", file=sys.stderr)
            results.append(measure(row))
    print_table(results, told)
    write_json(results, Path("bench.json"))
    if given.write_docs is not None:
        write_docs(results, told, given.write_docs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
