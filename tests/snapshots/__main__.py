"""`make snapshots`: write anew what is kept, and show how it differs from what was kept before.

PYTHONPATH=tests python -m snapshots [PART ...]
"""

from __future__ import annotations

import sys

from snapshots.kept import FOLDER, difference, keep, kept
from snapshots.taken import PARTS


def main() -> None:
    """Write the parts that the command line names, or all."""
    unknown = set(sys.argv[1:]) - PARTS.keys()
    if unknown:
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    for part in sys.argv[1:] or PARTS:
        before = kept(part) if (FOLDER / part).exists() else {}
        after = PARTS[part]()
        if before == after:
            print(f"{part}: as before")
        else:
            print(f"{part}:\n{difference(before, after)}")
            keep(part, after)


if __name__ == "__main__":
    main()
